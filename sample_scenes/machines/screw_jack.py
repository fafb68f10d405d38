"""A screw jack: a servo turns a spindle, which lifts a guided table with a load and lowers it."""

from __future__ import annotations

import math

from impulse_schema import Body, Geometry, Joint, Motor, Scene, Settings

PITCH = 0.012  # m in a turn
TURNS = 25  # up, and down again
PERIOD = 8.0  # s
LENGTH, RADIUS = 0.6, 0.025  # m, of the spindle
TABLE = (0.7, 0.5, 0.05)  # m
LOAD = (0.3, 0.3, 0.35)  # m
UP = (0.0, 0.0, 1.0)


def screw_jack() -> Scene:
    """The spindle turns on a hinge, the table slides upright, and a screw ties one to the other.

    The thread is right-handed: the table rises where the spindle turns clockwise seen from above.
    """
    low = LENGTH / 3  # m, where the table is at the start
    spindle = Body(
        name="spindle",
        position=(0.0, 0.0, LENGTH / 2),
        mass=9.0,
        geometry=[
            Geometry(role="visual", shape="cylinder", radius=RADIUS, height=LENGTH),
            Geometry(role="visual", shape="box", size=(5 * RADIUS, RADIUS, RADIUS),
                     position=(0.0, 0.0, -0.45 * LENGTH)),
        ],
    )  # fmt: skip
    table = Body(
        name="table",
        position=(0.0, 0.0, low),
        mass=800.0,
        geometry=[
            Geometry(role="visual", shape="box", size=TABLE),
            Geometry(role="visual", shape="box", size=LOAD,
                     position=(0.19, 0.0, (TABLE[2] + LOAD[2]) / 2)),
        ],
    )  # fmt: skip
    servo = Motor(
        kind="servo",
        expression=f"-{TURNS:g}*pi*(1 - cos(2*pi*t/{PERIOD:g}))",
        proportional=2e4,
        derivative=100.0,
    )
    return Scene(
        version="1.1",
        name="screw-jack",
        description="A servo turns the spindle of a screw jack, which lifts 800 kg by 30 cm in 25"
        " turns and lowers them again.",
        settings=Settings(step=0.002, duration=PERIOD),
        bodies=[spindle, table],
        joints=[
            Joint(name="bearing", type="hinge", body2="spindle", anchor=(0.0, 0.0, 0.0), axis=UP,
                  motors=[servo]),
            Joint(name="guide", type="slider", body2="table", anchor=(0.3, 0.0, low), axis=UP),
            Joint(name="thread", type="screw", body1="spindle", body2="table",
                  anchor=(0.0, 0.0, low), axis=UP, pitch=PITCH),
        ],
    )  # fmt: skip


def height_at(t: float) -> float:
    """How far the table is lifted after t seconds [m], as the servo aims at."""
    return PITCH * TURNS / 2 * (1 - math.cos(2 * math.pi * t / PERIOD))
