"""Contact Jacobian: normals and arms at the present poses, and velocities along them.

Conventions (docs/algorithm.md, section 11): an impulse p acts on body 2 and -p on body 1 at the
same point x, the middle between the two surfaces, so that both momenta are conserved to round-off.
The relative velocity is u = v2 + ω2 × r2 - v1 - ω1 × r1, and Δu = W p for an impulse at the point
alone.
"""

from __future__ import annotations

from impulse_core.algebra import (
    IDENTITY3,
    ZERO3,
    cross,
    cross_matrix,
    dot,
    inverse,
    mat3_of,
    put_vec3,
    quat_of,
    rotation_matrix,
    set_mat3,
    set_vec3,
    similarity,
    vec3_at,
    vec3_of,
)
from impulse_core.collision.geometry import contact_geometry
from impulse_core.contact.delassus import delassus_block
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = [
    "contact_direction",
    "contact_velocity",
    "diagonal_block",
    "diagonal_blocks",
    "inertia_of_solver_bodies",
    "normal_inverse_mass",
    "number_articulated",
    "own_block",
    "read_bodies",
    "read_body",
    "relative_angular_velocity",
    "relative_velocity",
]

_RIGID = 1e-9  # of the inverse mass of two bodies alone: what joints leave of it counts as none
_YIELD = 1e-6  # of the same


@inner_kernel
def contact_direction(contacts, c, motion):
    """Gap, normal and arms of contact c at the present poses. Returns its points on both cores."""
    row, mark = contacts.row[c], contacts.mark[c]
    n, A, B, gap = contact_geometry(contacts, c, motion.states)
    x = 0.5 * (A + n * row.radius1 + B - n * row.radius2)
    row.gap = gap
    set_vec3(row.normal, n)
    set_vec3(row.arm1, x - vec3_of(motion.states[mark.body1].position))
    set_vec3(row.arm2, x - vec3_of(motion.states[mark.body2].position))
    return A, B


@inner_kernel
def inertia_of_solver_bodies(solver_bodies, motion):
    """Their inverse inertia at the present poses, where no joint holds them."""
    for i in range(motion.dynamic):
        if not solver_bodies.mark[i].jointed:
            R = rotation_matrix(quat_of(motion.states[i].orientation))
            J = similarity(R, vec3_of(motion.bodies[i].inverse_inertia))
            set_mat3(solver_bodies.row[i].inverse_inertia, J)


@inner_kernel
def contact_velocity(contacts, c, motion):
    """Save the relative velocity of contact c before the impulses of a half step."""
    row = contacts.row[c]
    set_vec3(row.before, relative_velocity(contacts, c, motion))
    if row.resists > 0.0:
        set_vec3(row.turn_before, relative_angular_velocity(contacts, c, motion))


@inner_kernel
def relative_velocity(contacts, c, motion):
    """u of contact c."""
    i1, i2 = contacts.mark[c].body1, contacts.mark[c].body2
    w1, w2 = vec3_at(motion.angular_velocity, i1), vec3_at(motion.angular_velocity, i2)
    u = vec3_of(motion.states[i2].velocity) + cross(w2, vec3_of(contacts.row[c].arm2))
    return u - vec3_of(motion.states[i1].velocity) - cross(w1, vec3_of(contacts.row[c].arm1))


@inner_kernel
def relative_angular_velocity(contacts, c, motion):
    """Angular velocity of body 2 relative to body 1."""
    w1 = vec3_at(motion.angular_velocity, contacts.mark[c].body1)
    return vec3_at(motion.angular_velocity, contacts.mark[c].body2) - w1


@inner_kernel
def number_articulated(contacts, solver_bodies, delassus, needed):
    """Number the active contacts on jointed bodies; False if there would not be room for those that
    wait as well, of which needed[1] then tells.
    """
    mark, total = contacts.mark, 0
    count = delassus.used[0] = delassus.known[0] = 0
    if len(delassus.probe.joints) == 0:  # and all rows are -1
        return True
    for c in range(contacts.used[0]):
        mark[c].delassus_row = -1
        jointed = (
            solver_bodies.mark[mark[c].body1].jointed or solver_bodies.mark[mark[c].body2].jointed
        )
        if not jointed:
            continue
        total += 1
        if mark[c].active and total <= len(delassus.contact):
            mark[c].delassus_row = count
            delassus.contact[count] = c
            count += 1
    delassus.used[0] = count
    if total > len(delassus.contact):
        needed[1] = total
        return False
    return True


@inner_kernel
def diagonal_blocks(contacts, solver_bodies, delassus, i):
    """W of the contacts of island i and its inverse; needs the Delassus operator."""
    c = solver_bodies.mark[i].head
    while c >= 0:
        diagonal_block(contacts, solver_bodies, delassus, c)
        c = contacts.mark[c].next


