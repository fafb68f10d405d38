# SPDX-License-Identifier: GPL-3.0-or-later
"""Models the walking machine in Blender with the add-on's own operators, and exports it.

    python sample_scenes/walking/build_walking.py [--xml FILE] [--blend FILE]

Two legs are modelled, one for each half of the gait. Each is mirrored and repeated, so that three
feet strike while three lift. The gait lies on the timeline, as keys of the servos' targets.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in (HERE, HERE.parent / "rendering", HERE.parents[1], HERE.parents[1] / "schema"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

import bpy  # noqa: E402  the paths come first
import gait  # noqa: E402
import modelling  # noqa: E402
import parts  # noqa: E402
import stage  # noqa: E402
import walking_look  # noqa: E402
import walking_machine as plan  # noqa: E402
from modelling import joint, part, select, set_geometry, tag_body, tag_solid  # noqa: E402
from solids_blender import WIDE  # noqa: E402

FPS = 25
FRAMES = 251  # ten seconds
KEY_EVERY = 2  # frames
FEET_SIDES, WHEEL_SIDES = 24, 32  # of round meshes

HIP = gait.FOOT - gait.foot(gait.crank_angle(math.pi / 2))[1]  # m, height of the hips
ABOUT_Y = (-math.pi / 2, 0.0, 0.0)  # turns local z into y

# The legs that are modelled, on the left: where, and the phase of the gait they start with.
MODELLED = {"one": (plan.ALONG, -math.pi / 2), "two": (0.0, math.pi / 2)}
# What becomes of them and of their copies.
NAMES = {
    "one.L.001": "rear.L",
    "one.L": "front.L",
    "one.R": "middle.R",
    "two.R.001": "rear.R",
    "two.R": "front.R",
    "two.L": "middle.L",
}


def build(context: bpy.types.Context) -> None:
    """An empty file becomes the machine, tagged, keyed and lit."""
    scene = context.scene
    scene.render.fps, scene.render.fps_base = FPS, 1.0
    scene.frame_start, scene.frame_end = 1, FRAMES
    scene.frame_set(1)
    set_scene(scene)
    add_ground()
    add_torso()
    for name, (x, phase) in MODELLED.items():
        add_leg(f"{name}.L", (x, plan.ASIDE, HIP), phase)
        key_gait(bpy.data.objects[f"servo {name}.L"], phase)
    repeat_legs()
    machine = [o for o in scene.objects if o.type == "MESH" and o.name != "ground"]
    walking_look.furnish(scene, machine, bpy.data.objects["torso"])


def set_scene(scene: bpy.types.Scene) -> None:
    """Title, step and materials."""
    tag = scene.impulse
    tag.title = "walking-machine"
    tag.description = "The six-legged walking machine of BS06 walks on rough ground."
    settings = tag.settings
    settings.step, settings.duration = 0.005, (FRAMES - 1) / FPS
    settings.use_tolerance, settings.tolerance = True, 1e-9
    settings.time_of_impact = True
    for name, friction in (("rubber", plan.ROUGH), ("steel", 0.4), ("rock", plan.ROUGH)):
        bpy.ops.impulse.list_add(path="materials", name=name)
        material = tag.materials[-1]
        material.use_static_friction, material.static_friction = True, friction


def add_ground() -> None:
    corners = [(x, y, 0.0) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    flat = parts.mesh("ground", ([tuple(WIDE * c for c in p) for p in corners], [[0, 1, 2, 3]]))
    ground = part("ground", flat, (0, 0, 0), stage.paint("earth"))
    tag_body(ground, motion="static", shape="plane")
    set_geometry(ground, material="rock")


def add_torso() -> None:
    """A hull that bears a cabin, and the beams that hold the swivels."""
    hull = new_part("torso", [parts.box(plan.TORSO)], (0, 0, HIP + plan.ABOVE_HIP), "orange")
    tag_body(hull, shape="box", mass_source="density", density=density(plan.TORSO_MASS, plan.TORSO))
    set_geometry(hull, material="steel")
    above = (0, 0, (plan.TORSO[2] + plan.CABIN[2]) / 2)
    cabin = new_part("cabin", [parts.box(plan.CABIN)], above, "white")
    tag_solid(cabin, hull, shape="box")
    set_geometry(
        cabin, material="steel", use_density=True, density=density(plan.CABIN_MASS, plan.CABIN)
    )
    for place, x in (("front", plan.ALONG), ("middle", 0.0), ("rear", -plan.ALONG)):
        size = (plan.BAR, 2 * plan.ASIDE, plan.BAR)
        at = (x, 0, gait.GUIDE - plan.ABOVE_HIP)
        beam = new_part(f"beam {place}", [parts.box(size)], at, "dark")
        tag_solid(beam, hull, shape="box", role="visual")


def add_leg(name: str, hip: plan.Point, phase: float) -> None:
    """Crank, swivel and shank of a leg that starts with a phase of the gait, and its joints."""
    angle = gait.crank_angle(phase)
    pin_x, pin_z = gait.crank_pin(angle)
    pin = (hip[0] + pin_x, hip[1], hip[2] + pin_z)
    guide = (hip[0], hip[1], hip[2] + gait.GUIDE)
    along = gait.along_leg(angle)
    lean = (0.0, math.atan2(-along[0], -along[1]), 0.0)  # turns -z along the leg
    down = (0.0, math.atan2(along[0], along[1]), 0.0)  # turns z along the leg
    add_crank(f"crank {name}", hip, angle)
    add_swivel(f"swivel {name}", guide, lean)
    add_shank(f"shank {name}", name, pin, lean)
    add_servo(f"servo {name}", hip, f"crank {name}")
    small = {"size": 0.12}
    joint(f"pin {name}", "point-on-line", pin, f"crank {name}", f"shank {name}",
          rotation=ABOUT_Y, **small)  # fmt: skip
    joint(f"pivot {name}", "hinge", guide, "torso", f"swivel {name}", rotation=ABOUT_Y, **small)
    joint(f"slider {name}", "slider", guide, f"swivel {name}", f"shank {name}",
          rotation=down, **small)  # fmt: skip


def add_crank(name: str, hip: plan.Point, angle: float) -> None:
    """A disc about the hip, on the inner side of the leg."""
    inside = -math.copysign(0.03, hip[1])
    ends = (0, inside - 0.01, 0), (0, inside + 0.01, 0)
    disc = parts.tube(*ends, gait.CRANK + plan.BAR / 2, WHEEL_SIDES)
    crank = new_part(name, [disc], hip, "blue")
    crank.rotation_euler.y = angle
    tag_body(crank, mass_source="mass", mass=plan.CRANK_MASS, shape="cylinder")
    set_geometry(crank, role="visual")


def add_swivel(name: str, at: plan.Point, lean: Sequence[float]) -> None:
    swivel = new_part(name, [parts.box((0.06, 0.06, 0.07))], at, "dark")
    swivel.rotation_euler = lean
    tag_body(swivel, mass_source="mass", mass=plan.SWIVEL_MASS, shape="box")
    set_geometry(swivel, role="visual")


def add_shank(name: str, leg: str, pin: plan.Point, lean: Sequence[float]) -> None:
    """A bar with a ball as its foot; its mass and inertia are those of the bar."""
    top = gait.GUIDE + gait.CRANK + plan.SPARE
    length, middle = top + gait.LEG, (top - gait.LEG) / 2
    bar = parts.box((plan.BAR, plan.BAR, length), (0, 0, middle))
    shank = new_part(name, [bar], pin, "steel")
    shank.rotation_euler = lean
    tag_body(shank, mass_source="explicit", mass=plan.SHANK_MASS, shape="box")
    across = plan.SHANK_MASS / 12 * (length**2 + plan.BAR**2)
    body = shank.impulse.body
    body.center_of_mass = (0.0, 0.0, middle)
    body.inertia = (across, across, plan.SHANK_MASS / 6 * plan.BAR**2)
    set_geometry(shank, role="visual")
    ball = [parts.ball(gait.FOOT, FEET_SIDES)]
    foot = new_part(f"foot {leg}", ball, (0, 0, -gait.LEG), "dark")
    tag_solid(foot, shank, shape="sphere")
    set_geometry(foot, material="rubber")


def add_servo(name: str, hip: plan.Point, crank: str) -> None:
    servo = joint(name, "hinge", hip, "torso", crank, rotation=ABOUT_Y, size=0.12)
    select(servo)
    bpy.ops.impulse.list_add(path="joint.motors")
    motor = servo.impulse.joint.motors[0]
    motor.kind = "servo"
    motor.use_target, motor.target = True, 0.0
    motor.use_proportional, motor.proportional = True, plan.STIFFNESS
    motor.use_derivative, motor.derivative = True, plan.DAMPING
    motor.use_max_force, motor.max_force = True, plan.STRENGTH


def key_gait(servo: bpy.types.Object, phase: float) -> None:
    """Keys of a servo's target for the whole time, which Blender joins by smooth curves."""
    motor = servo.impulse.joint.motors[0]
    for frame in range(1, FRAMES + KEY_EVERY, KEY_EVERY):
        motor.target = gait.servo_target((frame - 1) / FPS, phase)
        motor.keyframe_insert("target", frame=frame)


