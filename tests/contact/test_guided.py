"""Bodies that joints let move in some directions only, and the ground."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema.models import Body, Friction, Geometry, Joint, Scene, Settings

GROUND = Body(
    name="ground",
    motion="static",
    position=(0, 0, -0.01),
    geometry=[Geometry(shape="box", size=(20, 20, 0.02))],
)
SHAPES = {
    "sphere": Geometry(shape="sphere", radius=0.3),
    "box": Geometry(shape="box", size=(0.4, 0.3, 0.6)),
    "torus": Geometry(shape="torus", major_radius=0.25, minor_radius=0.1),
    "capsule": Geometry(shape="capsule", radius=0.2, height=0.2),
}


def guided(
    kind: str, shape: str, height: float, speed: float, density: float, friction: float
) -> Scene:
    """A body above the ground on a joint to the world that leaves it the vertical, or less."""
    axis = {"slider": (0, 0, 1), "cylindrical": (0, 0, 1), "planar": (0, 1, 0), "rail": (1, 0, 0)}
    joint = Joint(
        name="guide",
        type="slider" if kind == "rail" else kind,
        body2="body",
        anchor=(0, 0, height),
        axis=axis[kind],
    )
    if friction and kind in ("slider", "rail"):
        joint.frictions = [Friction(force=friction)]
    velocity = (speed, 0, 0) if kind == "rail" else (0, 0, -speed)
    body = Body(
        name="body",
        position=(0, 0, height),
        velocity=velocity,
        density=density,
        geometry=[SHAPES[shape]],
    )
    return Scene(
        version=1,
        settings=Settings(step=0.01, duration=0.6),
        bodies=[body, GROUND],
        joints=[joint],
    )


def test_a_ball_on_a_vertical_rail_lands() -> None:
    """Its contact gives way along the rail alone: it lands, and rests where it would without."""
    run = ic.simulate(guided("slider", "sphere", 0.9, 1.465, 886.0, 0.0))

    assert run.positions[-1, 0, 2] == pytest.approx(0.3, abs=1e-6)
    assert run.energy["kinetic"][-1] <= 1e-12
    assert run.diagnostics["halvings"] == 0


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    kind=st.sampled_from(["slider", "cylindrical", "planar", "rail"]),
    shape=st.sampled_from(sorted(SHAPES)),
    height=st.floats(0.31, 0.8),
    speed=st.floats(0.0, 4.0),
    density=st.sampled_from([1.0, 900.0, 2e4]),
    friction=st.sampled_from([0.0, 0.3]),
)
def test_guided_bodies_come_to_rest_or_slide(
    kind: str, shape: str, height: float, speed: float, density: float, friction: float
) -> None:
    """Whatever the joint leaves of the contact's directions: every step is taken, nothing gains
    energy, nothing sinks in.
    """
    run = ic.simulate(guided(kind, shape, height, speed, density, friction))

    energy = run.energy["total"]
    assert np.isfinite(energy).all()
    scale = float(run.energy["kinetic"].max() + np.ptp(run.energy["potential"])) + 1e-12
    assert energy.max() <= energy[0] + 1e-6 * scale + 1e-12 * abs(energy[0])
    assert run.diagnostics["contacts"]["max_penetration_m"] <= 1e-5
