"""A slider-crank: crank, connecting rod and a block on rails."""

from __future__ import annotations

import math

from bars import hinge, upright_bar

from impulse_schema import Body, Geometry, Joint, Scene, Settings

CRANK, ROD = 0.5, 1.5  # m
CRANK_ANGLE = math.radians(45.0)  # above the rails
CRANK_SPEED = 6.0  # rad/s, up and over
BLOCK = 0.3  # m


def slider_crank() -> Scene:
    """The crank turns about the origin; the block slides along x."""
    angle, speed = CRANK_ANGLE, CRANK_SPEED
    rod_angle = math.asin(CRANK / ROD * math.sin(angle))  # below the horizontal, towards the block
    tip = (CRANK * math.cos(angle), 0.0, CRANK * math.sin(angle))
    pin = (tip[0] + ROD * math.cos(rod_angle), 0.0, 0.0)
    rod_speed = CRANK / ROD * math.cos(angle) / math.cos(rod_angle) * speed
    tip_velocity = (-speed * tip[2], 0.0, speed * tip[0])
    block_velocity = tip_velocity[0] - rod_speed * ROD * math.sin(rod_angle)
    crank = upright_bar(
        "crank", (0.0, 0.0, 0.0), tip, mass=3.0, thickness=0.1, pivot=(0, 0, 0), turning=-speed
    )
    rod = upright_bar(
        "rod",
        tip,
        pin,
        mass=6.0,
        thickness=0.08,
        pivot=tip,
        velocity=tip_velocity,
        turning=rod_speed,
    )
    block = Body(
        name="block",
        position=pin,
        velocity=(block_velocity, 0.0, 0.0),
        mass=8.0,
        geometry=[Geometry(role="visual", shape="box", size=(BLOCK, BLOCK, BLOCK))],
    )
    return Scene(
        version=1,
        name="slider-crank",
        description="A crank of 0.5 m drives a block to and fro through a connecting rod of 1.5 m;"
        " gravity speeds it up and slows it down in every turn.",
        settings=Settings(step=0.005, duration=10.0),
        bodies=[crank, rod, block],
        joints=[
            hinge("bearing", "world", "crank", (0.0, 0.0, 0.0)),
            hinge("crank-pin", "crank", "rod", tip),
            hinge("wrist-pin", "rod", "block", pin),
            Joint(
                name="rails",
                type="slider",
                body1="world",
                body2="block",
                anchor=pin,
                axis=(1.0, 0.0, 0.0),
            ),
        ],
    )
