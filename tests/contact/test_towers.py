"""High towers that fall onto themselves: all contacts stick, one above the other."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core import simulate
from impulse_core.recording import Recording
from impulse_schema import Scene
from tests.contact.scenes import cube, scene

_SMALL_GAP = 0.01  # m
_RISE = 1e-6  # of the energy at the start, in a frame
_MOST_OVERLAP = 1e-4  # m, in the step in which cubes land
_MOST_VIOLATION = 1e-6  # m, the tolerance
_LEFT = 5e-7  # of a scene's size, for which no step is divided


def tower(height: int, gap: float, *, phase: float = 0.0, offset: float = 0.05) -> Scene:
    """Cubes above each other, a gap between any two, none of them quite above the one below."""
    cubes = []
    for i in range(height):
        x, y = offset * math.sin(3 * i + phase), offset * math.cos(5 * i + phase)
        cubes.append(cube(f"cube-{i}", position=(x, y, 0.5 + i * (1.0 + gap) + gap)))
    return scene(*cubes)


def test_a_tower_of_forty_lands() -> None:
    """Forty cubes fall by a centimetre each, and all laws hold to the tolerance.

    Newton steps that were shortened until the residual fell ended in an iterate that created energy
    in parts of a step of any length.
    """
    _check(simulate(tower(40, _SMALL_GAP), duration=1.0, step=0.01))


@settings(max_examples=8, deadline=None)
@given(
    height=st.integers(20, 48),
    gap=st.sampled_from([0.0, 0.002, 0.02]),
    phase=st.floats(0.0, 6.0),
    offset=st.floats(0.0, 0.06),
    step=st.sampled_from([0.004, 0.005, 0.008]),
)
def test_towers_land(height: int, gap: float, phase: float, offset: float, step: float) -> None:
    """The same of other heights, gaps, places and steps."""
    _check(simulate(tower(height, gap, phase=phase, offset=offset), duration=0.8, step=step))


def test_a_tower_on_four_corners_each_lands() -> None:
    """Cubes quite above each other, which three of four corners would hold, create no energy.

    Six rounds of Newton's method were not enough, and in parts of a step it was given up with what
    a later step may correct: impulses of ways that a short part made large.
    """
    _check(simulate(tower(21, 0.02, offset=0.0), duration=0.32, step=0.004))


@settings(max_examples=12, deadline=None)
@given(
    height=st.integers(12, 48),
    gap=st.floats(0.01, 0.03),
    step=st.floats(0.002, 0.005),
)
def test_towers_on_four_corners_each_land(height: int, gap: float, step: float) -> None:
    """The same of other heights, gaps and steps. Their size allows for more."""
    recording = simulate(tower(height, gap, offset=0.0), duration=0.6, step=step)
    _check(recording, height * _LEFT)


def test_what_is_left_of_a_step_before_a_frame_creates_no_energy() -> None:
    """A tower at rest, 25 steps of which end 8.5e-7 s before a frame.

    What contacts lacked was a length in steps of any length, so that in a short one any velocity
    passed for none.
    """
    step = 0.12 / 25 * (1.0 - 7e-6)
    recording = simulate(tower(16, 0.0169, offset=0.0), duration=0.16, step=step)
    _check(recording)


def _check(recording: Recording, violation: float = _MOST_VIOLATION) -> None:
    """Nothing is told, contacts keep their laws, and the energy never rises."""
    told = recording.diagnostics
    assert told["warnings"] == []
    assert told["contacts"]["max_penetration_m"] <= _MOST_OVERLAP
    assert told["contacts"]["max_violation_m"] <= violation
    energy = recording.energy["total"]
    assert np.diff(energy).max() <= _RISE * energy[0]
