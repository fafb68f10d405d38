# SPDX-License-Identifier: GPL-3.0-or-later
"""What things weigh: the body beside what was asked for, and the machine as a whole."""

import bpy

from ..authoring import measuring
from .base import ImpulsePanel, prepare


def number(value):
    """Four digits, as short as they can be written."""
    return f"{value:.4g}"


def weight(mass):
    """A mass in grams, kilograms or tonnes."""
    if mass < 0.1:
        return f"{number(mass * 1000)} g"
    return f"{number(mass)} kg" if mass < 10_000 else f"{number(mass / 1000)} t"


def draw_measured(layout, body):
    """Mass, centre and moments of inertia of a body as they result, in its own axes."""
    current = measuring.is_current(body.name)
    found = measuring.known(body.name)
    if found is None:
        layout.label(text="Mass: measuring …", icon="TIME")
        return
    if found.problem:
        layout.label(text=found.problem, icon="ERROR")
        return
    column = layout.column(align=True)
    column.active = current
    volume = f", {number(found.volume * 1000)} l" if found.volume else ""
    column.label(text=f"Mass {weight(found.mass)}{volume}", icon="CHECKMARK")
    column.label(text="Center " + ", ".join(number(x) for x in found.centre) + " m")
    column.label(text="Inertia " + ", ".join(number(x) for x in found.principal()) + " kg·m²")


class IMPULSE_PT_machine(ImpulsePanel, bpy.types.Panel):
    bl_label = "Machine"
    page = ("blender", "what-is-drawn")

    def draw(self, context):
        layout = prepare(self.layout)
        mass, count = measuring.total(context)
        row = layout.row()
        row.label(text=f"{weight(mass)} in {count} bodies" if count else "No mass measured yet")
        row.operator("impulse.measure_masses", text="", icon="FILE_REFRESH")
        settings = context.scene.impulse_overlay
        row = layout.row(heading="Draw")
        row.prop(settings, "show", text="")
        value = row.row()
        value.active = settings.show
        value.prop(settings, "size")
        grid = layout.grid_flow(columns=2, align=True)
        grid.active = settings.show
        grid.use_property_split = False
        for layer in ("joints", "colliders", "masses", "contacts"):
            grid.prop(settings, layer)


CLASSES = (IMPULSE_PT_machine,)
