"""Rings that run into one another: they wedge, with forces thousands of times their weight."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema.models import Body, Geometry, Material, Scene, Settings

OUTER = 0.3  # m, radius on which the rings roll
SLOPE = math.radians(4.0)
SPEED = 1.2  # m/s


def ring(name: str, tube: float, across: float, lean: float) -> Body:
    """A ring of this tube that rolls down the slope, upright or leaning."""
    half = math.pi / 4 - lean / 2
    height = (OUTER - tube) * math.cos(lean) + tube
    down = np.array([math.cos(SLOPE), 0.0, -math.sin(SLOPE)])
    up = np.array([math.sin(SLOPE), 0.0, math.cos(SLOPE)])
    solid = Geometry(
        shape="torus", major_radius=OUTER - tube, minor_radius=tube, density=1100.0, material="m"
    )
    return Body(
        name=name,
        position=tuple(height * up + np.array([0.0, across, 0.0])),
        orientation=(math.cos(half), math.sin(half), 0.0, 0.0),
        velocity=tuple(SPEED * down),
        angular_velocity=(0.0, SPEED / OUTER, 0.0),
        geometry=[solid],
    )


def slope(friction: float, rings: list[Body], step: float) -> Scene:
    tilt = (math.cos(SLOPE / 2), 0.0, math.sin(SLOPE / 2), 0.0)
    plane = Geometry(shape="plane", material="m")
    ground = Body(name="ground", motion="static", orientation=tilt, geometry=[plane])
    return Scene(
        version="1.1",
        settings=Settings(step=step, duration=3.0),
        materials=[Material(name="m", static_friction=friction)],
        bodies=[ground, *rings],
    )


def test_a_leaning_ring_jams_in_a_thin_one() -> None:
    """It threw both apart with 1.1e5 J: what the contacts did on the way over the step was to
    resist, and on the velocities, which turned round within it, to push.
    """
    tubes = enumerate((0.015, 0.05, 0.1, 0.14))
    rings = [ring(f"ring {k}", tube, 0.8 * k, 0.0) for k, tube in tubes]
    rings.append(ring("leaning", 0.05, -0.8, math.radians(12.0)))
    flat = {
        "position": (0.2 * math.sin(SLOPE), -1.6, 0.2 * math.cos(SLOPE)),
        "orientation": (1.0, 0.0, 0.0, 0.0),
        "velocity": (0.0, 0.0, 0.0),
        "angular_velocity": (0.0, 0.0, 0.0),
    }
    rings.append(ring("falling", 0.05, -1.6, 0.0).model_copy(update=flat))
    report = ic.simulate(slope(0.8, rings, 0.005)).diagnostics["energy_j"]
    assert report["max_unexplained_step"] <= 0.1


SHARE = 0.05  # of the most kinetic energy and what was dissipated: the report warns of more


@settings(max_examples=8, deadline=None)
@given(
    tube=st.floats(0.012, 0.06),
    across=st.floats(0.6, 1.0),
    lean=st.floats(8.0, 16.0),
    friction=st.floats(0.5, 1.2),
    step=st.sampled_from([0.003, 0.005, 0.008]),
)
@example(
    tube=0.059389309704300494,
    across=0.8486224741175765,
    lean=15.71905,
    friction=0.5730323967125334,
    step=0.003,
)
def test_no_energy_comes_from_nowhere_without_a_word(
    tube: float, across: float, lean: float, friction: float, step: float
) -> None:
    """Whatever their tubes, friction and step: the energy is balanced, or the report warns, or
    the run ends and names the bodies. Forces that hold one another may grow beyond what a step of
    a few milliseconds resolves.
    """
    rings = [ring("upright", tube, 0.0, 0.0), ring("leaning", 0.05, -across, math.radians(lean))]
    try:
        recording = ic.simulate(slope(friction, rings, step), fps=1.0 / step)
    except ic.SimulationError as failed:
        event = failed.recording.events[-1]
        assert {"upright", "leaning", "ground"} >= {event["body1"], event.get("body2", "ground")}
        return
    balance = recording.diagnostics["energy_j"]
    moved = balance["dissipated"] + recording.energy["kinetic"].max()
    warned = any("explain" in text for text in recording.diagnostics["warnings"])
    assert warned or balance["max_abs_drift"] <= SHARE * moved
