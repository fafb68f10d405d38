# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of a joint and of its motors, limits, springs, friction and terms."""

from impulse_schema import models

from ..export.joints import PARTS, used_fields
from ..properties.schema_properties import draw_end, draw_fields
from .base import draw_list

PART_TITLES = {
    "limits": "Limits", "springs": "Springs", "frictions": "Frictions", "terms": "Terms",
}  # fmt: skip


def draw_joint(layout, joint):
    layout.prop(joint, "type")
    used = used_fields(joint.type)
    for name in ("body1", "body2"):
        if name in used:
            draw_end(layout, joint, name)
    for name in ("anchor2", "axis2"):
        if name in used:
            layout.prop(joint, name)
    names = (
        *("length", "pitch", "collide", "break_force", "break_torque", "constant"),
        *("min_length", "max_length", "damping", "armature"),
    )
    draw_fields(layout, joint, models.Joint, names=used.intersection(names))
    freedoms = models.FREE_AXES.get(joint.type) or models.LIMITED_AXES.get(joint.type, ())
    rotating = "rotation" in freedoms or joint.type in models.LIMITED_AXES
    # Only cylindrical and ball joints and screws have a choice of axis.
    skip = ("freedom",) if len(freedoms) == 1 else ()
    if "motors" in used:
        draw_list(
            layout, joint.motors, "joint.motors", models.Motor, "Motors",
            draw=lambda box, item, index: draw_motor(box, item, index, rotating, skip),
        )  # fmt: skip
    for name, title in PART_TITLES.items():
        if name in used:
            items, path = getattr(joint, name), f"joint.{name}"
            draw_list(layout, items, path, PARTS[name], title, skip=skip, rotating=rotating)


def draw_motor(layout, motor, index, rotating, skip):
    if motor.kind != "servo":
        skip = (*skip, "proportional", "derivative", "integral", "explicit")
    rotating = rotating and motor.freedom != "translation" and motor.kind != "force"
    draw_fields(layout, motor, models.Motor, skip=skip, rotating=rotating)
    layout.prop(motor, "use_curve")
    if motor.use_curve:
        draw_fields(layout, motor.curve, models.Curve)
        path = f"joint.motors[{index}].curve.samples"
        draw_list(
            layout, motor.curve.samples, path, None, "Samples",
            draw=lambda box, item, _index: draw_sample(box, item),
        )  # fmt: skip


def draw_sample(layout, sample):
    row = layout.row(align=True)
    row.prop(sample, "time")
    row.prop(sample, "value")
