"""A car on a lift or a road: driven wheels, steering with a rack, wheels on spring-dampers."""

from __future__ import annotations

import math

from impulse_schema import (
    Body,
    Geometry,
    Joint,
    Limit,
    Material,
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
ROAD_STIFFNESS = 40e3  # N/m, so that the stops are out of reach when braking and starting
TRAVEL = 0.08  # m of the suspension to either side
GRAVITY = 9.81  # m/s²
LIFT_SPEED, ROAD_SPEED = 30.0, 10.0  # rad/s of the wheels
DRIVE_DAMPING = 100.0  # N m s/rad, of the motors on the road
TIRE_FRICTION = 0.9


def car() -> Scene:
    """Twelve bodies, fourteen joints, two closed loops by the tie rods, ten degrees of freedom.

    BS06, section 5: "The car has a servo motor for each wheel and one servo motor for the steering.
    A slider joint has been combined with a spring to simulate the dampers for the wheels." It
    stands on a lift that shakes it up and down.
    """
    bodies, joints = _vehicle()
    return Scene(
        version=1,
        name="car",
        description="The car of BS06 on a lift that shakes it: a motor for each wheel, a servo for"
        " the steering rack, whose tie rods close two loops, and wheels on sliders with springs,"
        " dampers and stops.",
        settings=Settings(step=0.005, duration=10.0, gravity=(0.0, 0.0, -GRAVITY)),
        bodies=bodies,
        joints=[_lift(), *joints],
    )


def driving_car() -> Scene:
    """The same car on a level road, where its wheels roll.

    It starts in equilibrium on its springs; the motors bring it to ROAD_SPEED times WHEEL_RADIUS.
    """
    bodies, joints = _vehicle(on_road=True)
    road = Body(
        name="road",
        motion="static",
        position=(0.0, 0.0, -WHEEL_RADIUS),
        geometry=[Geometry(shape="plane", material="asphalt")],
    )
    return Scene(
        version=1,
        name="car-driving",
        description="The car of BS06 drives off on a level road until its wheels turn as fast as"
        " their motors want.",
        settings=Settings(step=0.005, duration=8.0, gravity=(0.0, 0.0, -GRAVITY)),
        materials=[
            Material(name="asphalt", static_friction=TIRE_FRICTION),
            Material(name="tire", static_friction=TIRE_FRICTION),
        ],
        bodies=[road, *bodies],
        joints=joints,
    )


def _vehicle(*, on_road: bool = False) -> tuple[list[Body], list[Joint]]:
    """Bodies and joints of the car, in equilibrium hanging or on its wheels."""
    bodies = [
        _block("chassis", (0.0, 0.0, RIDE), (3.4, 1.0, 0.4), CHASSIS_MASS),
        _block("rack", (_front_arm(1)[0], 0.0, 0.0), (0.04, RACK, 0.04), RACK_MASS),
    ]
    joints = [_steering(on_road=on_road)]
    for end, x in (("front", WHEELBASE / 2), ("rear", -WHEELBASE / 2)):
        for name, side in (("left", 1), ("right", -1)):
            steered = end == "front"
            corner_bodies, corner_joints = _corner(
                f"{end}-{name}", x, side, steered=steered, on_road=on_road
            )
            bodies += corner_bodies
            joints += corner_joints
    return bodies, joints


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


def _steering(*, on_road: bool) -> Joint:
    motor = Motor(
        kind="servo",
        expression="0" if on_road else "0.05*(1 - exp(-3*t))*sin(1.5*t)",
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


def _corner(
    corner: str, x: float, side: int, *, steered: bool, on_road: bool
) -> tuple[list[Body], list[Joint]]:
    """Carrier on its slider, knuckle on its kingpin where it is steered, and the wheel."""
    pin, hub = (x, side * KINGPIN, 0.0), (x, side * TRACK / 2, 0.0)
    carrier, knuckle, wheel = f"{corner}-carrier", f"{corner}-knuckle", f"{corner}-wheel"
    bodies = [_block(carrier, pin, (0.08, 0.06, 0.3), CARRIER_MASS)]
    joints = [_suspension(corner, carrier, pin, steered=steered, on_road=on_road)]
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
    bodies.append(_wheel(wheel, hub, on_road=on_road))
    axle = _hinge(f"{corner}-axle", bearer, wheel, hub, Y)
    axle.motors = [_drive(on_road=on_road)]
    joints.append(axle)
    return bodies, joints


def _drive(*, on_road: bool) -> Motor:
    """The motor of a wheel.

    On the road all four turn as one, so that motors which hold their speed at any torque would
    leave it open which of them does; these give way a little, and share what there is to do.
    """
    if not on_road:
        return Motor(kind="velocity", target=LIFT_SPEED, max_force=60.0)
    return Motor(
        kind="servo", expression=f"{ROAD_SPEED:g}*t", derivative=DRIVE_DAMPING, max_force=60.0
    )


def _suspension(corner: str, carrier: str, at: Point, *, steered: bool, on_road: bool) -> Joint:
    """A slider with spring, damper and stops; the start pose is that of rest, hanging or on a road.

    The rack is the only load that does not rest on all wheels alike.
    """
    hanging = CARRIER_MASS + WHEEL_MASS + (KNUCKLE_MASS if steered else 0.0)
    rack = RACK_MASS * (1 / 4 + math.copysign(_front_arm(1)[0] / (2 * WHEELBASE), at[0]))
    stiffness = ROAD_STIFFNESS if on_road else STIFFNESS
    weight = -(CHASSIS_MASS / 4 + rack) if on_road else hanging
    return Joint(
        name=f"{corner}-suspension",
        type="slider",
        body1="chassis",
        body2=carrier,
        anchor=at,
        axis=Z,
        springs=[Spring(stiffness=stiffness, damping=DAMPING, rest=weight * GRAVITY / stiffness)],
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


def _wheel(name: str, at: Point, *, on_road: bool) -> Body:
    """A cylinder whose own z axis lies along y."""
    half = math.sqrt(0.5)
    return Body(
        name=name,
        position=at,
        orientation=(half, half, 0.0, 0.0),
        mass=WHEEL_MASS,
        geometry=[
            Geometry(
                role="both" if on_road else "visual",
                shape="cylinder",
                radius=WHEEL_RADIUS,
                height=WHEEL_WIDTH,
                material="tire" if on_road else None,
            )
        ],
    )
