"""Keys while the simulation computes: the machine moves meanwhile, and in the end nothing differs
from an import of the whole file.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from impulse_core.recording import GrowingFile, load_recording  # noqa: E402

from .recordings import recording_of, turning  # noqa: E402

FRAMES = 20


class Simulator:
    """Stands in for the child process: it writes frames when the test says so."""

    def __init__(self, path, motion):
        from impulse_core.recording.chunked_file import frames_of
        from impulse_core.recording.data import RecordingData

        self._part, self._kind = frames_of, RecordingData
        self.whole = recording_of(motion)
        self.animation, self._file = path, GrowingFile(path)
        self.written, self.is_going, self.is_stopped = 0, True, False
        self.is_complete = self.refused = False

    def write(self, frames):
        self._file.add(self._part(self.whole, self.written, self.written + frames))
        self.written += frames

    def end(self):
        self._file.end(self.whole)
        self.is_going, self.is_complete = False, True

    def poll(self):
        return not self.is_going

    def stop(self):
        self.is_stopped = True

    def abandon(self):
        self.is_going = False

    def wait(self, _seconds):
        pass

    def result(self):
        return self.animation


@pytest.fixture
def started(context, tmp_path):
    """Starts a run of made-up motion that is watched."""
    from blender_addon.running.live import LiveRun

    def started(names, **options):
        simulator = Simulator(tmp_path / "motion.imprec", turning(names, **options))
        return simulator, LiveRun(context.scene, simulator.animation, simulator, is_live=True)

    return started


def key_count(obj):
    from blender_addon.compat import curves_of

    return {len(curve.keyframe_points) for curve in curves_of(obj)}


def look(run, times=4):
    """What the timer does in a window."""
    for _ in range(times):
        over = run.poll()
    return over


def prints(context):
    """Checksums of all keys by object, as the whole file imported leaves them."""
    from blender_addon import compat

    return {
        obj.name: [
            (curve.data_path, curve.array_index, key_bytes(curve))
            for curve in compat.curves_of(obj)
        ]
        for obj in context.scene.objects
    }


def key_bytes(curve):
    found = []
    for name in ("co", "handle_left", "handle_right"):
        values = np.empty(2 * len(curve.keyframe_points), np.float32)
        curve.keyframe_points.foreach_get(name, values)
        found.append(values.tobytes())
    return found, {key.interpolation for key in curve.keyframe_points}


def test_the_machine_moves_while_it_is_computed(add_body, context, started, monkeypatch):
    """After each chunk all frames so far are keys, and the last of them is shown."""
    from blender_addon.running import live

    box = add_body()
    simulator, run = started(["box"])
    monkeypatch.setattr(live, "SHARE", 1e9)
    assert not run.poll()  # no file yet

    for frames in (1, 4, 9):
        simulator.write(frames)
        assert not look(run)
        assert key_count(box) == {simulator.written}
        assert context.scene.frame_current == simulator.written
        np.testing.assert_allclose(
            box.matrix_world.translation,
            simulator.whole.positions[simulator.written - 1, 0],
            atol=1e-6,
        )

    simulator.write(FRAMES - simulator.written)
    simulator.end()
    assert look(run)
    assert key_count(box) == {FRAMES}


def test_the_frame_of_before_is_shown_again(add_body, context, started):
    """Unless the user has chosen another meanwhile, which is not changed any more."""
    add_body()
    context.scene.frame_set(7)
    simulator, run = started(["box"])
    simulator.write(3)
    look(run)
    assert context.scene.frame_current == 3
    run.show_first(context.scene)
    assert context.scene.frame_current == 7

    context.scene.frame_set(5)
    simulator.write(3)
    look(run)
    run.show_first(context.scene)
    assert context.scene.frame_current == 5


def test_a_scene_that_is_slow_to_show_is_left_alone(add_body, context, started, monkeypatch):
    """After a few frames that took too long no other is shown; one that did is no reason."""
    from blender_addon.running import live

    add_body()
    simulator, run = started(["box"])
    monkeypatch.setattr(live, "SHARE", 1e9)
    seen = []
    for _ in range(6):
        monkeypatch.setattr(live, "SHOWING", -1.0 if len(seen) != 1 else 1e9)
        simulator.write(2)
        look(run)
        seen.append(context.scene.frame_current)

    assert seen == [2, 4, 6, 8, 10, 10]


@settings(max_examples=20)
@given(parts=st.lists(st.integers(1, 7), min_size=1, max_size=5), scale=st.sampled_from([1, -2]))
def test_any_portions_make_the_same_keys(tmp_path_factory, parts, scale):
    """Bit for bit, of bodies that hang on each other too, in whichever chunks the frames came."""
    from blender_addon.authoring import tagging
    from blender_addon.playback.keyframes import Import, clear, import_recording

    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    context, names = bpy.context, ["a", "b", "c"]
    objects = [bpy.data.objects.new(name, None) for name in names]
    for obj in objects:
        context.scene.collection.objects.link(obj)
    objects[1].parent, objects[2].scale = objects[0], (scale, 1, 2)
    tagging.tag_bodies(objects)
    frames = sum(parts)
    simulator = Simulator(
        tmp_path_factory.mktemp("run") / "a.imprec", turning(names, frames=frames, rate=3.0)
    )
    under_way = Import(context.scene)
    from impulse_core.recording import Followed

    followed = Followed(simulator.animation)
    for part in parts:
        simulator.write(part)
        under_way.add(followed.read(), context.scene)
        under_way.write(context.scene)
    under_way.finish(context.scene)
    found = prints(context)
    simulator.end()
    clear(context.scene.objects)
    import_recording(load_recording(simulator.animation), context.scene)

    assert found == prints(context)


def test_undo_during_a_run_loses_no_frame(add_body, context, started):
    """Undo takes keys away, and the action itself; the next look writes them again."""
    add_body()
    bpy.ops.ed.undo_push(message="box")
    simulator, run = started(["box"])
    simulator.write(8)
    look(run)
    bpy.ops.ed.undo_push(message="something")
    simulator.write(4)
    look(run)

    bpy.ops.ed.undo()
    look(run)
    assert key_count(bpy.data.objects["box"]) == {12}
    simulator.write(8)
    simulator.end()
    assert look(run)

    report = run.keys.finish(bpy.context.scene)
    assert key_count(bpy.data.objects["box"]) == {FRAMES}
    assert report.frames == FRAMES
    bpy.ops.impulse.clear_animation()
    assert bpy.data.objects["box"].animation_data is None


def test_objects_that_vanish_during_a_run_do_no_harm(add_body, context, started):
    """Deleted, or renamed: the others go on."""
    for name in ("a", "b", "c"):
        add_body(name)
    simulator, run = started(["a", "b", "c"])
    simulator.write(5)
    look(run)
    bpy.data.objects.remove(bpy.data.objects["a"])
    bpy.data.objects["b"].name = "other"
    simulator.write(15)
    simulator.end()

    assert look(run)
    run.keys.finish(context.scene)
    assert key_count(bpy.data.objects["c"]) == {FRAMES}


def test_a_look_writes_for_a_short_while_only(add_body, context, started, monkeypatch):
    """What there is no time for waits for the next look; in the end everything is there."""
    from blender_addon.running import live

    names = [f"box {n}" for n in range(5)]
    objects = [add_body(name) for name in names]
    monkeypatch.setattr(live, "WRITING", 0.0)
    simulator, run = started(names)
    simulator.write(FRAMES)
    simulator.end()

    looks = 0
    while not run.poll():
        looks += 1
        assert sum(bool(key_count(obj)) for obj in objects) <= looks
    assert looks >= len(objects) - 1
    assert {count for obj in objects for count in key_count(obj)} == {FRAMES}


def test_a_recording_of_other_bodies_ends_the_run(add_body, context, started):
    """One sentence, and the simulator does not go on for nothing."""
    add_body("other")
    simulator, run = started(["box"])
    simulator.write(2)

    assert run.poll()
    assert "None of the recording's bodies" in str(run.error)
    assert not simulator.is_going


def test_the_action_has_one_name(add_body, context):
    """Run after run: it is called Impulse, and there is no second."""
    from blender_addon.compat import has_layered_actions
    from blender_addon.playback.keyframes import import_recording

    add_body()
    for seed in range(4):
        import_recording(turning(["box"], seed=seed), context.scene)
        expected = "Impulse" if has_layered_actions() else "Impulse box"
        assert [action.name for action in bpy.data.actions] == [expected]


def test_a_file_saved_during_a_run_holds_the_motion_so_far(add_body, context, started, tmp_path):
    """Opened again it is like any motion: what is edited then is kept by Clear."""
    from blender_addon.compat import curves_of

    add_body()
    simulator, run = started(["box"])
    simulator.write(8)
    look(run)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "a.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "a.blend"))

    box = bpy.data.objects["box"]
    assert key_count(box) == {8}
    curves_of(box)[0].keyframe_points[3].co[1] += 1.0
    bpy.ops.impulse.clear_animation()
    assert box.animation_data is None
    assert len(bpy.data.actions) == 1


def test_what_is_in_an_action_is_looked_at_piece_by_piece(add_body, context):
    """A curve at a time gives what a single look does, and notices what becomes of the action."""
    from blender_addon import compat
    from blender_addon.playback.keyframes import import_recording

    for name in ("a", "b"):
        add_body(name)
    import_recording(turning(["a", "b"]), context.scene)
    names = [action.name for action in bpy.data.actions]
    pieces = compat.Fingerprints([*names, "gone"])
    looks = 1
    while not pieces.advance(0.0):
        looks += 1

    assert looks >= 14
    assert pieces.found == {name: compat.fingerprint(bpy.data.actions[name]) for name in names}
    assert not any(compat.is_edited(bpy.data.actions[name], pieces.found[name]) for name in names)


class Event:
    """What a window hands to an operator that goes on."""

    def __init__(self, kind="TIMER", value="NOTHING", place=(0, 0)):
        self.type, self.value = kind, value
        self.mouse_x, self.mouse_y = place


class Window:
    """The screen of a window, as far as Esc is concerned: one 3D view from (100, 100)."""

    def __init__(self, is_playing=False):
        from types import SimpleNamespace

        view = SimpleNamespace(type="VIEW_3D", x=100, y=100, width=200, height=100)
        other = SimpleNamespace(type="PROPERTIES", x=300, y=100, width=200, height=100)
        self.window = SimpleNamespace(
            screen=SimpleNamespace(is_animation_playing=is_playing, areas=[view, other])
        )


@pytest.mark.parametrize(
    ("place", "is_playing", "expected"),
    [((150, 150), False, True), ((150, 150), True, False), ((350, 150), False, False)],
)
def test_esc_is_taken_over_the_view_only(place, is_playing, expected):
    """Elsewhere, and while the animation plays, it is meant for something else."""
    from blender_addon.operators.child import takes_escape

    assert takes_escape(Window(is_playing), Event("ESC", "PRESS", place)) == expected


def test_a_fault_in_a_look_ends_the_run(add_body, context, started, monkeypatch):
    """Otherwise nobody would look again, and no other could begin."""
    from types import SimpleNamespace

    from blender_addon.operators.child import ChildOperator
    from blender_addon.running.going import Going

    add_body()
    simulator, run = started(["box"])
    monkeypatch.setattr(run, "poll", lambda: 1 / 0)
    operator = ChildOperator()
    operator._timer = None
    left = []
    monkeypatch.setattr(ChildOperator, "_leave", lambda *arguments: left.append(arguments))
    Going.child = run

    with pytest.raises(ZeroDivisionError):
        operator.modal(SimpleNamespace(), Event())

    assert left
    assert not Going.is_on()
    assert not simulator.is_going
