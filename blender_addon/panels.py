# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels in the sidebar of the 3D view, tab Impulse."""

import bpy

from impulse_schema import models

from .joint_export import PARTS, used_fields
from .schema_properties import draw_end, draw_fields

PART_TITLES = {
    "limits": "Limits", "springs": "Springs", "frictions": "Frictions", "terms": "Terms",
}  # fmt: skip


class ImpulsePanel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Impulse"


def prepare(layout):
    """Labels left of the values, as in Blender's own property editors."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    return layout


def draw_list(layout, items, path, model, title, *, draw=None, skip=(), rotating=False):
    """A list of the file format: a box for each entry with its fields, add and remove."""
    header = layout.row()
    header.label(text=title)
    header.operator("impulse.list_add", text="", icon="ADD").path = path
    for index, item in enumerate(items):
        box = layout.box()
        row = box.row()
        row.label(text=getattr(item, "name", "") or f"{title.removesuffix('s')} {index + 1}")
        remove = row.operator("impulse.list_remove", text="", icon="X", emboss=False)
        remove.path, remove.index = path, index
        if draw is None:
            draw_fields(box, item, model, skip=skip, rotating=rotating)
        else:
            draw(box, item, index)


class IMPULSE_UL_issues(bpy.types.UIList):
    """What is wrong with the scene; a click selects the object."""

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_name, index=0):
        icon = "ERROR" if item.severity == "ERROR" else "INFO"
        row = layout.row(align=True)
        if item.object_name:
            show = row.operator("impulse.select_issue", text="", icon="RESTRICT_SELECT_OFF")
            show.index = index
            row.label(text=f"{item.object_name}: {item.message}", icon=icon)
        else:
            row.label(text=item.message, icon=icon)


class IMPULSE_PT_main(ImpulsePanel, bpy.types.Panel):
    bl_label = "Impulse"

    def draw(self, context):
        layout = prepare(self.layout)
        tag = context.scene.impulse
        column = layout.column(align=True)
        row = column.row(align=True)
        row.scale_y = 1.4
        row.operator("impulse.run_simulation", icon="PLAY")
        row.operator("impulse.clear_animation", text="Clear", icon="TRASH")
        row = column.row(align=True)
        row.operator("impulse.validate_scene", text="Check", icon="CHECKMARK")
        row.operator("impulse.export_scene", text="Export", icon="EXPORT")
        row.operator("impulse.import_animation", text="Import", icon="IMPORT")
        if tag.progress_text:
            layout.progress(factor=tag.progress, text=f"{tag.progress_text} (Esc stops)")
        if len(tag.issues):
            layout.template_list("IMPULSE_UL_issues", "", tag, "issues", tag, "issue_index", rows=3)
            self.draw_issue(layout, tag)
        elif tag.checked:
            layout.label(text="No problems found", icon="CHECKMARK")

    def draw_issue(self, layout, tag):
        """The chosen issue in full, as the rows of the list cut long sentences."""
        if not 0 <= tag.issue_index < len(tag.issues):
            return
        issue = tag.issues[tag.issue_index]
        column = layout.column(align=True)
        for line in wrapped(f"{issue.message} {issue.hint}"):
            column.label(text=line)


def wrapped(text, width=44):
    """Lines of at most ``width`` characters; labels do not wrap by themselves."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > width and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


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


def draw_joint(layout, joint):
    layout.prop(joint, "type")
    used = used_fields(joint.type)
    for name in ("body1", "body2"):
        if name in used:
            draw_end(layout, joint, name)
    for name in ("anchor2", "axis2"):
        if name in used:
            layout.prop(joint, name)
    names = (
        *("length", "pitch", "collide", "break_force", "break_torque", "constant"),
        *("min_length", "max_length", "damping", "armature"),
    )
    draw_fields(layout, joint, models.Joint, names=used.intersection(names))
    freedoms = models.FREE_AXES.get(joint.type) or models.LIMITED_AXES.get(joint.type, ())
    rotating = "rotation" in freedoms or joint.type in models.LIMITED_AXES
    # Only cylindrical and ball joints and screws have a choice of axis.
    skip = ("freedom",) if len(freedoms) == 1 else ()
    if "motors" in used:
        draw_list(
            layout, joint.motors, "joint.motors", models.Motor, "Motors",
            draw=lambda box, item, index: draw_motor(box, item, index, rotating, skip),
        )  # fmt: skip
    for name, title in PART_TITLES.items():
        if name in used:
            items, path = getattr(joint, name), f"joint.{name}"
            draw_list(layout, items, path, PARTS[name], title, skip=skip, rotating=rotating)


def draw_motor(layout, motor, index, rotating, skip):
    if motor.kind != "servo":
        skip = (*skip, "proportional", "derivative", "integral", "explicit")
    rotating = rotating and motor.freedom != "translation" and motor.kind != "force"
    draw_fields(layout, motor, models.Motor, skip=skip, rotating=rotating)
    layout.prop(motor, "use_curve")
    if motor.use_curve:
        draw_fields(layout, motor.curve, models.Curve)
        path = f"joint.motors[{index}].curve.samples"
        draw_list(
            layout, motor.curve.samples, path, None, "Samples",
            draw=lambda box, item, _index: draw_sample(box, item),
        )  # fmt: skip


def draw_sample(layout, sample):
    row = layout.row(align=True)
    row.prop(sample, "time")
    row.prop(sample, "value")


def draw_spring(layout, spring):
    for name in ("body1", "body2"):
        draw_end(layout, spring, name)
    layout.prop(spring, "anchor2")
    names = ("stiffness", "damping", "rest_length")
    draw_fields(layout, spring, models.SpringDamper, names=names)


class IMPULSE_PT_settings(ImpulsePanel, bpy.types.Panel):
    bl_label = "Simulation"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = prepare(self.layout)
        tag = context.scene.impulse
        layout.prop(tag, "title")
        layout.prop(tag, "description")
        draw_fields(layout, tag.settings, models.Settings)


class IMPULSE_PT_materials(ImpulsePanel, bpy.types.Panel):
    bl_label = "Materials"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout = prepare(self.layout)
        tag = context.scene.impulse
        draw_list(layout, tag.materials, "materials", models.Material, "Materials")
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


CLASSES = (
    IMPULSE_UL_issues,
    IMPULSE_PT_main,
    IMPULSE_PT_object,
    IMPULSE_PT_settings,
    IMPULSE_PT_materials,
    IMPULSE_PT_collision,
)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
