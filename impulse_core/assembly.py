"""Before the first step: pull joints together that start slightly apart.

A joint that starts open by more than the tolerance makes the first step differ from all others,
and the energy jump. The correction method itself closes it: impulses that act for one unit of
time on bodies at rest, with the matrix at the present poses (Newton's method on the positions),

    A λ = -d,   ΔC = p/m,   Δθ = J_w⁻¹ ΣL                                   (docs/algorithm.md, 15)

so bodies move in proportion to their mobility, and free ones as little as possible.
"""

from __future__ import annotations

import numpy as np

from impulse_core.algebra import (
    Vec3,
    normalized,
    put_quat,
    put_vec3,
    quat_at,
    rotate,
    rotate_back,
    rotation_of,
    vec3_at,
)
from impulse_core.jit import kernel
from impulse_core.joints.constraints import apply_impulses, joint_errors
from impulse_core.model import Model, State, Structure, Workspace
from impulse_core.solver.direct import prepare, solve

__all__ = ["pull_together"]

_MOST_ITERATIONS = 40
_SAFETY = 1e-3  # aims this far below the tolerance, so that the first step has nothing left to do


def pull_together(
    model: Model, structure: Structure, state: State, tolerance: float, work: Workspace
) -> tuple[float, float]:
    """Close all joints of ``state`` in place; its velocities stay.

    Returns the largest joint error before and after [m], rotations weighed by body length.
    """
    momenta = state.velocity.copy(), state.angular_momentum.copy()
    before, after = _close_joints(model, structure, state, tolerance * _SAFETY, work)
    state.velocity[:], state.angular_momentum[:] = momenta
    return before, after


@kernel
def _close_joints(model, structure, state, tolerance, work):
    first = 0.0
    previous = 1e300
    for iteration in range(_MOST_ITERATIONS):
        _, _, error, _ = joint_errors(model, state.position, state.orientation, work.error)
        if iteration == 0:
            first = error
        if error <= tolerance or not (error < previous):
            return first, error
        previous = error
        prepare(model, structure, state, work)
        solve(structure, work.error, -1.0, work)
        for i in range(len(model.mass)):
            put_vec3(state.velocity, i, Vec3(0.0, 0.0, 0.0))
            put_vec3(state.angular_momentum, i, Vec3(0.0, 0.0, 0.0))
        apply_impulses(model, work.impulse, state, work)
        for i in range(len(model.mass) - 1):
            put_vec3(state.position, i, vec3_at(state.position, i) + vec3_at(state.velocity, i))
            q = quat_at(state.orientation, i)
            L = rotate_back(q, vec3_at(state.angular_momentum, i))
            inverse = vec3_at(model.inverse_inertia, i)
            turn = rotate(q, Vec3(L.x * inverse.x, L.y * inverse.y, L.z * inverse.z))
            put_quat(state.orientation, i, normalized(rotation_of(turn) * q))
    _, _, error, _ = joint_errors(model, state.position, state.orientation, work.error)
    return first, error


def largest_move(before: State, after: State) -> tuple[float, float]:
    """Largest shift [m] and turn [rad] of a body between two states."""
    shift = np.linalg.norm(after.position - before.position, axis=1).max()
    aligned = np.abs(np.einsum("ij,ij->i", after.orientation, before.orientation))
    return float(shift), float(2.0 * np.arccos(np.minimum(aligned, 1.0)).max())
