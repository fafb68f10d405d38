"""Seconds per step on trees and hubs of ball joints, beside MuJoCo's, and their growth with size.

    python benchmarks/joint_trees.py [--quick]

Both engines step the same scene in the same process, in turns, one thread each; the best of
several rounds counts, since other programs can only slow a round down.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import impulse_core
from impulse_cli.experiments.scenes.trees import hub, tree
from impulse_schema import Scene

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

STEP = 0.01  # s
TOLERANCE = 1e-6  # m
SIZES = (31, 63, 127, 255, 511, 1023, 2047, 4095)
SIMULATED = 1.0  # s


@dataclass(frozen=True)
class Comparison:
    """Microseconds per step on one scene."""

    scene: str
    impulse: float
    corrections: float
    joint_error: float
    mujoco: float | None

    @property
    def ratio(self) -> float | None:
        return None if self.mujoco is None else self.impulse / self.mujoco


@dataclass(frozen=True)
class Growth:
    """Microseconds per step against the number of bodies, and the exponent fitted to them."""

    sizes: tuple[int, ...]
    microseconds: tuple[float, ...]
    corrections: tuple[float, ...]
    exponent: float


def compare(scene: Scene, rounds: int) -> Comparison:
    """Step a scene with both engines in turns; the best round of each counts."""
    ours, theirs, recording = [], [], None
    for _ in range(rounds):
        recording = impulse_core.simulate(
            scene, duration=SIMULATED, step=STEP, tolerance=TOLERANCE, method="imp2"
        )
        ours.append(recording.diagnostics["seconds_per_step"]["mean"])
        seconds = mujoco_seconds_per_step(scene)
        if seconds is not None:
            theirs.append(seconds)
    assert recording is not None
    report = recording.diagnostics
    return Comparison(
        scene=scene.name or "",
        impulse=1e6 * min(ours),
        corrections=report["corrections_per_step"]["mean"],
        joint_error=report["max_joint_error_m"],
        mujoco=1e6 * min(theirs) if theirs else None,
    )


def mujoco_seconds_per_step(scene: Scene) -> float | None:
    """MuJoCo's semi-implicit Euler step, torque included; None if it is not installed."""
    try:
        import mujoco
    except ImportError:
        return None
    from mujoco_scene import mjcf

    model = mujoco.MjModel.from_xml_string(mjcf(scene))
    data = mujoco.MjData(model)
    for load in scene.loads:
        data.xfrc_applied[model.body(load.body).id, 3:] = load.torque
    steps = round(SIMULATED / STEP)
    mujoco.mj_step(model, data)
    began = time.perf_counter()
    for _ in range(steps):
        mujoco.mj_step(model, data)
    return (time.perf_counter() - began) / steps


def growth(sizes: tuple[int, ...], rounds: int) -> Growth:
    """Cost of a step for trees of these sizes.

    With a tenth of the torque of the sample: the outermost bars of a larger tree whirl faster, and
    from about 1000 bodies on the full torque would halve steps, which measures something else.
    """
    microseconds, corrections = [], []
    for bodies in sizes:
        scene = tree(bodies)
        for load in scene.loads:
            load.torque = tuple(0.1 * component for component in load.torque)
        best, mean = np.inf, 0.0
        for _ in range(rounds):
            report = impulse_core.simulate(
                scene, duration=0.5, step=STEP, tolerance=TOLERANCE, method="imp2"
            ).diagnostics
            best = min(best, report["seconds_per_step"]["mean"])
            mean = report["corrections_per_step"]["mean"]
        microseconds.append(1e6 * best)
        corrections.append(mean)
    slope, _ = np.polyfit(np.log(sizes), np.log(microseconds), 1)
    return Growth(sizes, tuple(microseconds), tuple(corrections), float(slope))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one round, trees up to 255 bodies")
    quick = parser.parse_args().quick
    rounds = 1 if quick else 5
    for scene in (tree(127), hub(127)):
        result = compare(scene, rounds)
        beside = "" if result.mujoco is None else f"   MuJoCo Euler {result.mujoco:7.1f}"
        print(f"{result.scene:10} {result.impulse:7.1f} µs{beside}  ratio {result.ratio}")
    result = growth(SIZES[:4] if quick else SIZES, rounds)
    for bodies, time_, count in zip(
        result.sizes, result.microseconds, result.corrections, strict=True
    ):
        print(f"{bodies:5} bodies {time_:8.1f} µs, {count:.2f} corrections")
    print(f"exponent {result.exponent:.3f}")


if __name__ == "__main__":
    main()
