"""Before the first step: pull joints together that start slightly apart.

A joint that starts open by more than the tolerance makes the first step differ from all others,
and the energy jump. The correction method itself closes it: impulses that act for one unit of
time on bodies at rest, with the matrix at the present poses (Newton's method on the positions),

    A λ = -d,   ΔC = p/m,   Δθ = J_w⁻¹ ΣL                                   (docs/algorithm.md, 15)

so bodies move in proportion to their mobility, and free ones as little as possible.
"""

from __future__ import annotations

import math

import numpy as np

from impulse_core.algebra import (
    Vec3,
    normalized,
    quat_of,
    rotate,
    rotate_back,
    rotation_of,
    set_quat,
    set_vec3,
    vec3_of,
)
from impulse_core.forces.axes import axis_position
from impulse_core.jit import inner_kernel
from impulse_core.joints.constraints import apply_impulses, joint_errors
from impulse_core.joints.coupling import coupling_errors
from impulse_core.model import State
from impulse_core.model.copies import halt
from impulse_core.solver.direct import prepare, solve
from impulse_core.solver.loose import close_without, errors_of_held_rows
from impulse_core.types import Floats

__all__ = ["close_joints", "move_bodies", "moves"]

_MOST_ITERATIONS = 400
_LARGEST_PULL = 0.05  # of the scene's size, per iteration
_SAFETY = 1e-3  # aims this far below the tolerance, so that the first step has nothing left to do


@inner_kernel
def close_joints(model, structure, state, tolerance, work):
    """Close all joints of state in place; its velocities stay. Where that cannot be done, rows that
    nearly repeat others are let go. An axis beyond a limit is brought back to it.

    Returns the largest joint error before and after [m], rotations weighed by body length, and
    the joint that has it after.
    """
    for i in range(len(model.bodies)):
        set_vec3(work.stage[i].velocity, vec3_of(state.bodies[i].velocity))
        set_vec3(work.stage[i].angular_momentum, vec3_of(state.bodies[i].angular_momentum))
    first = 0.0
    error = 0.0
    joint = -1
    previous = 1e300
    for iteration in range(_MOST_ITERATIONS):
        _, _, error, joint = joint_errors(model, state.bodies, work.error)
        near = state.terms.position
        slip, coupling = coupling_errors(model, model.coupled, state.bodies, near, near, work.error)
        if slip > error:
            error, joint = slip, coupling
        excess, limited = _limit_errors(model, state, work)
        if excess > error:
            error, joint = excess, limited
        if iteration == 0:
            first = error
        closed = error <= tolerance
        if error <= tolerance * _SAFETY or (closed and not (error < previous)):
            break
        previous = error
        prepare(model, structure, state, work)
        # far from closed, a part of the way: the directions turn as the bodies do
        share = min(1.0, _LARGEST_PULL * model.size / error)
        solve(structure, work.error, -share, work)
        halt(state.bodies)
        apply_impulses(model, work.impulse, state, work)
        move_bodies(model, state)
    open_loops = error > tolerance and structure.has_loops
    if open_loops and close_without(model, structure, state, tolerance, work):
        error, joint = errors_of_held_rows(model, work.error, state)
    for i in range(len(model.bodies)):
        set_vec3(state.bodies[i].velocity, vec3_of(work.stage[i].velocity))
        set_vec3(state.bodies[i].angular_momentum, vec3_of(work.stage[i].angular_momentum))
    return first, error, joint


@inner_kernel
def _limit_errors(model, state, work):
    """How far axes are beyond a limit, into work.error, and hold them: the largest [m], rotations
    weighed by body length, and its joint; -1 if none is. Those that were held once stay so, until
    ``release_axes``.
    """
    worst, joint = 0.0, -1
    for k in range(len(model.axes)):
        axis = model.axes[k]
        x = axis_position(model, k, state.bodies, state.axes[k].position)
        bound = min(max(x, axis.lower), axis.upper)
        if axis.lower == -math.inf and axis.upper == math.inf:
            continue
        if abs(x - bound) > 0.0:
            work.compliance[axis.joint, axis.row] = 0.0
        if work.compliance[axis.joint, axis.row] == 0.0:
            nearest = axis.lower if x - axis.lower < axis.upper - x else axis.upper
            work.error[axis.joint, axis.row] = x - nearest
            state.axes[k].position = x
            size = abs(x - bound) * axis.length
            if size > worst:
                worst, joint = size, axis.joint
    return worst, joint


@inner_kernel
def move_bodies(model, state):
    """Let every body move for one unit of time with the velocities the impulses gave it."""
    for i in range(model.dynamic):
        set_vec3(
            state.bodies[i].position,
            vec3_of(state.bodies[i].position) + vec3_of(state.bodies[i].velocity),
        )
        q = quat_of(state.bodies[i].orientation)
        L = rotate_back(q, vec3_of(state.bodies[i].angular_momentum))
        inverse = vec3_of(model.bodies[i].inverse_inertia)
        turn = rotate(q, Vec3(L.x * inverse.x, L.y * inverse.y, L.z * inverse.z))
        set_quat(state.bodies[i].orientation, normalized(rotation_of(turn) * q))


def moves(before: State, after: State) -> tuple[Floats, Floats]:
    """Shift [m] and turn [rad] of every body between two states, shapes (b,)."""
    shift = np.linalg.norm(after.bodies["position"] - before.bodies["position"], axis=1)
    aligned = np.abs(
        np.einsum("ij,ij->i", after.bodies["orientation"], before.bodies["orientation"])
    )
    return shift, 2.0 * np.arccos(np.minimum(aligned, 1.0))
