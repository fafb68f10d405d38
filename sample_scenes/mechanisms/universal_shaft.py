"""Three shafts in a row on two universal joints, the middle one at an angle."""

from __future__ import annotations

import math

from bars import Point, Vector, middle

from impulse_schema import Body, Geometry, Joint, Scene, Settings

BEND = math.radians(30.0)  # between neighbouring shafts
SPEED = 10.0  # rad/s of the input shaft
RADIUS = 0.05  # m
DENSITY = 7800.0  # kg/m³
Z: Vector = (0.0, 0.0, 1.0)


def universal_shaft() -> Scene:
    """Input and output shaft are parallel to x; the middle one lies between, in the x-y plane.

    Both forks of the middle shaft lie in one plane and its ends bend alike, so the output turns
    exactly with the input, although the middle shaft runs ahead and falls behind twice a turn.
    """
    bent = (math.cos(BEND), math.sin(BEND), 0.0)
    first = (0.0, 0.0, 0.0)
    second = (1.2 * bent[0], 1.2 * bent[1], 0.0)
    far = (second[0] + 1.0, second[1], 0.0)
    across = (-bent[1], bent[0], 0.0)  # of the middle shaft, in the plane of the bend
    middle_speed = SPEED * math.cos(BEND)  # tan(middle) = cos(bend) tan(input) at angle zero
    bodies = [
        _shaft("input", (-1.0, 0.0, 0.0), first, SPEED),
        _shaft("middle", first, second, middle_speed),
        _shaft("output", second, far, SPEED),
    ]
    return Scene(
        version=1,
        name="universal-shaft",
        description="Two universal joints and three shafts with a bend of 30 degrees at each: the"
        " middle shaft turns unevenly, the output exactly as the input.",
        settings=Settings(step=0.005, duration=5.0),
        bodies=bodies,
        joints=[
            _bearing("input-bearing", "hinge", "input", middle((-1.0, 0.0, 0.0), first)),
            _universal("first-cross", "input", "middle", first, Z, across),
            _universal("second-cross", "middle", "output", second, across, Z),
            _bearing("output-bearing", "cylindrical", "output", middle(second, far)),
        ],
    )


def _shaft(name: str, start: Point, end: Point, speed: float) -> Body:
    """A round shaft along its own z axis, which lies in the x-y plane of the world."""
    length = math.dist(start, end)
    direction = ((end[0] - start[0]) / length, (end[1] - start[1]) / length, 0.0)
    half_heading = math.atan2(direction[1], direction[0]) / 2
    c, s, r = math.cos(half_heading), math.sin(half_heading), math.sqrt(0.5)
    return Body(
        name=name,
        position=middle(start, end),
        orientation=(c * r, -s * r, c * r, s * r),  # turn z to x, then by the heading about z
        angular_velocity=(speed * direction[0], speed * direction[1], 0.0),
        density=DENSITY,
        geometry=[Geometry(role="visual", shape="cylinder", radius=RADIUS, height=length)],
    )


def _universal(name: str, body1: str, body2: str, at: Point, axis1: Vector, axis2: Vector) -> Joint:
    return Joint(
        name=name, type="universal", body1=body1, body2=body2, anchor=at, axis=axis1, axis2=axis2
    )


def _bearing(name: str, kind: str, body: str, at: Point) -> Joint:
    return Joint(name=name, type=kind, body1="world", body2=body, anchor=at, axis=(1.0, 0.0, 0.0))
