"""LM4 and its stabilised forms: accelerations by Lagrange multipliers, explicit Runge-Kutta steps.

The joints stay closed if their accelerations do, G v̇ + Ġ v = 0, so with M v̇ = Q + Gᵀλ

    A λ = -Ġ v - G M⁻¹ Q,   A = G M⁻¹ Gᵀ                                    (docs/algorithm.md, 28)

where Q holds gravity, loads and gyroscopic torques. Integrated as they stand (lm4) the joints
drift. Baumgarte's terms (lmbs4) make them attract, velocity correction (lmv4) makes the drift
linear, and projection of the poses after each step (lmvd4, lmvd8) removes it. None of them is
symplectic. Source: SB05, section 3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.algebra import (
    ZERO3,
    Quat,
    normalized,
    quat_of,
    set_quat,
    set_vec3,
    vec3_at,
    vec3_of,
)
from impulse_core.forces.loads import load_power
from impulse_core.jit import inlined_kernel, inner_kernel, kernel
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    joint_errors,
    relative_velocities,
)
from impulse_core.model import BodyState, State, Structure, copy_state
from impulse_core.model.copies import copy_poses, halt
from impulse_core.observables.accelerations import (
    angular_accelerations,
    apply_loads,
    joint_accelerations,
)
from impulse_core.observables.invariants import completes
from impulse_core.solver.direct import prepare, solve
from impulse_core.step.assembly import move_bodies
from impulse_core.step.fitting import resume
from impulse_core.types import Floats, Ints, Records, by_address, new_records

LARGEST_DRIFT = 1.0  # m; SB05 calls a run failed beyond it
MOST_PROJECTIONS = 20  # of the poses after a step; usual are 1 or 2
VELOCITY_SOLVES = 12  # most solves of a velocity correction where joints close loops

_ALWAYS = 1e300  # floor of a pivot that is always dropped,
_NEVER = 1e-300  # and of one that never is

__all__ = ["Stages", "new_stages", "run_explicit_steps"]


@by_address
class Stages(NamedTuple):
    """Coefficients and scratch of an explicit Runge-Kutta step over N = n+1 body rows.

    A packed row holds what BodyState does, body after body, or its rates.
    """

    a: Floats
    """Coefficients, shape (s, s), strictly lower triangular."""
    b: Floats
    """Weights, shape (s,)."""
    pull: float
    """Baumgarte's α = β [1/s], or 0."""
    corrects: Ints
    """1 where velocities and where poses are corrected after each step, shape (2,)."""
    tolerance: float
    """Largest joint error after a correction of poses [m]."""
    held: Structure
    """The structure with pivot floors of its own, for ``_hold_rows``."""
    fresh: Ints
    """1 until it is known which rows repeat others (``_hold_rows``), shape (1,)."""
    start: Floats
    """The state at the start of the step, packed, shape (13N,)."""
    slope: Floats
    """Rates of all stages, packed, shape (s, 13N)."""
    slopes: Records
    """The same as rates of bodies (BodyState), shape (s, N)."""
    packed: Floats
    """The state of the present stage, packed, as ``stage`` holds it."""
    stage: State
    """The state of the present stage."""
    rate: State
    """The poses of ``stage`` with accelerations and torques in place of velocities and momenta."""


def new_stages(
    a: Floats,
    b: Floats,
    state: State,
    structure: Structure,
    *,
    pull: float,
    corrects: Ints,
    tolerance: float,
) -> Stages:
    """Scratch for a state and a tableau; which loads act is that of the state."""
    bodies = len(state.bodies)
    slopes = new_records(BodyState, len(b) * bodies).reshape(len(b), bodies)
    stage = copy_state(state)._replace(loads=state.loads)
    packed = stage.bodies.view(float)
    return Stages(
        a=a,
        b=b,
        pull=pull,
        corrects=corrects,
        tolerance=tolerance,
        held=structure._replace(pivot_floor=structure.pivot_floor.copy()),
        fresh=np.ones(1, dtype=np.int64),
        start=packed.copy(),
        slope=slopes.view(float),
        slopes=slopes,
        packed=packed,
        stage=stage,
        rate=stage._replace(bodies=stage.bodies.copy()),
    )


