# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels of what came out: numbers of the active object, and takes."""

import bpy
import numpy as np

from ..playback import takes
from .base import ImpulsePanel
from .plot import charts_of, owner_of


class IMPULSE_PT_results(ImpulsePanel, bpy.types.Panel):
    """Energy, what motors do, what feet bear"""

    bl_label = "Results"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, tag = self.layout, context.scene.impulse
        row = layout.row()
        row.prop(tag, "use_results")
        row.prop(tag, "show_plot")
        owner = owner_of(context)
        charts = charts_of(owner)
        if not charts:
            layout.label(text="None yet; press Simulate")
            return
        layout.label(text=f"{owner.name}, in this frame and at most", icon="GRAPH")
        column = layout.column(align=True)
        for chart in charts:
            for text in rows_of(chart, context.scene.frame_current_final):
                column.label(text=text)


def rows_of(chart, frame):
    """A line for each curve: its value in a frame, and its largest amount."""
    for name, points in zip(chart.names, chart.curves, strict=True):
        now = np.interp(frame, points[:, 0], points[:, 1])
        most = points[np.abs(points[:, 1]).argmax(), 1]
        title = name if chart.title == "Energy" else f"{chart.title} {name}".strip()
        yield f"{title} {now:.4g}, {most:.4g} {chart.unit}"


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


CLASSES = (IMPULSE_PT_results, IMPULSE_PT_takes)
