"""Passes over all contacts that threads share (jit/team.py): what is done to some of them.

What a pass finds of a contact that is to be put together with that of others goes into ``noted``,
and is put together in the order of the contacts.
"""

from __future__ import annotations

import math

from impulse_core.algebra import ZERO3, dot, norm, set_vec3, vec3_of
from impulse_core.collision.contacts import ALSO, FOUND
from impulse_core.collision.detect import Search
from impulse_core.collision.geometry import note_lowest
from impulse_core.collision.memory import copy_impulses
from impulse_core.contact.events import bears
from impulse_core.contact.guesses import guess_force, let_go, start_from
from impulse_core.contact.held import (
    AT_END,
    add_held,
    holds_at_end,
    holds_at_start,
    is_force,
    moment_of_meeting,
    start_beside,
)
from impulse_core.contact.jacobian import contact_direction, contact_velocity
from impulse_core.contact.passivity import account_first_half
from impulse_core.contact.residuals import set_target
from impulse_core.contact.rest import slack_at_rest
from impulse_core.contact.restitution import (
    LEAST_MEETING,
    find_approach_velocity,
    impact_threshold,
)
from impulse_core.contact.time_of_impact import leave_open
from impulse_core.contact.waiting import waits
from impulse_core.jit import inlined_kernel, inner_kernel
from impulse_core.model.tasks import CONTACTS
from impulse_core.step.accuracy import accuracy_of_ways

__all__ = [
    "begin_first",
    "begin_points",
    "begin_second",
    "close_first",
    "save_marks",
    "save_points",
    "search_of",
]

_ON_CONE = 1e-9  # relative distance from the border of the cone at which a contact slides


@inner_kernel
def search_of(contact):
    """Where contacts are looked for."""
    return Search(
        contact.shapes,
        contact.sweep,
        contact.found,
        contact.staged,
        contact.memory,
        contact.contacts,
        contact.team,
        contact.needed,
    )


@inner_kernel
def begin_points(contact, motion, tolerance, left, guesses, begin, end):
    """Directions, velocities, targets and forces at the start of what is left of a stage, and
    first ``guesses`` for all of it if they are wanted, while all that is near.
    """
    contacts, recovery = contact.contacts, contact.recovery * left
    for c in range(begin, end):
        note_lowest(contacts, c, motion.states)
        A, B = contact_direction(contacts, c, motion)
        set_vec3(contacts.row[c].core1, A)
        set_vec3(contacts.row[c].core2, B)
        contact_velocity(contacts, c, motion)
        rests = _slack_of_rest(contact, c, left, tolerance)
        slack = max(contact.slack, rests)
        set_target(contacts.row[c], max(tolerance, rests), slack, recovery)
        guess_force(contacts, contact.solver_bodies, c, contact.slow)
    if guesses:
        begin_first(contact, motion, left, begin, end)


@inlined_kernel
def _slack_of_rest(contact, c, h, tolerance):
    """``slack_at_rest`` if no point of either body moves by more than the tolerance in a stage of
    length h, else zero.
    """
    mark, sleep = contact.contacts.mark, contact.sleep
    if max(sleep.speed[mark[c].body1], sleep.speed[mark[c].body2]) * h > tolerance:
        return 0.0
    return slack_at_rest(mark, contact.solver_bodies, c, tolerance)


@inner_kernel
def begin_first(contact, motion, h, begin, end):
    """First guesses for a stage of length h."""
    contacts = contact.contacts
    row, mark = contacts.row, contacts.mark
    threshold = impact_threshold(motion, h, contact.accuracy) if h >= contact.finest else math.inf
    for c in range(begin, end):
        find_approach_velocity(contacts, c, motion, h)
        mark[c].active, mark[c].held = 1, 0.0
        mark[c].meets = moment_of_meeting(row[c], h, threshold)
        set_vec3(row[c].begun, vec3_of(row[c].first))
        if contact.again[0]:
            start_from(row[c], row[c].impulse, row[c].torque, 1.0)
        else:
            start_from(row[c], row[c].first, row[c].roll_first, 1.0)
        if mark[c].impacting and not contact.closed[0]:
            leave_open(contacts, c)
        elif waits(contacts, contact.solver_bodies, c, contact.slack):
            mark[c].active = 0


