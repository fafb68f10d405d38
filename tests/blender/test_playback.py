"""Import of animations: keyframes, parents, scale, memory of what was there before."""

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from .recordings import turning  # noqa: E402  nothing below is needed where bpy is missing


def keys(obj):
    """Curves of an object as {(path, index): (frames and values)}."""
    from blender_addon.compat import curves_of
    from blender_addon.playback.keyframes import key_array

    return {(curve.data_path, curve.array_index): key_array(curve) for curve in curves_of(obj)}


def world_at(scene, obj, time):
    """Position and rotation matrix of an object in the world, scale taken out, at a time."""
    from blender_addon.convert import take_apart

    frame = scene.frame_start + time * scene.render.fps / scene.render.fps_base
    scene.frame_set(int(frame // 1), subframe=frame % 1)
    placement = take_apart(np.array(obj.matrix_world))
    return placement.translation, placement.rotation


def assert_follows(scene, obj, motion, index, *, tolerance=1e-6):
    """The object is where the recording says, at each of its times."""
    from blender_addon.convert import quaternion_to_rotation

    for frame, time in enumerate(motion.times):
        position, rotation = world_at(scene, obj, time)
        expected = quaternion_to_rotation(motion.orientations[frame, index])
        np.testing.assert_allclose(position, motion.positions[frame, index], atol=tolerance)
        np.testing.assert_allclose(rotation, expected, atol=tolerance)


def play(motion, context, **options):
    from blender_addon.playback.keyframes import import_recording

    return import_recording(motion, context.scene, **options)


def test_keys_hold_the_recorded_numbers(add_body, context):
    """Values are exact to single precision, keys linear, one for each recorded time."""
    motion = turning(["box"])
    box = add_body()

    play(motion, context)

    curves = keys(box)
    assert len(curves) == 7
    for axis in range(3):
        frames, values = curves["location", axis].T
        np.testing.assert_array_equal(values, motion.positions[:, 0, axis].astype(np.float32))
        np.testing.assert_allclose(frames, 1 + np.arange(20))
    from blender_addon.compat import curves_of

    kinds = {key.interpolation for curve in curves_of(box) for key in curve.keyframe_points}
    assert kinds == {"LINEAR"}


def test_quaternions_do_not_jump(add_body, context):
    """Signs are chosen so that neighbours are near each other, whatever the recording has."""
    box = add_body()

    play(turning(["box"]), context)

    curves = keys(box)
    quaternions = np.stack([curves["rotation_quaternion", i][:, 1] for i in range(4)], axis=1)
    assert (np.einsum("fi,fi->f", quaternions[1:], quaternions[:-1]) > 0).all()


@pytest.mark.parametrize(("fps", "base"), [(24, 1.0), (25, 1.0), (30, 1.001), (60, 1.0)])
def test_times_are_mapped_to_frames(add_body, context, fps, base):
    """Samples keep their times at any frame rate; frames may be fractional."""
    context.scene.render.fps, context.scene.render.fps_base = fps, base
    context.scene.frame_start = 10
    motion = turning(["box"], fps=50.0)
    box = add_body()

    play(motion, context)

    frames = keys(box)["location", 0][:, 0]
    np.testing.assert_allclose(frames, 10 + motion.times * fps / base, atol=1e-5)
    assert context.scene.frame_end == np.ceil(10 + motion.times[-1] * fps / base - 1e-6)


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 3, 0.5), (-1, 1, 1), (-2, -3, -0.5), (2, -2, 1)])
def test_scale_stays(add_body, context, scale):
    """A scaled or mirrored object keeps its scale and still follows the recording."""
    motion = turning(["box"])
    box = add_body(scale=scale)

    play(motion, context)

    assert tuple(box.scale) == scale
    assert_follows(context.scene, box, motion, 0)


def test_parents_are_allowed_for(add_body, add_empty, context):
    """A chain of recorded bodies and unrecorded Empties, with parent inverses and scale."""
    motion = turning(["a", "b", "c"])
    root = add_empty("root", (1, 2, 3), rotation_euler=(0.1, 0.5, -0.3), scale=(2, 2, 2))
    a = add_body("a", location=(1, 0, 0), scale=(1, 2, 3))
    between = add_empty("between", (0, 1, 0), rotation_euler=(0, 0.4, 0))
    b, c = add_body("b"), add_body("c", rotation_euler=(0.3, 0, 0))
    for child, parent in ((a, root), (between, a), (b, between), (c, b)):
        context.view_layer.update()
        child.parent = parent
        child.matrix_parent_inverse = parent.matrix_world.inverted()

    play(motion, context)

    for index, obj in enumerate((a, b, c)):
        assert_follows(context.scene, obj, motion, index, tolerance=3e-6)


def test_one_action_with_a_slot_for_each_body(add_body, context):
    """Layered actions: a single action to clear or push down."""
    from blender_addon.compat import has_layered_actions

    if not has_layered_actions():
        pytest.skip("Blender before 4.4 has an action for each object")
    names = ["a", "b", "c"]
    objects = [add_body(name) for name in names]

    play(turning(names), context)

    assert {obj.animation_data.action for obj in objects} == {bpy.data.actions["Impulse"]}
    assert len(bpy.data.actions["Impulse"].slots) == 3


def test_names_that_are_missing_are_reported_and_the_rest_imported(add_body, context):
    """A recording that does not quite belong to the file still serves what it can."""
    box = add_body()

    report = play(turning(["box", "ghost", "spook"]), context)

    assert (report.imported, report.missing) == (["box"], ["ghost", "spook"])
    assert "ghost, spook" in str(report)
    assert len(keys(box)) == 7


