"""Ground: height fields and static meshes as triangles, found by a grid over x and y."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impulse_core.collision.polyhedra import triangle_core
from impulse_core.geometry.mesh import PolygonMesh
from impulse_core.geometry.products import product
from impulse_core.types import Floats, Ints

__all__ = ["Ground", "StackedGrounds", "stack_grounds", "triangles_of"]

_MOST_CELLS = 1024  # of a grid along one axis
_NO_AREA = 1e-12  # triangles with less than this part of their longest side squared are left out


@dataclass(frozen=True, eq=False)
class Ground:
    """Triangles that are counter-clockwise seen from outside.

    Attributes:
        corners: [m], shape (t, 3, 3).
        beyond: Triangle beyond the edges from corner 0 to 1, 1 to 2 and 0 to 2, as triangle_core
            numbers them; -1 where there is none, shape (t, 3).
    """

    corners: Floats
    beyond: Ints

    @classmethod
    def of_heights(cls, size: Sequence[float], heights: Sequence[Sequence[float]]) -> Ground:
        """Two triangles for each cell of a height field, which is evenly spaced over x and y.

        The diagonal from the corner at -x, -y to that at +x, +y divides a cell.

        Args:
            size: Extent along x and y [m].
            heights: Rows of heights [m], the first at -y.
        """
        z = np.array(heights, dtype=float)
        rows, columns = z.shape
        x = np.linspace(-0.5 * size[0], 0.5 * size[0], columns)
        y = np.linspace(-0.5 * size[1], 0.5 * size[1], rows)
        points = np.stack([*np.meshgrid(x, y), z], axis=-1)
        a, b = points[:-1, :-1], points[:-1, 1:]
        d, c = points[1:, :-1], points[1:, 1:]
        corners = np.empty((rows - 1, columns - 1, 2, 3, 3))
        for half, three in enumerate(((a, b, c), (a, c, d))):
            for corner, place in enumerate(three):
                corners[:, :, half, corner] = place
        return cls(corners.reshape(-1, 3, 3), _beyond_in_field(rows - 1, columns - 1))

    @classmethod
    def of_mesh(cls, mesh: PolygonMesh) -> Ground:
        """Triangles of a mesh; those without an area are left out."""
        from impulse_core.geometry.weld import weld  # compiled: only when needed

        triangles = triangles_of(mesh)
        corners = mesh.vertices[triangles]
        area = np.linalg.norm(
            np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
        )
        sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
        kept = area > _NO_AREA * sides**2
        _, number = weld(mesh.vertices)
        return cls(corners[kept], _beyond(number[triangles[kept]]))

    def mirrored(self) -> Ground:
        """The mirror image along x, seen from outside as before."""
        corners = self.corners[:, (0, 2, 1)] * [-1.0, 1.0, 1.0]
        return Ground(corners, np.ascontiguousarray(self.beyond[:, ::-1]))

    def moved(self, rotation: ArrayLike, translation: ArrayLike) -> Ground:
        """The triangles turned by a rotation matrix (3, 3), then shifted."""
        corners = product(self.corners, np.asarray(rotation).T)
        corners += np.asarray(translation)
        return Ground(corners, self.beyond)

    @property
    def normals(self) -> Floats:
        """Unit normals to the front of the triangles, shape (t, 3)."""
        a, b, c = self.corners[:, 0], self.corners[:, 1], self.corners[:, 2]
        n = np.cross(b - a, c - a)
        normals: Floats = n / np.linalg.norm(n, axis=1, keepdims=True)
        return normals

    def normals_beyond(self, normals: Floats) -> Floats:
        """Of ``normals`` those beyond each edge, zero where there is none, shape (t, 3, 3)."""
        beyond: Floats = normals[self.beyond]
        beyond[self.beyond < 0] = 0.0
        return beyond

    @property
    def low(self) -> Floats:
        """Lower corner of the box around all triangles [m], shape (3,)."""
        low: Floats = self.corners.min(axis=(0, 1))
        return low

    @property
    def high(self) -> Floats:
        """Upper corner of that box [m], shape (3,)."""
        high: Floats = self.corners.max(axis=(0, 1))
        return high

    @property
    def middle(self) -> Floats:
        """Middle of that box [m], shape (3,)."""
        return 0.5 * (self.low + self.high)

    @property
    def half_size(self) -> Floats:
        """Half the edges of that box [m], shape (3,)."""
        return 0.5 * (self.high - self.low)


@dataclass(frozen=True, eq=False)
class StackedGrounds:
    """All grounds of a scene, t triangles.

    Attributes:
        owner: The GROUND shape of each triangle, shape (t,).
        corners: [m], shape (t, 3, 3), world frame.
        normals: Of their fronts, shape (t, 3).
        normals_beyond: Those of the triangles beyond their edges, shape (t, 3, 3).
        grid: The ground and cell fields of Shapes.
    """

    owner: Ints
    corners: Floats
    normals: Floats
    normals_beyond: Floats
    grid: dict[str, NDArray[Any]]

    @property
    def center(self) -> Floats:
        """Middle of the box around each triangle [m], shape (t, 3)."""
        center: Floats = 0.5 * (self.corners.min(axis=1) + self.corners.max(axis=1))
        return center

    @property
    def extent(self) -> Floats:
        """Half the edges of that box [m], shape (t, 3)."""
        extent: Floats = 0.5 * (self.corners.max(axis=1) - self.corners.min(axis=1))
        return extent

    @property
    def reach(self) -> Floats:
        """Largest distance of a corner from that middle [m], shape (t,)."""
        distances = np.linalg.norm(self.corners - self.center[:, None], axis=2)
        reach: Floats = distances.max(axis=1, initial=0.0)
        return reach

    def append_to(self, features: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """The features of Shapes with those of every triangle behind them, as triangle_core."""
        count = len(self.corners)
        none_beyond = np.zeros((len(features["edge_vertex"]), 3))
        beyond = np.concatenate([none_beyond, self.normals_beyond.reshape(-1, 3)])
        if count == 0:
            return {**features, "edge_beyond": beyond}
        template = triangle_core((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
        n = self.normals
        heights = np.einsum("tci,ti->tc", self.corners, n)
        planes = np.stack(
            [
                np.column_stack([n, heights.max(axis=1)]),
                np.column_stack([-n, -heights.min(axis=1)]),
            ],
            axis=1,
        )
        triangle = np.arange(count)[:, None]
        v0 = len(features["vertex"]) + 3 * triangle
        e0 = len(features["edge_vertex"]) + 3 * triangle
        f0 = len(features["face_plane"]) + 2 * triangle
        more: dict[str, NDArray[Any]] = {
            "vertex": self.corners.reshape(-1, 3),
            "edge_vertex": (template.edge_vertex.ravel() + v0).reshape(-1, 2),
            "edge_face": (template.edge_face.ravel() + f0).reshape(-1, 2),
            "vertex_edge": (template.vertex_edge + e0).ravel(),
            "face_plane": planes.reshape(-1, 4),
            "face_vertex": (template.face_vertex + v0).ravel(),
            "face_edge": (template.face_edge + e0).ravel(),
        }
        steps = {"vertex_start": 3, "edge_start": 3, "face_start": 2}
        rows = {"vertex_edge_start": (2, 3 * count), "face_corner_start": (3, 2 * count)}
        counts = {**{key: (step, count) for key, step in steps.items()}, **rows}
        starts = {
            key: features[key][-1] + step * np.arange(1, number + 1)
            for key, (step, number) in counts.items()
        }
        more |= starts
        longer = {key: np.concatenate([array, more.pop(key)]) for key, array in features.items()}
        return {**longer, "edge_beyond": beyond}


def _beyond_in_field(rows: int, columns: int) -> Ints:
    """Ground.beyond of a height field of so many cells, of triangles (a, b, c) and (a, c, d)."""
    lower = 2 * np.arange(rows * columns).reshape(rows, columns)
    beyond = np.full((rows, columns, 2, 3), -1, dtype=np.int64)
    beyond[1:, :, 0, 0] = lower[:-1] + 1  # ab, of the cell before
    beyond[:, :-1, 0, 1] = lower[:, 1:] + 1  # bc, of the cell beside
    beyond[:, :, 0, 2] = lower + 1  # the diagonal
    beyond[:, :, 1, 0] = lower
    beyond[:-1, :, 1, 1] = lower[1:]  # cd
    beyond[:, 1:, 1, 2] = lower[:, :-1]  # da
    return beyond.reshape(-1, 3)


def _beyond(triangles: Ints) -> Ints:
    """Ground.beyond from the vertex numbers of the corners, shape (t, 3)."""
    a, b, c = triangles.T
    tails, heads = np.concatenate([a, b, c]), np.concatenate([b, c, a])
    vertices = int(triangles.max(initial=0)) + 1
    key, opposite = tails * vertices + heads, heads * vertices + tails
    order = np.argsort(key, kind="stable")
    first = np.searchsorted(key, opposite, side="left", sorter=order)
    uses = np.searchsorted(key, opposite, side="right", sorter=order) - first
    # An edge of more than two triangles has no one beyond it.
    found = order[np.minimum(first, max(0, len(order) - 1))] % max(1, len(a))
    return np.ascontiguousarray(np.where(uses == 1, found, -1).reshape(3, -1).T)


def stack_grounds(grounds: Sequence[tuple[int, Ground]], before: int) -> StackedGrounds:
    """All triangles behind the shapes ``before`` them, and the grids that find them.

    Args:
        grounds: Shape number and triangles, world frame, of each GROUND.
        before: Number of shapes that are not triangles.
    """
    none = np.zeros(0, dtype=np.int64)
    owner, starts, triangles = [none], [np.zeros(1, dtype=np.int64)], [none]
    corners, normals, beyond = [np.zeros((0, 3, 3))], [np.zeros((0, 3))], [np.zeros((0, 3, 3))]
    first = np.full(before, -1, dtype=np.int64)
    cells = np.zeros((before, 2), dtype=np.int64)
    origin = np.zeros((before, 4))
    cell_first = np.zeros(before, dtype=np.int64)
    number, entries, cell_count = before, 0, 0
    for shape, ground in grounds:
        count = len(ground.corners)
        first[shape], cell_first[shape] = number, cell_count
        origin[shape], cells[shape] = _grid_of(ground)
        start, members = _fill_grid(ground, origin[shape], cells[shape])
        starts.append(start[1:] + entries)
        triangles.append(members + number)
        owner.append(np.full(count, shape, dtype=np.int64))
        corners.append(ground.corners)
        normals.append(ground.normals)
        beyond.append(ground.normals_beyond(normals[-1]))
        number, entries = number + count, entries + len(members)
        cell_count += len(start) - 1
    return StackedGrounds(
        owner=np.concatenate(owner),
        corners=np.concatenate(corners),
        normals=np.concatenate(normals),
        normals_beyond=np.concatenate(beyond),
        grid={
            "ground_first": first,
            "ground_cells": cells,
            "ground_origin": origin,
            "ground_cell_first": cell_first,
            "cell_start": np.concatenate(starts),
            "cell_triangle": np.concatenate(triangles),
        },
    )


def _grid_of(ground: Ground) -> tuple[Floats, Ints]:
    """Corner and cell size, shape (4,), and cells along x and y, shape (2,).

    As many cells as triangles, but none smaller than the mean triangle.
    """
    low, extent = ground.low[:2], ground.high[:2] - ground.low[:2]
    sides = np.ptp(ground.corners[:, :, :2], axis=1).mean(axis=0)
    area = float(np.prod(np.maximum(extent, 1e-9 * extent.max() + 1e-300)))
    size = np.maximum(math.sqrt(area / len(ground.corners)), sides)
    cells = np.clip(np.floor(extent / size), 1, _MOST_CELLS).astype(np.int64)
    step = extent / cells
    step[step <= 0.0] = 1.0  # upright triangles in a plane
    return np.concatenate([low, step]), cells


def _fill_grid(ground: Ground, origin: Floats, cells: Ints) -> tuple[Ints, Ints]:
    """Triangles of each cell: where they start, and their numbers in the ground."""
    places = (ground.corners[:, :, :2] - origin[:2]) / origin[2:]
    lowest = np.clip(np.floor(places.min(axis=1)).astype(np.int64), 0, cells - 1)
    highest = np.clip(np.floor(places.max(axis=1)).astype(np.int64), 0, cells - 1)
    wide = highest - lowest + 1
    counts = wide[:, 0] * wide[:, 1]
    triangle = np.repeat(np.arange(len(counts)), counts)
    within = np.arange(len(triangle)) - np.repeat(np.cumsum(counts) - counts, counts)
    x = lowest[triangle, 0] + within % wide[triangle, 0]
    y = lowest[triangle, 1] + within // wide[triangle, 0]
    cell = y * cells[0] + x
    order = np.argsort(cell, kind="stable")
    start = np.zeros(int(cells.prod()) + 1, dtype=np.int64)
    np.cumsum(np.bincount(cell, minlength=len(start) - 1), out=start[1:])
    return start, triangle[order]


# ---------------------------------------------------------------------------------------
# Triangles of polygons
# ---------------------------------------------------------------------------------------


def triangles_of(mesh: PolygonMesh) -> Ints:
    """Vertex numbers of triangles that make up all polygons, shape (t, 3)."""
    counts = np.diff(mesh.offsets)
    three = np.flatnonzero(counts == 3)
    rows = [mesh.corners[mesh.offsets[three][:, None] + np.arange(3)]]
    large = np.flatnonzero(counts > 3).tolist()
    rows += [_cut(mesh.vertices, mesh.face(face).tolist()) for face in large]
    return np.concatenate(rows)


def _cut(vertices: Floats, face: list[int]) -> Ints:
    """Triangles of one polygon, ear by ear."""
    points = vertices[face]
    arms = points - points.mean(axis=0)
    normal = np.cross(arms, np.roll(arms, -1, axis=0)).sum(axis=0)
    rest = list(range(len(face)))
    triangles = []
    while len(rest) > 3:
        ear = next((k for k in range(len(rest)) if _is_ear(points, rest, k, normal)), 0)
        triangles.append([rest[ear - 1], rest[ear], rest[(ear + 1) % len(rest)]])
        del rest[ear]
    triangles.append(rest)
    corners: Ints = np.array(face)[np.array(triangles)]
    return corners


def _is_ear(points: Floats, rest: list[int], k: int, normal: Floats) -> bool:
    """Whether the triangle at corner k lies within the polygon of the corners left."""
    three = [rest[k - 1], rest[k], rest[(k + 1) % len(rest)]]
    a, b, c = points[three]
    if np.cross(b - a, c - a) @ normal <= 0.0:
        return False
    for other in rest:
        if other in three:
            continue
        p = points[other]
        inside = [np.cross(v - u, p - u) @ normal >= 0.0 for u, v in ((a, b), (b, c), (c, a))]
        if all(inside):
            return False
    return True
