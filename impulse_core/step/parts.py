"""A stage of bodies that may touch, in parts that end where bodies meet.

Contacts are found at the start of each part. Small groups in which bodies meet go through the stage
in a scene of their own (contact/apart.py), so that the others need not be divided.
"""

from __future__ import annotations

import math

from impulse_core.collision.again import UNFIT, look_again
from impulse_core.collision.contacts import ALSO, FOUND
from impulse_core.collision.detect import detect
from impulse_core.collision.memory import copy_memory
from impulse_core.contact.apart import (
    part_from,
    put_at_end,
    reached,
    touched,
    violation_of_others,
)
from impulse_core.contact.events import note_events
from impulse_core.contact.frozen import thaw
from impulse_core.contact.group_scene import keep_group, load_group
from impulse_core.contact.groups import find_groups
from impulse_core.contact.islands import OTHERS
from impulse_core.contact.jacobian import inertia_of_solver_bodies
from impulse_core.contact.passivity import sum_of_chunks
from impulse_core.contact.restitution import impact_threshold
from impulse_core.contact.sleep import note_resting, wake_reached, wake_touched
from impulse_core.contact.system import motion_of
from impulse_core.contact.time_of_impact import (
    MOST_PARTS,
    Found,
    find_impacts,
    first_trial,
    half_of,
    is_short,
    next_trial,
    penetrates_anew,
    rescale,
    restore_velocities,
    save_velocities,
)
from impulse_core.jit import deferred_kernel, inner_kernel
from impulse_core.jit.team import share
from impulse_core.joints.constraints import angular_velocities
from impulse_core.model.status import COMPLETED, NO_ROOM, UNSETTLED
from impulse_core.model.tasks import BEGIN_POINTS, CONTACTS, SAVE_MARKS, SAVE_POINTS
from impulse_core.step.dividing import restore_totals
from impulse_core.step.judgement import judge, name_missed
from impulse_core.step.jump import jump
from impulse_core.step.limited import close_limits, find_reached
from impulse_core.step.passes import begin_points, save_marks, save_points, search_of
from impulse_core.step.step import Part, begin_stage, first_half, second_half

__all__ = ["advance_in_parts", "take_groups"]

_AXES = 1  # scenes with contacts have the kernels of free axes
_MARGIN = 2.0  # times the tolerance: how far beyond what a step can close points are wanted
_MOST_LOOKS = 2  # for points that were missed, before the step is divided for them
_LAST_LOOKS = 6  # the same in a part that is not divided for them
_UNFIT = 0.25  # of such a part, what is not divided either for points that cannot be added


@inner_kernel
def advance_in_parts(model, structure, contact, apart, state, h, tolerance, work, tally):
    """Advance bodies that do not all rest by h: COMPLETED, or why not."""
    end, left, parts = state.clock[0].time + h, h, 0
    while left > 0.0:
        if not _find_contacts(model, contact, state, left, tolerance, work):
            return NO_ROOM
        if apart is not None and apart.taken[0] > 0 and reached(model, contact, apart):
            apart.open[0] = -1
            return UNSETTLED
        if contact.time_of_impact and parts == 0:
            status, _ = jump(model, structure, contact, state, h, True, tolerance, work, tally)
            if status != COMPLETED:
                return status
        begin_stage(model, _AXES, state, left, work)
        divides = contact.time_of_impact and parts < MOST_PARTS - 1
        length, at_impact, status = _up_to_impact(
            model, structure, contact, apart, state, left, h, divides, tolerance, work, tally
        )
        if status != COMPLETED:
            return status
        last = length == left
        after = end if last else state.clock[0].time + length
        part = Part(length, h, after, parts == 0, at_impact)
        status, jumped = _end_part(model, structure, contact, state, part, tolerance, work, tally)
        if status != COMPLETED:
            return status
        if not last and not contact.divided[0]:
            _keep_memory(contact)
        motion = motion_of(model, state, work)
        _finish_part(contact, motion, state, part, jumped, tally)
        left = 0.0 if last else left - length
        parts += 1
    tally.totals[0].divisions += parts - 1
    if parts == MOST_PARTS:
        tally.totals[0].late += 1
    return COMPLETED


