"""Four-bar linkages of hinges with parallel axes: one window, and many side by side."""

from __future__ import annotations

import math

from bars import Point, hinge, upright_bar

from impulse_schema import Scene, Settings

THICKNESS = 0.1  # m
DENSITY = 600.0  # kg/m³


def parallelogram() -> Scene:
    """Crank and rocker of 1 m, coupler of 2 m; turns over and over through its flat pose."""
    return _four_bar(
        "four-bar",
        "Parallelogram of four hinges with parallel axes: three of its joint rows are redundant,"
        " and twice a turn it passes its flat pose, where it could fold.",
        (0.0, 0.0, 0.0),
        (0.5, 0.0, math.sqrt(0.75)),
        (2.5, 0.0, math.sqrt(0.75)),
        (2.0, 0.0, 0.0),
        crank_speed=2.0,
    )


def swinging_four_bar() -> Scene:
    """Crank 1 m, coupler 1.8 m, rocker 1.3 m on a base of 2 m; it hangs and swings."""
    crank, coupler, rocker, base = 1.0, 1.8, 1.3, 2.0
    crank_angle = math.radians(-20.0)
    A = (crank * math.cos(crank_angle), 0.0, crank * math.sin(crank_angle))
    B = _circles_meet(A, coupler, (base, 0.0, 0.0), rocker)
    return _four_bar(
        "four-bar-clear",
        "A four-bar linkage with four different lengths that hangs, is let go with its crank 20"
        " degrees below the horizontal, and swings without ever coming near a flat pose.",
        (0.0, 0.0, 0.0),
        A,
        B,
        (base, 0.0, 0.0),
        crank_speed=0.0,
    )


def _four_bar(
    name: str, description: str, O: Point, A: Point, B: Point, C: Point, crank_speed: float
) -> Scene:
    """Crank OA, coupler AB, rocker CB; a moving crank asks for a parallelogram."""
    tip = (crank_speed * A[2], 0.0, -crank_speed * A[0])
    mass = {end: DENSITY * THICKNESS**2 * math.dist(*end) for end in ((O, A), (A, B), (C, B))}
    crank = upright_bar(
        "crank", O, A, mass=mass[O, A], thickness=THICKNESS, pivot=O, turning=crank_speed
    )
    coupler = upright_bar("coupler", A, B, mass=mass[A, B], thickness=THICKNESS, velocity=tip)
    rocker = upright_bar(
        "rocker", C, B, mass=mass[C, B], thickness=THICKNESS, pivot=C, turning=crank_speed
    )
    return Scene(
        version=1,
        name=name,
        description=description,
        settings=Settings(step=0.01, duration=10.0),
        bodies=[crank, coupler, rocker],
        joints=[
            hinge("base-crank", "world", "crank", O),
            hinge("crank-coupler", "crank", "coupler", A),
            hinge("coupler-rocker", "coupler", "rocker", B),
            hinge("base-rocker", "world", "rocker", C),
        ],
    )


def _circles_meet(A: Point, radius_a: float, C: Point, radius_c: float) -> Point:
    """The lower of the two points at given distances from A and C, in the plane y = 0."""
    distance = math.dist(A, C)
    x, z = (C[0] - A[0]) / distance, (C[2] - A[2]) / distance
    along = (distance**2 + radius_a**2 - radius_c**2) / (2 * distance)
    across = math.sqrt(radius_a**2 - along**2)
    return (A[0] + along * x + across * z, 0.0, A[2] + along * z - across * x)


def windows(count: int) -> Scene:
    """N four-bar windows side by side: N + 1 uprights on the ground, N rods across their tops.

    All rods are uniform, thin, 1 m and 1 kg. The tops start at 1 m/s along x from the upright pose.
    Benchmark A02 of the IFToMM library of multibody benchmarks.
    """
    if count < 1:
        raise ValueError(f"there must be at least one window, not {count}")
    bodies, joints = [], []
    for i in range(count + 1):
        foot, top = (float(i), 0.0, 0.0), (float(i), 0.0, 1.0)
        bodies.append(
            upright_bar(f"upright-{i}", foot, top, mass=1.0, thickness=0.02, pivot=foot, turning=1)
        )
        joints.append(hinge(f"foot-{i}", "world", f"upright-{i}", foot))
    for i in range(count):
        left, right = (float(i), 0.0, 1.0), (float(i + 1), 0.0, 1.0)
        bodies.append(
            upright_bar(f"rod-{i}", left, right, mass=1.0, thickness=0.02, velocity=(1.0, 0.0, 0.0))
        )
        joints.append(hinge(f"left-{i}", f"upright-{i}", f"rod-{i}", left))
        joints.append(hinge(f"right-{i}", f"rod-{i}", f"upright-{i + 1}", right))
    for body in bodies:
        body.inertia = (1e-4, 1 / 12, 1 / 12)  # thin rods; nothing turns about its own length
    return Scene(
        version=1,
        name=f"n-four-bar-{count}",
        description=f"{count} four-bar windows side by side, {2 * count + 1} uniform rods of 1 m"
        " and 1 kg, from upright at 1 m/s. Where they lie flat every window could fold. Benchmark"
        " A02 of the IFToMM library.",
        settings=Settings(step=0.01, duration=20.0 if count > 10 else 10.0),
        bodies=bodies,
        joints=joints,
    )
