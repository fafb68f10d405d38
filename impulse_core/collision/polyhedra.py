"""Convex polyhedra: ``Core`` has the features of one, as ``Shapes`` lists them.

A core has vertices, edges and faces that know each other. Points and segments have no faces, a
triangle has two that look away from each other. Coplanar triangles of a hull are one face, so that
a box has six: the faces are what contact polygons are made of.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impulse_core.collision.faces import (
    face_planes,
    following_corner,
    merged_triangles,
    paired_sides,
    starts_of,
)
from impulse_core.geometry.hull import convex_hull
from impulse_core.geometry.mesh import PolygonMesh
from impulse_core.geometry.products import length, product
from impulse_core.types import Floats, Ints

__all__ = [
    "ROUND_SIDES",
    "ConvexityDefect",
    "Core",
    "CoreError",
    "box_core",
    "cone_core",
    "convexity_defect",
    "core_of_hull",
    "core_tables",
    "cylinder_core",
    "ellipsoid_core",
    "empty_core",
    "hull_core",
    "point_core",
    "segment_core",
    "stacked",
    "triangle_core",
    "with_axes",
]

ROUND_SIDES = 32  # sides of the prisms and pyramids that stand for cylinders and cones

# A mesh that is dented by less than this part of its extent is taken for its hull.
_CONVEX = 1e-5


class CoreError(ValueError):
    """Vertices or faces that make no convex solid; the message says where and what to do."""


@dataclass(frozen=True, eq=False)
class Core:
    """Features of one convex polyhedron; numbers count from 0 within it.

    Attributes:
        vertices: corners [m], shape (V, 3), in the frame of the shape.
        edge_vertex: tail and head of each edge, shape (E, 2).
        edge_face: face to its left and to its right, seen from outside; -1 for none, (E, 2).
        vertex_edge_start: edges at vertex v are ``vertex_edge[start[v]:start[v + 1]]``, (V + 1,).
        vertex_edge: see there.
        face_plane: outward unit normal n and offset d of n·x = d, shape (F, 4).
        face_corner_start: corners of face f are ``face_vertex[start[f]:start[f + 1]]``, (F + 1,).
        face_vertex: counter-clockwise seen from outside.
        face_edge: edge from each corner to the next, as ``face_vertex``.
        uneven: how far the corners of a face lie from its plane, and others above it [m].
    """

    vertices: Floats
    edge_vertex: Ints
    edge_face: Ints
    vertex_edge_start: Ints
    vertex_edge: Ints
    face_plane: Floats
    face_corner_start: Ints
    face_vertex: Ints
    face_edge: Ints
    uneven: float = 0.0

    def moved(self, rotation: ArrayLike, translation: ArrayLike) -> Core:
        """The core with vertices ``rotation @ v + translation``, for a rotation matrix (3, 3)."""
        rotation = np.asarray(rotation, dtype=np.float64)
        translation = np.asarray(translation, dtype=np.float64)
        normals = product(self.face_plane[:, :3], rotation.T)
        offsets = self.face_plane[:, 3] + product(normals, translation)
        return Core(
            product(self.vertices, rotation.T) + translation,
            self.edge_vertex,
            self.edge_face,
            self.vertex_edge_start,
            self.vertex_edge,
            np.column_stack([normals, offsets]),
            self.face_corner_start,
            self.face_vertex,
            self.face_edge,
            self.uneven,
        )


@dataclass(frozen=True)
class ConvexityDefect:
    """Distance of the surface of a mesh from a convex one.

    Attributes:
        amount: largest height of a vertex above the plane of a face [m]; 0 for a convex solid.
        face: number of that face.
        vertex: number of that vertex.
        place: where that vertex lies [m], shape (3,).
    """

    amount: float
    face: int
    vertex: int
    place: Floats


# ---------------------------------------------------------------------------------------
# Cores of meshes and points
# ---------------------------------------------------------------------------------------


def core_tables(mesh: PolygonMesh) -> Core:
    """Core of a convex solid given by its surface, with coplanar faces merged.

    Raises:
        CoreError: the mesh is not convex.
    """
    defect = convexity_defect(mesh)
    extent = float(np.max(np.ptp(mesh.vertices[mesh.corners], axis=0), initial=0.0))
    if defect.amount > _CONVEX * extent:
        x, y, z = (float(f"{value:.4g}") for value in defect.place)
        raise CoreError(
            f"The mesh is not convex: vertex {defect.vertex} at ({x:g}, {y:g}, {z:g}) lies"
            f" {defect.amount:.3g} m above the plane of face {defect.face}. Collide with its convex"
            " hull, or split it into convex parts."
        )
    return hull_core(mesh.vertices[np.unique(mesh.corners)])


def convexity_defect(mesh: PolygonMesh) -> ConvexityDefect:
    """Largest height of a vertex above the plane of a face, and where that is.

    Faces without an area are left out. Time and numbers grow as faces times vertices.
    """
    used = np.unique(mesh.corners)
    vertices = mesh.vertices[used]
    planes, areas = face_planes(mesh.vertices, mesh.corners, mesh.offsets)
    extent = float(np.max(np.ptp(vertices, axis=0), initial=0.0))
    worst = ConvexityDefect(0.0, -1, -1, np.zeros(3))
    block = max(1, 1_000_000 // max(1, len(vertices)))
    solid = np.flatnonzero(areas > 1e-12 * extent**2)
    for start in range(0, len(solid), block):
        faces = solid[start : start + block]
        heights = planes[faces, :3] @ vertices.T - planes[faces, 3:]
        row, column = np.unravel_index(np.argmax(heights), heights.shape)
        if heights[row, column] > worst.amount:
            number = int(used[column])
            amount = float(heights[row, column])
            worst = ConvexityDefect(amount, int(faces[row]), number, mesh.vertices[number].copy())
    return worst


def hull_core(points: ArrayLike) -> Core:
    """Core of the convex hull of points [m], shape (N, 3).

    Raises:
        MassPropertiesError: the points lie in one plane.
        CoreError: their hull is no closed surface.
    """
    return core_of_hull(convex_hull(points))


def core_of_hull(hull: PolygonMesh) -> Core:
    """Core of a convex hull that is given as triangles.

    Raises:
        CoreError: it is no closed surface.
    """
    triangles = hull.corners.reshape(-1, 3)
    faces = merged_triangles(hull.vertices, triangles)
    core = None if faces is None else _core(hull.vertices, *faces)
    if core is None:  # merging tore the surface: keep every triangle
        core = _core(hull.vertices, hull.corners, hull.offsets)
    if core is None:
        raise CoreError("The convex hull of the points is not a closed surface; simplify them.")
    return replace(core, uneven=_unevenness(core))


def _unevenness(core: Core) -> float:
    """How far the corners of a face lie from its plane, and others above it, at most [m]."""
    starts = core.face_corner_start
    owner = np.repeat(np.arange(len(core.face_plane)), np.diff(starts))
    heights = np.einsum("ki,ki->k", core.vertices[core.face_vertex], core.face_plane[owner, :3])
    below, above = float(np.max(core.face_plane[owner, 3] - heights, initial=0.0)), 0.0
    block = max(1, 1_000_000 // max(1, len(core.vertices)))
    for start in range(0, len(core.face_plane), block):
        planes = core.face_plane[start : start + block]
        higher = np.einsum("fi,vi->fv", planes[:, :3], core.vertices) - planes[:, 3:]
        above = max(above, float(higher.max()))
    return below + above


# ---------------------------------------------------------------------------------------
# Cores of primitives
# ---------------------------------------------------------------------------------------


def empty_core() -> Core:
    """No features: a plane, or a ground whose triangles are shapes of their own."""
    return _without_faces(np.zeros((0, 3)), np.zeros((0, 2), dtype=np.int64))


def point_core() -> Core:
    """The origin: a sphere without its radius."""
    return _without_faces(np.zeros((1, 3)), np.zeros((0, 2), dtype=np.int64))


def segment_core(height: float) -> Core:
    """Segment along z of this length [m] with its middle at the origin: a capsule's axis."""
    vertices = np.array([[0.0, 0.0, -height / 2.0], [0.0, 0.0, height / 2.0]])
    return _without_faces(vertices, np.array([[0, 1]]))


