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


def register():
    bpy.utils.register_class(IMPULSE_PG_overlay)
    bpy.types.Scene.impulse_overlay = PointerProperty(type=IMPULSE_PG_overlay)


def unregister():
    del bpy.types.Scene.impulse_overlay
    bpy.utils.unregister_class(IMPULSE_PG_overlay)
