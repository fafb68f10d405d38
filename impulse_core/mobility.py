"""Degrees of freedom, loops and redundancy of a mechanism at its start pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impulse_core.compile import CompiledScene
from impulse_core.jit import kernel
from impulse_core.joints.constraints import joint_directions
from impulse_core.joints.table import ROTATION_ROWS, TRANSLATION_ROWS
from impulse_core.model import Floats, new_workspace
from impulse_core.rotations import conjugated, rotated
from impulse_core.solver.ordering import plan_structure

__all__ = ["Mobility", "mobility"]

_RANK_TOLERANCE = 1e-9  # of mass-weighted rows of length one


@dataclass(frozen=True)
class Mobility:
    """How a mechanism can move.

    Attributes:
        degrees_of_freedom: 6 per dynamic body less the rank of the joints.
        rows: Scalar constraints of all joints.
        rank: How many of them are independent at the start pose.
        loops: Independent closed loops of the body–joint graph, the world being one body.
        redundant_joints: Joints that repeat, wholly or in part, what joints before them hold.
    """

    degrees_of_freedom: int
    rows: int
    rank: int
    loops: int
    redundant_joints: list[int]


def mobility(compiled: CompiledScene) -> Mobility:
    """Count degrees of freedom, and find the joints that add less than their rows.

    Joints on no closed loop are independent, so rows are only compared inside each connected
    part that has loops, by orthogonalising them joint after joint.
    """
    model = compiled.model
    bodies = model.dynamic
    rows = [
        TRANSLATION_ROWS[int(t)] + ROTATION_ROWS[int(r)]
        for t, r in zip(model.translation_part, model.rotation_part, strict=True)
    ]
    components = _components(model.body1.tolist(), model.body2.tolist(), bodies)
    loops = sum(len(joints) - members for members, joints in components)
    lost = 0
    redundant: list[int] = []
    looped = [joints for members, joints in components if len(joints) > members]
    if looped:
        gradients = _ConstraintRows(compiled)
        for joints in looped:
            missing = _missing_rank(gradients, joints)
            lost += sum(missing.values())
            redundant += [joint for joint, count in missing.items() if count]
    rank = sum(rows) - lost
    return Mobility(6 * bodies - rank, sum(rows), rank, loops, sorted(redundant))


def _components(body1: list[int], body2: list[int], world: int) -> list[tuple[int, list[int]]]:
    """Parts joined by joints: number of dynamic bodies, less one where it floats, and joints.

    A floating part has one body more than a tree of joints needs; the world counts as a body
    that separates parts, so a part hung on it twice has a loop.
    """
    parent = list(range(world + 1))

    def find(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for a, b in zip(body1, body2, strict=True):
        if world not in (a, b):
            parent[find(a)] = find(b)
    members: dict[int, int] = {}
    joints: dict[int, list[int]] = {}
    grounded: set[int] = set()
    for body in range(world):
        members[find(body)] = members.get(find(body), 0) + 1
    for j, (a, b) in enumerate(zip(body1, body2, strict=True)):
        root = find(b if a == world else a)
        joints.setdefault(root, []).append(j)
        if world in (a, b):
            grounded.add(root)
    return [
        (count if root in grounded else count - 1, joints.get(root, []))
        for root, count in members.items()
    ]


class _ConstraintRows:
    """Rows of G M^(-1/2) of single joints at the start pose, as sparse pieces per body."""

    def __init__(self, compiled: CompiledScene) -> None:
        self.model = compiled.model
        structure = plan_structure(self.model)
        self.work = new_workspace(self.model, structure, compiled.state)
        _directions(self.model, compiled.state, self.work.now)
        self.orientation = compiled.state.orientation

    def of(self, joint: int, bodies: dict[int, int]) -> Floats:
        """Rows of one joint, shape (rows, 6·len(bodies)), each of length one."""
        m, w = self.model, self.work.now
        t = TRANSLATION_ROWS[int(m.translation_part[joint])]
        r = ROTATION_ROWS[int(m.rotation_part[joint])]
        normals = w.translation_rows[joint].reshape(3, 3)[:t]
        axes = w.rotation_rows[joint].reshape(3, 3)[:r]
        out = np.zeros((t + r, 6 * len(bodies)))
        for sign, body, arm in ((-1.0, m.body1[joint], w.arm1), (1.0, m.body2[joint], w.arm2)):
            if int(body) not in bodies:
                continue
            at = 6 * bodies[int(body)]
            turned = np.concatenate([np.cross(arm[joint], normals), axes]) * sign
            back = np.broadcast_to(conjugated(self.orientation[body]), (t + r, 4))
            out[:t, at : at + 3] = sign * normals * np.sqrt(m.inverse_mass[body])
            out[:, at + 3 : at + 6] = rotated(back, turned) * np.sqrt(m.inverse_inertia[body])
        unit: Floats = out / np.linalg.norm(out, axis=1, keepdims=True)
        return unit


@kernel
def _directions(model, state, directions):
    joint_directions(model, state.position, state.orientation, directions)


def _missing_rank(gradients: _ConstraintRows, joints: list[int]) -> dict[int, int]:
    """For each joint, how many of its rows follow from joints before it."""
    model = gradients.model
    world = model.dynamic
    members = sorted({int(b) for j in joints for b in (model.body1[j], model.body2[j])} - {world})
    columns = {body: k for k, body in enumerate(members)}
    basis = np.zeros((0, 6 * len(members)))
    missing = {}
    for joint in joints:
        rows = gradients.of(joint, columns)
        for _ in range(2):  # twice is enough to be orthogonal to round-off
            rows = rows - (rows @ basis.T) @ basis
        _, sizes, directions = np.linalg.svd(rows, full_matrices=False)
        kept = sizes > _RANK_TOLERANCE
        missing[joint] = int(len(sizes) - kept.sum())
        basis = np.concatenate([basis, directions[kept]])
    return missing