def triangle_core(a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Core:
    """Triangle [m]: face 0 looks to where a, b, c are counter-clockwise, face 1 to the other side.

    Raises:
        CoreError: the corners lie on a line.
    """
    vertices = np.array([a, b, c], dtype=np.float64)
    normal = np.cross(vertices[1] - vertices[0], vertices[2] - vertices[0])
    area = length(normal)
    if area == 0.0:
        raise CoreError("The corners of a triangle lie on a line, so it has no face to touch.")
    normal /= area
    heights = product(vertices, normal)
    planes = np.array([[*normal, heights.max()], [*-normal, -heights.min()]])
    return replace(_unit_triangle(), vertices=vertices, face_plane=planes)


def box_core(size: Sequence[float]) -> Core:
    """Box with the full edge lengths ``size`` = (x, y, z) [m] around the origin."""
    half = 0.5 * np.asarray(size, dtype=np.float64)
    cube = _unit_box()
    planes = cube.face_plane.copy()
    planes[:, 3] = product(np.abs(planes[:, :3]), half)
    return replace(cube, vertices=cube.vertices * half, face_plane=planes)


@cache
def cylinder_core(radius: float, height: float, sides: int = ROUND_SIDES) -> Core:
    """Regular prism inscribed in a cylinder along z, its middle at the origin [m]."""
    circle = _circle(radius, sides)
    vertices = np.vstack(
        [
            np.column_stack([circle, np.full(sides, -height / 2.0)]),
            np.column_stack([circle, np.full(sides, height / 2.0)]),
        ]
    )
    after = [(i + 1) % sides for i in range(sides)]
    walls = [[i, after[i], sides + after[i], sides + i] for i in range(sides)]
    bottom, top = list(range(sides))[::-1], list(range(sides, 2 * sides))
    return _solid(vertices, [bottom, top, *walls])


@cache
def cone_core(radius: float, height: float, sides: int = ROUND_SIDES) -> Core:
    """Regular pyramid inscribed in a cone along z: base at -h/2, apex at +h/2 [m]."""
    base = np.column_stack([_circle(radius, sides), np.full(sides, -height / 2.0)])
    vertices = np.vstack([base, [[0.0, 0.0, height / 2.0]]])
    walls = [[i, (i + 1) % sides, sides] for i in range(sides)]
    return _solid(vertices, [list(range(sides))[::-1], *walls])


def ellipsoid_core(half_axes: Sequence[float]) -> Core:
    """Icosphere of 162 vertices inscribed in an ellipsoid [m] along the axes."""
    x, y, z = (float(half) for half in half_axes)
    return _ellipsoid(x, y, z)


@cache
def _ellipsoid(x: float, y: float, z: float) -> Core:
    vertices, faces = _icosphere(2)
    return _solid(vertices * np.array([x, y, z]), faces)


@cache
def _unit_triangle() -> Core:
    return _solid(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), [[0, 1, 2], [2, 1, 0]])


