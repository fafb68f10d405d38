# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender objects for the bodies of a scene: one object for each body, of the solids it shows."""

from __future__ import annotations

import math
from collections.abc import Callable

import bmesh
import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from impulse_schema import Geometry, Scene

SEGMENTS = 48  # of round solids
BEVEL = 0.015  # of the shortest edge of a box
WIDE = 400.0  # m, half the edge of what stands for a plane without end

Colour = Callable[[str, Geometry], str]  # of a body's name and a solid


def bodies(scene: Scene, colour: Colour, paint: Callable[[str], bpy.types.Material]):
    """An object for each body by its name, unlinked, at its start pose; solids alike share a mesh.

    Args:
        scene: The scene.
        colour: Name of the colour of a solid.
        paint: Material of that name.
    """
    meshes = {mesh.name: mesh for mesh in scene.meshes}
    made: dict[str, bpy.types.Mesh] = {}
    objects = {}
    for body in scene.bodies:
        solids = [g for g in body.geometry if g.role != "collision"]
        solids = solids or list(body.geometry)
        colours = [colour(body.name, solid) for solid in solids]
        key = repr((solids, colours))
        if key not in made:
            made[key] = _mesh(body.name, solids, colours, meshes, paint)
        obj = bpy.data.objects.new(body.name, made[key])
        obj.rotation_mode = "QUATERNION"
        obj.location, obj.rotation_quaternion = body.position, body.orientation
        objects[body.name] = obj
    return objects


def _mesh(name, solids, colours, meshes, paint) -> bpy.types.Mesh:
    data = bpy.data.meshes.new(name)
    whole = bmesh.new()
    for solid, colour in zip(solids, colours, strict=True):
        part = _solid(solid, meshes)
        placed = Matrix.LocRotScale(
            Vector(solid.position), Quaternion(solid.orientation), Vector((1, 1, 1))
        )
        bmesh.ops.transform(part, matrix=placed, verts=part.verts)
        index = data.materials.find(colour)
        if index < 0:
            data.materials.append(paint(colour))
            index = len(data.materials) - 1
        for face in part.faces:
            face.material_index = index
        scratch = bpy.data.meshes.new("part")
        part.to_mesh(scratch)
        part.free()
        whole.from_mesh(scratch)
        bpy.data.meshes.remove(scratch)
    whole.to_mesh(data)
    whole.free()
    return data


def _solid(solid: Geometry, meshes) -> bmesh.types.BMesh:
    part = bmesh.new()
    if solid.shape == "box":
        bmesh.ops.create_cube(part, size=1.0)
        bmesh.ops.scale(part, vec=solid.size, verts=part.verts)
        width = BEVEL * min(solid.size)
        bmesh.ops.bevel(part, geom=part.edges[:], offset=width, segments=2, affect="EDGES")
    elif solid.shape in ("sphere", "ellipsoid"):
        bmesh.ops.create_uvsphere(part, u_segments=SEGMENTS, v_segments=SEGMENTS // 2, radius=1.0)
        size = (2 * solid.radius,) * 3 if solid.shape == "sphere" else solid.size
        bmesh.ops.scale(part, vec=[edge / 2 for edge in size], verts=part.verts)
        _smooth(part)
    elif solid.shape in ("cylinder", "cone"):
        top = solid.radius if solid.shape == "cylinder" else 0.0
        bmesh.ops.create_cone(
            part,
            cap_ends=True,
            segments=SEGMENTS,
            radius1=solid.radius,
            radius2=top,
            depth=solid.height,
        )
    elif solid.shape == "capsule":
        bmesh.ops.create_uvsphere(
            part, u_segments=SEGMENTS, v_segments=SEGMENTS // 2, radius=solid.radius
        )
        for vertex in part.verts:
            vertex.co.z += math.copysign(solid.height / 2, vertex.co.z)
        _smooth(part)
    elif solid.shape == "torus":
        _torus(part, solid.major_radius, solid.minor_radius)
        _smooth(part)
    elif solid.shape == "plane":
        bmesh.ops.create_grid(part, x_segments=1, y_segments=1, size=WIDE)
    elif solid.shape == "height_field":
        _field(part, solid)
    elif solid.shape in ("mesh", "convex_hull"):
        _from_mesh(part, meshes[solid.mesh])
    else:
        raise NotImplementedError(f"a {solid.shape} is not drawn")
    return part


def _field(part: bmesh.types.BMesh, solid: Geometry) -> None:
    """The surface of a height field: two triangles for each of its cells."""
    heights = np.array(solid.heights)
    rows, columns = heights.shape
    x, y = (
        np.linspace(-edge / 2, edge / 2, n)
        for edge, n in zip(solid.size[:2], (columns, rows), strict=True)
    )
    points = [
        [part.verts.new((x[i], y[j], heights[j, i])) for i in range(columns)] for j in range(rows)
    ]
    for j in range(rows - 1):
        for i in range(columns - 1):
            a, b = points[j][i : i + 2]
            d, c = points[j + 1][i : i + 2]
            corners = (
                ((a, b, c), (a, c, d)) if solid.diagonal == "rising" else ((a, b, d), (b, c, d))
            )
            for three in corners:
                part.faces.new(three)


def _torus(part: bmesh.types.BMesh, major: float, minor: float) -> None:
    """Circles of points around the tube, joined by quadrilaterals."""
    across = SEGMENTS // 2
    rings = []
    for i in range(SEGMENTS):
        turn = Matrix.Rotation(2 * math.pi * i / SEGMENTS, 3, "Z")
        tube = [2 * math.pi * k / across for k in range(across)]
        points = [(major + minor * math.cos(a), 0.0, minor * math.sin(a)) for a in tube]
        rings.append([part.verts.new(turn @ Vector(point)) for point in points])
    for i, ring in enumerate(rings):
        after = rings[(i + 1) % SEGMENTS]
        for k in range(across):
            j = (k + 1) % across
            part.faces.new([ring[k], after[k], after[j], ring[j]])


def _smooth(part: bmesh.types.BMesh) -> None:
    for face in part.faces:
        face.smooth = True


def _from_mesh(part: bmesh.types.BMesh, mesh) -> None:
    if mesh.vertices is None or mesh.faces is None:
        raise NotImplementedError(f"the mesh {mesh.name} is in a file")
    factors = [-mesh.scale if axis == mesh.mirror else mesh.scale for axis in "xyz"]
    corners = [part.verts.new(np.multiply(vertex, factors)) for vertex in mesh.vertices]
    for face in mesh.faces:
        around = face if mesh.mirror == "none" else face[::-1]
        part.faces.new([corners[corner] for corner in around])
