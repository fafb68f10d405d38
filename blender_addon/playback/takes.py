# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions that are kept under a name: shown again, compared with another, deleted.

A take is what objects play; it holds the actions, which stay in the file. Comparing shows a take as
wire frames beside the motion that is played, in a collection of its own.
"""

from __future__ import annotations

from typing import Any

import bpy

from .. import compat
from ..export.undisturbed import following_constraints, recorded_action, take_up_edit
from . import contact_points, followers, results
from .keyframes import put_on, take_off

GHOSTS = "Impulse take: "


class TakeError(Exception):
    """There is nothing to do this with; the text says why."""


def keep(scene: bpy.types.Scene, name: str = "") -> str:
    """Keep the motion that is played as a take; returns its name."""
    playing = _playing(scene)
    if not playing:
        raise TakeError("There is no motion to keep. Press Simulate first.")
    kept_as = shown(scene)
    if kept_as:
        raise TakeError(f"This motion is kept already, as {kept_as}.")
    name = name or _unused(scene)
    if name in scene.impulse.takes:
        raise TakeError(f"There is a take {name} already; give another name.")
    take = scene.impulse.takes.add()
    take.name = name
    for obj in playing:
        part = take.parts.add()
        part.object, part.action = obj, recorded_action(obj)
        part.slot = compat.slot_handle(obj)
        part.action.use_fake_user = True
    for action in _actions(take):
        action.name = name if compat.has_layered_actions() else _with_object(take, action)
    return str(take.name)


def shown(scene: bpy.types.Scene) -> str:
    """The name of the take that is played, '' where that is none."""
    if not scene.impulse.takes:  # panels ask
        return ""
    playing = {(obj, recorded_action(obj)) for obj in _playing(scene)}
    for take in scene.impulse.takes:
        parts = {(part.object, part.action) for part in _parts(take, scene)}
        if parts and parts == playing:
            return str(take.name)
    return ""


def show(scene: bpy.types.Scene, name: str) -> list[str]:
    """Play a take; names of edited actions that were played before and are kept."""
    parts = _parts(_take(scene, name), scene)
    if not parts:
        raise TakeError(f"The objects or the actions of {name} are gone.")
    for obj in scene.objects:
        take_up_edit(obj, scene)
    wanted = {part.object for part in parts}
    replaced = {take_off(obj) for obj in _playing(scene) if obj not in wanted}
    replaced |= {put_on(part.object, part.action, part.slot) for part in parts}
    followers.attach(scene)
    # those of joints and of the scene are of another motion
    results.remove(scene, scene.objects)
    contact_points.forget(scene)
    for part in parts:
        results.declare(part.object)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return compat.remove_unused(action for action in replaced if action is not None)


def delete(scene: bpy.types.Scene, name: str) -> list[str]:
    """Forget a take; what is played goes on. Names of edited actions, which are kept."""
    take = _take(scene, name)
    hide(scene, name)
    actions = _actions(take)
    scene.impulse.takes.remove(scene.impulse.takes.find(name))
    others = {action for other in scene.impulse.takes for action in _actions(other)}
    actions -= others
    for action in actions:
        action.use_fake_user = False
    return compat.remove_unused(actions)


def is_compared(scene: bpy.types.Scene, name: str) -> bool:
    """Whether a take is shown as wire frames."""
    return GHOSTS + name in scene.collection.children


def compare(scene: bpy.types.Scene, name: str) -> int:
    """Show a take as wire frames that cannot be selected nor rendered; how many objects."""
    parts = _parts(_take(scene, name), scene)
    hide(scene, name)
    collection = bpy.data.collections.new(GHOSTS + name)
    collection.hide_render = True
    scene.collection.children.link(collection)
    copies: dict[bpy.types.Object, bpy.types.Object] = {}
    for part in parts:
        for obj in (part.object, *part.object.children_recursive):
            if obj not in copies and (obj == part.object or _is_drawn_with(obj)):
                copies[obj] = _ghost(obj)
                collection.objects.link(copies[obj])
    for obj, copy in copies.items():
        if obj.parent in copies:
            inverse = obj.matrix_parent_inverse.copy()
            copy.parent = copies[obj.parent]
            copy.matrix_parent_inverse = inverse
    for part in parts:
        copy = copies[part.object]
        copy.rotation_mode = "QUATERNION"
        compat.assign_action(copy, part.action, part.slot)
    return len(copies)


def hide(scene: bpy.types.Scene, name: str) -> None:
    """Take the wire frames of a take away."""
    collection = scene.collection.children.get(GHOSTS + name)
    if collection is None:
        return
    for obj in list(collection.objects):
        bpy.data.objects.remove(obj)
    bpy.data.collections.remove(collection)


def _ghost(obj: bpy.types.Object) -> bpy.types.Object:
    """A copy of an object that is nothing to the simulator."""
    copy = obj.copy()
    copy.name = f"ghost of {obj.name}"
    copy.animation_data_clear()
    copy.impulse.kind = "NONE"
    copy.impulse.playback.active = False
    copy.impulse.playback.previous_action = None
    for constraint in following_constraints(copy):
        copy.constraints.remove(constraint)
    copy.display_type = "WIRE"
    copy.hide_select = copy.hide_render = True
    return copy


def _is_drawn_with(obj: bpy.types.Object) -> bool:
    """Whether an object that hangs on a body is a part of what one sees of it."""
    return obj.impulse.kind in {"NONE", "GEOMETRY"} and obj.type != "EMPTY"


def _take(scene: bpy.types.Scene, name: str) -> Any:
    if name not in scene.impulse.takes:
        raise TakeError(f"There is no take '{name}'.")
    return scene.impulse.takes[name]


def _parts(take: Any, scene: bpy.types.Scene) -> list[Any]:
    """The parts of a take whose objects and actions are still there."""
    present = set(scene.objects)
    return [p for p in take.parts if p.object in present and p.action is not None]


def _actions(take: Any) -> set[bpy.types.Action]:
    return {part.action for part in take.parts if part.action is not None}


def _playing(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    return [
        obj
        for obj in scene.objects
        if obj.impulse.playback.active and recorded_action(obj) is not None
    ]


def _unused(scene: bpy.types.Scene) -> str:
    number = 1
    while f"Take {number}" in scene.impulse.takes:
        number += 1
    return f"Take {number}"


def _with_object(take: Any, action: bpy.types.Action) -> str:
    return f"{take.name} {next(p.object.name for p in take.parts if p.action == action)}"
