"""Heaps for a long time: nothing blows up, sinks, creeps or warns.

    python -m tests.soak.heaps --seconds 3600

A quarter of that simulated time each for a brick of a thousand cubes, a wall of stones and the ball
that knocks it down, a row of 200 dominoes, and a walking machine among stones. Each says how it
went, and fails on a warning, a deep overlap, or energy that rises though no motor works.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import impulse_core
from impulse_core.geometry import convex_hull
from impulse_schema import Body, Geometry, Mesh, Scene, load_scene

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"
DEEPEST = 5e-3  # largest overlap at the start of a step, of the size of what lies there
RISE = 1e-6  # of the energy that there was: what contacts may create
SIZE = 0.06  # m, of the stones around the machine
SPREAD = (2.0, 0.8)  # m, half of where they lie
KEPT_FREE = 0.75  # m, before and behind its middle


@dataclass(frozen=True)
class Heap:
    """A scene, the size of what lies in it [m], and whether motors work."""

    scene: Scene
    size: float
    driven: bool = False


def heaps(edge: int = 10, stones: int = 300, row: int = 200, strewn: int = 40) -> dict[str, Heap]:
    """The scenes, with so many bodies."""
    return {
        "brick": Heap(_sample("heaps").cubes(edge, brick=True), 1.0),
        "wall": Heap(_sample("rubble").rubble(stones), 0.2),
        "dominoes": Heap(_sample("dominoes").dominoes(row), 0.05),
        "machine": Heap(among_stones(strewn), SIZE, driven=True),
    }


def _sample(name: str) -> Any:
    """A module that makes samples."""
    folder = str(SAMPLES / "contact")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(name)


def among_stones(count: int, seed: int = 3) -> Scene:
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
    size = SIZE * count ** (1.0 / 3.0)
    for k, corners in enumerate(_sample("rubble").cells(count, np.full(3, size), seed)):
        solid = convex_hull(corners - corners.mean(axis=0))
        faces = [polygon.tolist() for polygon in np.split(solid.corners, solid.offsets[1:-1])]
        meshes.append(Mesh(name=f"stone-{k}", vertices=solid.vertices.tolist(), faces=faces))
        x, y = places[k]
        place = (x, y, 0.01 - float(solid.vertices[:, 2].min()))
        hull = Geometry(shape="convex_hull", mesh=f"stone-{k}", material="rock")
        bodies.append(Body(name=f"stone-{k}", position=place, density=2400.0, geometry=[hull]))
    return machine.model_copy(update={"meshes": meshes, "bodies": bodies})


def run(heap: Heap, seconds: float, *, talk: bool = False) -> dict[str, Any]:
    """Simulate a heap for so long; what the report says of it, which is as it should be."""
    report_at = [0.0]

    def told(progress: impulse_core.Progress) -> None:
        if talk and progress.time >= report_at[0]:
            print(f"    {progress.time:.0f} s after {progress.wall_seconds:.0f} s", flush=True)
            report_at[0] += seconds / 20.0

    recording = impulse_core.simulate(heap.scene, duration=seconds, fps=10.0, progress=told)
    report = recording.diagnostics
    assert recording.complete
    assert report["warnings"] == [], report["warnings"]
    assert report["contacts"]["max_penetration_m"] <= DEEPEST * heap.size, report["contacts"]
    assert np.isfinite(recording.positions).all()
    if not heap.driven:
        energy = recording.energy["total"]
        scale = np.ptp(energy) + recording.energy["kinetic"].max()
        assert np.diff(energy).max() <= RISE * scale
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description="Simulate heaps for a long time.")
    parser.add_argument("--seconds", type=float, default=3600.0, help="simulated, in all")
    parser.add_argument("--only", choices=list(heaps()), help="one of them, for its quarter")
    chosen = parser.parse_args()
    for name, heap in heaps().items():
        if chosen.only in {None, name}:
            print(name, flush=True)
            report = run(heap, chosen.seconds / 4.0, talk=True)
            contacts, energy = report["contacts"], report["energy_j"]
            print(
                f"  {report['step_count']} steps in {report['wall_seconds_total']:.0f} s,"
                f" slowest {report['seconds_per_step']['max']:.3f} s;"
                f" overlap {contacts['max_penetration_m']:.1e} m,"
                f" law {contacts['max_violation_m']:.1e} m,"
                f" created {energy['created']:.1e} J, unexplained {energy['unexplained']:.1e} J",
                flush=True,
            )


if __name__ == "__main__":
    main()