@inner_kernel
def close_first(contact, motion, h, begin, end):
    """Keep the impulses of a first half of length h, and add up their work [J]."""
    total = 0.0
    contacts, row = contact.contacts, contact.contacts.row
    accuracy, coarse = accuracy_of_ways(contact, h), contact.coarse * h
    for c in range(begin, end):
        total += account_first_half(contacts, contact.solver_bodies, c, motion, h, accuracy, coarse)
        held = holds_at_start(contacts.mark[c])
        add_held(row[c], row[c].begun, row[c].roll_first, held)
        n, p = vec3_of(row[c].normal), vec3_of(row[c].impulse)
        row[c].earlier = max(0.0, dot(n, vec3_of(row[c].first)))
        row[c].earlier += max(0.0, dot(n, vec3_of(row[c].second)))
        set_vec3(row[c].first, p)
        if row[c].resists > 0.0:
            set_vec3(row[c].roll_first, vec3_of(row[c].torque))
    contacts.chunk[begin // CONTACTS, FOUND] = total


@inner_kernel
def begin_second(contact, motion, jumps, tolerance, threshold, begin, end):
    """Directions at t+h, and which contacts are closed there, without those that meet if they do so
    in a jump, and those that come apart at an impact. The threshold is that of impacts [m/s],
    infinite if the part ends at none.
    """
    contacts = contact.contacts
    row, mark = contacts.row, contacts.mark
    for c in range(begin, end):
        was_open = row[c].gap > tolerance
        contact_direction(contacts, c, motion)
        contact_velocity(contacts, c, motion)
        p = vec3_of(row[c].first)
        pressed = p.x != 0.0 or p.y != 0.0 or p.z != 0.0
        if was_open and not pressed and row[c].gap <= tolerance and threshold < math.inf:
            # meets as well, though others stopped its bodies in the trials of the first half
            u = dot(vec3_of(row[c].normal), vec3_of(row[c].before))
            if u < -LEAST_MEETING * threshold:
                mark[c].impacting = 1
        closed = pressed or (row[c].gap <= tolerance and not _comes_apart(row[c], threshold))
        closed = closed and not (jumps and mark[c].impacting)
        mark[c].active = 1 if closed else 0
        set_vec3(row[c].offset, ZERO3)
        if not closed:
            mark[c].held = 0.0
        if threshold < math.inf and not jumps:
            mark[c].meets = AT_END if mark[c].impacting else math.inf
        start_beside(row[c], row[c].second, row[c].roll_second, holds_at_end(mark[c]))
        if row[c].resists > 0.0:
            set_vec3(row[c].turn_offset, ZERO3)
        if not closed:
            let_go(row[c])


@inlined_kernel
def _comes_apart(row, threshold):
    """Whether a contact comes apart faster than impacts are told from [m/s], infinite where a part
    ends at none. An impact that drives it together again is followed by one of its own.
    """
    return dot(vec3_of(row.normal), vec3_of(row.before)) > threshold


@inner_kernel
def save_points(contact, jumped, threshold, begin, end):
    """Save the impulses of a part, without those of a jump at its end; the threshold is that of
    impacts [m/s].
    """
    contacts, memory = contact.contacts, contact.memory
    for c in range(begin, end):
        _save_mark(contacts, memory, c)
        memory.mark[c].steady = 1 if is_force(contacts, contact.solver_bodies, c, threshold) else 0
        row = contacts.row[c]
        if not jumped:
            set_vec3(row.second, vec3_of(row.impulse))
            if row.resists > 0.0:
                set_vec3(row.roll_second, vec3_of(row.torque))
        copy_impulses(row, memory.row[c], 1.0, row.resists > 0.0)
        if row.resists == 0.0:
            _save_no_torques(memory.row[c])
    _count_bearing(contacts, begin, end)


@inner_kernel
def save_marks(contact, begin, end):
    """Save the forces at the beginning of a part: impacts at its end are no forces, and a very
    short part cannot tell them.
    """
    contacts, memory = contact.contacts, contact.memory
    for c in range(begin, end):
        _save_mark(contacts, memory, c)
        memory.mark[c].steady = contacts.mark[c].steady
        row, saved = contacts.row[c], memory.row[c]
        set_vec3(saved.first, vec3_of(row.begun))
        set_vec3(saved.second, vec3_of(row.second))
        if row.resists > 0.0:
            set_vec3(saved.roll_first, vec3_of(row.roll_second))
            set_vec3(saved.roll_second, vec3_of(row.roll_second))
        else:
            _save_no_torques(saved)
    _count_bearing(contacts, begin, end)


@inner_kernel
def _count_bearing(contacts, begin, end):
    """Count those of some contacts that bore an impulse at the start of a part, and find the least
    gap of all [m].
    """
    bearing, least = 0.0, math.inf
    for c in range(begin, end):
        row = contacts.row[c]
        if dot(vec3_of(row.first), vec3_of(row.normal)) > 0.0:
            bearing += 1.0
        least = min(least, row.gap)
    chunk = contacts.chunk[begin // CONTACTS]
    chunk[FOUND], chunk[ALSO] = bearing, least


@inlined_kernel
def _save_no_torques(saved):
    """Save (MemoryRow) that a contact has no torques: what its own record has of them is of others
    that were there before.
    """
    set_vec3(saved.roll_first, ZERO3)
    set_vec3(saved.roll_second, ZERO3)


@inner_kernel
def _save_mark(contacts, memory, c):
    """Save which contact c was, and whether it stuck or carried an impulse."""
    row, mark, saved = contacts.row[c], contacts.mark[c], memory.mark[c]
    n, p = vec3_of(row.normal), vec3_of(row.impulse)
    saved.pair, saved.feature = mark.pair, mark.feature
    saved.sticking = 1 if _sticks(n, p, row.friction) else 0
    saved.bore = 1 if bears(contacts.row, c) else 0


@inner_kernel
def _sticks(n, p, friction):
    """Whether an impulse is strictly inside its cone."""
    p_n = dot(n, p)
    return p_n > 0.0 and norm(p - n * p_n) < friction * p_n * (1.0 - _ON_CONE)
