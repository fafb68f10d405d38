"""Square bars between two points: what the mechanisms are made of."""

from __future__ import annotations

import math

from impulse_schema import Body, Geometry, Joint

Point = tuple[float, float, float]
Vector = tuple[float, float, float]

Y: Vector = (0.0, 1.0, 0.0)
REST: Vector = (0.0, 0.0, 0.0)


def upright_bar(
    name: str,
    start: Point,
    end: Point,
    *,
    mass: float,
    thickness: float,
    pivot: Point | None = None,
    velocity: Vector = REST,
    turning: float = 0.0,
) -> Body:
    """A bar in a plane parallel to x-z; its own x axis points from start to end.

    Args:
        name: Of the body.
        start: One end [m].
        end: The other end [m].
        mass: Mass [kg].
        thickness: Edge of its square section [m].
        pivot: Point about which it turns at the start [m]; default its centre.
        velocity: Velocity of that point [m/s].
        turning: Angular velocity about y [rad/s]; positive turns z towards x.
    """
    center = middle(start, end)
    length = math.dist(start, end)
    pitch = math.atan2(start[2] - end[2], end[0] - start[0])
    arm = REST if pivot is None else tuple(c - p for c, p in zip(center, pivot, strict=True))
    along, across = mass / 6 * thickness**2, mass / 12 * (length**2 + thickness**2)
    return Body(
        name=name,
        position=center,
        orientation=(math.cos(pitch / 2), 0.0, math.sin(pitch / 2), 0.0),
        velocity=(velocity[0] + turning * arm[2], velocity[1], velocity[2] - turning * arm[0]),
        angular_velocity=(0.0, turning, 0.0),
        mass=mass,
        inertia=(along, across, across),
        geometry=[Geometry(role="visual", shape="box", size=(length, thickness, thickness))],
    )


def hinge(name: str, body1: str, body2: str, anchor: Point) -> Joint:
    """A hinge about an axis along y."""
    return Joint(name=name, type="hinge", body1=body1, body2=body2, anchor=anchor, axis=Y)


def middle(a: Point, b: Point) -> Point:
    """The point halfway between two."""
    return ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2)