@inner_kernel
def _keep_memory(contact):
    """Keep what is remembered at the start of a stage before it changes within it."""
    copy_memory(contact.memory, contact.earlier)
    contact.divided[0], contact.divided[1] = 1, contact.events.number[0]


@inner_kernel
def _end_part(model, structure, contact, state, part, tolerance, work, tally):
    """The second half of a part, and the jump after it where anything meets: COMPLETED or why not,
    and whether anything jumped.
    """
    h = part.whole
    status = second_half(model, structure, _AXES, contact, state, part, tolerance, work, tally)
    if status != COMPLETED or not contact.time_of_impact or len(model.joints) == 0:
        return status, False
    status, jumped = jump(model, structure, contact, state, h, False, tolerance, work, tally)
    if status == COMPLETED and part.at_impact and not jumped:
        status = judge(contact, model, h, work, tally)
    return status, jumped


@inner_kernel
def _find_contacts(model, contact, state, left, tolerance, work):
    """Contacts of the rest ``left`` of a stage; False if there is not room for all."""
    contacts, sleep, memory = contact.contacts, contact.sleep, contact.memory
    margin = _MARGIN * tolerance
    search = search_of(contact)
    while True:
        if sleep.frozen.used[0] > 0:
            shapes_body, needed = contact.shapes.body, contact.needed
            if not thaw(shapes_body, sleep, memory, contacts, needed):
                return False
        if not detect(model, search, state, sleep.still, left, margin):
            return False
        guesses = len(model.joints) == 0  # nothing jumps before the first half
        _begin_points(model, contact, state, left, guesses, tolerance, work)
        woken = sleep.number[0] > 0 and wake_touched(model, contacts, sleep, left, tolerance, work)
        note_resting(model, sleep, work)
        if not woken:
            return True


@inner_kernel
def _begin_points(model, contact, state, left, guesses, tolerance, work):
    """Directions, velocities, targets and forces of all contacts at the start of what is left of a
    stage, and their first guesses for all of it if they are wanted; needs the angular velocities.
    """
    motion, team = motion_of(model, state, work), contact.team
    inertia_of_solver_bodies(contact.solver_bodies, motion)
    team.number[0], team.number[1], team.number[2] = tolerance, left, 1.0 if guesses else 0.0
    given = contact, motion, tolerance, left, guesses
    contact.contacts.guessed[0], contact.again[0] = left if guesses else 0.0, 0
    share(team, BEGIN_POINTS, 0, contact.contacts.used[0], CONTACTS, begin_points, given)


@inner_kernel
def _overlooked(model, contact, state, part, left, looks, tolerance, work, tally):
    """What the first half over a part of what is left of a stage shows that detection did not
    foresee: COMPLETED or why not, whether bodies that sleep woke for it, and whether points were
    added. In either case all is at the start of the half again, which then is solved anew.
    """
    splits = part > contact.finest
    most = _MOST_LOOKS if splits else _LAST_LOOKS
    added = 0
    sleeping = contact.sleep.number[0] > 0
    if splits or looks < most:
        search = search_of(contact)
        still, allowed = contact.sleep.still, contact.most_left
        added = look_again(model, search, state, work.part, work.next, still, part, allowed)
    woken = sleeping and wake_reached(model, contact.contacts, contact.sleep, tolerance, work)
    missed = added > 0 and looks < most and not woken
    if woken or missed:
        restore_velocities(state, work)
        angular_velocities(model, state, work)
    if woken:
        found = _find_contacts(model, contact, state, left, tolerance, work)
        return COMPLETED if found else NO_ROOM, found, False
    if missed:
        rescale(contact.contacts, left / part)
        _begin_points(model, contact, state, left, False, tolerance, work)
        return COMPLETED, False, True
    if added > 0 or added == UNFIT:
        name_missed(contact, added, tally)
        divided = added > 0 or part > _UNFIT * contact.finest
        return UNSETTLED if divided else COMPLETED, False, False
    return COMPLETED if added == 0 else NO_ROOM, False, False


