# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add motors, limits, springs and materials with numbers that work."""

import bpy
from bpy.props import EnumProperty

from impulse_schema import models

from ..authoring import defaults, measuring
from ..authoring.presets import DENSITIES, SURFACES
from ..authoring.tagging import TagError
from ..export.scene_export import metres_of
from ..properties.schema_properties import enum_items, kind_of
from .lists import unused_name
from .tag import TagOperator

DENSITY_ITEMS = [
    (key, f"{item.name}, {item.value:g} kg/m³", f"Source: {item.source}")
    for key, item in DENSITIES.items()
]
SURFACE_ITEMS = [
    (key, item.name, f"Friction {item.static:g} and {item.kinetic:g}. Source: {item.source}")
    for key, item in SURFACES.items()
]


def selected_joints(context):
    """The selected joints, the active one among them; raises TagError where there is none."""
    joints = [obj for obj in context.selected_objects if obj.impulse.kind == "JOINT"]
    if not joints:
        raise TagError("Select a joint first.")
    return joints


class IMPULSE_OT_add_motor(TagOperator, bpy.types.Operator):
    """Add a motor to the selected joints; the gains of a servo suit the masses it moves"""

    bl_idname = "impulse.add_motor"
    bl_label = "Add Motor"

    kind: EnumProperty(
        items=enum_items(kind_of(models.Motor.model_fields["kind"]).choices),
        name="Kind",
        default="servo",
    )

    def tag(self, context):
        joints = selected_joints(context)
        for joint in joints:
            defaults.add_motor(context, joint, self.kind)
        return f"{self.kind} on {len(joints)} joints"


class IMPULSE_OT_add_limit(TagOperator, bpy.types.Operator):
    """Limit the selected joints: 45 degrees either way, or half the size of a body"""

    bl_idname = "impulse.add_limit"
    bl_label = "Add Limit"

    def tag(self, context):
        joints = selected_joints(context)
        for joint in joints:
            defaults.add_limit(joint, metres_of(context.scene))
        return f"{len(joints)} joints limited"


class IMPULSE_OT_add_spring(TagOperator, bpy.types.Operator):
    """Add a spring on the axis of the selected joints that swings about once a second"""

    bl_idname = "impulse.add_spring"
    bl_label = "Add Spring"

    def tag(self, context):
        joints = selected_joints(context)
        for joint in joints:
            defaults.add_spring(context, joint)
        return f"springs on {len(joints)} joints"


class IMPULSE_OT_set_density(TagOperator, bpy.types.Operator):
    """Give the selected bodies the density of a material"""

    bl_idname = "impulse.set_density"
    bl_label = "Density"

    material: EnumProperty(items=DENSITY_ITEMS, name="Material", default="STEEL")

    def tag(self, context):
        item = DENSITIES[self.material]
        count = defaults.set_density(context.selected_objects, item.value)
        return f"{count} bodies of {item.name.lower()}"


class IMPULSE_OT_add_material(bpy.types.Operator):
    """Add a material with the friction and density of a real one"""

    bl_idname = "impulse.add_material"
    bl_label = "Add Material"
    bl_options = {"REGISTER", "UNDO"}

    material: EnumProperty(items=SURFACE_ITEMS, name="Material", default="STEEL")

    def execute(self, context):
        surface = SURFACES[self.material]
        materials = context.scene.impulse.materials
        taken = {item.name for item in materials}
        item = materials.add()
        item.name = unused_name(surface.name, taken) if surface.name in taken else surface.name
        item.use_density, item.density = True, DENSITIES[surface.density].value
        item.static_friction = surface.static
        item.use_kinetic_friction, item.kinetic_friction = True, surface.kinetic
        item.restitution = surface.restitution
        return {"FINISHED"}


class IMPULSE_OT_measure_masses(bpy.types.Operator):
    """Measure the mass, centre and inertia of all bodies"""

    bl_idname = "impulse.measure_masses"
    bl_label = "Measure"

    def execute(self, context):
        measuring.refresh(context)
        mass, count = measuring.total(context)
        self.report({"INFO"}, f"{count} bodies, {mass:.4g} kg")
        return {"FINISHED"}


CLASSES = (
    IMPULSE_OT_add_motor,
    IMPULSE_OT_add_limit,
    IMPULSE_OT_add_spring,
    IMPULSE_OT_set_density,
    IMPULSE_OT_add_material,
    IMPULSE_OT_measure_masses,
)
