"""Convex polyhedra: ``Core`` has the features of one, as ``Shapes`` lists them.

A core has vertices, edges and faces that know each other. Points and segments have no faces, a
triangle has two that look away from each other. Coplanar triangles of a hull are one face, so that
a box has six: the faces are what contact polygons are made of.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from impulse_core.geometry.hull import convex_hull
from impulse_core.geometry.mesh import PolygonMesh
from impulse_core.types import Floats, Ints

__all__ = [
    "ROUND_SIDES",
    "ConvexityDefect",
    "Core",
    "CoreError",
    "box_core",
    "cone_core",
    "convexity_defect",
    "core_tables",
    "cylinder_core",
    "ellipsoid_core",
    "empty_core",
    "hull_core",
    "point_core",
    "segment_core",
    "stacked",
    "triangle_core",
]

ROUND_SIDES = 32  # sides of the prisms and pyramids that stand for cylinders and cones

# Corners of a face may leave its plane by this part of the extent: meshes are often written with
# six or seven digits, and a wall that they leave a hair uneven is still one wall.
_COPLANAR = 1e-6
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

    def moved(self, rotation: ArrayLike, translation: ArrayLike) -> Core:
        """The core with vertices ``rotation @ v + translation``, for a rotation matrix (3, 3)."""
        rotation = np.asarray(rotation, dtype=np.float64)
        translation = np.asarray(translation, dtype=np.float64)
        normals = self.face_plane[:, :3] @ rotation.T
        offsets = self.face_plane[:, 3] + normals @ translation
        return Core(
            self.vertices @ rotation.T + translation,
            self.edge_vertex,
            self.edge_face,
            self.vertex_edge_start,
            self.vertex_edge,
            np.column_stack([normals, offsets]),
            self.face_corner_start,
            self.face_vertex,
            self.face_edge,
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
    planes, areas = _planes(mesh.vertices, mesh.faces())
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
    """
    hull = convex_hull(points)
    vertices = np.array(hull.vertices)
    triangles = hull.corners.reshape(-1, 3)
    core = _core(vertices, _merged(vertices, triangles))
    if core is None:  # merging tore the surface: keep every triangle
        core = _core(vertices, triangles.tolist())
    if core is None:
        raise CoreError("The convex hull of the points is not a closed surface; simplify them.")
    return core


def _merged(vertices: Floats, triangles: Ints) -> list[list[int]]:
    """Polygons of coplanar triangles, grown from the largest triangles."""
    extent = float(np.max(np.ptp(vertices, axis=0)))
    tolerance = _COPLANAR * extent
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    normals = _cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    beyond = _triangle_beyond(triangles)
    alone = _stand_alone(vertices, triangles, beyond, normals, areas, 2.0 * tolerance)
    single = (alone | (areas == 0.0)).tolist()
    around = beyond.tolist()
    group = [-1] * len(triangles)
    for seed in np.argsort(-areas, kind="stable").tolist():
        if group[seed] >= 0:
            continue
        group[seed] = seed
        if single[seed]:
            continue
        normal = normals[seed] / areas[seed]
        offset = normal @ a[seed]
        waiting = [seed]
        while waiting:
            for other in around[waiting.pop()]:
                if group[other] >= 0:
                    continue
                heights = np.abs(vertices[triangles[other]] @ normal - offset)
                sliver = areas[other] < tolerance * extent
                if heights.max() <= tolerance and (sliver or normals[other] @ normal > 0.0):
                    group[other] = seed
                    waiting.append(other)
    loops = _loops(triangles, np.array(group))
    # A vertex of fewer than three faces lies within an edge or a face.
    faces_at = np.bincount([v for loop in loops for v in loop], minlength=len(vertices))
    loops = [[v for v in loop if faces_at[v] >= 3] for loop in loops]
    return [loop for loop in loops if len(loop) >= 3]


def _stand_alone(
    vertices: Floats,
    triangles: Ints,
    beyond: Ints,
    normals: Floats,
    areas: Floats,
    tolerance: float,
) -> NDArray[np.bool_]:
    """Triangles whose neighbours all leave their plane by more than the tolerance, (T,): nearly
    all of a round hull.
    """
    unit = normals / np.where(areas == 0.0, 1.0, areas)[:, None]
    offsets = np.einsum("ti,ti->t", unit, vertices[triangles[:, 0]])
    corners = vertices[triangles[beyond]]  # of the three neighbours of each
    heights = np.abs(np.einsum("tnki,ti->tnk", corners, unit) - offsets[:, None, None])
    return np.asarray(heights.max(axis=2).min(axis=1) > tolerance)


def _triangle_beyond(triangles: Ints) -> Ints:
    """Triangle on the other side of each side of each triangle, shape (T, 3)."""
    owner = {}
    for number, (i, j, k) in enumerate(triangles.tolist()):
        owner[i, j] = owner[j, k] = owner[k, i] = number
    return np.array(
        [
            [owner[j, i], owner[k, j], owner[i, k]]  # a hull is closed
            for i, j, k in triangles.tolist()
        ]
    )


