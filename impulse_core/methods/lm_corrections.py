"""What closes the joints after a step of a multiplier method: of poses, and of velocities."""

from __future__ import annotations

from impulse_core.forces.axes import add_axis_impulses
from impulse_core.jit import inner_kernel
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    joint_errors,
    relative_velocities,
)
from impulse_core.joints.coupling import coupling_errors
from impulse_core.methods.lm_axes import begin_rates, drive_work, level_rows, rate_rows
from impulse_core.model.copies import copy_poses, halt
from impulse_core.solver.direct import prepare, solve
from impulse_core.step.assembly import move_bodies

__all__ = ["correct_velocities", "hold_rows", "present_errors", "project_poses"]

MOST_PROJECTIONS = 20  # of the poses after a step; usual are 1 or 2
VELOCITY_SOLVES = 12  # most solves of a velocity correction where joints close loops

_ALWAYS = 1e300  # floor of a pivot that is always dropped,
_NEVER = 1e-300  # and of one that never is


@inner_kernel
def hold_rows(model, structure, held, state, work):
    """Factorise at closed poses, and let ``held`` drop exactly the rows that are dropped there.

    A row that repeats others does so only while the joints are closed. They open while a step is
    under way, by so much that a repeated row would seem to hold something of its own and
    contradict the others; so rows are told apart at closed poses only.
    """
    prepare(model, structure, state, work)
    for k in range(len(held.pivot_floor)):
        for row in range(3):
            if structure.pivot_floor[k, row] > 0.0:
                dropped = work.block[k, 5 * row] == 0.0
                held.pivot_floor[k, row] = _ALWAYS if dropped else _NEVER


@inner_kernel
def present_errors(model, coupled, stage, work):
    """Errors of joints and couplings of the stage into work.error, and coordinates of the latter's
    terms into work.terms.next. Returns what joint_errors does.
    """
    shift, turn, error, joint = joint_errors(model, stage.bodies, work.error)
    slip, coupling = coupling_errors(
        model, coupled, stage.bodies, stage.terms.position, work.terms.next, work.error
    )
    if slip > error:
        error, joint = slip, coupling
    return max(shift, slip), turn, error, joint


@inner_kernel
def project_poses(model, along, coupled, structure, stages, work, tally):
    """Close the joints of stage by A λ = -d, ΔC = p/m, Δθ = J_w⁻¹ ΣL (docs/algorithm.md, 15).

    The factor of the last stage serves as long as it contracts: that stage lies at the same time,
    so it is close. Returns the errors as joint_errors does; the largest is above the tolerance
    where the joints could not be closed.
    """
    stage, shift = stages.stage, stages.rate
    previous = 1e300
    renewed = False
    for _ in range(MOST_PROJECTIONS):
        errors = present_errors(model, coupled, stage, work)
        error = errors[2]
        if error <= stages.tolerance or not (error < 1e6):
            return errors
        if not (error < 0.1 * previous):
            if renewed and not (error < 0.5 * previous):
                return errors
            renewed = True
            hold_rows(model, structure, stages.held, stage, work)
        previous = error
        if along is not None:
            level_rows(model, work.error)
        solve(structure, work.error, -1.0, work)
        halt(shift.bodies)
        apply_impulses(model, work.impulse, shift, work)
        copy_poses(stage.bodies, shift.bodies)
        move_bodies(model, shift)
        copy_poses(shift.bodies, stage.bodies)
        tally.totals[0].corrections += 1
    return present_errors(model, coupled, stage, work)


@inner_kernel
def correct_velocities(model, along, stages, t, inside, work):
    """A λ = -G v (docs/algorithm.md, 13) for the stage, repeated with the same factor where joints
    close loops. The factor in work must belong to its poses.

    Velocity motors give their axes the rates of their targets at the time t, seen from a time
    ``inside`` the step [s]. Returns the work of that [J]; where their rates stay wrong, by how much
    [m/s] and the axis, else -1.
    """
    structure, state = stages.held, stages.stage
    angular_velocities(model, state, work)
    if along is not None:
        begin_rates(model, state, t, inside, work)
    previous, slip, axis = 1e300, 0.0, -1
    for repetition in range(VELOCITY_SOLVES if structure.has_loops else 1):
        rate = relative_velocities(model, state, work, work.error)
        if along is not None:
            slip, axis = rate_rows(model, work)
            rate = max(rate, slip)
        if repetition > 0 and not (rate < 0.5 * previous):
            break
        previous = rate
        solve(structure, work.error, -1.0, work)
        apply_impulses(model, work.impulse, state, work)
        if along is not None:
            add_axis_impulses(model, work)
        angular_velocities(model, state, work)
    if along is None:
        return 0.0, 0.0, -1
    relative_velocities(model, state, work, work.error)
    slip, axis = rate_rows(model, work)
    return drive_work(model, work), slip, axis
