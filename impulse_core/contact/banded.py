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
    Mat3,
    Vec3,
    cross,
    dot,
    inverse,
    mat3_of,
    set_mat3,
    set_vec3,
    vec3_of,
)
from impulse_core.contact.block_band import eliminate, half_of, substitute
from impulse_core.contact.islands import island_of
from impulse_core.contact.law import effective_inverse_mass, law_piece, solved_piece
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel

__all__ = ["banded_push", "banded_step", "order_bodies"]


@deferred_kernel("int64", "int64")
def order_bodies(contacts, solver_bodies, work, n):
    """Give the free bodies of an island places near those of the bodies they touch.

    Returns how many there are, and the largest difference of the places of two that touch. Towers
    and rows are often listed from one end to the other as they are.
    """
    count = _list_bodies(contacts, solver_bodies, work)
    bandwidth = _bandwidth(contacts, solver_bodies, work, n)
    if bandwidth <= 1:
        return count, bandwidth
    count = _reorder(contacts, solver_bodies, work, n)
    return count, _bandwidth(contacts, solver_bodies, work, n)


@inner_kernel
def _list_bodies(contacts, solver_bodies, work):
    """Give the free bodies of an island places in the order of their rows; how many there are."""
    solver_body = solver_bodies.mark
    body = solver_body[island_of(contacts.mark, solver_body, work.mark[0].contact)].first_body
    count = 0
    while body >= 0:
        if solver_bodies.row[body].inverse_mass > 0.0:
            solver_body[body].place = count
            work.order[count] = body
            count += 1
        body = solver_body[body].next_body
    return count


@inner_kernel
def _bandwidth(contacts, solver_bodies, work, n):
    """The largest difference of the places of two bodies that touch."""
    mark, solver_body, bandwidth = contacts.mark, solver_bodies.mark, 0
    for k in range(n):
        a = solver_body[mark[work.mark[k].contact].body1].place
        b = solver_body[mark[work.mark[k].contact].body2].place
        if a >= 0 and b >= 0:
            bandwidth = max(bandwidth, abs(a - b))
    return bandwidth


@inner_kernel
def _reorder(contacts, solver_bodies, work, n):
    """Give them places in the order in which one reaches them from an end; how many there are."""
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
    return count


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
    piece = law_piece(
        vec3_of(row[c].normal),
        vec3_of(work.row[k].trial),
        vec3_of(work.row[k].rate),
        w,
        row[c].friction,
        row[c].min_impulse,
        proximal,
    )
    K, C = solved_piece(piece)
    K, C = K * (1.0 / w), C * (1.0 / w)
    set_mat3(work.row[k].stiffness, K)
    set_vec3(work.row[k].load, C @ piece.right)
    set_mat3(work.row[k].softness, C * (proximal * w))
    if piece.a_n == 0.0 and piece.a_t == 0.0:  # open: no part of the projection is in the system
        return
    a, b = _place(contacts, solver_bodies, c, 0), _place(contacts, solver_bodies, c, 1)
    r1, r2 = vec3_of(row[c].arm1), vec3_of(row[c].arm2)
    if piece.a_n == piece.a_d == piece.a_t and piece.b_n == piece.b_d:  # sticks: K is a number
        _add_sticking(work.matrix, width, half, a, b, r1, r2, K.xx)
        return
    A1, A2 = _by_turning(K, r1), _by_turning(K, r2)
    if a >= 0:
        _add_pair(work.matrix, width, half, a, a, r1, K, A1)
    if b >= 0:
        _add_pair(work.matrix, width, half, b, b, r2, K, A2)
    if a >= 0 and b >= 0:
        K, A1, A2 = -K, -A1, -A2
        _add_pair(work.matrix, width, half, a, b, r1, K, A2)
        _add_pair(work.matrix, width, half, b, a, r2, K, A1)


@inlined_kernel
def _add_pair(matrix, width, half, row, column, r, Q, S):
    """Add Q and S, impulses by velocities and angular velocities of one body, to the rows of a body
    on which they act at r.
    """
    _add_block(matrix, width, half, row, column, Q)
    _add_block(matrix, width, half, row, column + 3, S)
    _add_block(matrix, width, half, row + 3, column, _crossed(r, Q))
    _add_block(matrix, width, half, row + 3, column + 3, _crossed(r, S))


@inlined_kernel
def _add_sticking(matrix, width, half, a, b, r1, r2, k):
    """The same for both bodies of a contact where Q = k·1, as those are of most."""
    if a >= 0:
        _add_stuck_pair(matrix, width, half, a, a, r1, r1, k)
    if b >= 0:
        _add_stuck_pair(matrix, width, half, b, b, r2, r2, k)
    if a >= 0 and b >= 0:
        _add_stuck_pair(matrix, width, half, a, b, r1, r2, -k)
        _add_stuck_pair(matrix, width, half, b, a, r2, r1, -k)


@inlined_kernel
def _add_stuck_pair(matrix, width, half, row, column, r, s, q):
    """q·1 for the velocity of a point at s of one body, on another body at r: q 1, -q [s]×, q [r]×
    and -q [r]× [s]× = q ((r·s) 1 - s rᵀ).
    """
    k = row * width + column - row + half
    f, g = s * q, r * q
    t = dot(f, r)
    matrix[k] += q
    matrix[k + 4] += f.z
    matrix[k + 5] -= f.y
    k += width - 1
    matrix[k + 1] += q
    matrix[k + 3] -= f.z
    matrix[k + 5] += f.x
    k += width - 1
    matrix[k + 2] += q
    matrix[k + 3] += f.y
    matrix[k + 4] -= f.x
    k += width - 1
    matrix[k + 1] -= g.z
    matrix[k + 2] += g.y
    matrix[k + 3] += t - f.x * r.x
    matrix[k + 4] -= f.x * r.y
    matrix[k + 5] -= f.x * r.z
    k += width - 1
    matrix[k] += g.z
    matrix[k + 2] -= g.x
    matrix[k + 3] -= f.y * r.x
    matrix[k + 4] += t - f.y * r.y
    matrix[k + 5] -= f.y * r.z
    k += width - 1
    matrix[k] -= g.y
    matrix[k + 1] += g.x
    matrix[k + 3] -= f.z * r.x
    matrix[k + 4] -= f.z * r.y
    matrix[k + 5] += t - f.z * r.z


@inlined_kernel
def _by_turning(Q, r):
    """-Q [r]×, by which the velocity of a point at r follows from the angular one."""
    return Mat3(
        Q.xz * r.y - Q.xy * r.z, Q.xx * r.z - Q.xz * r.x, Q.xy * r.x - Q.xx * r.y,
        Q.yz * r.y - Q.yy * r.z, Q.yx * r.z - Q.yz * r.x, Q.yy * r.x - Q.yx * r.y,
        Q.zz * r.y - Q.zy * r.z, Q.zx * r.z - Q.zz * r.x, Q.zy * r.x - Q.zx * r.y,
    )  # fmt: skip


@inlined_kernel
def _crossed(r, Q):
    """[r]× Q"""
    return Mat3(
        r.y * Q.zx - r.z * Q.yx, r.y * Q.zy - r.z * Q.yy, r.y * Q.zz - r.z * Q.yz,
        r.z * Q.xx - r.x * Q.zx, r.z * Q.xy - r.x * Q.zy, r.z * Q.xz - r.x * Q.zz,
        r.x * Q.yx - r.y * Q.xx, r.x * Q.yy - r.y * Q.xy, r.x * Q.yz - r.y * Q.xz,
    )  # fmt: skip


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
