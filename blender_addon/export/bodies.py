# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies with their mass, their solids and what loads them, as the plain data of their models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy

from impulse_schema import models

from ..convert import (
    Placement,
    decimals,
    length_to_scene,
    quaternion_to_scene,
    rotation_to_quaternion,
    take_apart,
)
from ..properties.pointers import pointer_problems
from ..properties.schema_properties import values_of
from .collect import Tagged
from .joints import part_data
from .solids import SolidExporter
from .timeline import Timeline
from .work import Work


def body_data(
    obj: bpy.types.Object,
    metres: float,
    tagged: Tagged,
    exporter: SolidExporter,
    timeline: Timeline,
) -> Work[dict[str, Any]]:
    """A body with its solids."""
    group = obj.impulse.body
    values = values_of(group, models.Body)
    values["name"] = obj.name
    values.update(_mass_data(values, group))
    try:
        values["position"], values["orientation"] = pose_of(tagged.placement_of(obj), metres)
        values["geometry"] = yield from exporter.solids(obj, tagged)
    except ValueError:  # a zero scale, reported by collect
        return values
    if values.get("center_of_mass") is not None:
        values["center_of_mass"] = to_body_frame(tagged.handedness(obj), values["center_of_mass"])
    if timeline.poses(obj):
        try:
            keyframes = _keyframe_data(timeline, obj, metres)
        except ValueError:
            tagged.report(obj, "has a scale that becomes zero in its animation")
            return values
        values["keyframes"] = keyframes
        # the scene starts with the first frame, whichever is shown
        values |= {key: keyframes[0][key] for key in ("position", "orientation")}
    return values


def _mass_data(values: dict[str, Any], group: Any) -> dict[str, Any]:
    """Mass fields that the chosen source uses; the others are taken out of ``values``."""
    mass = {key: values.pop(key) for key in ("density", "mass", "center_of_mass", "inertia")}
    if group.mass_source == "density":
        return {"density": mass["density"]}
    if group.mass_source == "mass":
        return {"mass": mass["mass"]}
    if group.mass_source == "material":
        return {}
    del mass["density"]
    products = tuple(decimals(group.inertia_products))
    if any(products):
        mass["inertia"] += products
    return mass


def pose_of(placement: Placement, metres: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Position [m] and quaternion of an object's origin in the world, scale left out."""
    position = tuple(decimals(length_to_scene(placement.translation, metres)))
    return position, quaternion_to_scene(rotation_to_quaternion(placement.rotation))


def load_data(
    obj: bpy.types.Object, names: set[str], tagged: Tagged, timeline: Timeline
) -> list[dict[str, Any]]:
    """What loads a body."""
    loads = []
    handedness = tagged.handedness(obj)
    for number, group in enumerate(obj.impulse.body.loads):
        load = part_data(group, models.Load)
        if "expression" not in load:
            del load["phase"]
        for problem in pointer_problems(group, names):
            tagged.report(obj, problem)
        load["body"] = obj.name
        load["from"] = load.pop("from_")
        in_body = ("point", "force") if load["axes"] == "body" else ("point",)
        changing = timeline.loads(obj, number)
        for part in [{}] if changing is None else changing:
            timed = load | part
            if part and not any(part["force"]):
                timed.pop("point", None)
            timed |= {key: to_body_frame(handedness, timed[key]) for key in in_body if key in timed}
            loads.append(timed)
    return loads


def to_body_frame(handedness: float, vector: Iterable[float]) -> tuple[float, ...]:
    """A position or force in the axes of an object, in those of its body.

    The axes of a body are right-handed. Those of a mirrored object are not: they are the opposite
    of the body's (``take_apart``). A torque, an axial vector, is the same in both.
    """
    return tuple(0.0 + handedness * component for component in vector)


def _keyframe_data(
    timeline: Timeline, obj: bpy.types.Object, metres: float
) -> list[dict[str, Any]]:
    """Poses of an animated object over time; raises ValueError where a scale becomes zero."""
    keyframes = []
    for time, matrix in timeline.poses(obj):
        position, orientation = pose_of(take_apart(matrix), metres)
        keyframes.append({"time": time, "position": position, "orientation": orientation})
    return keyframes
