"""A leg whose two loops lie in a plane, are closed by balls and are known to six digits."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from bars import Point

from impulse_core.geometry.rotations import multiplied, rotated
from impulse_core.types import Floats
from impulse_schema import Body, Geometry, Joint, Scene, Settings

DIGITS = 6
PLANE = np.array((0.9, 0.1, -0.2, 0.37)) / math.sqrt(0.9969)  # along no axis of the world
HIP, KNEE, ANKLE, TOE = (0.0, 0.0), (0.42, -0.1), (0.02, -0.55), (0.2, -0.6)  # m, in the plane
ROD = 0.07  # m, by which the rods lie off the limbs, in the plane


def planar_leg() -> Scene:
    """Hinges hold it in a plane three times over; a ball at one end of each rod holds it there
    once more, all but the sixth digit.
    """
    bodies = [
        _bar("thigh", HIP, KNEE, 4.0),
        _bar("shin", KNEE, ANKLE, 2.0),
        _bar("foot", ANKLE, TOE, 0.6),
        _bar("crank", HIP, _beside(HIP), 0.5),
        _bar("thigh-rod", _beside(HIP), _beside(KNEE), 0.3),
        _bar("rocker", KNEE, _beside(KNEE), 0.2),
        _bar("shin-rod", _beside(KNEE), _beside(ANKLE), 0.2),
    ]
    joints = [
        _joint("hip", "hinge", "world", "thigh", HIP),
        _joint("knee", "hinge", "thigh", "shin", KNEE),
        _joint("ankle", "hinge", "shin", "foot", ANKLE),
        _joint("crank-pin", "hinge", "world", "crank", HIP),
        _joint("thigh-rod-pin", "hinge", "crank", "thigh-rod", _beside(HIP)),
        _joint("rocker-pin", "hinge", "thigh", "rocker", KNEE),
        _joint("thigh-rod-ball", "ball", "thigh-rod", "rocker", _beside(KNEE)),
        _joint("shin-rod-pin", "hinge", "rocker", "shin-rod", _beside(KNEE)),
        _joint("shin-rod-ball", "ball", "shin-rod", "foot", _beside(ANKLE)),
    ]
    return Scene(
        version=1,
        name="planar-leg",
        description="A leg swings down: two planar loops are closed by balls, and poses, points and"
        " axes have six digits.",
        settings=Settings(step=0.001, duration=1.0),
        bodies=bodies,
        joints=joints,
    )


def _beside(at: tuple[float, float]) -> tuple[float, float]:
    return at[0] - ROD, at[1] + 0.5 * ROD


def _bar(name: str, start: tuple[float, float], end: tuple[float, float], mass: float) -> Body:
    """A bar whose own x axis points from start to end; its y axis is the plane's normal."""
    length = math.dist(start, end)
    pitch = math.atan2(start[1] - end[1], end[0] - start[0])
    middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    thickness = 0.2 * ROD + 0.04 * length
    along, across = mass / 6 * thickness**2, mass / 12 * (length**2 + thickness**2)
    about_y = np.array((math.cos(pitch / 2), 0.0, math.sin(pitch / 2), 0.0))
    return Body(
        name=name,
        position=_placed(middle),
        orientation=_digits(multiplied(PLANE, about_y)),
        mass=mass,
        inertia=(along, across, across),
        geometry=[Geometry(role="visual", shape="box", size=(length, thickness, thickness))],
    )


def _joint(
    name: str, kind: Literal["ball", "hinge"], body1: str, body2: str, at: tuple[float, float]
) -> Joint:
    joint = Joint(name=name, type=kind, body1=body1, body2=body2, anchor=_placed(at))
    if kind == "hinge":
        joint.axis = _digits(rotated(PLANE, np.array((0.0, 1.0, 0.0))))
    return joint


def _placed(at: tuple[float, float]) -> Point:
    """A point of the plane in the world."""
    return _digits(rotated(PLANE, np.array((at[0], 0.0, at[1]))))


def _digits(values: Floats) -> Any:
    """What a file of few digits keeps."""
    return tuple(values.round(DIGITS).tolist())
