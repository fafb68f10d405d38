# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs and gaits: mirror, repeat, phases, and the constants of expressions."""

import bpy

from .base import ImpulsePanel, prepare


class IMPULSE_PT_legs(ImpulsePanel, bpy.types.Panel):
    bl_label = "Limbs and gait"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = prepare(self.layout)
        column = layout.column(align=True)
        row = column.row(align=True)
        row.operator("impulse.mirror_limb", icon="MOD_MIRROR")
        row.operator("impulse.repeat_limb", icon="MOD_ARRAY")
        column.operator("impulse.copy_motors", icon="COPYDOWN")
        draw_phases(layout, context)
        row = layout.row(align=True)
        for name in ("tripod", "ripple", "wave"):
            row.operator("impulse.set_gait", text=name.capitalize()).gait = name
        layout.prop(context.scene.impulse, "show_targets")
        draw_constants(layout, context.scene.impulse)


def draw_phases(layout, context):
    """Phases of the selected joints, those of an octopus at most."""
    joints = [obj for obj in context.selected_objects if obj.impulse.kind == "JOINT"]
    for obj in [obj for obj in joints if len(obj.impulse.joint.motors)][:8]:
        layout.prop(obj.impulse.joint, "phase", text=obj.name)


def draw_constants(layout, tag):
    """A row for each constant: name, value, remove."""
    row = layout.row()
    row.label(text="Constants")
    row.operator("impulse.list_add", text="", icon="ADD").path = "constants"
    for index, constant in enumerate(tag.constants):
        row = layout.row(align=True)
        row.use_property_split = False
        row.prop(constant, "name", text="")
        row.prop(constant, "value", text="")
        remove = row.operator("impulse.list_remove", text="", icon="X", emboss=False)
        remove.path, remove.index = "constants", index


CLASSES = (IMPULSE_PT_legs,)
