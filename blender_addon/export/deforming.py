# SPDX-License-Identifier: GPL-3.0-or-later
"""Modifiers that change the shape of a solid over time; what they are set by is keyed elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ..compat import animation_curves
from ..issues import Defect
from .collect import Tagged, ancestors

# They depend on the frame that is shown by themselves.
BY_TIME = {
    "BUILD", "CLOTH", "DYNAMIC_PAINT", "EXPLODE", "FLUID", "MESH_CACHE", "MESH_SEQUENCE_CACHE",
    "OCEAN", "PARTICLE_INSTANCE", "SOFT_BODY", "WAVE",
}  # fmt: skip


def report_deforming(tagged: Tagged) -> None:
    """Report the modifiers of solids that change their shape over time."""
    for obj in tagged.solids():
        for defect in deforming(obj):
            tagged.report(obj, defect)


def deforming(obj: bpy.types.Object) -> Iterator[Defect]:
    """Each modifier of an object that makes another shape of its mesh in another frame."""
    for modifier in obj.modifiers:
        if not modifier.show_viewport:
            continue
        why = ""
        if modifier.type in BY_TIME:
            why = "follows the time"
        elif mover := next(_animated(modifier), None):
            why = f"follows {mover.name}, which has an animation"
        if why:
            text = (
                f"has a shape that changes: its modifier {modifier.name} {why}, and a body is"
                " rigid; apply the modifier, or switch it off in viewports"
            )
            yield Defect(text, "B125", detail=modifier.name)


def _animated(modifier: bpy.types.Modifier) -> Iterator[bpy.types.Object]:
    """Objects that a modifier depends on and that an action or a driver moves."""
    for key, prop in modifier.bl_rna.properties.items():
        if prop.type != "POINTER" or prop.fixed_type.identifier != "Object":
            continue
        target = getattr(modifier, key)
        for obj in () if target is None else (target, *ancestors(target)):
            animation = obj.animation_data
            if animation is not None and (animation_curves(obj) or len(animation.drivers)):
                yield obj
