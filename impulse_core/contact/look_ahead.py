"""The contacts' part of the look-ahead: what the prediction says each of them lacks.

In the first half of a step the law of a contact is about the mean velocity over the step: its
normal part is what the gap at t+h lacks to its target, over h, its tangential part the way that the
points would slide on each other, over h (docs/algorithm.md, section 11).
"""

from __future__ import annotations

from impulse_core.algebra import ZERO3, dot, norm, quat_of, rotate, set_vec3, vec3_of
from impulse_core.collision.contacts import (
    PLANE_ELLIPSOID,
    PLANE_RIM,
)
from impulse_core.collision.geometry import contact_geometry, moved, turn
from impulse_core.contact.islands import is_large, island_of
from impulse_core.contact.rows import relative_spin, relative_velocity
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["accuracy_of", "contact_errors", "set_targets", "velocity_errors"]

_CLOSELY = 1e-4  # of the accuracy: what bodies at rest may move in a step
_ENOUGH = 60.0  # times the coarse accuracy: what need not be looked at again in this step
_ON_CONE = 1e-9  # relative distance from the border of the cone at which a contact slides
_ROUND_OFF = 1e-12  # relative, of what an impact gives back


@inner_kernel
def set_targets(contacts, tolerance, slack, recovery):
    """Gaps to reach: none, but where bodies rest on each other nearly that of now.

    A gap that is corrected at once, by impulses that are not quite solved for, makes stacks sway;
    so those that overlap come apart slowly, and those that bear each other at a gap come together
    as slowly. Less than the slack [m] is left as it is.
    """
    row = contacts.row
    for c in range(contacts.used[0]):
        gap = row[c].gap
        row[c].target = min(gap, 0.0)
        if gap < -slack:
            row[c].target = gap - recovery * (gap + slack)
        elif gap > 0.0 and _bore(row, c):
            row[c].target = min(gap - recovery * max(gap - slack, 0.0), tolerance)


@inner_kernel
def _bore(row, c):
    """Whether contact c bore an impulse in either half of the last step."""
    p = vec3_of(row[c].first)
    q = vec3_of(row[c].second)
    return dot(p, p) + dot(q, q) > 0.0


@inner_kernel
def contact_errors(contacts, movers, motion, h, accuracy, coarse, first, totals):
    """Errors of the contacts at the prediction, as offsets to their present velocities.

    The first look is at all islands, later ones are at those that were marked as unsolved. Returns
    the largest violation [m] of the law by the impulses that have acted, and whether each island
    keeps it to its accuracy; those that do not are marked. The violation in totals is raised to
    the largest that is borne [m], since what has it is not looked at again.
    """
    return _look_at_islands(
        _error, contacts, movers, motion, h, accuracy, coarse, first, 1.0, totals
    )


@inner_kernel
def velocity_errors(contacts, movers, motion, h, accuracy, coarse, first, totals):
    """As contact_errors, for the present velocities [m/s]; offsets are left as they are."""
    return _look_at_islands(
        _velocity_error, contacts, movers, motion, h, accuracy, coarse, first, h, totals
    )


@inlined_kernel
def _look_at_islands(error_of, contacts, movers, motion, h, accuracy, coarse, first, unit, totals):
    """What contact_errors says, for the violations that error_of finds, in a unit [m]."""
    mover = movers.mark
    worst, solved = 0.0, True
    for i in range(len(mover) - 1):
        if mover[i].head < 0 or not (first or mover[i].unsolved):
            continue
        violated = 0.0
        allowed = coarse if is_large(mover, i) else -1.0
        c = mover[i].head
        while c >= 0:
            error = error_of(contacts, c, motion, h)
            violated = max(violated, error)
            contacts.row[c].lacking = error
            contacts.mark[c].violated = 1 if error > allowed else 0
            c = contacts.mark[c].next
        worst = max(worst, violated)
        if _bear_with(mover, i, violated, accuracy, coarse, first):
            totals[0].violation = max(totals[0].violation, violated * unit)
        else:
            solved = False
    return worst, solved


@inner_kernel
def _error(contacts, c, motion, h):
    """Offset of contact c; returns its violation [m]."""
    row, mark = contacts.row, contacts.mark
    n, p = vec3_of(row[c].normal), vec3_of(row[c].impulse)
    _, _, B, gap = contact_geometry(contacts, c, motion.next)
    lacking = gap - row[c].target
    slid = ZERO3
    if lacking <= 0.0 or p.x != 0.0 or p.y != 0.0 or p.z != 0.0:
        slid = _slid_way(contacts, c, n, B, motion)
        slid = slid - n * dot(n, slid)
    error = n * lacking + slid
    u = relative_velocity(contacts, c, motion)
    set_vec3(row[c].offset, error * (1.0 / h) - u)
    rolled = 0.0
    if row[c].rolling > 0.0:
        turned = turn(mark[c].body2, motion) - turn(mark[c].body1, motion)
        missing = turned * (1.0 / h) - relative_spin(contacts, c, motion)
        set_vec3(row[c].turn_offset, missing)
        rolled = _rolls_on(contacts, c, motion, n, p, turned)
    scale = h * _answer(contacts, c, motion)
    violated = _violation(n, p, lacking, slid, row[c].friction, row[c].floor, scale)
    return max(violated, rolled)