def repeat_legs() -> None:
    """Three legs of each phase: on the left front and rear and on the right between them, and the
    other way round.
    """
    back = (-2 * plan.ALONG, 0.0, 0.0)
    for leg, shift in (("one", -plan.ALONG), ("two", plan.ALONG)):
        select(*bodies_of(f"{leg}.L"))
        bpy.ops.impulse.mirror_limb(axis="Y", about="torso", phase=0.0)
        bpy.ops.transform.translate(value=(shift, 0.0, 0.0))
    select(*bodies_of("one.L"))
    bpy.ops.impulse.repeat_limb(count=2, offset=back)
    select(*bodies_of("two.R"))
    bpy.ops.impulse.repeat_limb(count=2, offset=back)
    for obj in bpy.data.objects:
        part_name, _, leg = obj.name.partition(" ")
        if leg in NAMES:
            obj.name = f"{part_name} {NAMES[leg]}"


def bodies_of(leg: str) -> list[bpy.types.Object]:
    return [bpy.data.objects[f"{part_name} {leg}"] for part_name in ("crank", "swivel", "shank")]


def new_part(
    name: str, shapes: list[parts.Shape], location: Sequence[float], colour: str
) -> bpy.types.Object:
    return part(name, parts.mesh(name, *shapes), location, stage.paint(colour))


def density(mass: float, size: Sequence[float]) -> float:
    """Of a box [kg/m³]."""
    return mass / math.prod(size)


if __name__ == "__main__":
    modelling.main("Model the walking machine and export it.", build, Path("walking-machine.xml"))
