# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the active object: its tag, and what a body, solid or spring is."""

import bpy

from impulse_schema import models

from ..authoring.joining import bodies_of_selection
from ..properties.schema_properties import draw_end, draw_fields
from .base import ImpulsePanel, draw_curve, draw_list, folded, prepare
from .joints import draw_joint
from .masses import draw_measured

# Fields of a solid that are rarely set.
RARE = ("rounding", "decompose", "diagonal")


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
            # "Geometry" is wider than its button.
            text = "Solid" if name == "geometry" else name.capitalize()
            row.operator(f"impulse.tag_{name}", text=text, depress=tag.kind == kind)
        row.operator("impulse.clear_tags", text="", icon="X")
        if tag.kind == "BODY":
            draw_add_joint(layout, context)
            draw_body(layout, obj, context.scene.impulse)
        elif tag.kind == "GEOMETRY":
            layout.prop(tag.geometry, "body")
            draw_solid(layout, tag.geometry, context.scene.impulse)
            rare = folded(layout, "solid_more", "More")
            if rare:
                draw_fields(rare, tag.geometry, models.Geometry, names=RARE)
        elif tag.kind == "JOINT":
            draw_joint(layout, tag.joint)
        elif tag.kind == "SPRING":
            draw_spring(layout, tag.spring)
        else:
            layout.label(text="Not part of the simulation")


def draw_add_joint(layout, context):
    """A menu of joint types: between the selected bodies, of more than two as a chain."""
    bodies = bodies_of_selection(context)
    chain = len(bodies) > 2
    row = layout.row(align=True)
    row.enabled = bool(bodies)
    ends = "to World" if len(bodies) == 1 else f"Chain of {len(bodies)}" if chain else "of 2 Bodies"
    menu = row.operator_menu_enum("impulse.add_joint", "type", text=f"Joint {ends}", icon="ADD")
    menu.place, menu.axis, menu.chain = "AUTO", "AUTO", chain


def draw_body(layout, obj, scene_tag):
    tag = obj.impulse
    body = tag.body
    draw_fields(layout, body, models.Body, names=("motion",))
    if body.motion == "dynamic":
        draw_mass(layout, obj)
    elif body.motion == "kinematic":
        draw_fields(layout, body, models.Body, names=("keyframe_interpolation",))
    layout.prop(body, "own_geometry")
    if body.own_geometry:
        # The density of the body is the one to set; that of a solid is for machines of several.
        box = layout.box()
        draw_solid(box, tag.geometry, scene_tag, skip=("density",))
    if body.motion == "dynamic":
        start = folded(layout, "body_start", "Start velocity")
        if start:
            draw_fields(start, body, models.Body, names=("velocity", "angular_velocity"))
        draw_list(layout, body.loads, "body.loads", models.Load, "Loads", draw=draw_load)
    rare = folded(layout, "body_more", "More")
    if rare:
        draw_fields(rare, body, models.Body, names=("collision_group", "record_clearance"))
        if body.own_geometry:
            draw_fields(rare, tag.geometry, models.Geometry, names=("density", *RARE))


def draw_load(layout, load, index):
    """The fields of a load; phase is a word of its expression."""
    skip = () if load.expression else ("phase",)
    draw_fields(layout, load, models.Load, skip=skip)
    draw_curve(layout, load, f"body.loads[{index}]")


def draw_mass(layout, obj):
    """What is asked for, and what results."""
    body = obj.impulse.body
    column = layout.column()
    column.prop(body, "mass_source")
    if body.mass_source == "density":
        row = column.row(align=True)
        row.use_property_split = False
        row.prop(body, "density")
        row.operator_menu_enum("impulse.set_density", "material", text="", icon="MATERIAL")
    elif body.mass_source in ("mass", "explicit"):
        column.prop(body, "mass")
    if body.mass_source == "explicit":
        wide = column.column()
        wide.use_property_split = False
        for name in ("center_of_mass", "inertia", "inertia_products"):
            wide.prop(body, name)
    draw_measured(layout, obj)


def draw_solid(layout, geometry, scene_tag, skip=()):
    names = ("shape", "role", "density")
    draw_fields(layout, geometry, models.Geometry, names=names, skip=skip)
    layout.prop_search(geometry, "material", scene_tag, "materials", icon="MATERIAL")


def draw_spring(layout, spring):
    for name in ("body1", "body2"):
        draw_end(layout, spring, name)
    layout.prop(spring, "anchor2")
    names = ("stiffness", "damping", "rest_length")
    draw_fields(layout, spring, models.SpringDamper, names=names)


CLASSES = (IMPULSE_PT_object,)
