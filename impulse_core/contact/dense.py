"""Few contacts at once: a generalised Newton method on the law of all of them.

The law of a contact is p = P(p - ρu), P the projection onto its cone for the present normal
impulse. Where it is open, sticks or slides it is linear in p and u, and u = u0 + W p: a dense
system, of which the solution is the next iterate (Alart and Curnier 1991). Feet of a machine push
against each other through stiff joints, so that going from one to the next hardly converges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.algebra import (
    Mat3,
    cross_matrix,
    dot,
    mat3_at,
    mat3_in,
    norm,
    put_vec3_in,
    vec3_at,
    vec3_in,
)
from impulse_core.collision.contacts import (
    ARM1,
    ARM2,
    BEFORE_SWEEP,
    BLOCK,
    BODY1,
    BODY2,
    FLOOR,
    FRICTION,
    IMPULSE,
    JOINED,
    NEXT,
    NORMAL,
    OFFSET,
)
from impulse_core.contact.friction import in_disc
from impulse_core.jit import inlined_kernel, inner_kernel
from impulse_core.model import Floats, Ints

__all__ = ["IMPROVED", "SOLVED", "TOO_MANY", "Dense", "new_dense", "solve_dense"]

SOLVED, IMPROVED, TOO_MANY = 0, 1, 2

MOST_DENSE = 48  # contacts that are solved for in this way
_ITERATIONS = 20
_SHRINKINGS = 6  # of a Newton step that does not help
_SOFTNESS = 1e-6  # of a Newton step, relative: redundant contacts share their load


class Dense(NamedTuple):
    """Scratch for d = MOST_DENSE contacts."""

    contact: Ints
    """Rows of the active contacts, shape (d,)."""
    answer: Floats
    """W: answer of each contact to impulses at all of them [1/kg], shape (3d, 3d)."""
    matrix: Floats
    """System of a Newton step, with its right-hand side as last column, shape (3d, 3d+1)."""
    impulse: Floats
    """p, shape (d, 3)."""
    velocity: Floats
    """u, shape (d, 3)."""
    change: Floats
    """Newton step, shape (d, 3)."""
    push: Floats
    """W times that, shape (d, 3)."""


def new_dense() -> Dense:
    """Scratch of the dense solver."""
    d = MOST_DENSE
    return Dense(
        contact=np.zeros(d, dtype=np.int64),
        answer=np.zeros((3 * d, 3 * d)),
        matrix=np.zeros((3 * d, 3 * d + 1)),
        impulse=np.zeros((d, 3)),
        velocity=np.zeros((d, 3)),
        change=np.zeros((d, 3)),
        push=np.zeros((d, 3)),
    )


@inner_kernel
def solve_dense(contacts, movers, joined, dense, first, accuracy):
    """Improve the impulses of an island until their laws hold to ``accuracy`` [m/s].

    The island is the chain of contacts that begins with ``first``; too long ones are left alone.

    The velocities in movers and joined are those with the present impulses, and are left as they
    are. Returns SOLVED or, where that accuracy was not reached, IMPROVED; TOO_MANY for what is left
    alone. The impulses before are kept in column BEFORE_SWEEP.
    """
    n = _gather(contacts, movers, joined, dense, first)
    if n < 0:
        return TOO_MANY
    worst = _residual(contacts, dense, n, 0.0)
    for _ in range(_ITERATIONS):
        if worst <= accuracy:
            break
        _newton_system(contacts, dense, n)
        if not _eliminate(dense.matrix, 3 * n):
            break
        for k in range(n):
            for axis in range(3):
                dense.change[k, axis] = dense.matrix[3 * k + axis, 3 * n]
        _push_of_change(dense, n)
        share = 1.0
        after = _residual(contacts, dense, n, share)
        for _shrinking in range(_SHRINKINGS):
            if after < worst:
                break
            share *= 0.5
            after = _residual(contacts, dense, n, share)
        for k in range(n):
            for axis in range(3):
                dense.impulse[k, axis] += share * dense.change[k, axis]
                dense.velocity[k, axis] += share * dense.push[k, axis]
        worst = after
    _store(contacts, dense, n)
    return SOLVED if worst <= accuracy else IMPROVED


@inner_kernel
def _gather(contacts, movers, joined, dense, first):
    """List the contacts of an island with their velocities and answers; -1 if they are too many."""
    row, mark = contacts.row, contacts.mark
    n = 0
    c = first
    while c >= 0:
        if n == len(dense.contact):
            return -1
        dense.contact[n] = c
        n += 1
        c = mark[c, NEXT]
    for k in range(n):
        c = dense.contact[k]
        i1, i2 = mark[c, BODY1], mark[c, BODY2]
        r1, r2 = vec3_in(row, c, ARM1), vec3_in(row, c, ARM2)
        u = vec3_in(row, c, OFFSET) + vec3_at(movers.velocity, i2) - vec3_at(movers.velocity, i1)
        u = u + cross_matrix(vec3_at(movers.spin, i2)) @ r2
        u = u - cross_matrix(vec3_at(movers.spin, i1)) @ r1
        if mark[c, JOINED] >= 0:
            u = u + vec3_at(joined.velocity, mark[c, JOINED])
        put_vec3_in(dense.velocity, k, 0, u)
        put_vec3_in(dense.impulse, k, 0, vec3_in(row, c, IMPULSE))
        put_vec3_in(row, c, BEFORE_SWEEP, vec3_in(row, c, IMPULSE))
        for m in range(n):
            _put_answer(contacts, movers, joined, dense, k, m)
    return n


@inlined_kernel
def _put_answer(contacts, movers, joined, dense, k, m):
    """Answer of contact k to an impulse at contact m."""
    row, mark = contacts.row, contacts.mark
    c, e = dense.contact[k], dense.contact[m]
    j, l = mark[c, JOINED], mark[e, JOINED]
    for a in range(3):
        for b in range(3):
            both = j >= 0 and l >= 0
            dense.answer[3 * k + a, 3 * m + b] = (
                joined.answer[3 * j + a, 3 * l + b] if both else 0.0
            )
    for side in range(2):
        i = mark[c, BODY2] if side else mark[c, BODY1]
        for other in range(2):
            if movers.inverse_mass[i] == 0.0 or i != (mark[e, BODY2] if other else mark[e, BODY1]):
                continue
            sign = 1.0 if side == other else -1.0
            r = cross_matrix(vec3_in(row, c, ARM2 if side else ARM1))
            s = cross_matrix(vec3_in(row, e, ARM2 if other else ARM1))
            A = r @ (mat3_at(movers.inverse_inertia, i) @ s)
            w = sign * movers.inverse_mass[i]
            _add_block(dense.answer, 3 * k, 3 * m, A * -sign, w)


@inlined_kernel
def _add_block(matrix, row, column, A, w):
    """Add A + w·1 to a block of a matrix."""
    matrix[row, column] += A.xx + w
    matrix[row, column + 1] += A.xy
    matrix[row, column + 2] += A.xz
    matrix[row + 1, column] += A.yx
    matrix[row + 1, column + 1] += A.yy + w
    matrix[row + 1, column + 2] += A.yz
    matrix[row + 2, column] += A.zx
    matrix[row + 2, column + 1] += A.zy
    matrix[row + 2, column + 2] += A.zz + w


@inner_kernel
def _residual(contacts, dense, n, share):
    """Largest ‖p - P(p - ρu)‖/ρ [m/s] after a share of the Newton step."""
    row = contacts.row
    worst = 0.0
    for k in range(n):
        c = dense.contact[k]
        normal = vec3_in(row, c, NORMAL)
        p = vec3_in(dense.impulse, k, 0) + share * vec3_in(dense.change, k, 0)
        u = vec3_in(dense.velocity, k, 0) + share * vec3_in(dense.push, k, 0)
        w = _softness(row, c)
        z = p - u * (1.0 / w)
        z_n = max(dot(normal, z), row[c, FLOOR])
        across = in_disc(z - normal * dot(normal, z), row[c, FRICTION] * max(dot(normal, p), 0.0))
        size = norm(p - normal * z_n - across) * w
        if not (size <= worst):
            worst = size if size == size else 1e300
    return worst


@inner_kernel
def _softness(row, c):
    """1/ρ of a contact: the mean answer to its own impulse."""
    W = mat3_in(row, c, BLOCK)
    return (W.xx + W.yy + W.zz) / 3.0


@inner_kernel
def _newton_system(contacts, dense, n):
    """Fill dense.matrix with the linear system of the Newton step."""
    for k in range(n):
        c = dense.contact[k]
        w = _softness(contacts.row, c)
        normal = vec3_in(contacts.row, c, NORMAL)
        p, u = vec3_in(dense.impulse, k, 0), vec3_in(dense.velocity, k, 0)
        A, B, f = _law_piece(normal, p, u, w, contacts.row[c, FRICTION], contacts.row[c, FLOOR])
        for m in range(n):
            W = _block(dense.answer, 3 * k, 3 * m)
            M = A @ W
            if m == k:
                M = M + B * w + Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0) * (w * _SOFTNESS)
            _put_block(dense.matrix, 3 * k, 3 * m, M)
        dense.matrix[3 * k, 3 * n] = f.x
        dense.matrix[3 * k + 1, 3 * n] = f.y
        dense.matrix[3 * k + 2, 3 * n] = f.z


@inner_kernel
def _law_piece(n, p, u, w, friction, floor):
    """The piece of the law on which z = p - u/w lies: A Δu + w B Δp = f [m/s]."""
    one = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    zero = one * 0.0
    z = p - u * (1.0 / w)
    z_n = dot(n, z)
    N = _outer(n, n)
    T = one - N
    p_n = max(dot(n, p), 0.0)
    bears = z_n > floor
    A = N if bears else zero
    B = zero if bears else N
    f = n * (-dot(n, u)) if bears else n * ((floor - dot(n, p)) * w)
    across = z - n * z_n
    size = norm(across)
    radius = friction * p_n
    if size <= radius and p_n > 0.0:  # sticks
        return A + T, B, f - (u - n * dot(n, u))
    if size == 0.0 or (p_n == 0.0 and not bears):
        return A, B + T, f - (p - n * dot(n, p)) * w
    d = across * (1.0 / size)
    # p_t = μ p_n d, where d turns with z: δd = (1 - d dᵀ) δz_t / ‖z_t‖
    P = (T - _outer(d, d)) * (min(radius / size, 1.0))
    gap = p - n * dot(n, p) - d * radius
    return A + P, B + T - _outer(d, n) * friction - P, f - gap * w


@inner_kernel
def _outer(a, b):
    """A bᵀ"""
    return Mat3(
        a.x * b.x, a.x * b.y, a.x * b.z,
        a.y * b.x, a.y * b.y, a.y * b.z,
        a.z * b.x, a.z * b.y, a.z * b.z,
    )  # fmt: skip


@inner_kernel
def _block(matrix, row, column):
    return Mat3(
        matrix[row, column], matrix[row, column + 1], matrix[row, column + 2],
        matrix[row + 1, column], matrix[row + 1, column + 1], matrix[row + 1, column + 2],
        matrix[row + 2, column], matrix[row + 2, column + 1], matrix[row + 2, column + 2],
    )  # fmt: skip


@inner_kernel
def _put_block(matrix, row, column, A):
    matrix[row, column], matrix[row, column + 1], matrix[row, column + 2] = A.xx, A.xy, A.xz
    row += 1
    matrix[row, column], matrix[row, column + 1], matrix[row, column + 2] = A.yx, A.yy, A.yz
    row += 1
    matrix[row, column], matrix[row, column + 1], matrix[row, column + 2] = A.zx, A.zy, A.zz


@inner_kernel
def _eliminate(matrix, n):
    """Solve the system of n rows, whose last column is the right-hand side, into that column.

    Gaussian elimination with partial pivoting; False if it is singular.
    """
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(matrix[i, k]) > abs(matrix[pivot, k]):
                pivot = i
        if not (abs(matrix[pivot, k]) > 0.0):
            return False
        if pivot != k:
            for j in range(k, n + 1):
                matrix[k, j], matrix[pivot, j] = matrix[pivot, j], matrix[k, j]
        inverse = 1.0 / matrix[k, k]
        for i in range(k + 1, n):
            factor = matrix[i, k] * inverse
            if factor != 0.0:
                for j in range(k + 1, n + 1):
                    matrix[i, j] -= factor * matrix[k, j]
    for k in range(n - 1, -1, -1):
        x = matrix[k, n]
        for j in range(k + 1, n):
            x -= matrix[k, j] * matrix[j, n]
        matrix[k, n] = x / matrix[k, k]
    return True


@inner_kernel
def _push_of_change(dense, n):
    """W times the Newton step."""
    for i in range(3 * n):
        total = 0.0
        for k in range(n):
            for axis in range(3):
                total += dense.answer[i, 3 * k + axis] * dense.change[k, axis]
        dense.push[i // 3, i % 3] = total


@inner_kernel
def _store(contacts, dense, n):
    """Keep the impulses, within their cones."""
    row = contacts.row
    for k in range(n):
        c = dense.contact[k]
        normal, p = vec3_in(row, c, NORMAL), vec3_in(dense.impulse, k, 0)
        p_n = max(dot(normal, p), row[c, FLOOR])
        across = in_disc(p - normal * dot(normal, p), row[c, FRICTION] * p_n)
        put_vec3_in(row, c, IMPULSE, normal * p_n + across)
