"""The six-legged walking machine: a servo, two hinges, a slider and a closed loop per leg.

The hinges hold a crank, which the servo turns, and a swivel, through which the leg slides. The pin
of the crank closes the loop: a point on a line across it, as the other joints hold the leg in its
plane already, so that no joint repeats what another does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import gait

from impulse_schema import Body, Geometry, Joint, Material, MaterialPair, Motor, Scene, Settings

Point = tuple[float, float, float]
Vector = tuple[float, float, float]

Y: Vector = (0.0, 1.0, 0.0)
TORSO: Vector = (1.0, 0.4, 0.14)  # m
ABOVE_HIP = 0.05  # m, of the middle of the torso
CABIN: Vector = (0.6, 0.3, 0.12)  # m, on top of the torso
TORSO_MASS, CABIN_MASS = 11.0, 3.0  # kg
ALONG, ASIDE = 0.38, 0.3  # m, of the legs from the middle of the machine
CRANK_MASS, SHANK_MASS, SWIVEL_MASS = 0.3, 0.7, 0.2  # kg
BAR = 0.03  # m
SPARE = 0.04  # m of the leg above the swivel when the crank hangs down

STIFFNESS, DAMPING, STRENGTH = 2000.0, 40.0, 60.0  # N m/rad, N m s/rad, N m

ROUGH, ICE = 0.8, 0.003  # coefficients of friction
ICE_UNTIL = 0.7  # m, where the machine that escapes meets rougher ground
PUSHING, PUSH_TIME, PUSH_RISE, PUSH_STRENGTH = "middle-left", 3.6, 0.01, 400.0  # s, s, N m

LEGS = {  # name: place and phase of the gait at the start; three feet strike, three lift
    "front-left": (ALONG, ASIDE, -math.pi / 2),
    "middle-left": (0.0, ASIDE, math.pi / 2),
    "rear-left": (-ALONG, ASIDE, -math.pi / 2),
    "front-right": (ALONG, -ASIDE, math.pi / 2),
    "middle-right": (0.0, -ASIDE, -math.pi / 2),
    "rear-right": (-ALONG, -ASIDE, math.pi / 2),
}


def machine(*, push: tuple[str, str, float] | None = None) -> tuple[list[Body], list[Joint]]:
    """Bodies and joints of the machine, on its feet at z = 0.

    Args:
        push: Name of a leg, the expression of its servo and the servo's largest torque [N m] where
            they differ from the gait.
    """
    hip = gait.FOOT - gait.foot(gait.crank_angle(math.pi / 2))[1]
    bodies, joints = [_torso(hip)], []
    for name, (x, y, phase) in LEGS.items():
        leg_bodies, leg_joints = _leg(name, (x, y, hip), phase)
        if push is not None and push[0] == name:
            motor = leg_joints[0].motors[0]
            motor.expression, motor.max_force = push[1], push[2]
        bodies += leg_bodies
        joints += leg_joints
    return bodies, joints


def _torso(hip: float) -> Body:
    density = TORSO_MASS / math.prod(TORSO)
    return Body(
        name="torso",
        position=(0.0, 0.0, hip + ABOVE_HIP),
        geometry=[
            Geometry(name="hull", shape="box", size=TORSO, density=density, material="steel"),
            Geometry(
                name="cabin",
                shape="box",
                position=(0.0, 0.0, (TORSO[2] + CABIN[2]) / 2),
                size=CABIN,
                density=CABIN_MASS / math.prod(CABIN),
                material="steel",
            ),
            *(
                Geometry(
                    name="beam",
                    role="visual",
                    shape="box",
                    position=(x, 0.0, gait.GUIDE - ABOVE_HIP),
                    size=(BAR, 2 * ASIDE, BAR),
                )
                for x in (-ALONG, 0.0, ALONG)
            ),
        ],
    )


def _leg(name: str, hip: Point, phase: float) -> tuple[list[Body], list[Joint]]:
    angle = gait.crank_angle(phase)

    def place(x: float, z: float) -> Point:
        return (hip[0] + x, hip[1], hip[2] + z)

    pin = place(*gait.crank_pin(angle))
    swivel = place(0.0, gait.GUIDE)
    along = (gait.along_leg(angle)[0], 0.0, gait.along_leg(angle)[1])
    bodies = [
        _crank(f"{name}-crank", hip, angle),
        _swivel(f"{name}-swivel", swivel, along),
        _shank(f"{name}-shank", pin, along),
    ]
    crank, guide, shank = (body.name for body in bodies)
    servo = Joint(
        name=f"{name}-servo", type="hinge", body1="torso", body2=crank, anchor=hip, axis=Y
    )
    servo.motors = [
        Motor(
            kind="servo",
            expression=gait.servo_expression(phase),
            proportional=STIFFNESS,
            derivative=DAMPING,
            max_force=STRENGTH,
        )
    ]
    return bodies, [
        servo,
        Joint(
            name=f"{name}-pin", type="point-on-line", body1=crank, body2=shank, anchor=pin, axis=Y
        ),
        Joint(
            name=f"{name}-swivel-pin",
            type="hinge",
            body1="torso",
            body2=guide,
            anchor=swivel,
            axis=Y,
        ),
        Joint(
            name=f"{name}-slider",
            type="slider",
            body1=guide,
            body2=shank,
            anchor=swivel,
            axis=along,
        ),
    ]


def _crank(name: str, hip: Point, angle: float) -> Body:
    """A disc about the hip."""
    radius = gait.CRANK + BAR / 2
    return Body(
        name=name,
        position=hip,
        orientation=(math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0),
        mass=CRANK_MASS,
        geometry=[
            Geometry(
                role="visual",
                shape="cylinder",
                position=(0.0, -math.copysign(0.03, hip[1]), 0.0),
                orientation=(math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0),
                radius=radius,
                height=0.02,
            )
        ],
    )


def _swivel(name: str, at: Point, along: Vector) -> Body:
    return Body(
        name=name,
        position=at,
        orientation=_downward(along),
        mass=SWIVEL_MASS,
        geometry=[Geometry(role="visual", shape="box", size=(0.06, 0.06, 0.07))],
    )


def _shank(name: str, pin: Point, along: Vector) -> Body:
    """A bar with a ball as its foot; its own -z axis points to the foot, its origin is the pin."""
    top = gait.GUIDE + gait.CRANK + SPARE
    length = top + gait.LEG
    middle = (top - gait.LEG) / 2
    across = SHANK_MASS / 12 * (length**2 + BAR**2)
    return Body(
        name=name,
        position=pin,
        orientation=_downward(along),
        mass=SHANK_MASS,
        center_of_mass=(0.0, 0.0, middle),
        inertia=(across, across, SHANK_MASS / 6 * BAR**2),
        geometry=[
            Geometry(
                name="bar",
                role="visual",
                shape="box",
                position=(0.0, 0.0, middle),
                size=(BAR, BAR, length),
            ),
            Geometry(
                name="foot",
                shape="sphere",
                position=(0.0, 0.0, -gait.LEG),
                radius=gait.FOOT,
                material="rubber",
            ),
        ],
    )


def _downward(along: Vector) -> tuple[float, float, float, float]:
    """Turns -z into a direction of the x-z plane."""
    half = math.atan2(-along[0], -along[2]) / 2
    return (math.cos(half), 0.0, math.sin(half), 0.0)


def ground_plane(material: str) -> Body:
    """Level ground at z = 0."""
    return Body(
        name="ground",
        motion="static",
        geometry=[Geometry(shape="plane", material=material)],
    )


def slab(name: str, start: float, end: float, material: str) -> Body:
    """Level ground at z = 0 between two places along x [m]."""
    return Body(
        name=name,
        motion="static",
        position=((start + end) / 2, 0.0, -0.1),
        geometry=[Geometry(shape="box", size=(end - start, 6.0, 0.2), material=material)],
    )


def scene(
    name: str,
    description: str,
    ground: Sequence[Body],
    *,
    duration: float = 10.0,
    step: float = 0.005,
    push: tuple[str, str, float] | None = None,
) -> Scene:
    """The machine on some ground."""
    bodies, joints = machine(push=push)
    return Scene(
        version=1,
        name=name,
        description=description,
        settings=Settings(step=step, duration=duration, tolerance=1e-9, time_of_impact=True),
        materials=[
            Material(name="rubber", static_friction=ROUGH),
            Material(name="steel", static_friction=0.4),
            Material(name="rock", static_friction=ROUGH),
            Material(name="ice", static_friction=ICE),
        ],
        material_pairs=[
            MaterialPair(
                material1="rubber", material2="ice", static_friction=ICE, kinetic_friction=ICE
            )
        ],
        bodies=[*ground, *bodies],
        joints=joints,
    )


def walking_machines() -> dict[str, Scene]:
    """Every scene of this folder by its path below sample_scenes."""
    scenes = [
        scene(
            "walking-machine",
            "The six-legged walking machine of BS06 walks on rough ground: three legs stand while"
            " three swing.",
            [ground_plane("rock")],
        ),
        scene(
            "walking-machine-on-ice",
            "The same machine with the same gait on ice, where its feet slip.",
            [ground_plane("ice")],
        ),
        scene(
            "walking-machine-escaping",
            "The machine starts on ice, gets to rougher ground and gains speed.",
            [slab("ice", -6.0, ICE_UNTIL, "ice"), slab("rock", ICE_UNTIL, 12.0, "rock")],
        ),
        scene(
            "walking-machine-toppling",
            "One leg of the machine pushes too hard: it topples over and lands on its back.",
            [ground_plane("rock")],
            duration=8.0,
            step=0.001,  # the crank that pushes turns at up to 160 rad/s
            push=_push(),
        ),
    ]
    return {f"walking/{made.name}.xml": made for made in scenes}


def _push() -> tuple[str, str, float]:
    """One turn of the crank more in a twentieth of a second, when the leg has just come down."""
    start = LEGS[PUSHING][2]
    kick = f"{2 * math.pi:.12g}/(1 + exp(-(t - {PUSH_TIME:g})/{PUSH_RISE:g}))"
    return PUSHING, f"{gait.servo_expression(start)} + {kick}", PUSH_STRENGTH
