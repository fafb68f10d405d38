# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of tagged objects: they are seen, but they are no objects that keys could move.

Instances of collections in which nothing moves, as of ground, are objects of their own in the
exported scene. So are those of machines where the motion is not to come back, with a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import bpy

from ..issues import Defect, Issue
from .realising import is_instance

SHOWN = 4


def stands_still(instance: bpy.types.Object) -> bool:
    """Whether an object shows a collection in which no body moves, nor the instance itself."""
    if not is_instance(instance):
        return False
    chain = [instance]
    while chain[-1].parent is not None:
        chain.append(chain[-1].parent)
    if any(obj.animation_data is not None or len(obj.constraints) for obj in chain):
        return False
    if any(obj.impulse.kind == "BODY" and obj.impulse.body.motion != "static" for obj in chain):
        return False
    found = list(_of_collection(instance, set()))
    bodies = {obj for obj in found if obj.impulse.kind == "BODY"}
    return all(obj.impulse.body.motion == "static" for obj in bodies) and all(
        obj.impulse.kind in ("NONE", "BODY", "GEOMETRY") for obj in found
    )


def exported_instances(
    objects: Iterable[bpy.types.Object], *, played: bool
) -> list[bpy.types.Object]:
    """Those that show tagged objects of a collection which are part of the scene, by name; with
    ``played`` those of what stands still.
    """
    found = [obj for obj in objects if shows_tagged(obj) and (stands_still(obj) or not played)]
    return sorted(found, key=lambda obj: obj.name)


def of_instances(issues: Iterable[Issue], made: Mapping[str, tuple[str, str]]) -> list[Issue]:
    """Issues of objects that were there for the export alone, as issues of their instances.

    ``made`` says of an object the names of its instance and of its original.
    """
    found = []
    for issue in issues:
        if issue.object_name in made:
            instance, member = made[issue.object_name]
            text = f"shows {member}, of which this is to be said: {issue.message}"
            issue = replace(issue, object_name=instance, message=text)
        if issue.other in made:
            issue = replace(issue, other=made[issue.other][0])
        found.append(issue)
    return found


def shows_tagged(obj: bpy.types.Object) -> bool:
    """Whether an object shows a collection with tagged objects in it."""
    return any(other.impulse.kind != "NONE" for other in _of_collection(obj, set()))


def instance_problems(
    view_layer: bpy.types.ViewLayer,
) -> Iterator[tuple[bpy.types.Object, Defect]]:
    """Each object of a view layer that shows tagged objects which are not exported, and what to do
    about it.
    """
    seen = generated(bpy.context.evaluated_depsgraph_get())
    for obj in sorted(view_layer.objects, key=lambda obj: obj.name):
        names = _names_of({*instanced(obj), *seen.get(obj.name, ())})
        if names and not stands_still(obj):
            text = (
                f"shows instances of {names}, which are no objects of their own that keys could"
                " move, and are not simulated; delete it and duplicate the objects themselves, with"
                " their joints in one go (Shift D, or Alt D to share their meshes)"
            )
            yield obj, Defect(text, "B119")


def written_instances(instances: Iterable[bpy.types.Object]) -> list[Issue]:
    """What is to be said of exported instances of machines: that their motion is not to be seen."""
    found = []
    for obj in instances:
        if not stands_still(obj):
            text = (
                f"shows instances of {_names_of(set(instanced(obj)))}, which are written as objects"
                " of their own; to see their motion here, make objects of them first"
            )
            found.append(Defect(text, "B119").of(obj.name, "WARNING"))
    return found


def _names_of(objects: Iterable[bpy.types.Object]) -> str:
    """The tagged ones of some objects, '' where there are none."""
    names = sorted(obj.name for obj in objects if obj.impulse.kind != "NONE")
    return ", ".join(names[:SHOWN]) + (" …" if len(names) > SHOWN else "")


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
    if not is_instance(obj) or collection.name in seen:
        return
    seen.add(collection.name)
    for other in collection.all_objects:
        yield other
        yield from _of_collection(other, seen)
