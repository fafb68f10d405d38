# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of tagged objects: they are seen, but they are no objects that could be simulated."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ..issues import Defect

SHOWN = 4


def instance_problems(
    view_layer: bpy.types.ViewLayer,
) -> Iterator[tuple[bpy.types.Object, Defect]]:
    """Each object of a view layer that shows tagged objects once more, and what to do about it."""
    made = generated(bpy.context.evaluated_depsgraph_get())
    for obj in sorted(view_layer.objects, key=lambda obj: obj.name):
        others = {*instanced(obj), *made.get(obj.name, ())}
        names = sorted(other.name for other in others if other.impulse.kind != "NONE")
        if not names:
            continue
        listed = ", ".join(names[:SHOWN]) + (" …" if len(names) > SHOWN else "")
        message = (
            f"shows instances of {listed}, which are no objects of their own and are not"
            " simulated; delete it and duplicate the objects themselves, with their joints in one"
            " go (Shift D, or Alt D to share their meshes)"
        )
        yield obj, Defect(message, "B119")


def instanced(obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """The objects of which ``obj`` shows instances by its own settings, hidden or not."""
    yield from _of_collection(obj, set())
    if obj.instance_type in {"VERTS", "FACES"}:
        yield from obj.children_recursive


def generated(depsgraph: bpy.types.Depsgraph) -> dict[str, set[bpy.types.Object]]:
    """The objects of which instances are seen, also those of particles and geometry nodes, by the
    name of the object that shows them.
    """
    found: dict[str, set[bpy.types.Object]] = {}
    for instance in depsgraph.object_instances:
        if instance.is_instance and instance.parent is not None:
            shown = found.setdefault(instance.parent.original.name, set())
            if instance.object.original != instance.parent.original:  # a text of its letters
                shown.add(instance.object.original)
    return found


def _of_collection(obj: bpy.types.Object, seen: set[str]) -> Iterator[bpy.types.Object]:
    collection = obj.instance_collection
    if obj.instance_type != "COLLECTION" or collection is None or collection.name in seen:
        return
    seen.add(collection.name)
    for other in collection.all_objects:
        yield other
        yield from _of_collection(other, seen)
