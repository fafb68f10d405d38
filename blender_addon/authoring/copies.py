# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of tagged objects under a transform of space, joined to each other as the originals are.

A copy of what hangs on another copied object keeps its place in that one's frame; the others are
placed by the transform. Pointers between the objects lead to the copies, all others to what they
led to, such as the torso. Velocities and loads in world axes go along: those of a turn are axial
vectors, so that a mirror turns them round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import bpy
from bpy.types import Object
from mathutils import Matrix

from ..compat import assign_action, curves_of, is_recorded, slot_handle
from ..convert import Floats
from ..export.collect import ancestors
from ..export.keyed import CHANNELS
from ..export.realising import turn_vectors
from .tagging import TagError


def copy_objects(
    objects: Iterable[Object], transform: Floats, name_of: Callable[[Object], str]
) -> dict[str, Object]:
    """Copies of objects under a transform (4, 4) of the world, by the names of the originals.

    ``name_of`` says what a copy is called. Raises TagError for what cannot be copied; nothing is
    made then.
    """
    originals = list(objects)
    _check(originals)
    made = {obj.name: _copy(obj, name_of(obj)) for obj in originals}
    for obj in originals:
        copy = made[obj.name]
        if obj.parent is not None and obj.parent.name in made:
            copy.parent = made[obj.parent.name]
            copy.matrix_parent_inverse = obj.matrix_parent_inverse
        repoint(copy.impulse, made)
        turn_vectors(copy, transform[:3, :3])
    for obj in originals:
        if not any(up.name in made for up in ancestors(obj)):
            made[obj.name].matrix_world = Matrix(transform.tolist()) @ obj.matrix_world
    bpy.context.view_layer.update()
    return made


def _check(originals: list[Object]) -> None:
    names = {obj.name for obj in originals}
    for obj in originals:
        if obj.library is not None:
            raise TagError(f"{obj.name} is linked from another file; make it local first.")
        if obj.impulse.playback.active or any(is_recorded(a) for a in _actions(obj)):
            raise TagError(f"{obj.name} has recorded motion; press Clear first.")
        moves = any(curve.data_path in CHANNELS for curve in curves_of(obj))
        if moves and not any(up.name in names for up in ancestors(obj)):
            raise TagError(
                f"{obj.name} has keys on its place, which its copy would follow to the place of the"
                " original; take them off, or hang it on an Empty that is copied with it."
            )


def _actions(obj: Object) -> list[bpy.types.Action]:
    animation = obj.animation_data
    return [] if animation is None or animation.action is None else [animation.action]


def _copy(obj: Object, name: str) -> Object:
    """A copy in the same collections, with an action of its own; meshes are shared."""
    copy = obj.copy()
    copy.name = name
    for collection in obj.users_collection:
        collection.objects.link(copy)
    for action in _actions(copy):
        assign_action(copy, action.copy(), slot_handle(obj))
    return copy


def repoint(group: Any, made: dict[str, Object]) -> None:
    """Let pointers of a group, and of all below it, lead to copies where there are any."""
    for key, prop in group.bl_rna.properties.items():
        if prop.type == "COLLECTION":
            for item in getattr(group, key):
                repoint(item, made)
        elif prop.type == "POINTER" and key != "rna_type":
            target = getattr(group, key)
            if isinstance(target, Object) and target.name in made:
                setattr(group, key, made[target.name])
            elif isinstance(target, bpy.types.PropertyGroup):
                repoint(target, made)


def copy_group(source: Any, target: Any) -> None:
    """Give a group all that another of its kind holds."""
    for key, prop in source.bl_rna.properties.items():
        if key == "rna_type" or (prop.is_readonly and prop.type not in ("COLLECTION", "POINTER")):
            continue
        value = getattr(source, key)
        if prop.type == "COLLECTION":
            copy_list(value, getattr(target, key))
        elif isinstance(value, bpy.types.PropertyGroup):
            copy_group(value, getattr(target, key))
        elif source.is_property_set(key):
            setattr(target, key, value)
        else:
            target.property_unset(key)


def copy_list(source: Any, target: Any) -> None:
    """Give a list the entries of another."""
    target.clear()
    for item in source:
        copy_group(item, target.add())
