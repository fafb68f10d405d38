# SPDX-License-Identifier: GPL-3.0-or-later
"""What objects were before a motion was imported: remembered, put back, and shown for a while.

A scene is exported as ``clear`` would leave it, so that it is the same before and after a run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy
from mathutils import Euler, Quaternion, Vector

from .. import compat
from .keyed import MOVED, moved_by_hand

# Name of the constraint that lets joints follow their bodies at playback.
FOLLOWS = "Impulse follows its body"
TRANSFORM = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")


def recorded_action(obj: bpy.types.Object) -> bpy.types.Action | None:
    """The action of an object if it was made from a recording."""
    action = obj.animation_data.action if obj.animation_data is not None else None
    return action if action is not None and compat.is_recorded(action) else None


def remember(obj: bpy.types.Object, action: bpy.types.Action | None) -> None:
    """Store what an import is about to change in an object that plays none."""
    memory = obj.impulse.playback
    memory.active = True
    memory.previous_action = action
    memory.previous_slot = 0 if action is None else compat.slot_handle(obj)
    memory.previous_rotation_mode = obj.rotation_mode
    memory.previous_location = obj.location
    memory.previous_euler = obj.rotation_euler
    memory.previous_quaternion = obj.rotation_quaternion
    memory.previous_axis_angle = obj.rotation_axis_angle


def put_back_transform(obj: bpy.types.Object) -> None:
    """Give an object the transform that it had before an import."""
    memory = obj.impulse.playback
    obj.rotation_mode = memory.previous_rotation_mode
    obj.location = memory.previous_location
    obj.rotation_euler = memory.previous_euler
    obj.rotation_quaternion = memory.previous_quaternion
    obj.rotation_axis_angle = memory.previous_axis_angle


def take_up_edit(obj: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Let a pose that the user gave an object since the import be what ``clear`` puts back.

    That is where it stands, if it was moved by hand in the frame that is shown; else what its
    keys say for the first frame, if these are no longer those that were imported.
    """
    memory = obj.impulse.playback
    if not memory.active or recorded_action(obj) is None:
        return
    if moved_by_hand(obj, scene):
        location, quaternion = obj.location.copy(), obj.matrix_basis.to_quaternion()
    else:
        location, quaternion = (Vector(v) for v in _keyed_start(obj, scene))
        quaternion = Quaternion(quaternion)
    if (location - Vector(memory.start_location)).length > MOVED * max(1.0, location.length):
        memory.previous_location = location
    # 2 sin(angle / 2) of what lies between, which is exact for small angles, unlike the angle
    turn = (
        2.0 * Vector(quaternion.rotation_difference(Quaternion(memory.start_quaternion))[1:]).length
    )
    if turn > MOVED:
        mode = memory.previous_rotation_mode
        order = mode if mode not in {"QUATERNION", "AXIS_ANGLE"} else "XYZ"
        axis, angle = quaternion.to_axis_angle()
        memory.previous_quaternion = quaternion
        memory.previous_euler = quaternion.to_euler(order, Euler(memory.previous_euler, order))
        memory.previous_axis_angle = (angle, *axis)


@contextmanager
def without_motion(scene: bpy.types.Scene) -> Iterator[None]:
    """Show the objects of a scene as ``clear`` would leave them, for a while."""
    playing = [
        obj
        for obj in scene.objects
        if obj.impulse.playback.active and recorded_action(obj) is not None
    ]
    following = [c for obj in scene.objects for c in following_constraints(obj) if not c.mute]
    shown = [_take_off(obj, scene) for obj in playing]
    for constraint in following:
        constraint.mute = True
    if shown or following:
        bpy.context.view_layer.update()
    try:
        yield
    finally:
        for obj, found in zip(playing, shown, strict=True):
            _put_on(obj, found)
        for constraint in following:
            constraint.mute = False
        if shown or following:
            bpy.context.view_layer.update()


def following_constraints(obj: bpy.types.Object) -> list[bpy.types.Constraint]:
    """The constraints of an object that let it follow a body at playback."""
    return [constraint for constraint in obj.constraints if constraint.name.startswith(FOLLOWS)]


def _take_off(obj: bpy.types.Object, scene: bpy.types.Scene) -> tuple[Any, ...]:
    """Take an object's recorded action off; what is needed to put it on again."""
    take_up_edit(obj, scene)
    animation = obj.animation_data
    values = [tuple(getattr(obj, name)) for name in TRANSFORM]
    found = animation.action, compat.slot_handle(obj), obj.rotation_mode, values
    animation.action = None
    put_back_transform(obj)
    return found


def _put_on(obj: bpy.types.Object, found: tuple[Any, ...]) -> None:
    action, slot, mode, values = found
    compat.assign_action(obj, action, slot)
    obj.rotation_mode = mode
    for name, value in zip(TRANSFORM, values, strict=True):
        setattr(obj, name, value)


def _keyed_start(obj: bpy.types.Object, scene: bpy.types.Scene) -> tuple[list[float], list[float]]:
    """Location and quaternion that the keys of an object give it in the first frame."""
    memory = obj.impulse.playback
    values = {
        "location": list(memory.start_location),
        "rotation_quaternion": list(memory.start_quaternion),
    }
    for curve in compat.curves_of(obj):
        if curve.data_path in values:
            values[curve.data_path][curve.array_index] = curve.evaluate(scene.frame_start)
    return values["location"], values["rotation_quaternion"]
