# SPDX-License-Identifier: GPL-3.0-or-later
"""Models the crane in Blender and tags it with the add-on's own operators.

    python sample_scenes/crane/build_crane.py [--xml FILE] [--blend FILE]

writes the scene (default crane.xml beside this script). A jib rocks on a slewing turret; a load
hangs from its tip on a chain, a hook block and a sling. A torque slews the crane, another stops it;
the load swings on. The joints form a tree: every body hangs on exactly one other.
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
import crane_look as look  # noqa: E402
import modelling  # noqa: E402
import parts  # noqa: E402
import stage  # noqa: E402
from modelling import joint, select, set_geometry, tag_body, tag_solid  # noqa: E402

DURATION = 6.0  # s

TURRET = (0.0, 0.0, 5.4)  # on the slewing ring
PIVOT = (0.0, 0.0, 7.3)  # about which the jib rocks
DROP = 0.75  # the jib's chords lie this far below its pivot, which makes it stable
TIP = (6.4, 0.0, PIVOT[2] - DROP - 0.25)  # where the chain hangs
LINKS = 6
PITCH = 0.30


def build(context: bpy.types.Context) -> None:
    """An empty file becomes the crane, tagged and lit."""
    scene = context.scene
    scene.render.fps, scene.render.fps_base = 25, 1.0
    scene.frame_start, scene.frame_end = 1, 1 + round(DURATION * scene.render.fps)
    scene.frame_set(1)
    scene.impulse.title = "crane"
    scene.impulse.description = (
        "A slewing crane with a rocking jib. A torque slews it, another stops it, and the load"
        " swings on its chain. Joints: hinge, fixed, ball, distance; a tree."
    )
    scene.impulse.settings.duration = DURATION
    # Joints alone hold it together; its parts overlap where they are welded.
    scene.impulse.use_collision_filter = True
    scene.impulse.collide_by_default = False
    add_base()
    add_turret()
    add_jib()
    last = add_chain()
    add_load(last)
    look.add_surroundings(scene)
    look.add_light_and_camera(scene)
    stage.set_render(scene)


def add_base() -> None:
    """Plinth and mast, fixed to the ground."""
    plinth = part("base", [parts.box((2.6, 2.6, 0.4), (0, 0, 0.2))], (0, 0, 0), "concrete")
    tag_body(plinth, motion="static", shape="box")
    mast = parts.lattice((0, 0, 0.4), (0, 0, 5.1), (1.05, 1.05), 7, ((1, 0, 0), (0, 1, 0)), 0.06)
    add_visual("mast", mast, plinth, "paint")
    ring = [parts.tube((0, 0, 5.1), (0, 0, 5.4), 0.8, 24)]
    add_solid("slewing ring", ring, plinth, "dark", shape="cylinder")


def add_turret() -> None:
    """The part that slews: deck, neck and cab; two torques start and stop it."""
    deck = part("turret", [parts.box((1.9, 1.5, 0.3), (-0.1, 0, 0.15))], TURRET, "paint")
    tag_body(deck, mass_source="mass", mass=1500.0, shape="box")
    neck = [parts.box((0.5, 0.12, 1.75), (0, y, 1.175)) for y in (-0.42, 0.42)]
    add_solid("neck", neck, deck, "paint")
    cab = [parts.box((0.9, 0.75, 1.0), (0.35, -1.0, 0.75))]
    add_solid("cab", cab, deck, "paint", shape="box")
    glass = [
        parts.box((0.94, 0.6, 0.45), (0.36, -1.0, 0.92)),
        parts.box((0.6, 0.79, 0.45), (0.4, -1.0, 0.92)),
    ]
    add_visual("cab windows", glass, deck, "glass")
    joint("slewing", "hinge", TURRET, "base", "turret")
    add_torque(deck, (0, 0, -17000.0), 0.2, 1.6)
    add_torque(deck, (0, 0, 15000.0), 2.8, 4.0)


def add_jib() -> None:
    """The rocking jib with its counterweight and the sheave at its tip."""
    beam = part("jib", [parts.box((6.3, 0.4, 0.4), (3.25, 0, -DROP))], PIVOT, "paint")
    tag_body(beam, mass_source="mass", mass=620.0, shape="box")
    set_geometry(beam, role="collision")
    beam.display_type, beam.hide_render = "WIRE", True
    add_visual("jib truss", _jib_bars(), beam, "paint")
    add_visual("jib stays", _stays(), beam, "steel")
    weight = part(
        "counterweight", [parts.box((1.1, 1.3, 1.0))], (-2.9, 0, PIVOT[2] - DROP - 0.35), "concrete"
    )
    tag_body(weight, mass_source="mass", mass=2270.0, shape="box")
    joint("jib pivot", "hinge", PIVOT, "turret", "jib", rotation=(math.pi / 2, 0, 0))
    joint("counterweight bolts", "fixed", (-2.9, 0, PIVOT[2] - DROP), "jib", "counterweight")
    place = (TIP[0], 0, TIP[2] + 0.25)
    sheave = part("sheave", [parts.tube((0, 0, -0.06), (0, 0, 0.06), 0.3, 24)], place, "dark")
    sheave.rotation_euler.x = math.pi / 2
    tag_body(sheave, mass_source="mass", mass=35.0, shape="cylinder")
    set_geometry(sheave, role="collision")
    sheave.display_type, sheave.hide_render = "WIRE", True
    add_visual("sheave wheel", parts.wheel(0.3, 0.12, 3), sheave, "dark")
    sheave.impulse.body.angular_velocity = (0, 5.0, 0)
    joint("sheave axle", "hinge", place, "jib", "sheave", rotation=(math.pi / 2, 0, 0))


def _jib_bars() -> list[parts.Shape]:
    across = ((0, 1, 0), (0, 0, 1))
    front = parts.lattice((0.3, 0, -DROP), (6.5, 0, -DROP), (0.6, 0.34), 12, across, 0.045)
    back = parts.lattice((-0.3, 0, -DROP), (-3.4, 0, -DROP), (0.6, 0.5), 6, across, 0.045)
    post = parts.lattice((0, 0, -DROP), (0, 0, 1.1), (0.6, 0.14), 4, ((1, 0, 0), (0, 1, 0)), 0.05)
    return [*front, *back, *post, parts.tube((0, -0.62, 0), (0, 0.62, 0), 0.09, 12)]


def _stays() -> list[parts.Shape]:
    top = (0, 0, 1.1)
    return [parts.tube(top, end, 0.022, 6) for end in (
        (5.6, 0.16, -DROP + 0.2), (5.6, -0.16, -DROP + 0.2),
        (3.2, 0.2, -DROP + 0.23), (3.2, -0.2, -DROP + 0.23),
        (-3.0, 0.25, -DROP + 0.25), (-3.0, -0.25, -DROP + 0.25),
    )]  # fmt: skip


def add_chain() -> str:
    """Links from the jib's tip downwards, every second one turned; name of the last."""
    data = parts.mesh("chain link", parts.chain_link(PITCH, 0.17, 0.03))
    above, z = "jib", TIP[2]
    for number in range(1, LINKS + 1):
        name = f"link {number}"
        link = bpy.data.objects.new(name, data)
        link.location = (TIP[0], 0, z - PITCH / 2)
        link.rotation_euler.z = math.pi / 2 * (number % 2)
        bpy.context.scene.collection.objects.link(link)
        look.paint(link, "steel")
        tag_body(link, mass_source="mass", mass=6.0)
        joint(f"chain {number}", "ball", (TIP[0], 0, z), above, name)
        above, z = name, z - PITCH
    return above


