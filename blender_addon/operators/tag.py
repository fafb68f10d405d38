# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that say what objects are."""

import bpy
from bpy.props import EnumProperty, FloatProperty, StringProperty

from impulse_schema import models

from ..authoring import tagging
from ..properties.groups import MASS_SOURCES
from ..properties.schema_properties import enum_items, kind_of

NAMED = "; empty means none"
# Starts from its default at every call.
FRESH = {"SKIP_SAVE"}


def choices(model, field):
    """Enum items of a field of the schema."""
    return enum_items(kind_of(model.model_fields[field]).choices)


def body_named(label, which):
    """A property that names one of two bodies."""
    return StringProperty(
        name=label, description=f"Name of the {which} body; empty: the world", options=FRESH
    )


def named(name):
    """The object of that name, None for ''; raises TagError where there is none."""
    if not name:
        return None
    if name not in bpy.data.objects:
        raise tagging.TagError(f"There is no object '{name}'.")
    return bpy.data.objects[name]


class TagOperator:
    """What the tagging operators share: undo, object mode, one-sentence errors.

    Their arguments are not remembered from call to call (SKIP_SAVE), and only those that are given
    are used: a button that is pressed for an object which is that already changes nothing.
    """

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set("Leave edit mode first")
            return False
        if not context.selected_objects:
            cls.poll_message_set("Select an object first")
            return False
        return True

    def given(self, *names):
        """The arguments among these that the caller or the user set, by name."""
        return {
            name: getattr(self, name) for name in names if self.properties.is_property_set(name)
        }

    def execute(self, context):
        try:
            message = self.tag(context)
        except tagging.TagError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for obj in context.selected_objects:
            obj.update_tag()  # properties alone do not tell the overlay that something changed
        self.report({"INFO"}, message)
        return {"FINISHED"}


class IMPULSE_OT_tag_body(TagOperator, bpy.types.Operator):
    """Make the selected objects rigid bodies"""

    bl_idname = "impulse.tag_body"
    bl_label = "Tag as Body"

    motion: EnumProperty(
        items=choices(models.Body, "motion"), name="Motion", default="dynamic", options=FRESH
    )
    mass_source: EnumProperty(
        items=MASS_SOURCES, name="Mass from", default="density", options=FRESH
    )
    density: FloatProperty(name="Density [kg/m^3]", default=1000.0, min=0.0, options=FRESH)
    mass: FloatProperty(name="Mass [kg]", default=1.0, min=0.0, options=FRESH)
    shape: EnumProperty(
        items=choices(models.Geometry, "shape"), name="Shape", default="mesh", options=FRESH
    )

    def tag(self, context):
        objects, others = tagging.bodies_among(context.selected_objects)
        given = self.given("motion", "mass_source", "density", "mass", "shape")
        tagging.tag_bodies(objects, **given)
        count = "1 body" if len(objects) == 1 else f"{len(objects)} bodies"
        return count + (f"; left alone: {', '.join(others)}" if others else "")


class IMPULSE_OT_tag_geometry(TagOperator, bpy.types.Operator):
    """Make the selected objects solids of a body: the active one, if it is one, else the parent"""

    bl_idname = "impulse.tag_geometry"
    bl_label = "Tag as Geometry"

    body: StringProperty(
        name="Body", description="Name of the body; empty: active object or parent", options=FRESH
    )
    role: EnumProperty(
        items=choices(models.Geometry, "role"), name="Role", default="both", options=FRESH
    )
    shape: EnumProperty(
        items=choices(models.Geometry, "shape"), name="Shape", default="mesh", options=FRESH
    )

    def tag(self, context):
        body = named(self.body)
        active = context.active_object
        objects = list(context.selected_objects)
        if body is None and active in objects and active.impulse.kind == "BODY":
            body = active
        objects = [obj for obj in objects if obj != body]
        if not objects:
            raise tagging.TagError("Select the solids first and their body last.")
        tagging.tag_geometry(objects, body, **self.given("role", "shape"))
        return f"{len(objects)} solids"


class IMPULSE_OT_tag_joint(TagOperator, bpy.types.Operator):
    """Make the active object a joint: its origin is the anchor, its local z the axis"""

    bl_idname = "impulse.tag_joint"
    bl_label = "Tag as Joint"

    type: EnumProperty(
        items=choices(models.Joint, "type"), name="Type", default="hinge", options=FRESH
    )
    body1: body_named("Body 1", "first")
    body2: body_named("Body 2", "second")
    anchor2: StringProperty(
        name="Anchor 2", description="Object at the joint point of body 2" + NAMED, options=FRESH
    )

    def invoke(self, context, _event):
        if context.object is not None and context.object.impulse.kind == "JOINT":
            return self.execute(context)
        bodies = [o for o in context.selected_objects if o.impulse.kind == "BODY"]
        if not self.body1 and not self.body2 and 1 <= len(bodies) <= 2:
            self.body2 = bodies[-1].name
            self.body1 = bodies[0].name if len(bodies) == 2 else ""
        return context.window_manager.invoke_props_dialog(self)

    def tag(self, context):
        obj = context.active_object
        if obj is None:
            raise tagging.TagError("There is no active object to make a joint of.")
        given = self.given("type", "body1", "body2", "anchor2")
        if obj.impulse.kind == "JOINT":
            kind = given.pop("type", obj.impulse.joint.type)
            if given or kind != obj.impulse.joint.type:
                tagging.change_joint(obj, kind, {key: named(name) for key, name in given.items()})
            return f"{kind} joint {obj.name}"
        body1, body2 = named(self.body1), named(self.body2)
        tagging.tag_joint(obj, self.type, body1, body2, anchor2=named(self.anchor2))
        return f"{self.type} joint {obj.name}"


class IMPULSE_OT_tag_spring(TagOperator, bpy.types.Operator):
    """Make the active object one end of a spring; the other is the origin of another object"""

    bl_idname = "impulse.tag_spring"
    bl_label = "Tag as Spring"

    body1: body_named("Body 1", "first")
    body2: body_named("Body 2", "second")
    anchor2: StringProperty(name="Anchor 2", description="Object at the other end", options=FRESH)
    stiffness: FloatProperty(name="Stiffness [N/m]", default=100.0, min=0.0, options=FRESH)
    damping: FloatProperty(name="Damping [N s/m]", default=0.0, min=0.0, options=FRESH)

    def tag(self, context):
        obj = context.active_object
        if obj is None:
            raise tagging.TagError("There is no active object to make a spring of.")
        ends = {key: named(name) for key, name in self.given("body1", "body2", "anchor2").items()}
        tagging.tag_spring(obj, ends, **self.given("stiffness", "damping"))
        return f"spring {obj.name}"


class IMPULSE_OT_clear_tags(TagOperator, bpy.types.Operator):
    """Take the Impulse tags off the selected objects"""

    bl_idname = "impulse.clear_tags"
    bl_label = "Clear Tags"

    def tag(self, context):
        return f"{tagging.clear_tags(context.selected_objects)} objects cleared"


CLASSES = (
    IMPULSE_OT_tag_body,
    IMPULSE_OT_tag_geometry,
    IMPULSE_OT_tag_joint,
    IMPULSE_OT_tag_spring,
    IMPULSE_OT_clear_tags,
)
