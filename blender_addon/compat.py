# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between Blender versions; the only file that branches on them.

Blender 4.4 brought layered actions, in which one action animates many objects through slots;
5.0 removed ``Action.fcurves``. Before 4.4 an action animates one object.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import bpy
import numpy as np


def show_sidebar(area: bpy.types.Area, category: str) -> None:
    """Open the sidebar of a 3D view, where Blender allows it (4.2 and later) at this tab."""
    area.spaces.active.show_region_ui = True
    for region in area.regions:
        if region.type == "UI":
            with suppress(AttributeError, TypeError):  # it cannot be set, or was not drawn yet
                region.active_panel_category = category


def own_properties(owner: bpy.types.ID) -> dict[str, Any]:
    """What is set of the properties that the add-on gave a data block; from 5.0 on they are kept
    apart from those of the user.
    """
    system = getattr(owner, "bl_system_properties_get", None)
    group = owner.get("impulse") if system is None else (system() or {}).get("impulse")
    return {} if group is None else group.to_dict()


def has_layered_actions() -> bool:
    """Whether actions have slots (Blender 4.4 and later)."""
    return hasattr(bpy.types, "ActionSlot")


class ActionWriter:
    """Creates the action or, before Blender 4.4, actions of an animation; ``name`` is that of the
    recording they are made from, if it is one, ``shared`` the action that it has already.
    """

    def __init__(self, title: str, name: str = "", shared: bpy.types.Action | None = None) -> None:
        self.title, self.name = title, name
        self._strip: Any = None
        if has_layered_actions():
            self._action = self._new(title) if shared is None else shared
            layers = self._action.layers
            layer = layers[0] if len(layers) else layers.new(title)
            self._strip = (
                layer.strips[0] if len(layer.strips) else layer.strips.new(type="KEYFRAME")
            )

    def bind(self, obj: bpy.types.Object) -> Any:
        """Let ``obj`` be animated; returns the collection its F-curves go into."""
        animation = obj.animation_data_create()
        if self._strip is None:
            animation.action = self._new(f"{self.title} {obj.name}")
            return animation.action.fcurves
        slot = self._action.slots.new(id_type="OBJECT", name=obj.name)
        curves = self._strip.channelbag(slot, ensure=True).fcurves
        animation.action = self._action
        animation.action_slot = slot
        return curves

    def _new(self, title: str) -> bpy.types.Action:
        action = bpy.data.actions.new(title)
        if self.name:
            action[RECORDED] = UNDER_WAY + self.name
        return action


def new_curve(curves: Any, data_path: str, index: int, group: str) -> bpy.types.FCurve:
    """A new F-curve in what ``ActionWriter.bind`` returned."""
    if not has_layered_actions():
        return curves.new(data_path, index=index, action_group=group)
    if "group_name" in curves.bl_rna.functions["new"].parameters:
        return curves.new(data_path, index=index, group_name=group)
    return curves.new(data_path, index=index)  # 4.4 and 4.5


def curves_of(obj: bpy.types.ID) -> list[bpy.types.FCurve]:
    """The F-curves that animate a data block through its action, none if it has no action."""
    animation = obj.animation_data
    if animation is None or animation.action is None:
        return []
    return curves_in(animation.action, getattr(animation, "action_slot", None))


def animation_curves(owner: bpy.types.ID) -> list[bpy.types.FCurve]:
    """The F-curves that animate a data block, through its action or through strips; those of
    recorded motion (``mark_recorded``) are left out.
    """
    animation = owner.animation_data
    if animation is None:
        return []
    strips = [
        strip
        for track in (animation.nla_tracks if animation.use_nla else ())
        for strip in track.strips
        if not track.mute and not strip.mute
    ]
    users = [(animation.action, animation), *((strip.action, strip) for strip in strips)]
    return [
        curve
        for action, user in users
        if action is not None and not is_recorded(action)
        for curve in curves_in(action, getattr(user, "action_slot", None))
    ]


def curves_in(action: bpy.types.Action, slot: Any) -> list[bpy.types.FCurve]:
    """The F-curves of an action, from Blender 4.4 on those of a slot."""
    if not has_layered_actions():
        return list(action.fcurves)
    if slot is None:
        return []
    bags = [strip.channelbag(slot) for layer in action.layers for strip in layer.strips]
    return [curve for bag in bags if bag is not None for curve in bag.fcurves]


# Custom property of actions that were made from a recording.
RECORDED = "impulse_recorded"
# What it begins with while an import goes on.
UNDER_WAY = "import "


def mark_recorded(action: bpy.types.Action, found: str = "") -> None:
    """Note that an action was made from a recording, and what is in it (its fingerprint)."""
    action[RECORDED] = found or fingerprint(action)


def is_recorded(action: bpy.types.Action) -> bool:
    return RECORDED in action


def is_edited(action: bpy.types.Action, found: str = "") -> bool:
    """Whether an action is other than ``mark_recorded`` noted; ``found`` is its fingerprint."""
    return not import_of(action) and bool(action.get(RECORDED) != (found or fingerprint(action)))


def import_of(action: bpy.types.Action) -> str:
    """Name of the import that still writes an action, '' where there is none."""
    mark = str(action.get(RECORDED, ""))
    return mark.removeprefix(UNDER_WAY) if mark.startswith(UNDER_WAY) else ""


