# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects made of an instance of a collection, so that they can be simulated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from bpy.types import Object
from mathutils import Matrix

from ..convert import Floats
from ..properties.pointers import each_pointer


def realise_collection(context: bpy.types.Context, instance: Object) -> list[Object]:
    """Put copies of a collection's objects where its instance shows them; the copies.

    They are called INSTANCE.OBJECT and share meshes with the originals. What refers to an object
    of the collection (parents, ends of joints, geometry, anchors) refers to its copy afterwards,
    and velocities and loads in axes of the world are turned along. The instance itself stays, as a
    plain Empty, which carries what is no dynamic body. Instances within it are made real as well.
    """
    source = instance.instance_collection
    home = (instance.users_collection or (context.scene.collection,))[0]
    shift = instance.matrix_world @ Matrix.Translation(-source.instance_offset)
    copies = {obj: obj.copy() for obj in source.all_objects}
    places = {obj: shift @ obj.matrix_world for obj in copies}
    offset = source.instance_offset.copy()
    instance.instance_type, instance.instance_collection = "NONE", None
    for original, copy in copies.items():
        copy.name = f"{instance.name}.{original.name}"
        home.objects.link(copy)
        repoint(copy, copies)
        turn_vectors(copy, np.array(shift.to_3x3().normalized()))
    for original, copy in copies.items():
        _hang(copy, original, copies, instance, offset)
    context.view_layer.update()
    for original, copy in copies.items():
        if original.parent not in copies:
            copy.matrix_world = places[original]
    context.view_layer.update()
    made = list(copies.values())
    for copy in copies.values():
        if is_instance(copy):
            made += realise_collection(context, copy)
    return made


def is_instance(obj: Object) -> bool:
    """Whether an object shows a collection."""
    return obj.instance_type == "COLLECTION" and obj.instance_collection is not None


def _hang(
    copy: Object,
    original: Object,
    copies: Mapping[Object, Object],
    instance: Object,
    offset: Any,
) -> None:
    """Let a copy hang on the copy of its parent, else on the instance, unless it is to fly."""
    if original.parent in copies:
        copy.parent = copies[original.parent]
        copy.matrix_parent_inverse = original.matrix_parent_inverse
    elif copy.impulse.kind == "BODY" and copy.impulse.body.motion == "dynamic":
        copy.parent = None
    else:
        copy.parent = instance
        copy.matrix_parent_inverse = Matrix.Translation(-offset)


def repoint(obj: Object, copies: Mapping[Object, Object]) -> None:
    """Let the tags of a copied object refer to the copies of what they referred to."""
    for group, key in each_pointer(obj.impulse):
        if getattr(group, key) in copies:
            setattr(group, key, copies[getattr(group, key)])
    for constraint in obj.constraints:
        if getattr(constraint, "target", None) in copies:
            constraint.target = copies[constraint.target]


def turn_vectors(obj: Object, linear: Floats) -> None:
    """Turn what an object has in world axes by a matrix (3, 3); vectors of turns are axial."""
    axial = np.linalg.det(linear) * linear
    body = obj.impulse.body
    body.velocity = linear @ np.array(body.velocity)
    body.angular_velocity = axial @ np.array(body.angular_velocity)
    for load in body.loads:
        if load.axes == "world":
            load.force = linear @ np.array(load.force)
            load.torque = axial @ np.array(load.torque)


@contextmanager
def realised(
    context: bpy.types.Context, instances: Iterable[Object]
) -> Iterator[dict[str, tuple[str, str]]]:
    """Let instances be objects of their own for a while.

    Yields for each object that is made its name, and those of its instance and of its original.
    """
    made: dict[str, tuple[str, str]] = {}
    shown = [(obj, obj.instance_collection) for obj in instances]
    before = {obj.as_pointer() for obj in bpy.data.objects} if shown else set()
    try:
        for obj, _collection in shown:
            for copy in realise_collection(context, obj):
                made[copy.name] = obj.name, copy.name.removeprefix(f"{obj.name}.")
        yield made
    finally:  # also the copies that were there already when something went wrong
        for obj in list(bpy.data.objects) if shown else ():
            if obj.as_pointer() not in before:
                bpy.data.objects.remove(obj)
        for obj, collection in shown:
            obj.instance_type, obj.instance_collection = "COLLECTION", collection
        if shown:
            context.view_layer.update()