def _loops(triangles: Ints, group: Ints) -> list[list[int]]:
    """Outline of each group of triangles; a group whose outline is not one loop stays triangles."""
    sides: dict[int, dict[tuple[int, int], int]] = {}
    members: dict[int, list[list[int]]] = {}
    size = np.bincount(group)[group].tolist()
    for number, (triangle, of) in enumerate(zip(triangles.tolist(), group.tolist(), strict=True)):
        i, j, k = triangle
        of_group = sides.setdefault(of, {})
        members.setdefault(of, []).append(triangle)
        if size[number] == 1:
            continue
        for side in ((i, j), (j, k), (k, i)):
            if side[::-1] in of_group:
                del of_group[side[::-1]]
            else:
                of_group[side] = number
    loops = []
    for number, of_group in sides.items():
        following = dict(of_group.keys())
        if not of_group or len(following) != len(of_group):
            loops += members[number]
            continue
        loop = [next(iter(following))]
        while len(loop) <= len(following) and following[loop[-1]] != loop[0]:
            loop.append(following[loop[-1]])
        loops += [loop] if len(loop) == len(following) else members[number]
    return loops


# ---------------------------------------------------------------------------------------
# Cores of primitives
# ---------------------------------------------------------------------------------------


def empty_core() -> Core:
    """No features: a plane, or a ground whose triangles are shapes of their own."""
    return _tables(np.zeros((0, 3)), [], np.zeros((0, 2), dtype=np.int64), np.zeros((0, 4)))


def point_core() -> Core:
    """The origin: a sphere without its radius."""
    return _tables(np.zeros((1, 3)), [], np.zeros((0, 2), dtype=np.int64), np.zeros((0, 4)))


def segment_core(height: float) -> Core:
    """Segment along z of this length [m] with its middle at the origin: a capsule's axis."""
    vertices = np.array([[0.0, 0.0, -height / 2.0], [0.0, 0.0, height / 2.0]])
    return _tables(vertices, [], np.array([[0, 1]]), np.zeros((0, 4)))


