"""Work against precision: what a scene costs to a given error, beside MuJoCo in the same process.

Every case is run with many step sizes of either engine; errors are measured in the first run, the
best time of several rounds counts. The cheapest settings that reach a target are then timed again
in turns, ours and MuJoCo's, so that their ratio does not depend on what else the machine did.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field

import numpy as np

import impulse_core
from cases import Comparison
from engines import Case, Impulse, MuJoCo, Run, mujoco_is_installed

__all__ = ["ENERGY_TARGETS", "JOINT_TARGET", "Result", "compare", "difference_of_motion"]

JOINT_TARGET = 1e-6  # m
ENERGY_TARGETS = (1e-3, 1e-6, 1e-9)
MOST_ROUNDS = 4
LONGEST_ROUNDS = 0.8  # s of wall time for the rounds of one setting after the first
LONGEST_TURNS = 15.0  # s for those of a pair in turns

Setting = Impulse | MuJoCo


@dataclass
class Result:
    """Every setting of a comparison with what it reached."""

    comparison: Comparison
    runs: dict[Setting, Run] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.comparison.case.scene.name or ""

    def cheapest(
        self, kind: type[Impulse] | type[MuJoCo], energy: float, *, joint: float = JOINT_TARGET
    ) -> Setting | None:
        """The setting that takes the least time among those that keep both errors."""
        good = [
            setting
            for setting, run in self.runs.items()
            if isinstance(setting, kind) and run.energy_error <= energy and run.joint_error <= joint
        ]
        return min(good, key=lambda setting: self.runs[setting].seconds, default=None)


def compare(comparison: Comparison) -> Result:
    """Run every setting, then those that reach a target once more in turns."""
    result = Result(comparison)
    case = comparison.case
    for setting in comparison.ours + (comparison.mujoco if mujoco_is_installed() else ()):
        run = run_if_known(setting, case)
        if run is not None:
            result.runs[setting] = run
    for energy in ENERGY_TARGETS:
        time_in_turns(result, [result.cheapest(kind, energy) for kind in (Impulse, MuJoCo)])
    return result


def time_in_turns(result: Result, pair: list[Setting | None]) -> None:
    """Time a pair of settings again; each keeps the best of all its times."""
    case = result.comparison.case
    settings = [setting for setting in pair if setting is not None]
    once = case.duration * sum(result.runs[setting].seconds for setting in settings)
    for _ in range(rounds(once, LONGEST_TURNS) if len(settings) == 2 else 0):
        for setting in settings:
            run = result.runs[setting]
            seconds = setting.run(case, sampled=False).seconds
            result.runs[setting] = dataclasses.replace(run, seconds=min(seconds, run.seconds))


def rounds(seconds: float, most: float) -> int:
    """How often something that takes so long is repeated."""
    return min(MOST_ROUNDS, int(most / seconds))


def run_if_known(setting: Setting, case: Case) -> Run | None:
    """The run with the best time of several; None for a method that is not built."""
    try:
        run = setting.run(case)
    except impulse_core.OptionError:
        return None
    best = run.seconds
    if math.isfinite(run.energy_error):
        for _ in range(rounds(case.duration * run.seconds, LONGEST_ROUNDS)):
            best = min(best, setting.run(case, sampled=False).seconds)
    return dataclasses.replace(run, seconds=best)


def difference_of_motion(comparison: Comparison) -> float:
    """Largest distance of a body's centre after 1 s between both engines at small errors [m]."""
    case = dataclasses.replace(comparison.case, duration=1.0)
    ours = Impulse("imp8", 1 / 200, 1e-12).run(case)
    step = 1 / 4000
    theirs = MuJoCo("RK4", step, comparison.tuning and comparison.tuning.at(step)).run(case)
    return float(np.abs(ours.position - theirs.position).max())
