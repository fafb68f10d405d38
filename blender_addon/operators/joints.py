# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add and turn joints."""

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from impulse_schema import models

from ..authoring import joining
from ..properties.schema_properties import enum_items, kind_of
from .tag import TagOperator

PLACES = [
    ("AUTO", "Automatic", "What is selected in edit mode; else where the bodies meet"),
    ("CURSOR", "3D cursor", "Where the 3D cursor is"),
    ("BETWEEN", "Between", "In the middle of what the two bodies share, or of their gap"),
    ("ORIGIN", "Origin", "At the origin of the last body"),
    ("SELECTION", "Selection", "At the vertex, edge, face or circle selected in edit mode"),
]
BY_TYPE = (
    "From what is selected in edit mode; else a world axis by type: of a hinge the one towards the"
    " view, of a slider that from body to body"
)
AXES = [
    ("AUTO", "Automatic", BY_TYPE),
    ("X", "X", "World x"),
    ("Y", "Y", "World y"),
    ("Z", "Z", "World z"),
    ("VIEW", "View", "Towards who looks"),
    ("SELECTION", "Selection", "Along the edge, or normal to the face or circle selected"),
]  # fmt: skip
TURNS = [*(item for item in AXES if item[0] in ("X", "Y", "Z", "VIEW")),
         ("FLIP", "Flip", "The opposite sense")]  # fmt: skip


class IMPULSE_OT_add_joint(TagOperator, bpy.types.Operator):
    """Add an Empty that joins the selected bodies, or the one body to the world"""

    bl_idname = "impulse.add_joint"
    bl_label = "Add Joint"

    type: EnumProperty(
        items=enum_items(kind_of(models.Joint.model_fields["type"]).choices),
        name="Type",
        default="hinge",
    )
    place: EnumProperty(items=PLACES, name="Place", default="CURSOR")
    axis: EnumProperty(items=AXES, name="Axis", default="Z")
    chain: BoolProperty(
        name="Chain",
        description="Join each body to the nearest one that is left, beginning at the active one",
        options={"SKIP_SAVE"},
    )
    name: StringProperty(name="Name", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context):
        if context.mode not in ("OBJECT", "EDIT_MESH"):
            cls.poll_message_set("Go to object mode, or to edit mode of a mesh")
            return False
        if not joining.bodies_of_selection(context):
            cls.poll_message_set("Select a body first; Body makes one of an object")
            return False
        return True

    def tag(self, context):
        bodies = joining.bodies_of_selection(context)
        options = {"place": self.place, "axis": self.axis, "name": self.name}
        if self.chain:
            joints = joining.add_chain(context, self.type, bodies, **options)
        else:
            joints = [joining.add_joint(context, self.type, bodies, **options)]
        joining.make_active(context, joints)
        if len(joints) > 1:
            return f"{len(joints)} {self.type} joints"
        return f"{self.type} joint {joints[0].name}"


class IMPULSE_OT_turn_joint(TagOperator, bpy.types.Operator):
    """Turn the axis of the selected joints; their place stays"""

    bl_idname = "impulse.turn_joint"
    bl_label = "Axis"

    axis: EnumProperty(items=TURNS, name="Axis", default="X")

    def tag(self, context):
        joints = [obj for obj in context.selected_objects if obj.impulse.kind == "JOINT"]
        for joint in joints:
            joining.turn_joint(context, joint, self.axis)
        return f"{len(joints)} joints turned"


CLASSES = (IMPULSE_OT_add_joint, IMPULSE_OT_turn_joint)
