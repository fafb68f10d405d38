"""What contacts of machines give way where joints leave no freedom.

Legs that are driven can press on each other along directions in which nothing can move. The
Delassus operator W of their contacts lacks these in its range, and what is broken by a nanometre
along one of them, or nearly so, would be answered with any force. A little of the inverse mass that
the two bodies would have alone, on what is not its range, bounds that:

    W + K,   K = κ D (1 - Q Qᵀ) D,   Q a basis of the range of D⁻¹ W D⁻¹,   D² those inverse masses.

With the impulses p the relative velocities are then less by K (p - p0) than what the laws ask for,
p0 being what the half began with: contacts that bear the same load in every step do not give, and
where W has full rank none does. Nor do any where some resist turning: forces and torques have one
range together, and to give way by forces alone would let the torques hold what those give.
"""

from __future__ import annotations

import math

from impulse_core.algebra import ZERO3, set_vec3, vec3_of
from impulse_core.contact.delassus import delassus_block
from impulse_core.contact.elimination import dot_of_rows, stride_of, subtract_row
from impulse_core.contact.islands import island_of
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["GIVE", "add_give", "find_given"]

GIVE = 1e-6  # κ, and what joints leave of the inverse mass alone that counts as none


@inner_kernel
def add_give(contacts, solver_bodies, delassus):
    """Keep K as ``give``, and add it to the linear part of the operator."""
    n = 3 * delassus.used[0]
    for k in range(delassus.used[0]):
        scale = _scale(contacts, solver_bodies, delassus.contact[k])
        for axis in range(3):
            delassus.scale[3 * k + axis] = scale
    for k in range(delassus.used[0]):
        _island(contacts, solver_bodies, delassus.contact[k]).spare = 0
    rank = n if delassus.rolls[0] else _find_range(delassus, n)
    if rank < n:
        _count_spare(contacts, solver_bodies, delassus, rank)
    delassus.gives[0] = 1 if rank < n else 0
    if rank < n:
        _orthonormalise(delassus.basis, n, rank)
        _add(delassus, n, rank)
    find_given(contacts, delassus)


@inner_kernel
def _count_spare(contacts, solver_bodies, delassus, rank):
    """Count for each island the impulses at its contacts that move nothing others do not move; at
    those with a free body there are none.
    """
    for k in range(delassus.used[0]):
        if delassus.scale[3 * k] > 0.0:
            _island(contacts, solver_bodies, delassus.contact[k]).spare += 3
    for r in range(rank):
        c = delassus.contact[delassus.pivot[r] // 3]
        _island(contacts, solver_bodies, c).spare -= 1


@inlined_kernel
def _island(contacts, solver_bodies, c):
    """What stands for the island of contact c."""
    return solver_bodies.mark[island_of(contacts.mark, solver_bodies.mark, c)]


@inner_kernel
def begin_given(contacts, delassus):
    """Contacts on jointed bodies have given no way to the impulses that a half begins with."""
    row = contacts.row
    for k in range(delassus.used[0]):
        c = delassus.contact[k]
        set_vec3(row[c].start, vec3_of(row[c].impulse))
        set_vec3(row[c].given, ZERO3)


@inner_kernel
def _add(delassus, n, rank):
    """Find K from a basis of so many rows, and add it to the operator."""
    W, give, basis, scale = delassus.linear, delassus.give, delassus.basis, delassus.scale
    for i in range(n):
        left = give[i, : i + 1]
        for j in range(len(left)):
            left[j] = 1.0 if i == j else 0.0
        for r in range(rank):
            share, row = basis[r, i], basis[r, : i + 1]
            for j in range(len(left)):
                left[j] -= share * row[j]
        for j in range(i + 1):
            give[i, j] = give[j, i] = GIVE * scale[i] * scale[j] * left[j]
    for i in range(n):
        for j in range(n):
            W[i, j] += give[i, j]


@inner_kernel
def _scale(contacts, solver_bodies, c):
    """Root of the inverse mass that the bodies of contact c have alone; 0 where one of them is
    free, and gives way itself.
    """
    i1, i2 = contacts.mark[c].body1, contacts.mark[c].body2
    bodies = solver_bodies.row
    if bodies[i1].inverse_mass > 0.0 or bodies[i2].inverse_mass > 0.0:
        return 0.0
    return math.sqrt(bodies[i1].inverse_mass_alone + bodies[i2].inverse_mass_alone)


@inner_kernel
def _find_range(delassus, n):
    """Columns of the Cholesky factor of D⁻¹ W D⁻¹ as rows of ``basis``, the largest pivots first,
    until what is left is less than κ; returns their number.
    """
    W, scale, basis, left = delassus.linear, delassus.scale, delassus.basis, delassus.left
    for i in range(n):
        left[i] = W[i, i] / (scale[i] * scale[i]) if scale[i] > 0.0 else 0.0
    for rank in range(n):
        pivot = 0
        for i in range(1, n):
            if left[i] > left[pivot]:
                pivot = i
        if not (left[pivot] > GIVE):
            return rank
        delassus.pivot[rank] = pivot
        root, new = math.sqrt(left[pivot]), basis[rank, :n]
        for i in range(n):
            new[i] = W[i, pivot] / (scale[i] * scale[pivot]) if scale[i] > 0.0 else 0.0
        for r in range(rank):
            share, row = basis[r, pivot], basis[r, :n]
            for i in range(len(new)):
                new[i] -= share * row[i]
        for i in range(n):
            new[i] /= root
            left[i] -= new[i] * new[i]
        left[pivot] = 0.0
    return n


@inner_kernel
def _orthonormalise(basis, n, rank):
    """Gram and Schmidt's method on the rows of ``basis``, each made orthogonal twice, which leaves
    no more than round-off.
    """
    numbers, width, end = basis.reshape(-1), basis.shape[1], stride_of(n)
    for r in range(rank):
        for j in range(n, end):
            basis[r, j] = 0.0
        for q in range(2 * r):
            other = q % r * width
            along = dot_of_rows(numbers, r * width, other, 0, end)
            subtract_row(numbers, r * width, other, along, 0, end)
        length = math.sqrt(dot_of_rows(numbers, r * width, r * width, 0, end))
        row = basis[r, :n]
        for j in range(len(row)):
            row[j] /= length


@inner_kernel
def find_given(contacts, delassus):
    """Put K (p - p0) of each contact on jointed bodies into ``given``."""
    row = contacts.row
    for k in range(delassus.used[0]):
        given = ZERO3
        for m in range(delassus.used[0] if delassus.gives[0] else 0):
            c = delassus.contact[m]
            change = vec3_of(row[c].impulse) - vec3_of(row[c].start)
            given = given + delassus_block(delassus.give, 3 * k, 3 * m) @ change
        set_vec3(row[delassus.contact[k]].given, given)
