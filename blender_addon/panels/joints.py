# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields of a joint and of its motors, limits, springs, friction and terms."""

from impulse_schema import models

from ..export.joints import PARTS, used_fields
from ..properties.schema_properties import draw_end, draw_fields
from .base import draw_curve, draw_list, folded

PART_TITLES = {
    "limits": "Limits", "springs": "Springs", "frictions": "Frictions", "terms": "Terms",
}  # fmt: skip
ADDED_BY = {"limits": ("impulse.add_limit", ""), "springs": ("impulse.add_spring", "")}
# What a joint of its type cannot do without, and what is rarely set.
MEASURES = ("length", "pitch", "constant", "min_length", "max_length")
RARE = ("collide", "break_force", "break_torque", "damping", "armature")


def draw_joint(layout, joint):
    layout.prop(joint, "type")
    used = used_fields(joint.type)
    if "axis" in used:
        draw_axis(layout)
    for name in ("body1", "body2"):
        if name in used:
            draw_end(layout, joint, name)
    if "anchor2" in used and joint.type == "distance":
        layout.prop(joint, "anchor2")
    draw_fields(layout, joint, models.Joint, names=used.intersection(MEASURES))
    freedoms = models.FREE_AXES.get(joint.type) or models.LIMITED_AXES.get(joint.type, ())
    # Only cylindrical and ball joints and screws have a choice of axis.
    skip = ("freedom",) if len(freedoms) == 1 else ()
    if "motors" in used:
        draw_list(
            layout, joint.motors, "joint.motors", models.Motor, "Motors",
            draw=lambda box, item, index: draw_motor(box, item, index, turns(item, joint), skip),
            add=("impulse.add_motor", "kind"),
        )  # fmt: skip
        if len(joint.motors):
            layout.prop(joint, "phase")
    for name, title in PART_TITLES.items():
        if name in used:
            draw_parts(layout, joint, name, title, skip)
    rare = folded(layout, "joint_more", "More")
    if rare:
        for name in ("anchor2", "axis2"):
            if name in used and not (name == "anchor2" and joint.type == "distance"):
                rare.prop(joint, name)
        draw_fields(rare, joint, models.Joint, names=used.intersection(RARE))


def draw_parts(layout, joint, name, title, skip):
    """The limits, springs, frictions or terms of a joint."""
    model = PARTS[name]
    draw_list(
        layout, getattr(joint, name), f"joint.{name}", model, title,
        draw=lambda box, item, _index: draw_fields(
            box, item, model, skip=skip, rotating=turns(item, joint)
        ),
        add=ADDED_BY.get(name),
    )  # fmt: skip


def draw_axis(layout):
    """Buttons that turn the joint's axis."""
    split = layout.split(factor=0.25)
    split.label(text="Axis")
    row = split.row(align=True)
    for axis, text in (("X", "X"), ("Y", "Y"), ("Z", "Z"), ("VIEW", "View")):
        row.operator("impulse.turn_joint", text=text).axis = axis
    row.operator("impulse.turn_joint", text="", icon="ARROW_LEFTRIGHT").axis = "FLIP"


def turns(part, joint):
    """Whether a part of a joint acts on an axis that turns."""
    free = models.FREE_AXES.get(joint.type) or models.LIMITED_AXES.get(joint.type, ())
    freedom = getattr(part, "freedom", "")
    return (freedom if freedom in free else next(iter(free), "")) not in ("translation", "")


def draw_motor(layout, motor, index, rotating, skip):
    if motor.kind != "servo":
        skip = (*skip, "proportional", "derivative", "integral", "explicit")
    if motor.kind == "force":
        # A force is no angle: the target stands with the unit of the largest force.
        draw_fields(layout, motor, models.Motor, names=("kind", "freedom"), skip=skip)
        draw_force_target(layout, motor, rotating)
        skip = (*skip, "kind", "freedom", "target")
    draw_fields(
        layout, motor, models.Motor, skip=skip, rotating=rotating, rates=motor.kind == "velocity"
    )
    draw_curve(layout, motor, f"joint.motors[{index}]")


def draw_force_target(layout, motor, rotating):
    row = layout.row(heading="Target")
    row.prop(motor, "use_target", text="")
    value = row.row()
    value.active = motor.use_target
    value.prop(motor, "target", text="N·m" if rotating else "N")
