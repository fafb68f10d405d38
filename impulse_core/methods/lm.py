"""LM4 and its stabilised forms: accelerations by Lagrange multipliers, explicit Runge-Kutta steps.

The joints stay closed if their accelerations do, G v̇ + Ġ v = 0, so with M v̇ = Q + Gᵀλ

    A λ = -Ġ v - G M⁻¹ Q,   A = G M⁻¹ Gᵀ                                    (docs/algorithm.md, 28)

where Q holds gravity, loads and gyroscopic torques; forces along free axes, rotors and velocity
motors are rows of the same system (lm_axes.py). Integrated as they stand (lm4) the joints
drift. Baumgarte's terms (lmbs4) make them attract, velocity correction (lmv4) makes the drift
linear, and projection of the poses after each step (lmvd4, lmvd8) removes it. None of them is
symplectic. Source: SB05, section 3.
"""

from __future__ import annotations

from impulse_core.algebra import ZERO3, Quat, quat_of, set_quat, set_vec3, vec3_at, vec3_of
from impulse_core.forces.loads import factors_at, load_power
from impulse_core.jit import inlined_kernel, inner_kernel, kernel
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    joint_errors,
    relative_velocities,
)
from impulse_core.joints.coupling import coupling_errors, term_rate
from impulse_core.methods.lm_axes import accept_axes, add_axis_rows, axis_powers, level_rows
from impulse_core.methods.lm_corrections import (
    correct_velocities,
    hold_rows,
    present_errors,
    project_poses,
)
from impulse_core.methods.lm_stages import (
    DAMPERS,
    LOADS,
    MOTORS,
    begin_step,
    combine,
    copy_motion,
    take_coordinates,
)
from impulse_core.model.copies import copy_poses
from impulse_core.model.status import COMPLETED, NO_LOAD, OPEN, RATE
from impulse_core.observables.accelerations import (
    angular_accelerations,
    apply_loads,
    joint_accelerations,
)
from impulse_core.observables.invariants import completes
from impulse_core.solver.direct import prepare, solve
from impulse_core.step.fitting import resume

LARGEST_DRIFT = 1.0  # m; SB05 calls a run failed beyond it

__all__ = ["run_explicit_steps"]


@inner_kernel
def _attract(model, along, coupled, stages, work):
    """Add Baumgarte's 2 α G v + β² d with α = β = pull to work.error (docs/algorithm.md, 29).

    Uses work.impulse as scratch.
    """
    stage, pull = stages.stage, stages.pull
    relative_velocities(model, stage, work, work.impulse)
    if along is not None:
        level_rows(model, work.impulse)
    for j in range(len(model.joints)):
        for row in range(6):
            work.error[j, row] += 2.0 * pull * work.impulse[j, row]
    joint_errors(model, stage.bodies, work.impulse)
    coupling_errors(
        model, coupled, stage.bodies, stage.terms.position, work.terms.next, work.impulse
    )
    if along is not None:
        level_rows(model, work.impulse)
    for j in range(len(model.joints)):
        for row in range(6):
            work.error[j, row] += pull * pull * work.impulse[j, row]


@inner_kernel
def _evaluate(model, along, coupled, stages, s, at, weight, prepared, work):
    """Rates of the present stage s, into stages.bodies, axes and terms, and weight [s] times the
    powers there into stages.work: COMPLETED, NO_TARGET or NO_LOAD.

    Args:
        at: Time of the stage, and a time within the step [s].
        prepared: Whether the directions and the factor in work already belong to these poses.
    """
    stage, rate, status = stages.stage, stages.rate, COMPLETED
    copy_poses(stage.bodies, rate.bodies)
    angular_velocities(model, stage, work)
    if not factors_at(model, model.timed, stage, at[0], at[1], work):
        return NO_LOAD
    if len(model.loads):
        stages.work[LOADS] += weight * load_power(model, stage, work)
    apply_loads(model, rate, work)
    angular_accelerations(model, stage, rate, work)
    if len(model.joints):
        if not prepared:
            prepare(model, stages.held, stage, work)
        joint_accelerations(model, stage, rate, work)
        if stages.pull != 0.0:
            _attract(model, along, coupled, stages, work)
        if along is not None:
            status = add_axis_rows(model, stages, s, at[0], at[1], work)
        solve(stages.held, work.error, -1.0, work)
        apply_impulses(model, work.impulse, rate, work)
        if along is not None:
            motors, dampers = axis_powers(model, work)
            stages.work[MOTORS] += weight * motors
            stages.work[DAMPERS] += weight * dampers
    _note_rates(model, coupled, stages, s, work)
    return status


