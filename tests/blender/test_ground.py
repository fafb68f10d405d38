"""Open meshes as ground: the simulator takes the faces as they are, solid behind each."""

import math

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)


def add_terrain(steepness=0.3, turned=False):
    """A static grid, uneven over x and y, whose heights are a plane tilted along x."""
    from blender_addon.authoring import tagging

    lines = np.linspace(-1, 1, 9) ** 3 * 4
    points = [(x, y, steepness * x) for y in lines for x in lines]
    count = len(lines)
    faces = [
        (j * count + i, j * count + i + 1, (j + 1) * count + i + 1, (j + 1) * count + i)
        for j in range(count - 1)
        for i in range(count - 1)
    ]
    mesh = bpy.data.meshes.new("terrain")
    mesh.from_pydata(points, [], [face[::-1] for face in faces] if turned else faces)
    obj = bpy.data.objects.new("terrain", mesh)
    bpy.context.scene.collection.objects.link(obj)
    tagging.tag_bodies([obj], motion="static")
    return obj


@pytest.mark.slow
def test_a_box_rests_on_an_open_mesh(add_body, exported):
    """On a slope that friction holds, a box stays where it was put, on the very surface."""
    from impulse_core import simulate

    add_terrain()
    slope = math.atan(0.3)
    box = add_body("box", shape="box", size=(1, 1, 0.5), rotation_euler=(0, -slope, 0))
    box.location = (-0.25 * math.sin(slope), 0, 0.25 * math.cos(slope) + 1e-6)
    bpy.context.scene.impulse.settings.duration = 1.0

    recording = simulate(exported())

    index = recording.body_names.index("box")
    np.testing.assert_allclose(recording.positions[-1, index], box.location, atol=2e-4)


def test_open_ground_has_no_issue_and_keeps_its_faces(exported):
    """Every face is in the file as it is in Blender; nothing is closed or thickened."""
    from blender_addon.checks.listing import listed, look_again

    add_terrain()

    look_again(bpy.context)
    assert listed(bpy.context.scene) == []
    assert len(exported().meshes[0].faces) == 64


def test_ground_that_looks_down_is_a_warning():
    """Bodies would fall through: what is solid lies above such faces."""
    from blender_addon.checks.listing import listed, look_again

    add_terrain(turned=True)

    look_again(bpy.context)
    (issue,) = listed(bpy.context.scene)
    assert (issue.code, issue.severity, issue.object_name) == ("B136", "WARNING", "terrain")


def test_up_is_up_in_the_world():
    """The same faces, with the object turned upside down, look up."""
    from blender_addon.checks.listing import listed, look_again

    add_terrain(turned=True).rotation_euler = (math.pi, 0, 0)

    look_again(bpy.context)
    assert listed(bpy.context.scene) == []


@pytest.mark.slow
def test_a_room_may_be_inside_out(add_body, exported):
    """A static mesh that is closed and looks inwards holds things: a word, not an error."""
    from blender_addon.checks.listing import listed, look_again
    from impulse_core import simulate

    add_body("room", motion="static", size=(9, 9, 9)).data.flip_normals()
    add_body("box", shape="box")
    bpy.context.scene.impulse.settings.duration = 2.0

    look_again(bpy.context)
    assert [(i.code, i.severity) for i in listed(bpy.context.scene)] == [("B135", "WARNING")]
    recording = simulate(exported())
    height = recording.positions[-1, recording.body_names.index("box"), 2]
    assert height == pytest.approx(-4, abs=2e-3)
