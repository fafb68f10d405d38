"""The contacts' part of the look-ahead: what the prediction says each of them lacks.

In the first half of a step the law of a contact is about the mean velocity over the step: its
normal part is what the gap at t+h lacks to its target, over h, its tangential part the way that the
points would slide on each other, over h (docs/algorithm.md, section 11).
"""

from __future__ import annotations

from impulse_core.algebra import (
    ZERO3,
    dot,
    norm,
    put_vec3_in,
    quat_at,
    rotate,
    vec3_at,
    vec3_in,
)
from impulse_core.collision.contacts import (
    ACTIVE,
    BODY1,
    BODY2,
    CORE1,
    CORE2,
    FIRST,
    FLOOR,
    FRICTION,
    GAP,
    IMPULSE,
    KIND,
    NORMAL,
    OFFSET,
    PLANE_ELLIPSOID,
    PLANE_RIM,
    POINT2,
    RADIUS1,
    RADIUS2,
    ROLLING,
    TARGET,
    TURN_OFFSET,
)
from impulse_core.collision.geometry import contact_geometry, moved, turn
from impulse_core.contact.rows import relative_spin, relative_velocity
from impulse_core.jit import inner_kernel

__all__ = ["contact_errors", "set_targets", "velocity_errors"]

_ON_CONE = 1e-9  # relative distance from the border of the cone at which a contact slides
_ROUND_OFF = 1e-12  # relative, of what an impact gives back


@inner_kernel
def set_targets(contacts, tolerance, accuracy, recovery):
    """Gaps to reach: that of now where bodies rest on each other, else none.

    A gap that is corrected at once, by impulses that are not quite solved for, makes stacks sway;
    so those that overlap come apart slowly.
    """
    row = contacts.row
    for c in range(contacts.used[0]):
        p, gap = vec3_in(row, c, FIRST), row[c, GAP]
        resting = p.x != 0.0 or p.y != 0.0 or p.z != 0.0
        row[c, TARGET] = min(gap, 0.0)
        if resting and gap <= tolerance:
            row[c, TARGET] = gap
        if gap < -accuracy:
            row[c, TARGET] = gap - recovery * (gap + accuracy)


@inner_kernel
def contact_errors(contacts, motion, h):
    """Errors of all contacts at the prediction, as offsets to their present velocities.

    Returns the largest violation [m] of the law by the impulses that have acted.
    """
    row, mark = contacts.row, contacts.mark
    worst = 0.0
    for c in range(contacts.used[0]):
        n, p = vec3_in(row, c, NORMAL), vec3_in(row, c, IMPULSE)
        _, _, B, gap = contact_geometry(contacts, c, motion.next_position, motion.next_orientation)
        lacking = gap - row[c, TARGET]
        slid = ZERO3
        if lacking <= 0.0 or p.x != 0.0 or p.y != 0.0 or p.z != 0.0:
            slid = _slid_way(contacts, c, n, B, motion)
            slid = slid - n * dot(n, slid)
        error = n * lacking + slid
        u = relative_velocity(contacts, c, motion)
        put_vec3_in(row, c, OFFSET, error * (1.0 / h) - u)
        if row[c, ROLLING] > 0.0:
            turned = turn(mark[c, BODY2], motion) - turn(mark[c, BODY1], motion)
            missing = turned * (1.0 / h) - relative_spin(contacts, c, motion)
            put_vec3_in(row, c, TURN_OFFSET, missing)
        violated = _violation(n, p, lacking, slid, row[c, FRICTION], row[c, FLOOR])
        if not (violated <= worst):
            worst = violated if violated == violated else 1e300
    return worst


@inner_kernel
def velocity_errors(contacts, motion):
    """Largest violation of the law of an active contact by the present velocities [m/s]."""
    row = contacts.row
    worst = 0.0
    for c in range(contacts.used[0]):
        if not contacts.mark[c, ACTIVE]:
            continue
        n, p = vec3_in(row, c, NORMAL), vec3_in(row, c, IMPULSE)
        u = relative_velocity(contacts, c, motion) + vec3_in(row, c, OFFSET)
        u_n = dot(n, u)
        violated = _violation(n, p, u_n, u - n * u_n, row[c, FRICTION], row[c, FLOOR])
        if not (violated <= worst):
            worst = violated if violated == violated else 1e300
    return worst


@inner_kernel
def _slid_way(contacts, c, n, B_next, motion):
    """How far the touching points of contact c move past each other in the step [m]."""
    row = contacts.row
    A, B = vec3_in(row, c, CORE1), vec3_in(row, c, CORE2)
    i1, i2 = contacts.mark[c, BODY1], contacts.mark[c, BODY2]
    d1 = moved(i1, A, n * row[c, RADIUS1], motion)
    offset = n * (-row[c, RADIUS2])
    kind = contacts.mark[c, KIND]
    if kind in (PLANE_ELLIPSOID, PLANE_RIM):
        point = vec3_in(row, c, POINT2)
        center = vec3_at(motion.position, i2) + rotate(quat_at(motion.orientation, i2), point)
        q_next = quat_at(motion.next_orientation, i2)
        center_next = vec3_at(motion.next_position, i2) + rotate(q_next, point)
        # the middle of the step stands for a curved surface that rolls
        offset = offset + 0.5 * ((B - center) + (B_next - center_next))
        return moved(i2, center, offset, motion) - d1
    return moved(i2, B, offset, motion) - d1


@inner_kernel
def _violation(n, p, lacking, slid, friction, floor):
    """By how much an impulse and its errors break the law, in the unit of the errors."""
    p_n = dot(n, p)
    if p_n <= floor * (1.0 + _ROUND_OFF):
        normal = max(0.0, -lacking)
        if p_n == 0.0:
            return normal
    else:
        normal = abs(lacking)
    if friction == 0.0:
        return normal
    across = p - n * p_n
    size = norm(across)
    if size < friction * p_n * (1.0 - _ON_CONE):
        return max(normal, norm(slid))
    along = dot(slid, across) / size
    if along > 0.0:  # friction drives the sliding
        return max(normal, norm(slid))
    return max(normal, norm(slid - across * (along / size)))
