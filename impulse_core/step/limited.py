"""A stage of a machine whose axes reach limits, in parts that end where they do.

A part is first tried over all that is left of the stage. Axes that a limit had to stop within it
are left open and the part is tried again, shorter, until the first of them is at its limit at the
end (contact/time_of_impact.py). There the velocities jump (jump.py).
"""

from __future__ import annotations

import math

from impulse_core.contact.time_of_impact import (
    MOST_PARTS,
    Found,
    end_of_gap,
    first_trial,
    next_trial,
    restore_velocities,
    save_velocities,
)
from impulse_core.jit import inner_kernel
from impulse_core.joints.constraints import angular_velocities
from impulse_core.model.status import COMPLETED
from impulse_core.step.jump import ACCURACY, jump, slow
from impulse_core.step.step import Part, begin_stage, first_half, second_half

__all__ = ["close_limits", "find_reached", "limited_stage"]


@inner_kernel
def limited_stage(model, structure, axes, state, h, tolerance, work, tally):
    """Advance a consistent state by h, without contacts: COMPLETED, or why not."""
    end, left, parts = state.clock[0].time + h, h, 0
    status, _ = jump(model, structure, None, state, h, True, tolerance, work, tally)
    while left > 0.0 and status == COMPLETED:
        begin_stage(model, axes, state, left, work)
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
            status, _ = jump(model, structure, None, state, h, False, tolerance, work, tally)
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
    """
    accuracy = ACCURACY * tolerance
    save_velocities(state, work)
    tried = first_trial(left)
    while True:
        status = first_half(model, structure, axes, None, state, tried.part, tolerance, work, tally)
        if status != COMPLETED or not divides:
            return tried.part, status
        found = find_reached(model, tried.part, h, tolerance, work)
        again, _, following = next_trial(
            found, tried, left, h, len(model.joints), accuracy, tolerance
        )
        if not again:
            return tried.part, COMPLETED
        if following.closed:
            close_limits(model, work)
        restore_velocities(state, work)
        angular_velocities(model, state, work)
        tried = following


@inner_kernel
def close_limits(model, work):
    """Let every limit act in the first half."""
    for k in range(len(model.axes)):
        work.axes[k].open = 0


@inner_kernel
def find_reached(model, part, h, tolerance, work):
    """Which axes reach a limit within a part [s] that was tried, and when; those that a limit had
    to stop are left open from now on. What rests at a limit reaches none.
    """
    resting = slow(model, h, tolerance)
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
        if not stage.open and gap * axis.length <= tolerance and abs(u) * axis.length <= resting:
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
