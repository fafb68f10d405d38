"""Time of the broad phase against the number of cubes, in columns and in one heap.

    python benchmarks/broad_phase.py

The cubes shiver by a micrometre between looks, as they do at rest. Prints the time of one look, the
pairs it finds, and the exponents of the growth from 125 to 8000 cubes.
"""

from __future__ import annotations

import math
import time

import numpy as np

from impulse_core.collision.broad import find_pairs
from impulse_core.collision.sweep import Sweep, enlarge, new_sweep
from impulse_core.compile import CompiledScene, compile_scene
from impulse_core.jit import kernel
from impulse_schema.models import Body, Geometry, Scene

SIDES = (5, 10, 20)
STEP, MARGIN = 0.01, 1e-3
PITCH = 1.1  # of columns: gaps of 0.1 m
REPEATS = 7
SHIVER = 1e-6


def cubes(side: int, heap: bool) -> Scene:
    """side³ cubes on a plane, turned a little about the vertical; in a heap, every second layer is
    shifted by half a pitch.
    """
    rng = np.random.default_rng(1)
    solid = [Geometry(shape="box", size=(1.0, 1.0, 1.0))]
    bodies = [Body(name="ground", motion="static", geometry=[Geometry(shape="plane")])]
    for k, j, i in np.ndindex(side, side, side):
        angle = 0.02 * rng.normal()
        shift = 0.5 * PITCH * (k % 2) * heap
        bodies.append(
            Body(
                name=f"cube {i} {j} {k}",
                density=600.0,
                position=(PITCH * i + shift, PITCH * j + shift, 0.5 + k),
                orientation=(math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2)),
                geometry=solid,
            )
        )
    return Scene(version=1, bodies=bodies)


@kernel
def look_often(model, shapes, state, h, margin, sweep, times):
    """Look for pairs ``times`` over, bodies moved to and fro; returns the last number of pairs."""
    count = 0
    for k in range(times):
        for i in range(model.dynamic):
            state.bodies["position"][i, 2] += SHIVER * (1 if (i + k) % 2 else -1)
        count = find_pairs(model, shapes, state, h, margin, sweep)
        if count < 0:
            return count
    return count


def measure(made: CompiledScene, times: int) -> tuple[float, int]:
    """Seconds of one look, and pairs."""
    assert made.shapes is not None
    sweep: Sweep = new_sweep(made.shapes, made.state)

    def look(number: int) -> int:
        return int(look_often(made.model, made.shapes, made.state, STEP, MARGIN, sweep, number))

    while (pairs := look(1)) < 0:
        sweep = enlarge(sweep, -pairs)
    best = math.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        pairs = look(times)
        best = min(best, (time.perf_counter() - start) / times)
    return best, pairs


def main() -> None:
    """Print a line for each size."""
    for heap in (False, True):
        print("one heap" if heap else "columns")
        found = []
        for side in SIDES:
            seconds, pairs = measure(compile_scene(cubes(side, heap)), max(4, 40_000 // side**3))
            found.append(seconds)
            print(f"  {side**3:5} cubes {1e6 * seconds:8.1f} µs {pairs:6} pairs")
        growth = math.log(found[-1] / found[0]) / math.log((SIDES[-1] / SIDES[0]) ** 3)
        print(f"  time grows as n^{growth:.2f}")


if __name__ == "__main__":
    main()
