# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of what is wrong: a row for each issue, the chosen one in full with what mends it."""

import bpy

from ..checks.fixes import fixes_of
from ..checks.listing import issue_of


class IMPULSE_UL_issues(bpy.types.UIList):
    """What is wrong with the scene; the arrow of a row shows the object, the tool mends it."""

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_name, index=0):
        icon = "ERROR" if item.severity == "ERROR" else "INFO"
        row = layout.row(align=True)
        if not item.object_name:
            row.label(text=item.message, icon=icon)
            return
        show = row.operator("impulse.select_issue", text="", icon="RESTRICT_SELECT_OFF")
        show.index = index
        row.label(text=f"{item.object_name}: {item.message}", icon=icon)
        if fixes_of(issue_of(item)):
            row.operator("impulse.fix_issue", text="", icon="TOOL_SETTINGS").index = index


def draw_issues(layout, context):
    """The list, how fresh it is, and the chosen issue."""
    tag = context.scene.impulse
    row = layout.row()
    row.use_property_split = False
    row.label(text=freshness(tag))
    row.prop(tag, "live_check", text="", icon="FILE_REFRESH")
    if len(tag.issues):
        layout.template_list("IMPULSE_UL_issues", "", tag, "issues", tag, "issue_index", rows=3)
        draw_issue(layout, tag)
    elif tag.checked:
        layout.label(text="No problems found", icon="CHECKMARK")


def freshness(tag):
    """What the list is of, in a few words."""
    if not tag.checked:
        return "Not checked yet"
    if not tag.stale:
        return "As checked"
    return "Start not checked since" if tag.live_check else "Changed since the check"


def draw_issue(layout, tag):
    """The chosen issue in full, as the rows of the list cut long sentences, with its fixes."""
    if not 0 <= tag.issue_index < len(tag.issues):
        return
    issue = issue_of(tag.issues[tag.issue_index])
    column = layout.column(align=True)
    for line in wrapped(f"{issue.message} {issue.hint}"):
        column.label(text=line)
    for fix in fixes_of(issue):
        button = column.operator("impulse.fix_issue", text=fix.text(issue), icon="TOOL_SETTINGS")
        button.index, button.fix = tag.issue_index, fix.name


def wrapped(text, width=44):
    """Lines of at most ``width`` characters; labels do not wrap by themselves."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > width and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


CLASSES = (IMPULSE_UL_issues,)
