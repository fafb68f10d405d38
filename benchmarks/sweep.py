"""What a sweep costs beside its runs, and what a second worker gains.

    .venv/bin/python benchmarks/sweep.py [RUNS] [REPEATS]

Prints for one and two workers the best time of so many sweeps of the leg, from the
twentieth row on disk to the last, and processor times a run: of the threads that
simulate, and of all processes together; their difference is what the sweep costs. Wall times mean
something on idle cores only; processor times always do.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import psutil

import impulse_core as ic
from impulse_cli.studies import Row, Watcher, sweep

LEG = Path(__file__).parents[1] / "sample_scenes" / "machines" / "leg.xml"
WARMING = 20
"""Runs that are not counted: the first on each worker load its kernels."""
MEASURES = ["recording.bodies[shank].position[-1].x", "report.energy_j.work_of_motors"]


class Clock(Watcher):
    """Times of a sweep, from a row on by which workers have long started.

    Attributes:
        seconds: Of the clock [s].
        total: Processor time of this process, which holds the scheduler, and of the workers [s].
        in_runs: Of the threads that simulate [s].
    """

    def __init__(self, runs: int) -> None:
        self._last = runs
        self.seconds = self.total = self.in_runs = 0.0
        self.runs = -WARMING

    def row(self, row: Row) -> None:
        """A run is on disk."""
        self.runs += 1
        if self.runs == 0:
            self._began, self._before = time.perf_counter(), _processor_seconds()
        if self.runs <= 0:
            return
        self.in_runs += row.processor_seconds
        if self.runs == self._last:
            self.seconds = time.perf_counter() - self._began
            self.total = _processor_seconds() - self._before


def _processor_seconds() -> float:
    me = psutil.Process()
    times = [process.cpu_times() for process in (me, *me.children(recursive=True))]
    return float(sum(each.user + each.system for each in times))


def measured(runs: int, workers: int) -> Clock:
    """A sweep into a new folder."""
    clock = Clock(runs)
    vary = [f"joints[servo].motors[0].proportional=5e3:5e4:log:{runs + WARMING}"]
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "results"
        sweep(ic.load_scene(LEG), vary, MEASURES, output, workers=workers, watcher=clock)
    return clock


def main(runs: int = 1000, repeats: int = 5) -> None:
    """Print a line for each number of workers."""
    best = {}
    for workers in (1, 2):
        clocks = [measured(runs, workers) for _ in range(repeats)]
        best[workers] = clock = min(clocks, key=lambda clock: clock.seconds)
        least = min(clocks, key=lambda clock: clock.in_runs)
        over = min((clock.total - clock.in_runs) / runs for clock in clocks)
        print(
            f"{workers} workers: {clock.seconds:.1f} s, processor {1e3 * least.in_runs / runs:.1f}"
            f" ms a run and {1e3 * over:.1f} ms beside it"
        )
    print(f"gain of the second worker: {best[1].seconds / best[2].seconds:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
