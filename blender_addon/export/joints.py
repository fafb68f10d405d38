# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints and springs: where the object stands is the anchor, its local z the axis.

A mirrored joint moves as the mirror image of the joint it was made from, with the same numbers of
its motors, limits and springs. The mirror M takes a shift s along a to one of s along M a, and a
turn by φ about a to one by φ about det(M) M a: an axis of rotation is an axial vector. The image
of a right-handed screw is a left-handed one.
"""

from __future__ import annotations

from typing import Any

import bpy

from impulse_schema import models
from impulse_schema.checks.joints import USAGE

from ..convert import Floats, decimals, direction, length_to_scene
from ..issues import Defect
from ..properties.pointers import pointer_problems
from ..properties.schema_properties import values_of
from .collect import Tagged
from .timeline import Timeline

PARTS = {
    "motors": models.Motor,
    "limits": models.Limit,
    "springs": models.Spring,
    "frictions": models.Friction,
    "terms": models.CouplingTerm,
}


def anchor_of(place: Floats, metres: float) -> tuple[float, ...]:
    """Origin of an object in the world [m], from its world matrix (4, 4)."""
    return tuple(decimals(length_to_scene(place[:3, 3], metres)))


def axis_of(place: Floats, column: int = 2, sign: float = 1.0) -> tuple[float, float, float]:
    """A local axis of an object in the world, unit length (column 0, 1, 2 for x, y, z)."""
    return direction(sign * place[:3, column])


def rotates(group: Any) -> bool:
    """Whether a joint has an axis that things turn about."""
    return "rotation" in models.FREE_AXES.get(group.type, ()) or group.type in models.LIMITED_AXES


def slides_backwards(obj: bpy.types.Object, tagged: Tagged) -> bool:
    """Whether a joint that turns and slides along one axis is mirrored.

    Its axis is then that of the turn, against which the mirrored slide counts.
    """
    axes = models.FREE_AXES.get(obj.impulse.joint.type, ())
    return len(axes) == 2 and tagged.handedness(obj) < 0


def joint_data(
    obj: bpy.types.Object, metres: float, names: set[str], tagged: Tagged, timeline: Timeline
) -> dict[str, Any]:
    """A joint as the plain data of its model; dangling pointers are reported to ``tagged``."""
    group = obj.impulse.joint
    values = values_of(group, models.Joint)
    values["name"] = obj.name
    used = used_fields(group.type)
    if group.type in models.LIMITED_AXES and not len(group.limits):
        used -= {"axis", "axis2"}
    for problem in pointer_problems(group, names, used):
        tagged.report(obj, problem)
    for part, model in PARTS.items():
        values[part] = [part_data(item, model) for item in getattr(group, part)]
        if part == "motors":
            _follow(values[part], obj, timeline)
        for data, item in zip(values[part], getattr(group, part), strict=True):
            _check_part(obj, item, names, tagged)
            joint = getattr(item, "joint", obj)
            if data.get("freedom") == "translation" and joint and slides_backwards(joint, tagged):
                _turn_round(data)
    if group.type == "screw":
        values["pitch"] *= tagged.handedness(obj)
    sign = tagged.handedness(obj) if rotates(group) else 1.0
    place, anchor2 = tagged.place_of(obj), group.anchor2
    values["anchor"] = anchor_of(place, metres)
    values["anchor2"] = None if anchor2 is None else anchor_of(tagged.place_of(anchor2), metres)
    values["axis"] = axis_of(place, sign=sign)
    values["axis2"] = _second_axis(obj, tagged, sign)
    # What the type does not use may be left over from another type.
    return {key: value for key, value in values.items() if key in used and value is not None}


def _follow(motors: list[dict[str, Any]], obj: bpy.types.Object, timeline: Timeline) -> None:
    """Let motors follow the timeline where it says more than their numbers."""
    for number, data in enumerate(motors):
        followed = timeline.target(obj, number)
        if followed is not None:
            data.pop("target", None)
            data.update(followed)


def used_fields(joint_type: str) -> set[str]:
    """Fields of the file format that a joint of this type may have."""
    usage = USAGE[joint_type]
    return {"name", "type", *usage.needed, *usage.optional}


def _check_part(
    obj: bpy.types.Object, item: bpy.types.PropertyGroup, names: set[str], tagged: Tagged
) -> None:
    """Report a term whose joint is gone or was never chosen."""
    problems = list(pointer_problems(item, names))
    if not problems and getattr(item, "joint", obj) is None:
        problems = [Defect("couples no joint in one of its terms; choose its Joint", "B107")]
    for problem in problems:
        tagged.report(obj, problem)


def _turn_round(part: dict[str, Any]) -> None:
    """Give a motor, limit, spring or term the numbers it has along the opposite axis."""
    for key in ("target", "rest", "coefficient"):
        if part.get(key) is not None:
            part[key] = 0.0 - part[key]
    if part.get("min_force") is not None and part.get("max_force") is not None:
        part["min_force"], part["max_force"] = 0.0 - part["max_force"], 0.0 - part["min_force"]
    bounds = {"lower": part.pop("upper", None), "upper": part.pop("lower", None)}
    part |= {key: 0.0 - value for key, value in bounds.items() if value is not None}
    if part.get("expression"):
        part["expression"] = f"-({part['expression']})"
    if "curve" in part:
        part["curve"]["values"] = [0.0 - value for value in part["curve"]["values"]]


def _second_axis(
    obj: bpy.types.Object, tagged: Tagged, sign: float
) -> tuple[float, float, float] | None:
    group = obj.impulse.joint
    if group.axis2 is not None:
        return axis_of(tagged.place_of(group.axis2), sign=sign)
    return axis_of(tagged.place_of(obj), 0) if group.type == "universal" else None


def spring_data(
    obj: bpy.types.Object, metres: float, names: set[str], tagged: Tagged
) -> dict[str, Any]:
    """A spring between two points as the plain data of its model."""
    group = obj.impulse.spring
    values = values_of(group, models.SpringDamper)
    values["name"] = obj.name
    for problem in pointer_problems(group, names):
        tagged.report(obj, problem)
    values["anchor"] = anchor_of(tagged.place_of(obj), metres)
    if group.anchor2 is None:
        if not group.anchor2_name:
            text = "is a spring without a second end; choose its Anchor 2"
            tagged.report(obj, Defect(text, "B107", detail="anchor2"))
        values["anchor2"] = values["anchor"]
    else:
        values["anchor2"] = anchor_of(tagged.place_of(group.anchor2), metres)
    return values


def part_data(item: Any, model: Any) -> dict[str, Any]:
    """What is set of a motor, a load or the like, and its curve if it follows one."""
    values = values_of(item, model)
    if getattr(item, "use_curve", False):
        curve = values_of(item.curve, models.Curve)
        curve["times"] = [decimals(sample.time) for sample in item.curve.samples]
        curve["values"] = [decimals(sample.value) for sample in item.curve.samples]
        values["curve"] = curve
    return values
