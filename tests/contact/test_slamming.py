"""Round bodies that fall flat: their lowest point runs to the other side within a step."""

import math

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema.models import Body, Geometry
from tests.contact.scenes import scene

ROUND = {
    "cylinder": lambda r, t: Geometry(shape="cylinder", radius=r, height=t),
    "cone": lambda r, t: Geometry(shape="cone", radius=r, height=t),
    "torus": lambda r, t: Geometry(shape="torus", major_radius=r, minor_radius=0.5 * t),
    "ellipsoid": lambda r, t: Geometry(shape="ellipsoid", size=(2 * r, 2 * r, t)),
}


def falls(shape: Geometry, tilt: float, height: float, **settings) -> ic.Recording:
    """A body let go at a height, tilted about x."""
    turn = (math.cos(0.5 * tilt), math.sin(0.5 * tilt), 0.0, 0.0)
    place = (0.0, 0.0, height)
    body = Body(name="disc", density=1000.0, position=place, orientation=turn, geometry=[shape])
    return ic.simulate(scene(body, **settings))


def check(recording: ic.Recording, tolerance: float, *, rocks: bool = False) -> None:
    """No energy comes from nowhere, and nothing sinks in. Of a body that rocks on a curved surface
    it swings about its value and may only not exceed what there was; the side that comes down
    within a step sinks in.
    """
    total = recording.energy["total"]
    scale = total[0] - total[-1]
    assert total.max() <= total[0] + 1e-4 * scale
    if not rocks:
        assert np.diff(total).max() <= 1e-4 * scale
        assert recording.diagnostics["contacts"]["max_penetration_m"] <= 100.0 * tolerance
    assert recording.diagnostics["energy_j"]["dissipated"] > 0.0


@pytest.mark.parametrize(("step", "tilt"), [(0.01, 0.5), (0.005, 0.2), (0.002, 0.9)])
def test_a_disc_that_slams_flat_gains_no_energy(step, tilt):
    """Its rim comes down all at once; impulses act where it was lowest, not where it will be."""
    shape = ROUND["cylinder"](0.5, 0.2)

    check(falls(shape, tilt, 0.8, step=step, tolerance=1e-6, duration=1.5), 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ROUND)
def test_whatever_is_round_and_flat_gains_no_energy(kind):
    """The same of other shapes, sizes, thicknesses, tilts, heights and steps."""
    rng = np.random.default_rng(sum(map(ord, kind)))
    for _ in range(12):
        radius = math.exp(rng.uniform(math.log(0.05), math.log(1.5)))
        thickness = radius * rng.uniform(0.1, 0.6)
        fall = math.sqrt(radius)  # steps that resolve alike what is small and large
        step = fall * rng.choice([0.002, 0.005, 0.01])
        tilt, height = rng.uniform(0.05, 1.4), radius * rng.uniform(1.2, 2.0)
        tolerance = 1e-6 * radius
        shape = ROUND[kind](radius, thickness)
        settings = {"step": step, "tolerance": tolerance, "duration": 1.5 * fall}
        fallen = falls(shape, tilt, height, **settings)
        check(fallen, tolerance, rocks=kind == "ellipsoid")
