"""Machines that nobody designed: trees and loops of all joint types with all that acts on them.

Each is drawn by tests/fuzz/machines.py and ends in one of three ways: complete, with closed joints
and an energy that is explained or warned of; refused before the first step; or given up by name,
with its frames. IMPULSE_SOAK=1 runs a thousand of them.
"""

from __future__ import annotations

import os
from random import Random

import numpy as np

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_schema import Scene
from tests.fuzz.machines import machine

COUNT = 1000 if os.environ.get("IMPULSE_SOAK") else 150
DURATION = 1.0  # s
MOST_ENDED = 0.002  # part of the machines: dead points, motors against stops, steps far too long
LARGEST_SHARE = 0.05  # of the kinetic energy, beyond which what is unexplained is warned of


def drawn(seed: int) -> Scene:
    """A machine with a step of ordinary length."""
    raw = machine(Random(seed))
    settings = raw["settings"]
    for given in ("solver", "tolerance"):
        settings.pop(given, None)
    step = min(max(settings.get("step", 0.005), 0.001), 0.01)
    settings |= {"method": "imp2", "duration": DURATION, "step": step, "fps": 20}
    return Scene.model_validate(raw, strict=False)


def swing(scene: Scene) -> float:
    """Energy by which the method lets what rests swing between the halves of a step [J]."""
    model, g = compile_scene(scene).model, np.linalg.norm(scene.settings.gravity)
    return float(model.bodies["mass"].sum() * (g * scene.settings.step) ** 2)


def check_complete(scene: Scene, run: ic.Recording) -> None:
    report, energy = run.diagnostics, run.diagnostics["energy_j"]
    warnings = " ".join(report["warnings"])
    assert all(np.isfinite(series).all() for series in run.energy.values())
    assert np.isfinite(run.positions).all()
    assert report["max_joint_error_m"] <= report["tolerance_m"] or "contradicts" in warnings
    works = ("work_of_loads", "work_of_motors", "work_of_kinematic_bodies", "created")
    brought = sum(energy[work] for work in works)
    gained = (
        run.energy["total"][-1] - run.energy["total"][0] - brought + max(0.0, energy["dissipated"])
    )
    moved = float(run.energy["kinetic"].max()) + sum(
        abs(energy[work]) for work in (*works, "dissipated")
    )
    noise = swing(scene) + 1e-9 * abs(float(run.energy["total"][0]))
    told = "the energy is" in warnings or "newton created" in warnings
    assert told or abs(gained) <= LARGEST_SHARE * moved + noise


def test_every_machine_ends_in_one_of_three_ways() -> None:
    """Complete and balanced, refused before the first step, or ended by name with frames kept, as
    few as those of which no run can be expected.
    """
    refused, ended = [], []
    for seed in range(COUNT):
        scene = drawn(seed)
        try:
            run = ic.simulate(scene)
        except (ic.SceneError, ic.OptionError):
            refused.append(seed)
        except ic.SimulationError as error:
            ended.append((seed, error.recording))
        else:
            check_complete(scene, run)

    assert len(refused) <= 0.5 * COUNT
    assert len(ended) <= max(2, MOST_ENDED * COUNT), [seed for seed, _ in ended]
    for _, recording in ended:
        assert recording.frame_count >= 1
        assert {"joint", "body1"} & recording.events[-1].keys()
