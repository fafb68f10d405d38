"""Shapes without a scene, and kernels that tests and the benchmark call."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from impulse_core.algebra import quat_at, rotation_matrix, vec3_at
from impulse_core.collision.contacts import CACHE_NUMBERS, new_found
from impulse_core.collision.narrow import collide
from impulse_core.collision.penetration import nearest_features
from impulse_core.collision.polyhedra import Core, stacked, with_axes
from impulse_core.collision.shapes import CYLINDER, POLYHEDRON, TRIANGLE, Shapes
from impulse_core.collision.vclip import (
    LOST,
    closest_features,
    first_features,
    walk_to_closest,
)
from impulse_core.jit import kernel


class Piece(NamedTuple):
    """One shape: what ``shapes_of`` takes."""

    core: Core
    radius: float = 0.0
    kind: int = POLYHEDRON
    extent: tuple[float, float, float] = (0.0, 0.0, 0.0)


def shapes_of(pieces: list[Piece], beyond=None) -> Shapes:
    """Shapes, each on a row of its own, whose frame is the shape's."""
    count = len(pieces)
    tables = stacked([piece.core for piece in pieces])
    none_beyond = np.zeros((len(tables["edge_vertex"]), 3))
    tables["edge_beyond"] = none_beyond if beyond is None else beyond
    round_sides = [i for i, piece in enumerate(pieces) if piece.kind == CYLINDER]
    axis_edge = np.full(count, -1)
    axis_edge[round_sides] = len(tables["edge_vertex"]) + np.arange(len(round_sides))
    ends = np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]])
    tables = with_axes(tables, np.array([ends * pieces[i].extent[2] for i in round_sides]))
    extent = np.array([piece.extent for piece in pieces])
    center = np.zeros((count, 3))
    reach = np.full(count, np.inf)
    for i, piece in enumerate(pieces):
        corners = piece.core.vertices
        if len(corners):
            center[i] = 0.0 if extent[i].any() else corners.mean(axis=0)
            far = np.linalg.norm(corners - center[i], axis=1).max()
            reach[i] = max(far, extent[i].max()) + piece.radius
    known = {
        "sought": count,
        "kind": np.array([piece.kind for piece in pieces]),
        "body": np.arange(count),
        "owner": np.arange(count),
        "radius": np.array([piece.radius for piece in pieces]),
        "center": center,
        "frame": np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)),
        "extent": extent,
        "reach": reach,
        "uneven": np.array([piece.core.uneven for piece in pieces]),
        "axis_edge": axis_edge,
        "torus": np.full(count, -1),
        **_one_ground(pieces),
        **tables,
    }
    # What the narrow phase does not read is empty.
    empty = {"Floats": np.zeros(0), "Ints": np.zeros(0, dtype=np.int64), "int": 0}
    kinds = {name: kind.__forward_arg__ for name, kind in Shapes.__annotations__.items()}
    return Shapes(**{name: known.get(name, empty[kind]) for name, kind in kinds.items()})


def _one_ground(pieces: list[Piece]) -> dict[str, np.ndarray]:
    """All triangles as one ground, which the first piece stands for, with a grid of one cell."""
    count = len(pieces)
    triangles = np.flatnonzero([piece.kind == TRIANGLE for piece in pieces])
    first = np.full(count, -1)
    first[0] = triangles.min(initial=count)
    return {
        "ground_first": first,
        "ground_cells": np.ones((count, 2), dtype=np.int64),
        "ground_origin": np.tile([0.0, 0.0, 1.0, 1.0], (count, 1)),
        "ground_cell_first": np.zeros(count, dtype=np.int64),
        "cell_start": np.array([0, len(triangles)]),
        "cell_triangle": triangles,
    }


@dataclass
class Pair:
    """Two shapes and what they remember of each other."""

    shapes: Shapes
    first: int
    second: int

    def __post_init__(self):
        self.cache = np.full((1, CACHE_NUMBERS), -1)
        self.found = new_found()

    def contacts(self, C1, q1, C2, q2, reach: float) -> SimpleNamespace:
        """The points at these poses, an array for each field, without unused rows."""
        C, q = np.array([C1, C2], dtype=float), np.array([q1, q2], dtype=float)
        count = collide_once(
            self.shapes, self.first, self.second, C, q, reach, self.cache, self.found
        )
        point = self.found.point[:count].copy()
        return SimpleNamespace(**{name: point[name] for name in point.dtype.names})


