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
            row.operator("impulse.live", icon="HAND")
        row.operator("impulse.clear_animation", text="Clear", icon="TRASH")
        row = column.row(align=True)
        row.operator("impulse.validate_scene", text="Check", icon="CHECKMARK")
        row.operator("impulse.export_scene", text="Export", icon="EXPORT")
        row.operator("impulse.import_animation", text="Import", icon="IMPORT")
        if Going.is_on():
            layout.progress(factor=tag.progress, text=tag.progress_text)
        session = Going.session()
        if session is not None:
            draw_session(layout, session)
        draw_issues(layout, context)


def draw_session(layout, session):
    """What steers a live session, and what it said."""
    column = layout.column(align=True)
    row = column.row(align=True)
    icon = "PLAY" if session.is_paused else "PAUSE"
    row.operator("impulse.steer", text="", icon=icon).what = "TOGGLE"
    row.operator("impulse.steer", text="", icon="FRAME_NEXT").what = "STEP"
    row.operator("impulse.steer", text="", icon="LOOP_BACK").what = "BACK"
    row.operator("impulse.steer", text="", icon="REW").what = "RESET"
    row.operator("impulse.steer", text="", icon="REMOVE").what = "SLOWER"
    row.operator("impulse.steer", text="", icon="ADD").what = "FASTER"
    column.operator("impulse.steer", text="Keep as Take", icon="FAKE_USER_ON").what = "KEEP"
    layout.label(text=f"{session.speed:g} × real time; pull bodies with the mouse")
    for text in filter(None, (session.child.failure, session.child.refusal)):
        layout.label(text=text, icon="ERROR")


CLASSES = (IMPULSE_PT_main,)
