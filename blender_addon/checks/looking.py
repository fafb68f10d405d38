# SPDX-License-Identifier: GPL-3.0-or-later
"""An issue is looked at: its object selected, in the middle of the view, its tags in the panel."""

from __future__ import annotations

import bpy

from ..compat import show_sidebar


def look_at(context: bpy.types.Context, obj: bpy.types.Object) -> bool:
    """Select only ``obj`` and frame it in every 3D view; whether it can be seen now."""
    if context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    for other in context.selected_objects:
        other.select_set(False)
    obj.hide_set(False)
    obj.hide_select = False
    obj.select_set(True)
    context.view_layer.objects.active = obj
    context.view_layer.update()
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                _frame(context, window, area)
    return bool(obj.visible_get())


def _frame(context: bpy.types.Context, window: bpy.types.Window, area: bpy.types.Area) -> None:
    region = next((region for region in area.regions if region.type == "WINDOW"), None)
    if region is None:
        return
    with context.temp_override(window=window, area=area, region=region):
        if bpy.ops.view3d.view_selected.poll():
            bpy.ops.view3d.view_selected(use_all_regions=False)
    show_sidebar(area, "Impulse")
