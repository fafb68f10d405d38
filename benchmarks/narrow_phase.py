"""Mean time of one look at a pair of shapes whose features are remembered, of many kinds.

    python benchmarks/narrow_phase.py

The second body creeps by 1e-12 m between looks, so that nothing is the same and little changes.
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from impulse_core.algebra import quat_at, vec3_at
from impulse_core.collision.narrow import collide
from impulse_core.collision.polyhedra import (
    box_core,
    cone_core,
    cylinder_core,
    ellipsoid_core,
    empty_core,
    hull_core,
    point_core,
    segment_core,
    triangle_core,
)
from impulse_core.collision.shapes import CONE, CYLINDER, ELLIPSOID, PLANE, TRIANGLE
from impulse_core.jit import kernel
from tests.collision.pieces import Pair, Piece, shapes_of, turn

TIMES = 100_000
REPEATS = 5
REACH = 0.02

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
CUBE = Piece(box_core((1, 1, 1)))
BALL = Piece(point_core(), 0.5)
CAPSULE = Piece(segment_core(1.0), 0.2)
GROUND = Piece(empty_core(), 0.0, PLANE)
CYLINDER_ = Piece(cylinder_core(0.5, 1.0), 0.0, CYLINDER, (0.5, 0.5, 0.5))
CONE_ = Piece(cone_core(0.5, 1.0), 0.0, CONE, (0.5, 0.5, 0.5))
EGG = Piece(ellipsoid_core((0.5, 0.4, 0.3)), 0.0, ELLIPSOID, (0.5, 0.4, 0.3))
CLOUD = Piece(hull_core(np.random.default_rng(1).normal(size=(60, 3))))
TILE = Piece(triangle_core((-9, -5, 0), (9, -5, 0), (0, 9, 0)), 0.0, TRIANGLE)

# name, first, second, position and orientation of the second
LOOKS = [
    ("box on box, flush", CUBE, CUBE, (0, 0, 1 + 1e-9), UPRIGHT),
    ("box on box, shifted", CUBE, CUBE, (0.3, 0.2, 1 - 1e-9), UPRIGHT),
    ("box on box, twisted", CUBE, CUBE, (0.1, 0, 1), turn((0, 0, 1), 0.5)),
    ("box on box, on its edge", CUBE, CUBE, (0, 0, 0.501 + math.sqrt(0.5)), turn((1, 0, 0), 0.785)),
    ("boxes, edges 10 cm apart", CUBE, CUBE, (0.7, 0.6, 1.1), turn((1, 2, 3), 0.6)),
    ("box beside a wall, 1 m away", CUBE, CUBE, (2.0, 0.2, 0.1), UPRIGHT),
    ("ball on ball", BALL, BALL, (0, 0, 1.001), UPRIGHT),
    ("ball on box", CUBE, BALL, (0.1, 0.2, 1.0), UPRIGHT),
    ("ball on the edge of a box", CUBE, BALL, (0.8, 0.0, 0.9), UPRIGHT),
    ("capsule on box", CUBE, CAPSULE, (0, 0, 0.7), turn((1, 0, 0), math.pi / 2)),
    ("capsules side by side", CAPSULE, CAPSULE, (0.4, 0.0, 0.3), UPRIGHT),
    ("capsules crossing", CAPSULE, CAPSULE, (0.4, 0.0, 0.1), turn((1, 0, 0), 1.0)),
    ("hulls, 38 vertices", CLOUD, CLOUD, (0.0, 0.0, 4.09), turn((1, 0, 0), 1.0)),
    ("cylinder on box", CUBE, CYLINDER_, (0, 0, 1), UPRIGHT),
    ("cylinder on cylinder", CYLINDER_, CYLINDER_, (0.1, 0, 1), UPRIGHT),
    ("ellipsoid on box", CUBE, EGG, (0, 0, 0.8), turn((0, 0, 1), 0.3)),
    ("box on plane", CUBE, GROUND, (0, 0, -0.5), UPRIGHT),
    ("ball on plane", BALL, GROUND, (0, 0, -0.5), UPRIGHT),
    ("cylinder lying on plane", CYLINDER_, GROUND, (0.5, 0, 0), turn((0, 1, 0), math.pi / 2)),
    ("cone on plane", CONE_, GROUND, (0, 0, -0.5), UPRIGHT),
    ("ellipsoid on plane", EGG, GROUND, (0, 0, -0.3), UPRIGHT),
    ("hull on plane", CLOUD, GROUND, (0, 0, CLOUD.core.vertices[:, 2].min()), UPRIGHT),
    ("box on triangle", CUBE, TILE, (0, 0, -0.5), UPRIGHT),
    ("ball on triangle", BALL, TILE, (0, 0, -0.5), UPRIGHT),
]


@kernel
def collide_often(shapes, s1, s2, C, q, reach, cache, found, times):
    """Look at a pair, ``times`` over; returns the last number of points."""
    count = 0
    for _ in range(times):
        C[1, 0] += 1e-12
        pose1, pose2 = (vec3_at(C, 0), quat_at(q, 0)), (vec3_at(C, 1), quat_at(q, 1))
        count = collide(shapes, s1, s2, pose1, pose2, reach, cache[0], found)
    return count


def main() -> None:
    """Print one line for each look."""
    print(f"{'':30} points   µs")
    for name, first, second, C2, q2 in LOOKS:
        pair = Pair(shapes_of([first, second]), 0, 1)
        C = np.array([(0, 0, 0), C2], dtype=float)
        q = np.array([UPRIGHT, q2])
        arguments = (pair.shapes, 0, 1, C, q, REACH, pair.cache, pair.found)
        collide_often(*arguments, 10)
        best = math.inf
        for _ in range(REPEATS):
            start = time.perf_counter()
            points = collide_often(*arguments, TIMES // REPEATS)
            best = min(best, (time.perf_counter() - start) / (TIMES // REPEATS))
        print(f"{name:30} {points:6} {1e6 * best:6.2f}")


if __name__ == "__main__":
    main()
