# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of tagged objects: they are seen, but they are no objects that could be simulated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    from .collect import Tagged

SHOWN = 4


def report_instances(tagged: Tagged, view_layer: bpy.types.ViewLayer) -> None:
    """Report each object of a view layer that shows tagged objects once more."""
    for obj in sorted(view_layer.objects, key=lambda obj: obj.name):
        names = sorted({other.name for other in instanced(obj) if other.impulse.kind != "NONE"})
        if not names:
            continue
        listed = ", ".join(names[:SHOWN]) + (" …" if len(names) > SHOWN else "")
        tagged.report(
            obj,
            f"shows instances of {listed}, which are no objects of their own and are not"
            " simulated; delete it and duplicate the objects themselves, with their joints in one"
            " go (Shift D, or Alt D to share their meshes)",
        )


def instanced(obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """The objects of which ``obj`` shows instances, also those within instances."""
    yield from _of_collection(obj, set())
    if obj.instance_type in {"VERTS", "FACES"}:
        yield from obj.children_recursive
    for system in obj.particle_systems:
        settings = system.settings
        if settings.render_type == "OBJECT" and settings.instance_object is not None:
            yield settings.instance_object
        elif settings.render_type == "COLLECTION" and settings.instance_collection is not None:
            yield from settings.instance_collection.all_objects


def _of_collection(obj: bpy.types.Object, seen: set[str]) -> Iterator[bpy.types.Object]:
    collection = obj.instance_collection
    if obj.instance_type != "COLLECTION" or collection is None or collection.name in seen:
        return
    seen.add(collection.name)
    for other in collection.all_objects:
        yield other
        yield from _of_collection(other, seen)