@cache
def _unit_box() -> Core:
    """A box whose half edges are 1 long."""
    signs = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], dtype=float)
    faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]
    return _solid(signs, faces)


def _circle(radius: float, sides: int) -> Floats:
    angles = 2.0 * math.pi / sides * np.arange(sides)
    return radius * np.array([(math.cos(angle), math.sin(angle)) for angle in angles])


@cache
def _icosphere(subdivisions: int) -> tuple[Floats, list[list[int]]]:
    golden = (1.0 + math.sqrt(5.0)) / 2.0
    corners = [(a, b * golden) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
    points = [np.array(p) for a, b in corners for p in ((0.0, a, b), (a, b, 0.0), (b, 0.0, a))]
    points = [p / length(p) for p in points]
    faces = convex_hull(np.array(points))
    points, triangles = list(faces.vertices), faces.faces()
    for _ in range(subdivisions):
        middle: dict[tuple[int, int], int] = {}
        finer = []
        for i, j, k in triangles:
            for pair in ((i, j), (j, k), (k, i)):
                key = (min(pair), max(pair))
                if key not in middle:
                    middle[key] = len(points)
                    point = points[key[0]] + points[key[1]]
                    points.append(point / length(point))
            a, b, c = (middle[min(p), max(p)] for p in ((i, j), (j, k), (k, i)))
            finer += [[i, a, c], [a, j, b], [c, b, k], [a, b, c]]
        triangles = finer
    return np.array(points), triangles


# ---------------------------------------------------------------------------------------
# Tables
# ---------------------------------------------------------------------------------------


def stacked(cores: Sequence[Core]) -> dict[str, NDArray[Any]]:
    """Features of all shapes one after the other, under the names that ``Shapes`` has for them.

    Shape i has the features of ``cores[i]``; numbers in the tables count through all of them.
    """
    vertex_start = starts_of(np.array([len(core.vertices) for core in cores]))
    edge_start = starts_of(np.array([len(core.edge_vertex) for core in cores]))
    face_start = starts_of(np.array([len(core.face_plane) for core in cores]))
    v0, e0, f0 = vertex_start[:-1], edge_start[:-1], face_start[:-1]
    rows = range(len(cores))
    beside = [np.where(cores[i].edge_face < 0, -1, cores[i].edge_face + f0[i]) for i in rows]
    return {
        "vertex_start": vertex_start,
        "vertex": _joined([core.vertices for core in cores], (0, 3)),
        "edge_start": edge_start,
        "edge_vertex": _joined([cores[i].edge_vertex + v0[i] for i in rows], (0, 2)),
        "edge_face": _joined(beside, (0, 2)),
        "vertex_edge_start": starts_of(
            _joined([np.diff(c.vertex_edge_start) for c in cores], (0,))
        ),
        "vertex_edge": _joined([cores[i].vertex_edge + e0[i] for i in rows], (0,)),
        "face_start": face_start,
        "face_plane": _joined([core.face_plane for core in cores], (0, 4)),
        "face_corner_start": starts_of(
            _joined([np.diff(c.face_corner_start) for c in cores], (0,))
        ),
        "face_vertex": _joined([cores[i].face_vertex + v0[i] for i in rows], (0,)),
        "face_edge": _joined([cores[i].face_edge + e0[i] for i in rows], (0,)),
    }


def with_axes(features: dict[str, NDArray[Any]], axes: Floats) -> dict[str, NDArray[Any]]:
    """The features of ``Shapes`` and, behind them, edges that belong to no core.

    Args:
        features: As ``stacked`` has them, and ``edge_beyond``.
        axes: Both ends of each edge [m], shape (k, 2, 3), body frame.
    """
    count = len(axes)
    vertices = len(features["vertex"]) + np.arange(2 * count)
    edges = len(features["edge_vertex"]) + np.arange(count)
    starts = features["vertex_edge_start"][-1] + 1 + np.arange(2 * count)
    more: dict[str, NDArray[Any]] = {
        "vertex": axes.reshape(-1, 3),
        "edge_vertex": vertices.reshape(-1, 2),
        "edge_face": np.full((count, 2), -1),
        "edge_beyond": np.zeros((count, 3)),
        "vertex_edge_start": starts,
        "vertex_edge": np.repeat(edges, 2),
    }
    return {**features, **{key: np.concatenate([features[key], more[key]]) for key in more}}


def _joined(parts: list[NDArray[Any]], empty: tuple[int, ...]) -> NDArray[Any]:
    kind = np.float64 if empty in {(0, 3), (0, 4)} else np.int64
    return np.ascontiguousarray(np.concatenate([np.zeros(empty, dtype=kind), *parts]), dtype=kind)


def _solid(vertices: Floats, faces: list[list[int]]) -> Core:
    corners = np.array([corner for face in faces for corner in face], dtype=np.int64)
    core = _core(vertices, corners, starts_of(np.array([len(face) for face in faces])))
    if core is None:
        raise CoreError("The lengths of a shape must be positive numbers.")
    return core


def _core(vertices: Floats, corners: Ints, starts: Ints) -> Core | None:
    """Core with these faces, or None where they are not a closed convex surface.

    Args:
        vertices: [m], shape (V, 3).
        corners: Vertex numbers of all faces one after the other, shape (K,).
        starts: Where each face begins among them, shape (F + 1,).
    """
    used = np.zeros(len(vertices), dtype=bool)
    used[corners] = True
    vertices = vertices[used]
    corners = (used.cumsum() - 1)[corners]
    heads = corners[following_corner(starts)]
    pairs = paired_sides(corners, heads)
    if pairs is None or len(vertices) - len(pairs[0]) + len(starts) - 1 != 2:  # Euler
        return None
    planes, areas = face_planes(vertices, corners, starts)
    if not areas.all():
        return None
    owner = np.repeat(np.arange(len(planes)), np.diff(starts))
    # Offsets as far out as the outermost corner: no vertex lies above a face.
    heights = np.einsum("ki,ki->k", vertices[corners], planes[owner, :3])
    planes[:, 3] = np.maximum.reduceat(heights, starts[:-1])
    forwards, backwards = (side[pairs[0].argsort()] for side in pairs)
    face_edge = np.empty(len(corners), dtype=np.int64)
    face_edge[forwards] = face_edge[backwards] = np.arange(len(forwards))
    edge_vertex = np.column_stack([corners[forwards], heads[forwards]])
    edge_face = np.column_stack([owner[forwards], owner[backwards]])
    return Core(
        vertices,
        edge_vertex,
        edge_face,
        *_edges_at(edge_vertex, len(vertices)),
        face_plane=planes,
        face_corner_start=starts,
        face_vertex=corners,
        face_edge=face_edge,
    )


def _without_faces(vertices: Floats, edge_vertex: Ints) -> Core:
    """Core of points and edges between them: vertices (V, 3) [m] and tail and head of edges."""
    none = np.zeros(0, dtype=np.int64)
    return Core(
        vertices,
        edge_vertex,
        np.full_like(edge_vertex, -1),
        *_edges_at(edge_vertex, len(vertices)),
        face_plane=np.zeros((0, 4)),
        face_corner_start=starts_of(none),
        face_vertex=none,
        face_edge=none,
    )


def _edges_at(edge_vertex: Ints, count: int) -> tuple[Ints, Ints]:
    """``vertex_edge_start`` and ``vertex_edge`` of so many vertices."""
    ends = edge_vertex.reshape(-1)
    return starts_of(np.bincount(ends, minlength=count)), ends.argsort(kind="stable") // 2
