"""Residuals of the contact laws in the position-level and the velocity-level solve.

In the first half of a step the law of a contact is about the mean velocity over the step: its
normal part is what the gap at t+h lacks to its target, over h, its tangential part the way that the
points would slide on each other, over h (docs/algorithm.md, section 11).
"""

from __future__ import annotations

from impulse_core.algebra import ZERO3, dot, quat_of, rotate, set_vec3, vec3_of
from impulse_core.collision.contacts import (
    ALSO,
    EDGE_EDGE,
    FOUND,
    ISLAND,
    PLANE_ELLIPSOID,
    PLANE_RIM,
)
from impulse_core.collision.geometry import carried, contact_geometry, swept, turn
from impulse_core.contact.islands import is_large, island_of
from impulse_core.contact.jacobian import relative_angular_velocity, relative_velocity
from impulse_core.contact.violations import inverse_mass_of, turns_on, violations
from impulse_core.jit import inlined_kernel, inner_kernel
from impulse_core.jit.team import is_shared, share
from impulse_core.model.tasks import CONTACTS, VELOCITIES, WAYS

__all__ = [
    "ENOUGH",
    "accuracy_of",
    "check_small",
    "position_residuals",
    "set_target",
    "velocities_of_chunk",
    "velocity_residuals",
    "ways_of_chunk",
]

_CLOSELY = 1e-4  # of the accuracy: what bodies at rest may move in a step
ENOUGH = 60.0  # times the accuracy: what need not be solved for again in this step
_STALLED = 0.5  # of what was left before, what a round leaves that does not help
_LITTLE = 1e4  # times the accuracy, what is left for a later step where rounds do not help


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
def position_residuals(contacts, solver_bodies, team, motion, h, to, first, totals):
    """Errors of the contacts at the prediction, as offsets to their present velocities.

    ``to``: the accuracy of islands, that of large ones [m], and whether to go on with patience.

    The first iteration is over all islands but small ones, later ones over those marked as
    unsolved. Returns the largest violation [m] of the law by the impulses that have acted, and
    whether each island keeps it to its accuracy; those that do not are marked. The violation in
    totals is raised to the largest within the accuracy [m], since its island is not evaluated
    again.
    """
    coarse = to[1]
    _tell(team, h, coarse, first)
    given = contacts, solver_bodies, motion, h, coarse, first
    found = _are_shared(contacts, solver_bodies, team, first)
    if found:
        share(team, WAYS, 0, contacts.used[0], CONTACTS, ways_of_chunk, given)
    return _judge_islands(position_errors, given, found, to, first, 1.0, totals)


@inner_kernel
def velocity_residuals(contacts, solver_bodies, team, motion, h, to, first, totals):
    """As position_residuals, for the present velocities [m/s]; offsets are left as they are."""
    coarse = to[1]
    _tell(team, h, coarse, first)
    given = contacts, solver_bodies, motion, coarse, first
    found = _are_shared(contacts, solver_bodies, team, first)
    if found:
        share(team, VELOCITIES, 0, contacts.used[0], CONTACTS, velocities_of_chunk, given)
    return _judge_islands(velocity_errors, given, found, to, first, h, totals)


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
        if _is_looked_at(solver_body[i], first):
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


@inner_kernel
def ways_of_chunk(contacts, solver_bodies, motion, h, coarse, first, begin, end):
    """Note the same of a chunk of contacts, with the largest of all."""
    position_errors(contacts, solver_bodies, motion, h, coarse, first, begin, end)
    _note_largest(contacts, solver_bodies, first, begin, end)


@inner_kernel
def velocities_of_chunk(contacts, solver_bodies, motion, coarse, first, begin, end):
    """The same of the present velocities."""
    velocity_errors(contacts, solver_bodies, motion, coarse, first, begin, end)
    _note_largest(contacts, solver_bodies, first, begin, end)


