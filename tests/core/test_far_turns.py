"""Bars that slide at one end and spin: what a joint's impulse does to them turns with the bar.

A bar on a line or plane turns with the inertia J + m r² while it lies along the line and with J
alone while it stands across, and so many times faster.
"""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema import Scene

SLIDING = {"point-on-line": [1.0, 0.0, 0.0], "point-on-plane": [0.0, 1.0, 0.0]}


def spinning_bar(
    joint: str, step: float, rate: float, arm: float, size: list[float], mass: float, steps: int
) -> Scene:
    """A bar along the x axis whose one end, at the origin, cannot leave that axis or a plane
    through it, and that turns about z.
    """
    bar = {
        "name": "bar",
        "position": [arm, 0.0, 0.0],
        "velocity": [0.0, rate * arm, 0.0],
        "angular_velocity": [0.0, 0.0, rate],
        "mass": mass,
        "geometry": [{"shape": "box", "size": size}],
    }
    raw = {
        "version": 1,
        "settings": {
            "method": "imp2",
            "gravity": [0.0, 0.0, 0.0],
            "step": step,
            "duration": steps * step,
            "fps": min(100.0, 1.0 / step),
        },
        "bodies": [bar],
        "joints": [{"type": joint, "body2": "bar", "anchor": [0.0] * 3, "axis": SLIDING[joint]}],
    }
    return Scene.model_validate(raw, strict=False)


@pytest.mark.parametrize("joint", SLIDING)
@pytest.mark.parametrize("step", [0.01, 0.002])
def test_a_spinning_bar_does_not_throw_itself(joint, step):
    """40 rad/s while it lies along the line, some 160 while it stands across: the run goes on, and
    its energy never doubles.
    """
    scene = spinning_bar(joint, step, 40.0, 0.5, [0.4, 0.1, 0.1], 0.2, round(1.0 / step))
    energy = ic.simulate(scene).energy["total"]
    assert energy.max() < 2.0 * energy[0]


@pytest.mark.parametrize("joint", SLIDING)
def test_short_steps_are_not_divided(joint):
    """Where the bar turns by little in a step nothing is halved, and the energy swings with h²."""
    swings = []
    for step in (0.001, 0.0005):
        count = round(1.0 / step)
        run = ic.simulate(spinning_bar(joint, step, 15.0, 0.5, [0.4, 0.1, 0.1], 0.2, count))
        assert run.diagnostics["halvings"] == 0
        swings.append(float(np.ptp(run.energy["total"])))
    assert swings[1] < swings[0] / 3.0


def test_any_bar_goes_on():
    """Bars of any measures that turn by up to 1 rad in a step while they stand across: no run
    ends, and no energy doubles.
    """
    for seed in range(40):
        draw = Random(seed)
        step, length = draw.choice((0.003, 0.005, 0.01)), draw.uniform(0.1, 1.0)
        thick, arm = length * draw.uniform(0.1, 0.5), draw.uniform(0.2, 1.5)
        faster = arm / math.sqrt((length**2 + thick**2) / 12.0)  # than along the line, at least
        scene = spinning_bar(
            draw.choice(sorted(SLIDING)),
            step,
            draw.uniform(0.1, 1.0) / (faster * step),
            arm,
            [length, thick, thick],
            10.0 ** draw.uniform(-1.5, 1.5),
            100,
        )
        energy = ic.simulate(scene).energy["total"]
        assert energy.max() < 2.0 * energy[0], seed
