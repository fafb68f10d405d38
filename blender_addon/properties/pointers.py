# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties that name another object, and what it means that one is empty.

An object that is removed leaves an empty pointer behind, which looks as if it had never been set.
So each pointer remembers in a twin ``…_name`` what it was set to, and the end of a joint that is
fixed to the world says so in a twin ``…_is_world``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import bpy
from bpy.props import BoolProperty, PointerProperty, StringProperty

from ..issues import Defect


def object_pointer(key: str, name: str, description: str, poll: Any = None) -> dict[str, Any]:
    """The property ``key`` for an object, with its memory."""

    def remember(group: Any, _context: bpy.types.Context) -> None:
        target = getattr(group, key)
        setattr(group, f"{key}_name", "" if target is None else target.name)
        if target is not None and getattr(group, f"{key}_is_world", False):
            setattr(group, f"{key}_is_world", False)

    return {
        key: PointerProperty(
            type=bpy.types.Object, name=name, description=description, poll=poll, update=remember
        ),
        f"{key}_name": StringProperty(options={"HIDDEN"}),
    }


def world_switch(key: str, name: str) -> dict[str, Any]:
    """The property that fixes an end to the world."""
    return {
        f"{key}_is_world": BoolProperty(
            name="World", description=f"{name} is the world, which does not move"
        )
    }


def is_world(group: Any, key: str) -> bool:
    return bool(getattr(group, f"{key}_is_world", False))


def set_ends(group: Any, ends: dict[str, bpy.types.Object | None]) -> None:
    """Set pointers by name; a body that is None is the world."""
    for key, target in ends.items():
        setattr(group, key, target)
        if f"{key}_is_world" in group.bl_rna.properties:
            setattr(group, f"{key}_is_world", target is None)


def pointer_problems(
    group: bpy.types.PropertyGroup, names: Collection[str], fields: Collection[str] | None = None
) -> Iterator[Defect]:
    """What is wrong with the pointers of a group; ``names`` are the objects that are there.

    ``fields`` are the properties to look at, by default all.
    """
    for key, prop in group.bl_rna.properties.items():
        if prop.type != "POINTER" or prop.fixed_type.identifier != "Object":
            continue
        if (fields is not None and key not in fields) or is_world(group, key):
            continue
        target, known = getattr(group, key), getattr(group, f"{key}_name")
        if target is None and known:
            text = f"has lost {known} ({prop.name}), which was removed; choose another object"
            yield Defect(text, "B102", known, key)
        elif target is None and f"{key}_is_world" in group.bl_rna.properties:
            yield Defect(f"has no {prop.name}; choose a body, or World", "B103", detail=key)
        elif target is None:
            continue
        elif target.name not in names:
            text = f"refers to {target.name} ({prop.name}), which is not in this scene"
            yield Defect(text, "B104", target.name, key)
        elif key.startswith("body") and target.impulse.kind != "BODY":
            text = f"joins {target.name} ({prop.name}), which is not tagged as a body"
            yield Defect(text, "B105", target.name, key)


def each_pointer(group: bpy.types.PropertyGroup) -> Iterator[tuple[Any, str]]:
    """Each property of a group and of what it holds that can name an object, as (group, key)."""
    for key, prop in group.bl_rna.properties.items():
        if key == "rna_type":
            continue
        if prop.type == "COLLECTION":
            for item in getattr(group, key):
                yield from each_pointer(item)
        elif prop.type == "POINTER" and prop.fixed_type.identifier == "Object":
            yield group, key
        elif prop.type == "POINTER" and isinstance(getattr(group, key), bpy.types.PropertyGroup):
            yield from each_pointer(getattr(group, key))