@inner_kernel
def _note_rates(model, coupled, stages, s, work):
    """Rates of bodies and terms at stage s, from the velocities and accelerations of the stage."""
    stage, rate = stages.stage, stages.rate
    for i in range(model.dynamic):
        slope = stages.bodies.slopes[s, i]
        set_vec3(slope.position, vec3_of(stage.bodies[i].velocity))
        set_vec3(slope.velocity, vec3_of(rate.bodies[i].velocity))
        set_vec3(slope.angular_momentum, vec3_of(rate.bodies[i].angular_momentum))
        w = vec3_at(work.angular_velocity, i)
        q = quat_of(stage.bodies[i].orientation)
        set_quat(slope.orientation, Quat(0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z) * q)
    for i in range(model.dynamic, len(model.bodies)):  # the world
        slope = stages.bodies.slopes[s, i]
        set_vec3(slope.position, ZERO3)
        set_quat(slope.orientation, Quat(0.0, 0.0, 0.0, 0.0))
        set_vec3(slope.velocity, ZERO3)
        set_vec3(slope.angular_momentum, ZERO3)
    if coupled is not None:
        for k in range(len(stage.terms)):
            stages.terms.slopes[s, k].position = term_rate(model, k, stage, work)


@inlined_kernel
def _explicit_step(model, along, coupled, structure, stages, state, h, prepared, work, tally):
    """One step: COMPLETED, or why not, with the state before it.

    prepared: whether directions and factor in work are those of the state.
    """
    t = state.clock[0].time
    tally.failure[0].part = 0.0
    stages.bounded[0] = -1
    for kind in range(len(stages.work)):
        stages.work[kind] = 0.0
    copy_motion(along, coupled, state, stages.stage)
    if along is not None and stages.driven:
        if not prepared:
            prepare(model, stages.held, stages.stage, work)
        prepared = True
        status = _correct_velocities(model, along, stages, t, t, h, work, tally)
        if status != COMPLETED:
            return status
    status = _take_stages(model, along, coupled, stages, t, h, prepared, work, tally)
    if status == COMPLETED:
        status = _end_step(model, along, coupled, structure, stages, t, h, work, tally)
    if status == COMPLETED:
        copy_motion(along, coupled, stages.stage, state)
        state.clock[0].time += h
        _note_step(model, stages, tally)
    return status


@inner_kernel
def _take_stages(model, along, coupled, stages, t, h, prepared, work, tally):
    """From the stage at t to that which the formula gives at t+h: COMPLETED, or why not."""
    begin_step(along, coupled, stages)
    for s in range(len(stages.b)):
        if s > 0:
            combine(model, along, coupled, stages, stages.a[s], s, h)
        at = (t + stages.nodes[s] * h, t + 0.5 * h)
        known, weight = prepared and s == 0, h * stages.b[s]
        status = _evaluate(model, along, coupled, stages, s, at, weight, known, work)
        if status != COMPLETED:
            return _name_axis(model, status, stages.nodes[s] * h, work, tally)
    combine(model, along, coupled, stages, stages.b, len(stages.b), h)
    return COMPLETED


