"""The linear system of a Newton step over the bodies of an island, none of which is jointed.

With the law of each contact linear, Δp = g - K Δu, and Δu = G Δv, the velocities follow from

    (M + Gᵀ K G) Δv = Gᵀ g                                         (docs/algorithm.md, section 11)

with blocks of six rows that are filled only where two bodies touch. In the order in which one
reaches them from an end of the island these lie near the diagonal (Cuthill and McKee 1969): the
cost grows as the number of bodies in a tower, however high.
"""

from __future__ import annotations

from impulse_core.algebra import (
    IDENTITY3,
    ZERO3,
    Vec3,
    cross,
    cross_matrix,
    inverse,
    mat3_of,
    set_mat3,
    set_vec3,
    vec3_of,
)
from impulse_core.contact.block_band import eliminate, half_of, substitute
from impulse_core.contact.law import effective_inverse_mass, law_piece
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel

__all__ = ["banded_push", "banded_step", "order_bodies"]


@deferred_kernel("int64", "int64")
def order_bodies(contacts, solver_bodies, work, n):
    """Give the free bodies of an island places near those of the bodies they touch.

    Returns how many there are, and the largest difference of the places of two that touch.
    """
    mark, solver_body, link = contacts.mark, solver_bodies.mark, work.mark
    for k in range(n):
        for side in range(2):
            c = link[k].contact
            i = mark[c].body2 if side else mark[c].body1
            if solver_bodies.row[i].inverse_mass > 0.0:
                solver_body[i].place = -1
                solver_body[i].link = -1
    start = -1
    for k in range(n - 1, -1, -1):
        for side in range(2):
            c = link[k].contact
            i = mark[c].body2 if side else mark[c].body1
            if solver_bodies.row[i].inverse_mass > 0.0:
                link[k].links[side] = solver_body[i].link
                solver_body[i].link = 2 * k + side
                start = i
    count = 0
    for _ in range(2):  # from anywhere, then from the farthest body
        for k in range(count):
            solver_body[work.order[k]].place = -1
        count = _spread(mark, solver_bodies, work, start)
        start = work.order[count - 1]
    bandwidth = 0
    for k in range(n):
        a = solver_body[mark[link[k].contact].body1].place
        b = solver_body[mark[link[k].contact].body2].place
        if a >= 0 and b >= 0:
            bandwidth = max(bandwidth, abs(a - b))
    return count, bandwidth


@inner_kernel
def _spread(mark, solver_bodies, work, start):
    """Places in the order in which contacts lead to bodies; returns how many were reached."""
    solver_body, link, order = solver_bodies.mark, work.mark, work.order
    order[0] = start
    solver_body[start].place = 0
    count = 1
    done = 0
    while done < count:
        e = solver_body[order[done]].link
        while e >= 0:
            k, side = e >> 1, e & 1
            c = link[k].contact
            i = mark[c].body1 if side else mark[c].body2
            if solver_bodies.row[i].inverse_mass > 0.0 and solver_body[i].place < 0:
                solver_body[i].place = count
                order[count] = i
                count += 1
            e = link[k].links[side]
        done += 1
    return count


@deferred_kernel("boolean")
def banded_step(contacts, solver_bodies, work, n, bodies, bandwidth, proximal, agreed):
    """Put the Newton step of the impulses, with a proximal term, into their change; False if the
    system is singular. Where ``agreed``, it is without what contacts contradict each other by (77).
    """
    half = half_of(bandwidth)
    width = 2 * half + 1
    matrix = work.matrix
    for k in range(6 * bodies * width):
        matrix[k] = 0.0
    for k in range(bodies):
        i = work.order[k]
        m = 1.0 / solver_bodies.row[i].inverse_mass
        _add_block(matrix, width, half, 6 * k, 6 * k, IDENTITY3 * m)
        J = inverse(mat3_of(solver_bodies.row[i].inverse_inertia))
        _add_block(matrix, width, half, 6 * k + 3, 6 * k + 3, J)
    for k in range(n):
        _add_contact(contacts, solver_bodies, work, k, width, half, proximal)
    if not eliminate(matrix, bodies, bandwidth):
        return False
    _find_step(contacts, solver_bodies, work, n, bodies, bandwidth)
    if agreed:
        for k in range(n):
            g, p = vec3_of(work.row[k].load), vec3_of(work.row[k].change)
            set_vec3(work.row[k].load, g - mat3_of(work.row[k].softness) @ p)
        _find_step(contacts, solver_bodies, work, n, bodies, bandwidth)
    return True


@inner_kernel
def _find_step(contacts, solver_bodies, work, n, bodies, bandwidth):
    """The change of the impulses, Δp = g - K Δu with the system that was eliminated."""
    right = work.right
    for k in range(6 * bodies):
        right[k] = 0.0
    for k in range(n):
        _add_momentum(contacts, solver_bodies, work, k, vec3_of(work.row[k].load))
    substitute(work.matrix, right, bodies, bandwidth)
    for k in range(n):
        u = _relative(contacts, solver_bodies, work, k)
        p = vec3_of(work.row[k].load) - mat3_of(work.row[k].stiffness) @ u
        set_vec3(work.row[k].change, p)


