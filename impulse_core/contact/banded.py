"""The linear system of a Newton step over the bodies of an island, none of which is jointed.

With the law of each contact linear, Δp = g - K Δu, and Δu = G Δv, the velocities follow from

    (M + Gᵀ K G) Δv = Gᵀ g                                         (docs/algorithm.md, section 11)

with blocks of six rows that are filled only where two bodies touch (pair_blocks.py), near the
diagonal in the order of body_order.py. What resists turning at a contact, Δt = g - K Δω - E Δp,
adds to the same blocks.

Contacts of the same two bodies follow each other in the list, mostly. What moves them is found
once for all of them: u = v + w × r with the motion of the second body against that of the first.
"""

from __future__ import annotations

from impulse_core.algebra import ZERO3, Vec3, cross, inverse, mat3_of, set_vec3, vec3_of
from impulse_core.contact.block_band import eliminate, half_of, substitute
from impulse_core.contact.newton_rows import put_changes
from impulse_core.contact.pair_blocks import add_inertia, add_pair, add_turning, end_of_pair
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel

__all__ = ["banded_push", "banded_step"]


@deferred_kernel("boolean")
def banded_step(solver_bodies, work, n, items, size, proximal, agreed, begins):
    """Put the Newton step of the impulses at n contacts, and of what resists turning in the rows
    that follow, with a proximal term, into their change; False if the system is singular.

    ``size``: bodies and bandwidth. Where ``agreed``, it is without what contacts contradict each
    other by (77). Where it begins ANEW, it leads to the least impulses that do the same, of
    contacts that stick (81); where HELD, all that bear do.
    """
    bodies, bandwidth = size
    half = half_of(bandwidth)
    matrix = work.matrix
    for k in range(6 * bodies * (2 * half + 1)):
        matrix[k] = 0.0
    for k in range(bodies):
        body = solver_bodies.row[work.order[k]]
        J = inverse(mat3_of(body.inverse_inertia))
        add_inertia(matrix, half, 6 * k, 1.0 / body.inverse_mass, J)
    k = 0
    while k < n:
        end = end_of_pair(work, k, n)
        add_pair(work, k, end, half, proximal, begins)
        k = end
    for k in range(n, items):
        add_turning(work, k, half, proximal)
    if not eliminate(matrix, bodies, bandwidth):
        return False
    _find_step(work, n, items, bodies, bandwidth)
    if agreed:
        for k in range(items):
            g, p = vec3_of(work.row[k].load), vec3_of(work.row[k].change)
            set_vec3(work.row[k].load, g - mat3_of(work.row[k].softness) @ p)
        _find_step(work, n, items, bodies, bandwidth)
    return True


@inner_kernel
def _find_step(work, n, items, bodies, bandwidth):
    """The change of the impulses, Δp = g - K Δu and Δt = g - K Δω - E Δp, with the system that was
    eliminated.
    """
    _put_momenta(work, n, items, bodies, True)
    substitute(work.matrix, work.right, bodies, bandwidth)
    _find_pushes(work, n, items)
    put_changes(work, n, items)


@inner_kernel
def banded_push(solver_bodies, work, n, items, bodies):
    """Put the change of the relative velocities by that of the impulses into their push."""
    right = work.right
    _put_momenta(work, n, items, bodies, False)
    for k in range(bodies):
        body, a = solver_bodies.row[work.order[k]], 6 * k
        _put_vec3(right, a, _vec3_at(right, a) * body.inverse_mass)
        _put_vec3(right, a + 3, mat3_of(body.inverse_inertia) @ _vec3_at(right, a + 3))
    _find_pushes(work, n, items)


@inlined_kernel
def _put_momenta(work, n, items, bodies, loads):
    """Put the momenta that bodies get from the changes of all impulses into the right-hand side, or
    from those at the present velocities, g.
    """
    right = work.right
    for k in range(6 * bodies):
        right[k] = 0.0
    k = 0
    while k < n:
        end, P, L = end_of_pair(work, k, n), ZERO3, ZERO3
        for c in range(k, end):
            row = work.row[c]
            p = vec3_of(row.load) if loads else vec3_of(row.change)
            P, L = P + p, L + cross(vec3_of(row.arm), p)
        _push_pair(work, k, P, L)
        k = end
    for k in range(n, items):
        row = work.row[k]
        if loads:
            g = vec3_of(work.row[work.mark[k].place].load)
            t = vec3_of(row.load) - mat3_of(row.coupling) @ g
        else:
            t = vec3_of(row.change)
        _push_pair(work, k, ZERO3, t)


@inlined_kernel
def _push_pair(work, k, P, L):
    """Give the bodies of row k momentum, and angular momentum about where arms begin."""
    right, a, b = work.right, work.mark[k].places[0], work.mark[k].places[1]
    if b >= 0:
        _put_vec3(right, b, _vec3_at(right, b) + P)
        _put_vec3(right, b + 3, _vec3_at(right, b + 3) + L)
        L = L + cross(vec3_of(work.row[k].apart), P)
    if a >= 0:
        _put_vec3(right, a, _vec3_at(right, a) - P)
        _put_vec3(right, a + 3, _vec3_at(right, a + 3) - L)


@inlined_kernel
def _find_pushes(work, n, items):
    """Put the relative velocities that the velocities in the right-hand side make into the pushes
    of all rows.
    """
    k = 0
    while k < n:
        end = end_of_pair(work, k, n)
        v, w = _motion_of_pair(work, k)
        for c in range(k, end):
            set_vec3(work.row[c].push, v + cross(w, vec3_of(work.row[c].arm)))
        k = end
    for k in range(n, items):
        _, w = _motion_of_pair(work, k)
        set_vec3(work.row[k].push, w)


@inlined_kernel
def _motion_of_pair(work, k):
    """Velocity of the second body of row k against the first where arms begin, and the angular
    one.
    """
    right, a, b = work.right, work.mark[k].places[0], work.mark[k].places[1]
    v, w = ZERO3, ZERO3
    if a >= 0:
        v, w = -_vec3_at(right, a), -_vec3_at(right, a + 3)
    if b >= 0:
        v = v + cross(w, vec3_of(work.row[k].apart)) + _vec3_at(right, b)
        w = w + _vec3_at(right, b + 3)
    return v, w


@inlined_kernel
def _vec3_at(array, k):
    """Three numbers of an array."""
    return Vec3(array[k], array[k + 1], array[k + 2])


@inlined_kernel
def _put_vec3(array, k, a):
    """Put a into three numbers of an array."""
    array[k], array[k + 1], array[k + 2] = a.x, a.y, a.z
