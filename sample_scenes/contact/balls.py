"""Balls: some that bounce for ever, some that roll on a plate that is pushed."""

from __future__ import annotations

import math

import numpy as np
from solids import GRAVITY, ball, block, friction, ground

from impulse_schema import Load, Material, MaterialPair, Scene, Settings

RADIUS = 0.5  # m
DROP = 5.0  # m, height of the centres

PLATE_EDGE, PLATE_HEIGHT, PLATE_MASS, BALL_MASS = 20.0, 1.0, 10.0, 1.0  # m, m, kg, kg
ROWS = 5
GROUND_FRICTION, BALL_FRICTION = 0.4, 0.8
PUSH = 150.0  # N

PILED = 6  # balls along each edge of a cube of balls
PILED_RADIUS, PILED_MASS = 0.1, 10.0  # m, kg
PILED_PITCH, SHAKEN = 0.21, 0.001  # m between the middles, and by how much that is off at most
PILED_HEIGHT = 1.101  # m, of the lowest middles


def bouncing(rows: int = 7) -> Scene:
    """Balls without friction whose impacts lose nothing: SimBenchmark, BOUNCING."""
    balls = [
        ball(f"ball-{i}-{j}", (2.0 * (i - (rows - 1) / 2), 2.0 * (j - (rows - 1) / 2), DROP),
             RADIUS, 1.0, "ideal")
        for i in range(rows)
        for j in range(rows)
    ]  # fmt: skip
    return Scene(
        version=1,
        name=f"bouncing-{len(balls)}",
        description="Forty-nine balls fall from 5 m and bounce without loss.",
        settings=Settings(step=0.01, duration=20.0),
        materials=[Material(name="ideal", static_friction=0.0, restitution=1.0)],
        bodies=[ground("ideal"), *balls],
    )


def falling(restitution: float = 1.0, seed: int = 0, step: float = 0.001) -> Scene:
    """A cube of balls without friction, not quite regular, falls apart: SimBenchmark, 666.

    Args:
        restitution: Of balls and ground; 1 is that benchmark's elastic form.
        seed: Of the places.
        step: [s].
    """
    off = np.random.default_rng(seed).random((PILED**3, 3)) * SHAKEN
    places = np.argwhere(np.ones((PILED,) * 3)) * PILED_PITCH + off + (0.0, 0.0, PILED_HEIGHT)
    balls = [
        ball(f"ball-{k}", tuple(float(x) for x in at), PILED_RADIUS, PILED_MASS, "ideal")
        for k, at in enumerate(places)
    ]
    return Scene(
        version=1,
        name=f"falling-balls-{len(balls)}",
        description=f"A cube of {len(balls)} elastic balls falls on a plane and flies apart.",
        settings=Settings(step=step, duration=10.0, time_of_impact=restitution > 0.0),
        materials=[Material(name="ideal", static_friction=0.0, restitution=restitution)],
        bodies=[ground("ideal"), *balls],
    )


def rolling(angle: float = math.radians(60.0)) -> Scene:
    """Balls on a plate that is pushed along the ground in a direction [rad from x].

    SimBenchmark, ROLLING. With the cone of friction the acceleration is the same in all directions.
    """
    balls = [
        ball(f"ball-{i}-{j}", (2.0 * (i - 2), 2.0 * (j - 2), PLATE_HEIGHT + RADIUS), RADIUS,
             BALL_MASS, "ball")
        for i in range(ROWS)
        for j in range(ROWS)
    ]  # fmt: skip
    size = (PLATE_EDGE, PLATE_EDGE, PLATE_HEIGHT)
    plate = block("plate", (0.0, 0.0, PLATE_HEIGHT / 2), size, PLATE_MASS, "plate")
    return Scene(
        version=1,
        name="rolling",
        description="A plate with 25 balls on top is pushed along the ground, aslant to its edges;"
        " the balls roll without slipping.",
        settings=Settings(step=0.01, duration=2.0),
        materials=[
            friction("ground", GROUND_FRICTION),
            friction("plate", GROUND_FRICTION),
            friction("ball", BALL_FRICTION),
        ],
        material_pairs=[
            MaterialPair(
                material1="plate",
                material2="ball",
                static_friction=BALL_FRICTION,
                kinetic_friction=BALL_FRICTION,
            )
        ],
        bodies=[ground("ground"), plate, *balls],
        loads=[
            Load(
                body="plate",
                force=(PUSH * math.cos(angle), PUSH * math.sin(angle), 0.0),
            )
        ],
    )


def rolling_accelerations() -> tuple[float, float]:
    """Of the plate and of each ball [m/s²].

    The friction f of a ball makes it roll, m a = f and (2/5) m r α = f r, without slipping,
    a_plate = a + r α = 7/2 a; the plate is pushed against all of them and the ground.
    """
    count = ROWS**2
    weight = (PLATE_MASS + count * BALL_MASS) * GRAVITY
    plate = (PUSH - GROUND_FRICTION * weight) / (PLATE_MASS + count * BALL_MASS * 2 / 7)
    return plate, plate * 2 / 7
