# SPDX-License-Identifier: GPL-3.0-or-later
"""How the walking machine looks: colours, milestones, a camera that goes along. No physics here."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import bpy

sys.path.append(str(Path(__file__).resolve().parents[1] / "rendering"))

import solids_blender
import stage
from parts import box, mesh

from impulse_schema import Geometry, load_scene

MILESTONE = 0.5  # m from one to the next
COLOURS = {"crank": "blue", "swivel": "dark", "shank": "steel"}


def colour(body: str, solid: Geometry) -> str:
    """Of a solid of the machine or of what it walks on."""
    if body in ("ground", "rock"):
        return "earth"
    if body == "ice":
        return "ice"
    if body == "torso":
        return {"hull": "orange", "cabin": "white", "beam": "dark"}[solid.name]
    return "dark" if solid.name == "foot" else COLOURS[body.rsplit("-", 1)[-1]]


def build(view: bpy.types.Scene, scene_file: Path, *, samples: int, width: int) -> None:
    """The scene of a file in an empty Blender scene, with milestones, light and camera."""
    scene = load_scene(scene_file)
    objects = solids_blender.bodies(scene, colour, stage.paint)
    for obj in objects.values():
        view.collection.objects.link(obj)
    view.render.fps, view.render.fps_base = 25, 1.0
    moving = [obj for name, obj in objects.items() if name != "ground"]
    furnish(view, moving, objects["torso"])
    stage.set_render(view, samples=samples, width=width)


def furnish(
    view: bpy.types.Scene, machine: Iterable[bpy.types.Object], torso: bpy.types.Object
) -> None:
    """Milestones, light, and a camera that sees the machine and goes along with its torso."""
    add_milestones(view)
    stage.add_light(view)
    camera = stage.aim(view, machine, azimuth=-58, elevation=16, margin=1.25)
    follow = camera.constraints.new("COPY_LOCATION")
    follow.target, follow.use_y, follow.use_z, follow.use_offset = torso, False, False, True


def add_milestones(view: bpy.types.Scene, *, last: float = 6.0) -> None:
    """Stones beside the way, a red one for each metre."""
    for number in range(round(last / MILESTONE) + 1):
        shade = "stone" if number % 2 else "red"
        for y in (-0.75, 0.75):
            place = (number * MILESTONE, y, 0.04)
            data = mesh("milestone", box((0.06, 0.06, 0.08), place))
            data.materials.append(stage.paint(shade))
            view.collection.objects.link(bpy.data.objects.new("milestone", data))
