# SPDX-License-Identifier: GPL-3.0-or-later
"""Preferences of the add-on: what is installed, whether it works, and where the simulator is."""

import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

import bpy
from bpy.props import StringProperty

from . import documentation
from .simulator.self_test import kernel_folder, size_of

# Seconds for which the size of the kernels is not looked at again.
FRESH = 2.0


@dataclass
class Answer:
    """What the last test of the simulator said; ``works`` is None before it has ended."""

    text: str = ""
    works: bool | None = None


ANSWER = Answer()


class IMPULSE_Preferences(bpy.types.AddonPreferences):
    bl_idname = __package__ or "blender_addon"

    command: StringProperty(
        name="Impulse command",
        description="Command that starts impulse; empty: the one installed beside Blender's Python,"
        " or on the PATH",
    )

    def draw(self, _context):
        layout = self.layout
        row = layout.row()
        row.label(text=f"Impulse {version()}")
        link = row.operator("wm.url_open", text="Documentation", icon="HELP")
        link.url = documentation.url("blender")
        draw_test(layout)
        draw_kernels(layout)
        layout.prop(self, "command")


def draw_test(layout):
    """The button that tries the simulator, and its answer."""
    layout.operator("impulse.test_simulator", icon="PLAY")
    icon = {None: "TIME", True: "CHECKMARK", False: "ERROR"}[ANSWER.works]
    for number, line in enumerate(ANSWER.text.splitlines()):
        layout.label(text=line, icon="BLANK1" if number else icon)


def draw_kernels(layout):
    """The folder of compiled kernels with its size."""
    try:
        folder = kernel_folder()
    except RuntimeError:
        return
    row = layout.row()
    row.label(text=f"Compiled kernels: {sizes.of(folder) / 1e6:.1f} MB in {folder}")
    if folder.exists():
        row.operator("wm.path_open", text="", icon="FILE_FOLDER").filepath = str(folder)


class Sizes:
    """The size of a folder, which is not looked at again at every redraw."""

    def __init__(self):
        self._known = {}

    def of(self, folder):
        """Bytes of the files in a folder, as they were some two seconds ago at most."""
        size, seen = self._known.get(folder, (0, float("-inf")))
        if time.monotonic() - seen > FRESH:
            size = size_of(folder)
            self._known[folder] = size, time.monotonic()
        return size


sizes = Sizes()


def version() -> str:
    """The version of the add-on, as its manifest states it."""
    manifest = Path(__file__).with_name("blender_manifest.toml")
    return tomllib.loads(manifest.read_text(encoding="utf-8"))["version"]


def command(context: bpy.types.Context) -> str:
    """The command the user chose, '' where none."""
    addon = context.preferences.addons.get(IMPULSE_Preferences.bl_idname)
    preferences = None if addon is None else addon.preferences
    return "" if preferences is None else preferences.command


def register() -> None:
    bpy.utils.register_class(IMPULSE_Preferences)


def unregister() -> None:
    bpy.utils.unregister_class(IMPULSE_Preferences)
