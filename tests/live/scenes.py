"""Machines for sessions."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import impulse_core as ic
from impulse_schema import Body, Geometry, Joint, Load, Motor, Scene, Settings

SAMPLES = Path(__file__).resolve().parents[2] / "sample_scenes"


@cache
def walker() -> Scene:
    """The walking machine, which has contacts, servos and loops."""
    return ic.load_scene(SAMPLES / "walking" / "walking-machine.xml")


def arm(**settings) -> Scene:
    """A driven hinge with a second arm that hangs from it, and a load that comes and goes."""
    solid = [Geometry(shape="box", size=(0.1, 0.1, 0.5), role="visual")]
    servo = Motor(kind="servo", expression="sin(2*t)", proportional=40.0, derivative=4.0)
    return Scene(
        version=1,
        name="arm",
        settings=Settings(**({"step": 0.01} | settings)),
        bodies=[
            Body(name="upper", position=(0, 0, -0.25), mass=2.0, geometry=solid),
            Body(name="lower", position=(0, 0, -0.75), mass=1.0, geometry=solid),
        ],
        joints=[
            Joint(
                name="shoulder", type="hinge", body2="upper", anchor=(0, 0, 0), axis=(0, 1, 0),
                motors=[servo],
            ),
            Joint(
                name="elbow", type="hinge", body1="upper", body2="lower", anchor=(0, 0, -0.5),
                axis=(0, 1, 0),
            ),
        ],
        loads=[Load(name="gust", body="lower", force=(3, 0, 0), from_=0.213, until=0.481)],
    )  # fmt: skip


def brick(gravity=(0.0, 0.0, 0.0)) -> Scene:
    """One free body."""
    solid = [Geometry(shape="box", size=(0.2, 0.4, 0.6), role="visual")]
    return Scene(
        version=1,
        settings=Settings(gravity=gravity),
        bodies=[Body(name="brick", mass=3.0, geometry=solid)],
    )
