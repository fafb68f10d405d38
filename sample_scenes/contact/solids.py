"""Grounds, blocks and balls: what the scenes with contact are made of."""

from __future__ import annotations

import math

from impulse_schema import Body, Geometry, Material

Point = tuple[float, float, float]
Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

LEVEL: Quaternion = (1.0, 0.0, 0.0, 0.0)
GRAVITY = 9.81  # m/s²


def tilted(angle: float) -> Quaternion:
    """A turn about y [rad]: the x axis points downhill."""
    return (math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0)


def on_slope(angle: float, along: float, across: float, above: float) -> Point:
    """World point [m] from coordinates down the slope, across it and normal to it."""
    c, s = math.cos(angle), math.sin(angle)
    return (along * c + above * s, across, above * c - along * s)


def friction(name: str, static: float, kinetic: float | None = None) -> Material:
    """A material by its coefficients of friction."""
    return Material(name=name, static_friction=static, kinetic_friction=kinetic)


def ground(material: str, *, slope: float = 0.0) -> Body:
    """A half-space whose surface passes through the origin, downhill to +x by an angle [rad]."""
    return Body(
        name="ground",
        motion="static",
        orientation=tilted(slope),
        geometry=[Geometry(shape="plane", material=material)],
    )


def block(
    name: str,
    at: Point,
    size: Vector,
    mass: float,
    material: str,
    *,
    orientation: Quaternion = LEVEL,
    velocity: Vector = (0.0, 0.0, 0.0),
) -> Body:
    """A box that collides, by its centre [m], edges [m] and mass [kg]."""
    return Body(
        name=name,
        position=at,
        orientation=orientation,
        velocity=velocity,
        mass=mass,
        geometry=[Geometry(shape="box", size=size, material=material)],
    )


def ball(name: str, at: Point, radius: float, mass: float, material: str) -> Body:
    """A homogeneous ball that collides, by its centre [m], radius [m] and mass [kg]."""
    return Body(
        name=name,
        position=at,
        mass=mass,
        geometry=[Geometry(shape="sphere", radius=radius, material=material)],
    )