@kernel
def collide_once(shapes, s1, s2, C, q, reach, cache, found):
    """``collide`` at the poses in the rows of C and q."""
    pose1, pose2 = (vec3_at(C, 0), quat_at(q, 0)), (vec3_at(C, 1), quat_at(q, 1))
    return collide(shapes, s1, s2, pose1, pose2, reach, cache[0], found)


@kernel
def closest_of_pairs(shapes, pairs, translation, orientation, codes, result):
    """V-Clip for many pairs.

    Args:
        pairs: numbers of two shapes, shape (p, 2).
        translation, orientation: pose of the second in the frame of the first, (p, 3), (p, 4).
        codes: features to begin with, -1 for none; then those found, shape (p, 2).
        result: state, distance, A, B, n in the frame of the first, shape (p, 11).
    """
    for p in range(len(pairs)):
        s1, s2 = pairs[p, 0], pairs[p, 1]
        R, t = rotation_matrix(quat_at(orientation, p)), vec3_at(translation, p)
        first, second = codes[p, 0], codes[p, 1]
        if first < 0:
            between = R @ vec3_at(shapes.center, s2) + t - vec3_at(shapes.center, s1)
            first, second = first_features(shapes, s1, s2, R, between)
        size = shapes.reach[s1] + shapes.reach[s2]
        state, first, second, A, B, n, distance = closest_features(
            shapes, s1, s2, R, t, first, second, size
        )
        codes[p, 0], codes[p, 1] = first, second
        _store(result, p, state, distance, A, B, n)


@kernel
def astray(shapes, pairs, translation, orientation):
    """How many of these pairs V-Clip cannot finish, or not prove, without its fallback."""
    count = 0
    for p in range(len(pairs)):
        s1, s2 = pairs[p, 0], pairs[p, 1]
        R, t = rotation_matrix(quat_at(orientation, p)), vec3_at(translation, p)
        between = R @ vec3_at(shapes.center, s2) + t - vec3_at(shapes.center, s1)
        first, second = first_features(shapes, s1, s2, R, between)
        size = shapes.reach[s1] + shapes.reach[s2]
        if walk_to_closest(shapes, s1, s2, R, t, first, second, size)[0] == LOST:
            count += 1
    return count


@kernel
def least_of_pairs(shapes, pairs, translation, orientation, codes, result):
    """``nearest_features`` for many pairs; result as above, with the gap in column 1."""
    for p in range(len(pairs)):
        s1, s2 = pairs[p, 0], pairs[p, 1]
        R, t = rotation_matrix(quat_at(orientation, p)), vec3_at(translation, p)
        between = R @ vec3_at(shapes.center, s2) + t - vec3_at(shapes.center, s1)
        first, second = codes[p, 0], codes[p, 1]
        if first < 0:
            first, second = first_features(shapes, s1, s2, R, between)
        sizes = (shapes.reach[s1], shapes.reach[s2])
        first, second, A, B, n, gap = nearest_features(
            shapes, s1, s2, R, t, between, first, second, sizes
        )
        codes[p, 0], codes[p, 1] = first, second
        _store(result, p, 0, gap, A, B, n)


@kernel
def _store(result, p, state, distance, A, B, n):
    result[p, 0], result[p, 1] = state, distance
    result[p, 2], result[p, 3], result[p, 4] = A.x, A.y, A.z
    result[p, 5], result[p, 6], result[p, 7] = B.x, B.y, B.z
    result[p, 8], result[p, 9], result[p, 10] = n.x, n.y, n.z


def turn(axis, angle: float) -> np.ndarray:
    """Quaternion of the rotation by an angle [rad] about an axis."""
    axis = np.asarray(axis, dtype=float)
    return np.concatenate(
        [[np.cos(angle / 2.0)], np.sin(angle / 2.0) * axis / np.linalg.norm(axis)]
    )


def matrices(q: np.ndarray) -> np.ndarray:
    """Rotation matrices of quaternions, shape (p, 4) to (p, 3, 3)."""
    w, x, y, z = np.moveaxis(np.asarray(q, dtype=float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))
