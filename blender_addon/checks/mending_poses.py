# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixes of where objects stand, what they hang on, and what moves them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from bpy.types import Context, Object
from mathutils import Vector

from ..compat import animation_curves
from ..export.keyed import moved_by_hand
from ..export.realising import is_instance, realise_collection
from ..issues import Issue

# Part of an overlap by which bodies are moved farther, so that rounding lets them not touch.
MARGIN = 1e-3


@contextmanager
def keep_children(context: Context, obj: Object) -> Iterator[None]:
    """Let the children of an object stay where they are while it is changed."""
    places = [(child, child.matrix_world.copy()) for child in obj.children]
    yield
    context.view_layer.update()
    for child, place in places:
        child.matrix_world = place


def clear_parent(_context: Context, obj: Object, _issue: Issue) -> None:
    place = obj.matrix_world.copy()
    obj.parent = None
    obj.matrix_world = place


def apply_deltas(_context: Context, obj: Object, _issue: Issue) -> None:
    """Put delta transforms into the transform itself."""
    place = obj.matrix_world.copy()
    obj.delta_location = (0, 0, 0)
    obj.delta_rotation_euler = (0, 0, 0)
    obj.delta_rotation_quaternion = (1, 0, 0, 0)
    obj.delta_scale = (1, 1, 1)
    obj.matrix_world = place


def mute_constraints(_context: Context, obj: Object, _issue: Issue) -> None:
    place = obj.matrix_world.copy()
    for constraint in obj.constraints:
        constraint.mute = True
    obj.matrix_world = place


def leave_rigid_bodies(context: Context, obj: Object, _issue: Issue) -> None:
    with context.temp_override(object=obj, active_object=obj, selected_objects=[obj]):
        bpy.ops.rigidbody.object_remove()


def enable(_context: Context, obj: Object, _issue: Issue) -> None:
    obj.hide_viewport = False
    obj.hide_set(True)


def has_own_keys(obj: Object, issue: Issue) -> bool:
    return any(True for _ in _moving(obj, issue.detail))


def mute_keys(_context: Context, obj: Object, issue: Issue) -> None:
    """Switch curves and drivers of a property off; its value stays what it is now."""
    for curve in _moving(obj, issue.detail):
        curve.mute = True


def _moving(obj: Object, path: str) -> Iterator[Any]:
    """What moves a property of an object, its data or its shape keys."""
    keys = getattr(obj.data, "shape_keys", None)
    for owner in (obj, obj.data, keys):
        animation = getattr(owner, "animation_data", None)
        if animation is None:
            continue
        for curve in (*animation_curves(owner), *animation.drivers):
            if curve.data_path == path and not curve.mute:
                yield curve


def start_here(context: Context, _obj: Object, _issue: Issue) -> None:
    """Take poses that were set in a later frame over into the first frame."""
    scene = context.scene
    moved = [obj for obj in context.view_layer.objects if moved_by_hand(obj, scene)]
    places = [(obj, obj.matrix_world.copy()) for obj in moved]
    scene.frame_set(scene.frame_start)
    for obj, place in places:
        obj.matrix_world = place


def can_move_apart(obj: Object, issue: Issue) -> bool:
    return bool(issue.detail) and _pair_to_part(obj, issue) is not None


def _pair_to_part(obj: Object, issue: Issue) -> tuple[Object, Object] | None:
    """Of two bodies the one that can be moved alone, as nothing is joined to it, and the other."""
    other = bpy.data.objects.get(issue.other)
    if other is None or not obj.impulse.kind == other.impulse.kind == "BODY":
        return None
    links = (o for o in bpy.data.objects if o.impulse.kind in ("JOINT", "SPRING"))
    ends = {end for o in links for end in _ends(o)}
    for one, two in ((obj, other), (other, obj)):
        if one.impulse.body.motion == "dynamic" and one not in ends:
            return one, two
    return None


def _ends(obj: Object) -> tuple[Object | None, Object | None]:
    link = obj.impulse.joint if obj.impulse.kind == "JOINT" else obj.impulse.spring
    return link.body1, link.body2


def move_apart(context: Context, obj: Object, issue: Issue) -> None:
    """Move a body out of another: up from ground, else the shortest way out of its box."""
    pair = _pair_to_part(obj, issue)
    if pair is None:
        return
    obj, other = pair
    metres = context.scene.unit_settings.scale_length
    if other.impulse.body.motion == "static":
        way = Vector((0, 0, float(issue.detail) / metres))
        if other.impulse.geometry.shape == "plane":
            way = other.matrix_world.to_3x3().col[2].normalized() * way.z
    else:
        way = _way_out(_box_of(obj), _box_of(other))
    way += (1e-5 + MARGIN * way.length) * way.normalized()
    place = obj.matrix_world.copy()
    place.translation += way
    obj.matrix_world = place


def _box_of(obj: Object) -> tuple[Any, Any]:
    """Lowest and highest coordinates of an object in the world, of what hangs on it as well."""
    parts = [obj, *(o for o in obj.children_recursive if o.impulse.kind == "GEOMETRY")]
    points = np.array([part.matrix_world @ Vector(c) for part in parts for c in part.bound_box])
    return points.min(axis=0), points.max(axis=0)


def _way_out(box: tuple[Any, Any], other: tuple[Any, Any]) -> Vector:
    """The shortest shift along an axis that takes a box out of another."""
    back, forth = box[1] - other[0], other[1] - box[0]
    axis = int(np.argmin(np.minimum(back, forth)))
    way = Vector((0, 0, 0))
    way[axis] = forth[axis] if forth[axis] <= back[axis] else -back[axis]
    return way


def shows_collection(obj: Object, _issue: Issue) -> bool:
    return is_instance(obj)


def realise(context: Context, obj: Object, _issue: Issue) -> None:
    realise_collection(context, obj)


def override_library(_context: Context, obj: Object, _issue: Issue) -> None:
    """Put a library override in place of a linked object, wherever this file uses that."""
    obj.override_create(remap_local_usages=True)