def add_load(last_link: str) -> None:
    """Hook block under the chain, and a crate a fixed distance below the hook."""
    x, top = TIP[0], TIP[2] - LINKS * PITCH
    place = (x, 0, top - 0.3)
    block = part("hook block", [parts.box((0.3, 0.16, 0.36), (0, 0, 0.05))], place, "paint")
    tag_body(block, mass_source="mass", mass=40.0, shape="box")
    add_solid("hook", [parts.hook(0.12, 0.035)], block, "steel", location=(0, 0, -0.1))
    joint("block pin", "ball", (x, 0, top), last_link, "hook block")
    hook = (x, 0, top - 0.69)
    load = part("load", _crate(), (x, 0, hook[2] - 1.6), "load")
    tag_body(load, mass_source="mass", mass=600.0, shape="mesh")
    eye = marker("load eye", (x, 0, hook[2] - 0.95), load)
    sling = joint("sling", "distance", hook, "hook block", "load", anchor2=eye.name)
    add_sling_ropes(sling, load)


def _crate() -> list[parts.Shape]:
    ribs = [parts.box((0.09, 1.06, 1.04), (x, 0, 0)) for x in (-0.6, 0.0, 0.6)]
    return [parts.box((1.3, 1.0, 1.0)), *ribs]


def add_sling_ropes(sling: bpy.types.Object, load: bpy.types.Object) -> None:
    """Ropes for the eye only: constraints keep them between the hook and the crate's corners."""
    upper = marker("sling top", sling.location, bpy.data.objects["hook block"])
    rope = parts.mesh("sling rope", parts.tube((0, 0, 0), (0, 1, 0), 0.016, 6))
    for number, (x, y) in enumerate(((0.6, 0.5), (0.6, -0.5), (-0.6, 0.5), (-0.6, -0.5)), start=1):
        corner = load.location.x + x, load.location.y + y, load.location.z + 0.52
        lower = marker(f"sling corner {number}", corner, load)
        line = bpy.data.objects.new(f"sling rope {number}", rope)
        bpy.context.scene.collection.objects.link(line)
        look.paint(line, "dark")
        line.constraints.new("COPY_LOCATION").target = upper
        stretch = line.constraints.new("STRETCH_TO")
        stretch.target, stretch.rest_length, stretch.volume = lower, 1.0, "NO_VOLUME"


