"""What the user edits after an import outlives the next run and Clear."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from .recordings import turning  # noqa: E402  nothing below is needed where bpy is missing


def play(context, seed=1, name="box"):
    """Import a motion that begins where the object stands."""
    from blender_addon.export.bodies import pose_of
    from blender_addon.export.collect import Tagged
    from blender_addon.playback.keyframes import import_recording

    motion = turning([name], seed=seed)
    context.view_layer.update()
    motion.positions[0, 0], motion.orientations[0, 0] = pose_of(
        Tagged().placement_of(context.scene.objects[name]), 1.0
    )
    return import_recording(motion, context.scene)


def test_a_body_moved_before_the_second_run_stays_there(add_body, context):
    """Simulate, move it in the first frame, simulate, Clear: it is where the user put it."""
    box = add_body(location=(0, 0, 5), rotation_euler=(0.1, 0.2, 0.3))
    play(context)
    context.scene.frame_set(1)
    box.location = (3, 0, 8)
    play(context, seed=2)
    context.scene.frame_set(12)

    bpy.ops.impulse.clear_animation()

    np.testing.assert_allclose(box.location, (3, 0, 8), atol=1e-6)
    np.testing.assert_allclose(box.rotation_euler, (0.1, 0.2, 0.3), atol=1e-6)
    assert box.animation_data is None


@pytest.mark.parametrize("frame", [1, 10])
def test_clear_leaves_a_moved_body_where_it_was_put(add_body, context, frame):
    """Also in the middle of the motion."""
    box = add_body(location=(0, 0, 5))
    play(context)
    context.scene.frame_set(frame)
    box.location = (3, 0, 8)
    box.rotation_quaternion = (np.sqrt(0.5), 0, 0, np.sqrt(0.5))

    bpy.ops.impulse.clear_animation()

    np.testing.assert_allclose(box.location, (3, 0, 8), atol=1e-6)
    assert box.rotation_mode == "XYZ"
    np.testing.assert_allclose(box.rotation_euler, (0, 0, np.pi / 2), atol=1e-6)


@pytest.mark.parametrize("operator", ["validate_scene", "export_scene", "run_simulation"])
def test_a_body_moved_in_between_is_refused_before_another_frame_is_shown(
    add_body, context, tmp_path, operator
):
    """The start is the first frame; to show it would drop the edit, so nothing is done."""
    box = add_body(location=(0, 0, 5))
    play(context)
    context.scene.frame_set(10)
    box.location = (3, 0, 8)
    given = {"export_scene": {"filepath": str(tmp_path / "a.xml")}}.get(operator, {})

    with pytest.raises(RuntimeError, match="box: was moved in frame 10"):
        getattr(bpy.ops.impulse, operator)(**given)

    np.testing.assert_allclose(box.location, (3, 0, 8))
    bpy.ops.impulse.clear_animation()
    np.testing.assert_allclose(box.location, (3, 0, 8))


def test_keys_edited_by_hand_are_kept_as_an_action(add_body, context):
    """Neither a second run nor Clear deletes an action that is not as it was imported."""
    from blender_addon.compat import curves_of

    box = add_body()
    play(context)
    curves_of(box)[0].keyframe_points[5].co[1] += 1.0
    box.animation_data.action.name = "polished"

    report = play(context, seed=2)

    assert report.kept_actions == ["polished"]
    assert bpy.data.actions["polished"].use_fake_user
    box.keyframe_insert("scale", frame=3)
    bpy.ops.impulse.clear_animation()
    assert len(bpy.data.actions) == 2


def test_a_start_that_was_keyed_is_what_clear_puts_back(add_body, context):
    """As automatic keying does it: the first key of the motion is the new start."""
    box = add_body(location=(0, 0, 5))
    play(context)
    context.scene.frame_set(1)
    box.location = (3, 0, 8)
    box.keyframe_insert("location", frame=1)
    context.scene.frame_set(9)

    bpy.ops.impulse.clear_animation()

    np.testing.assert_allclose(box.location, (3, 0, 8), atol=1e-6)


def test_an_action_the_user_chose_meanwhile_stays(add_body, context):
    """Clear takes away what was imported, not what came after; the former action is kept."""
    box = add_body()
    box.keyframe_insert("location", frame=1)
    former = box.animation_data.action
    play(context)
    own = bpy.data.actions.new("own")
    box.animation_data.action = own

    bpy.ops.impulse.clear_animation()

    assert box.animation_data.action == own
    assert former.use_fake_user


def test_what_was_not_edited_leaves_nothing_behind(add_body, context):
    """Runs and Clear without edits: one action at most, then none."""
    add_body()
    for seed in range(3):
        play(context, seed=seed)
        assert len(bpy.data.actions) == 1
    context.scene.frame_set(7)

    bpy.ops.impulse.clear_animation()

    assert len(bpy.data.actions) == 0


coordinates = st.floats(-50, 50, width=32)


@given(
    modes=st.sampled_from(["XYZ", "ZYX", "QUATERNION", "AXIS_ANGLE"]),
    moves=st.lists(
        st.tuples(st.booleans(), st.tuples(coordinates, coordinates, coordinates), st.booleans()),
        min_size=1,
        max_size=4,
    ),
    frame=st.integers(1, 15),
)
def test_the_last_edit_wins_however_often_it_is_run(modes, moves, frame):
    """Rounds of moving (by hand or keyed) and simulating, then Clear in any frame, in any
    rotation mode: the body stands where it was last put.
    """
    from mathutils import Euler

    from blender_addon.authoring import tagging

    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    context = bpy.context
    box = bpy.data.objects.new("box", None)
    context.scene.collection.objects.link(box)
    tagging.tag_bodies([box])
    box.rotation_mode = modes
    expected = box.matrix_basis.copy()
    for seed, (edited, place, keyed) in enumerate(moves):
        context.scene.frame_set(1)
        if edited:
            box.location = place
            if box.rotation_mode == "QUATERNION":
                box.rotation_quaternion = Euler(np.array(place) / 20).to_quaternion()
            context.view_layer.update()
            expected = box.matrix_basis.copy()
            if keyed and box.animation_data is not None:
                box.keyframe_insert("location", frame=1)
                box.keyframe_insert("rotation_quaternion", frame=1)
        play(context, seed=seed)
    context.scene.frame_set(frame)

    bpy.ops.impulse.clear_animation()

    context.view_layer.update()
    assert box.rotation_mode == modes
    # Blender's single precision leaves Euler angles uncertain by its root near gimbal lock
    close = float(np.sqrt(np.finfo(np.float32).eps))
    np.testing.assert_allclose(np.array(box.matrix_basis), np.array(expected), atol=close)
