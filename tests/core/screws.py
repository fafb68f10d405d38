"""Scenes with screws that several tests share."""

from __future__ import annotations

import math

from impulse_schema.models import Body, Joint
from tests.core.scenes import NO_GRAVITY, box, scene_of

__all__ = ["INERTIA", "MASS", "afloat", "jack", "nut_on_a_bolt", "reach", "screw"]

Z = (0.0, 0.0, 1.0)
MASS, INERTIA = 2.0, 0.03  # of the nut: kg, kg m² about every axis


def reach(pitch: float) -> float:
    """Metres that a screw moves in a radian."""
    return pitch / (2.0 * math.pi)


def screw(pitch: float, body2: str = "nut", body1: str = "world", axis=Z, **more) -> Joint:
    """A screw at the origin."""
    return Joint(
        name="thread",
        type="screw",
        body1=body1,
        body2=body2,
        anchor=(0.0, 0.0, 0.0),
        axis=axis,
        pitch=pitch,
        **more,
    )


def nut_on_a_bolt(pitch: float, axis=Z, gravity=NO_GRAVITY, **more):
    """A nut whose centre is on the axis of a bolt of the world."""
    nut = Body(name="nut", mass=MASS, inertia=(INERTIA, INERTIA, INERTIA))
    return scene_of([nut], [screw(pitch, axis=axis, **more)], gravity=gravity)


def jack(pitch: float, **more):
    """A spindle on a hinge and a nut on a slider along the same upright axis: a loop of three."""
    spindle = Body(name="spindle", mass=1.0, inertia=(0.1, 0.1, 0.004))
    nut = Body(name="nut", mass=MASS, inertia=(INERTIA, INERTIA, INERTIA))
    joints = [
        Joint(name="bearing", type="hinge", body2="spindle", anchor=(0.0, 0.0, 0.0), axis=Z),
        Joint(name="guide", type="slider", body2="nut", anchor=(0.0, 0.0, 0.0), axis=Z),
        screw(pitch, body1="spindle", **more),
    ]
    return scene_of([spindle, nut], joints, gravity=NO_GRAVITY)


def afloat(pitch: float = 0.4):
    """Two unlike boxes on a slanting screw, tumbling in space."""
    bodies = [
        box("bolt", (0.1, 0.0, -0.2), (0.2, 0.3, 0.8), mass=3.0, angular_velocity=(0.5, 0.9, 2.0)),
        box("nut", (-0.2, 0.3, 0.4), (0.5, 0.2, 0.1), mass=1.5, angular_velocity=(0.5, 0.9, -4.0)),
    ]
    return scene_of(bodies, [screw(pitch, body1="bolt", axis=(0.2, -0.1, 1.0))], gravity=NO_GRAVITY)
