# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that say what objects are."""

import bpy
from bpy.props import EnumProperty, FloatProperty, StringProperty

from impulse_schema import models

from .. import tagging
from ..properties import MASS_SOURCES
from ..schema_properties import enum_items, kind_of

NAMED = "; empty means none"


def choices(model, field):
    """Enum items of a field of the schema."""
    return enum_items(kind_of(model.model_fields[field]).choices)


def named(name):
    """The object of that name, None for ''; raises TagError where there is none."""
    if not name:
        return None
    if name not in bpy.data.objects:
        raise tagging.TagError(f"There is no object '{name}'.")
    return bpy.data.objects[name]


class TagOperator:
    """What the tagging operators share: undo, object mode, one-sentence errors."""

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

    def execute(self, context):
        try:
            message = self.tag(context)
        except tagging.TagError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, message)
        return {"FINISHED"}


class IMPULSE_OT_tag_body(TagOperator, bpy.types.Operator):
    """Make the selected objects rigid bodies"""

    bl_idname = "impulse.tag_body"
    bl_label = "Tag as Body"

    motion: EnumProperty(items=choices(models.Body, "motion"), name="Motion", default="dynamic")
    mass_source: EnumProperty(items=MASS_SOURCES, name="Mass from", default="density")
    density: FloatProperty(name="Density [kg/m^3]", default=1000.0, min=0.0)
    mass: FloatProperty(name="Mass [kg]", default=1.0, min=0.0)
    shape: EnumProperty(items=choices(models.Geometry, "shape"), name="Shape", default="mesh")

    def tag(self, context):
        objects = context.selected_objects
        tagging.tag_bodies(
            objects,
            motion=self.motion,
            mass_source=self.mass_source,
            density=self.density,
            mass=self.mass,
            shape=self.shape,
        )
        return f"{len(objects)} bodies"


class IMPULSE_OT_tag_geometry(TagOperator, bpy.types.Operator):
    """Make the selected objects solids of a body: the active one, if it is one, else the parent"""

    bl_idname = "impulse.tag_geometry"
    bl_label = "Tag as Geometry"

    body: StringProperty(
        name="Body", description="Name of the body; empty: active object or parent"
    )
    role: EnumProperty(items=choices(models.Geometry, "role"), name="Role", default="both")
    shape: EnumProperty(items=choices(models.Geometry, "shape"), name="Shape", default="mesh")

    def tag(self, context):
        body = named(self.body)
        active = context.active_object
        objects = list(context.selected_objects)
        if body is None and active in objects and active.impulse.kind == "BODY":
            body = active
        objects = [obj for obj in objects if obj != body]
        if not objects:
            raise tagging.TagError("Select the solids first and their body last.")
        tagging.tag_geometry(objects, body, role=self.role, shape=self.shape)
        return f"{len(objects)} solids"


class IMPULSE_OT_tag_joint(TagOperator, bpy.types.Operator):
    """Make the active object a joint: its origin is the anchor, its local z the axis"""

    bl_idname = "impulse.tag_joint"
    bl_label = "Tag as Joint"

    type: EnumProperty(items=choices(models.Joint, "type"), name="Type", default="hinge")
    body1: StringProperty(name="Body 1", description="Name of the first body; empty: the world")
    body2: StringProperty(name="Body 2", description="Name of the second body; empty: the world")
    anchor2: StringProperty(
        name="Anchor 2", description="Object at the joint point of body 2" + NAMED
    )

    def invoke(self, context, _event):
        bodies = [o for o in context.selected_objects if o.impulse.kind == "BODY"]
        if not self.body1 and not self.body2 and 1 <= len(bodies) <= 2:
            self.body2 = bodies[-1].name
            self.body1 = bodies[0].name if len(bodies) == 2 else ""
        return context.window_manager.invoke_props_dialog(self)

    def tag(self, context):
        obj = context.active_object
        if obj is None:
            raise tagging.TagError("There is no active object to make a joint of.")
        body1, body2 = named(self.body1), named(self.body2)
        tagging.tag_joint(obj, self.type, body1, body2, anchor2=named(self.anchor2))
        return f"{self.type} joint {obj.name}"


class IMPULSE_OT_tag_spring(TagOperator, bpy.types.Operator):
    """Make the active object one end of a spring; the other is the origin of another object"""

    bl_idname = "impulse.tag_spring"
    bl_label = "Tag as Spring"

    body1: StringProperty(name="Body 1", description="Name of the first body; empty: the world")
    body2: StringProperty(name="Body 2", description="Name of the second body; empty: the world")
    anchor2: StringProperty(name="Anchor 2", description="Object at the other end")
    stiffness: FloatProperty(name="Stiffness [N/m]", default=100.0, min=0.0)
    damping: FloatProperty(name="Damping [N s/m]", default=0.0, min=0.0)

    def tag(self, context):
        obj = context.active_object
        if obj is None:
            raise tagging.TagError("There is no active object to make a spring of.")
        tagging.tag_spring(
            obj,
            named(self.body1),
            named(self.body2),
            named(self.anchor2),
            stiffness=self.stiffness,
            damping=self.damping,
        )
        return f"spring {obj.name}"


class IMPULSE_OT_add_joint(TagOperator, bpy.types.Operator):
    """Put an Empty at the 3D cursor that joins the selected bodies, or the one body to the world"""

    bl_idname = "impulse.add_joint"
    bl_label = "Add Joint"

    type: EnumProperty(items=choices(models.Joint, "type"), name="Type", default="hinge")
    name: StringProperty(name="Name")

    def tag(self, context):
        active = context.active_object
        bodies = [o for o in context.selected_objects if o.impulse.kind == "BODY" and o != active]
        if active in context.selected_objects and active.impulse.kind == "BODY":
            bodies.append(active)
        location = context.scene.cursor.location
        empty = tagging.add_joint(context, self.type, bodies, location, self.name)
        return f"{self.type} joint {empty.name}"


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
    IMPULSE_OT_add_joint,
    IMPULSE_OT_clear_tags,
)
