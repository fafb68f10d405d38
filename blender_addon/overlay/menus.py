# SPDX-License-Identifier: GPL-3.0-or-later
"""The switches of the overlay in the overlay menu and in the header of the 3D view."""

import bpy

from . import painting, settings


def draw_menu(self, context):
    """Rows in the overlay menu of the 3D view."""
    group = context.scene.impulse_overlay
    layout = self.layout.column()
    layout.active = context.space_data is None or context.space_data.overlay.show_overlays
    layout.separator()
    layout.label(text="Impulse")
    row = layout.row(align=True)
    row.prop(group, "show", text="Machine")
    value = row.row(align=True)
    value.active = group.show
    value.prop(group, "size")
    grid = layout.grid_flow(columns=2, align=True)
    grid.active = group.show
    for layer in settings.LAYERS:
        grid.prop(group, layer)


def draw_header(self, context):
    """The switch in the header of the 3D view, where there is a machine."""
    group = context.scene.impulse_overlay
    if not group.show or not painting.canvas.picture.is_empty():
        self.layout.prop(group, "show", text="", icon="CON_PIVOT")


def register():
    bpy.types.VIEW3D_PT_overlay.append(draw_menu)
    bpy.types.VIEW3D_HT_header.append(draw_header)


def unregister():
    bpy.types.VIEW3D_HT_header.remove(draw_header)
    bpy.types.VIEW3D_PT_overlay.remove(draw_menu)
