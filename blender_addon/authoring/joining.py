# SPDX-License-Identifier: GPL-3.0-or-later
"""New joints: where they stand, along which axis, between which bodies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import bmesh
import bpy
import numpy as np
from bpy.types import Object
from mathutils import Matrix, Vector

from ..convert import Floats
from ..export.collect import body_of
from .tagging import TagError, tag_joint

# Types whose axis is likely to run from one body to the other.
ALONG = ("slider", "screw", "cylindrical", "point-on-line")
# Types whose axis is likely to point at who looks from the side.
ACROSS = ("hinge", "universal")
WORLD_AXES = {"X": Vector((1, 0, 0)), "Y": Vector((0, 1, 0)), "Z": Vector((0, 0, 1))}
# Glyphs are this much of the smaller body.
GLYPH = 0.25


def bodies_of_selection(context: bpy.types.Context) -> list[Object]:
    """The selected bodies, and those of selected solids; that of the active object last."""
    active = context.active_object
    selected = list(context.selected_objects)
    if active in selected:
        selected.append(active)
    bodies: dict[Object, None] = {}
    for obj in selected:
        body = body_of(obj) if obj.impulse.kind == "GEOMETRY" else obj
        if body is not None and body.impulse.kind == "BODY":
            bodies.pop(body, None)
            bodies[body] = None
    return list(bodies)


def add_joint(
    context: bpy.types.Context,
    kind: str,
    bodies: Sequence[Object],
    *,
    place: str = "CURSOR",
    axis: str = "Z",
    name: str = "",
) -> Object:
    """A new Empty that joins one body to the world, or two to each other; it is not selected.

    ``place``: CURSOR, BETWEEN (where the bodies meet), ORIGIN (of the last body), SELECTION (of
    the mesh in edit mode) or AUTO: the selection in edit mode, else BETWEEN, or ORIGIN for one
    body. ``axis``: X, Y, Z, VIEW, SELECTION or AUTO, which depends on the type.
    """
    if not 1 <= len(bodies) <= 2:
        raise TagError("Select one body, to join it to the world, or two; with Chain, any number.")
    first, second = (None, bodies[0]) if len(bodies) == 1 else bodies
    found = selection_frame(context)
    if found is None and "SELECTION" in (place, axis):
        raise TagError("Select vertices, an edge or a face in edit mode, for the joint to use.")
    anchor = _anchor(context, bodies, place, found)
    direction = _direction(context, kind, bodies, axis, found)
    empty = bpy.data.objects.new(name or f"{kind.capitalize()} {bodies[-1].name}", None)
    try:
        tag_joint(empty, kind, first, second)
    except TagError:
        bpy.data.objects.remove(empty)
        raise
    has_axis = kind in ("hinge", "slider", "screw", "cylindrical")
    empty.empty_display_type = "SINGLE_ARROW" if has_axis else "PLAIN_AXES"
    empty.empty_display_size = GLYPH * min(_reach(body) for body in bodies)
    aim = middle(second) - anchor
    if kind == "universal":
        aim = direction.cross(aim)
    empty.matrix_world = upright(anchor, direction, aim)
    context.collection.objects.link(empty)
    return empty


def add_chain(
    context: bpy.types.Context, kind: str, bodies: Sequence[Object], **options: Any
) -> list[Object]:
    """Joints from the last body to its neighbour, from there to the next: one less than bodies."""
    if len(bodies) < 2:
        raise TagError("Select two bodies or more for a chain.")
    ordered = in_line(bodies)
    return [add_joint(context, kind, pair, **options) for pair in pairwise(ordered)]


def in_line(bodies: Sequence[Object]) -> list[Object]:
    """The bodies from the last of them on, each followed by the nearest of those that are left."""
    left = list(bodies)
    line = [left.pop()]
    while left:
        here = line[-1]
        nearest = min(left, key=lambda body: (round(gap(here, body), 6), _apart(here, body)))
        left.remove(nearest)
        line.append(nearest)
    return line


def _apart(first: Object, second: Object) -> float:
    return (middle(first) - middle(second)).length


def bounds(obj: Object) -> tuple[Floats, Floats]:
    """Lowest and highest corner of an object in the world; of an Empty its origin twice."""
    corners = [Vector()] if obj.type == "EMPTY" else [Vector(c) for c in obj.bound_box]
    points = np.array([obj.matrix_world @ corner for corner in corners])
    return points.min(axis=0), points.max(axis=0)


def middle(obj: Object) -> Vector:
    low, high = bounds(obj)
    return Vector((low + high) / 2)


def gap(first: Object, second: Object) -> float:
    """Distance of the bounds of two objects, 0 where they overlap."""
    (low1, high1), (low2, high2) = bounds(first), bounds(second)
    return float(np.linalg.norm(np.maximum(0.0, np.maximum(low1 - high2, low2 - high1))))


def meeting_point(first: Object, second: Object) -> Vector:
    """The middle of what the bounds of two objects share, or of the gap between them."""
    (low1, high1), (low2, high2) = bounds(first), bounds(second)
    return Vector((np.maximum(low1, low2) + np.minimum(high1, high2)) / 2)


def _reach(obj: Object) -> float:
    return max(*obj.dimensions) if obj.type != "EMPTY" and any(obj.dimensions) else 1.0


def _anchor(
    context: bpy.types.Context,
    bodies: Sequence[Object],
    place: str,
    found: tuple[Vector, Vector | None] | None,
) -> Vector:
    if place == "AUTO":
        place = "SELECTION" if found else ("BETWEEN" if len(bodies) == 2 else "ORIGIN")
    if place == "SELECTION":
        return found[0]
    if place == "BETWEEN" and len(bodies) == 2:
        return meeting_point(*bodies)
    if place == "CURSOR":
        return context.scene.cursor.location.copy()
    return bodies[-1].matrix_world.translation.copy()


def _direction(
    context: bpy.types.Context,
    kind: str,
    bodies: Sequence[Object],
    axis: str,
    found: tuple[Vector, Vector | None] | None,
) -> Vector:
    if axis in WORLD_AXES:
        return WORLD_AXES[axis].copy()
    if axis == "VIEW":
        return view_direction(context) or WORLD_AXES["Z"].copy()
    if found is not None and found[1] is not None:
        return found[1]
    if axis == "SELECTION":
        raise TagError("A single vertex has no axis; select an edge, a face or three vertices.")
    if kind in ALONG and len(bodies) == 2:
        return nearest_axis(middle(bodies[1]) - middle(bodies[0]))
    if kind in ACROSS and (view := view_direction(context)) is not None:
        return nearest_axis(view)
    return WORLD_AXES["Z"].copy()


def nearest_axis(direction: Vector) -> Vector:
    """The world axis that a direction is nearest to, in its positive sense."""
    return max(WORLD_AXES.values(), key=lambda axis: abs(axis.dot(direction))).copy()


def view_direction(context: bpy.types.Context) -> Vector | None:
    """The direction from what is seen to who looks; None where there is no 3D view."""
    region = getattr(context, "region_data", None)
    if region is None and context.screen is not None:
        views = [area.spaces.active for area in context.screen.areas if area.type == "VIEW_3D"]
        region = views[0].region_3d if views else None
    if region is None:
        return None
    return region.view_rotation @ Vector((0, 0, 1))


def upright(anchor: Vector, axis: Vector, towards: Vector) -> Matrix:
    """Matrix at a point with z along ``axis`` and x as near to ``towards`` as it can be."""
    z = axis.normalized()
    x = towards - towards.dot(z) * z
    if x.length < 1e-6 * max(1.0, towards.length):
        x = z.orthogonal()
    x.normalize()
    y = z.cross(x)
    matrix = Matrix((x, y, z)).transposed().to_4x4()
    matrix.translation = anchor
    return matrix


def turn_joint(context: bpy.types.Context, joint: Object, axis: str) -> None:
    """Turn a joint that exists: X, Y, Z, VIEW, or FLIP to the opposite sense."""
    own = joint.matrix_world.to_3x3()
    z = -own.col[2] if axis == "FLIP" else _direction(context, "", [joint], axis, None)
    scale = joint.matrix_world.to_scale()
    matrix = upright(joint.matrix_world.translation, z, own.col[0])
    joint.matrix_world = matrix @ Matrix.Diagonal((*scale, 1.0))


def selection_frame(context: bpy.types.Context) -> tuple[Vector, Vector | None] | None:
    """Place and axis of what is selected in edit mode; None where nothing is.

    A vertex has a place only; an edge its middle and direction; three vertices or more, as those
    of a face or a rim, the centre of the circle that fits them, and the normal of its plane.
    """
    if context.mode != "EDIT_MESH":
        return None
    points, normals = [], []
    for obj in context.objects_in_mode_unique_data:
        mesh = bmesh.from_edit_mesh(obj.data)
        turn = obj.matrix_world.to_3x3().inverted_safe().transposed()
        points += [obj.matrix_world @ vertex.co for vertex in mesh.verts if vertex.select]
        normals += [turn @ face.normal for face in mesh.faces if face.select]
    if not points:
        return None
    if len(points) == 1:
        return points[0], None
    if len(points) == 2:
        return (points[0] + points[1]) / 2, (points[1] - points[0]).normalized()
    centre, normal = circle_through(np.array(points))
    axis = Vector(normal)
    if axis.dot(sum(normals, Vector())) < 0:
        axis.negate()
    return Vector(centre), axis


def circle_through(points: Floats) -> tuple[Floats, Floats]:
    """Centre (3,) and normal (3,) of the circle that fits points (N, 3) best.

    Points that lie on no circle, to a fiftieth of its radius, or on a line, give their mean.
    """
    mean = points.mean(axis=0)
    arms = points - mean
    spread, axes = np.linalg.svd(arms, full_matrices=True)[1:]
    normal = axes[2] * (1.0 if axes[2][np.abs(axes[2]).argmax()] > 0 else -1.0)
    if spread[1] < 1e-6 * spread[0]:
        return mean, normal
    flat = arms @ axes[:2].T
    # |p|² = 2 c · p + (r² - |c|²), linear in c and in what is left
    rows = np.column_stack([2 * flat, np.ones(len(flat))])
    solution = np.linalg.lstsq(rows, (flat**2).sum(axis=1), rcond=None)[0]
    radius = np.sqrt(max(solution[2] + solution[:2] @ solution[:2], 0.0))
    misfit = np.abs(np.linalg.norm(flat - solution[:2], axis=1) - radius).max()
    if misfit > 0.02 * radius:
        return mean, normal
    return mean + solution[:2] @ axes[:2], normal


def make_active(context: bpy.types.Context, joints: Sequence[Object]) -> None:
    """Select joints and nothing else, in object mode, the last of them active."""
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for obj in context.selected_objects:
        obj.select_set(False)
    for joint in joints:
        joint.select_set(True)
    context.view_layer.objects.active = joints[-1]
