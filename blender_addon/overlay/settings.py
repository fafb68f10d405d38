# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlay shows: a group of the scene, so that a file keeps it."""

import bpy
from bpy.props import BoolProperty, FloatProperty, PointerProperty

LAYERS = ("joints", "colliders", "masses", "contacts")


def shown(settings):
    """The layers that are switched on."""
    return frozenset(layer for layer in LAYERS if getattr(settings, layer))


class IMPULSE_PG_overlay(bpy.types.PropertyGroup):
    """What is drawn over the machine in the 3D view."""

    show: BoolProperty(
        name="Impulse",
        description="Draw joints, colliders and centres of mass over the machine",
        default=True,
    )
    size: FloatProperty(
        name="Size",
        description="Size of joint glyphs, as a multiple of the display size of their Empties",
        default=1.0,
        min=0.01,
        soft_max=10.0,
    )
    joints: BoolProperty(
        name="Joints",
        description="Joints and springs: axis, freedom, limits, motors, lines to their bodies",
        default=True,
    )
    colliders: BoolProperty(
        name="Colliders", description="Solids that collide, as wires", default=True
    )
    masses: BoolProperty(name="Centers of mass", description="A cross at each", default=True)
    contacts: BoolProperty(
        name="Contacts", description="Contact points of the last run", default=True
    )


def draw_menu(self, context):
    """Rows in the overlay menu of the 3D view."""
    settings = context.scene.impulse_overlay
    layout = self.layout.column()
    layout.active = context.space_data is None or context.space_data.overlay.show_overlays
    layout.separator()
    layout.label(text="Impulse")
    row = layout.row(align=True)
    row.prop(settings, "show", text="Machine")
    value = row.row(align=True)
    value.active = settings.show
    value.prop(settings, "size")
    grid = layout.grid_flow(columns=2, align=True)
    grid.active = settings.show
    for layer in LAYERS:
        grid.prop(settings, layer)


def draw_header(self, context):
    """The switch in the header of the 3D view, where there is a machine."""
    if any(obj.impulse.kind != "NONE" for obj in context.view_layer.objects):
        self.layout.prop(context.scene.impulse_overlay, "show", text="", icon="CON_PIVOT")


def register():
    bpy.utils.register_class(IMPULSE_PG_overlay)
    bpy.types.Scene.impulse_overlay = PointerProperty(type=IMPULSE_PG_overlay)
    bpy.types.VIEW3D_PT_overlay.append(draw_menu)
    bpy.types.VIEW3D_HT_header.append(draw_header)


def unregister():
    bpy.types.VIEW3D_HT_header.remove(draw_header)
    bpy.types.VIEW3D_PT_overlay.remove(draw_menu)
    del bpy.types.Scene.impulse_overlay
    bpy.utils.unregister_class(IMPULSE_PG_overlay)