@inner_kernel
def _attract(model, stages, work):
    """Add Baumgarte's 2 α G v + β² d with α = β = pull to work.error (docs/algorithm.md, 29).

    Uses work.impulse as scratch.
    """
    stage, pull = stages.stage, stages.pull
    relative_velocities(model, stage, work, work.impulse)
    for j in range(len(model.joints)):
        for row in range(6):
            work.error[j, row] += 2.0 * pull * work.impulse[j, row]
    joint_errors(model, stage.bodies, work.impulse)
    for j in range(len(model.joints)):
        for row in range(6):
            work.error[j, row] += pull * pull * work.impulse[j, row]


@inner_kernel
def _evaluate(model, stages, s, prepared, work):
    """Rates of the present stage s, into stages.slopes; returns the power of the loads [W].

    prepared: the directions and the factor in work already belong to these poses.
    """
    stage, rate = stages.stage, stages.rate
    copy_poses(stage.bodies, rate.bodies)
    angular_velocities(model, stage, work)
    power = load_power(model, stage, work) if len(model.loads) else 0.0
    apply_loads(model, rate)
    angular_accelerations(model, stage, rate, work)
    if len(model.joints):
        if not prepared:
            prepare(model, stages.held, stage, work)
        joint_accelerations(model, stage, rate, work)
        if stages.pull != 0.0:
            _attract(model, stages, work)
        solve(stages.held, work.error, -1.0, work)
        apply_impulses(model, work.impulse, rate, work)
    for i in range(model.dynamic):
        slope = stages.slopes[s, i]
        set_vec3(slope.position, vec3_of(stage.bodies[i].velocity))
        set_vec3(slope.velocity, vec3_of(rate.bodies[i].velocity))
        set_vec3(slope.angular_momentum, vec3_of(rate.bodies[i].angular_momentum))
        w = vec3_at(work.angular_velocity, i)
        q = quat_of(stage.bodies[i].orientation)
        set_quat(slope.orientation, Quat(0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z) * q)
    for i in range(model.dynamic, len(model.bodies)):  # the world
        slope = stages.slopes[s, i]
        set_vec3(slope.position, ZERO3)
        set_quat(slope.orientation, Quat(0.0, 0.0, 0.0, 0.0))
        set_vec3(slope.velocity, ZERO3)
        set_vec3(slope.angular_momentum, ZERO3)
    return power


@inner_kernel
def _hold_rows(model, structure, held, state, work):
    """Factorise at closed poses, and let ``held`` drop exactly the rows that are dropped there.

    A row that repeats others does so only while the joints are closed. They open while a step is
    under way, by so much that a repeated row would seem to hold something of its own and
    contradict the others; so rows are told apart at closed poses only.
    """
    prepare(model, structure, state, work)
    for k in range(len(held.pivot_floor)):
        for row in range(3):
            if structure.pivot_floor[k, row] > 0.0:
                dropped = work.block[k, 4 * row] == 0.0
                held.pivot_floor[k, row] = _ALWAYS if dropped else _NEVER


@inner_kernel
def _combine(model, stages, coefficients, count, h):
    """The state start + h Σ coefficients · slopes over the first ``count`` stages, into stage."""
    start, packed, slope = stages.start, stages.packed, stages.slope
    for i in range(len(packed)):
        packed[i] = start[i]
    for s in range(count):
        factor = h * coefficients[s]
        if factor != 0.0:
            for i in range(len(packed)):
                packed[i] += factor * slope[s, i]
    bodies = stages.stage.bodies
    for i in range(model.dynamic):
        set_quat(bodies[i].orientation, normalized(quat_of(bodies[i].orientation)))


@inner_kernel
def _copy_bodies(source, target):
    """Copy poses, velocities and momenta."""
    for i in range(len(source.bodies)):
        target.bodies[i] = source.bodies[i]