@inner_kernel
def diagonal_block(contacts, solver_bodies, delassus, c):
    """W of contact c and its inverse."""
    row, mark = contacts.row, contacts.mark
    W = own_block(contacts, solver_bodies, c)
    k = mark[c].delassus_row
    if k >= 0:
        bodies = solver_bodies.row
        w = bodies[mark[c].body1].inverse_mass_alone + bodies[mark[c].body2].inverse_mass_alone
        W = _yielding(W + delassus_block(delassus.linear, 3 * k, 3 * k), w)
    set_mat3(row[c].block, W)
    set_mat3(row[c].block_inverse, inverse(W))


@inner_kernel
def _yielding(W, w):
    """W, with a little of the inverse mass w on its diagonal where joints let the contact give way
    in some directions only: no impulse changes the velocity along the others.
    """
    # sums of the eigenvalues by ones, twos and threes: one or two of them are none where the next
    # is not far above the last
    ones = W.xx + W.yy + W.zz
    xx, yy, zz = W.yy * W.zz - W.yz * W.zy, W.xx * W.zz - W.xz * W.zx, W.xx * W.yy - W.xy * W.yx
    twos = xx + yy + zz
    threes = W.xx * xx + W.xy * (W.yz * W.zx - W.yx * W.zz) + W.xz * (W.yx * W.zy - W.yy * W.zx)
    none = _RIGID * w
    if ones > none and twos > none * ones and threes > none * twos:
        return W
    return W + IDENTITY3 * (_YIELD * w)


@inner_kernel
def normal_inverse_mass(contacts, solver_bodies, c):
    """n·W n of contact c [1/kg], with what joints add where it has been solved for."""
    row, n = contacts.row[c], vec3_of(contacts.row[c].normal)
    if contacts.mark[c].delassus_row >= 0:
        return dot(n, mat3_of(row.block) @ n)
    return dot(n, own_block(contacts, solver_bodies, c) @ n)


@inner_kernel
def own_block(contacts, solver_bodies, c):
    """W of the bodies of contact c that no joint holds: Σ 1/m - [r]× J⁻¹ [r]×."""
    i1, i2 = contacts.mark[c].body1, contacts.mark[c].body2
    bodies = solver_bodies.row
    W = IDENTITY3 * (bodies[i1].inverse_mass + bodies[i2].inverse_mass)
    if bodies[i1].inverse_mass > 0.0:
        r = cross_matrix(vec3_of(contacts.row[c].arm1))
        W = W - r @ (mat3_of(bodies[i1].inverse_inertia) @ r)
    if bodies[i2].inverse_mass > 0.0:
        r = cross_matrix(vec3_of(contacts.row[c].arm2))
        W = W - r @ (mat3_of(bodies[i2].inverse_inertia) @ r)
    return W


@inner_kernel
def _articulated_velocity(contacts, solver_bodies, c, bodies, angular_velocity):
    """Part of the jointed bodies in the relative velocity of contact c."""
    i1, i2 = contacts.mark[c].body1, contacts.mark[c].body2
    u = ZERO3
    if solver_bodies.mark[i1].jointed:
        r = vec3_of(contacts.row[c].arm1)
        u = u - vec3_of(bodies[i1].velocity) - cross(vec3_at(angular_velocity, i1), r)
    if solver_bodies.mark[i2].jointed:
        r = vec3_of(contacts.row[c].arm2)
        u = u + vec3_of(bodies[i2].velocity) + cross(vec3_at(angular_velocity, i2), r)
    return u


@inner_kernel
def read_bodies(contacts, solver_bodies, delassus, motion):
    """Take the present velocities as those from which impulses are found."""
    for i in range(len(solver_bodies.row)):
        read_body(solver_bodies, i, motion)
    for k in range(delassus.used[0]):
        u = _articulated_velocity(
            contacts, solver_bodies, delassus.contact[k], motion.states, motion.angular_velocity
        )
        put_vec3(delassus.velocity, k, u + vec3_of(contacts.row[delassus.contact[k]].given))
        w = _articulated_angular_velocity(
            contacts, solver_bodies, delassus.contact[k], motion.angular_velocity
        )
        put_vec3(delassus.angular_velocity, k, w)


@inlined_kernel
def read_body(solver_bodies, i, motion):
    """Take the present velocities of body i; none of what joints hold."""
    free = not solver_bodies.mark[i].jointed
    set_vec3(solver_bodies.row[i].velocity, vec3_of(motion.states[i].velocity) if free else ZERO3)
    set_vec3(
        solver_bodies.row[i].angular_velocity,
        vec3_at(motion.angular_velocity, i) if free else ZERO3,
    )


@inner_kernel
def _articulated_angular_velocity(contacts, solver_bodies, c, angular_velocity):
    """Part of the jointed bodies in the relative angular velocity of contact c."""
    i1, i2 = contacts.mark[c].body1, contacts.mark[c].body2
    w = ZERO3
    if solver_bodies.mark[i1].jointed:
        w = w - vec3_at(angular_velocity, i1)
    if solver_bodies.mark[i2].jointed:
        w = w + vec3_at(angular_velocity, i2)
    return w
