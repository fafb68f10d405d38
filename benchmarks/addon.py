"""What the Blender add-on costs: keyframes, export, Check, panels, overlay (needs bpy).

    python benchmarks/addon.py

Prints the section of docs/benchmarks.md that make bench writes. Panels are drawn into a layout that
only records, and the overlay into a picture off the screen; `make test-window` measures both in a
real window.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy
import gpu

import blender_addon
from blender_addon.authoring import joining, tagging
from blender_addon.export import scene_export
from blender_addon.playback.keyframes import clear, import_recording
from keyframes import spinning
from pages import table, wrapped
from tests.blender.test_panels import Layout

HEADING = "## Blender add-on"
BODIES, FRAMES = 100, 1000
TRIANGLES = 1_000_000
TAGGED = 500
ROUNDS = 5


def main() -> None:
    blender_addon.register()
    output = os.dup(1)
    os.dup2(2, 1)  # what Blender says is not part of the page
    os.write(output, f"{section()}\n".encode())


def section() -> str:
    """The section of the page, with one row for each thing that costs time."""
    rows = [
        [
            what,
            f"{seconds * 1e3:.3g} ms",
            f"{limit * 1e3:g} ms",
            "yes" if seconds <= limit else "no",
        ]
        for what, limit, seconds in measured()
    ]
    head = ["what", "takes", "at most", "met"]
    version = f"Blender {bpy.app.version_string} as a Python module, best of {ROUNDS}."
    return wrapped(f"{HEADING}\n\n{version}\n\n{table(head, rows)}")


def measured() -> Iterator[tuple[str, float, float]]:
    """What is done, how long it may take and how long it takes [s]."""
    keys = 7 * BODIES * FRAMES
    yield f"import of a motion, {keys} keys of {BODIES} bodies", 0.5, keyframes()
    triangles, seconds = export()
    yield f"export of {BODIES} bodies with {triangles} triangles", 3.0, seconds
    many_bodies()
    yield f"check of {TAGGED} tagged objects", 0.3, best(check)
    bpy.context.view_layer.objects.active = bpy.context.scene.objects[0]
    yield f"all panels once, {TAGGED} bodies", 5e-3, best(panels)
    if hasattr(blender_addon, "overlay"):
        yield f"overlay once, {TAGGED} bodies at rest", 4e-3, overlay(moving=False)
        yield f"overlay once, {TAGGED} bodies moving", 4e-3, overlay(moving=True)


def empty_file() -> None:
    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    bpy.context.scene.render.fps = 25


def best(work: Callable[[], object], before: Callable[[], object] = lambda: None) -> float:
    """Seconds that some work takes, in the best of several rounds."""
    seconds = []
    for _ in range(ROUNDS):
        before()
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def keyframes() -> float:
    """Names matched, poses converted, seven curves a body written."""
    empty_file()
    recording = spinning(BODIES, FRAMES)
    for name in recording.body_names:
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(name, None))
    return best(
        lambda: import_recording(recording, bpy.context.scene),
        before=lambda: clear(bpy.context.scene.objects),
    )


def export() -> tuple[int, float]:
    """Spheres with different meshes, so that none is shared."""
    empty_file()
    rings = round((TRIANGLES / BODIES / 2) ** 0.5)
    for number in range(BODIES):
        bpy.ops.mesh.primitive_uv_sphere_add(
            segments=rings, ring_count=rings + 1, location=(3.0 * number, 0, 0)
        )
        obj = bpy.context.object
        obj.scale = (1, 1, 1 + 1e-3 * number)
        tagging.tag_bodies([obj], shape="mesh")
    triangles = sum(
        len(face.vertices) - 2 for o in bpy.context.scene.objects for face in o.data.polygons
    )
    with tempfile.TemporaryDirectory() as folder:
        seconds = best(lambda: scene_export.export(bpy.context, Path(folder) / "scene.xml"))
    return triangles, seconds


def many_bodies() -> None:
    """Boxes on a grid, every second joined to its neighbour."""
    empty_file()
    bpy.ops.mesh.primitive_cube_add(size=1)
    first = bpy.context.object
    objects = [first]
    joints = TAGGED // 3
    for number in range(1, TAGGED - joints):
        obj = bpy.data.objects.new(f"body {number}", first.data)
        obj.location = (2 * (number % 20), 2 * (number // 20), 0)
        bpy.context.scene.collection.objects.link(obj)
        objects.append(obj)
    tagging.tag_bodies(objects, shape="box")
    for number in range(joints):
        pair = objects[2 * number : 2 * number + 2]
        joining.add_joint(bpy.context, "hinge", pair, place="BETWEEN", name=f"hinge {number}")
    bpy.context.view_layer.update()


def check() -> None:
    bpy.ops.impulse.validate_scene(start=False)


def panels() -> None:
    """Each panel that shows itself for the active object."""
    for cls in blender_addon.panels.CLASSES:
        if not issubclass(cls, bpy.types.Panel):
            continue
        if not hasattr(cls, "poll") or cls.poll(bpy.context):
            view = type("Drawn", (cls.__bases__[0],), {**vars(cls), "layout": Layout()})
            cls.draw(view(), bpy.context)


def overlay(*, moving: bool) -> float:
    """The overlay painted into a picture, as it is or after the bodies moved."""
    from blender_addon.overlay import painting

    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    bpy.context.scene.render.engine = "BLENDER_WORKBENCH"
    bpy.context.scene.render.resolution_x = bpy.context.scene.render.resolution_y = 16
    bpy.ops.render.render()  # only then are there functions for drawing
    picture = gpu.types.GPUOffScreen(800, 600)
    objects = [o for o in bpy.context.scene.objects if o.impulse.kind == "BODY"]

    def move() -> None:
        if moving:
            places = np.array([o.location for o in objects]) + 0.01
            for obj, place in zip(objects, places, strict=True):
                obj.location = place
            bpy.context.view_layer.update()

    with picture.bind():
        painting.paint(bpy.context, (800.0, 600.0))
        return best(lambda: painting.paint(bpy.context, (800.0, 600.0)), before=move)


if __name__ == "__main__":
    main()
