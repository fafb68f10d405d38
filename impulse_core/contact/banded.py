"""The linear system of a Newton step over the bodies of an island, none of which is jointed.

With the law of each contact linear, Δp = g - K Δu, and Δu = G Δv, the velocities follow from

    (M + Gᵀ K G) Δv = Gᵀ g                                         (docs/algorithm.md, section 11)

with blocks of six rows that are filled only where two bodies touch, near the diagonal in the order
of body_order.py. What resists turning at a contact, Δt = g - K Δω - E Δp, adds to the same blocks.
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
from impulse_core.contact.law import effective_inverse_mass, law_piece, solved_piece, turning_piece
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel

__all__ = ["banded_push", "banded_step"]


@deferred_kernel("boolean")
def banded_step(contacts, solver_bodies, work, n, items, size, proximal, agreed):
    """Put the Newton step of the impulses at n contacts, and of what resists turning in the rows
    that follow, with a proximal term, into their change; False if the system is singular.

    ``size``: bodies and bandwidth. Where ``agreed``, it is without what contacts contradict each
    other by (77).
    """
    bodies, bandwidth = size
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
    for k in range(n, items):
        _add_turning(contacts, solver_bodies, work, k, width, half, proximal)
    if not eliminate(matrix, bodies, bandwidth):
        return False
    _find_step(contacts, solver_bodies, work, n, items, size)
    if agreed:
        for k in range(items):
            g, p = vec3_of(work.row[k].load), vec3_of(work.row[k].change)
            set_vec3(work.row[k].load, g - mat3_of(work.row[k].softness) @ p)
        _find_step(contacts, solver_bodies, work, n, items, size)
    return True


@inner_kernel
def _find_step(contacts, solver_bodies, work, n, items, size):
    """The change of the impulses, Δp = g - K Δu and Δt = g - K Δω - E Δp, with the system that was
    eliminated.
    """
    (bodies, bandwidth), right = size, work.right
    for k in range(6 * bodies):
        right[k] = 0.0
    for k in range(n):
        _add_momentum(contacts, solver_bodies, work, k, vec3_of(work.row[k].load))
    for k in range(n, items):
        g = vec3_of(work.row[work.mark[k].place].load)
        t = vec3_of(work.row[k].load) - mat3_of(work.row[k].coupling) @ g
        _add_angular_momentum(contacts, solver_bodies, work, k, t)
    substitute(work.matrix, right, bodies, bandwidth)
    for k in range(n):
        u = _relative(contacts, solver_bodies, work, k)
        p = vec3_of(work.row[k].load) - mat3_of(work.row[k].stiffness) @ u
        set_vec3(work.row[k].change, p)
    for k in range(n, items):
        turn = _relative_turning(contacts, solver_bodies, work, k)
        t = vec3_of(work.row[k].load) - mat3_of(work.row[k].stiffness) @ turn
        p = vec3_of(work.row[work.mark[k].place].change)
        set_vec3(work.row[k].change, t - mat3_of(work.row[k].coupling) @ p)


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
def _add_turning(contacts, solver_bodies, work, k, width, half, proximal):
    """Add what resists turning, row k, to the system: Δt = g - K Δω - E Δp, Δp of its contact."""
    c, place = work.mark[k].contact, work.mark[k].place
    row, n = contacts.row[c], vec3_of(contacts.row[c].normal)
    A, B, C, f = turning_piece(
        n,
        vec3_of(work.row[k].trial),
        vec3_of(work.row[k].rate),
        work.row[k].inverse,
        row.rolling,
        row.torsion,
        max(dot(n, vec3_of(work.row[place].trial)), 0.0),
        proximal,
    )
    w, B = 1.0 / work.row[k].inverse, inverse(B)
    K, E = B @ A * w, B @ C
    set_mat3(work.row[k].stiffness, K)
    set_mat3(work.row[k].coupling, E)
    set_vec3(work.row[k].load, (B @ f) * w)
    set_mat3(work.row[k].softness, B * proximal)
    Q = E @ mat3_of(work.row[place].stiffness) * -1.0
    for side in range(2):
        a = _place(contacts, solver_bodies, c, side)
        if a < 0:
            continue
        for other in range(2):
            b = _place(contacts, solver_bodies, c, other)
            if b < 0:
                continue
            sign = 1.0 if side == other else -1.0
            arm = vec3_of(row.arm2 if other else row.arm1)
            _add_block(work.matrix, width, half, a + 3, b, Q * sign)
            _add_block(work.matrix, width, half, a + 3, b + 3, (K + _by_turning(Q, arm)) * sign)


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
def _add_angular_momentum(contacts, solver_bodies, work, k, t):
    """The same of a torque impulse t in row k."""
    c = work.mark[k].contact
    a, b = _place(contacts, solver_bodies, c, 0), _place(contacts, solver_bodies, c, 1)
    if a >= 0:
        _add_vec3(work.right, a + 3, -t)
    if b >= 0:
        _add_vec3(work.right, b + 3, t)


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
def _relative_turning(contacts, solver_bodies, work, k):
    """The same of the relative angular velocity at row k."""
    c, right, w = work.mark[k].contact, work.right, ZERO3
    a, b = _place(contacts, solver_bodies, c, 0), _place(contacts, solver_bodies, c, 1)
    if b >= 0:
        w = w + Vec3(right[b + 3], right[b + 4], right[b + 5])
    if a >= 0:
        w = w - Vec3(right[a + 3], right[a + 4], right[a + 5])
    return w


@inner_kernel
def banded_push(contacts, solver_bodies, work, n, items, bodies):
    """Put the change of the relative velocities by that of the impulses into their push."""
    right = work.right
    for k in range(6 * bodies):
        right[k] = 0.0
    for k in range(n):
        _add_momentum(contacts, solver_bodies, work, k, vec3_of(work.row[k].change))
    for k in range(n, items):
        _add_angular_momentum(contacts, solver_bodies, work, k, vec3_of(work.row[k].change))
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
    for k in range(n, items):
        set_vec3(work.row[k].push, _relative_turning(contacts, solver_bodies, work, k))
