"""Takes: motions that are kept, shown again, compared, deleted; and nothing of them is lost."""

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from .recordings import turning  # noqa: E402  nothing below is needed where bpy is missing


def play(context, seed, names=("a", "b")):
    from blender_addon.playback.keyframes import import_recording

    return import_recording(turning(names, seed=seed), context.scene)


def places(context, frame=9):
    """Where the bodies are in a frame."""
    context.scene.frame_set(frame)
    return {o.name: np.array(o.matrix_world) for o in context.scene.objects if o.name in "ab"}


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, matrix in expected.items():
        np.testing.assert_array_equal(found[name], matrix)


@pytest.fixture
def two_takes(add_body, context):
    """Two motions that are kept; the second is played."""
    add_body("a", location=(1, 2, 3), rotation_euler=(0.1, 0.2, 0.3))
    add_body("b")
    play(context, 1)
    bpy.ops.impulse.keep_take(name="slow")
    slow = places(context)
    play(context, 2)
    bpy.ops.impulse.keep_take(name="fast")
    return slow, places(context)


def test_takes_are_switched(two_takes, context):
    """As often as one likes; Clear puts back what was there before them all."""
    from blender_addon.playback.takes import shown

    slow, fast = two_takes
    for _ in range(2):
        bpy.ops.impulse.show_take(name="slow")
        assert shown(context.scene) == "slow"
        assert_same(places(context), slow)
        bpy.ops.impulse.show_take(name="fast")
        assert shown(context.scene) == "fast"
        assert_same(places(context), fast)

    bpy.ops.impulse.clear_animation()
    box = bpy.data.objects["a"]
    np.testing.assert_allclose(box.location, (1, 2, 3))
    np.testing.assert_allclose(box.rotation_euler, (0.1, 0.2, 0.3))
    assert box.rotation_mode == "XYZ"
    bpy.ops.impulse.show_take(name="slow")
    assert_same(places(context), slow)


def test_neither_a_run_nor_clear_takes_a_take(two_takes, context, tmp_path):
    """Nor saving and opening the file."""
    slow, fast = two_takes
    play(context, 3)
    bpy.ops.impulse.clear_animation()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))

    bpy.ops.impulse.show_take(name="fast")
    assert_same(places(bpy.context), fast)
    bpy.ops.impulse.show_take(name="slow")
    assert_same(places(bpy.context), slow)


def test_a_motion_that_was_not_kept_goes_when_a_take_is_shown(two_takes, context):
    """As with another run; one that was edited stays as an action."""
    from blender_addon.compat import curves_of

    count = len(bpy.data.actions)
    play(context, 3)
    bpy.ops.impulse.show_take(name="slow")
    assert len(bpy.data.actions) == count

    play(context, 3)
    curves_of(bpy.data.objects["a"])[0].keyframe_points[3].co[1] += 1.0
    bpy.ops.impulse.show_take(name="slow")
    assert len(bpy.data.actions) > count


def test_a_body_moved_before_a_take_is_shown_stays_there(two_takes, context):
    """The pose of the first frame is what Clear puts back, here as after a run."""
    context.scene.frame_set(1)
    box = bpy.data.objects["a"]
    box.location = (7, 8, 9)
    bpy.ops.impulse.show_take(name="slow")
    bpy.ops.impulse.clear_animation()

    np.testing.assert_allclose(box.location, (7, 8, 9), atol=1e-6)


def test_a_take_is_deleted(two_takes, context):
    """Its actions go, unless they are played, and then with the next run."""
    _, fast = two_takes
    bpy.ops.impulse.delete_take(name="slow")
    assert [take.name for take in context.scene.impulse.takes] == ["fast"]
    assert all("slow" not in action.name for action in bpy.data.actions)

    bpy.ops.impulse.delete_take(name="fast")
    assert_same(places(context), fast)
    bpy.ops.impulse.clear_animation()
    assert len(bpy.data.actions) == 0


def test_takes_are_compared(two_takes, add_box, context, exported):
    """Wire frames stand where the take says, with what hangs on the bodies, not exported."""
    slow, fast = two_takes
    plain = exported()
    visual = add_box("visual", location=(0, 0, 1))
    visual.parent = bpy.data.objects["b"]
    count = len(context.scene.objects)

    bpy.ops.impulse.compare_take(name="slow")

    assert_same(places(context), fast)
    for name, matrix in slow.items():
        ghost = bpy.data.objects[f"ghost of {name}"]
        np.testing.assert_allclose(np.array(ghost.matrix_world), matrix, atol=1e-6)
        assert (ghost.display_type, ghost.impulse.kind) == ("WIRE", "NONE")
    seen = bpy.data.objects["ghost of visual"]
    assert seen.parent == bpy.data.objects["ghost of b"]
    context.scene.frame_set(1)
    assert exported() == plain
    bpy.ops.impulse.compare_take(name="slow")
    assert len(context.scene.objects) == count


@pytest.mark.parametrize(
    ("operator", "message"),
    [
        ("keep_take", "no motion to keep"),
        ("show_take", "no take 'x'"),
        ("delete_take", "no take 'x'"),
        ("compare_take", "no take 'x'"),
    ],
)
def test_where_there_is_nothing_one_sentence_says_so(add_body, operator, message):
    """No traceback, nothing changed."""
    add_body()
    with pytest.raises(RuntimeError, match=message) as caught:
        getattr(bpy.ops.impulse, operator)(name="x")
    assert "Traceback" not in str(caught.value)


def test_a_motion_is_kept_once(two_takes, context):
    """And names are not given twice; without one there is a number."""
    with pytest.raises(RuntimeError, match="kept already, as fast"):
        bpy.ops.impulse.keep_take()
    play(context, 3)
    with pytest.raises(RuntimeError, match="a take slow already"):
        bpy.ops.impulse.keep_take(name="slow")
    bpy.ops.impulse.keep_take()
    assert context.scene.impulse.takes[-1].name == "Take 1"


def test_what_became_of_the_parts_of_a_take(two_takes, context):
    """A body that was renamed still plays; one that was deleted is left out."""
    slow, _ = two_takes
    bpy.data.objects["a"].name = "renamed"
    bpy.data.objects.remove(bpy.data.objects["b"])

    bpy.ops.impulse.show_take(name="slow")

    context.scene.frame_set(9)
    found = np.array(bpy.data.objects["renamed"].matrix_world)
    np.testing.assert_array_equal(found, slow["a"])
    bpy.data.objects.remove(bpy.data.objects["renamed"])
    with pytest.raises(RuntimeError, match="are gone"):
        bpy.ops.impulse.show_take(name="slow")
