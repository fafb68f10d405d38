# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects shown where a live session has them, and put back where they were.

What they were lies in the scene itself, so that it goes with undo, redo and a saved file: whatever
state of Blender comes back with objects out of place, holds where they belong.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..convert import Floats
from ..export.undisturbed import TRANSFORM, following_constraints
from . import followers


def hold(scene: bpy.types.Scene, names: Iterable[str]) -> None:
    """Note where objects are, and let joints and springs follow them."""
    tag = scene.impulse
    tag.poses.clear()
    tag.poses_frame = scene.frame_current_final
    tag.poses_attached = not any(following_constraints(obj) for obj in scene.objects)
    if tag.poses_attached:
        followers.attach(scene)
    for name in names:
        obj = scene.objects[name]
        pose = tag.poses.add()
        pose.object, pose.rotation_mode = obj, obj.rotation_mode
        for part in TRANSFORM:
            setattr(pose, part, getattr(obj, part))


def is_held(scene: bpy.types.Scene) -> bool:
    """Whether objects are where a session has them."""
    return bool(scene.impulse.poses)


def show(scene: bpy.types.Scene, channels: dict[str, tuple[Floats, Floats]]) -> None:
    """Put objects to locations (1, 3) and quaternions (1, 4) of their own."""
    for name, (locations, quaternions) in channels.items():
        obj = scene.objects.get(name)
        if obj is None:
            continue
        if obj.rotation_mode != "QUATERNION":
            obj.rotation_mode = "QUATERNION"
        obj.location = locations[0]
        obj.rotation_quaternion = quaternions[0]


def put_back(scene: bpy.types.Scene) -> None:
    """Leave all objects as they were before; in another frame what is keyed goes to its keys."""
    tag = scene.impulse
    for pose in tag.poses:
        if pose.object is None:
            continue
        pose.object.rotation_mode = pose.rotation_mode
        for part in TRANSFORM:
            setattr(pose.object, part, getattr(pose, part))
    tag.poses.clear()
    if tag.poses_attached:
        followers.detach(scene.objects)
        tag.poses_attached = False
    if scene.frame_current_final != tag.poses_frame:  # else what was moved by hand would go, too
        scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
