# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixes of meshes. Objects that share a mesh share what is mended in it."""

from __future__ import annotations

import bmesh
import numpy as np
from bpy.types import Context, Object
from mathutils import Matrix

from ..convert import take_apart
from ..issues import Issue
from .mending_poses import keep_children

# Of its extent, by which a flat mesh may leave the plane z = 0 of its object.
FLAT = 1e-5


def is_editable(obj: Object, _issue: Issue) -> bool:
    """Whether an object has a mesh of this file."""
    return obj.type == "MESH" and obj.data.library is None


def turn_outwards(_context: Context, obj: Object, _issue: Issue) -> None:
    """Let the faces of a mesh agree and look outwards."""
    mesh = bmesh.new()
    mesh.from_mesh(obj.data)
    bmesh.ops.recalc_face_normals(mesh, faces=mesh.faces)
    if mesh.calc_volume(signed=True) < 0:
        bmesh.ops.reverse_faces(mesh, faces=mesh.faces)
    mesh.to_mesh(obj.data)
    mesh.free()
    obj.data.update()


def turn_over(_context: Context, obj: Object, _issue: Issue) -> None:
    obj.data.flip_normals()
    obj.data.update()


def switch_modifier_off(_context: Context, obj: Object, issue: Issue) -> None:
    obj.modifiers[issue.detail].show_viewport = False


def lies_in_its_plane(obj: Object, _issue: Issue) -> bool:
    """Whether the mesh of a body lies in the plane z = 0 of its object, as the shape plane does."""
    if obj.type != "MESH" or obj.impulse.kind != "BODY" or not obj.data.vertices:
        return False
    points = np.empty(3 * len(obj.data.vertices), np.float32)
    obj.data.vertices.foreach_get("co", points)
    extent = float(np.ptp(points.reshape(-1, 3), axis=0).max())
    return bool(np.abs(points[2::3]).max() <= FLAT * extent)


def can_bake(obj: Object, _issue: Issue) -> bool:
    """Whether a stretch can go into the mesh: nothing is computed from it, and nobody shares it."""
    return (
        obj.type == "MESH"
        and obj.data.library is None
        and not obj.modifiers
        and obj.data.shape_keys is None
    )


def bake_stretch(context: Context, obj: Object, _issue: Issue) -> None:
    """Put scale and shear of an object into a mesh of its own; what hangs on it stays in place."""
    placement = take_apart(np.array(obj.matrix_world))
    if obj.data.users > 1:
        obj.data = obj.data.copy()
    stretch = Matrix(placement.stretch.tolist()).to_4x4()
    with keep_children(context, obj):
        obj.data.transform(stretch)
        if stretch.determinant() < 0:
            obj.data.flip_normals()
        obj.data.update()
        obj.parent = None
        rigid = Matrix(placement.rotation.tolist()).to_4x4()
        rigid.translation = obj.matrix_world.translation
        obj.matrix_world = rigid