@inner_kernel
def _up_to_impact(
    model, structure, contact, apart, state, left, h, divides, tolerance, work, tally
):
    """The first half of a part that ends where bodies meet, or of all that is left of a stage:
    the length of the part, whether bodies meet at its end, and COMPLETED or why not.
    """
    contacts, violation = contact.contacts, tally.totals[0].violation
    save_velocities(state, work)
    tried, looks = first_trial(left), 0
    while True:
        contact.closed[0] = 1 if tried.closed else 0
        contact.again[0] = 1 if looks > 0 and not divides else 0
        status = first_half(
            model, structure, _AXES, contact, state, tried.part, tolerance, work, tally
        )
        if status != COMPLETED:
            return tried.part, False, status
        again, at_impact, following = False, False, tried
        if divides:
            again, at_impact, following = _next_trial(
                model, contact, state, tried, left, h, tolerance, work
            )
        if apart is not None and again and apart.open[0] > 0:
            apart.open[0] = 0
            tally.totals[0].violation = violation
            if take_groups(model, contact, apart, state, h, tolerance, work, tally):
                again, at_impact, following = True, False, first_trial(left)
                violation = tally.totals[0].violation
                if _stands(model, contact, work):
                    left_by_others = violation_of_others(model, contact, apart)
                    tally.totals[0].violation = max(violation, left_by_others)
                    again, at_impact, following = _next_trial(
                        model, contact, state, tried, left, h, tolerance, work
                    )
        if not again:
            if apart is not None and apart.taken[0] > 0:
                put_at_end(model, apart, work)
            status, woken, missed = _overlooked(
                model, contact, state, tried.part, left, looks, tolerance, work, tally
            )
            if not (woken or missed):
                return tried.part, at_impact, status
            if apart is not None and apart.taken[0] > 0 and touched(model, contact, apart):
                apart.open[0] = -1
                return tried.part, False, UNSETTLED
            looks = 0 if woken else looks + 1
            tried = first_trial(left)
            tally.totals[0].violation = violation
            continue
        if following.closed:
            close_limits(model, work)
        rescale(contacts, following.part / tried.part)
        tally.totals[0].violation = violation
        restore_velocities(state, work)
        angular_velocities(model, state, work)
        tried = following


@inner_kernel
def _stands(model, contact, work):
    """Whether what a first half found for the bodies that were not taken stands: they are settled
    island by island, none of them meet, no axis reaches a limit, and no kinematic body moves, on
    which those that were taken did work.
    """
    if contact.solver_bodies.counted[OTHERS] > 0:
        return False
    for i in range(model.dynamic, len(model.bodies)):
        if not contact.sleep.still[i]:
            return False
    meeting = 0
    for k in range(len(model.axes)):
        meeting += abs(work.axes[k].open)
    for c in range(contact.contacts.used[0]):
        meeting += contact.contacts.mark[c].impacting
    return meeting == 0


@deferred_kernel("boolean")
def take_groups(model, contact, apart, state, h, tolerance, work, tally):
    """Let groups in which bodies meet within a step of length h go through it by themselves, and
    take them out of the whole scene; False if there are none.
    """
    small, begun = apart.contact, contact.events.number[0]
    if not find_groups(model, contact, apart, state):
        return False
    apart.contacts.used[0] = 0
    for i in range(model.dynamic):
        if not (apart.group[i] == i and apart.meets[i]):
            continue
        events = contact.events.number[0]
        apart.totals[0] = tally.totals[0]
        small.divided[0] = 0
        done = load_group(model, contact, apart, state, work, i)
        if done:
            status = advance_in_parts(
                apart.model, apart.structure, small, None, apart.state, h, tolerance, apart.work,
                tally,
            )  # fmt: skip
            done = status == COMPLETED and keep_group(model, contact, apart, i)
        if not done:
            apart.meets[i] = 0
            restore_totals(apart, tally)
            contact.events.number[0] = events
    if apart.taken[0] == 0:
        return False
    _keep_memory(contact)
    contact.divided[1] = begun
    part_from(model, contact, apart)
    return True


