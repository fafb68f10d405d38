"""One correction of the joints by their errors, in either half of a stage."""

from __future__ import annotations

from impulse_core.forces.axes import add_axis_impulses
from impulse_core.jit import inner_kernel
from impulse_core.joints.constraints import apply_impulses
from impulse_core.solver.direct import factorise_if_stale, solve
from impulse_core.solver.newton import solve_newton

__all__ = ["add_multipliers", "correct_joints", "leave_at_rest"]


@inner_kernel
def correct_joints(model, structure, state, scale, newton, work):
    """Apply the impulses λ with A λ = scale · work.error, of joints and along free axes; with the
    Newton matrix in place of A if that is prepared. A is factorised first if it has changed.
    """
    if len(model.joints) == 0:
        return
    factorise_if_stale(model, structure, state, work)
    if newton:
        solve_newton(structure, work.error, scale, work)
    else:
        solve(structure, work.error, scale, work)
    apply_impulses(model, work.impulse, state, work)
    add_axis_impulses(model, work)


@inner_kernel
def add_multipliers(model, state, work):
    """Add the solution in work.impulse to the impulses of this half."""
    for j in range(len(model.joints)):
        for row in range(6):
            state.joints[j].multiplier[row] += work.impulse[j, row]


@inner_kernel
def leave_at_rest(model, work):
    """Let joints of machines that sleep have no error, so that none is corrected."""
    for j in range(len(model.joints)):
        if work.resting[j]:
            for row in range(6):
                work.error[j, row] = 0.0
