"""A stage of a machine whose axes reach limits, in parts that end where they do.

A part is first tried over all that is left of the stage. Axes that a limit had to stop within it
are left open and the part is tried again, shorter, until the first of them is at its limit at the
end (contact/time_of_impact.py). There the velocities are first found as if there were no limit, and
then jump at once,

    u⁺ = -e u⁻                                                             (docs/algorithm.md, 67)

with impulses of the joints, of rotors, of limits on which others rest, and of motors without a
largest force. What has a largest force has no impulse at a moment. The impact does the work
Σ p ½(u⁻ + u⁺), which is zero for e = 1.
"""

from __future__ import annotations

import math

from impulse_core.algebra import norm, vec3_at
from impulse_core.contact.time_of_impact import (
    FINEST_JOINTED,
    MOST_PARTS,
    Found,
    Trial,
    end_of_gap,
    first_trial,
    next_trial,
    restore_velocities,
    save_velocities,
)
from impulse_core.forces.force_elements import impact_law, impact_work
from impulse_core.jit import inner_kernel
from impulse_core.joints.constraints import angular_velocities
from impulse_core.model.status import COMPLETED
from impulse_core.step.step import Part, begin_stage, first_half, second_half
from impulse_core.step.velocities import solve_velocities
from impulse_core.step.work import add_forces, read_rates

__all__ = ["limited_stage"]

_ACCURACY = 1e-4  # of the tolerance, to which an axis is at its limit when it bounces


@inner_kernel
def limited_stage(model, structure, axes, state, h, tolerance, work, tally):
    """Advance a consistent state by h, without contacts: COMPLETED, or why not."""
    end, left, parts = state.clock[0].time + h, h, 0
    status = _bounce(model, structure, state, h, tolerance, work, tally)
    while left > 0.0 and status == COMPLETED:
        begin_stage(model, axes, state, work)
        divides = parts < MOST_PARTS - 1
        length, status = _up_to_limit(
            model, structure, axes, state, left, h, divides, tolerance, work, tally
        )
        if status != COMPLETED:
            return status
        last = length == left
        after = end if last else state.clock[0].time + length
        part = Part(length, h, after, parts == 0, False)
        status = second_half(model, structure, axes, None, state, part, tolerance, work, tally)
        if status == COMPLETED:
            status = _bounce(model, structure, state, h, tolerance, work, tally)
        left = 0.0 if last else left - length
        parts += 1
    tally.totals[0].divisions += parts - 1
    if parts == MOST_PARTS:
        tally.totals[0].late += 1
    return status


@inner_kernel
def _up_to_limit(model, structure, axes, state, left, h, divides, tolerance, work, tally):
    """The first half of a part that ends where an axis reaches a limit, or of all that is left: the
    length of the part, and COMPLETED or why not.

    What would be reached in the least part at the end of the stage is left to that part, before
    which it bounces.
    """
    accuracy, least_part = _ACCURACY * tolerance, FINEST_JOINTED * h
    save_velocities(state, work)
    tried = first_trial(left)
    while True:
        status = first_half(model, structure, axes, None, state, tried.part, tolerance, work, tally)
        if status != COMPLETED or not divides:
            return tried.part, status
        found = _find_reached(model, tried.part, h, tolerance, work)
        again, _, following = next_trial(
            found, tried, left, h, len(model.joints), accuracy, tolerance
        )
        if not again:
            return tried.part, COMPLETED
        if following.closed and following.part == left and left > 2.0 * least_part:
            rest = left - least_part
            following = Trial(rest, rest, 0.0, rest, following.number, False)
        elif following.closed:
            _close_limits(model, work)
        restore_velocities(state, work)
        angular_velocities(model, state, work)
        tried = following


@inner_kernel
def _close_limits(model, work):
    """Let every limit act in the first half."""
    for k in range(len(model.axes)):
        work.axes[k].open = 0


