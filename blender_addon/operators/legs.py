# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for limbs and gaits: mirror, repeat, the same motors for all, phases."""

import math

import bpy
from bpy.props import EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, StringProperty

from ..authoring import gait, limbs
from .tag import FRESH, TagOperator, named

AXES = [(axis, axis, f"The {axis} axis of the object it goes about") for axis in "XYZ"]
ABOUT = "Object to go about, or World; empty: what the limb hangs on"


def centre(operator, limb):
    """The object that an operator's ``about`` names, None for the world."""
    name = operator.about or None
    return limbs.centre_of(limb, "" if name == "World" and name not in bpy.data.objects else name)


class LimbOperator(TagOperator):
    """What operators that copy a limb share: they leave the copies selected."""

    def tag(self, context):
        limb = limbs.limb_of(context, context.selected_objects)
        made = self.copies(context, limb)
        for obj in context.selected_objects:
            obj.select_set(False)
        for obj in made:
            obj.select_set(True)
        bodies = [obj for obj in made if obj.impulse.kind == "BODY"]
        context.view_layer.objects.active = bodies[0]
        return f"{len(bodies)} bodies and {len(made) - len(bodies)} other objects made"


class IMPULSE_OT_mirror_limb(LimbOperator, bpy.types.Operator):
    """Make the mirror image of the selected limb"""

    bl_idname = "impulse.mirror_limb"
    bl_label = "Mirror Limb"
    bl_description = (
        "Make the mirror image of the selected bodies with their solids, joints, springs and"
        " motors, across a plane through what they hang on, to which the new joints lead as well"
    )

    axis: EnumProperty(items=AXES, name="Across", default="Y")
    about: StringProperty(name="About", description=ABOUT, options=FRESH)
    phase: FloatProperty(
        name="Phase",
        description="Added to the phase of the motors, in periods; half a period where the scene"
        " has a constant 'period'",
        soft_min=0.0,
        soft_max=1.0,
        options=FRESH,
    )

    def copies(self, context, limb):
        if not self.properties.is_property_set("phase"):
            self.phase = 0.5 if limbs.period_of(context.scene) > 0.0 else 0.0
        return limbs.mirror_limb(context, limb, self.axis, centre(self, limb), self.phase)


class IMPULSE_OT_repeat_limb(LimbOperator, bpy.types.Operator):
    """Make copies of the selected limb"""

    bl_idname = "impulse.repeat_limb"
    bl_label = "Repeat Limb"
    bl_description = (
        "Make copies of the selected limb, in a line or around what it hangs on, to which the"
        " joints of all of them lead"
    )

    count: IntProperty(name="Count", description="With the original", default=3, min=2, max=200)
    layout: EnumProperty(
        items=[("LINE", "Line", "Each an offset on"), ("CIRCLE", "Circle", "Around an axis")],
        name="Layout",
        default="LINE",
    )
    offset: FloatVectorProperty(
        name="Offset", subtype="TRANSLATION", default=(-1.0, 0.0, 0.0), description="In the world"
    )
    angle: FloatProperty(
        name="Angle",
        subtype="ANGLE",
        description="From one to the next; by default all around",
        options=FRESH,
    )
    axis: EnumProperty(items=AXES, name="Around", default="Z")
    about: StringProperty(name="About", description=ABOUT, options=FRESH)
    phase: FloatProperty(
        name="Phase step", description="From one to the next, in periods", options=FRESH
    )

    def copies(self, context, limb):
        if self.layout == "LINE":
            steps = limbs.shifts(self.count, self.offset)
        else:
            given = self.properties.is_property_set("angle")
            angle = self.angle if given else 2.0 * math.pi / self.count
            steps = limbs.turns(self.count, angle, self.axis, centre(self, limb))
        return limbs.repeat_limb(context, limb, steps, self.phase)


class IMPULSE_OT_copy_motors(TagOperator, bpy.types.Operator):
    """Give the motors of the active joint to others"""

    bl_idname = "impulse.copy_motors"
    bl_label = "Apply Motors to Alike"
    bl_description = (
        "Give the motors of the active joint to the other selected joints or, where there are none,"
        " to all whose names differ by side and number alone. Each keeps its phase"
    )

    def tag(self, context):
        joint = context.active_object
        if joint is None or joint.impulse.kind != "JOINT":
            raise limbs.TagError("Make the joint active whose motors the others are to get.")
        others = [o for o in context.selected_objects if o.impulse.kind == "JOINT" and o != joint]
        others = others or limbs.alike(context, joint)
        if not others:
            raise limbs.TagError(f"No other joint is named like {joint.name}; select some.")
        return f"{limbs.copy_motors(joint, others)} joints have the motors of {joint.name}"


class IMPULSE_OT_set_gait(TagOperator, bpy.types.Operator):
    """Give the selected legs the phases of a gait, by where they stand about the torso"""

    bl_idname = "impulse.set_gait"
    bl_label = "Set Gait"

    gait: EnumProperty(items=gait.GAITS, name="Gait", default="tripod")
    forward: EnumProperty(
        items=[(axis, axis, f"The torso's {axis}") for axis in ("X", "Y", "-X", "-Y")],
        name="Ahead",
        default="X",
    )
    period: FloatProperty(
        name="Period [s]",
        description="What the constant 'period' becomes; else it stays, or is made 1",
        default=1.0,
        min=0.001,
        options=FRESH,
    )
    about: StringProperty(
        name="Torso", description="Empty: the body that most joints lead to", options=FRESH
    )
    expression: StringProperty(
        name="Expression",
        description="For motors without a target, such as 0.3*sin(2*pi*(t/period + phase))",
        options=FRESH,
    )

    def tag(self, context):
        torso = named(self.about) or gait.torso_of(context)
        legs = gait.set_gait(
            context,
            self.gait,
            context.selected_objects,
            torso=torso,
            forward=self.forward,
            expression=self.expression,
            **self.given("period"),
        )
        return f"{self.gait} of {len(legs)} legs of {torso.name}"


CLASSES = (
    IMPULSE_OT_mirror_limb,
    IMPULSE_OT_repeat_limb,
    IMPULSE_OT_copy_motors,
    IMPULSE_OT_set_gait,
)
