"""Why a scene cannot start as it is, and how far bodies are moved so that it can."""

from __future__ import annotations

from typing import Any

import numpy as np

from impulse_core.compile import CompiledScene, Problem, Scene, SceneError
from impulse_core.compile.problems import BAD_JOINT, OVERLAP, ProblemList, problem_at
from impulse_core.model import State, Structure
from impulse_core.simulation.names import Names
from impulse_core.step.assembly import moves
from impulse_core.types import Floats

__all__ = ["changes_at_start", "open_joint", "overlap_problems", "refuse_overconstraint"]


def changes_at_start(
    compiled: CompiledScene,
    given: State,
    state: State,
    errors: tuple[float, float],
    tolerance: float,
) -> dict[str, Any]:
    """What closing the joints changed of a given state, whose largest error [m] was the first and
    is the second: the figures ``start`` of a report.
    """
    shift, turn = moves(given, state)
    change = (state.bodies["velocity"] - given.bodies["velocity"])[: compiled.model.dynamic]
    before, after = errors
    return {
        "joint_error_before_m": before,
        "joint_error_after_m": after,
        "max_shift_m": float(shift.max()),
        "max_turn_rad": float(turn.max()),
        "max_velocity_change_m_s": float(np.linalg.norm(change, axis=1).max(initial=0.0)),
        "moved_bodies": _moved_bodies(compiled, shift, turn) if before > tolerance else {},
    }


def _moved_bodies(
    compiled: CompiledScene, shift: Floats, turn: Floats
) -> dict[str, dict[str, float]]:
    """How far closing the joints moved each body [m] and turned it [rad], by rows (b,)."""
    rows = zip(compiled.body_names, compiled.body_row, strict=True)
    return {
        name: {"shift_m": float(shift[row]), "turn_rad": float(turn[row])}
        for name, row in rows
        if row < compiled.model.dynamic
    }


def open_joint(scene: Scene, names: Names, j: int, error: float) -> Problem:
    """The joint of row j, which stays open by an error [m]."""
    return problem_at(
        scene,
        ("joints", names.owner(j)),
        BAD_JOINT,
        f"{names.described(j)} stays {error:.3g} m apart however the bodies are moved: the"
        " joints or limits contradict each other, or a part cannot reach",
        "Move the bodies nearer to a pose that fits, or correct the joints",
    )


def refuse_overconstraint(compiled: CompiledScene, structure: Structure, state: State) -> None:
    """Raise for couplings that hold still what the other joints let move."""
    if len(compiled.model.couplings.joint):
        from impulse_core.analysis.overconstraint import overconstraint_problem

        if problem := overconstraint_problem(compiled, structure, state):
            raise SceneError([problem])


def overlap_problems(scene: Scene, overlaps: list[tuple[int, int, float]]) -> list[Problem]:
    """Pairs of bodies of the scene that overlap, with the depth [m]."""
    problems = ProblemList(scene)
    for body1, body2, depth in overlaps:
        problems.add(
            ("bodies", body2),
            OVERLAP,
            f"bodies '{scene.bodies[body1].name}' and '{scene.bodies[body2].name}' overlap by"
            f" {depth:.3g} m at the start",
            "Move them apart, deny the pair in the collision_filter, or set assemble to all"
            " (--assemble) to have them pushed apart",
        )
    return problems.problems
