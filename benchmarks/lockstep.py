"""What machines in lockstep would cost (docs/design/accelerator.md).

    python benchmarks/lockstep.py [COUNT [STEPS]]

An accelerator steps 32 machines at once, and all wait for the slowest. So COUNT walking machines
(default 256) at random moments of their gait take STEPS steps (default 100), and for each step the
work of each is counted: corrections of positions and of velocities. Printed are the mean, the mean
of the largest of each 32, what memory a machine needs, and what a call costs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import impulse_core as ic

WALKER = Path(__file__).resolve().parents[1] / "sample_scenes" / "walking" / "walking-machine.xml"
WARP = 32
GAIT = 260  # steps


def counted(machine: Any) -> np.ndarray:
    """Corrections of positions and velocities of a machine so far."""
    totals = machine.engine.tally.totals[0]
    return np.array([float(totals["corrections"]), float(totals["velocity_corrections"])])


def nbytes(value: Any) -> int:
    """Of all arrays in a tree of tuples."""
    return sum(array.nbytes for array in arrays(value))


def arrays(value: Any) -> Iterator[np.ndarray]:
    """All in a tree of tuples."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from arrays(item)


def main(count: int, steps: int) -> None:
    """Print the figures."""
    rng, batch = np.random.default_rng(3), ic.Batch(ic.load_scene(WALKER), count, threads=2)
    machines = batch._machines
    for machine in machines:
        end = 200 + int(rng.integers(GAIT))
        while machine.step < end:
            machine.advance(end - machine.step)
    work = np.zeros((steps, count, 2))
    before = [counted(machine) for machine in machines]
    for step in range(steps):
        batch.step(1)
        for k, machine in enumerate(machines):
            now = counted(machine)
            work[step, k] = now - before[k]
            before[k] = now
    for name, of in (("positions", work[:, :, 0]), ("velocities", work[:, :, 1])):
        slowest = of.reshape(steps, -1, WARP).max(axis=2)
        print(
            f"corrections of {name} a step: mean {of.mean():.2f}, slowest of {WARP}"
            f" {slowest.mean():.2f}, so lockstep keeps {of.mean() / slowest.mean():.0%} busy"
        )
    one = machines[0].engine
    state, scratch = nbytes(one.state), nbytes(one.work)
    contacts = sum(kept.array.nbytes for kept in one.runner.kept().values())
    print(f"a machine: state {state} B, contacts kept {contacts} B, joints' scratch {scratch} B")
    for most in (1, 50):
        machine, took = machines[0], time.process_time()
        for _ in range(1000 // most):
            machine.advance(most)
        took = time.process_time() - took
        print(f"calls of {most} steps: {1e3 * took:.0f} us a step")


if __name__ == "__main__":
    arguments = [int(word) for word in sys.argv[1:]]
    main(*(arguments + [256, 100][len(arguments) :]))
