# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels of the scene: settings, materials, who touches whom."""

import bpy

from impulse_schema import models

from ..properties.schema_properties import draw_fields
from .base import ImpulsePanel, draw_list, prepare


class IMPULSE_PT_settings(ImpulsePanel, bpy.types.Panel):
    bl_label = "Simulation"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = prepare(self.layout)
        tag = context.scene.impulse
        layout.prop(tag, "title")
        layout.prop(tag, "description")
        draw_fields(layout, tag.settings, models.Settings)
        if tag.settings.use_duration:
            layout.prop(tag.settings, "fit_range")
        layout.operator("impulse.clear_cache", icon="TRASH")


class IMPULSE_PT_materials(ImpulsePanel, bpy.types.Panel):
    bl_label = "Materials"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = prepare(self.layout)
        tag = context.scene.impulse
        draw_list(
            layout, tag.materials, "materials", models.Material, "Materials",
            add=("impulse.add_material", "material"),
        )  # fmt: skip
        draw_list(layout, tag.material_pairs, "material_pairs", models.MaterialPair, "Pairs")


class IMPULSE_PT_collision(ImpulsePanel, bpy.types.Panel):
    bl_label = "Collision filter"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context):
        self.layout.prop(context.scene.impulse, "use_collision_filter", text="")

    def draw(self, context):
        layout = prepare(self.layout)
        tag = context.scene.impulse
        layout.active = tag.use_collision_filter
        layout.prop(tag, "collide_by_default")
        draw_list(layout, tag.collision_pairs, "collision_pairs", models.CollisionPair, "Pairs")
        draw_list(
            layout, tag.collision_groups, "collision_groups", models.CollisionGroupRule, "Groups"
        )


CLASSES = (IMPULSE_PT_settings, IMPULSE_PT_materials, IMPULSE_PT_collision)
