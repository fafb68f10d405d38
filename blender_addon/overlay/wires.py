# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of the solid that an object stands for, in the object's own axes."""

from __future__ import annotations

import bpy
import numpy as np

from ..convert import Floats, take_apart
from ..export.hulls import hull_polygons
from ..export.meshes import Polygons, Raw, polygons_of, raw_mesh
from ..export.shapes import ShapeError, fit_shape
from .glyphs import solid_wire
from .lines import arrow, box, path

# Meshes of more edges are shown by their bounds: their own faces show them well enough.
MOST_EDGES = 1500
# Points beyond which the convex hull is shown by its bounds.
MOST_POINTS = 3000


def collider_wire(context: bpy.types.Context, obj: bpy.types.Object) -> Floats:
    """Segments (K, 2, 3); none where the object has no solid, or none that can be made."""
    shape = obj.impulse.geometry.shape
    if shape == "plane":
        return _plane(obj)
    raw = raw_mesh(obj, context.evaluated_depsgraph_get())
    if raw is None:
        return np.zeros((0, 2, 3))
    if _is_large(raw, shape):
        return _bounds(raw.vertices[raw.corners].astype(float))
    polygons = polygons_of(raw)
    if shape == "convex_hull":
        return _hull_edges(polygons)
    if shape in ("mesh", "height_field"):
        return _edges(polygons)
    try:
        stretch = take_apart(np.array(obj.matrix_world)).stretch
        fit = fit_shape(shape, polygons.transformed(stretch), stretch)
    except (ValueError, ShapeError):  # Check says why
        return np.zeros((0, 2, 3))
    return fit.placed(solid_wire(shape, fit.sizes)) @ np.linalg.inv(stretch).T


def _plane(obj: bpy.types.Object) -> Floats:
    """A square with a normal, as large as the object is wide, at least a unit."""
    reach = max(1.0, *(abs(c) for corner in obj.bound_box for c in corner[:2]))
    corners = reach * np.array([(1, 1, 0), (-1, 1, 0), (-1, -1, 0), (1, -1, 0), (1, 1, 0)])
    normal = arrow((0, 0, 0), (0, 0, 0.4 * reach), 0.1 * reach)
    return np.concatenate([path(corners), path(corners[[0, 2]]), path(corners[[1, 3]]), normal])


def _is_large(raw: Raw, shape: str) -> bool:
    """Whether a solid is shown by its bounds, before seconds are spent on what its faces are."""
    if shape == "convex_hull":
        return len(raw.vertices) > MOST_POINTS
    return shape in ("mesh", "height_field") and len(raw.corners) > 2 * MOST_EDGES


def _edges(polygons: Polygons) -> Floats:
    following = np.arange(len(polygons.corners)) + 1
    following[polygons.offsets[1:] - 1] = polygons.offsets[:-1]
    ends = np.stack([polygons.corners, polygons.corners[following]], axis=1)
    if len(ends) > 2 * MOST_EDGES:  # only now, as bent faces are triangles here
        return _bounds(polygons.vertices)
    return polygons.vertices[np.unique(np.sort(ends, axis=1), axis=0)]


def _bounds(points: Floats) -> Floats:
    low, high = points.min(axis=0), points.max(axis=0)
    return box((high - low) / 2, (high + low) / 2)


def _hull_edges(polygons: Polygons) -> Floats:
    hull = hull_polygons(polygons)
    if hull is None:
        return np.zeros((0, 2, 3))
    triangles = hull.corners.reshape(-1, 3)
    points = hull.vertices[triangles]
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-30)[:, None]
    edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges, owners = np.unique(edges, axis=0, return_inverse=True)
    # An edge between two triangles of one flat face is not shown.
    sums = np.zeros((len(edges), 3))
    np.add.at(sums, owners.ravel(), np.repeat(normals, 3, axis=0))
    return hull.vertices[edges[np.linalg.norm(sums, axis=1) < 2.0 - 1e-6]]
