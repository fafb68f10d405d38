"""Round solids lie along the axis of the mesh, whichever that is in the object."""

from __future__ import annotations

import math

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

import numpy as np  # noqa: E402
from mathutils import Matrix  # noqa: E402

from blender_addon.convert import quaternion_to_rotation  # noqa: E402

ADD = {
    "cylinder": lambda: bpy.ops.mesh.primitive_cylinder_add(radius=0.3, depth=1.7, vertices=64),
    "disc": lambda: bpy.ops.mesh.primitive_cylinder_add(radius=0.9, depth=0.1, vertices=64),
    "cone": lambda: bpy.ops.mesh.primitive_cone_add(radius1=0.4, depth=0.9, vertices=64),
    "torus": lambda: bpy.ops.mesh.primitive_torus_add(major_radius=0.8, minor_radius=0.2),
}
QUARTER = math.pi / 2
TURNS = {
    "z": (0, 0, 0),
    "-z": (math.pi, 0, 0),
    "y": (-QUARTER, 0, 0),
    "-y": (QUARTER, 0, 0),
    "x": (0, QUARTER, 0),
    "-x": (0, -QUARTER, 0),
}
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


@pytest.fixture(params=[(1.0, 1.0, 1.0), (-2.0, 2.0, 2.0)], ids=["plain", "mirrored"])
def scale(request):
    return request.param


@pytest.fixture(params=TURNS)
def turn(request):
    return request.param


@pytest.fixture(params=ADD)
def kind(request):
    return request.param


@pytest.fixture
def part(context, kind, turn, scale):
    """A primitive whose turn was applied, off its origin and perhaps mirrored, tagged as a body."""
    ADD[kind]()
    obj = bpy.context.object
    obj.rotation_euler = TURNS[turn]
    bpy.ops.object.transform_apply(rotation=True)
    obj.data.transform(Matrix.Translation((0.2, -0.1, 0.4)))
    obj.name, obj.scale, obj.location = "part", scale, (1, 2, 3)
    context.view_layer.update()
    bpy.ops.impulse.tag_body(shape="cylinder" if kind == "disc" else kind)
    return obj


def test_it_is_that_of_the_mesh(part, exported, kind, turn, scale):
    """Axis, place and sizes."""
    scene = exported()

    made = scene.bodies[0].geometry[0]
    size = abs(scale[0])
    sizes = {
        "cylinder": {"radius": 0.3, "height": 1.7},
        "disc": {"radius": 0.9, "height": 0.1},
        "cone": {"radius": 0.4, "height": 0.9},
        "torus": {"major_radius": 0.8, "minor_radius": 0.2},
    }[kind]
    for key, wanted in sizes.items():
        assert getattr(made, key) == pytest.approx(size * wanted, rel=1e-5)
    along = quaternion_to_rotation(np.array(made.orientation))[:, 2]
    # what is seen, in the axes of the body
    to_body = quaternion_to_rotation(np.array(scene.bodies[0].orientation)).T
    to_body = to_body @ np.array(part.matrix_world)[:3, :3]
    drawn = to_body @ np.array(AXES[turn[-1]]) / size * (-1 if turn[0] == "-" else 1)
    place = to_body @ np.array([0.2, -0.1, 0.4])
    if kind == "cone":
        np.testing.assert_allclose(along, drawn, atol=1e-6)
    else:
        assert abs(along @ drawn) == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(made.position, place, atol=1e-6)


def test_it_is_drawn_where_it_is(part, context):
    """The wires of the overlay span the bounds of the mesh."""
    from blender_addon.overlay.wires import collider_wire

    wire = collider_wire(context, part).reshape(-1, 3)

    corners = np.array([corner[:] for corner in part.bound_box])
    np.testing.assert_allclose(wire.min(axis=0), corners.min(axis=0), atol=0.01)
    np.testing.assert_allclose(wire.max(axis=0), corners.max(axis=0), atol=0.01)


def test_a_cube_keeps_the_axis_of_its_object(add_body, exported):
    """Where no axis is better than another, it is the local z."""
    add_body(shape="cylinder")

    assert exported().bodies[0].geometry[0].orientation == (1, 0, 0, 0)