def test_a_recording_of_other_objects_is_an_error(add_body, context):
    """Nothing is changed and the message names a body of the recording."""
    from blender_addon.playback.keyframes import PlaybackError

    add_body()

    with pytest.raises(PlaybackError, match=r"None of the recording's bodies.*'ghost'"):
        play(turning(["ghost"]), context)
    assert len(bpy.data.actions) == 0


def test_static_and_kinematic_bodies_keep_what_they_have(add_body, context):
    """Only dynamic bodies get keys; a kinematic one keeps the user's animation."""
    lift = add_body("lift", motion="kinematic")
    lift.keyframe_insert("location", frame=1)
    ground, box = add_body("ground", motion="static"), add_body("box")

    report = play(turning(["lift", "ground", "box"]), context)

    assert (report.imported, report.kept) == (["box"], ["lift", "ground"])
    assert len(keys(lift)) == 3
    assert ground.animation_data is None
    assert box.animation_data is not None


def test_clear_restores_what_was_there(add_body, context):
    """Own action, rotation mode and transform come back, even after two imports."""
    box = add_body(location=(1, 2, 3), rotation_euler=(0.1, 0.2, 0.3))
    box.keyframe_insert("location", frame=1)
    own = box.animation_data.action
    plain = add_body("plain", location=(4, 5, 6), rotation_mode="XYZ", rotation_euler=(0, 0, 1))
    play(turning(["box", "plain"]), context)
    play(turning(["box", "plain"], seed=2), context)
    context.scene.frame_set(7)

    bpy.ops.impulse.clear_animation()

    assert box.animation_data.action == own
    assert len(keys(box)) == 3
    assert (box.rotation_mode, plain.rotation_mode) == ("XYZ", "XYZ")
    assert plain.animation_data is None
    np.testing.assert_allclose(plain.location, (4, 5, 6))
    np.testing.assert_allclose(plain.rotation_euler, (0, 0, 1))
    assert [action.name for action in bpy.data.actions] == [own.name]


def test_importing_again_replaces_the_first(add_body, context):
    """Only the newer motion is left, in one action."""
    box = add_body()
    play(turning(["box"]), context)
    second = turning(["box"], seed=5)

    play(second, context)

    assert len(bpy.data.actions) == 1
    assert_follows(context.scene, box, second, 0)


def test_import_can_be_undone(add_body, context, tmp_path):
    """One undo step takes all keyframes away."""
    path = save(turning(["box"]), tmp_path / "anim.json")
    add_body()
    bpy.ops.ed.undo_push(message="box")
    bpy.ops.impulse.import_animation(filepath=str(path))
    bpy.ops.ed.undo_push(message="import")

    bpy.ops.ed.undo()

    box = bpy.data.objects["box"]
    assert box.animation_data is None or box.animation_data.action is None
    assert not box.impulse.playback.active


@pytest.mark.parametrize("suffix", [".json", ".npz"])
def test_the_operator_reads_recordings(add_body, context, tmp_path, suffix):
    """Files written by the simulator's own library are read, with Blender at any frame."""
    motion = turning(["box"])
    box = add_body()

    bpy.ops.impulse.import_animation(filepath=str(save(motion, tmp_path / f"anim{suffix}")))

    assert_follows(context.scene, box, motion, 0)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.json", None, "none.json"),
        ("bad.json", "{", "bad.json"),
        ("scene.json", '{"version": 1}', "scene.json"),
    ],
)
def test_a_file_that_is_no_recording_is_an_error(add_body, tmp_path, name, content, message):
    """One sentence with the file's name, no traceback, nothing changed."""
    add_body()
    if content is not None:
        (tmp_path / name).write_text(content)

    with pytest.raises(RuntimeError, match=message) as caught:
        bpy.ops.impulse.import_animation(filepath=str(tmp_path / name))

    assert "Traceback" not in str(caught.value)
    assert len(bpy.data.actions) == 0


def test_poses_survive_export_and_import(add_body, add_empty, context, exported):
    """What goes out as a scene and comes back as a recording stands where it stood."""
    root = add_empty("root", (3, 2, 1), rotation_euler=(0.4, -0.2, 0.9))
    random = np.random.default_rng(4)
    objects = []
    for number in range(12):
        scale = random.choice([-1, 1], 3) * random.uniform(0.5, 2, 3)
        obj = add_body(
            f"body {number}",
            location=random.normal(size=3) * 3,
            rotation_euler=random.uniform(-3, 3, 3),
            scale=scale,
        )
        obj.parent = root if number % 2 else None
        objects.append(obj)
    context.view_layer.update()
    before = [np.array(obj.matrix_world) for obj in objects]
    bodies = {body.name: body for body in exported().bodies}
    motion = turning([obj.name for obj in objects], frames=2)
    motion.positions[:] = [bodies[name].position for name in motion.body_names]
    motion.orientations[:] = [bodies[name].orientation for name in motion.body_names]

    play(motion, context)

    for obj, matrix in zip(objects, before, strict=True):
        np.testing.assert_allclose(np.array(obj.matrix_world), matrix, atol=1e-6)


def save(motion, path):
    """Write a motion through the simulator's own library."""
    from impulse_core.recording import Recording

    make_recording(Recording, motion).save(path)
    return path


def make_recording(cls, motion):
    frames = len(motion.times)
    return cls(
        scene="test",
        scene_sha256="0" * 64,
        fps=25.0,
        step=0.01,
        method="imp2",
        solver="direct",
        complete=True,
        times=motion.times,
        body_names=motion.body_names,
        positions=motion.positions,
        orientations=motion.orientations,
        joints={},
        energy={key: np.zeros(frames) for key in ("kinetic", "potential", "total")},
        momentum={key: np.zeros((frames, 3)) for key in ("linear", "angular")},
        events=[],
        diagnostics={},
    )
