"""Before the first step, and between steps where the motion of kinematic bodies changes."""

from __future__ import annotations

from impulse_core.forces.axes import measure_axes, release_axes
from impulse_core.free_motion.kinematic import choose_intervals, drive
from impulse_core.jit import kernel
from impulse_core.joints.constraints import angular_velocities, joint_directions
from impulse_core.observables.invariants import energies, tally_start
from impulse_core.solver.direct import prepare, set_compliances
from impulse_core.step.assembly import close_joints
from impulse_core.step.fitting import resume
from impulse_core.step.velocities import correct_velocities
from impulse_core.step.work import read_rates

__all__ = ["begin", "begin_elements", "pass_keyframes"]


@kernel
def begin(model, structure, state, tolerance, work, tally):
    """Make the first state consistent: close the joints, then correct the velocities once.

    Returns the largest joint error before and after [m], rotations weighed by body length, and
    the joint that has it after.
    """
    drive(model, state, state.clock[0].time, work)
    before, after, joint = close_joints(model, structure, state, tolerance, work)
    joint_directions(model, state.bodies, work.now)
    angular_velocities(model, state, work)
    read_rates(model, state, work.axes.rate, work)
    release_axes(model, state, work)
    set_compliances(model, structure, state, work)
    prepare(model, structure, state, work)
    correct_velocities(model, structure, state, 1.0, work, tally)
    state.clock[0].multiplier_step = 0.0
    tally.totals[0].velocity_corrections = 0  # of steps only
    tally_start(model, state, work, tally)
    return before, after, joint


@kernel
def begin_elements(model, state, work, tally):
    """Measure the axes of the consistent first state, whose springs count to its energy."""
    measure_axes(model, state)
    tally_start(model, state, work, tally)


@kernel
def pass_keyframes(model, structure, state, h, work, tally):
    """Before a step of length h: let kinematic bodies take up the motion that holds in it.

    At a keyframe their velocity may jump, and that of the others with it. The joint correction
    would find the same motion, but an impulse does its work at the mean of both velocities, which
    is the change of the kinetic energy (docs/algorithm.md, 37). Steps end at keyframes, so this is
    only called between calls of run_steps, and only compiled for scenes with kinematic bodies.
    """
    if not choose_intervals(model, state, state.clock[0].time + 0.5 * h):
        return
    if work.fits[0] != 1.0:
        resume(model, structure, state, work)
    before, _ = energies(model, state, work)
    read_rates(model, state, work.axes.rate, work)
    release_axes(model, state, work)
    drive(model, state, state.clock[0].time, work)
    set_compliances(model, structure, state, work)
    prepare(model, structure, state, work)
    correct_velocities(model, structure, state, 1.0, work, tally)
    state.clock[0].multiplier_step = 0.0
    after, _ = energies(model, state, work)
    tally.totals[0].kinematic_work += after - before
