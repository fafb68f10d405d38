"""What the benchmark of contact measures inside the engine still fits it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from contact import STEP, Ours, cubes, detect_often, time_detection


def test_detection_alone():
    """It finds the contacts that a step has, also of what naps, however often it is repeated."""
    ours = Ours(cubes(2), STEP)
    for _ in range(60):
        ours.advance()

    engine, margin, there = ours.engine, 2.0 * ours.engine.tolerance, ours.contacts()
    found = detect_often(engine.model, ours.setup, engine.state, STEP, margin, 3)

    assert found == there == 32
    assert time_detection(ours) > 0.0
