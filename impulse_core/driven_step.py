"""The impulse step of scenes in which something acts on free axes, or in which joints may break.

It is the step of step.py with the force laws of the axes as further rows (docs/algorithm.md,
section 8): in the joint correction they are functions of the coordinates reached, in the velocity
correction of the velocities there. A file of its own, so that scenes of bare joints do not wait
for its compilation.
"""

from __future__ import annotations

from impulse_core.fitting import resume
from impulse_core.free_motion.flow import advance
from impulse_core.invariants import tally_start
from impulse_core.jit import inlined_kernel, inner_kernel, kernel
from impulse_core.joints.axes import (
    GIVE,
    OTHER_MATRIX,
    SAME,
    add_axis_impulses,
    axis_errors,
    measure_axes,
    predict_axes,
    read_axes,
    start_velocities,
)
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    joint_directions,
    relative_velocities,
)
from impulse_core.joints.coupling import accept_coordinates
from impulse_core.joints.elements import (
    element_work,
    first_half_laws,
    motor_without_target,
    second_half_laws,
)
from impulse_core.loads import kick, load_power
from impulse_core.model.tally import LAW, LAW_RATE, RATE
from impulse_core.solver.direct import factorise, solve
from impulse_core.step import (
    VELOCITY_SOLVES,
    correct_joints_regularised,
    lines_turn_little,
    restore,
    save,
    take_steps,
)

_SLACK = 1e-4  # of a compliance, which changes how fast the joint correction converges alone
_MOST_LOOKS = 60  # at the laws in a velocity correction
JOINT_RATE = 1e-3  # part of tolerance / h to which joints must not move after a step


@inlined_kernel
def driven_step(model, structure, state, h, tolerance, work, tally):
    """Advance a consistent state by h; False if joints or force laws could not be satisfied."""
    work.kinematic_work[0] = 0.0
    add_load_work(model, state, h, work, tally)
    for k in range(len(model.axes)):
        work.axes[k].start = state.axes[k].position
    read_rates(model, state, work.axes.rate, work)
    first_half_laws(model, state, h, work)
    axis = motor_without_target(model, work)
    if axis >= 0:
        tally.failure[0].joint = model.axes[axis].joint
        return False
    kick(model, state, 0.5 * h)
    if not correct_joints_regularised(
        axes_residual, add_axis_impulses, model, structure, state, h, tolerance, work, tally
    ):
        if work.worst_axis[0] >= 0:
            tally.failure[0].what = LAW
        return False
    if not lines_turn_little(model, state, work, tally):
        return False
    angular_velocities(model, state, work)
    read_rates(model, state, work.axes.after, work)
    add_element_work(model, h, work.axes.rate, work.axes.next, work, tally)
    add_load_work(model, state, h, work, tally)
    for k in range(len(model.axes)):
        state.axes[k].force = work.axes[k].impulse / h

    advance(model, state, h, work)
    accept_coordinates(model, model.coupled, state, work)
    state.clock[0].time += h
    joint_directions(model, state.bodies, work.now)
    angular_velocities(model, state, work)
    read_rates(model, state, work.axes.next_rate, work)
    add_load_work(model, state, h, work, tally)
    kick(model, state, 0.5 * h)
    second_half_laws(model, state, h, work)
    last = state.clock[0].multiplier_step
    start_velocities(model, state, state.joints.multiplier, h / last if last != 0.0 else 0.0, work)
    state.clock[0].multiplier_step = h
    if not correct_driven_velocities(model, structure, state, h, tolerance, work, tally):
        note_rate(model, work, tally)
        return False
    add_element_work(model, h, work.axes.next_rate, work.axes.after, work, tally)
    for k in range(len(model.axes)):
        state.axes[k].force += work.axes[k].impulse / h
    add_load_work(model, state, h, work, tally)
    tally.totals[0].kinematic_work += work.kinematic_work[0]
    return True


@inner_kernel
def read_rates(model, state, rates, work):
    """Velocities along the axes into rates (a,), with the angular velocities in work."""
    relative_velocities(model, state, work, work.error)
    read_axes(model, work.error, rates)


@inlined_kernel
def axes_residual(model, structure, state, h, error, joint, work):
    """Add the rows of the axes to work.error: the worst error and joint of all rows, and the axis
    in work.worst_axis if it is the error of a law.

    Factorises again where the active piece of a law has another compliance, and returns whether
    any law is on another piece.
    """
    give = GIVE if structure.has_loops else 0.0
    return residual_of_axes(model, structure, give, state, h, error, joint, work)


