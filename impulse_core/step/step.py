"""The impulse step: RATTLE on rigid bodies with the exact free motion as drift.

It is symmetric, symplectic, of order two, without constraint drift (docs/algorithm.md, section 3).
Force laws of free axes (section 8) and contacts (section 11) are further equations of both halves:
of the coordinates, gaps and ways of sliding at t+h in the first, of the velocities there in the
second.

``axes`` and ``contact`` are None in scenes without them, and kernels are then compiled without what
they need.
"""

from __future__ import annotations

from typing import NamedTuple

from impulse_core.algebra import norm, vec3_of
from impulse_core.forces.force_elements import (
    first_half_laws,
    motor_without_target,
    second_half_laws,
)
from impulse_core.forces.loads import factors_at, kick
from impulse_core.free_motion.flow import advance
from impulse_core.jit import deferred_kernel, inner_kernel
from impulse_core.joints.constraints import angular_velocities, joint_directions
from impulse_core.joints.coupling import accept_coordinates
from impulse_core.model.status import COMPLETED, LINE, NO_LOAD, NO_TARGET
from impulse_core.solver.direct import prepare
from impulse_core.step.accuracy import note_left_open
from impulse_core.step.contacts import (
    begin_first_half,
    begin_second_half,
    close_first_half,
    close_second_half,
    let_sleep,
    note_motion,
)
from impulse_core.step.positions import lines_turn_little, solve_positions
from impulse_core.step.velocities import (
    JOINT_RATE,
    begin_velocities,
    correct_velocities,
    solve_velocities,
)
from impulse_core.step.work import (
    add_element_work,
    add_forces,
    add_load_work,
    add_work_over_stage,
    note_load_power,
    read_rates,
)

__all__ = ["Part", "begin_stage", "first_half", "impulse_step", "second_half"]


class Part(NamedTuple):
    """A stage, or a part of one that ends where bodies meet."""

    length: float
    """[s]."""
    whole: float
    """Length of the whole stage [s]."""
    end: float
    """Time at its end [s]."""
    first: bool
    """Whether it is the first of the stage."""
    at_impact: bool
    """Whether it ends where bodies meet; those that joints hold do so in a jump (jump.py)."""


@inner_kernel
def impulse_step(model, structure, axes, contact, state, h, tolerance, work, tally):
    """Advance a consistent state by a stage of length h: COMPLETED, or why not."""
    begin_stage(model, axes, state, h, work)
    end = state.clock[0].time + h
    status = first_half(model, structure, axes, contact, state, h, tolerance, work, tally)
    if status == COMPLETED:
        part = Part(h, h, end, True, False)
        status = second_half(model, structure, axes, contact, state, part, tolerance, work, tally)
    return status


@inner_kernel
def begin_stage(model, axes, state, h, work):
    """Coordinates and velocities along the axes, and the power of the loads, at t of a stage of
    length h.
    """
    if axes is not None:
        for k in range(len(model.axes)):
            work.axes[k].start = state.axes[k].position
            work.axes[k].open = 0
        read_rates(model, state, work.axes.rate, work)
    t = state.clock[0].time
    factors_at(model, model.timed, state, t, t + h, work)
    note_load_power(model, state, work)


@deferred_kernel("int64")
def first_half(model, structure, axes, contact, state, h, tolerance, work, tally):
    """Find the impulses at t and the poses at t+h, which are left in work (7, 12, 33, 45)."""
    work.kinematic_work[0] = 0.0
    if axes is not None:
        first_half_laws(model, state, h, work)
        axis = motor_without_target(model, work)
        if axis >= 0:
            tally.failure[0].joint = model.axes[axis].joint
            return NO_TARGET
    if not _loads_have_values(model, state, h, work):
        return NO_LOAD
    may_rest = contact is None and axes is not None
    at_rest = may_rest and _begins_at_rest(model, state, h, tolerance)
    work.still[0] = 1 if at_rest else 0
    begin_first_half(contact, model, state, h, work)
    kick(model, state, 0.5 * h, work)
    note_motion(contact, model, state, work)
    return solve_positions(model, structure, axes, contact, state, h, tolerance, work, tally)


@deferred_kernel("int64")
def second_half(model, structure, axes, contact, state, part, tolerance, work, tally):
    """Move on to t+h, and find the impulses there (13): COMPLETED, or why not."""
    h = part.length
    if not lines_turn_little(model, state, work, tally):
        return LINE
    if len(model.joints):
        note_left_open(model, structure, part.whole, tally)
    if axes is not None:
        angular_velocities(model, state, work)
        read_rates(model, state, work.axes.after, work)
        add_element_work(model, h, work.axes.rate, work.axes.next, work, tally)
        add_forces(model, state, part.first, part.whole, work)
        add_load_work(model, state, h, work, tally)
    close_first_half(contact, model, state, h, work, tally)

    advance(model, state, h, work)
    let_sleep(contact, model, state, work)
    accept_coordinates(model, model.coupled, state, work)
    state.clock[0].time = part.end
    factors_at(model, model.timed, state, part.end, part.end - h, work)

    if axes is None:
        prepare(model, structure, state, work)
    else:
        joint_directions(model, state.bodies, work.now)
        angular_velocities(model, state, work)
    jumps = part.at_impact and len(model.joints) > 0
    begin_second_half(contact, model, state, part, jumps, tolerance, work)
    if axes is not None:
        read_rates(model, state, work.axes.next_rate, work)
        note_load_power(model, state, work)
    kick(model, state, 0.5 * h, work)
    note_motion(contact, model, state, work)
    if axes is None:
        correct_velocities(model, structure, state, h, work, tally)
    else:
        second_half_laws(model, state, h, work)
        begin_velocities(contact, model, state, h, part.at_impact and not jumps, work)
        enough = JOINT_RATE * tolerance / part.whole
        status = solve_velocities(
            model, structure, contact, state, part.whole, tolerance, enough, work, tally
        )
        if status != COMPLETED:
            return status
        add_element_work(model, h, work.axes.next_rate, work.axes.after, work, tally)
        add_forces(model, state, False, part.whole, work)
    status = close_second_half(contact, model, state, part.whole, jumps, work, tally)
    if status == COMPLETED:
        if axes is None:
            add_work_over_stage(model, state, h, work, tally)
        else:
            add_load_work(model, state, h, work, tally)
        tally.totals[0].kinematic_work += work.kinematic_work[0]
    return status


@inner_kernel
def _loads_have_values(model, state, h, work):
    """Whether the factors of all active loads are finite at both ends of a stage of length h; those
    at t are left in work.load_factor.
    """
    t = state.clock[0].time
    there = factors_at(model, model.timed, state, t + h, t, work)
    return factors_at(model, model.timed, state, t, t + h, work) and there


@inner_kernel
def _begins_at_rest(model, state, h, way):
    """Whether no point of a body would move further than a way in a stage of length h [m]."""
    if model.dynamic < len(model.bodies) - 1:
        return False
    for i in range(model.dynamic):
        turn = norm(vec3_of(state.bodies[i].angular_momentum))
        softest = vec3_of(model.bodies[i].inverse_inertia)
        turn *= max(softest.x, softest.y, softest.z)
        if not ((norm(vec3_of(state.bodies[i].velocity)) + model.size * turn) * abs(h) <= way):
            return False
    return True
