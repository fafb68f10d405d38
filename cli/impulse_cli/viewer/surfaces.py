"""What bodies look like: stretched copies of surfaces of triangles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from impulse_core.geometry.rotations import rotated

if TYPE_CHECKING:
    from impulse_core.geometry import PolygonMesh
    from impulse_schema import Geometry, Mesh, Scene

__all__ = ["Copy", "Surface", "Surfaces"]

Floats = NDArray[np.float64]

_ROUND = 32  # corners of a circle
_WIDE = 100.0  # m, half the edge of what stands for a plane without end
_NONE = (0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles, counter-clockwise seen from outside.

    Attributes:
        vertices: Corner points [m], or of a unit shape, shape (V, 3).
        faces: Vertex numbers, shape (F, 3).
        is_smooth: Whether it is round: edges between its triangles are not to be seen.
    """

    vertices: Floats
    faces: NDArray[np.int64]
    is_smooth: bool = False

    def hit(self, origin: Floats, direction: Floats) -> float:
        """How far along a ray its first point lies, in lengths of ``direction``; inf if none."""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        # Moeller and Trumbore: origin + t direction = (1 - u - v) a + u b + v c
        p = np.cross(direction, c - a)
        q = np.cross(origin - a, b - a)
        with np.errstate(divide="ignore", invalid="ignore"):
            f = 1.0 / np.einsum("ij,ij->i", b - a, p)
            u = f * np.einsum("ij,ij->i", origin - a, p)
            v = f * (q @ direction)
            t = f * np.einsum("ij,ij->i", c - a, q)
            inside = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t > 0.0)
        return float(t[inside].min(initial=np.inf))


@dataclass(frozen=True)
class Copy:
    """A surface on a body.

    Attributes:
        surface: Key of the surface in ``Surfaces``.
        position: Of its origin [m], body frame.
        orientation: Its axes to those of the body.
        scale: Factors along its own axes.
    """

    surface: str
    position: tuple[float, float, float]
    orientation: tuple[float, float, float, float]
    scale: tuple[float, float, float]


class Surfaces:
    """The surfaces of the solids of a scene.

    Shapes that differ only in their measures are copies of one unit shape, so that a browser draws
    all boxes of a scene at once, and all balls.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._solids: dict[str, Geometry] = {}

    def copies(self, solid: Geometry) -> Iterator[Copy]:
        """What ``solid`` is made of; a capsule is a cylinder and two balls."""
        for surface, offset, scale in _pieces(solid):
            key = surface
            if surface == "own":
                key = f"{solid.shape} {solid.mesh or id(solid)}"
            self._solids[key] = solid
            x, y, z = np.add(
                solid.position, rotated(np.array(solid.orientation), np.array(offset))
            ).tolist()
            yield Copy(key, (x, y, z), solid.orientation, scale)

    def surface(self, key: str) -> Surface:
        """The surface of a key that a copy named; files of meshes are read now."""
        solid = self._solids[key]
        if key in _UNIT_SHAPES:
            return _unit_shape(key)
        if solid.shape == "height_field":
            return _height_field(solid)
        if solid.shape == "torus":
            return _torus(solid)
        polygons = self._polygons(self._meshes[solid.mesh or ""])
        if solid.shape == "convex_hull":
            from impulse_core.geometry import convex_hull

            polygons = convex_hull(polygons.vertices)
        return _triangles(polygons)

    @cached_property
    def _meshes(self) -> dict[str, Mesh]:
        return {mesh.name: mesh for mesh in self._scene.meshes}

    def _polygons(self, mesh: Mesh) -> PolygonMesh:
        from impulse_core.geometry import PolygonMesh, read_mesh
        from impulse_schema import resolve_mesh_path

        if mesh.file is None:
            vertices = mesh.scale * np.array(mesh.vertices, dtype=float)
            polygons = PolygonMesh.from_faces(vertices, mesh.faces or [])
        else:
            polygons = read_mesh(resolve_mesh_path(self._scene, mesh), mesh.scale)
        return polygons if mesh.mirror == "none" else polygons.mirrored("xyz".index(mesh.mirror))


_UNIT_SHAPES = ("box", "ball", "cylinder", "cone", "plane")

_Piece = tuple[str, tuple[float, float, float], tuple[float, float, float]]


def _pieces(solid: Geometry) -> Iterator[_Piece]:
    """Surface, offset in the solid's frame and scale of each piece of a solid."""
    r, h = solid.radius or 0.0, solid.height or 0.0
    match solid.shape:
        case "box":
            yield "box", _NONE, solid.size or _NONE
        case "sphere":
            yield "ball", _NONE, (r, r, r)
        case "ellipsoid":
            x, y, z = solid.size or _NONE
            yield "ball", _NONE, (x / 2, y / 2, z / 2)
        case "cylinder":
            yield "cylinder", _NONE, (r, r, h)
        case "cone":
            yield "cone", _NONE, (r, r, h)
        case "capsule":
            yield "cylinder", _NONE, (r, r, h)
            yield "ball", (0.0, 0.0, h / 2), (r, r, r)
            yield "ball", (0.0, 0.0, -h / 2), (r, r, r)
        case "plane":
            yield "plane", _NONE, (_WIDE, _WIDE, 1.0)
        case _:
            yield "own", _NONE, (1.0, 1.0, 1.0)


