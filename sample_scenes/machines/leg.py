"""One leg of a walking machine: a servo, two hinges and a slider in one closed loop."""

from __future__ import annotations

import math

from bars import Point, hinge, upright_bar

from impulse_schema import Body, Geometry, Joint, Motor, Scene, Settings

CRANK = 0.12  # m
HIP_TO_SWIVEL = 0.35  # m
LEG = 0.9  # m, from the crank pin to the foot
SPEED = 4.0  # rad/s of the crank
STEEL = 0.04  # m, thickness of the bars


def leg() -> Scene:
    """The servo turns the crank, the leg hangs on its pin and slides through a swivel below.

    BS06, section 5: "Each leg of the walking machine is simulated by one servo motor, two hinge
    joints and one slider. This model has one closed kinematic chain per leg." The hip
    is fixed and the foot draws its path in the air.
    """
    hip, swivel = (0.0, 0.0, 0.0), (0.0, 0.0, -HIP_TO_SWIVEL)
    pin = (CRANK, 0.0, 0.0)
    foot = foot_at(0.0)
    crank = upright_bar("crank", hip, pin, mass=0.6, thickness=STEEL)
    shank = upright_bar("shank", pin, foot, mass=2.5, thickness=STEEL)
    along = _unit(pin, foot)
    servo = hinge("servo", "world", "crank", hip)
    servo.motors = [
        Motor(
            kind="servo",
            expression=f"{SPEED:g}*(t - (1 - exp(-2*t))/2)",
            proportional=2e4,
            derivative=400.0,
            max_force=80.0,
        )
    ]
    return Scene(
        version=1,
        name="leg",
        description="One leg of the walking machine of BS06: a servo motor turns a crank, on whose"
        " pin the leg hangs; it slides through a swivel, so that the foot lifts, swings forward and"
        " strides back.",
        settings=Settings(step=0.005, duration=8.0),
        bodies=[crank, shank, _swivel(swivel, along)],
        joints=[
            servo,
            hinge("crank-pin", "crank", "shank", pin),
            hinge("swivel-pin", "world", "swivel", swivel),
            Joint(
                name="guide",
                type="slider",
                body1="swivel",
                body2="shank",
                anchor=swivel,
                axis=along,
            ),
        ],
    )


def foot_at(angle: float) -> Point:
    """Where the foot is when the crank has turned by ``angle`` [rad] about y from the x axis."""
    pin = (CRANK * math.cos(angle), 0.0, -CRANK * math.sin(angle))
    along = _unit(pin, (0.0, 0.0, -HIP_TO_SWIVEL))
    return (pin[0] + LEG * along[0], 0.0, pin[2] + LEG * along[2])


def _unit(start: Point, end: Point) -> Point:
    length = math.dist(start, end)
    return ((end[0] - start[0]) / length, 0.0, (end[2] - start[2]) / length)


def _swivel(at: Point, along: Point) -> Body:
    half = math.atan2(-along[2], along[0]) / 2
    return Body(
        name="swivel",
        position=at,
        orientation=(math.cos(half), 0.0, math.sin(half), 0.0),
        mass=0.4,
        geometry=[Geometry(role="visual", shape="box", size=(0.1, 0.08, 0.08))],
    )
