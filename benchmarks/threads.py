"""How much faster threads make the steps of a heap, and that its bits do not depend on them.

python benchmarks/threads.py [SCENE ...] [--threads 2] [--steps 100] [--call 100] [--rounds 5]
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options, choose_threads
from impulse_core.simulation.timeline import active_loads

SAMPLES = Path(__file__).resolve().parents[1] / "sample_scenes" / "contact"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenes", nargs="*", type=Path, default=[SAMPLES / "cubes-1000-brick.xml"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--call", type=int, help="steps in each call of the kernel; default: all")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    if choose_threads(given.threads) < given.threads:
        parser.error(f"there are not {given.threads} processors")
    for path in given.scenes:
        compare(path, given.threads, given.steps, given.call or given.steps, given.rounds)


def compare(path: Path, threads: int, steps: int, call: int, rounds: int) -> None:
    """Steps from the start, so many in a call, with one thread and with more, in turns; the best of
    each counts. The slowest step is that of a round of its own.
    """
    engines = {count: started(path, count) for count in (1, threads)}
    starts = {count: engine.snapshot() for count, engine in engines.items()}
    best = dict.fromkeys(engines, math.inf)
    slowest = dict.fromkeys(engines, 0.0)
    ends = set()
    for engine in engines.values():
        milliseconds(engine, 0, steps)  # kernels are at hand then, and room for contacts
    for _ in range(rounds):
        for count, engine in engines.items():
            engine.restore(starts[count])
            calls = range(0, steps, call)
            taken = sum(milliseconds(engine, k, min(call, steps - k)) for k in calls)
            best[count] = min(best[count], taken / steps)
            ends.add(engine.digest())
    for count, engine in engines.items():
        engine.restore(starts[count])
        slowest[count] = max(milliseconds(engine, k) for k in range(steps))
    if len(ends) > 1:
        raise SystemExit(f"{path.stem}: the bits are not the same.")
    alone, shared = best[1], best[threads]
    print(
        f"{path.stem}, {steps} steps: {alone:.2f} ms, with {threads} threads {shared:.2f} ms,"
        f" {alone / shared:.2f} times as fast; slowest {slowest[1]:.0f} and"
        f" {slowest[threads]:.0f} ms; same bits"
    )


def started(path: Path, threads: int) -> Engine:
    """At the start of the scene."""
    compiled = compile_scene(ic.load_scene(path))
    options = choose_options(compiled, threads=threads)
    engine = Engine(compiled, options)
    step = options.step
    engine.start_segment(0.0, active_loads(compiled.load_windows, 0.0, step, step))
    return engine


def milliseconds(engine: Engine, first: int, count: int = 1) -> float:
    """Wall time of so many steps from one on [ms]."""
    began = time.perf_counter()
    if not engine.advance(engine.options.step, count, first):
        raise SystemExit(engine.failure(0.0, engine.options.step)["message"])
    return 1e3 * (time.perf_counter() - began)


if __name__ == "__main__":
    main()
