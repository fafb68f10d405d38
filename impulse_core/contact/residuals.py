"""Residuals of the contact laws in the position-level and the velocity-level solve.

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
from impulse_core.contact.jacobian import relative_angular_velocity, relative_velocity
from impulse_core.jit import inlined_kernel, inner_kernel
from impulse_core.jit.team import is_shared, share
from impulse_core.model.tasks import CONTACTS, VELOCITIES, WAYS

__all__ = [
    "ENOUGH",
    "accuracy_of",
    "position_errors",
    "position_residuals",
    "set_target",
    "velocity_errors",
    "velocity_residuals",
]

_CLOSELY = 1e-4  # of the accuracy: what bodies at rest may move in a step
ENOUGH = 60.0  # times the accuracy: what need not be solved for again in this step
_STALLED = 0.5  # of what was left before, what a round leaves that does not help
_LITTLE = 1e4  # times the accuracy, what is left for a later step where rounds do not help
_ON_CONE = 1e-9  # relative distance from the border of the cone at which a contact slides
_ROUND_OFF = 1e-12  # relative, of what an impact gives back


@inner_kernel
def set_target(contact, tolerance, slack, recovery):
    """Gap that a contact (ContactRow) is to reach: none, but where bodies rest on each other nearly
    that of now.

    A gap that is corrected at once, by impulses that are not quite solved for, makes stacks sway;
    so those that overlap come apart slowly, and those that bear each other at a gap come together
    as slowly. Less than the slack [m] is left as it is. Where the first half is to lead to features
    that were not near, bodies shall overlap no more than they do.
    """
    gap = contact.gap
    target = min(gap, 0.0)
    if gap < -slack:
        target = gap - recovery * (gap + slack)
    elif gap > 0.0 and _carried_impulse(contact):
        target = min(gap - recovery * max(gap - slack, 0.0), tolerance)
    contact.target = max(target, contact.least)


@inner_kernel
def _carried_impulse(contact):
    """Whether a contact carried an impulse in either half of the last step."""
    p = vec3_of(contact.first)
    q = vec3_of(contact.second)
    return dot(p, p) + dot(q, q) > 0.0


@inner_kernel
def position_residuals(contacts, solver_bodies, team, motion, h, accuracy, coarse, first, totals):
    """Errors of the contacts at the prediction, as offsets to their present velocities.

    The first iteration is over all islands, later ones over those marked as unsolved. Returns
    the largest violation [m] of the law by the impulses that have acted, and whether each island
    keeps it to its accuracy; those that do not are marked. The violation in totals is raised to
    the largest within the accuracy [m], since its island is not evaluated again.
    """
    _tell(team, h, coarse, first)
    given = contacts, solver_bodies, motion, h, coarse, first
    found = _are_shared(contacts, solver_bodies, team, first)
    if found:
        share(team, WAYS, 0, contacts.used[0], CONTACTS, position_errors, given)
    return _judge_islands(position_errors, given, found, accuracy, coarse, first, 1.0, totals)


@inner_kernel
def velocity_residuals(contacts, solver_bodies, team, motion, h, accuracy, coarse, first, totals):
    """As position_residuals, for the present velocities [m/s]; offsets are left as they are."""
    _tell(team, h, coarse, first)
    given = contacts, solver_bodies, motion, coarse, first
    found = _are_shared(contacts, solver_bodies, team, first)
    if found:
        share(team, VELOCITIES, 0, contacts.used[0], CONTACTS, velocity_errors, given)
    return _judge_islands(velocity_errors, given, found, accuracy, coarse, first, h, totals)


@inner_kernel
def _tell(team, h, coarse, first):
    """Let other threads know what the errors depend on."""
    team.number[0], team.number[1], team.number[2] = h, coarse, 1.0 if first else 0.0


@inner_kernel
def _are_shared(contacts, solver_bodies, team, first):
    """Whether threads share all contacts, of which at least half are to be looked at."""
    if not is_shared(team, contacts.used[0], CONTACTS):
        return False
    solver_body, count = solver_bodies.mark, 0
    for i in range(len(solver_body) - 1):
        if solver_body[i].head >= 0 and (first or solver_body[i].unsolved):
            count += solver_body[i].number
    return 2 * count >= contacts.used[0]


@inner_kernel
def position_errors(contacts, solver_bodies, motion, h, coarse, first, begin, end):
    """Note by how much some contacts break their laws at the prediction."""
    for c in range(begin, end):
        if _is_sought(contacts, solver_bodies, c, first):
            error, unsolved = _position_residual(contacts, c, motion, h)
            _note_errors(contacts, solver_bodies, c, error, unsolved, coarse)


@inner_kernel
def velocity_errors(contacts, solver_bodies, motion, coarse, first, begin, end):
    """The same of the present velocities."""
    for c in range(begin, end):
        if _is_sought(contacts, solver_bodies, c, first):
            error, unsolved = _velocity_residual(contacts, c, motion)
            _note_errors(contacts, solver_bodies, c, error, unsolved, coarse)


@inlined_kernel
def _is_sought(contacts, solver_bodies, c, first):
    """Whether contact c is of an island that is to be looked at."""
    if not contacts.mark[c].active:
        return False
    return first or solver_bodies.mark[island_of(contacts.mark, solver_bodies.mark, c)].unsolved


@inlined_kernel
def _note_errors(contacts, solver_bodies, c, error, unsolved, coarse):
    """Note the violation of contact c, and what of it is left to solve for."""
    i = island_of(contacts.mark, solver_bodies.mark, c)
    allowed = coarse if is_large(solver_bodies.mark, i) else -1.0
    contacts.noted[c, 0], contacts.noted[c, 1] = error, unsolved
    contacts.row[c].lacking = unsolved
    contacts.mark[c].violated = 1 if unsolved > allowed else 0


@inlined_kernel
def _judge_islands(errors_of, given, found, accuracy, coarse, first, unit, totals):
    """Put the errors of each island together, in a unit [m]; they are found here if they are not
    yet.
    """
    contacts, solver_bodies = given[0], given[1]
    solver_body = solver_bodies.mark
    worst, solved = 0.0, True
    for i in range(len(solver_body) - 1):
        if solver_body[i].head < 0 or not (first or solver_body[i].unsolved):
            continue
        violated, judged = 0.0, 0.0
        c = solver_body[i].head
        while c >= 0:
            if not found:
                errors_of(*given, c, c + 1)
            violated = max(violated, contacts.noted[c, 0])
            judged = max(judged, contacts.noted[c, 1])
            c = contacts.mark[c].next
        worst = max(worst, violated)
        if _is_done(solver_bodies, i, judged, accuracy, coarse, first):
            totals[0].violation = max(totals[0].violation, violated * unit)
        else:
            solved = False
    return worst, solved


@inner_kernel
def _position_residual(contacts, c, motion, h):
    """Offset of contact c; returns its violation [m], and what of it is left to solve for: all but
    what it gives way.
    """
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
    rolled, scale = 0.0, h * _inverse_mass(contacts, c, motion)
    if row[c].resists > 0.0:
        turned = turn(mark[c].body2, motion) - turn(mark[c].body1, motion)
        missing = turned * (1.0 / h) - relative_angular_velocity(contacts, c, motion)
        set_vec3(row[c].turn_offset, missing)
        rolled = _turns_on(contacts, c, motion, p, turned, scale)
    violated, unsolved = _violations(contacts, c, lacking, slid, h, scale)
    return max(violated, rolled), max(unsolved, rolled)


@inner_kernel
def _velocity_residual(contacts, c, motion):
    """The same of the present velocities [m/s]."""
    row = contacts.row
    n, p = vec3_of(row[c].normal), vec3_of(row[c].impulse)
    u = relative_velocity(contacts, c, motion) + vec3_of(row[c].offset)
    u_n = dot(n, u)
    scale = _inverse_mass(contacts, c, motion)
    violated, unsolved = _violations(contacts, c, u_n, u - n * u_n, 1.0, scale)
    if row[c].resists > 0.0:
        w = relative_angular_velocity(contacts, c, motion)
        rolled = _turns_on(contacts, c, motion, p, w, scale)
        violated, unsolved = max(violated, rolled), max(unsolved, rolled)
    return violated, unsolved


@inner_kernel
def _is_done(solver_bodies, i, violated, accuracy, coarse, first):
    """Whether a violation is within the accuracy of island i, or near to it after a round in which
    no impulses met its linear laws: corners contradict each other, and there is nothing to gain,
    for articulated islands if that round did not help. Else it is marked as unsolved.

    The first iteration is strict: what it lets pass adds up from step to step, to a creep.
    Articulated islands stay unsolved, since corrections of joints move contacts.
    """
    island = solver_bodies.mark[i]
    articulated, large = island.articulated == 1, is_large(solver_bodies.mark, i)
    most = _accuracy_of_island(solver_bodies, i, accuracy, coarse)
    if large:
        most = coarse if first else most
    elif articulated:
        most = accuracy
    elif first:
        most = _CLOSELY * accuracy
    done = violated <= most
    if island.contradictory and not large:
        stalls = violated > _STALLED * solver_bodies.row[i].left
        little = ENOUGH if articulated else _LITTLE
        done = done or (stalls and violated <= little * accuracy)
    solver_bodies.row[i].left = violated
    island.unsolved = 1 if articulated or not done else 0
    return done


@inner_kernel
def accuracy_of(contacts, solver_bodies, c, accuracy, coarse):
    """The violation that contact c may be left with, in the unit of both accuracies."""
    i = island_of(contacts.mark, solver_bodies.mark, c)
    return _accuracy_of_island(solver_bodies, i, accuracy, coarse)


@inlined_kernel
def _accuracy_of_island(solver_bodies, i, accuracy, coarse):
    """The same of all contacts of an island."""
    island = solver_bodies.mark[i]
    if is_large(solver_bodies.mark, i):
        return ENOUGH * coarse
    return ENOUGH * accuracy if island.contradictory else accuracy


@inner_kernel
def _slid_way(contacts, c, n, B_next, motion):
    """Displacement of the touching points of contact c past each other in the step [m]."""
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
def _turns_on(contacts, c, motion, p, turned, scale):
    """By how much a turning breaks the laws of rolling resistance and torsional friction, as the
    way at the longer arm.
    """
    row = contacts.row
    n, t = vec3_of(row[c].normal), vec3_of(row[c].torque)
    p_n = dot(n, p)
    if p_n <= 0.0:
        return 0.0
    spun = dot(n, turned)
    rolled = turned - n * spun
    if row[c].torsion > 0.0:
        along = dot(n, t)
        t = t - n * along
        spun, beyond = _spins_on(spun, along, row[c].torsion * p_n)
    else:
        spun, beyond = 0.0, 0.0
    limit, size = row[c].rolling * p_n, norm(t)
    if limit <= 0.0:
        rolled = ZERO3
    elif size >= limit * (1.0 - _ON_CONE):
        along = dot(rolled, t) / size
        if along <= 0.0:
            rolled = rolled - t * (along / size)
    arm = _longer_arm(contacts, c, motion)
    way = norm(rolled + n * spun) * arm
    return max(way, beyond * scale / arm) if beyond > 0.0 else way


@inner_kernel
def _spins_on(spun, along, most):
    """The part of a spin that torsional friction should have stopped, and by how much its torque
    ``along`` the normal is more than it may be.
    """
    if abs(along) >= most * (1.0 - _ON_CONE) and spun * along <= 0.0:
        spun = 0.0
    return spun, max(abs(along) - most * (1.0 + _ON_CONE), 0.0)


@inner_kernel
def _longer_arm(contacts, c, motion):
    """Of contact c from the centres of the bodies that move [m]."""
    row = contacts.row
    arm = 0.0
    if motion.bodies[contacts.mark[c].body1].inverse_mass > 0.0:
        arm = norm(vec3_of(row[c].arm1))
    if motion.bodies[contacts.mark[c].body2].inverse_mass > 0.0:
        arm = max(arm, norm(vec3_of(row[c].arm2)))
    return arm


@inner_kernel
def _inverse_mass(contacts, c, motion):
    """Inverse mass of the bodies of contact c [1/kg]: no impulse there moves them less."""
    i1, i2 = contacts.mark[c].body1, contacts.mark[c].body2
    return motion.bodies[i1].inverse_mass + motion.bodies[i2].inverse_mass


@inner_kernel
def _violations(contacts, c, lacking, slid, unit, scale):
    """The violation of contact c by its errors, as velocities over a unit [s], and what that is
    without what it gives way.
    """
    row = contacts.row[c]
    n, p = vec3_of(row.normal), vec3_of(row.impulse)
    violated = _violation(n, p, lacking, slid, row.friction, row.min_impulse, scale)
    if contacts.mark[c].delassus_row < 0:
        return violated, violated
    given = vec3_of(row.given) * unit
    lacking += dot(n, given)
    slid = slid + given - n * dot(n, given)
    return violated, _violation(n, p, lacking, slid, row.friction, row.min_impulse, scale)


@inner_kernel
def _violation(n, p, lacking, slid, friction, min_impulse, scale):
    """By how much an impulse and its errors break the law, in the unit of the errors; 1e300 where
    that is not a number.

    An impulse where there should be none counts as what it does, scale times the impulse, where
    that is less.
    """
    p_n = dot(n, p)
    if not (abs(lacking) <= 1e300):
        return 1e300
    if p_n <= min_impulse * (1.0 + _ROUND_OFF):
        normal = max(0.0, -lacking)
        if p_n == 0.0:
            return normal
    else:
        normal = max(-lacking, min(lacking, (p_n - min_impulse) * scale))
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