@inner_kernel
def _note_largest(contacts, solver_bodies, first, begin, end):
    """Note the largest errors of a chunk of contacts, and the island that all are of."""
    island, violated, judged = -2, 0.0, 0.0
    for c in range(begin, end):
        if _is_sought(contacts, solver_bodies, c, first):
            i = island_of(contacts.mark, solver_bodies.mark, c)
            island = i if island in (-2, i) else -1
            violated = max(violated, contacts.noted[c, FOUND])
            judged = max(judged, contacts.noted[c, ALSO])
    chunk = contacts.chunk[begin // CONTACTS]
    chunk[FOUND], chunk[ALSO], chunk[ISLAND] = violated, judged, island


@inlined_kernel
def _is_sought(contacts, solver_bodies, c, first):
    """Whether contact c is of an island that is to be looked at."""
    if not contacts.mark[c].active:
        return False
    i = island_of(contacts.mark, solver_bodies.mark, c)
    return _is_looked_at(solver_bodies.mark[i], first)


@inlined_kernel
def _is_looked_at(island, first):
    """Whether an island is to be looked at with others."""
    return island.head >= 0 and not island.small and (first or island.unsolved == 1)


@inlined_kernel
def _note_errors(contacts, solver_bodies, c, error, unsolved, coarse):
    """Note the violation of contact c, and what of it is left to solve for."""
    i = island_of(contacts.mark, solver_bodies.mark, c)
    allowed = coarse if is_large(solver_bodies.mark, i) else -1.0
    contacts.noted[c, FOUND], contacts.noted[c, ALSO] = error, unsolved
    contacts.row[c].lacking = unsolved
    contacts.mark[c].violated = 1 if unsolved > allowed else 0


@inlined_kernel
def _judge_islands(errors_of, given, found, to, first, unit, totals):
    """Put the errors of each island together, in a unit [m]; they are found here if they are not
    yet.
    """
    contacts, solver_bodies = given[0], given[1]
    accuracy, coarse, patient = to
    solver_body = solver_bodies.mark
    worst, solved = 0.0, True
    for i in range(len(solver_body) - 1):
        if not _is_looked_at(solver_body[i], first):
            continue
        violated, judged = 0.0, 0.0
        if found and 2 * solver_body[i].number >= contacts.used[0]:
            violated, judged = _largest_of(contacts, solver_bodies, i)
        else:
            c = solver_body[i].head
            while c >= 0:
                if not found:
                    errors_of(*given, c, c + 1)
                violated = max(violated, contacts.noted[c, FOUND])
                judged = max(judged, contacts.noted[c, ALSO])
                c = contacts.mark[c].next
        solver_bodies.row[i].violation = violated
        worst = max(worst, violated)
        if _is_done(solver_bodies, i, judged, accuracy, coarse, first, patient):
            totals[0].violation = max(totals[0].violation, violated * unit)
        else:
            solved = False
    return worst, solved


@inner_kernel
def _largest_of(contacts, solver_bodies, i):
    """The largest errors of an island that has most of the contacts, from those of chunks."""
    violated, judged = 0.0, 0.0
    for begin in range(0, contacts.used[0], CONTACTS):
        chunk = contacts.chunk[begin // CONTACTS]
        if chunk[ISLAND] == i:
            violated, judged = max(violated, chunk[FOUND]), max(judged, chunk[ALSO])
        elif chunk[ISLAND] == -1:
            for c in range(begin, min(begin + CONTACTS, contacts.used[0])):
                mark = contacts.mark[c]
                if mark.active and island_of(contacts.mark, solver_bodies.mark, c) == i:
                    violated = max(violated, contacts.noted[c, FOUND])
                    judged = max(judged, contacts.noted[c, ALSO])
    return violated, judged


@inner_kernel
def check_small(contacts, solver_bodies, i, motion, ways, h, accuracy, first, patient):
    """Whether the small island i keeps its laws, of ways over h or velocities, to an accuracy [m],
    [m/s]; its violation is noted.
    """
    violated, judged = 0.0, 0.0
    c = solver_bodies.mark[i].head
    while c >= 0:
        if ways:
            error, unsolved = _position_residual(contacts, c, motion, h)
        else:
            error, unsolved = _velocity_residual(contacts, c, motion)
        _note_errors(contacts, solver_bodies, c, error, unsolved, 0.0)
        violated, judged = max(violated, error), max(judged, unsolved)
        c = contacts.mark[c].next
    solver_bodies.row[i].violation = violated
    return _is_done(solver_bodies, i, judged, accuracy, 0.0, first, patient)


@inner_kernel
def _position_residual(contacts, c, motion, h):
    """Offset of contact c; returns its violation [m], and what of it is left to solve for: all but
    what it gives way.
    """
    row, mark = contacts.row, contacts.mark
    n, p = vec3_of(row[c].normal), vec3_of(row[c].impulse)
    n_next, A, B, gap = contact_geometry(contacts, c, motion.next)
    lacking = gap - row[c].target
    slid = ZERO3
    if lacking <= 0.0 or p.x != 0.0 or p.y != 0.0 or p.z != 0.0:
        slid = _slid_way(contacts, c, n, (n_next, A, B), motion, h)
        slid = slid - n * dot(n, slid)
    error = n * lacking + slid
    u = relative_velocity(contacts, c, motion)
    set_vec3(row[c].offset, error * (1.0 / h) - u)
    rolled, scale = 0.0, h * inverse_mass_of(contacts, c, motion)
    if row[c].resists > 0.0:
        turned = turn(mark[c].body2, motion) - turn(mark[c].body1, motion)
        missing = turned * (1.0 / h) - relative_angular_velocity(contacts, c, motion)
        set_vec3(row[c].turn_offset, missing)
        rolled = turns_on(contacts, c, motion, p, turned, h)
    violated, unsolved = violations(contacts, c, lacking, slid, h, scale)
    return max(violated, rolled), max(unsolved, rolled)


@inner_kernel
def _velocity_residual(contacts, c, motion):
    """The same of the present velocities [m/s]."""
    row = contacts.row
    n, p = vec3_of(row[c].normal), vec3_of(row[c].impulse)
    u = relative_velocity(contacts, c, motion) + vec3_of(row[c].offset)
    u_n = dot(n, u)
    scale = inverse_mass_of(contacts, c, motion)
    violated, unsolved = violations(contacts, c, u_n, u - n * u_n, 1.0, scale)
    if row[c].resists > 0.0:
        w = relative_angular_velocity(contacts, c, motion)
        rolled = turns_on(contacts, c, motion, p, w, 1.0)
        violated, unsolved = max(violated, rolled), max(unsolved, rolled)
    return violated, unsolved


@inner_kernel
def _is_done(solver_bodies, i, violated, accuracy, coarse, first, patient):
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
        little = ENOUGH if articulated or patient else _LITTLE
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
def _slid_way(contacts, c, n, ends, motion, h):
    """Displacement of what touches at contact c past each other in the step [m]. ``ends``: normal
    and points on the cores at its end.
    """
    row, mark = contacts.row[c], contacts.mark[c]
    i1, i2 = mark.body1, mark.body2
    n_next, A_next, B_next = ends
    A, B = vec3_of(row.core1), vec3_of(row.core2)
    offset1, offset2 = n * row.radius1, n * (-row.radius2)
    A_moved = carried(i1, A, motion)
    along1, along2 = A_next + n_next * row.radius1 - A_moved - offset1, ZERO3
    if mark.kind in (PLANE_ELLIPSOID, PLANE_RIM):
        center = vec3_of(motion.states[i2].position) + rotate(
            quat_of(motion.states[i2].orientation), vec3_of(row.point2)
        )
        B_moved = carried(i2, center, motion)
        # the middle of the step stands for a curved surface that rolls
        offset2 = offset2 + 0.5 * ((B - center) + (B_next - B_moved))
        B = center
    else:
        B_moved = carried(i2, B, motion)
        along2 = B_next - n_next * row.radius2 - B_moved - offset2
    if mark.kind == EDGE_EDGE:  # the crossing runs off where edges become parallel
        along1, along2 = ZERO3, ZERO3
    d1 = A_moved - A + swept(i1, offset1, along1, motion, h)
    return B_moved - B + swept(i2, offset2, along2, motion, h) - d1