def part(
    name: str, shapes: list[parts.Shape], location: Sequence[float], colour: str
) -> bpy.types.Object:
    """A new object of these shapes."""
    return modelling.part(name, parts.mesh(name, *shapes), location, look.material(colour))


def marker(name: str, location: Sequence[float], parent: bpy.types.Object) -> bpy.types.Object:
    """An Empty that moves with its parent."""
    within = [a - b for a, b in zip(location, parent.location, strict=True)]
    made = modelling.empty(name, within, 0.1)
    modelling.attach(made, parent)
    return made


def add_solid(
    name: str,
    shapes: list[parts.Shape],
    body: bpy.types.Object,
    colour: str,
    *,
    shape: str = "mesh",
    role: str = "both",
    location: Sequence[float] = (0, 0, 0),
) -> None:
    """A solid of a body: a child object tagged as its geometry."""
    tag_solid(part(name, shapes, location, colour), body, shape=shape, role=role)


def add_visual(name: str, shapes: list[parts.Shape], body: bpy.types.Object, colour: str) -> None:
    add_solid(name, shapes, body, colour, role="visual")


def add_torque(body: bpy.types.Object, torque: Sequence[float], start: float, until: float) -> None:
    """A torque on a body from one time until another, world axes."""
    select(body)
    bpy.ops.impulse.list_add(path="body.loads", name=f"slew {len(body.impulse.body.loads) + 1}")
    load = body.impulse.body.loads[-1]
    load.torque, load.from_ = torque, start
    load.use_until, load.until = True, until


if __name__ == "__main__":
    modelling.main("Model the crane in Blender and export it.", build, HERE / "crane.xml")
