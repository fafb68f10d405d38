# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of docs/first-walker.md: an empty file becomes a machine that walks.

    BLENDER=/path/to/blender python -m tests.window --tutorial

takes its pictures in a real window. Each step is a function of the operators that the buttons call;
tests/blender/test_first_walker.py does them without a window and looks whether the machine walks.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy

HIP = 0.46  # m, height of the hips
THIGH = SHANK = 0.22  # m
FOOT = 0.035  # m, radius
SPREAD, ASIDE = 0.3, 0.3  # m, of the legs from the middle of the torso
PERIOD = 0.5  # s
SWING = "0.15*(1 - exp(-4*t))*sin(2*pi*(t/period + phase))"
LIFT = "(1 - exp(-4*t))*(1 - cos(2*pi*(t/period + phase)))*(1 - cos(2*pi*(t/period + phase)))"
HIP_TARGET = f"{SWING} - 0.04*{LIFT}"
KNEE_TARGET = f"0.075*{LIFT}"
SECONDS = 4


def torso() -> None:
    """A cube becomes the torso: a body."""
    cube("torso", (0, 0, HIP), (0.8, 0.4, 0.14))
    bpy.ops.impulse.tag_body(shape="box")


def leg() -> None:
    """Two more cubes and a sphere are the leg in front on the left."""
    cube("thigh front.L", (SPREAD, ASIDE, HIP - THIGH / 2), (0.05, 0.05, THIGH))
    cube("shank front.L", (SPREAD, ASIDE, HIP - THIGH - SHANK / 2), (0.04, 0.04, SHANK))
    select("thigh front.L", "shank front.L")
    bpy.ops.impulse.tag_body(shape="box")
    bpy.ops.mesh.primitive_uv_sphere_add(radius=FOOT, location=(SPREAD, ASIDE, HIP - THIGH - SHANK))
    bpy.context.object.name = "foot front.L"
    bpy.ops.impulse.tag_geometry(body="shank front.L", shape="sphere")


def joints() -> None:
    """The hip between torso and thigh, the knee between thigh and shank: hinges about y."""
    cursor((SPREAD, ASIDE, HIP))
    join("hip front.L", "torso", "thigh front.L")
    cursor((SPREAD, ASIDE, HIP - THIGH))
    join("knee front.L", "thigh front.L", "shank front.L")


def motors() -> None:
    """Servos in both, which follow an expression of the time and of the leg's phase."""
    scene = bpy.context.scene.impulse
    bpy.ops.impulse.list_add(path="constants")
    scene.constants[-1].name, scene.constants[-1].value = "period", PERIOD
    for name, target in (("hip front.L", HIP_TARGET), ("knee front.L", KNEE_TARGET)):
        select(name)
        bpy.ops.impulse.add_motor(kind="servo")
        motor = bpy.context.object.impulse.joint.motors[0]
        motor.expression = target
        motor.proportional, motor.derivative = 500.0, 50.0


def right_leg() -> None:
    """Mirror Limb makes the leg on the right."""
    select("thigh front.L", "shank front.L")
    bpy.ops.impulse.mirror_limb(axis="Y", phase=0.0)


def rear_legs() -> None:
    """Repeat Limb makes both again, farther back."""
    select("thigh front.L", "shank front.L", "thigh front.R", "shank front.R")
    bpy.ops.impulse.repeat_limb(count=2, offset=(-2 * SPREAD, 0.0, 0.0))


def gait() -> None:
    """Set Gait gives each leg its phase: of four legs, two in opposite corners move together."""
    select(*(o.name for o in bpy.data.objects if o.name.startswith("hip")))
    bpy.ops.impulse.set_gait(gait="tripod", forward="X", about="torso")


def ground() -> None:
    """A plane below the feet, which does not move, and rubber for what touches it."""
    bpy.ops.mesh.primitive_plane_add(size=20.0, location=(0, 0, HIP - THIGH - SHANK - FOOT))
    bpy.context.object.name = "ground"
    bpy.ops.impulse.tag_body(motion="static", shape="plane")
    bpy.ops.impulse.add_material(material="RUBBER")
    rubber = bpy.context.scene.impulse.materials[-1].name
    for obj in bpy.data.objects:
        if obj.name.startswith(("ground", "foot")):
            obj.impulse.geometry.material = rubber


def frames() -> None:
    """Four seconds of frames."""
    scene = bpy.context.scene
    scene.frame_end = scene.frame_start + SECONDS * scene.render.fps
    scene.impulse.settings.time_of_impact = True


STEPS: list[Callable[[], None]] = [
    torso, leg, joints, motors, right_leg, rear_legs, gait, ground, frames,
]  # fmt: skip


def cube(name: str, location: tuple, dimensions: tuple) -> None:
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=location)
    bpy.context.object.name = name
    bpy.context.object.dimensions = dimensions
    bpy.context.view_layer.update()


def cursor(place: tuple) -> None:
    bpy.context.scene.cursor.location = place


def select(*names: str) -> None:
    for other in bpy.context.selected_objects:
        other.select_set(False)
    for name in names:
        bpy.data.objects[name].select_set(True)
    bpy.context.view_layer.objects.active = bpy.data.objects[names[-1]]


def join(name: str, *bodies: str) -> None:
    select(*bodies)
    bpy.ops.impulse.add_joint(type="hinge", place="CURSOR", axis="Y", name=name)
