# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints and springs: where the object stands is the anchor, its local z the axis."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from impulse_schema import models
from impulse_schema.checks.joints import USAGE

from .collect import Tagged
from .convert import decimals, direction, length_to_scene
from .schema_properties import values_of

PARTS = {
    "motors": models.Motor,
    "limits": models.Limit,
    "springs": models.Spring,
    "frictions": models.Friction,
    "terms": models.CouplingTerm,
}


def anchor_of(obj: bpy.types.Object, metres: float) -> tuple[float, ...]:
    """Origin of an object in the world [m]."""
    return tuple(decimals(length_to_scene(obj.matrix_world.translation, metres)))


def axis_of(obj: bpy.types.Object, column: int = 2) -> tuple[float, float, float]:
    """A local axis of an object in the world, unit length (column 0, 1, 2 for x, y, z)."""
    return direction(np.array(obj.matrix_world)[:3, column])


def joint_data(
    obj: bpy.types.Object, metres: float, names: set[str], tagged: Tagged
) -> dict[str, Any]:
    """A joint as the plain data of its model; dangling pointers are reported to ``tagged``."""
    group = obj.impulse.joint
    values = values_of(group, models.Joint)
    values["name"] = obj.name
    _check_pointers(obj, group, names, tagged)
    for part, model in PARTS.items():
        values[part] = [_part_data(item, model) for item in getattr(group, part)]
    values["anchor"] = anchor_of(obj, metres)
    values["anchor2"] = None if group.anchor2 is None else anchor_of(group.anchor2, metres)
    values["axis"] = axis_of(obj)
    values["axis2"] = _second_axis(obj, group)
    # What the type does not use may be left over from another type.
    used = used_fields(group.type)
    return {key: value for key, value in values.items() if key in used and value is not None}


def used_fields(joint_type: str) -> set[str]:
    """Fields of the file format that a joint of this type may have."""
    usage = USAGE[joint_type]
    return {"name", "type", *usage.needed, *usage.optional}


def _second_axis(obj: bpy.types.Object, group: Any) -> tuple[float, float, float] | None:
    if group.axis2 is not None:
        return axis_of(group.axis2)
    return axis_of(obj, 0) if group.type == "universal" else None


def spring_data(
    obj: bpy.types.Object, metres: float, names: set[str], tagged: Tagged
) -> dict[str, Any]:
    """A spring between two points as the plain data of its model."""
    group = obj.impulse.spring
    values = values_of(group, models.SpringDamper)
    values["name"] = obj.name
    _check_pointers(obj, group, names, tagged)
    values["anchor"] = anchor_of(obj, metres)
    if group.anchor2 is None:
        tagged.report(obj, "is a spring without a second end; choose its Anchor 2")
        values["anchor2"] = values["anchor"]
    else:
        values["anchor2"] = anchor_of(group.anchor2, metres)
    return values


def _part_data(item: Any, model: Any) -> dict[str, Any]:
    values = values_of(item, model)
    if getattr(item, "use_curve", False):
        curve = values_of(item.curve, models.Curve)
        curve["times"] = [decimals(sample.time) for sample in item.curve.samples]
        curve["values"] = [decimals(sample.value) for sample in item.curve.samples]
        values["curve"] = curve
    return values


def _check_pointers(
    obj: bpy.types.Object, group: bpy.types.PropertyGroup, names: set[str], tagged: Tagged
) -> None:
    """Objects deleted in the viewport stay behind a pointer; say so instead of exporting it."""
    for key, prop in group.bl_rna.properties.items():
        target = getattr(group, key) if prop.type == "POINTER" else None
        if not isinstance(target, bpy.types.Object):
            continue
        if target.name not in names:
            tagged.report(obj, f"refers to {target.name} ({prop.name}), which is not in this scene")
        elif key.startswith("body") and target.impulse.kind != "BODY":
            tagged.report(obj, f"joins {target.name} ({prop.name}), which is not tagged as a body")
