"""Degrees of freedom, loops and redundancy of a mechanism at its start pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impulse_core.compile import CompiledScene
from impulse_core.jit import kernel
from impulse_core.joints.table import (
    COUPLING,
    LENGTH,
    OFFSET,
    ROTATION_ROWS,
    SWING,
    TRANSLATION_ROWS,
)
from impulse_core.model import new_workspace
from impulse_core.solver.direct import prepare
from impulse_core.solver.layout import plan_structure
from impulse_core.types import Ints

__all__ = ["Mobility", "mobility"]

_ROWS_OF_BITS = np.array([0, 1, 1, 2, 1, 2, 2, 3])


@dataclass(frozen=True)
class Mobility:
    """How a mechanism can move.

    Attributes:
        degrees_of_freedom: 6 per dynamic body less the rank of the joints.
        rows: Scalar constraints of all joints.
        rank: How many of them are independent at the start pose.
        loops: Independent closed loops of the body–joint graph, the world being one body.
        redundant_joints: Joints that repeat, wholly or in part, what others hold. Of those that
            repeat each other it is the last in the order of elimination: the later in the scene
            of two that are otherwise alike.
    """

    degrees_of_freedom: int
    rows: int
    rank: int
    loops: int
    redundant_joints: list[int]


def mobility(compiled: CompiledScene) -> Mobility:
    """Count degrees of freedom, and find the joints that add less than their rows.

    The factorisation of the joint matrix drops the rows that repeat rows before them, so its cost
    is that of one step (docs/design/direct-solver.md).
    """
    model = compiled.model
    translations = np.array(
        [TRANSLATION_ROWS[int(t)] for t in model.joints["translation_part"]], dtype=int
    )
    rotations = np.array([ROTATION_ROWS[int(r)] for r in model.joints["rotation_part"]], dtype=int)
    rows = int(translations.sum() + rotations.sum())
    dropped = _dropped_rows(compiled, translations, rotations)
    rank = rows - int(dropped.sum())
    joins = ~np.isin(model.joints["translation_part"], (COUPLING, LENGTH, OFFSET))
    joins &= model.joints["rotation_part"] != SWING
    loops = _loops(
        model.joints["body1"][joins].tolist(), model.joints["body2"][joins].tolist(), model.dynamic
    )
    redundant = np.unique(compiled.row_owner[np.flatnonzero(dropped)]).tolist()
    return Mobility(6 * model.dynamic - rank, rows, rank, loops, redundant)


def _loops(body1: list[int], body2: list[int], world: int) -> int:
    """Joints beyond those that a tree of the same bodies would have."""
    parent = list(range(world + 1))

    def find(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    closing = 0
    for a, b in zip(body1, body2, strict=True):
        root_a, root_b = find(min(a, world)), find(min(b, world))
        closing += root_a == root_b
        parent[root_a] = root_b
    return closing


def _dropped_rows(compiled: CompiledScene, translations: Ints, rotations: Ints) -> Ints:
    """How many rows of each joint repeat others at the start pose, shape (m,).

    The two say how many rows the parts of each joint have. Free axes have a place in the matrix as
    well, which may be dropped beside a far larger pivot; that repeats nothing.
    """
    structure = plan_structure(compiled.model)
    work = new_workspace(compiled.model, structure, compiled.state)
    work.compliance[:] = (
        structure.joints["padding"] * structure.joints["row_scale"]
    )  # comparable with real pivots
    _factorise(compiled.model, structure, compiled.state, work)
    # joints without such a part have node -1, which reads the zero put behind the last
    dropped = np.append(_ROWS_OF_BITS[work.dropped], 0)
    of_translations = np.minimum(dropped[structure.joints["translation_node"]], translations)
    of_rotations = np.minimum(dropped[structure.joints["rotation_node"]], rotations)
    rows: Ints = of_translations + of_rotations
    return rows


@kernel
def _factorise(model, structure, state, work):
    prepare(model, structure, state, work)
