"""Convex hulls of meshes of very many faces, by whole arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impulse_core.collision.polyhedra import ConvexityDefect, Core, CoreError
from impulse_core.geometry.hull import convex_hull
from impulse_core.types import Floats, Ints

__all__ = ["LargeHull", "large_convexity_defect", "large_core", "large_hull"]

_LOOKED_AT = 16  # faces that are compared with all vertices, of each kind
_SAMPLE = 20_000  # vertices that tell whether a hull will be large
_LARGE = 2_000  # corners of their hull
_CELLS = 32  # along each side of a cube around a mesh whose hull is thinned out
_COMPARED = 4_000  # vertices that tell how far a thinned hull is from them


@dataclass(frozen=True, eq=False)
class LargeHull:
    """Core of the hull of many points.

    Attributes:
        core: The core.
        inside: How far it lies inside of the hull of all points, about [m]; 0 if it is that.
    """

    core: Core
    inside: float


def large_hull(points: Floats) -> LargeHull:
    """Hull of many points [m], shape (N, 3); of the outermost in each direction if it would have
    very many corners.

    Raises:
        MassPropertiesError: The points lie in one plane.
        CoreError: The hull has a triangle without an area.
    """
    sample = points[:: max(1, len(points) // _SAMPLE)]
    if len(points) <= _SAMPLE or len(convex_hull(sample).vertices) <= _LARGE:
        hull = convex_hull(points)
        return LargeHull(large_core(hull.vertices, hull.corners.reshape(-1, 3)), 0.0)
    hull = convex_hull(_outermost(points))
    core = large_core(hull.vertices, hull.corners.reshape(-1, 3))
    compared = sample[:: max(1, len(sample) // _COMPARED)]
    heights = core.face_plane[:, :3] @ compared.T - core.face_plane[:, 3:]
    return LargeHull(core, max(0.0, float(heights.max())))


def _outermost(points: Floats) -> Floats:
    """The point furthest from the middle in each of 6144 directions, lengths measured in those of
    the box around all.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    arms = (points - 0.5 * (low + high)) / np.maximum(high - low, 1e-300)
    major = np.argmax(np.abs(arms), axis=1)
    along = np.take_along_axis(arms, major[:, None], axis=1)[:, 0]
    cell = 2 * major + (along > 0.0)
    for k in (1, 2):
        across = np.take_along_axis(arms, ((major + k) % 3)[:, None], axis=1)[:, 0]
        place = np.floor(0.5 * _CELLS * (across / np.maximum(np.abs(along), 1e-300) + 1.0))
        cell = _CELLS * cell + np.clip(place, 0, _CELLS - 1).astype(np.int64)
    order = np.lexsort((np.einsum("ni,ni->n", arms, arms), cell))
    last = np.append(np.flatnonzero(np.diff(cell[order])), len(order) - 1)
    ends = np.concatenate([points.argmin(axis=0), points.argmax(axis=0)])
    chosen: Floats = points[np.unique(np.concatenate([order[last], ends]))]
    return chosen


def large_core(vertices: Floats, triangles: Ints) -> Core:
    """Core of a convex solid, as ``polyhedra`` makes it but for the faces of a plane, which stay
    triangles.

    Args:
        vertices: [m], shape (V, 3).
        triangles: Vertex numbers, counter-clockwise seen from outside, shape (T, 3); closed.

    Raises:
        CoreError: A triangle has no area.
    """
    planes = _planes(vertices, triangles)
    if not np.all(np.isfinite(planes)):
        raise CoreError("The convex hull has a face without an area; simplify the mesh.")
    edge_vertex, edge_face, face_edge = _edges(triangles)
    at = edge_vertex.T.reshape(-1)
    order = np.argsort(at, kind="stable")
    starts = np.zeros(len(vertices) + 1, dtype=np.int64)
    np.cumsum(np.bincount(at, minlength=len(vertices)), out=starts[1:])
    return Core(
        vertices=vertices,
        edge_vertex=edge_vertex,
        edge_face=edge_face,
        vertex_edge_start=starts,
        vertex_edge=order % len(edge_vertex),
        face_plane=planes,
        face_corner_start=3 * np.arange(len(triangles) + 1),
        face_vertex=triangles.reshape(-1),
        face_edge=face_edge.reshape(-1),
    )


def large_convexity_defect(vertices: Floats, triangles: Ints) -> ConvexityDefect:
    """Distance of a closed surface from a convex one, as ``convexity_defect`` says.

    Of its faces only those beside the steepest and deepest valleys and some all over the surface
    are compared with all vertices.
    """
    planes = np.nan_to_num(_planes(vertices, triangles))
    edge_vertex, edge_face, _ = _edges(triangles)
    beyond = triangles[edge_face[:, 1]].sum(axis=1) - edge_vertex.sum(axis=1)
    arms = vertices[beyond] - vertices[edge_vertex[:, 0]]
    heights = np.einsum("ei,ei->e", arms, planes[edge_face[:, 0], :3])
    steepness = heights / np.maximum(np.sqrt(np.einsum("ei,ei->e", arms, arms)), 1e-300)
    most = min(_LOOKED_AT, len(heights) - 1)
    chosen = np.unique(
        np.concatenate(
            [
                edge_face[np.argpartition(-steepness, most)[:most], 0],
                edge_face[np.argpartition(-heights, most)[:most], 0],
                np.linspace(0, len(triangles) - 1, _LOOKED_AT).astype(np.int64),
            ]
        )
    )
    worst = ConvexityDefect(0.0, -1, -1, np.zeros(3))
    for face in chosen.tolist():
        above = vertices @ planes[face, :3]
        vertex = int(np.argmax(above))
        amount = float(above[vertex] - planes[face, 3])
        if amount > worst.amount:
            worst = ConvexityDefect(amount, face, vertex, vertices[vertex].copy())
    return worst


def _planes(vertices: Floats, triangles: Ints) -> Floats:
    """Normals and offsets, NaN without an area, shape (T, 4)."""
    a, b, c = vertices[triangles[:, 0]], vertices[triangles[:, 1]], vertices[triangles[:, 2]]
    n = np.cross(b - a, c - a)
    with np.errstate(invalid="ignore"):
        n /= np.sqrt(np.einsum("ti,ti->t", n, n))[:, None]
    offsets = [np.einsum("ti,ti->t", corner, n) for corner in (a, b, c)]
    return np.column_stack([n, np.maximum(np.maximum(offsets[0], offsets[1]), offsets[2])])


def _edges(triangles: Ints) -> tuple[Ints, Ints, Ints]:
    """Tail and head, left and right face of each edge of a closed surface, and the edges of each
    triangle.
    """
    tails, heads = triangles.reshape(-1), np.roll(triangles, -1, axis=1).reshape(-1)
    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    order = np.argsort(2 * (low * (int(triangles.max()) + 1) + high) + (tails > heads))
    forwards, backwards = order[0::2], order[1::2]
    edge_of_side = np.empty(len(order), dtype=np.int64)
    edge_of_side[order] = np.arange(len(order)) // 2
    return (
        np.column_stack([low[forwards], high[forwards]]),
        np.column_stack([forwards // 3, backwards // 3]),
        edge_of_side.reshape(-1, 3),
    )
