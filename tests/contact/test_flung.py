"""Machines whose legs wedge are not thrown within a step to where they cannot have gone."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import impulse_core as ic

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from searches import six_legged

WEDGED = [  # rate, first, second and third sine of gaits whose feet meet
    (8.377135365574777, -0.13247787441812417, -0.24770666367759134, 0.03954482394141261),
    (8.705636029076464, -0.21976181529565364, -0.33453629188724254, -0.009373908886509297),
]
STEPS = (0.0025, 0.004, 0.008)  # s
MOST = 2.0  # times the largest kinetic energy; where legs are flung it is up to 40


def share_unexplained(values: tuple[float, ...], step: float, duration: float) -> float:
    """Of the six-legged machine with a gait, also if the run ends by name: what its worst step
    leaves unexplained, over its largest kinetic energy.
    """
    machine = six_legged()
    names = [f"constants[{constant.name}].value" for constant in machine.constants]
    gait = ic.set_parameters(machine, dict(zip(names, values, strict=True)))
    try:
        recording = ic.simulate(gait, duration=duration, step=step, fps=1.0 / step)
    except ic.SimulationError as ended:
        recording = ended.recording
    worst = recording.diagnostics["energy_j"]["max_unexplained_step"]
    return float(worst / recording.energy["kinetic"].max())


@pytest.mark.parametrize("values", WEDGED)
def test_feet_that_meet_throw_no_leg(values: tuple[float, ...]) -> None:
    """Legs went to where they cannot go and back within a step, which did 260 and 740 J."""
    assert share_unexplained(values, 0.005, 1.2) <= MOST


def test_few_of_other_gaits_leave_much_unexplained() -> None:
    """Other gaits and steps, of which a fifth threw legs. Jams that go on still multiply forces,
    and the report warns of it (docs/design/contact.md).
    """
    rng = np.random.default_rng(77)
    low, high = (6.0, -0.35, -0.35, -0.05), (9.5, -0.1, 0.1, 0.05)
    shares = [
        share_unexplained(tuple(rng.uniform(low, high).tolist()), STEPS[k % 3], 1.0)
        for k in range(24)
    ]

    assert np.sum(np.array(shares) > MOST) <= 1