def _unit_shape(name: str) -> Surface:
    if name == "plane":
        corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], dtype=float)
        return Surface(corners, np.array([(0, 1, 2), (0, 2, 3)]))
    if name == "box":
        return _revolved([(0, -0.5), (math.sqrt(0.5), -0.5), (math.sqrt(0.5), 0.5), (0, 0.5)], 4)
    if name == "cylinder":
        return _revolved([(0, -0.5), (1, -0.5), (1, 0.5), (0, 0.5)], _ROUND)
    if name == "cone":
        return _revolved([(0, -0.5), (1, -0.5), (0, 0.5)], _ROUND)
    meridian = np.linspace(-math.pi / 2, math.pi / 2, _ROUND // 2 + 1)
    profile = list(zip(np.cos(meridian), np.sin(meridian), strict=True))
    return _revolved(profile, _ROUND, is_smooth=True)


def _torus(solid: Geometry) -> Surface:
    assert solid.major_radius is not None
    assert solid.minor_radius is not None
    around = np.linspace(0.0, 2.0 * math.pi, _ROUND // 2 + 1)
    r = solid.major_radius + solid.minor_radius * np.cos(around)
    z = solid.minor_radius * np.sin(around)
    return _revolved(list(zip(r, z, strict=True)), _ROUND, is_smooth=True)


def _revolved(
    profile: Sequence[tuple[float, float]], sides: int, *, is_smooth: bool = False
) -> Surface:
    """What a line of points (r, z) sweeps over when it is turned about z, in so many flat sides."""
    r, z = np.array(profile, dtype=float).T
    angles = 2.0 * math.pi * (np.arange(sides) + 0.5) / sides
    points = np.stack(
        [
            np.outer(np.cos(angles), r),
            np.outer(np.sin(angles), r),
            np.broadcast_to(z, (sides, len(z))),
        ],
        axis=2,
    ).reshape(-1, 3)
    number = np.arange(sides * len(z)).reshape(sides, len(z))
    after = np.roll(number, -1, axis=0)
    a, b = number[:, :-1].ravel(), after[:, :-1].ravel()
    d, c = number[:, 1:].ravel(), after[:, 1:].ravel()
    faces = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    corners = points[faces]
    areas = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    return Surface(points, faces[areas > 1e-12], is_smooth)


def _triangles(polygons: PolygonMesh) -> Surface:
    """Each polygon as a fan of triangles."""
    corners, offsets = polygons.corners, polygons.offsets
    count = np.diff(offsets) - 2
    first = np.repeat(offsets[:-1], count)
    k = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    faces = np.column_stack([corners[first], corners[first + k + 1], corners[first + k + 2]])
    return Surface(polygons.vertices, faces)


def _height_field(solid: Geometry) -> Surface:
    """Two triangles for each cell."""
    heights = np.array(solid.heights)
    assert solid.size is not None
    rows, columns = heights.shape
    x = np.linspace(-solid.size[0] / 2, solid.size[0] / 2, columns)
    y = np.linspace(-solid.size[1] / 2, solid.size[1] / 2, rows)
    number = np.arange(rows * columns).reshape(rows, columns)
    a, b = number[:-1, :-1].ravel(), number[:-1, 1:].ravel()
    d, c = number[1:, :-1].ravel(), number[1:, 1:].ravel()
    halves = [(a, b, c), (a, c, d)] if solid.diagonal == "rising" else [(a, b, d), (b, c, d)]
    faces = np.concatenate([np.column_stack(half) for half in halves])
    points = np.column_stack([np.tile(x, rows), np.repeat(y, columns), heights.ravel()])
    return Surface(points, faces)
