# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders the pictures of docs/gallery.md, one for each scene that is listed here.

    python sample_scenes/rendering/gallery.py [NAME ...]

Each scene is simulated and shown at one or more of its times, the earlier ones beside the last.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parent
PICTURES = SAMPLES.parent / "docs" / "images" / "gallery"
sys.path[:0] = [str(HERE), str(SAMPLES / "walking")]

import contact_sheet  # noqa: E402
import solids_blender  # noqa: E402
import stage  # noqa: E402
import walking_look  # noqa: E402
from parts import tube  # noqa: E402

import impulse_core  # noqa: E402
from impulse_core.geometry.rotations import conjugated, rotated  # noqa: E402
from impulse_schema import Geometry, load_scene  # noqa: E402

WIDTH, SAMPLES_PER_PIXEL, QUALITY = 640, 32, 78
PALETTE = ("orange", "blue", "teal", "red", "yellow", "green", "violet", "white")


@dataclass(frozen=True)
class Picture:
    """How a scene is shown."""

    times: Sequence[float] = (0.0,)  # s
    azimuth: float = -60.0  # degrees, of the camera seen from the scene
    elevation: float = 18.0
    apart: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m, between one time and the next
    ground: str | None = None  # colour; None takes that of the scene's own ground
    below: float | None = None  # m, height of a ground that is only drawn
    margin: float = 1.08
    seen: tuple[str, ...] = ()  # beginnings of the names of bodies to aim at; none for all
    strings: float = 0.0  # m, radius of rods drawn from each joint to the middle of its body 2


