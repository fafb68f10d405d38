"""Kernels of the core that only other kernels call, made callable from tests."""

from __future__ import annotations

import numpy as np

from impulse_core.compile import compile_scene
from impulse_core.forces.axes import axis_position
from impulse_core.geometry.rotations import quaternion_to_matrix
from impulse_core.jit import kernel
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    joint_directions,
    joint_errors,
    relative_velocities,
)
from impulse_core.joints.coupling import coupling_errors
from impulse_core.joints.table import ROTATION_ROWS, TRANSLATION_ROWS
from impulse_core.model import copy_state, new_workspace
from impulse_core.solver.direct import prepare, solve
from impulse_core.solver.layout import plan_structure

__all__ = ["Probe"]


@kernel
def _look(model, state, work):
    """Errors into work.error, directions into work; the largest errors."""
    joint_directions(model, state.bodies, work.now)
    near = state.terms.position
    coupling_errors(model, model.coupled, state.bodies, near, work.terms.next, work.error)
    return joint_errors(model, state.bodies, work.error)


@kernel
def _coordinates(model, state, found):
    for k in range(len(model.axes)):
        found[k] = axis_position(model, k, state.bodies, 0.0)


@kernel
def _rates(model, state, work):
    """G v into work.error, with the directions in work."""
    angular_velocities(model, state, work)
    return relative_velocities(model, state, work, work.error)


@kernel
def _apply(model, impulse, state, work):
    apply_impulses(model, impulse, state, work)


@kernel
def _solve(model, structure, state, work, right_side):
    prepare(model, structure, state, work)
    solve(structure, right_side, 1.0, work)


class Probe:
    """A compiled scene with its structure and workspace, and its kernels one at a time."""

    def __init__(self, scene) -> None:
        self.compiled = compile_scene(scene)
        self.model = self.compiled.model
        self.structure = plan_structure(self.model)
        self.state = copy_state(self.compiled.state)
        self.work = new_workspace(self.model, self.structure, self.state)

    @property
    def used(self):
        """Which of the six rows of each joint exist, shape (m, 6)."""
        used = np.zeros((len(self.model.joints), 6), dtype=bool)
        for j, (t, r) in enumerate(
            zip(
                self.model.joints["translation_part"],
                self.model.joints["rotation_part"],
                strict=True,
            )
        ):
            used[j, : TRANSLATION_ROWS[int(t)]] = True
            used[j, 3 : 3 + ROTATION_ROWS[int(r)]] = True
        return used

    def look(self, state=None):
        """Largest translational, rotational and weighed joint error, and the worst joint."""
        return _look(self.model, state or self.state, self.work)

    def errors(self, state=None):
        """Errors of all joints, shape (m, 6)."""
        self.look(state)
        return np.where(self.used, self.work.error, 0.0)

    def coordinates(self, state=None):
        """Coordinates of all axes, of equal angles those nearest to zero, shape (a,)."""
        found = np.zeros(len(self.model.axes))
        _coordinates(self.model, state or self.state, found)
        return found

    def rates(self):
        """G v of all joints, shape (m, 6), with the directions of the present state."""
        self.look()
        _rates(self.model, self.state, self.work)
        return np.where(self.used, self.work.error, 0.0)

    def apply(self, impulse):
        """Change the momenta by Gᵀλ."""
        self.look()
        _apply(self.model, impulse, self.state, self.work)

    def solve(self, right_side):
        """λ of A λ = right_side, shapes (m, 6)."""
        _solve(self.model, self.structure, self.state, self.work, right_side)
        return np.where(self.used, self.work.impulse, 0.0)

    def gradient(self):
        """G as a dense matrix over the used rows, columns v and ω of each body, world axes.

        Found by giving each body a unit velocity, so it is independent of the solver's blocks.
        """
        keep = copy_state(self.state)
        bodies = self.model.dynamic
        columns = []
        for i in range(bodies):
            inertia = self.world_inertia(i)
            for k in range(6):
                self.state.bodies["velocity"][:] = 0.0
                self.state.bodies["angular_momentum"][:] = 0.0
                if k < 3:
                    self.state.bodies["velocity"][i, k] = 1.0
                else:
                    self.state.bodies["angular_momentum"][i] = inertia[:, k - 3]
                columns.append(self.rates()[self.used])
        self.state.bodies[:] = keep.bodies
        return np.array(columns).T

    def world_inertia(self, i):
        """Inertia of a body in the world, shape (3, 3)."""
        R = quaternion_to_matrix(self.state.bodies["orientation"][i])
        return R @ np.diag(self.model.bodies["inertia"][i]) @ R.T

    def mass_matrix(self):
        """M over all bodies, dense."""
        bodies = self.model.dynamic
        M = np.zeros((6 * bodies, 6 * bodies))
        for i in range(bodies):
            at = 6 * i
            M[at : at + 3, at : at + 3] = self.model.bodies["mass"][i] * np.eye(3)
            M[at + 3 : at + 6, at + 3 : at + 6] = self.world_inertia(i)
        return M
