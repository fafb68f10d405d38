"""Heaps for a long time: nothing blows up, sinks, creeps or warns.

    python -m tests.soak.heaps --seconds 3600

A quarter of that simulated time each for a brick of a thousand cubes, a wall of stones and the ball
that knocks it down, a row of 200 dominoes, and a walking machine among stones. Each says how it
went; a warning, a deep overlap, or energy that rises though no motor works is a failure, after
which the next goes on.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import impulse_core
from impulse_core.compile import compile_scene
from impulse_schema import Body, Geometry, Scene, load_scene

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"
DEEPEST = 3e-4  # m, largest overlap at the start of a step
RISE = 1e-6  # of the energy that moved: what contacts may create
SIZE = 0.06  # m, of the stones around the machine
SPREAD = (2.0, 0.8)  # m, half of where they lie
KEPT_FREE = 0.75  # m, before and behind its middle


def _sample(name: str) -> Any:
    """A module that makes samples."""
    folder = str(SAMPLES / "contact")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(name)


def brick(edge: int = 10) -> Scene:
    """Cubes upon cubes, so many along each edge."""
    return _sample("heaps").cubes(edge, brick=True)


def wall(stones: int = 300, seed: int = 1) -> Scene:
    """Stones without mortar, and a ball on a chain."""
    return _sample("rubble").rubble(stones, seed=seed)


def dominoes(count: int = 200) -> Scene:
    """A row that topples."""
    return _sample("dominoes").dominoes(count)


def among_stones(count: int = 40, seed: int = 3) -> Scene:
    """The walking machine, and stones that fall a centimetre to the ground it walks on."""
    machine = load_scene(SAMPLES / "walking" / "walking-machine.xml")
    apart = 2.5 * SIZE
    grid = [
        (x, y)
        for x in np.arange(-SPREAD[0], SPREAD[0], apart)
        for y in np.arange(-SPREAD[1], SPREAD[1], apart)
        if abs(x) > KEPT_FREE
    ]
    places = np.random.default_rng(seed).permutation(grid)
    meshes, bodies = list(machine.meshes), list(machine.bodies)
    rubble = _sample("rubble")
    size = SIZE * count ** (1.0 / 3.0)
    for k, corners in enumerate(rubble.cells(count, np.full(3, size), seed)):
        mesh = rubble.stone_mesh(f"stone-{k}", corners - corners.mean(axis=0))
        meshes.append(mesh)
        x, y = places[k]
        place = (x, y, 0.01 - min(z for _, _, z in mesh.vertices))
        hull = Geometry(shape="convex_hull", mesh=f"stone-{k}", material="rock")
        bodies.append(Body(name=f"stone-{k}", position=place, density=2400.0, geometry=[hull]))
    return machine.model_copy(update={"meshes": meshes, "bodies": bodies})


HEAPS: dict[str, Callable[[], Scene]] = {
    "brick": brick,
    "wall": wall,
    "dominoes": dominoes,
    "machine": among_stones,
}


def run(scene: Scene, seconds: float, *, talk: bool = False) -> dict[str, Any]:
    """Simulate a heap for so long; what the report says of it, which is as it should be."""
    report_at = [0.0]

    def told(progress: impulse_core.Progress) -> None:
        if talk and progress.time >= report_at[0]:
            print(f"    {progress.time:.0f} s after {progress.wall_seconds:.0f} s", flush=True)
            report_at[0] += seconds / 20.0

    recording = impulse_core.simulate(scene, duration=seconds, fps=10.0, progress=told)
    report = recording.diagnostics
    assert recording.complete
    assert report["warnings"] == [], report["warnings"]
    assert report["contacts"]["max_penetration_m"] <= DEEPEST, report["contacts"]
    assert np.isfinite(recording.positions).all()
    if not any(joint.motors for joint in scene.joints):
        energy = recording.energy["total"]
        scale = np.ptp(energy) + recording.energy["kinetic"].max()
        # overlaps of a tolerance are taken back, which lifts what lies above
        lifted = weight(scene) * report["tolerance_m"]
        rise = np.diff(energy).max()
        assert rise <= RISE * scale + lifted, f"{rise:.3g} J more, {scale:.3g} J moved"
    return report


def weight(scene: Scene) -> float:
    """Of all bodies that move [N]."""
    mass = compile_scene(scene).model.bodies["mass"].sum()
    return float(mass * np.linalg.norm(scene.settings.gravity))


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulate heaps for a long time.")
    parser.add_argument("--seconds", type=float, default=3600.0, help="simulated, in all")
    parser.add_argument("--only", choices=list(HEAPS), help="one of them, for its quarter")
    chosen = parser.parse_args()
    failed = []
    for name, made in HEAPS.items():
        if chosen.only in {None, name}:
            print(name, flush=True)
            try:
                report = run(made(), chosen.seconds / len(HEAPS), talk=True)
            except (AssertionError, impulse_core.SimulationError) as error:
                print(f"  failed: {error}", flush=True)
                failed.append(name)
                continue
            contacts, energy = report["contacts"], report["energy_j"]
            print(
                f"  {report['step_count']} steps in {report['wall_seconds_total']:.0f} s,"
                f" slowest {report['seconds_per_step']['max']:.3f} s;"
                f" overlap {contacts['max_penetration_m']:.1e} m,"
                f" law {contacts['max_violation_m']:.1e} m,"
                f" created {energy['created']:.1e} J, unexplained {energy['unexplained']:.1e} J",
                flush=True,
            )
    if failed:
        sys.exit(f"Not as they should be: {', '.join(failed)}.")


if __name__ == "__main__":
    main()
