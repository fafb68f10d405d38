"""Microseconds per step of trees and hubs, with our method of order two and with MuJoCo's."""

from __future__ import annotations

from dataclasses import dataclass

from cases import hub, tree
from engines import Case, Impulse, MuJoCo, Run, mujoco_is_installed

__all__ = ["INTEGRATORS", "StepCost", "step_costs"]

STEP = 0.01  # s
TOLERANCE = 1e-6  # m
INTEGRATORS = ("Euler", "implicitfast", "RK4")
SIZES = (31, 63, 127, 255, 1023)  # bodies of trees
SIMULATED = 0.5  # s
ROUNDS = 5


@dataclass(frozen=True)
class StepCost:
    """One scene.

    Attributes:
        scene: Its name.
        ours: Our run.
        microseconds: Of our step.
        mujoco: Microseconds of a step by integrator; empty if MuJoCo is not installed.
    """

    scene: str
    ours: Run
    microseconds: float
    mujoco: dict[str, float]


def step_costs() -> list[StepCost]:
    """Of every size, with the engines in turns; the best round of each counts."""
    return [step_cost(Case(scene, SIMULATED)) for scene in (*map(tree, SIZES), hub(127))]


def step_cost(case: Case) -> StepCost:
    us = Impulse("imp2", STEP, TOLERANCE)
    them = [MuJoCo(name, STEP) for name in INTEGRATORS] if mujoco_is_installed() else []
    runs: dict[Impulse | MuJoCo, list[Run]] = {setting: [] for setting in (us, *them)}
    for _ in range(ROUNDS):
        for setting, so_far in runs.items():
            so_far.append(setting.run(case, sampled=False))
    best = {
        setting: 1e6 * STEP * min(run.seconds for run in many) for setting, many in runs.items()
    }
    return StepCost(
        case.scene.name or "",
        runs[us][0],
        best[us],
        {setting.integrator: best[setting] for setting in them},
    )
