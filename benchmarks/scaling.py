"""Cost and memory against the number of joints, for trees, hubs and ladders of loops."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from impulse_cli.experiments.scenes.trees import hub, slow_tree
from impulse_core.compile import CompiledScene, compile_scene
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_core.simulation.timeline import active_loads
from impulse_schema import Scene

SAMPLES = Path(__file__).resolve().parents[1] / "sample_scenes"
sys.path.insert(0, str(SAMPLES / "mechanisms"))

from scissor_lift import scissor_mast  # noqa: E402

__all__ = ["FAMILIES", "Size", "exponent", "measure_family"]

STEP = 0.01  # s
TOLERANCE = 1e-6  # m
SIMULATED = 0.5  # s
ROUNDS = 4


@dataclass(frozen=True)
class Size:
    """One scene of a family.

    Attributes:
        joints: Number of joints.
        bodies: Number of bodies.
        microseconds: Wall time of a step, best of several rounds.
        corrections: Per step, mean.
        halvings: Steps repeated in halves.
        compile_seconds: From the scene to arrays, with the elimination order.
        megabytes: Of all arrays of the model, the state and the solver.
    """

    joints: int
    bodies: int
    microseconds: float
    corrections: float
    halvings: int
    compile_seconds: float
    megabytes: float


FAMILIES: dict[str, tuple[Callable[[int], Scene], tuple[int, ...]]] = {
    "trees": (slow_tree, (15, 31, 127, 511, 2047, 8191)),
    "hubs": (hub, (10, 32, 100, 316, 1000, 3162, 10000)),
    "ladders of loops": (scissor_mast, (3, 10, 33, 105, 333, 1054, 3333)),
}
"""How a family is built, and its sizes: bodies of trees and hubs, stages of ladders."""


def measure_family(name: str) -> list[Size]:
    """Step every size of a family."""
    build, sizes = FAMILIES[name]
    return [measure(build(size)) for size in sizes]


def measure(scene: Scene) -> Size:
    """Compile once, then take the same steps several times."""
    began = time.perf_counter()
    compiled = compile_scene(scene)
    seconds = time.perf_counter() - began
    best, engine = np.inf, None
    for _ in range(ROUNDS):
        began = time.perf_counter()
        engine = ready(compiled)
        planning = time.perf_counter() - began - engine.compile_seconds
        began = time.perf_counter()
        count = round(SIMULATED / STEP)
        if not engine.advance(STEP, count):
            raise RuntimeError(engine.failure(0.0, STEP)["message"])
        best = min(best, (time.perf_counter() - began) / count)
    assert engine is not None
    tally = engine.tally
    return Size(
        joints=len(compiled.joint_names),
        bodies=len(compiled.body_names),
        microseconds=1e6 * best,
        corrections=float(tally.totals["corrections"][0]) / engine.steps,
        halvings=int(tally.totals["halvings"][0]),
        compile_seconds=seconds + planning,
        megabytes=1e-6 * sum(array.nbytes for array in all_arrays(engine)),
    )


def ready(compiled: CompiledScene) -> Engine:
    """At the start, with the loads that act from there on."""
    options = choose_options(compiled, step=STEP, method="imp2", tolerance=TOLERANCE)
    engine = Engine(compiled, options)
    engine.start_segment(0.0, active_loads(compiled.load_windows, 0.0, SIMULATED, SIMULATED))
    return engine


def all_arrays(engine: Engine) -> Iterator[np.ndarray]:
    """Every array that stepping uses."""
    waiting: list[object] = [engine.model, engine.structure, engine.state, engine.work]
    while waiting:
        item = waiting.pop()
        if isinstance(item, tuple):
            waiting += item
        elif isinstance(item, np.ndarray):
            yield item


def exponent(sizes: list[Size], values: list[float]) -> float:
    """Least-squares slope of log(value) over log(joints)."""
    slope, _ = np.polyfit(np.log([size.joints for size in sizes]), np.log(values), 1)
    return float(slope)