@inner_kernel
def _project_poses(model, structure, stages, work, tally):
    """Close the joints of stage by A λ = -d, ΔC = p/m, Δθ = J_w⁻¹ ΣL (docs/algorithm.md, 15).

    The factor of the last stage serves as long as it contracts: that stage lies at the same time,
    so it is close. Returns the errors as joint_errors does; the largest is above the tolerance
    where the joints could not be closed.
    """
    stage, shift = stages.stage, stages.rate
    previous = 1e300
    renewed = False
    for _ in range(MOST_PROJECTIONS):
        errors = joint_errors(model, stage.bodies, work.error)
        error = errors[2]
        if error <= stages.tolerance or not (error < 1e6):
            return errors
        if not (error < 0.1 * previous):
            if renewed and not (error < 0.5 * previous):
                return errors
            renewed = True
            _hold_rows(model, structure, stages.held, stage, work)
        previous = error
        solve(structure, work.error, -1.0, work)
        halt(shift.bodies)
        apply_impulses(model, work.impulse, shift, work)
        copy_poses(stage.bodies, shift.bodies)
        move_bodies(model, shift)
        copy_poses(shift.bodies, stage.bodies)
        tally.totals[0].corrections += 1
    return joint_errors(model, stage.bodies, work.error)


@inner_kernel
def _correct_velocities(model, structure, state, work):
    """A λ = -G v (docs/algorithm.md, 13), repeated with the same factor where joints close loops.

    The factor in work must belong to the poses of state.
    """
    angular_velocities(model, state, work)
    previous = 1e300
    for repetition in range(VELOCITY_SOLVES if structure.has_loops else 1):
        rate = relative_velocities(model, state, work, work.error)
        if repetition > 0 and not (rate < 0.5 * previous):
            break
        previous = rate
        solve(structure, work.error, -1.0, work)
        apply_impulses(model, work.impulse, state, work)
        angular_velocities(model, state, work)


@inlined_kernel
def _explicit_step(model, structure, stages, state, h, prepared, work, tally):
    """One step; False, with the state before it, if a joint is too far open after it."""
    count = len(stages.b)
    _copy_bodies(state, stages.stage)
    for i in range(len(stages.packed)):
        stages.start[i] = stages.packed[i]
    work_done = 0.0
    for s in range(count):
        if s > 0:
            _combine(model, stages, stages.a[s], s, h)
        power = _evaluate(model, stages, s, prepared and s == 0, work)
        work_done += h * stages.b[s] * power
    _combine(model, stages, stages.b, count, h)
    if stages.corrects[1]:
        errors = _project_poses(model, structure, stages, work, tally)
        limit = stages.tolerance
    else:
        errors = joint_errors(model, stages.stage.bodies, work.error)
        limit = LARGEST_DRIFT
    shift, turn, error, joint = errors
    tally.failure[0].joint = joint
    tally.failure[0].error = error
    if not (error <= limit):
        tally.failure[0].begin = h
        return False
    tally.totals[0].translation_error = max(tally.totals[0].translation_error, shift)
    tally.totals[0].rotation_error = max(tally.totals[0].rotation_error, turn)
    tally.totals[0].work += work_done
    _copy_bodies(stages.stage, state)
    state.clock[0].time += h
    if stages.corrects[0] and len(model.joints):
        prepare(model, stages.held, state, work)
        _correct_velocities(model, stages.held, state, work)
    else:
        angular_velocities(model, state, work)
    return True


@kernel
def run_explicit_steps(model, structure, stages, state, h, count, work, tally):
    """Take count steps of length h; returns how many were completed."""
    # after a velocity correction work holds the factor of the first stage of the next step
    prepared = stages.corrects[0] == 1 and work.fits[0] == 1.0
    if work.fits[0] != 1.0:
        resume(model, stages.held, state, work)
    work.fits[0] = 1.0
    if stages.fresh[0] and count > 0:
        _hold_rows(model, structure, stages.held, state, work)
        stages.fresh[0] = 0
        prepared = True
    for done in range(count):
        before = tally.totals[0].corrections
        if work.stop[0] or not _explicit_step(
            model, structure, stages, state, h, prepared, work, tally
        ):
            return done
        prepared = stages.corrects[0] == 1
        tally.totals[0].most_corrections = max(
            tally.totals[0].most_corrections, tally.totals[0].corrections - before
        )
        if not completes(model, state, h, work, tally):
            return done
    return count