@inlined_kernel
def residual_of_axes(model, structure, give, state, h, error, joint, work):
    """As axes_residual, with the compliance of vertical pieces."""
    predict_axes(model, state, work)
    residual, axis, change = axis_errors(
        model, state, work.axes.next, h, _SLACK, give, work, work.error
    )
    if change == OTHER_MATRIX:
        factorise(model, structure, state, work)
    work.worst_axis[0] = -1
    if not (residual <= error):
        work.worst_axis[0] = axis
        return residual, model.axes[axis].joint, change != SAME
    return error, joint, change != SAME


@inner_kernel
def add_load_work(model, state, h, work, tally):
    """Half the work of the loads in one half of a stage, by their power before or after it.

    A load acts for h/2 and does the work of the mean of both, as the elements do of theirs: what
    loads and elements do is the change of the energy, whatever jumps in between.
    """
    if len(model.loads):
        tally.totals[0].work += 0.25 * h * load_power(model, state, work)


@inner_kernel
def add_element_work(model, h, before, at, work, tally):
    """Work along the axes in one half of the stage, whose final rates are in work.axes.after: that
    of the motors apart from what friction, dampers and limits dissipate.
    """
    motors, dissipated = element_work(model, h, before, work.axes.after, at, work)
    tally.totals[0].motor_work += motors
    tally.totals[0].dissipated += dissipated


@inlined_kernel
def correct_driven_velocities(model, structure, state, h, tolerance, work, tally):
    """The velocity correction, with force laws along the axes; False if they are not satisfied.

    Begins with the impulses in state.multiplier, which have been applied. With the right pieces
    one solve is exact where the joints close no loop. Where an impulse is just as large as friction
    can be, round-off decides between two pieces, and the law is met by both: the residual tells.
    """
    give = GIVE if structure.has_loops else 0.0
    angular_velocities(model, state, work)
    previous = 1e300
    rate = 0.0
    solves = 0
    for look in range(_MOST_LOOKS):
        rate, change = law_rates(model, state, give, work)
        if look == 0 or change == OTHER_MATRIX:
            factorise(model, structure, state, work)
        if look > 0 and rate * h <= JOINT_RATE * tolerance:
            return True
        if change != SAME:
            solves = 0
        elif look > 0 and (
            not structure.has_loops or solves == VELOCITY_SOLVES or not (rate < 0.5 * previous)
        ):
            return True
        if look == _MOST_LOOKS - 1:
            break
        previous = rate
        solve(structure, work.error, -1.0, work)
        solves += 1
        tally.totals[0].velocity_corrections += 1
        apply_impulses(model, work.impulse, state, work)
        add_axis_impulses(model, work)
        angular_velocities(model, state, work)
        for j in range(len(model.joints)):
            for row in range(6):
                state.joints[j].multiplier[row] += work.impulse[j, row]
    return rate * h <= tolerance


@inner_kernel
def law_rates(model, state, give, work):
    """Rates of the joints and residuals of the laws, into work.error: the largest of all [m/s], and
    what changed with the pieces; its axis in work.worst_axis if it is that of a law.
    """
    rate = relative_velocities(model, state, work, work.error)
    read_axes(model, work.error, work.axes.after)
    residual, axis, change = axis_errors(
        model, state, work.axes.after, 1.0, 0.0, give, work, work.error
    )
    work.worst_axis[0] = axis if residual > rate else -1
    return max(rate, residual), change


@inner_kernel
def note_rate(model, work, tally):
    """Note what a velocity correction left open: a law, or the joint whose rows move most."""
    axis = work.worst_axis[0]
    if axis >= 0:
        tally.failure[0].what = LAW_RATE
        tally.failure[0].joint = model.axes[axis].joint
        return
    tally.failure[0].what = RATE
    for k in range(len(model.axes)):
        work.error[model.axes[k].joint, model.axes[k].row] = 0.0
    fastest = -1.0
    for j in range(len(model.joints)):
        rate = 0.0
        for row in range(6):
            rate += abs(work.error[j, row]) * (model.joints[j].body_length if row >= 3 else 1.0)
        if not (rate <= fastest):
            fastest = rate
            tally.failure[0].joint = j
            tally.failure[0].error = rate


@kernel
def begin_driven(model, state, work, tally):
    """Measure the axes of the consistent first state, whose springs count to its energy."""
    measure_axes(model, state)
    tally_start(model, state, work, tally)


@kernel
def run_driven_steps(model, structure, state, h, count, grid, fractions, tolerance, work, tally):
    """take_steps with the driven step."""
    return take_steps(
        driven_step,
        save,
        restore,
        resume,
        model,
        structure,
        state,
        h,
        count,
        grid,
        fractions,
        tolerance,
        work,
        tally,
    )
