# SPDX-License-Identifier: GPL-3.0-or-later
"""How the crane looks: colours, ground, light, camera, render settings. No physics in here."""

from __future__ import annotations

import math

import bpy
from mathutils import Vector
from parts import box, mesh
from stage import add_sky

# Name: base colour (linear RGB), metallic, roughness.
COLOURS = {
    "paint": ((0.83, 0.32, 0.02), 0.0, 0.35),
    "steel": ((0.33, 0.35, 0.38), 0.9, 0.35),
    "dark": ((0.035, 0.04, 0.05), 0.2, 0.5),
    "concrete": ((0.42, 0.41, 0.39), 0.0, 0.9),
    "glass": ((0.10, 0.22, 0.32), 0.3, 0.08),
    "load": ((0.02, 0.17, 0.36), 0.1, 0.45),
    "red": ((0.45, 0.045, 0.03), 0.1, 0.45),
    "green": ((0.06, 0.20, 0.10), 0.1, 0.45),
    "ground": ((0.26, 0.22, 0.17), 0.0, 0.95),
}


def paint(obj: bpy.types.Object, colour: str) -> None:
    """Give an object one of the COLOURS."""
    data = obj.data.materials
    data.clear()
    data.append(material(colour))


def material(colour: str) -> bpy.types.Material:
    found = bpy.data.materials.get(colour)
    if found is not None:
        return found
    rgb, metallic, roughness = COLOURS[colour]
    made = bpy.data.materials.new(colour)
    if made.node_tree is None:  # before Blender 5.0
        made.use_nodes = True
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*rgb, 1.0)
    shader.inputs["Metallic"].default_value = metallic
    shader.inputs["Roughness"].default_value = roughness
    made.diffuse_color = (*rgb, 1.0)
    return made


def add_surroundings(scene: bpy.types.Scene) -> None:
    """Ground and a few containers to show the scale."""
    ground = bpy.data.objects.new("ground", mesh("ground", box((400, 400, 0.2), (0, 0, -0.1))))
    scene.collection.objects.link(ground)
    paint(ground, "ground")
    container = mesh("container", box((2.6, 1.2, 1.2)), *_ribs())
    places = [
        ((-4.6, 4.6, 0.6), 0.3, "red"),
        ((-4.4, 4.7, 1.8), 0.25, "green"),
        ((-7.2, 2.6, 0.6), 0.9, "load"),
        ((3.4, 7.4, 0.6), -0.5, "green"),
        ((6.3, 6.6, 0.6), -0.4, "red"),
    ]
    for number, (location, turn, colour) in enumerate(places, start=1):
        crate = bpy.data.objects.new(f"container {number}", container.copy())
        crate.location = location
        crate.rotation_euler.z = turn
        scene.collection.objects.link(crate)
        paint(crate, colour)


def _ribs():
    return [box((0.06, 1.26, 1.22), (x, 0, 0)) for x in (-1.28, -0.85, -0.42, 0, 0.42, 0.85, 1.28)]


def add_light_and_camera(scene: bpy.types.Scene) -> None:
    """Late sun from the left, soft sky, a camera that sees the whole swing."""
    sun = bpy.data.lights.new("sun", "SUN")
    sun.energy, sun.angle, sun.color = 5.5, math.radians(1.5), (1.0, 0.87, 0.70)
    lamp = bpy.data.objects.new("sun", sun)
    lamp.rotation_euler = (math.radians(52), 0, math.radians(-38))
    scene.collection.objects.link(lamp)
    add_sky(scene)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.lens = 32
    camera.location = (7.5, -15.0, 3.4)
    target = Vector((1.3, 0.0, 4.15))
    camera.rotation_euler = (target - camera.location).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(camera)
    scene.camera = camera
