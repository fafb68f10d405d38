# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between Blender versions; the only file that branches on them.

Blender 4.4 brought layered actions, in which one action animates many objects through slots;
5.0 removed ``Action.fcurves``. Before 4.4 an action animates one object.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy


def has_layered_actions() -> bool:
    """Whether actions have slots (Blender 4.4 and later)."""
    return hasattr(bpy.types, "ActionSlot")


class ActionWriter:
    """Creates the action or, before Blender 4.4, actions of an animation."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._strip: Any = None
        if has_layered_actions():
            self._action = bpy.data.actions.new(name)
            self._strip = self._action.layers.new(name).strips.new(type="KEYFRAME")

    def bind(self, obj: bpy.types.Object) -> Any:
        """Let ``obj`` be animated; returns the collection its F-curves go into."""
        animation = obj.animation_data_create()
        if self._strip is None:
            animation.action = bpy.data.actions.new(f"{self.name} {obj.name}")
            return animation.action.fcurves
        slot = self._action.slots.new(id_type="OBJECT", name=obj.name)
        curves = self._strip.channelbag(slot, ensure=True).fcurves
        animation.action = self._action
        animation.action_slot = slot
        return curves


def new_curve(curves: Any, data_path: str, index: int, group: str) -> bpy.types.FCurve:
    """A new F-curve in what ``ActionWriter.bind`` returned."""
    if not has_layered_actions():
        return curves.new(data_path, index=index, action_group=group)
    if "group_name" in curves.bl_rna.functions["new"].parameters:
        return curves.new(data_path, index=index, group_name=group)
    return curves.new(data_path, index=index)  # 4.4 and 4.5


def curves_of(obj: bpy.types.Object) -> list[bpy.types.FCurve]:
    """The F-curves that animate ``obj`` through its action, none if it has no action."""
    animation = obj.animation_data
    if animation is None or animation.action is None:
        return []
    if not has_layered_actions():
        return list(animation.action.fcurves)
    slot = animation.action_slot
    return [
        curve
        for layer in animation.action.layers
        for strip in layer.strips
        for bag in strip.channelbags
        if slot is not None and bag.slot_handle == slot.handle
        for curve in bag.fcurves
    ]


def slot_handle(obj: bpy.types.Object) -> int:
    """Handle of the slot ``obj`` uses in its action; 0 where there is none."""
    slot = getattr(obj.animation_data, "action_slot", None)
    return 0 if slot is None else slot.handle


def assign_action(obj: bpy.types.Object, action: bpy.types.Action | None, handle: int) -> None:
    """Give ``obj`` back an action and the slot of that handle."""
    animation = obj.animation_data_create()
    animation.action = action
    if action is None:
        if not animation.drivers and not animation.nla_tracks:
            obj.animation_data_clear()
    elif has_layered_actions() and handle:
        animation.action_slot = next((s for s in action.slots if s.handle == handle), None)


def remove_unused(actions: Iterable[bpy.types.Action]) -> None:
    """Delete actions nothing uses any more."""
    for action in actions:
        if action.users == 0:
            bpy.data.actions.remove(action)
