"""The parts of an impulse step between two solutions of the joint system, for solver sle."""

from __future__ import annotations

from impulse_core.forces.loads import kick, load_power
from impulse_core.free_motion.flow import advance, predict
from impulse_core.jit import kernel
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    joint_directions,
    joint_errors,
    relative_velocities,
)
from impulse_core.observables.invariants import tally_step
from impulse_core.step.fitting import clear
from impulse_core.step.positions import lines_turn_little


@kernel
def find_directions(model, state, work):
    """Directions and angular velocities at the present state, into work."""
    clear(model, state, work)
    joint_directions(model, state.bodies, work.now)
    angular_velocities(model, state, work)


@kernel
def push(model, state, h, work):
    """Let loads act for half a stage; their power before [W]."""
    power = load_power(model, state, work)
    kick(model, state, 0.5 * h, work)
    return power


@kernel
def predicted_errors(model, state, h, work, tally):
    """Apply work.impulse, predict, and write the joint errors into work.error.

    Returns the largest translational error [m], rotational error [rad], the larger of both in
    metres, and its joint. Names a body that would turn too far for a prediction.
    """
    apply_impulses(model, work.impulse, state, work)
    tally.failure[0].body = predict(model, state, h, work)
    return joint_errors(model, work.next, work.error)


@kernel
def take_prediction(model, state, h, work, tally):
    """Advance to the prediction, with loads for half a stage; False if a line turned too far."""
    if not lines_turn_little(model, state, work, tally):
        return False
    advance(model, state, h, work)
    state.clock[0].time += h
    joint_directions(model, state.bodies, work.now)
    kick(model, state, 0.5 * h, work)
    return True


@kernel
def remaining_velocities(model, state, work):
    """Apply work.impulse, and write the relative velocities into work.error; the largest [m/s]."""
    apply_impulses(model, work.impulse, state, work)
    angular_velocities(model, state, work)
    return relative_velocities(model, state, work, work.error)


@kernel
def add_work(model, state, h, power, work, tally):
    """Work of the loads in a stage of length h that began with this power [W]."""
    tally.totals[0].work += 0.5 * h * (power + load_power(model, state, work))


@kernel
def count_step(model, state, work, tally):
    """Add a completed step to the tally."""
    tally_step(model, state, work, tally)
