# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects made of an instance of a collection, so that they can be simulated."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
from bpy.types import Object

from ..properties.pointers import each_pointer


def realise_collection(context: bpy.types.Context, instance: Object) -> list[Object]:
    """Put copies of a collection's objects where its instance shows them; the copies.

    They share meshes with the originals. What refers to an object of the collection (parents, ends
    of joints, geometry, anchors) refers to its copy afterwards. The instance itself stays, as a
    plain Empty.
    """
    source = instance.instance_collection
    homes = instance.users_collection or (context.scene.collection,)
    shift = instance.matrix_world.copy()
    shift.translation = instance.matrix_world @ -source.instance_offset
    copies = {obj: obj.copy() for obj in source.all_objects}
    places = {obj: shift @ obj.matrix_world for obj in copies}
    instance.instance_type, instance.instance_collection = "NONE", None
    for copy in copies.values():
        homes[0].objects.link(copy)
    for original, copy in copies.items():
        copy.parent = copies.get(original.parent)
        repoint(copy, copies)
    context.view_layer.update()
    for obj in sorted(copies, key=lambda obj: sum(1 for _ in _above(obj))):
        copies[obj].matrix_world = places[obj]
        context.view_layer.update()
    return list(copies.values())


def _above(obj: Object) -> list[Object]:
    return [] if obj.parent is None else [obj.parent, *_above(obj.parent)]


def repoint(obj: Object, copies: Mapping[Object, Object]) -> None:
    """Let the tags of a copied object refer to the copies of what they referred to."""
    for group, key in each_pointer(obj.impulse):
        if getattr(group, key) in copies:
            setattr(group, key, copies[getattr(group, key)])
    for constraint in obj.constraints:
        if getattr(constraint, "target", None) in copies:
            constraint.target = copies[constraint.target]
