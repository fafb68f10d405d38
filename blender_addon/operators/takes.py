# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that keep, show, compare and delete takes."""

import bpy
from bpy.props import StringProperty

from ..playback import takes
from ..playback.keyframes import kept_text
from .idle import WhileIdle


class TakeOperator(WhileIdle):
    """What they share: undo, one-sentence errors, and that nothing is written meanwhile."""

    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        try:
            message = self.work(context.scene)
        except takes.TakeError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, message)
        return {"FINISHED"}


class IMPULSE_OT_keep_take(TakeOperator, bpy.types.Operator):
    """Keep the motion under a name; the next run leaves it alone"""

    bl_idname = "impulse.keep_take"
    bl_label = "Keep Take"

    name: StringProperty(name="Name", description="Empty: Take and a number")

    def invoke(self, context, _event):
        return context.window_manager.invoke_props_dialog(self)

    def work(self, scene):
        return f"Kept as {takes.keep(scene, self.name)}"


class IMPULSE_OT_show_take(TakeOperator, bpy.types.Operator):
    """Play this take"""

    bl_idname = "impulse.show_take"
    bl_label = "Show Take"

    name: StringProperty(name="Name")

    def work(self, scene):
        kept = takes.show(scene, self.name)
        return f"{self.name} is played{kept_text(kept)}"


class IMPULSE_OT_compare_take(TakeOperator, bpy.types.Operator):
    """Show this take as wire frames beside the motion that is played, or take them away"""

    bl_idname = "impulse.compare_take"
    bl_label = "Compare Take"

    name: StringProperty(name="Name")

    def work(self, scene):
        if takes.is_compared(scene, self.name):
            takes.hide(scene, self.name)
            return f"{self.name} is compared no longer"
        return f"{takes.compare(scene, self.name)} objects show {self.name} as wire frames"


class IMPULSE_OT_delete_take(TakeOperator, bpy.types.Operator):
    """Delete this take; the motion that is played stays"""

    bl_idname = "impulse.delete_take"
    bl_label = "Delete Take"

    name: StringProperty(name="Name")

    def work(self, scene):
        return f"{self.name} deleted{kept_text(takes.delete(scene, self.name))}"


CLASSES = (
    IMPULSE_OT_keep_take,
    IMPULSE_OT_show_take,
    IMPULSE_OT_compare_take,
    IMPULSE_OT_delete_take,
)
