# SPDX-License-Identifier: GPL-3.0-or-later
"""The first panel: simulate, check, and the list of what is wrong (issues.py)."""

import bpy

from ..running.going import Going
from .base import ImpulsePanel, prepare
from .issues import draw_issues


class IMPULSE_PT_main(ImpulsePanel, bpy.types.Panel):
    bl_label = "Impulse"

    def draw(self, context):
        layout = prepare(self.layout)
        tag = context.scene.impulse
        column = layout.column(align=True)
        row = column.row(align=True)
        row.scale_y = 1.4
        if Going.is_on():
            row.operator("impulse.stop", icon="CANCEL")
        else:
            row.operator("impulse.run_simulation", icon="PLAY")
        row.operator("impulse.clear_animation", text="Clear", icon="TRASH")
        row = column.row(align=True)
        row.operator("impulse.validate_scene", text="Check", icon="CHECKMARK")
        row.operator("impulse.export_scene", text="Export", icon="EXPORT")
        row.operator("impulse.import_animation", text="Import", icon="IMPORT")
        if Going.is_on():
            layout.progress(factor=tag.progress, text=tag.progress_text)
        draw_issues(layout, context)


CLASSES = (IMPULSE_PT_main,)