def triangle_core(a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Core:
    """Triangle [m]: face 0 looks to where a, b, c are counter-clockwise, face 1 to the other side.

    Raises:
        CoreError: the corners lie on a line.
    """
    vertices = np.array([a, b, c], dtype=np.float64)
    normal = np.cross(vertices[1] - vertices[0], vertices[2] - vertices[0])
    area = float(np.linalg.norm(normal))
    if area == 0.0:
        raise CoreError("The corners of a triangle lie on a line, so it has no face to touch.")
    normal /= area
    heights = vertices @ normal
    planes = np.array([[*normal, heights.max()], [*-normal, -heights.min()]])
    return replace(_unit_triangle(), vertices=vertices, face_plane=planes)


def box_core(size: Sequence[float]) -> Core:
    """Box with the full edge lengths ``size`` = (x, y, z) [m] around the origin."""
    half = 0.5 * np.asarray(size, dtype=np.float64)
    cube = _unit_box()
    planes = cube.face_plane.copy()
    planes[:, 3] = np.abs(planes[:, :3]) @ half
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
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


@cache
def _icosphere(subdivisions: int) -> tuple[Floats, list[list[int]]]:
    golden = (1.0 + math.sqrt(5.0)) / 2.0
    corners = [(a, b * golden) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
    points = [np.array(p) for a, b in corners for p in ((0.0, a, b), (a, b, 0.0), (b, 0.0, a))]
    points = [p / np.linalg.norm(p) for p in points]
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
                    points.append(point / np.linalg.norm(point))
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
    vertex_start = _starts([len(core.vertices) for core in cores])
    edge_start = _starts([len(core.edge_vertex) for core in cores])
    face_start = _starts([len(core.face_plane) for core in cores])
    v0, e0, f0 = vertex_start[:-1], edge_start[:-1], face_start[:-1]
    rows = range(len(cores))
    beside = [np.where(cores[i].edge_face < 0, -1, cores[i].edge_face + f0[i]) for i in rows]
    return {
        "vertex_start": vertex_start,
        "vertex": _joined([core.vertices for core in cores], (0, 3)),
        "edge_start": edge_start,
        "edge_vertex": _joined([cores[i].edge_vertex + v0[i] for i in rows], (0, 2)),
        "edge_face": _joined(beside, (0, 2)),
        "vertex_edge_start": _starts([n for c in cores for n in np.diff(c.vertex_edge_start)]),
        "vertex_edge": _joined([cores[i].vertex_edge + e0[i] for i in rows], (0,)),
        "face_start": face_start,
        "face_plane": _joined([core.face_plane for core in cores], (0, 4)),
        "face_corner_start": _starts([n for c in cores for n in np.diff(c.face_corner_start)]),
        "face_vertex": _joined([cores[i].face_vertex + v0[i] for i in rows], (0,)),
        "face_edge": _joined([cores[i].face_edge + e0[i] for i in rows], (0,)),
    }


def _joined(parts: list[NDArray[Any]], empty: tuple[int, ...]) -> NDArray[Any]:
    kind = np.float64 if empty in {(0, 3), (0, 4)} else np.int64
    return np.ascontiguousarray(np.concatenate([np.zeros(empty, dtype=kind), *parts]), dtype=kind)


def _starts(counts: Sequence[int]) -> Ints:
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def _solid(vertices: Floats, faces: list[list[int]]) -> Core:
    core = _core(vertices, faces)
    if core is None:
        raise CoreError("The lengths of a shape must be positive numbers.")
    return core


def _core(vertices: Floats, faces: list[list[int]]) -> Core | None:
    """Core with these faces, or None where they are not a closed convex surface."""
    used = np.unique([corner for face in faces for corner in face])
    number = np.full(len(vertices), -1)
    number[used] = np.arange(len(used))
    faces = [number[face].tolist() for face in faces]
    vertices = vertices[used]
    left = {}
    for f, face in enumerate(faces):
        for i, tail in enumerate(face):
            side = (tail, face[(i + 1) % len(face)])
            if side in left:
                return None
            left[side] = f
    if any((head, tail) not in left for tail, head in left):
        return None
    edges = np.array([side for side in left if side[0] < side[1]], dtype=np.int64)
    if len(vertices) - len(edges) + len(faces) != 2:  # Euler
        return None
    planes, areas = _planes(vertices, faces)
    if np.any(areas == 0.0):
        return None
    return _tables(vertices, faces, edges, planes)


def _tables(vertices: Floats, faces: list[list[int]], edges: Ints, planes: Floats) -> Core:
    numbers = {(int(a), int(b)): e for e, (a, b) in enumerate(edges)}
    edge_face = np.full((len(edges), 2), -1, dtype=np.int64)
    face_edge = []
    for f, face in enumerate(faces):
        for i, tail in enumerate(face):
            head = face[(i + 1) % len(face)]
            backwards = (tail, head) not in numbers
            edge = numbers[head, tail] if backwards else numbers[tail, head]
            edge_face[edge, int(backwards)] = f
            face_edge.append(edge)
    at_vertex: list[list[int]] = [[] for _ in vertices]
    for e, (tail, head) in enumerate(edges):
        at_vertex[tail].append(e)
        at_vertex[head].append(e)
    # Offsets as far out as the outermost corner: no vertex lies above a face.
    for number, corners in _by_corners(faces):
        heights = np.einsum("fki,fi->fk", vertices[corners], planes[number, :3])
        planes[number, 3] = heights.max(axis=1)
    return Core(
        vertices=np.ascontiguousarray(vertices, dtype=np.float64),
        edge_vertex=edges,
        edge_face=edge_face,
        vertex_edge_start=_starts([len(at) for at in at_vertex]),
        vertex_edge=np.array([e for at in at_vertex for e in at], dtype=np.int64),
        face_plane=planes,
        face_corner_start=_starts([len(face) for face in faces]),
        face_vertex=np.array([corner for face in faces for corner in face], dtype=np.int64),
        face_edge=np.array(face_edge, dtype=np.int64),
    )


def _planes(vertices: Floats, faces: list[list[int]]) -> tuple[Floats, Floats]:
    """Unit normal (Newell) and mean offset of each face, shape (F, 4), and the areas (F,)."""
    planes = np.zeros((len(faces), 4))
    areas = np.zeros(len(faces))
    for number, corner_numbers in _by_corners(faces):
        if corner_numbers.shape[1] < 3:
            continue
        mean = vertices[corner_numbers].mean(axis=1)
        corners = vertices[corner_numbers] - mean[:, None]
        after = corners[:, (*range(1, corners.shape[1]), 0)]
        vector = 0.5 * _cross(corners, after).sum(axis=1)
        area = areas[number] = np.linalg.norm(vector, axis=1)
        flat = area == 0.0
        normal = vector / np.where(flat, 1.0, area)[:, None]
        planes[number, :3] = normal
        planes[number, 3] = np.where(flat, 0.0, np.einsum("fi,fi->f", normal, mean))
    return planes, areas


def _cross(a: Floats, b: Floats) -> Floats:
    """Cross products of rows; NumPy's own costs ten times as much where there are few."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack((y * w - z * v, z * u - x * w, x * v - y * u), axis=-1)


def _by_corners(faces: list[list[int]]) -> Iterator[tuple[Ints, Ints]]:
    """Faces of equally many corners together: their numbers (F,) and their corners (F, k)."""
    counts = np.array([len(face) for face in faces], dtype=np.int64)
    for count in np.unique(counts):
        number = np.flatnonzero(counts == count)
        corners = np.array([faces[f] for f in number], dtype=np.int64)
        yield number, corners.reshape(len(number), count)