@inner_kernel
def _slow(model, h, tolerance):
    """Velocity below which what is at a limit rests there [m/s]: what gravity gives in a step."""
    g = norm(vec3_at(model.gravity.reshape(1, 3), 0))
    return max(g * h, _ACCURACY * tolerance / h)


@inner_kernel
def _find_reached(model, part, h, tolerance, work):
    """Which axes reach a limit within a part [s] that was tried, and when; those that a limit had
    to stop are left open from now on. What rests at a limit reaches none.
    """
    slow = _slow(model, h, tolerance)
    fresh, least, first = 0, math.inf, math.inf
    for k in range(len(model.axes)):
        axis, stage = model.axes[k], work.axes[k]
        side = stage.open
        if side == 0 and stage.vertical and axis.lower < axis.upper:
            if stage.piece[0] == axis.lower:
                side = 1
            elif stage.piece[0] == axis.upper:
                side = -1
        if side == 0:
            continue
        bound = axis.lower if side > 0 else axis.upper
        gap, u = side * (stage.start - bound), side * stage.rate
        if not stage.open and gap * axis.length <= tolerance and abs(u) * axis.length <= slow:
            continue
        push = 0.0 if stage.open else side * stage.impulse
        stage.open = side
        if push > 0.0:
            after = -push * axis.inverse_mass * part
            fresh += 1
        else:  # left open, or at its limit without having been stopped
            after = side * (stage.next - bound)
            least = min(least, after * axis.length)
        first = min(first, end_of_gap(gap, u, (after - gap - u * part) / (part * part)))
    return Found(fresh, least, first)


@inner_kernel
def _bounce(model, structure, state, h, tolerance, work, tally):
    """Reflect the velocities of axes that are at a limit, or would be within the least part of a
    stage of length h: COMPLETED, or which law is not satisfied.

    The impulses are no forces with which the next part could begin.
    """
    angular_velocities(model, state, work)
    read_rates(model, state, work.axes.after, work)
    if not _impact_laws(model, state, h, tolerance, work):
        return COMPLETED
    for j in range(len(model.joints)):
        for row in range(6):
            work.kept_multiplier[j, row] = state.joints[j].multiplier[row]
            state.joints[j].multiplier[row] = 0.0
    work.kinematic_work[0] = 0.0
    status = solve_velocities(model, structure, None, state, h, tolerance, work, tally)
    totals = tally.totals[0]
    motors, dissipated = impact_work(model, work)
    totals.motor_work += motors
    totals.dissipated += dissipated
    add_forces(model, state, False, h, work)
    totals.kinematic_work += work.kinematic_work[0]
    for j in range(len(model.joints)):
        for row in range(6):
            state.joints[j].multiplier[row] = work.kept_multiplier[j, row]
    return status


@inner_kernel
def _impact_laws(model, state, h, tolerance, work):
    """Laws p(u) of an impact, with the velocities before it in next_rate; whether there is one."""
    slow, accuracy = _slow(model, h, tolerance), _ACCURACY * tolerance
    impact = False
    for k in range(len(model.axes)):
        axis, stage, law = model.axes[k], work.axes[k], work.laws[k]
        x, u = state.axes[k].position, stage.after
        stage.next_rate, stage.impulse, stage.begun = u, 0.0, 0.0
        impact_law(model, k, work)
        if not axis.lower < axis.upper:
            continue
        reach = max(accuracy, FINEST_JOINTED * h * abs(u) * axis.length)
        fast = abs(u) * axis.length > slow
        for side in (1, -1):
            gap = (x - axis.lower if side > 0 else axis.upper - x) * axis.length
            if fast and side * u < 0.0 and gap <= reach:
                bound = -axis.restitution * u
                impact = True
            elif not fast and gap <= tolerance:
                bound = 0.0
            else:
                continue
            if side > 0:
                law.lower = bound
            else:
                law.upper = bound
    return impact