def settle_imports() -> None:
    """Take actions as they are whose import has ended without being finished."""
    for action in bpy.data.actions:
        if import_of(action):
            mark_recorded(action)


def take_name(action: bpy.types.Action, title: str) -> None:
    """Give an action its name without a number, where that is free by now."""
    head, _, number = action.name.rpartition(".")
    if head.startswith(title) and number.isdecimal() and head not in bpy.data.actions:
        action.name = head


def fingerprint(action: bpy.types.Action) -> str:
    """A checksum of all keys of an action and of what else shapes its curves."""
    under_way = Fingerprints([action.name])
    under_way.advance()
    return under_way.found[action.name]


class Fingerprints:
    """Fingerprints of actions by their names, taken as long as there is time."""

    def __init__(self, names: Iterable[str]) -> None:
        self.found: dict[str, str] = {}
        self._names = list(names)
        self._check, self._done = 0, 0  # of the action under way: checksum, number of curves

    def advance(self, end: float | None = None) -> bool:
        """Go on until then by ``time.perf_counter``, with a curve at least; whether all is done."""
        while self._names:
            action = bpy.data.actions.get(self._names[0])
            for curve in [] if action is None else all_curves(action)[self._done :]:
                self._check = _checked(curve, self._check)
                self._done += 1
                if end is not None and time.perf_counter() > end:
                    return False
            if action is not None:
                self.found[action.name] = f"{self._check:08x}"
            self._names.pop(0)
            self._check, self._done = 0, 0
        return True


def _checked(curve: bpy.types.FCurve, check: int) -> int:
    """The checksum that goes on with a curve."""
    keys = curve.keyframe_points
    points = np.empty(2 * len(keys), np.float32)
    keys.foreach_get("co", points)
    shapes = np.empty(len(keys), np.int32)
    keys.foreach_get("interpolation", shapes)
    about = (curve.data_path, curve.array_index, len(curve.modifiers), curve.extrapolation)
    for part in (repr(about).encode(), points.tobytes(), shapes.tobytes()):
        check = zlib.crc32(part, check)
    return check


def all_curves(action: bpy.types.Action) -> list[bpy.types.FCurve]:
    """The F-curves of an action, of all its slots."""
    if not has_layered_actions():
        return list(action.fcurves)
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
    return [curve for bag in bags for curve in bag.fcurves]


def slot_handle(obj: bpy.types.Object) -> int:
    """Handle of the slot ``obj`` uses in its action; 0 where there is none."""
    slot = getattr(obj.animation_data, "action_slot", None)
    return 0 if slot is None else slot.handle


def assign_action(obj: bpy.types.ID, action: bpy.types.Action | None, handle: int) -> None:
    """Give ``obj`` back an action and the slot of that handle."""
    animation = obj.animation_data_create()
    animation.action = action
    if action is None:
        if not animation.drivers and not animation.nla_tracks:
            obj.animation_data_clear()
    elif has_layered_actions() and handle:
        animation.action_slot = next((s for s in action.slots if s.handle == handle), None)


def remove_unused(
    actions: Iterable[bpy.types.Action], found: dict[str, str] | None = None
) -> list[str]:
    """Delete recorded actions nothing uses any more, but keep those that were edited since; the
    names of these. ``found`` has fingerprints that are known, by name.
    """
    known = found or {}
    kept = []
    for action in actions:
        if action.users:
            continue
        if is_recorded(action) and not is_edited(action, known.get(action.name, "")):
            bpy.data.actions.remove(action)
        else:
            action.use_fake_user = True
            kept.append(action.name)
    return kept


# Custom property of actions that were made to hold results and nothing else.
MADE = "impulse_results"


def curves_beside(owner: bpy.types.ID) -> Any:
    """The collection of F-curves that animates a data block now, for others to be put beside them.

    None where the action is shared with others, or belongs to a library.
    """
    animation = owner.animation_data_create()
    action = animation.action
    if action is None:
        action = bpy.data.actions.new(f"{owner.name} results")
        action[MADE] = True
        animation.action = action
        if has_layered_actions():
            kind = "SCENE" if isinstance(owner, bpy.types.Scene) else "OBJECT"
            animation.action_slot = action.slots.new(id_type=kind, name=owner.name)
    if action.library is not None or action.override_library is not None:
        return None
    if not has_layered_actions():
        return action.fcurves if action.users - action.use_fake_user <= 1 else None
    slot = animation.action_slot
    if slot is None or len(slot.users()) > 1:
        return None
    layer = action.layers[0] if len(action.layers) else action.layers.new(owner.name)
    strip = layer.strips[0] if len(layer.strips) else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True).fcurves


def remove_curves(owner: bpy.types.ID, paths: set[str]) -> None:
    """Take F-curves of these data paths off, and the action if it was made for them alone."""
    animation = owner.animation_data
    action = None if animation is None else animation.action
    if action is None or not any(c.data_path in paths for c in curves_of(owner)):
        return
    curves = curves_beside(owner)
    for curve in [] if curves is None else [c for c in curves if c.data_path in paths]:
        curves.remove(curve)
    if MADE in action and not all_curves(action):
        assign_action(owner, None, 0)
        if not action.users:
            bpy.data.actions.remove(action)


def give_nodes(material: bpy.types.Material) -> None:
    """Let a material have nodes; from Blender 5.0 on it has."""
    if material.node_tree is None:
        material.use_nodes = True
