"""Scenes with couplings that several tests share."""

from __future__ import annotations

from impulse_schema.models import Body, CouplingTerm, Joint, Load
from tests.core.scenes import NO_GRAVITY, box, scene_of

Y = (0.0, 1.0, 0.0)

__all__ = [
    "coupling",
    "differential",
    "gear_pair",
    "geared_machine",
    "rack_and_pinion",
    "ring_of_gears",
    "wheel",
]


def wheel(name: str, x: float, radius: float, mass: float, **more) -> Body:
    """A disc about the y axis, half as thick as its radius: J = ½ m r² about its axis."""
    across = mass * (radius**2 / 4.0 + (radius / 2.0) ** 2 / 12.0)
    return Body(
        name=name,
        position=(x, 0.0, 0.0),
        mass=mass,
        inertia=(across, 0.5 * mass * radius**2, across),
        **more,
    )


def axle(name: str, x: float, carrier: str = "world") -> Joint:
    """The hinge of a wheel, named after it."""
    return Joint(name=name, type="hinge", body1=carrier, body2=name, anchor=(x, 0.0, 0.0), axis=Y)


def coupling(name: str, constant: float = 0.0, **coefficients: float) -> Joint:
    """A relation between the joints of these names."""
    terms = [CouplingTerm(joint=joint, coefficient=c) for joint, c in coefficients.items()]
    return Joint(name=name, type="coupling", terms=terms, constant=constant)


def gear_pair(carrier: str = "world"):
    """Wheels of 0.5 m and 1 m, 3 kg and 7 kg, in mesh; gravity off.

    On a carrier that floats everything turns and moves as it likes.
    """
    bodies = [wheel("a", 0.0, 0.5, 3.0), wheel("b", 1.5, 1.0, 7.0)]
    if carrier != "world":
        bodies.append(box(carrier, (0.75, 0.3, 0.1), (1.5, 0.1, 0.3), mass=2.0))
        bodies[0].angular_velocity = (0.3, 4.0, -0.2)
    joints = [axle("a", 0.0, carrier), axle("b", 1.5, carrier), coupling("mesh", a=0.5, b=1.0)]
    return scene_of(bodies, joints, gravity=NO_GRAVITY)


def rack_and_pinion():
    """A pinion of 0.2 m and 5 kg on a fixed axle; a rack of 2 kg hangs on it and slides down."""
    rack = Joint(
        name="rack",
        type="slider",
        body2="rack",
        anchor=(0.2, 0.0, 0.0),
        axis=(0.0, 0.0, -1.0),
    )
    return scene_of(
        [wheel("pinion", 0.0, 0.2, 5.0), box("rack", (0.25, 0.0, 0.0), (0.1, 0.1, 1.0), mass=2.0)],
        [axle("pinion", 0.0), rack, coupling("mesh", pinion=0.2, rack=-1.0)],
    )


def differential(left_torque: float, right_torque: float, torque: float):
    """A case and two shafts on one axis, θ_left + θ_right = 2 θ_case; a torque on each."""
    bodies = [
        wheel("case", 0.0, 0.4, 4.0),
        wheel("left", 0.0, 0.3, 2.0),
        wheel("right", 0.0, 0.3, 3.0),
    ]
    joints = [axle(body.name, 0.0) for body in bodies]
    joints.append(coupling("bevels", left=1.0, right=1.0, case=-2.0))
    torques = {"case": torque, "left": left_torque, "right": right_torque}
    loads = [Load(body=name, torque=(0.0, value, 0.0)) for name, value in torques.items() if value]
    return scene_of(bodies, joints, loads, gravity=NO_GRAVITY)


def ring_of_gears(direction: float, constant: float = 0.0):
    """Three equal wheels, each in mesh with both others.

    In real gears neighbours turn against each other (direction -1): three in a ring lock. By belts
    (direction 1) all turn the same way, and the third relation repeats the others.
    """
    bodies = [wheel(name, float(k), 0.5, 3.0) for k, name in enumerate("abc")]
    bodies[0].angular_velocity = (0.0, 1.0, 0.0)
    joints = [axle(name, float(k)) for k, name in enumerate("abc")]
    joints += [
        coupling(f"{one}-{other}", **{one: 1.0, other: -direction})
        for one, other in ("ab", "bc", "ca")
    ]
    joints[-1].constant = constant
    return scene_of(bodies, joints, gravity=NO_GRAVITY)


def geared_machine():
    """Two arms and a block on a pendulum that swings in space, tied by one relation of all three.

    θ_short + 2 θ_long = 3 x / 1 m, with unlike arms, so the relation pulls unevenly in every pose.
    """
    bodies = [
        box("base", (0.0, 0.0, -0.5), (0.3, 0.2, 0.8), mass=3.0, angular_velocity=(0.7, 1.5, 0.4)),
        box("short", (0.4, 0.1, -0.3), (0.5, 0.1, 0.1), mass=1.0),
        box("long", (-0.3, -0.1, -0.9), (0.1, 0.1, 0.7), mass=1.5),
        box("block", (0.1, 0.3, -0.6), (0.2, 0.1, 0.15), mass=0.8),
    ]
    joints = [
        Joint(name="ground", type="ball", body2="base", anchor=(0.0, 0.0, 0.0)),
        Joint(
            name="short", type="hinge", body1="base", body2="short", anchor=(0.2, 0.1, -0.3), axis=Y
        ),
        Joint(
            name="long",
            type="hinge",
            body1="base",
            body2="long",
            anchor=(-0.2, -0.1, -0.6),
            axis=(0.2, 1.0, 0.3),
        ),
        Joint(
            name="block",
            type="slider",
            body1="base",
            body2="block",
            anchor=(0.1, 0.2, -0.6),
            axis=(1.0, 0.0, 0.5),
        ),
        coupling("sum", short=1.0, long=2.0, block=-3.0),
    ]
    return scene_of(bodies, joints)
