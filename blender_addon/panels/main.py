# SPDX-License-Identifier: GPL-3.0-or-later
"""The first panel: simulate, check, and the list of what is wrong."""

import bpy

from ..running.going import Going
from .base import ImpulsePanel, prepare


class IMPULSE_UL_issues(bpy.types.UIList):
    """What is wrong with the scene; a click selects the object."""

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_name, index=0):
        icon = "ERROR" if item.severity == "ERROR" else "INFO"
        row = layout.row(align=True)
        if item.object_name:
            show = row.operator("impulse.select_issue", text="", icon="RESTRICT_SELECT_OFF")
            show.index = index
            row.label(text=f"{item.object_name}: {item.message}", icon=icon)
        else:
            row.label(text=item.message, icon=icon)


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
        if len(tag.issues):
            layout.template_list("IMPULSE_UL_issues", "", tag, "issues", tag, "issue_index", rows=3)
            self.draw_issue(layout, tag)
        elif tag.checked:
            layout.label(text="No problems found", icon="CHECKMARK")

    def draw_issue(self, layout, tag):
        """The chosen issue in full, as the rows of the list cut long sentences."""
        if not 0 <= tag.issue_index < len(tag.issues):
            return
        issue = tag.issues[tag.issue_index]
        column = layout.column(align=True)
        for line in wrapped(f"{issue.message} {issue.hint}"):
            column.label(text=line)


def wrapped(text, width=44):
    """Lines of at most ``width`` characters; labels do not wrap by themselves."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > width and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


CLASSES = (IMPULSE_UL_issues, IMPULSE_PT_main)
