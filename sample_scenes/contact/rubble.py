"""A wall of convex stones without mortar, and a wrecking ball on a chain that knocks it down.

python sample_scenes/contact/rubble.py 10000 rubble-10000.xml
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull, Voronoi
from solids import ball, friction, ground

from impulse_core.geometry import convex_hull
from impulse_core.types import Floats
from impulse_schema import Body, Geometry, Joint, Mesh, Scene, Settings, scene_to_xml

WALL = (4.0, 0.4, 2.0)  # m, along x, through and upwards
STONE, STEEL = 2400.0, 7800.0  # kg/m³
FRICTION = 0.7
ROUNDS = 3  # of moving points to the middles of their cells: stones of like size
SHORTEST = 0.05  # of a stone's size, below which corners fall together

BALL, BALL_HEIGHT = 0.25, 1.1  # m, its radius, its middle as it hits
LINKS, LINK, THICKNESS = 12, 0.25, 0.05  # number, length and radius [m] of the chain's links
DAMPING = 2.0  # N m s/rad, between links: without it the chain whips for ever
START = math.radians(65.0)  # of the chain from the vertical


def rubble(count: int = 300, *, seed: int = 1) -> Scene:
    """A wall of Voronoi cells, and a ball that swings into it.

    Args:
        count: Number of stones; the wall grows with it, its stones do not.
        seed: Of their places.
    """
    wall = np.array(WALL) * (count / 300.0) ** (1.0 / 3.0)
    meshes, stones = [], []
    for k, corners in enumerate(cells(count, wall, seed)):
        middle = corners.mean(axis=0)
        meshes.append(stone_mesh(f"stone-{k}", corners - middle))
        stones.append(
            Body(
                name=f"stone-{k}",
                position=tuple(middle),
                density=STONE,
                geometry=[Geometry(shape="convex_hull", mesh=f"stone-{k}", material="stone")],
            )
        )
    bodies, joints = _wrecking_ball(wall)
    return Scene(
        version=1,
        name=f"rubble-{count}",
        description=f"A wall of {count} stones without mortar is knocked down by a ball on a chain"
        " of twelve links.",
        settings=Settings(step=0.005, duration=4.0),
        materials=[friction("stone", FRICTION)],
        meshes=meshes,
        bodies=[ground("stone"), *stones, *bodies],
        joints=joints,
    )


def cells(count: int, box: Floats, seed: int) -> list[Floats]:
    """Corners of the Voronoi cells of random points in a box [m], arrays of shape (corners, 3).

    The box stands on the ground with its middle above the origin. Points mirrored at its six
    faces cut the cells there. Corners nearer than SHORTEST to one before are left out: edges
    that long only cost time.
    """
    low = np.array([-0.5, -0.5, 0.0]) * box
    random = np.random.default_rng(seed)
    points = low + random.random((count, 3)) * box
    found = _corners(points, low, box)
    for _ in range(ROUNDS):
        points = np.array([corners.mean(axis=0) for corners in found])
        found = _corners(points, low, box)
    shortest = SHORTEST * (np.prod(box) / count) ** (1.0 / 3.0)
    return [_thinned(corners, shortest) for corners in found]


def _corners(points: Floats, low: Floats, box: Floats) -> list[Floats]:
    mirrored = [points]
    for axis in range(3):
        for face in (low[axis], low[axis] + box[axis]):
            image = points.copy()
            image[:, axis] = 2.0 * face - image[:, axis]
            mirrored.append(image)
    diagram = Voronoi(np.concatenate(mirrored))
    regions = [diagram.regions[diagram.point_region[k]] for k in range(len(points))]
    return [np.clip(diagram.vertices[region], low, low + box) for region in regions]


def _thinned(corners: Floats, shortest: float) -> Floats:
    kept: list[Floats] = []
    for corner in corners:
        if all(np.linalg.norm(corner - other) > shortest for other in kept):
            kept.append(corner)
    return np.array(kept)


def stone_mesh(name: str, corners: Floats) -> Mesh:
    """The convex hull of corners [m], shape (corners, 3)."""
    solid = convex_hull(corners)
    return Mesh(name=name, vertices=_rows(solid.vertices), faces=_faces(solid))


def volume(corners: Floats) -> float:
    """Of a convex hull [m³]."""
    return float(ConvexHull(corners).volume)


def _rows(values: Floats) -> list[tuple[float, ...]]:
    return [tuple(float(value) for value in row) for row in values]


def _faces(solid) -> list[list[int]]:
    return [polygon.tolist() for polygon in np.split(solid.corners, solid.offsets[1:-1])]


def _wrecking_ball(wall: Floats) -> tuple[list[Body], list[Joint]]:
    """The ball, its chain and their joints: hanging straight down, it would touch the wall."""
    height = BALL_HEIGHT * wall[2] / WALL[2]
    length = LINKS * LINK + BALL
    pivot = np.array([0.0, -wall[1] / 2 - BALL, height + length])
    down = np.array([0.0, -math.sin(START), -math.cos(START)])
    turned = (math.cos(START / 2), -math.sin(START / 2), 0.0, 0.0)
    bodies = [
        Body(
            name=f"link-{k}",
            position=tuple(pivot + down * LINK * (k + 0.5)),
            orientation=turned,
            density=STEEL,
            geometry=[
                Geometry(
                    shape="capsule", radius=THICKNESS, height=LINK - 2 * THICKNESS, material="stone"
                )
            ],
        )
        for k in range(LINKS)
    ]
    mass = 4.0 / 3.0 * math.pi * BALL**3 * STEEL
    bodies.append(ball("ball", tuple(pivot + down * length), BALL, mass, "stone"))
    names = ["world", *(body.name for body in bodies)]
    joints = [
        Joint(
            name=f"joint-{k}",
            type="ball",
            body1=names[k],
            body2=names[k + 1],
            anchor=tuple(pivot + down * LINK * k),
            damping=DAMPING,
        )
        for k in range(LINKS + 1)
    ]
    return bodies, joints


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a wall of stones and its wrecking ball.")
    parser.add_argument("count", type=int)
    parser.add_argument("target", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    chosen.target.write_bytes(scene_to_xml(rubble(chosen.count, seed=chosen.seed)))


if __name__ == "__main__":
    main()