PICTURES_OF = {
    "pendulum-3": Picture(
        (0.0, 0.4, 0.8, 1.2), azimuth=-80, elevation=8, below=-3.4, strings=0.025
    ),
    "chain-8-loop": Picture((0.0, 0.4, 0.8), azimuth=-75, elevation=8, below=-3.0),
    "car-driving": Picture((8.0,), azimuth=-50, elevation=16, ground="asphalt"),
    "sliding-cubes": Picture((10.0,), azimuth=-35, elevation=24, ground="stone"),
    "stick-slope": Picture((60.0,), azimuth=-65, elevation=14, ground="stone", margin=1.5),
    "tower-10": Picture((60.0,), azimuth=-60, elevation=6),
    "pyramid-55": Picture((60.0,), azimuth=-65, elevation=10),
    "dominoes-50": Picture(
        (1.1,), azimuth=-55, elevation=12, seen=("domino-2", "domino-3"), margin=1.0
    ),
    "cubes-1000": Picture((5.0,), azimuth=-55, elevation=28),
    "cubes-1000-brick": Picture((1.2,), azimuth=-55, elevation=28),
    "rubble-300": Picture((1.9,), azimuth=35, elevation=16, seen=("stone", "ball"), margin=1.1),
    "bouncing-49": Picture((0.6,), azimuth=-62, elevation=18),
    "falling-balls-216": Picture((0.7,), azimuth=-62, elevation=14),
    "rolling": Picture((2.0,), azimuth=-62, elevation=24),
    "rotating-egg": Picture((0.0, 1.4, 2.2, 4.0), azimuth=-80, elevation=14, apart=(0.08, 0, 0)),
    "rolling-rings": Picture((0.8,), azimuth=-35, elevation=22, ground="stone"),
    "ring-chain": Picture(
        (0.0, 0.4, 0.8), azimuth=-90, elevation=4, apart=(0.42, 0, 0), margin=1.25
    ),
    "screw-jack": Picture((0.0, 4.0), azimuth=-75, elevation=10, apart=(1.1, 0, 0), below=-0.1),
    "jansen-walker": Picture((4.0,), azimuth=-62, elevation=12),
    "jansen-walker-rough": Picture((6.0,), azimuth=-62, elevation=12),
    "sledge-pendulum-rough": Picture((0.0, 10.0), azimuth=-80, elevation=10, ground="stone"),
    "sledge-pendulum-smooth": Picture((0.0, 1.4, 2.1), azimuth=-80, elevation=10, ground="ice"),
    "walking-machine": Picture((5.0,), azimuth=-50, elevation=16),
    "walking-machine-on-ice": Picture((5.0,), azimuth=-130, elevation=14, ground="ice"),
    "walking-machine-escaping": Picture((6.0,), azimuth=-58, elevation=24),
    "walking-machine-toppling": Picture(
        (3.5, 3.9, 8.0), azimuth=-20, elevation=14, apart=(0.0, -0.6, 0.0)
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Render the pictures of the gallery.")
    parser.add_argument("names", nargs="*", default=list(PICTURES_OF), metavar="NAME")
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in parser.parse_args().names:
        began = time.perf_counter()
        target = PICTURES / f"{name}.webp"
        render(name, PICTURES_OF[name], target)
        seconds = time.perf_counter() - began
        print(f"{seconds:6.1f} s  {target.stat().st_size / 1000:5.1f} kB  {target}", flush=True)


def render(name: str, picture: Picture, target: Path) -> None:
    """Simulate a scene up to the last of its times, and show it."""
    (path,) = SAMPLES.glob(f"*/{name}.xml")
    scene = load_scene(path)
    frames = _frames(scene, picture.times)
    view = stage.clear()
    movable = {body.name for body in scene.bodies if body.motion != "static"}
    order = [body.name for body in scene.bodies]

    def colour(body: str, solid: Geometry) -> str:
        return _colour(name, picture, body, solid, order.index(body))

    objects = solids_blender.bodies(scene, colour, stage.paint)
    shown = []
    for number, (positions, orientations) in enumerate(frames):
        offset = np.multiply(number, picture.apart)
        for index, body in enumerate(order):
            first = objects[body]
            obj = first if number == 0 else first.copy()
            if number == 0 or body in movable:
                view.collection.objects.link(obj)
            if body in movable:
                obj.location = positions[index] + offset
                obj.rotation_quaternion = orientations[index]
                if not picture.seen or body.startswith(picture.seen):
                    shown.append(obj)
        if picture.strings:
            shown += _strings(view, scene, positions + offset, orientations, picture.strings)
    if picture.below is not None:
        _add_ground(view, picture.below, picture.ground or "earth")
    stage.add_light(view)
    stage.set_render(view, samples=SAMPLES_PER_PIXEL, width=WIDTH)
    stage.aim(
        view,
        shown,
        azimuth=picture.azimuth,
        elevation=picture.elevation,
        margin=picture.margin,
    )
    still = target.with_suffix(".png")
    view.render.filepath = str(still)
    bpy.ops.render.render(write_still=True)
    contact_sheet.make([still], target, columns=1, quality=QUALITY)
    still.unlink()


def _strings(view, scene, positions, orientations, radius: float) -> list[bpy.types.Object]:
    """Rods from the joint points to the bodies that hang there."""
    number = {body.name: i for i, body in enumerate(scene.bodies)}
    rods = []
    for joint in scene.joints:
        start = np.array(joint.anchor)
        if joint.body1 != "world":
            i = number[joint.body1]
            body = scene.bodies[i]
            own = rotated(conjugated(np.array(body.orientation)), start - body.position)
            start = positions[i] + rotated(orientations[i], own)
        vertices, faces = tube(start, positions[number[joint.body2]], radius, 12)
        data = bpy.data.meshes.new("rod")
        data.from_pydata(vertices, [], faces)
        data.materials.append(stage.paint("steel"))
        rods.append(bpy.data.objects.new("rod", data))
        view.collection.objects.link(rods[-1])
    return rods


def _frames(scene, times: Sequence[float]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Positions and orientations of all bodies at these times."""
    if tuple(times) == (0.0,):
        return [
            (
                np.array([body.position for body in scene.bodies]),
                np.array([body.orientation for body in scene.bodies]),
            )
        ]
    recording = impulse_core.simulate(scene, duration=max(times), fps=100.0)
    found = [int(np.argmin(np.abs(recording.times - t))) for t in times]
    return [(recording.positions[f], recording.orientations[f]) for f in found]


def _colour(name: str, picture: Picture, body: str, solid: Geometry, number: int) -> str:
    if body in ("ground", "road"):
        return picture.ground or "earth"
    if name.startswith("walking-machine"):
        return walking_look.colour(body, solid)
    if name.startswith("car"):
        for part, shade in (("wheel", "dark"), ("chassis", "red"), ("rack", "yellow")):
            if part in body:
                return shade
        return "steel"
    if name.startswith("jansen-walker"):
        return _colour_of_leg(body, solid)
    if name.startswith("sledge"):
        return {"box": "red", "sphere": "yellow", "cylinder": "steel"}[solid.shape]
    if name == "rotating-egg":
        return "shell"
    if name in ("ring-chain", "screw-jack"):
        return {"box": "red", "cylinder": "steel", "torus": PALETTE[number % 2]}[solid.shape]
    if body == "plate":
        return "white"
    if name.startswith("rubble"):
        return _colour_of_stone(body, number)
    if solid.shape == "sphere" and name == "rolling":
        return ("orange", "blue")[number % 2]
    return PALETTE[(number - 1 + number // 10) % len(PALETTE)]


def _colour_of_stone(body: str, number: int) -> str:
    """Stones of a few colours, a red ball on a chain."""
    if not body.startswith("stone"):
        return "red" if body == "ball" else "dark"
    return ("shell", "white", "orange", "stone")[number % 4]


def _colour_of_leg(body: str, solid: Geometry) -> str:
    """The crankshaft, the frame and the feet stand out; legs of one throw have one colour."""
    if solid.shape == "sphere":
        return "dark"
    side, _, part = body.partition(".")
    if not part:
        return "steel" if body == "crank" else "red"
    return ("yellow", "orange", "white")[int(side[-1]) % 3]


def _add_ground(view: bpy.types.Scene, height: float, colour: str) -> None:
    ground = bpy.data.meshes.new("ground")
    far = solids_blender.WIDE
    corners = [(-far, -far, height), (far, -far, height), (far, far, height), (-far, far, height)]
    ground.from_pydata(corners, [], [(0, 1, 2, 3)])
    ground.materials.append(stage.paint(colour))
    view.collection.objects.link(bpy.data.objects.new("ground below", ground))


if __name__ == "__main__":
    main()
