# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels of what came out: takes."""

import bpy

from ..playback import takes
from .base import ImpulsePanel


class IMPULSE_PT_takes(ImpulsePanel, bpy.types.Panel):
    """Motions that are kept"""

    bl_label = "Takes"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, scene = self.layout, context.scene
        layout.operator("impulse.keep_take", icon="FAKE_USER_ON")
        playing = takes.shown(scene)
        for take in scene.impulse.takes:
            row = layout.row(align=True)
            is_shown = take.name == playing
            icon = "RADIOBUT_ON" if is_shown else "RADIOBUT_OFF"
            row.operator("impulse.show_take", text=take.name, icon=icon).name = take.name
            compared = takes.is_compared(scene, take.name)
            compare = row.operator(
                "impulse.compare_take", text="", icon="MOD_WIREFRAME", depress=compared
            )
            compare.name = take.name
            row.operator("impulse.delete_take", text="", icon="X").name = take.name


CLASSES = (IMPULSE_PT_takes,)
