# SPDX-License-Identifier: GPL-3.0-or-later
"""Small machines: loops, doors, wheels, chains and a leg, each a function of a few lines."""

from __future__ import annotations

import math

from bpy.types import Object

from .building import Builder, X, Y, Z, add_limit, add_motor

STEEL, WOOD, ALUMINIUM = 7800.0, 700.0, 2700.0  # kg/m^3


def four_bar(build: Builder) -> Object:
    """Four bars and four hinges: the crank turns all the way round, the rocker swings."""
    corners = {"A": (0, 0, 0.3), "B": (0, 0, 0.5), "C": (0.6, 0, 0.8), "D": (0.7, 0, 0.3)}
    a, b, c, d = corners.values()
    crank = build.bar("Crank", a, b, 0.04, density=ALUMINIUM)
    coupler = build.bar("Coupler", b, c, 0.04, density=ALUMINIUM)
    rocker = build.bar("Rocker", c, d, 0.04, density=ALUMINIUM)
    drive = build.joint("Drive", "hinge", None, crank, a)
    build.joint("Crank pin", "hinge", crank, coupler, b)
    build.joint("Rocker pin", "hinge", coupler, rocker, c)
    build.joint("Rocker pivot", "hinge", None, rocker, d)
    add_motor(drive, "velocity", target=math.pi)
    return crank


def slider_crank(build: Builder) -> Object:
    """A crank, a rod and a piston, as in an engine."""
    crank = build.bar("Crank", (0, 0, 0.5), (0.15, 0, 0.5), 0.04, density=STEEL)
    rod = build.bar("Rod", (0.15, 0, 0.5), (0.65, 0, 0.5), 0.03, density=STEEL)
    piston = build.cylinder("Piston", 0.08, 0.12, (0.65, 0, 0.5), X, density=ALUMINIUM)
    drive = build.joint("Drive", "hinge", None, crank, (0, 0, 0.5))
    build.joint("Crank pin", "hinge", crank, rod, (0.15, 0, 0.5))
    build.joint("Piston pin", "hinge", rod, piston, (0.65, 0, 0.5))
    build.joint("Cylinder", "slider", None, piston, (0.65, 0, 0.5), axis=X)
    add_motor(drive, "velocity", target=2 * math.pi)
    return crank


def hinge_door(build: Builder) -> Object:
    """A door that somebody pushed; it opens as far as its stop and swings back a little."""
    post = build.box("Post", (0.1, 0.1, 2.1), (0, 0, 1.05), motion="static")
    door = build.box("Door", (0.9, 0.04, 2.0), (0.52, 0, 1.05), density=WOOD)
    door.impulse.body.angular_velocity = (0, 0, 1.5)
    door.impulse.body.velocity = (0, 1.5 * 0.46, 0)
    hinge = build.joint("Hinge", "hinge", post, door, (0.06, 0, 1.05), axis=Z)
    add_limit(hinge, 0.0, math.radians(110))
    hinge.impulse.joint.limits[0].restitution = 0.3
    return door


def servo_wheel(build: Builder) -> Object:
    """A wheel that a servo turns to and fro by a quarter turn."""
    stand = build.box("Stand", (0.1, 0.1, 0.8), (0, 0.12, 0.4), motion="static")
    wheel = build.cylinder("Wheel", 0.3, 0.08, (0, 0, 0.7), Y, density=ALUMINIUM)
    servo = build.joint("Servo", "hinge", stand, wheel, (0, 0.06, 0.7))
    add_motor(
        servo,
        "servo",
        expression="pi/4*(1 - cos(pi*t))",
        proportional=2000.0,
        derivative=100.0,
        max_force=200.0,
    )
    return wheel


def leg(build: Builder) -> Object:
    """A leg on a rail: servos in hip and knee bend and stretch it, and it pushes itself up."""
    ground = build.ground()
    hip = build.box("Hip", (0.2, 0.2, 0.1), (0, 0, 0.85), density=STEEL / 8)
    thigh = build.bar("Thigh", (0, 0, 0.85), (0, 0, 0.45), 0.06, density=ALUMINIUM)
    shank = build.bar("Shank", (0, 0, 0.45), (0, 0, 0.05), 0.05, density=ALUMINIUM)
    build.ball("Foot", 0.05, (0, 0, 0.05), of=shank)
    build.joint("Rail", "slider", ground, hip, (0, 0, 0.85), axis=Z)
    servos = [
        build.joint("Hip servo", "hinge", hip, thigh, (0, 0, 0.85)),
        build.joint("Knee servo", "hinge", thigh, shank, (0, 0, 0.45)),
    ]
    bend = "0.3*(1 - cos(pi*t))"
    for servo, target in zip(servos, (f"-{bend}", f"2*{bend}"), strict=True):
        add_motor(
            servo, "servo", expression=target, proportional=3000.0, derivative=60.0, max_force=300.0
        )
    return hip


def chain(build: Builder, count: int = 12) -> Object:
    """Links on ball joints, held at one end, that swing down."""
    length = 0.2
    links = [
        build.bar(
            f"Link {i + 1}", (i * length, 0, 3), ((i + 1) * length, 0, 3), 0.04, density=STEEL
        )
        for i in range(count)
    ]
    for i, (before, link) in enumerate(zip([None, *links], links, strict=False)):
        build.joint(f"Ball {i + 1}", "ball", before, link, (i * length, 0, 3))
    return links[0]