@inner_kernel
def _velocity_error(contacts, c, motion, h):  # noqa: ARG001  # as _error
    """Violation of contact c by the present velocities [m/s]."""
    row = contacts.row
    n, p = vec3_of(row[c].normal), vec3_of(row[c].impulse)
    u = relative_velocity(contacts, c, motion) + vec3_of(row[c].offset)
    u_n = dot(n, u)
    scale = _answer(contacts, c, motion)
    violated = _violation(n, p, u_n, u - n * u_n, row[c].friction, row[c].floor, scale)
    if row[c].rolling > 0.0:
        w = relative_spin(contacts, c, motion)
        violated = max(violated, _rolls_on(contacts, c, motion, n, p, w))
    return violated


@inner_kernel
def _bear_with(mover, i, violated, accuracy, coarse, first):
    """Whether a violation is within the accuracy of island i; else that is marked as unsolved.

    The first look is a close one: what it lets pass adds up from step to step, to a creep. Islands
    of machines stay unsolved: what corrects joints moves contacts.
    """
    machine = mover[i].machine == 1
    if is_large(mover, i):
        accuracy = coarse if first else _ENOUGH * coarse
    elif first and not machine:
        accuracy = _CLOSELY * accuracy
    borne = violated <= accuracy
    mover[i].unsolved = 1 if machine or not borne else 0
    return borne


@inner_kernel
def accuracy_of(contacts, movers, c, accuracy, coarse):
    """The violation that contact c may be left with, in the unit of both accuracies."""
    i = island_of(contacts.mark, movers.mark, c)
    return _ENOUGH * coarse if is_large(movers.mark, i) else accuracy


@inner_kernel
def _slid_way(contacts, c, n, B_next, motion):
    """How far the touching points of contact c move past each other in the step [m]."""
    row = contacts.row
    A, B = vec3_of(row[c].core1), vec3_of(row[c].core2)
    i1, i2 = contacts.mark[c].body1, contacts.mark[c].body2
    d1 = moved(i1, A, n * row[c].radius1, motion)
    offset = n * (-row[c].radius2)
    kind = contacts.mark[c].kind
    if kind in (PLANE_ELLIPSOID, PLANE_RIM):
        point = vec3_of(row[c].point2)
        center = vec3_of(motion.states[i2].position) + rotate(
            quat_of(motion.states[i2].orientation), point
        )
        q_next = quat_of(motion.next[i2].orientation)
        center_next = vec3_of(motion.next[i2].position) + rotate(q_next, point)
        # the middle of the step stands for a curved surface that rolls
        offset = offset + 0.5 * ((B - center) + (B_next - center_next))
        return moved(i2, center, offset, motion) - d1
    return moved(i2, B, offset, motion) - d1


@inner_kernel
def _rolls_on(contacts, c, motion, n, p, turned):
    """By how much a turning breaks the law of rolling resistance, as the way at the longer arm."""
    row = contacts.row
    limit = row[c].rolling * dot(n, p)
    if limit <= 0.0:
        return 0.0
    turned = turned - n * dot(n, turned)
    t = vec3_of(row[c].torque)
    size = norm(t)
    if size >= limit * (1.0 - _ON_CONE):
        along = dot(turned, t) / size
        if along <= 0.0:
            turned = turned - t * (along / size)
    arm = 0.0
    if motion.bodies[contacts.mark[c].body1].inverse_mass > 0.0:
        arm = norm(vec3_of(row[c].arm1))
    if motion.bodies[contacts.mark[c].body2].inverse_mass > 0.0:
        arm = max(arm, norm(vec3_of(row[c].arm2)))
    return norm(turned) * arm


@inner_kernel
def _answer(contacts, c, motion):
    """How much an impulse at contact c moves its bodies at least [1/kg]."""
    i1, i2 = contacts.mark[c].body1, contacts.mark[c].body2
    return motion.bodies[i1].inverse_mass + motion.bodies[i2].inverse_mass


@inner_kernel
def _violation(n, p, lacking, slid, friction, floor, scale):
    """By how much an impulse and its errors break the law, in the unit of the errors; 1e300 where
    that is not a number.

    An impulse where there should be none counts as what it does, scale times the impulse, where
    that is less.
    """
    p_n = dot(n, p)
    if not (abs(lacking) <= 1e300):
        return 1e300
    if p_n <= floor * (1.0 + _ROUND_OFF):
        normal = max(0.0, -lacking)
        if p_n == 0.0:
            return normal
    else:
        normal = max(-lacking, min(lacking, (p_n - floor) * scale))
    if friction == 0.0:
        return normal
    most = 2.0 * friction * p_n * scale
    across = p - n * p_n
    size = norm(across)
    if size < friction * p_n * (1.0 - _ON_CONE):
        return max(normal, min(norm(slid), most))
    along = dot(slid, across) / size
    if along > 0.0:  # friction drives the sliding
        return max(normal, min(norm(slid), most))
    return max(normal, min(norm(slid - across * (along / size)), most))
