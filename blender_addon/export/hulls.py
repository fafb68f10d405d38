# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex hulls, by Blender's own mesh tools."""

from __future__ import annotations

import bmesh
import numpy as np

from .meshes import Polygons


def hull_polygons(polygons: Polygons) -> Polygons | None:
    """The convex hull as triangles that face outwards; None where the points have no volume."""
    mesh = bmesh.new()
    try:
        for point in polygons.vertices:
            mesh.verts.new(point)
        mesh.verts.index_update()
        made = bmesh.ops.convex_hull(mesh, input=mesh.verts, use_existing_faces=False)
        faces = [item for item in made["geom"] if isinstance(item, bmesh.types.BMFace)]
        corners = np.array([[v.index for v in face.verts] for face in faces], int).reshape(-1, 3)
    finally:
        mesh.free()
    if len(corners) < 4:
        return None
    points = polygons.vertices[corners]
    outward = points.mean(axis=1) - polygons.vertices[np.unique(corners)].mean(axis=0)
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    inside_out = np.einsum("ki,ki->k", normals, outward) < 0
    corners[inside_out] = corners[inside_out][:, ::-1]
    return Polygons(polygons.vertices, corners.ravel(), np.arange(len(corners) + 1) * 3)
