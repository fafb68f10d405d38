"""Cubes on a slope: ten that slide to a stop, and one that sticks just below its limit."""

from __future__ import annotations

import math

from solids import GRAVITY, block, friction, ground, on_slope, tilted

from impulse_schema import MaterialPair, Scene, Settings

SLOPE = math.radians(22.5)
MASS, EDGE = 600.0, 1.0  # kg, m
COEFFICIENTS = (0.535, 0.57, 0.605, 0.64, 0.675, 0.71, 0.745, 0.78, 0.815, 0.85)
# m, the published stopping distances of BFS05, table 1, in the order of the coefficients.
DISTANCES = (
    25.70234,
    19.37792,
    15.71905,
    13.11542,
    11.11587,
    10.37604,
    9.54379,
    8.78449,
    7.55506,
    6.48689,
)

STICK_COEFFICIENT = 0.5
STICK_SHARE = 0.95  # of the friction limit


def deceleration(coefficient: float) -> float:
    """Of a cube that slides down the slope [m/s²]."""
    return GRAVITY * (coefficient * math.cos(SLOPE) - math.sin(SLOPE))


def start_speed(coefficient: float, distance: float) -> float:
    """With which a cube stops after this distance [m/s]."""
    return math.sqrt(2 * deceleration(coefficient) * distance)


def sliding_cubes() -> Scene:
    """Ten cubes side by side, each of a material of its own."""
    cubes, materials, pairs = [], [friction("slope", 0.5)], []
    for i, (coefficient, distance) in enumerate(zip(COEFFICIENTS, DISTANCES, strict=True)):
        speed = start_speed(coefficient, distance)
        materials.append(friction(f"rubber-{i}", coefficient))
        pairs.append(
            MaterialPair(
                material1="slope",
                material2=f"rubber-{i}",
                static_friction=coefficient,
                kinetic_friction=coefficient,
            )
        )
        cubes.append(
            block(
                f"cube-{i}",
                on_slope(SLOPE, 0.0, 2.0 * i, EDGE / 2),
                (EDGE, EDGE, EDGE),
                MASS,
                f"rubber-{i}",
                orientation=tilted(SLOPE),
                velocity=on_slope(SLOPE, speed, 0.0, 0.0),
            )
        )
    return Scene(
        version=1,
        name="sliding-cubes",
        description="Ten cubes slide down a slope of 22.5 degrees, each with its own friction."
        " Their speeds are those with which they stop after the distances of BFS05, table 1.",
        settings=Settings(step=0.01, duration=10.0),
        materials=materials,
        material_pairs=pairs,
        bodies=[ground("slope", slope=SLOPE), *cubes],
    )


def stick_slope() -> Scene:
    """A cube at rest on a slope whose tangent is 0.95 of the coefficient of friction."""
    slope = math.atan(STICK_SHARE * STICK_COEFFICIENT)
    cube = block(
        "cube",
        on_slope(slope, 0.0, 0.0, EDGE / 2),
        (EDGE, EDGE, EDGE),
        MASS,
        "rubber",
        orientation=tilted(slope),
    )
    return Scene(
        version=1,
        name="stick-slope",
        description="A cube on a slope, where gravity pulls with 0.95 of what friction can hold: it"
        " stays.",
        settings=Settings(step=0.01, duration=60.0),
        materials=[friction("rubber", STICK_COEFFICIENT)],
        bodies=[ground("rubber", slope=slope), cube],
    )
