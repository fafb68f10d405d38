"""How long the window stands still while scenes of many bodies, or of a large mesh, are simulated.

BLENDER=/path/to/blender python -m tests.window --large
"""

import sys
from pathlib import Path

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import panels

import session

BODIES = 500
AROUND, ACROSS = 1000, 500  # quads of a ring, each of two triangles


def boxes(going):
    """Many tagged boxes."""
    empty()
    bpy.ops.mesh.primitive_cube_add(size=1)
    first = bpy.context.object
    for number in range(1, BODIES):
        obj = bpy.data.objects.new(f"body {number}", first.data)
        obj.location = (2 * (number % 20), 2 * (number // 20), 0)
        bpy.context.scene.collection.objects.link(obj)
    yield from simulated(going, f"{BODIES} boxes")


def ring(going):
    """A body of a million triangles."""
    empty()
    around, across = np.meshgrid(np.arange(AROUND), np.arange(ACROSS), indexing="ij")
    u, v = 2 * np.pi * around / AROUND, 2 * np.pi * across / ACROSS
    s = 3 + np.cos(v)
    points = np.stack([s * np.cos(u), s * np.sin(u), np.sin(v)], axis=-1)

    def corner(i, j):
        return (i % AROUND) * ACROSS + j % ACROSS

    here, there = corner(around, across), corner(around + 1, across + 1)
    one = np.stack([here, corner(around + 1, across), there], axis=-1)
    other = np.stack([here, there, corner(around, across + 1)], axis=-1)
    faces = np.concatenate([one.reshape(-1, 3), other.reshape(-1, 3)]).astype(np.int32)
    mesh = bpy.data.meshes.new("ring")
    mesh.vertices.add(AROUND * ACROSS)
    mesh.vertices.foreach_set("co", points.ravel())
    mesh.loops.add(faces.size)
    mesh.loops.foreach_set("vertex_index", faces.ravel())
    mesh.polygons.add(len(faces))
    mesh.polygons.foreach_set("loop_start", np.arange(len(faces), dtype=np.int32) * 3)
    mesh.update(calc_edges=True)
    obj = bpy.data.objects.new("ring", mesh)
    bpy.context.scene.collection.objects.link(obj)
    yield from simulated(going, "a million triangles", shape="mesh")


def empty():
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()


def simulated(going, name, shape="box"):
    """Tag all, simulate until the simulator is at work, and stop it."""
    bpy.ops.object.select_all(action="SELECT")
    bpy.context.view_layer.objects.active = bpy.context.selected_objects[0]
    bpy.ops.impulse.tag_body(shape=shape)
    bpy.context.scene.impulse.live_check = False
    yield from session.wait(3.0)
    scene = bpy.context.scene
    looks = panels.Looks(sys.modules[f"{session.EXTENSION}.operators.child"].ChildOperator)
    going.longest = 0.0
    begun = session.time.monotonic()
    going.click(bpy.ops.impulse.run_simulation)
    waited = sys.modules[f"{session.EXTENSION}.running.going"].Going
    while waited.child is not None and not hasattr(waited.child, "recording"):
        yield
    yield
    going.numbers[f"{name}, reading [s]"] = session.time.monotonic() - begun
    going.numbers[f"{name}, longest block [ms]"] = 1e3 * going.longest
    going.numbers[f"{name}, of the add-on [ms]"] = 1e3 * looks.longest
    found = [issue.message for issue in scene.impulse.issues if issue.severity == "ERROR"]
    assert not found, found
    while scene.impulse.progress_text:
        if bpy.ops.impulse.stop.poll():
            bpy.ops.impulse.stop()
        yield from session.wait(0.2)


if __name__ == "__main__":
    session.start(session.install, boxes, ring)
