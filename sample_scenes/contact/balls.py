"""Balls: some that bounce for ever, some that roll on a plate that is pushed."""

from __future__ import annotations

import math

from solids import GRAVITY, ball, block, friction, ground

from impulse_schema import Load, Material, MaterialPair, Scene, Settings

RADIUS = 0.5  # m
DROP = 5.0  # m, height of the centres

PLATE_EDGE, PLATE_HEIGHT, PLATE_MASS, BALL_MASS = 20.0, 1.0, 10.0, 1.0  # m, m, kg, kg
ROWS = 5
GROUND_FRICTION, BALL_FRICTION = 0.4, 0.8
PUSH = 150.0  # N


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
