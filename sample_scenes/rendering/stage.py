# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the sample scenes are pictured: ground, sun, sky, a camera that sees all that matters."""

from __future__ import annotations

import math
from collections.abc import Iterable

import bpy
import numpy as np
from mathutils import Vector

# Name: base colour (linear RGB), metallic, roughness.
COLOURS = {
    "orange": ((0.80, 0.25, 0.03), 0.0, 0.35),
    "blue": ((0.03, 0.16, 0.42), 0.0, 0.35),
    "teal": ((0.02, 0.26, 0.27), 0.0, 0.35),
    "red": ((0.52, 0.04, 0.03), 0.0, 0.35),
    "yellow": ((0.80, 0.50, 0.04), 0.0, 0.4),
    "green": ((0.09, 0.30, 0.08), 0.0, 0.4),
    "violet": ((0.20, 0.07, 0.35), 0.0, 0.4),
    "white": ((0.78, 0.75, 0.69), 0.0, 0.3),
    "steel": ((0.38, 0.40, 0.43), 0.9, 0.3),
    "dark": ((0.03, 0.035, 0.045), 0.1, 0.5),
    "shell": ((0.72, 0.42, 0.24), 0.0, 0.25),
    "earth": ((0.30, 0.25, 0.19), 0.0, 0.95),
    "stone": ((0.36, 0.36, 0.35), 0.0, 0.9),
    "asphalt": ((0.10, 0.10, 0.11), 0.0, 0.85),
    "ice": ((0.55, 0.72, 0.82), 0.0, 0.08),
}


def clear() -> bpy.types.Scene:
    """An empty file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return bpy.context.scene


def paint(name: str) -> bpy.types.Material:
    """One of the COLOURS."""
    found = bpy.data.materials.get(name)
    if found is not None:
        return found
    rgb, metallic, roughness = COLOURS[name]
    made = bpy.data.materials.new(name)
    if made.node_tree is None:  # before Blender 5.0
        made.use_nodes = True
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*rgb, 1.0)
    shader.inputs["Metallic"].default_value = metallic
    shader.inputs["Roughness"].default_value = roughness
    made.diffuse_color = (*rgb, 1.0)
    return made


def add_light(scene: bpy.types.Scene) -> None:
    """Sun over the left shoulder and a sky."""
    sun = bpy.data.lights.new("sun", "SUN")
    sun.energy, sun.angle, sun.color = 3.2, math.radians(2.0), (1.0, 0.92, 0.80)
    lamp = bpy.data.objects.new("sun", sun)
    lamp.rotation_euler = (math.radians(48), 0, math.radians(-35))
    scene.collection.objects.link(lamp)
    add_sky(scene)
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.45


def aim(
    scene: bpy.types.Scene,
    objects: Iterable[bpy.types.Object],
    *,
    azimuth: float,
    elevation: float,
    margin: float = 1.08,
    lens: float = 45.0,
) -> bpy.types.Object:
    """A camera that has just these objects in view.

    Args:
        scene: Blender's scene; it gets the camera.
        objects: What is to be seen.
        azimuth: Of the camera seen from the objects [degrees], 0 in the direction of x.
        elevation: Of the camera above the horizon [degrees].
        margin: How much farther away the camera is than it could be.
        lens: Focal length [mm].
    """
    bpy.context.view_layer.update()
    corners = np.array(
        [obj.matrix_world @ Vector(corner) for obj in objects for corner in obj.bound_box]
    )
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.lens = lens
    camera.data.clip_start, camera.data.clip_end = 0.002, 1000.0
    scene.collection.objects.link(camera)
    scene.camera = camera
    turn, rise = math.radians(azimuth), math.radians(elevation)
    outward = Vector(
        (math.cos(rise) * math.cos(turn), math.cos(rise) * math.sin(turn), math.sin(rise))
    )
    camera.rotation_euler = (-outward).to_track_quat("-Z", "Y").to_euler()
    bpy.context.view_layer.update()
    place, _ = camera.camera_fit_coords(
        bpy.context.evaluated_depsgraph_get(), corners.ravel().tolist()
    )
    middle = Vector(corners.mean(axis=0))
    camera.location = place + outward * (place - middle).length * (margin - 1)
    return camera


def add_sky(scene: bpy.types.Scene) -> None:
    """A gradient from a warm horizon to blue, the same in every Blender version."""
    world = bpy.data.worlds.new("sky")
    scene.world = world
    if world.node_tree is None:  # before Blender 5.0
        world.use_nodes = True
    nodes, links = world.node_tree.nodes, world.node_tree.links
    background = nodes["Background"]
    ramp = nodes.new("ShaderNodeValToRGB")
    split = nodes.new("ShaderNodeSeparateXYZ")
    coordinates = nodes.new("ShaderNodeTexCoord")
    links.new(coordinates.outputs["Generated"], split.inputs[0])
    links.new(split.outputs["Z"], ramp.inputs["Fac"])
    links.new(ramp.outputs["Color"], background.inputs["Color"])
    stops = ramp.color_ramp.elements
    stops[0].position, stops[0].color = 0.0, (1.0, 0.80, 0.58, 1.0)
    stops[1].position, stops[1].color = 0.45, (0.10, 0.30, 0.72, 1.0)
    background.inputs["Strength"].default_value = 0.85


def set_render(scene: bpy.types.Scene, *, samples: int = 24, width: int = 640) -> None:
    """Cycles on the processor, 16:10, few samples and a denoiser."""
    scene.render.engine = "CYCLES"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = True
    scene.cycles.max_bounces = 4
    scene.render.use_persistent_data = True
    scene.render.resolution_x, scene.render.resolution_y = width, width * 10 // 16
    scene.render.resolution_percentage = 100
    scene.view_settings.view_transform = "AgX"
    scene.view_settings.look = "AgX - Medium High Contrast"
    scene.view_settings.exposure = 0.4
    scene.render.image_settings.file_format = "PNG"
