"""Machines whose contacts resist turning, more of them than their bodies: all hold their laws.

Newton's method over the contacts of a machine had no room for the torques at more than 24 of them,
and took these as given: sweeps hardly converged, and steps were divided over and over.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from impulse_core import simulate
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Joint, Material
from tests.contact.scenes import scene, solid, turned


@pytest.mark.parametrize("spin", [0.0, 2.0])
def test_plates_on_a_rope_land(spin: float) -> None:
    """Nine that lie nearly on each other, each turning faster than the one below, and the top one
    hangs on a loose rope: 36 contacts.
    """
    felt = Material(
        name="felt", static_friction=0.5, rolling_friction=0.01, torsional_friction=0.01
    )
    plate = Geometry(shape="box", size=(1.0, 0.8, 0.2), material="felt")
    plates = [
        Body(
            name=f"plate-{k}",
            mass=1.0,
            position=(0.02 * k, 0.0, 0.1 + 0.205 * k),
            angular_velocity=(0.0, 0.0, spin * (k + 1) / 9),
            geometry=[plate],
        )
        for k in range(9)
    ]
    tower = scene(*plates, materials=(felt,), duration=1.0, step=0.004)
    tower.joints = [_rope("world", plates[-1], (0.0, 0.0, 2.845), 1.5)]
    recording = simulate(tower)

    assert recording.diagnostics["halvings"] == 0
    assert recording.diagnostics["contacts"]["max_violation_m"] <= 1e-9


@settings(max_examples=12)
@given(st.integers(0, 2**32 - 1))
@example(3027275)
@example(49539)
def test_tied_solids_fall_onto_each_other(seed: int) -> None:
    """Twenty-four of all shapes and any size, three pairs of them tied: before, of 50 such heaps
    steps were divided 71 times in a run of 300, now 6 times; of the two that are named 286 and 65
    times, for an edge that slid along another and was taken for a face.
    """
    random = np.random.default_rng(seed)
    size = math.exp(random.uniform(math.log(0.05), math.log(2.0)))
    tied, step = _tied_heap(random, size), float(random.uniform(2e-3, 6e-3)) * math.sqrt(size)
    told = simulate(tied, duration=300 * step, step=step, fps=0.1 / step).diagnostics

    assert told["warnings"] == []
    assert told["contacts"]["max_violation_m"] <= 2e-3 * size
    assert told["contacts"]["max_penetration_m"] <= 2e-3 * size
    assert told["halvings"] <= 60


def _tied_heap(random: np.random.Generator, size: float) -> Scene:
    """Solids that are thrown towards the middle, all of a material that resists turning."""
    felt = Material(
        name="felt",
        density=1000.0,
        static_friction=random.uniform(0.0, 1.0),
        rolling_friction=0.01 * size,
        torsional_friction=0.01 * size,
    )
    fast = 2.0 * math.sqrt(size)
    solids = [
        Body(
            name=f"solid-{k}",
            position=(1.2 * size * x, 1.2 * size * y, size * (0.75 + 1.25 * z)),
            orientation=turned(random),
            velocity=(fast * (0.5 - x), fast * (1.0 - y), 0.0),
            geometry=[solid(random, size, "felt")],
        )
        for k, (x, y, z) in enumerate(np.ndindex(2, 3, 4))
    ]
    heap = scene(*solids, materials=(felt,))
    for k in random.choice(len(solids) - 1, 3, replace=False).tolist():
        near = np.subtract(solids[k].position, solids[k + 1].position)
        length = 1.5 * float(np.linalg.norm(near))
        heap.joints.append(_rope(solids[k].name, solids[k + 1], solids[k].position, length))
    return heap


def _rope(one: str, other: Body, anchor: tuple[float, float, float], length: float) -> Joint:
    """From a point of the one body to the centre of the other."""
    return Joint(
        name=f"rope-{one}",
        type="distance",
        body1=one,
        body2=other.name,
        anchor=anchor,
        anchor2=other.position,
        max_length=length,
    )
