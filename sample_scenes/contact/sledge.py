"""A pendulum on a sledge on a slope: it stops and goes, or slides where friction is low."""

from __future__ import annotations

import math

from solids import block, friction, ground, on_slope, tilted

from impulse_schema import Body, Geometry, Joint, Scene, Settings

SLOPE = math.radians(15.0)
SLEDGE = (1.6, 0.8, 0.2)  # m
SLEDGE_MASS = 8.0  # kg
POST = 0.9  # m, from the middle of the sledge to the pivot
ROD = 0.8  # m, from the pivot to the middle of the bob
BOB, BOB_MASS = 0.13, 4.0  # m radius, kg
START = math.radians(75.0)  # of the pendulum from the vertical, uphill
ROUGH = (0.42, 0.36)  # static, kinetic
SMOOTH = (0.1, 0.1)


def sledge_pendulum(name: str, coefficients: tuple[float, float], description: str) -> Scene:
    """The pivot is normal to the slope above the middle of the sledge."""
    base = on_slope(SLOPE, 0.0, 0.0, SLEDGE[2] / 2)
    pivot = on_slope(SLOPE, 0.0, 0.0, SLEDGE[2] / 2 + POST)
    sledge = block("sledge", base, SLEDGE, SLEDGE_MASS, "runner", orientation=tilted(SLOPE))
    for side in (-1, 1):
        sledge.geometry.append(
            Geometry(
                role="visual",
                shape="box",
                position=(0.0, 0.22 * side, SLEDGE[2] / 2 + POST / 2),
                size=(0.06, 0.06, POST),
            )
        )
    bob = (pivot[0] - ROD * math.sin(START), 0.0, pivot[2] - ROD * math.cos(START))
    pendulum = Body(
        name="pendulum",
        position=bob,
        orientation=tilted(START),
        mass=BOB_MASS,
        inertia=(2 / 5 * BOB_MASS * BOB**2,) * 3,
        geometry=[
            Geometry(role="visual", shape="sphere", radius=BOB),
            Geometry(
                role="visual",
                shape="cylinder",
                position=(0.0, 0.0, ROD / 2),
                radius=0.02,
                height=ROD,
            ),
        ],
    )
    hinge = Joint(
        name="pivot",
        type="hinge",
        body1="sledge",
        body2="pendulum",
        anchor=pivot,
        axis=(0.0, 1.0, 0.0),
    )
    return Scene(
        version=1,
        name=name,
        description=description,
        settings=Settings(step=0.005, duration=10.0),
        materials=[friction("runner", *coefficients)],
        bodies=[ground("runner", slope=SLOPE), sledge, pendulum],
        joints=[hinge],
    )


def sledges() -> list[Scene]:
    """With high and with low friction."""
    return [
        sledge_pendulum(
            "sledge-pendulum-rough",
            ROUGH,
            "A pendulum swings on a sledge on a slope of 15 degrees. Friction holds the sledge"
            " until the pendulum pulls it on: it stops and goes.",
        ),
        sledge_pendulum(
            "sledge-pendulum-smooth",
            SMOOTH,
            "The same pendulum on a sledge with little friction, which slides without stopping.",
        ),
    ]
