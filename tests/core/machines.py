"""Bodies with one free axis, on which elements act, and a planar loop that is not quite planar."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

import impulse_core as ic
from impulse_schema.models import Body, Geometry, Joint, Scene
from tests.core.scenes import NO_GRAVITY, box, scene_of

__all__ = [
    "MASS",
    "MOMENT",
    "arm",
    "bars",
    "coordinate",
    "errors",
    "rotor",
    "run",
    "sled",
    "unbalance",
]

MASS = 2.0  # kg, of the sled
MOMENT = 0.5  # kg m², of the rotor about its axis

X = (1.0, 0.0, 0.0)
Y = (0.0, 1.0, 0.0)


def sled(speed: float = 0.0, gravity=NO_GRAVITY, axis=X, **elements) -> Scene:
    """A box of MASS on a slider through its centre, moving at ``speed`` along it [m/s]."""
    velocity = tuple(speed * component for component in axis)
    return scene_of(
        [box("sled", (0.0, 0.0, 0.0), mass=MASS, velocity=velocity)],
        [Joint(name="rail", type="slider", body2="sled", anchor=(0, 0, 0), axis=axis, **elements)],
        gravity=gravity,
    )


def rotor(speed: float = 0.0, **elements) -> Scene:
    """A body of MOMENT on a hinge along y through its centre, turning at ``speed`` [rad/s]."""
    body = Body(
        name="rotor",
        mass=3.0,
        inertia=(0.2, MOMENT, 0.4),
        angular_velocity=(0.0, speed, 0.0),
        geometry=[Geometry(role="visual", shape="sphere", radius=0.2)],
    )
    pin = Joint(name="pin", type="hinge", body2="rotor", anchor=(0, 0, 0), axis=Y, **elements)
    return scene_of([body], [pin], gravity=NO_GRAVITY)


def bars(tilt: float, size: float = 1.0) -> Scene:
    """A planar four-bar whose third hinge is tilted by a hair."""
    points = size * np.array([[0, 0, 0], [0, 0, 0.35], [0.55, 0, 0.5], [0.7, 0, 0]])
    names = ["crank", "coupler", "rocker"]
    bodies = []
    for name, start, end in zip(names, points[:-1], points[1:], strict=True):
        along = end - start
        length = float(np.linalg.norm(along))
        angle = math.atan2(along[0], along[2])
        bodies.append(
            Body(
                name=name,
                position=tuple((start + end) / 2),
                orientation=(math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0),
                mass=1.0,
                inertia=(length**2 / 12, length**2 / 12, 1e-4 * size**2),
            )
        )
    flat, tilted = (0.0, 1.0, 0.0), (math.sin(tilt), math.cos(tilt), 0.0)
    pins = [("A", "world", "crank", flat), ("B", "crank", "coupler", flat)]
    pins += [("C", "coupler", "rocker", tilted)]
    joints = [
        Joint(name=name, type="hinge", body1=one, body2=other, anchor=tuple(at), axis=axis)
        for (name, one, other, axis), at in zip(pins, points[:-1], strict=True)
    ]
    joints.append(Joint(name="D", type="ball", body1="rocker", anchor=tuple(points[-1])))
    return scene_of(bodies, joints)


def arm(masses: Sequence[float], **elements) -> tuple[list[Body], list[Joint]]:
    """Bars of 1 m in a row along x, and the hinges along y that hold each to the one before."""
    bodies = [
        Body(name=f"b{k}", position=(k + 0.5, 0, 0), mass=mass, inertia=(0.02, 0.1, 0.1))
        for k, mass in enumerate(masses)
    ]
    joints = [
        Joint(
            name=f"j{k}",
            type="hinge",
            body1=f"b{k - 1}" if k else "world",
            body2=f"b{k}",
            anchor=(k, 0, 0),
            axis=Y,
            **elements,
        )
        for k in range(len(masses))
    ]
    return bodies, joints


def run(scene: Scene, **options) -> ic.Recording:
    """Simulate to a tolerance far below the methods' errors unless told."""
    return ic.simulate(scene, **({"tolerance": 1e-13} | options))


def coordinate(recording: ic.Recording) -> np.ndarray:
    """Displacement [m] of the sled along x, or angle [rad] of the rotor, per frame."""
    if "pin" in recording.joints:
        return recording.joints["pin"]["angle"]
    return recording.positions[:, 0, 0]


def errors(recording: ic.Recording, exact) -> float:
    """Largest distance of the coordinate from ``exact``, a function of the times."""
    return float(np.abs(coordinate(recording) - exact(recording.times)).max())


def unbalance(recording: ic.Recording) -> float:
    """Largest |E - E0 - work + dissipated| over the steps [J]."""
    return recording.diagnostics["energy_j"]["max_abs_drift"]
