"""Handles of limits: what a drag of the mouse means."""

import math

import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from mathutils import Vector  # noqa: E402  nothing below is needed where bpy is missing

EYES = [(5.0, -4.0, 3.0), (-2.0, 6.0, 1.0)]
LIMITED = [
    ("hinge", "rotation", 0.7),
    ("hinge", "rotation", -2.9),
    ("slider", "translation", -0.4),
    ("cylindrical", "translation", 0.3),
    ("screw", "rotation", 4.5),
    ("ball", "swing", 1.2),
    ("ball", "twist", 0.8),
]


@pytest.fixture
def joint(add_body, add_empty, context):
    """Adds a joint with a limit, turned, and scaled by a mirror if asked for."""
    from blender_addon.authoring import tagging

    def joint(kind, freedom, mirror=False):
        body = add_body()
        pivot = add_empty(location=(1, 2, 3), rotation_euler=(0.4, 0.3, 0.9))
        pivot.scale = (-2, 2, 2) if mirror else (2, 2, 2)
        tagging.tag_joint(pivot, kind, None, body)
        limit = pivot.impulse.joint.limits.add()
        limit.freedom = freedom
        limit.use_upper = True
        context.view_layer.update()
        return pivot

    return joint


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("metres", [1.0, 0.01])
@pytest.mark.parametrize(("kind", "freedom", "value"), LIMITED)
def test_a_handle_dragged_to_where_it_is_stays(joint, eye, mirror, metres, kind, freedom, value):
    """The mouse at the place of a handle gives its value, from anywhere, at any unit scale."""
    from blender_addon.overlay import handles

    pivot = joint(kind, freedom, mirror)
    (handle,) = handles.handles_of(pivot)
    value *= metres if freedom == "translation" else 1.0
    place = handles.place_of(handle, pivot, 1.0, metres, value)
    if freedom == "translation":
        # the handle stands beside the axis, so the ray goes through the axis at its height
        frame = handles.joint_frame(pivot)
        place = frame @ Vector((0, 0, value / metres))

    found = handles.dragged(handle, pivot, Vector(eye), place - Vector(eye), metres, value)

    assert handle.freedom == freedom
    assert found == pytest.approx(value, abs=1e-5)


def test_the_frame_is_that_of_the_file(joint, exported, context):
    """Its z is the axis that is exported, of a mirrored joint too."""
    from blender_addon.overlay import handles

    for kind, freedom in (("hinge", "rotation"), ("slider", "translation")):
        for mirror in (False, True):
            pivot = joint(kind, freedom, mirror)
            axis = exported().joints[0].axis
            assert tuple(handles.joint_frame(pivot).col[2][:3]) == pytest.approx(axis, abs=1e-6)
            for obj in list(context.scene.objects):
                bpy.data.objects.remove(obj)


def test_bounds_cannot_cross(joint):
    """A dragged bound stops at the other one, a swing where the check would refuse it."""
    from blender_addon.overlay import handles

    pivot = joint("hinge", "rotation")
    limit = pivot.impulse.joint.limits[0]
    limit.use_lower, limit.lower, limit.upper = True, -0.5, 0.5
    lower, upper = handles.handles_of(pivot)
    assert handles.allowed(lower, pivot, 2.0) == 0.5
    assert handles.allowed(upper, pivot, -2.0) == -0.5
    swing = upper._replace(freedom="swing")
    assert handles.allowed(swing, pivot, 0.0) == math.radians(1.0)
    assert handles.snapped(upper, 0.5, 1.0) == pytest.approx(math.radians(30.0))


def test_a_ray_along_the_axis_or_in_the_plane_changes_nothing(joint):
    """Where the mouse points nowhere, the bound stays."""
    from blender_addon.overlay import handles

    for kind, freedom, column in (("slider", "translation", 2), ("hinge", "rotation", 0)):
        pivot = joint(kind, freedom)
        (handle,) = handles.handles_of(pivot)
        frame = handles.joint_frame(pivot)
        along = Vector(frame.col[column][:3])
        start = frame.translation + 0.1 * Vector(frame.col[1][:3])
        assert handles.dragged(handle, pivot, start, along, 1.0, 0.3) == 0.3


def test_handles_show_for_the_active_joint_only(joint, select, context):
    """The group of gizmos asks for a selected joint, object mode and the overlay."""
    from blender_addon.overlay.gizmos import IMPULSE_GGT_joint

    pivot = joint("hinge", "rotation")
    select(pivot)
    assert IMPULSE_GGT_joint.poll(context)
    context.scene.impulse_overlay.show = False
    assert not IMPULSE_GGT_joint.poll(context)
    context.scene.impulse_overlay.show = True
    select(bpy.data.objects["box"])
    assert not IMPULSE_GGT_joint.poll(context)
