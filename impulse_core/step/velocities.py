"""Velocity-level solve: the impulses at t+h after which nothing moves against a law (13).

It begins with impulses that have acted before. With the right pieces of the force laws one solve is
exact where joints close no loop; where they do, weak rows amplify round-off, and it is repeated
with the same factor until the residual stops falling. Where an impulse is just as large as friction
can be, round-off decides between two pieces, and the law is met by both: the residual tells.
"""

from __future__ import annotations

from impulse_core.contact.restitution import approach_velocities_now, count_meeting_now
from impulse_core.contact.system import motion_of
from impulse_core.forces.axes import (
    OTHER_MATRIX,
    SAME,
    add_axis_impulses,
    axis_errors,
    give_of_axes,
    less_give,
    read_axes,
    rotor_errors,
    start_velocities,
)
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    relative_velocities,
)
from impulse_core.model.status import COMPLETED, LAW_RATE, NO_ROOM, RATE, STOPPED, UNSETTLED
from impulse_core.solver.direct import factorise_if_stale, solve
from impulse_core.step.accuracy import leaves_too_much, misses
from impulse_core.step.contacts import (
    add_restitution,
    begin_contacts,
    begin_restitution,
    check_velocities,
    correct_contacts,
)
from impulse_core.step.corrections import add_multipliers, correct_joints, leave_at_rest
from impulse_core.step.descent import PLAIN_ITERATIONS, descend
from impulse_core.step.dividing import MOST_OF_AN_ATTEMPT
from impulse_core.step.judgement import name_unsettled
from impulse_core.step.small_islands import settle_velocities

__all__ = ["JOINT_RATE", "THOROUGHLY", "begin_velocities", "correct_velocities", "solve_velocities"]

MOST_SOLVES = 12  # with one factor where joints close loops
JOINT_RATE = 1e-3  # part of tolerance / h to which joints must not move after a step
_ALIKE = 0.1  # of a residual: how near it is to that of two rounds before where these repeat
THOROUGHLY = 1e-3  # of a residual, to which what is at rest is corrected if at all
_MOST_ITERATIONS = PLAIN_ITERATIONS + MOST_SOLVES  # at the laws
_MOST_ROUNDS = 54  # plain ones, those of contacts in turns with descents, and what axes need then
_LAST_OF_CONTACTS = 2 * PLAIN_ITERATIONS  # round; the laws along axes are then met by themselves


@deferred_kernel("none")
def correct_velocities(model, structure, state, h, work, tally):
    """Remove relative velocities along the joints' directions: A λ = -G v (13).

    Nothing but rotors acts along axes, if there are any (``release_axes``).
    """
    angular_velocities(model, state, work)
    if len(model.joints) == 0:
        return
    previous = 1e300
    for repetition in range(MOST_SOLVES if structure.has_loops else 1):
        rate = relative_velocities(model, state, work, work.error)
        if repetition > 0 and not (rate < 0.5 * previous):
            break
        previous = rate
        rotor_errors(model, work)
        solve(structure, work.error, -1.0, work)
        add_axis_impulses(model, work)
        tally.totals[0].velocity_corrections += 1
        apply_impulses(model, work.impulse, state, work)
        angular_velocities(model, state, work)
        for j in range(len(model.joints)):
            for row in range(6):
                before = state.joints[j].multiplier[row] if repetition else 0.0
                state.joints[j].multiplier[row] = before + work.impulse[j, row]
    state.clock[0].multiplier_step = h


@inner_kernel
def begin_velocities(contact, model, state, h, at_impact, work):
    """Begin with the impulses of joints in the second half of the last stage, scaled to the length
    of this one, and of axes in the first.
    """
    if contact is None:
        last = state.clock[0].multiplier_step
        scale = h / last if last != 0.0 else 0.0
        start_velocities(model, state, state.joints.multiplier, scale, work)
    else:
        last = contact.memory.step[0]
        scale = h / last if last > 0.0 else 0.0
        start_velocities(model, state, contact.memory.multiplier, scale, work)
        if count_meeting_now(contact.contacts, at_impact) > 0:
            angular_velocities(model, state, work)
            approach_velocities_now(contact.contacts, motion_of(model, state, work), at_impact)
    state.clock[0].multiplier_step = h


@deferred_kernel("int64")
def solve_velocities(model, structure, contact, state, h, tolerance, enough, work, tally):
    """COMPLETED, or which law is not satisfied; h is the length of the whole stage, ``enough`` the
    rate that laws need not be met beyond [m/s].

    Where contacts were hit, restitution follows the compression, and the law of all others is
    solved for in turn.
    """
    if not begin_contacts(contact, model, state, False, work):
        return NO_ROOM
    status = _iterate(model, structure, contact, state, h, tolerance, enough, work, tally)
    if status == COMPLETED and add_restitution(contact, model, state, h, work):
        factorise_if_stale(model, structure, state, work)
        if not begin_restitution(contact, model, structure, state, work):
            return NO_ROOM
        status = _iterate(model, structure, contact, state, h, tolerance, enough, work, tally)
    return status


