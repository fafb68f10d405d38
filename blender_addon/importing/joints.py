# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints and springs as Empties: the origin is the anchor, the local z the axis."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np

from impulse_schema import joint_names
from impulse_schema.models import Curve, Joint, Scene, SpringDamper

from ..export.joints import PARTS
from ..properties.assignment import Named, set_values
from ..properties.pointers import set_ends
from .objects import Maker, frame_along
from .report import ImportReport
from .scene_settings import renamed

ENDS = ("anchor", "anchor2", "axis", "axis2")
# Cosine of the angle of two axes that are at right angles but for rounding.
RIGHT = 1e-7


def make_joints(
    maker: Maker,
    scene: Scene,
    named: Named,
    constants: Mapping[str, str],
    report: ImportReport,
) -> None:
    """An Empty for each joint, all before the couplings that name them.

    ``constants`` are the names that expressions have to use, by those of the file.
    """
    names = joint_names(scene)
    made = {}
    for name, joint in zip(names, scene.joints, strict=True):
        obj = _joint(maker, name, joint, named, report)
        for motor in obj.impulse.joint.motors:
            motor.expression = renamed(motor.expression, constants)
        report.joints[name] = obj.name
        made[name] = obj
    for name, joint in zip(names, scene.joints, strict=True):
        _add_terms(made[name], joint, made)


def _joint(
    maker: Maker, name: str, joint: Joint, named: Named, report: ImportReport
) -> bpy.types.Object:
    axis = joint.axis or (0.0, 0.0, 1.0)
    place = joint.anchor or _between(joint, named)
    obj = maker.make_named(
        "joint", name, f"{name} {joint.type}", report, place, frame_along(axis, joint.axis2)
    )
    if joint.axis is not None and joint.type != "ball":
        obj.empty_display_type = "SINGLE_ARROW"
    obj.impulse.kind = "JOINT"
    group = obj.impulse.joint
    set_values(group, joint, named=named, skip=ENDS)
    if joint.anchor2 is not None:
        set_ends(group, {"anchor2": maker.make(f"{obj.name} end", None, joint.anchor2)})
    if joint.axis2 is not None and not _is_local_x(joint):
        turned = maker.make(f"{obj.name} axis 2", None, place, frame_along(joint.axis2))
        turned.empty_display_type = "SINGLE_ARROW"
        set_ends(group, {"axis2": turned})
    for part in PARTS:
        if part != "terms":
            for element in getattr(joint, part):
                item = getattr(group, part).add()
                set_values(item, element)
                if getattr(element, "curve", None) is not None:
                    item.use_curve = True
                    set_curve(item.curve, element.curve)
    return obj


def _is_local_x(joint: Joint) -> bool:
    """Whether the second axis is one that a universal joint has by itself."""
    if joint.type != "universal" or joint.axis is None or joint.axis2 is None:
        return False
    axis, second = np.array(joint.axis), np.array(joint.axis2)
    cosine = axis @ second / (np.linalg.norm(axis) * np.linalg.norm(second))
    return bool(abs(cosine) < RIGHT)


def _between(joint: Joint, named: Named) -> tuple[float, float, float]:
    """Where to show a joint without a point [m]: between its bodies."""
    bodies = [named(name) for name in (joint.body1, joint.body2)]
    found = [np.array(obj.location) for obj in bodies if obj is not None]
    if not found:
        return (0.0, 0.0, 0.0)
    metres = bpy.context.scene.unit_settings.scale_length
    x, y, z = np.mean(found, axis=0) * metres
    return (float(x), float(y), float(z))


def set_curve(group: bpy.types.PropertyGroup, curve: Curve) -> None:
    """Give the curve of a motor or a load its samples."""
    set_values(group, curve)
    for time, value in zip(curve.times, curve.values, strict=True):
        sample = group.samples.add()
        sample.time, sample.value = time, value


def _add_terms(obj: bpy.types.Object, joint: Joint, made: Mapping[str, bpy.types.Object]) -> None:
    for term in joint.terms:
        set_values(obj.impulse.joint.terms.add(), term, named=made.get)
    if joint.type == "coupling" and joint.terms:
        first = made[joint.terms[0].joint]
        obj.location = first.location
        obj.rotation_quaternion = first.rotation_quaternion


def make_springs(maker: Maker, scene: Scene, named: Named, report: ImportReport) -> None:
    """An Empty for each end of each spring."""
    for number, spring in enumerate(scene.springs, start=1):
        _spring(maker, spring.name or f"spring-{number}", spring, named, report)
    report.springs = len(scene.springs)


def _spring(
    maker: Maker, name: str, spring: SpringDamper, named: Named, report: ImportReport
) -> None:
    obj = maker.make_named("spring", name, f"{name} spring", report, spring.anchor)
    obj.impulse.kind = "SPRING"
    set_values(obj.impulse.spring, spring, named=named, skip=ENDS)
    end = maker.make(f"{obj.name} end", None, spring.anchor2)
    set_ends(obj.impulse.spring, {"anchor2": end})
