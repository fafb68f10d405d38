"""Cubes upon cubes: a tower, a pyramid, columns and a heap that fall."""

from __future__ import annotations

import math

import numpy as np
from solids import block, friction, ground

from impulse_schema import Body, Scene, Settings

MASS, EDGE = 600.0, 1.0  # kg, m
PITCH = 1.1  # m between the middles of cubes
FRICTION = 0.5
MOST_YAW = math.radians(5.0)


def tower(count: int = 10) -> Scene:
    """Cubes exactly on top of each other."""
    cubes = [_cube(f"cube-{i}", (0.0, 0.0, EDGE * (i + 0.5))) for i in range(count)]
    return _scene(
        f"tower-{count}",
        "Ten cubes on top of each other stand still.",
        cubes,
        duration=60.0,
    )


def pyramid(base: int = 10) -> Scene:
    """An upright wall of rows that are one cube shorter each, like bricks."""
    cubes = [
        _cube(f"cube-{row}-{i}", (EDGE * (i - (base - row - 1) / 2), 0.0, EDGE * (row + 0.5)))
        for row in range(base)
        for i in range(base - row)
    ]
    return _scene(
        f"pyramid-{len(cubes)}",
        "Fifty-five cubes in ten rows, each shorter by one, stand still.",
        cubes,
        duration=60.0,
    )


def cubes(edge_count: int = 10, *, brick: bool = False, layers: int | None = None) -> Scene:
    """Cubes in n² columns, turned by up to 5 degrees, fall on a plane from 0.1 m.

    Args:
        edge_count: n.
        layers: Cubes in a column, n if not given.
        brick: Whether every second layer is shifted by half a pitch, so that each cube lands on
            four others: one heap, whose borders topple.
    """
    count = edge_count**2 * (layers or edge_count)
    yaws = np.random.default_rng(1).uniform(-MOST_YAW, MOST_YAW, count)
    bodies = []
    for number, yaw in enumerate(yaws):
        layer, rest = divmod(number, edge_count**2)
        shift = PITCH / 2 if brick and layer % 2 else 0.0
        column = [(i - (edge_count - 1) / 2) * PITCH + shift for i in divmod(rest, edge_count)]
        at = (column[1], column[0], 0.6 + layer * PITCH)
        bodies.append(_cube(f"cube-{number}", at, float(yaw)))
    return _scene(
        f"cubes-{count}{'-brick' if brick else ''}",
        f"{count} cubes, each turned a little, fall on a plane"
        + (" and on each other like bricks." if brick else " in columns."),
        bodies,
        duration=5.0,
    )


def _cube(name: str, at: tuple[float, float, float], yaw: float = 0.0) -> Body:
    turned = (math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2))
    return block(name, at, (EDGE, EDGE, EDGE), MASS, "stone", orientation=turned)


def _scene(name: str, description: str, bodies: list[Body], *, duration: float) -> Scene:
    return Scene(
        version=1,
        name=name,
        description=description,
        settings=Settings(step=0.01, duration=duration),
        materials=[friction("stone", FRICTION)],
        bodies=[ground("stone"), *bodies],
    )
