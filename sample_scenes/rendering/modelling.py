# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects for machines that are modelled by script, tagged by the add-on's own operators."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import bpy

import blender_addon

Vector = Sequence[float]


def select(*objects: bpy.types.Object) -> None:
    """Make these the selected objects, which operators act on; the last is the active one."""
    for other in bpy.context.selected_objects:
        other.select_set(False)
    for obj in objects:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = objects[-1]


def part(
    name: str, mesh: bpy.types.Mesh, location: Vector, material: bpy.types.Material
) -> bpy.types.Object:
    """A new object of a mesh, which is painted."""
    obj = bpy.data.objects.new(name, mesh)
    obj.location = location
    mesh.materials.clear()
    mesh.materials.append(material)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def attach(child: bpy.types.Object, parent: bpy.types.Object) -> None:
    child.parent = parent


def empty(name: str, location: Vector, size: float) -> bpy.types.Object:
    made = bpy.data.objects.new(name, None)
    made.empty_display_size = size
    made.location = location
    bpy.context.scene.collection.objects.link(made)
    return made


def tag_body(obj: bpy.types.Object, **options) -> None:
    select(obj)
    bpy.ops.impulse.tag_body(**options)


def tag_solid(
    obj: bpy.types.Object, body: bpy.types.Object, *, shape: str = "mesh", role: str = "both"
) -> None:
    """Make an object a solid of a body; its place is in the axes of the body."""
    attach(obj, body)
    select(obj)
    bpy.ops.impulse.tag_geometry(body=body.name, shape=shape, role=role)


def set_geometry(obj: bpy.types.Object, **values) -> None:
    for key, value in values.items():
        setattr(obj.impulse.geometry, key, value)


def joint(
    name: str,
    kind: str,
    location: Vector,
    body1: str,
    body2: str,
    *,
    rotation: Vector = (0, 0, 0),
    anchor2: str = "",
    size: float = 0.3,
) -> bpy.types.Object:
    """An Empty at the joint's place, its z along the axis."""
    made = empty(name, location, size)
    made.rotation_euler = rotation
    select(made)
    bpy.ops.impulse.tag_joint(type=kind, body1=body1, body2=body2, anchor2=anchor2)
    return made


def main(description: str, build: Callable[[bpy.types.Context], None], xml: Path) -> None:
    """The command line of a script that models a machine and exports it, to ``xml`` by default."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--xml", type=Path, default=xml, help="scene to write")
    parser.add_argument("--blend", type=Path, help="also save the .blend")
    options = parser.parse_args()
    blender_addon.register()
    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    build(bpy.context)
    if options.blend:
        bpy.ops.wm.save_as_mainfile(filepath=str(options.blend.resolve()))
    bpy.ops.impulse.export_scene(filepath=str(options.xml.resolve()))
