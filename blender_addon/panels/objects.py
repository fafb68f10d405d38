# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the active object: its tag, and what a body, solid or spring is."""

import bpy

from impulse_schema import models

from ..properties.schema_properties import draw_end, draw_fields
from .base import ImpulsePanel, draw_list, prepare
from .joints import draw_joint


class IMPULSE_PT_object(ImpulsePanel, bpy.types.Panel):
    bl_label = "Object"

    @classmethod
    def poll(cls, context):
        return context.object is not None

    def draw(self, context):
        layout = prepare(self.layout)
        obj = context.object
        tag = obj.impulse
        layout.label(text=obj.name, icon="OBJECT_DATA")
        row = layout.row(align=True)
        for kind, name in (
            ("BODY", "body"),
            ("GEOMETRY", "geometry"),
            ("JOINT", "joint"),
            ("SPRING", "spring"),
        ):
            depressed = tag.kind == kind
            row.operator(f"impulse.tag_{name}", text=name.capitalize(), depress=depressed)
        row.operator("impulse.clear_tags", text="", icon="X")
        if tag.kind == "BODY":
            layout.operator("impulse.add_joint", icon="ADD")
            draw_body(layout, tag, context.scene.impulse)
        elif tag.kind == "GEOMETRY":
            layout.prop(tag.geometry, "body")
            draw_solid(layout, tag.geometry, context.scene.impulse)
        elif tag.kind == "JOINT":
            draw_joint(layout, tag.joint)
        elif tag.kind == "SPRING":
            draw_spring(layout, tag.spring)
        else:
            layout.label(text="Not part of the simulation")


def draw_body(layout, tag, scene_tag):
    body = tag.body
    draw_fields(layout, body, models.Body, names=("motion",))
    if body.motion == "dynamic":
        column = layout.column()
        column.prop(body, "mass_source")
        if body.mass_source == "density":
            column.prop(body, "density")
        elif body.mass_source in ("mass", "explicit"):
            column.prop(body, "mass")
        if body.mass_source == "explicit":
            for name in ("center_of_mass", "inertia", "inertia_products"):
                column.prop(body, name)
        draw_fields(layout, body, models.Body, names=("velocity", "angular_velocity"))
    elif body.motion == "kinematic":
        draw_fields(layout, body, models.Body, names=("keyframe_interpolation",))
    draw_fields(layout, body, models.Body, names=("collision_group", "record_clearance"))
    layout.prop(body, "own_geometry")
    if body.own_geometry:
        draw_solid(layout.box(), tag.geometry, scene_tag)
    if body.motion == "dynamic":
        draw_list(layout, body.loads, "body.loads", models.Load, "Loads")


def draw_solid(layout, geometry, scene_tag):
    draw_fields(layout, geometry, models.Geometry, skip=("material",))
    layout.prop_search(geometry, "material", scene_tag, "materials", icon="MATERIAL")


def draw_spring(layout, spring):
    for name in ("body1", "body2"):
        draw_end(layout, spring, name)
    layout.prop(spring, "anchor2")
    names = ("stiffness", "damping", "rest_length")
    draw_fields(layout, spring, models.SpringDamper, names=names)


CLASSES = (IMPULSE_PT_object,)
