# SPDX-License-Identifier: GPL-3.0-or-later
"""Add > Impulse: machines to begin with."""

import bpy
from bpy.props import EnumProperty

from ..examples import EXAMPLES, add_example
from ..importing.report import ImportSceneError


class IMPULSE_OT_add_example(bpy.types.Operator):
    """Add a machine at the 3D cursor, ready to be simulated"""

    bl_idname = "impulse.add_example"
    bl_label = "Add Machine"
    bl_options = {"REGISTER", "UNDO"}

    example: EnumProperty(
        items=[(name, e.label, e.description) for name, e in EXAMPLES.items()], name="Machine"
    )

    @classmethod
    def poll(cls, context):
        if context.mode != "OBJECT":
            cls.poll_message_set("Leave edit mode first")
            return False
        return True

    @classmethod
    def description(cls, _context, properties):
        return EXAMPLES[properties.example].description

    def execute(self, context):
        try:
            added = add_example(context, self.example)
        except ImportSceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for note in added.notes[:10]:
            self.report({"WARNING"}, note)
        self.report({"INFO"}, f"{EXAMPLES[self.example].label}: press Simulate to see it move")
        return {"FINISHED"}


class IMPULSE_MT_add(bpy.types.Menu):
    """Machines to begin with"""

    bl_idname = "IMPULSE_MT_add"
    bl_label = "Impulse"

    def draw(self, _context):
        for name, example in EXAMPLES.items():
            row = self.layout.operator(
                IMPULSE_OT_add_example.bl_idname, text=example.label, icon=example.icon
            )
            row.example = name


def draw_add(self, _context):
    self.layout.menu(IMPULSE_MT_add.bl_idname, icon="PHYSICS")


CLASSES = (IMPULSE_OT_add_example, IMPULSE_MT_add)


def register():
    bpy.types.VIEW3D_MT_add.append(draw_add)


def unregister():
    bpy.types.VIEW3D_MT_add.remove(draw_add)
