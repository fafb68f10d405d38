"""Where bodies begin, and how: the rows of Model and State that are of bodies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from impulse_core import model as kinds
from impulse_core.compile.kinematic import Kinematics
from impulse_core.compile.problems import NO_MASS, ProblemList
from impulse_core.geometry import MassProperties
from impulse_core.geometry.rotations import conjugated, matrix_to_quaternion, multiplied, rotated
from impulse_core.types import Floats, Ints, Records, new_records
from impulse_schema import Scene
from impulse_schema.bounds import beyond
from impulse_schema.models import Body

__all__ = ["PlacedBodies", "body_records", "check_masses", "place_bodies", "unit_rows"]

# Moments closer than this, relative to the largest, are taken as equal: the closed form then
# holds, and the difference would turn the body by less than round-off in any run.
_EQUAL_MOMENTS = 1e-12


@dataclass
class PlacedBodies:
    """Start of all body rows, as in Model and State: dynamic, kinematic, and the world."""

    mass: Floats
    moments: Floats
    gyration: Floats  # largest radius of gyration [m]
    center: Floats  # centre of mass in the user's frame [m]
    axes: Floats  # body frame to the user's axes, quaternions
    position: Floats
    orientation: Floats
    velocity: Floats
    angular_momentum: Floats


def place_bodies(
    bodies: list[Body], properties: list[MassProperties], kinematics: Kinematics
) -> PlacedBodies:
    """Put the body frames where the users' origins and the mass properties say."""
    fixed = len(kinematics.position) + 1  # rows without mass; the last is the world
    rest = np.zeros((fixed, 3))
    moments, axes = _principal(properties, fixed)
    mass = np.array([p.mass for p in properties] + [0.0] * fixed)
    center = np.concatenate([np.array([p.center_of_mass for p in properties]).reshape(-1, 3), rest])
    given = np.array([b.position for b in bodies], dtype=float).reshape(-1, 3)
    user_position = np.concatenate([given, kinematics.position, np.zeros((1, 3))])
    turned = unit_rows([b.orientation for b in bodies])
    identity = np.array([[1.0, 0.0, 0.0, 0.0]])
    user_orientation = np.concatenate([turned, kinematics.orientation, identity])
    orientation = multiplied(user_orientation, axes)
    velocity = np.array([b.velocity for b in bodies], dtype=float).reshape(-1, 3)
    spins = np.array([b.angular_velocity for b in bodies], dtype=float).reshape(-1, 3)
    w = np.concatenate([spins, rest])
    return PlacedBodies(
        mass=mass,
        moments=moments,
        gyration=np.sqrt(moments.max(axis=1) / np.where(mass > 0.0, mass, 1.0)),
        center=center,
        axes=axes,
        position=user_position + rotated(user_orientation, center),
        orientation=orientation,
        velocity=np.concatenate([velocity, rest]),
        # L = R J Rᵀ ω
        angular_momentum=rotated(orientation, moments * rotated(conjugated(orientation), w)),
    )


def _check_mass(name: str, i: int, mass: float, moments: Floats, problems: ProblemList) -> None:
    """Report mass, moments and radii of gyration of a body that lie beyond the bounds."""
    figures = [
        ("mass", mass, "kg"),
        ("smallest principal moment of inertia", float(moments.min()), "kg m^2"),
        ("largest principal moment of inertia", float(moments.max()), "kg m^2"),
        ("smallest radius of gyration", math.sqrt(max(0.0, float(moments.min())) / mass), "m"),
        ("largest radius of gyration", math.sqrt(max(0.0, float(moments.max())) / mass), "m"),
    ]
    for what, value, unit in figures:
        if message := beyond(value, unit, "positive"):
            problems.add(
                ("bodies", i),
                NO_MASS,
                f"body '{name}': its {what} is {value:g} {unit} and {message}",
                "Look at sizes and densities, or at mass and inertia",
            )
            return


def check_masses(scene: Scene, bodies: PlacedBodies, problems: ProblemList) -> None:
    """Report masses of dynamic bodies that lie beyond the bounds."""
    dynamic = [i for i, body in enumerate(scene.bodies) if body.motion == "dynamic"]
    for row, i in enumerate(dynamic):
        _check_mass(scene.bodies[i].name, i, float(bodies.mass[row]), bodies.moments[row], problems)


def body_records(bodies: PlacedBodies) -> Records:
    """The bodies of Model."""
    records = new_records(kinds.Body, len(bodies.mass))
    records["mass"], records["inverse_mass"] = bodies.mass, _inverse(bodies.mass)
    records["inertia"], records["inverse_inertia"] = bodies.moments, _inverse(bodies.moments)
    records["symmetry_axis"] = _symmetry_axes(bodies.moments)
    return records


def unit_rows(rows: Sequence[tuple[float, ...]]) -> Floats:
    array = np.array(rows, dtype=float).reshape(-1, 4)
    unit: Floats = array / np.linalg.norm(array, axis=1, keepdims=True)
    return unit


def _inverse(values: Floats) -> Floats:
    """1/x, and 0 for zeros: infinite mass."""
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0.0)


def _principal(properties: list[MassProperties], fixed: int) -> tuple[Floats, Floats]:
    """Principal moments, shape (b, 3), and user's axes → body frame rotations, shape (b, 4).

    The last rows, ``fixed`` of them, have no moments. Nearly equal moments are made equal, so that
    a square bar is a symmetric top to the last bit.
    """
    moments = np.zeros((len(properties) + fixed, 3))
    axes = np.tile([1.0, 0.0, 0.0, 0.0], (len(properties) + fixed, 1))
    for row, body in enumerate(properties):
        moments[row], rotation = body.principal()
        axes[row] = matrix_to_quaternion(rotation)
        near = _EQUAL_MOMENTS * moments[row].max()
        for i, k in ((0, 1), (0, 2), (1, 2)):
            if abs(moments[row, i] - moments[row, k]) <= near:
                moments[row, k] = moments[row, i]
    return moments, axes


def _symmetry_axes(moments: Floats) -> Ints:
    """Axis about which the other two moments are equal, -1 if there is none."""
    axes = np.full(len(moments), -1, dtype=np.int64)
    for axis, (i, k) in enumerate(((1, 2), (0, 2), (0, 1))):
        axes[(moments[:, i] == moments[:, k]) & (axes < 0)] = axis
    return axes