@inner_kernel
def _next_trial(model, contact, state, tried, left, h, tolerance, work):
    """Whether a part must be tried again, since bodies meet within it or overlap at its end; if
    not, whether they meet there; and the next trial.
    """
    contacts, accuracy = contact.contacts, contact.accuracy
    motion = motion_of(model, state, work)
    threshold = impact_threshold(motion, h, accuracy)
    found = Found(0, math.inf, math.inf)
    if not tried.closed:
        found = _both(
            find_impacts(
                contacts, contact.solver_bodies, motion, tried.part, threshold, accuracy, tolerance
            ),
            find_reached(model, tried.part, h, tolerance, work),
        )
    again, at_impact, following = next_trial(
        found, tried, left, h, len(model.joints), accuracy, tolerance
    )
    shapes, sweep, still = contact.shapes, contact.sweep, contact.sleep.still
    if not again and penetrates_anew(
        shapes, sweep, contact.found, contacts, motion, still, following, h, tolerance
    ):
        return True, False, half_of(following)
    return again, at_impact, following


@inner_kernel
def _both(of_contacts, of_limits):
    """What meets, and what reaches a limit."""
    return Found(
        of_contacts.fresh + of_limits.fresh,
        min(of_contacts.least, of_limits.least),
        min(of_contacts.first, of_limits.first),
    )


@inner_kernel
def _finish_part(contact, motion, state, part, jumped, tally):
    """Tell of pairs that begin to touch or part, and save the impulses of contacts for the part
    or step to come: what jumped did so after the forces of the second half.
    """
    contacts, memory = contact.contacts, contact.memory
    note_events(contacts, memory, contact.events, state.clock[0].time)
    impact = (part.at_impact or contact.hit[0] == 1) and not jumped
    if contact.time_of_impact and (impact or is_short(part.length, part.whole)):
        _save_first_impulses(contact, part.length)
    else:
        _save_impulses(contact, motion, state, part.length, jumped)
    _count(contacts, contact.sleep.number[1], tally.totals[0], part.length / part.whole)


@inner_kernel
def _save_impulses(contact, motion, state, h, jumped):
    """Save the impulses of a part of length h, without those of a jump at its end."""
    memory, team = contact.memory, contact.team
    memory.step[0], memory.used[0] = h, contact.contacts.used[0]
    for j in range(len(state.joints)):
        for k in range(6):
            memory.multiplier[j, k] = state.joints[j].multiplier[k]
    threshold = impact_threshold(motion, h, contact.accuracy)
    team.number[0], team.number[1] = 1.0 if jumped else 0.0, threshold
    given = contact, jumped, threshold
    share(team, SAVE_POINTS, 0, memory.used[0], CONTACTS, save_points, given)


@inner_kernel
def _save_first_impulses(contact, h):
    """Save the forces at the beginning of a part of length h, with those of joints."""
    memory = contact.memory
    scale = h / memory.step[0] if memory.step[0] > 0.0 else 0.0
    memory.step[0], memory.used[0] = h, contact.contacts.used[0]
    for j in range(len(memory.multiplier)):
        for k in range(6):
            memory.multiplier[j, k] *= scale
    share(contact.team, SAVE_MARKS, 0, memory.used[0], CONTACTS, save_marks, (contact,))


@inner_kernel
def _count(contacts, asleep, totals, weight):
    """Add the contacts that bear an impulse in a part of a step, with its weight in that, to the
    totals, and the largest penetration of all, as was found when they were saved. ``asleep``: how
    many do of bodies that sleep.
    """
    bearing = asleep + int(sum_of_chunks(contacts, FOUND))
    for k in range((contacts.used[0] + CONTACTS - 1) // CONTACTS):
        totals.deepest = max(totals.deepest, -contacts.chunk[k, ALSO])
    totals.bearing += bearing * weight
    totals.most_bearing = max(totals.most_bearing, bearing)
