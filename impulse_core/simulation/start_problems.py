"""Why a scene cannot start as it is, and how far bodies are moved so that it can."""

from __future__ import annotations

from impulse_core.compile import CompiledScene, Problem, Scene
from impulse_core.compile.problems import BAD_JOINT, OVERLAP, ProblemList, problem_at
from impulse_core.simulation.names import Names
from impulse_core.types import Floats

__all__ = ["moved_bodies", "open_joint", "overlap_problems"]


def moved_bodies(
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