@inner_kernel
def _iterate(model, structure, contact, state, h, tolerance, enough, work, tally):
    """The same without restitution."""
    totals = tally.totals[0]
    has_joints = len(model.joints) > 0
    before, previous, rate, violation = 1e300, 1e300, 0.0, 0.0
    solves, change = 0, SAME
    rounds, descended, anew = 0, False, True
    last = totals.velocity_corrections + MOST_OF_AN_ATTEMPT
    agrees = work.still[0] and not state.clock[0].corrected  # with the first half, as it is
    give = give_of_axes(structure, contact)
    most = _MOST_ITERATIONS if contact is None else _MOST_ROUNDS
    settle_velocities(contact, model, state, h, work, tally)
    for iteration in range(most):
        if work.stop[0]:
            return STOPPED
        angular_velocities(model, state, work)
        if has_joints:
            rate, change, give = _look(
                model, contact, give, iteration == 0, previous, enough, state, work
            )
            if iteration == 0 or change == OTHER_MATRIX:
                work.factored[0] = 0
        violation, kept = check_velocities(contact, model, state, h, rounds, work, tally)
        if change != SAME:
            solves = 0
        met = rate <= (THOROUGHLY * enough if work.still[0] and iteration > 0 else enough)
        sure = iteration >= PLAIN_ITERATIONS and (change != SAME or work.worst_axis[0] >= 0)
        if not met and change == SAME and iteration > 0:  # as well as it can be
            if contact is None and not structure.has_loops:
                met = True
            elif work.worst_axis[0] < 0 or iteration > PLAIN_ITERATIONS:
                met = not (rate < 0.5 * previous) or (contact is None and solves == MOST_SOLVES)
        if sure and change != SAME and contact is not None:
            met = met or _repeats(rate, before, tolerance / h)
        if met and kept and (iteration > 0 or agrees or not has_joints):
            return COMPLETED if _settles(contact, violation, h, not anew, tally) else UNSETTLED
        if iteration == most - 1:
            break
        before, previous = previous, rate
        if sure and not descended:
            if totals.velocity_corrections >= last:
                break
            totals.velocity_corrections += _descend(model, structure, state, enough, anew, work)
            if anew:
                rounds = 1  # contacts have all of theirs again, in turns with descents
            descended, anew = contact is not None and rounds < _LAST_OF_CONTACTS, False
            continue
        descended = False
        correct_joints(model, structure, state, -1.0, False, work)
        add_multipliers(model, state, work)
        if rounds < _LAST_OF_CONTACTS:
            new = iteration == 0 or change == OTHER_MATRIX
            correct_contacts(contact, model, structure, state, h, new, True, work, tally)
        totals.velocity_corrections += 1
        solves += 1
        rounds += 1
    if not _settles(contact, violation, h, not anew, tally):
        return UNSETTLED
    return COMPLETED if rate * h <= tolerance else _what_moves(model, work, tally)


@inlined_kernel
def _repeats(rate, before, most):
    """Whether a residual that is small enough [m/s] is that of two looks before: pieces take turns,
    by one of which the law is met.
    """
    return abs(rate - before) <= _ALIKE * rate and rate <= most


@inner_kernel
def _settles(contact, violation, h, in_turns, tally):
    """Whether what contacts lack [m/s] is no reason to divide the stage, and then noted; else the
    worst is named. What is far too much, or solved for in turns with descents, may run in a circle,
    from which a shorter stage is mostly free.
    """
    way = violation * h
    if misses(contact, way, h) or (in_turns and leaves_too_much(contact, way, h, h)):
        name_unsettled(contact, tally)
        return False
    tally.totals[0].violation = max(tally.totals[0].violation, way)
    return True


@inner_kernel
def _descend(model, structure, state, enough, first, work):
    """Meet the laws to ``enough`` [m/s] with contacts as they are; returns the number of steps."""
    for k in range(len(model.axes)):
        work.axes[k].at = work.axes[k].after
    return descend(model, structure, state, 1.0, 0.5 * enough, first, True, work)


@inner_kernel
def _look(model, contact, give, first, previous, enough, state, work):
    """Rates of the joints and residuals of the laws, what changed with the pieces, and what these
    give: less where bodies touch and the last round gained little.
    """
    rate, change = _law_rates(model, give, first, state, work)
    sticks = contact is not None and change == SAME and work.worst_axis[0] >= 0
    less = less_give(give, rate, previous, enough) if sticks else give
    if less < give:
        rate, change = _law_rates(model, less, False, state, work)
    return rate, change, less


@inner_kernel
def _law_rates(model, give, first, state, work):
    """Rates of the joints and residuals of the laws, into work.error: the largest of all [m/s], and
    what changed with the pieces; its axis in work.worst_axis if it is that of a law. ``give``: of
    vertical pieces, relative to the inverse mass.
    """
    rate = relative_velocities(model, state, work, work.error)
    leave_at_rest(model, work)
    read_axes(model, work.error, work.axes.after)
    residual, axis, change = axis_errors(
        model, state, work.axes.after, 1.0, 0.0, give, first, work, work.error
    )
    work.worst_axis[0] = axis if residual > rate else -1
    return max(rate, residual), change


@inner_kernel
def _what_moves(model, work, tally):
    """LAW_RATE or RATE: the joint of the open law, or that whose rows move most, is named."""
    failure, axis = tally.failure[0], work.worst_axis[0]
    if axis >= 0:
        failure.joint = model.axes[axis].joint
        return LAW_RATE
    for k in range(len(model.axes)):
        work.error[model.axes[k].joint, model.axes[k].row] = 0.0
    fastest = -1.0
    for j in range(len(model.joints)):
        rate = 0.0
        for row in range(6):
            rate += abs(work.error[j, row]) * (model.joints[j].body_length if row >= 3 else 1.0)
        if not (rate <= fastest):
            fastest = rate
            failure.joint, failure.error = j, rate
    return RATE