@inner_kernel
def _end_step(model, along, coupled, structure, stages, t, h, work, tally):
    """Correct what the method corrects: COMPLETED, or why the step may not stand."""
    failure, totals = tally.failure[0], tally.totals[0]
    if stages.corrects[1]:
        errors = project_poses(model, along, coupled, structure, stages, work, tally)
        limit = stages.tolerance
    else:
        errors = present_errors(model, coupled, stages.stage, work)
        limit = LARGEST_DRIFT
    shift, turn, failure.error, failure.joint = errors
    if not (failure.error <= limit):
        failure.begin = h
        return OPEN
    totals.translation_error = max(totals.translation_error, shift)
    totals.rotation_error = max(totals.rotation_error, turn)
    prepared = stages.corrects[0] == 1 and len(model.joints) > 0
    if prepared:
        prepare(model, stages.held, stages.stage, work)
        status = _correct_velocities(model, along, stages, t, t + h, h, work, tally)
        if status != COMPLETED:
            return status
    else:
        angular_velocities(model, stages.stage, work)
    if coupled is not None:
        take_coordinates(stages.stage, work)
    if along is None:
        return COMPLETED
    at = (t + h, t + 0.5 * h)
    status = _evaluate(model, along, coupled, stages, 0, at, 0.0, prepared, work)
    if status == COMPLETED:
        status = accept_axes(model, stages, work)
    return _name_axis(model, status, h, work, tally)


@inner_kernel
def _correct_velocities(model, along, stages, t, at, h, work, tally):
    """Correct the velocities of the stage at the time ``at`` of a step that begins at t: COMPLETED,
    or RATE where a velocity motor cannot have its way.
    """
    done, slip, axis = correct_velocities(model, along, stages, at, t + 0.5 * h, work)
    stages.work[MOTORS] += done
    if along is None or slip * h <= stages.tolerance:
        return COMPLETED
    work.worst_axis[0], tally.failure[0].error = axis, slip
    return _name_axis(model, RATE, at - t, work, tally)


@inner_kernel
def _name_axis(model, status, begin, work, tally):
    """Note which axis a step failed of, if any, and how far into the step; returns the status."""
    if status != COMPLETED:
        if status != NO_LOAD:
            tally.failure[0].joint = model.axes[work.worst_axis[0]].joint
        tally.failure[0].begin = begin
    return status


@inner_kernel
def _note_step(model, stages, tally):
    """Add what a completed step did to the totals."""
    totals = tally.totals[0]
    totals.work += stages.work[LOADS]
    totals.motor_work += stages.work[MOTORS]
    totals.dissipated += stages.work[DAMPERS]
    if stages.bounded[0] >= 0:
        totals.bounded += 1
        totals.bounded_joint = model.axes[stages.bounded[0]].joint


@kernel
def run_explicit_steps(model, structure, stages, state, steps, work, tally):
    """Take steps; returns how many were completed."""
    return _run(model, stages.along, model.coupled, structure, stages, state, steps, work, tally)


@inner_kernel
def _run(model, along, coupled, structure, stages, state, steps, work, tally):
    h = steps.length
    # after a velocity correction work holds the factor of the first stage of the next step
    prepared = stages.corrects[0] == 1 and work.fits[0] == 1.0
    if work.fits[0] != 1.0:
        resume(model, stages.held, state, work)
    work.fits[0] = 1.0
    if stages.fresh[0] and steps.total > 0:
        hold_rows(model, structure, stages.held, state, work)
        stages.fresh[0] = 0
        prepared = True
    if along is not None and steps.total == 0:
        _find_forces(model, along, coupled, stages, state, h, work)
    for done in range(steps.total):
        if work.stop[0]:
            return done
        if steps.grid >= 0:
            state.clock[0].time = (steps.grid + done) * h
        before = tally.totals[0].corrections
        status = _explicit_step(
            model, along, coupled, structure, stages, state, h, prepared, work, tally
        )
        if status != COMPLETED:
            tally.failure[0].what = status
            return done
        prepared = stages.corrects[0] == 1
        corrections = tally.totals[0].corrections - before
        tally.totals[0].most_corrections = max(tally.totals[0].most_corrections, corrections)
        if not completes(model, state, h, work, tally):
            return done
    return steps.total


@inner_kernel
def _find_forces(model, along, coupled, stages, state, h, work):
    """Forces along the axes at the start of a step, into the state."""
    t = state.clock[0].time
    copy_motion(along, coupled, state, stages.stage)
    _evaluate(model, along, coupled, stages, 0, (t, t + 0.5 * h), 0.0, False, work)
    for k in range(len(model.axes)):
        state.axes[k].force = work.axes[k].spring + work.axes[k].impulse
    work.fits[0] = 0.0
