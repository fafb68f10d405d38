"""Collects what is wrong with a scene, so that everything is reported at once."""

from __future__ import annotations

from impulse_schema import Problem, Scene, problem_at
from impulse_schema.limits import MAX_PROBLEMS
from impulse_schema.problems import not_listed

__all__ = [
    "BAD_JOINT",
    "BAD_SHAPE",
    "BAD_START",
    "JOINTS_APART",
    "MESH_DEFECT",
    "MESH_FILE",
    "NOT_CONVEX",
    "NOT_SIMULATED",
    "NO_MASS",
    "NO_PARTS",
    "NO_VALUE",
    "OVERLAP",
    "ProblemList",
    "problem_at",
]

MESH_FILE = "E601"
MESH_DEFECT = "E602"
NO_MASS = "E603"
NOT_CONVEX = "E604"
NO_PARTS = "E605"
BAD_SHAPE = "E606"
JOINTS_APART = "E611"
BAD_JOINT = "E612"
NO_VALUE = "E613"
BAD_START = "E614"
OVERLAP = "E615"
NOT_SIMULATED = "E621"


class ProblemList:
    """The problems of one scene so far, of which the first are listed and the others counted."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._listed: list[Problem] = []
        self._more = 0

    @property
    def problems(self) -> list[Problem]:
        """What to report: at most MAX_PROBLEMS, and one that stands for all others."""
        return self._listed + not_listed(self._more, self._listed)

    def add(self, path: tuple[str | int, ...], code: str, message: str, hint: str = "") -> None:
        """Report what is wrong at ``path`` and, in ``hint``, what to write instead."""
        if len(self._listed) < MAX_PROBLEMS:
            self._listed.append(problem_at(self._scene, path, code, message, hint))
        else:
            self._more += 1

    def extend(self, problems: list[Problem]) -> None:
        """Take over problems that were found and located elsewhere."""
        room = max(0, MAX_PROBLEMS - len(self._listed))
        self._listed += problems[:room]
        self._more += sum(problem.count for problem in problems[room:])
