# SPDX-License-Identifier: GPL-3.0-or-later
"""Preferences of the add-on: where the simulator is."""

import bpy
from bpy.props import StringProperty


class IMPULSE_Preferences(bpy.types.AddonPreferences):
    bl_idname = __package__ or "blender_addon"

    command: StringProperty(
        name="Impulse command",
        description="Command that starts impulse; empty: the one installed beside Blender's Python,"
        " or on the PATH",
    )

    def draw(self, _context):
        self.layout.prop(self, "command")


def command(context: bpy.types.Context) -> str:
    """The command the user chose, '' where none."""
    addon = context.preferences.addons.get(IMPULSE_Preferences.bl_idname)
    preferences = None if addon is None else addon.preferences
    return "" if preferences is None else preferences.command


def register() -> None:
    bpy.utils.register_class(IMPULSE_Preferences)


def unregister() -> None:
    bpy.utils.unregister_class(IMPULSE_Preferences)
