"""Takes the pictures of docs/first-walker.md in a Blender with a window: one after each step.

BLENDER=/path/to/blender python -m tests.window --tutorial
"""

import sys
from functools import partial
from pathlib import Path

import bpy

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "docs")]

import first_walker  # noqa: E402  the paths come first
from mathutils import Quaternion  # noqa: E402

import session  # noqa: E402

# What is active when a picture is taken, so that the sidebar shows what the step was about.
ACTIVE = {"joints": "knee front.L", "motors": "hip front.L", "gait": "hip front.L"}
SHOWN = 50  # frame of the last picture
LOOK = Quaternion((0.76, 0.46, 0.23, 0.39))
DISTANCE = 2.6  # m


def begin(_session):
    """An empty view from the right and in front, with the tab Impulse."""
    view = session.view()["area"].spaces.active.region_3d
    view.view_rotation, view.view_location = LOOK, (0.0, 0.0, 0.3)
    view.view_distance = DISTANCE
    bpy.context.scene.render.fps = 24
    yield from session.wait(0.5)
    session.picture("00-empty")


def do(number, step, _session):
    """A step of the tutorial, and its picture."""
    name = step.__name__
    with bpy.context.temp_override(**session.view()):
        step()
        if name in ACTIVE:
            first_walker.select(ACTIVE[name])
    yield from session.wait(0.7)
    session.picture(f"{number:02d}-{name}")


def walk(going):
    """Simulate, and the machine in the middle of its way."""
    going.click(bpy.ops.impulse.run_simulation)
    yield
    while not bpy.ops.impulse.validate_scene.poll():
        yield
    torso = bpy.data.objects["torso"]
    bpy.context.scene.frame_set(SHOWN)
    session.view()["area"].spaces.active.region_3d.view_location[0] = torso.matrix_world[0][3]
    yield from session.wait(1.0)
    session.picture("10-walking")
    assert torso.matrix_world[0][3] > 0.5, "it does not walk"


steps = [partial(do, number, step) for number, step in enumerate(first_walker.STEPS, start=1)]
session.start(session.install, begin, *steps, walk)