@inlined_kernel
def _add_contact(contacts, solver_bodies, work, k, width, half, proximal):
    """Add contact k, its law linear at the present impulse, to the system."""
    c = work.mark[k].contact
    row = contacts.row
    w = effective_inverse_mass(row, c)
    A, B, f = law_piece(
        vec3_of(row[c].normal),
        vec3_of(work.row[k].trial),
        vec3_of(work.row[k].rate),
        w,
        row[c].friction,
        row[c].min_impulse,
        proximal,
    )
    C = inverse(B * w)  # law_piece keeps it from being singular
    K = C @ A
    set_mat3(work.row[k].stiffness, K)
    set_vec3(work.row[k].load, C @ f)
    set_mat3(work.row[k].softness, C * (proximal * w))
    if A.xx + A.yy + A.zz == 0.0:  # open: no part of the projection A is in the system
        return
    for side in range(2):
        a = _place(contacts, solver_bodies, c, side)
        if a < 0:
            continue
        R = cross_matrix(vec3_of(row[c].arm2 if side else row[c].arm1))
        for other in range(2):
            b = _place(contacts, solver_bodies, c, other)
            if b < 0:
                continue
            Q = K if side == other else K * -1.0
            _add_block(work.matrix, width, half, a, b, Q)
            _add_block(work.matrix, width, half, a + 3, b, R @ Q)
            Q = Q @ cross_matrix(vec3_of(row[c].arm2 if other else row[c].arm1)) * -1.0
            _add_block(work.matrix, width, half, a, b + 3, Q)
            _add_block(work.matrix, width, half, a + 3, b + 3, R @ Q)


@inlined_kernel
def _add_momentum(contacts, solver_bodies, work, k, p):
    """Add what an impulse p at contact k gives its bodies to the right-hand side."""
    c = work.mark[k].contact
    for side in range(2):
        a = _place(contacts, solver_bodies, c, side)
        if a >= 0:
            force = p if side else -p
            r = vec3_of(contacts.row[c].arm2 if side else contacts.row[c].arm1)
            _add_vec3(work.right, a, force)
            _add_vec3(work.right, a + 3, cross(r, force))


@inlined_kernel
def _place(contacts, solver_bodies, c, side):
    """First row of the first or second body of contact c in the system, negative if it is fixed."""
    i = contacts.mark[c].body2 if side else contacts.mark[c].body1
    return 6 * solver_bodies.mark[i].place


@inlined_kernel
def _add_vec3(array, k, a):
    """Add a to three numbers of an array."""
    array[k] += a.x
    array[k + 1] += a.y
    array[k + 2] += a.z


@inner_kernel
def _add_block(matrix, width, half, row, column, A):
    """Add A to a block of the banded matrix."""
    k = row * width + column - row + half
    matrix[k] += A.xx
    matrix[k + 1] += A.xy
    matrix[k + 2] += A.xz
    k += width - 1
    matrix[k] += A.yx
    matrix[k + 1] += A.yy
    matrix[k + 2] += A.yz
    k += width - 1
    matrix[k] += A.zx
    matrix[k + 1] += A.zy
    matrix[k + 2] += A.zz


@inner_kernel
def _relative(contacts, solver_bodies, work, k):
    """Relative velocity at contact k for the velocities of the bodies in work.right."""
    c = work.mark[k].contact
    right = work.right
    u = ZERO3
    for side in range(2):
        a = _place(contacts, solver_bodies, c, side)
        if a >= 0:
            v = Vec3(right[a], right[a + 1], right[a + 2])
            w = Vec3(right[a + 3], right[a + 4], right[a + 5])
            v = v + cross(w, vec3_of(contacts.row[c].arm2 if side else contacts.row[c].arm1))
            u = u + v if side else u - v
    return u


@inner_kernel
def banded_push(contacts, solver_bodies, work, n, bodies):
    """Put the change of the relative velocities by that of the impulses into their push."""
    right = work.right
    for k in range(6 * bodies):
        right[k] = 0.0
    for k in range(n):
        _add_momentum(contacts, solver_bodies, work, k, vec3_of(work.row[k].change))
    for k in range(bodies):
        i = work.order[k]
        a = 6 * k
        for axis in range(3):
            right[a + axis] *= solver_bodies.row[i].inverse_mass
        L = Vec3(right[a + 3], right[a + 4], right[a + 5])
        w = mat3_of(solver_bodies.row[i].inverse_inertia) @ L
        right[a + 3], right[a + 4], right[a + 5] = w.x, w.y, w.z
    for k in range(n):
        set_vec3(work.row[k].push, _relative(contacts, solver_bodies, work, k))
