"""A car on a lift: driven wheels, steering with a rack, wheels on sliders with spring-dampers."""

from __future__ import annotations

import math

from impulse_schema import (
    Body,
    Geometry,
    Joint,
    Limit,
    Motor,
    Scene,
    Settings,
    Spring,
)

Point = tuple[float, float, float]
Vector = tuple[float, float, float]

X: Vector = (1.0, 0.0, 0.0)
Y: Vector = (0.0, 1.0, 0.0)
Z: Vector = (0.0, 0.0, 1.0)

WHEELBASE = 2.4  # m
TRACK = 1.4  # m, between the middles of the wheels
KINGPIN = 0.6  # m from the middle of the car
WHEEL_RADIUS, WHEEL_WIDTH = 0.3, 0.18  # m
ARM_BACK, ARM_IN = 0.15, 0.03  # m, end of a steering arm seen from its kingpin
RACK = 0.5  # m
RIDE = 0.3  # m, centre of the chassis above the axles

CHASSIS_MASS, CARRIER_MASS, KNUCKLE_MASS, WHEEL_MASS, RACK_MASS = 800.0, 12.0, 6.0, 18.0, 4.0  # kg
STIFFNESS, DAMPING = 25e3, 1.5e3  # N/m, N s/m
TRAVEL = 0.08  # m of the suspension to either side
GRAVITY = 9.81  # m/s²


def car() -> Scene:
    """Twelve bodies, fourteen joints, two closed loops by the tie rods, ten degrees of freedom.

    BS06, section 5: "The car has a servo motor for each wheel and one servo motor for the steering.
    A slider joint has been combined with a spring to simulate the dampers for the wheels." There is
    no ground yet: the car stands on a lift that shakes it up and down.
    """
    bodies = [
        _block("chassis", (0.0, 0.0, RIDE), (3.4, 1.0, 0.4), CHASSIS_MASS),
        _block("rack", (_front_arm(1)[0], 0.0, 0.0), (0.04, RACK, 0.04), RACK_MASS),
    ]
    joints = [_lift(), _steering()]
    for end, x in (("front", WHEELBASE / 2), ("rear", -WHEELBASE / 2)):
        for name, side in (("left", 1), ("right", -1)):
            steered = end == "front"
            corner_bodies, corner_joints = _corner(f"{end}-{name}", x, side, steered=steered)
            bodies += corner_bodies
            joints += corner_joints
    return Scene(
        version=1,
        name="car",
        description="The car of BS06 on a lift that shakes it: a motor for each wheel, a servo for"
        " the steering rack, whose tie rods close two loops, and wheels on sliders with springs,"
        " dampers and stops.",
        settings=Settings(step=0.005, duration=10.0, gravity=(0.0, 0.0, -GRAVITY)),
        bodies=bodies,
        joints=joints,
    )


def _lift() -> Joint:
    motor = Motor(kind="servo", expression="0.04*(1 - cos(9*t))", proportional=5e7, derivative=1e6)
    return Joint(
        name="lift",
        type="slider",
        body2="chassis",
        anchor=(0.0, 0.0, RIDE),
        axis=Z,
        motors=[motor],
    )


def _steering() -> Joint:
    motor = Motor(
        kind="servo",
        expression="0.05*(1 - exp(-3*t))*sin(1.5*t)",
        proportional=4e5,
        derivative=8e3,
        max_force=5e3,
    )
    return Joint(
        name="steering",
        type="slider",
        body1="chassis",
        body2="rack",
        anchor=(_front_arm(1)[0], 0.0, 0.0),
        axis=Y,
        motors=[motor],
    )


def _front_arm(side: int) -> Point:
    """End of the steering arm, where the tie rod holds it."""
    return (WHEELBASE / 2 - ARM_BACK, side * (KINGPIN - ARM_IN), 0.0)


def _corner(corner: str, x: float, side: int, *, steered: bool) -> tuple[list[Body], list[Joint]]:
    """Carrier on its slider, knuckle on its kingpin where it is steered, and the wheel."""
    pin, hub = (x, side * KINGPIN, 0.0), (x, side * TRACK / 2, 0.0)
    carrier, knuckle, wheel = f"{corner}-carrier", f"{corner}-knuckle", f"{corner}-wheel"
    bodies = [_block(carrier, pin, (0.08, 0.06, 0.3), CARRIER_MASS)]
    joints = [_suspension(corner, carrier, pin, steered=steered)]
    bearer = carrier
    if steered:
        arm, rod_end = _front_arm(side), (_front_arm(side)[0], side * RACK / 2, 0.0)
        bodies.append(_block(knuckle, pin, (0.3, 0.04, 0.12), KNUCKLE_MASS))
        joints.append(_hinge(f"{corner}-kingpin", carrier, knuckle, pin, Z))
        joints.append(
            Joint(
                name=f"{corner}-tie-rod",
                type="distance",
                body1="rack",
                body2=knuckle,
                anchor=rod_end,
                anchor2=arm,
            )
        )
        bearer = knuckle
    bodies.append(_wheel(wheel, hub))
    axle = _hinge(f"{corner}-axle", bearer, wheel, hub, Y)
    axle.motors = [Motor(kind="velocity", target=30.0, max_force=60.0)]
    joints.append(axle)
    return bodies, joints


def _suspension(corner: str, carrier: str, at: Point, *, steered: bool) -> Joint:
    """A slider with spring, damper and stops; the start pose is that of rest on the lift."""
    hanging = CARRIER_MASS + WHEEL_MASS + (KNUCKLE_MASS if steered else 0.0)
    return Joint(
        name=f"{corner}-suspension",
        type="slider",
        body1="chassis",
        body2=carrier,
        anchor=at,
        axis=Z,
        springs=[Spring(stiffness=STIFFNESS, damping=DAMPING, rest=hanging * GRAVITY / STIFFNESS)],
        limits=[Limit(lower=-TRAVEL, upper=TRAVEL)],
    )


def _hinge(name: str, body1: str, body2: str, anchor: Point, axis: Vector) -> Joint:
    return Joint(name=name, type="hinge", body1=body1, body2=body2, anchor=anchor, axis=axis)


def _block(name: str, at: Point, size: Vector, mass: float) -> Body:
    return Body(
        name=name,
        position=at,
        mass=mass,
        geometry=[Geometry(role="visual", shape="box", size=size)],
    )


def _wheel(name: str, at: Point) -> Body:
    """A cylinder whose own z axis lies along y."""
    half = math.sqrt(0.5)
    return Body(
        name=name,
        position=at,
        orientation=(half, half, 0.0, 0.0),
        mass=WHEEL_MASS,
        geometry=[
            Geometry(role="visual", shape="cylinder", radius=WHEEL_RADIUS, height=WHEEL_WIDTH)
        ],
    )
