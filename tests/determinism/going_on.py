"""Half a run, its state in a file, and the other half: python -m tests.determinism.going_on FOLDER.

Prints a line for each state in the folder: name, digest and hash after the second half.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options

CALLS = 5  # of a half; keyframes and loads may change between two
STEPS = 5  # of a call


def new_engine(file: Path) -> Engine:
    """The simulation of a sample, at its start."""
    compiled = compile_scene(ic.load_scene(file))
    return Engine(compiled, choose_options(compiled))


def go_on(engine: Engine, first: int) -> None:
    """Take half of the steps, beginning with a number."""
    step = engine.options.step
    for call in range(CALLS):
        grid = first + call * STEPS
        engine.start_segment(grid * step, np.ones(len(engine.model.loads), dtype=np.int64))
        assert engine.advance(step, STEPS, grid)


def ends_with(engine: Engine) -> str:
    """What tells two ends of a run apart."""
    bodies = engine.state.bodies
    return f"{engine.digest()} {bodies.tobytes().hex()[-64:]} {len(engine.events)}"


if __name__ == "__main__":
    for saved in sorted(Path(sys.argv[1]).glob("*.state")):
        sample = Path(saved.with_suffix(".txt").read_text(encoding="utf-8"))
        second = new_engine(sample)
        second.load(saved)
        go_on(second, CALLS * STEPS)
        print(saved.stem, ends_with(second))
