"""Simulate: a scene has one result, found again where nothing was changed; nothing is left."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def machine(add_body, add_empty, select, context):
    """Two links that hang on each other and on the world, turned and scaled, with a spring."""
    from blender_addon.authoring import tagging

    upper = add_body("upper", location=(0.4, 0, 0), size=(0.8, 0.1, 0.1))
    upper.rotation_euler, upper.scale = (0.3, 0.0, 0.0), (1, -1.5, 1)
    lower = add_body("lower", location=(1.2, 0.1, 0.05), size=(0.8, 0.1, 0.1))
    lower.rotation_euler = (0.1, 0.2, 0.3)
    for name, place, bodies in (
        ("shoulder", (0, 0, 0), (None, upper)),
        ("elbow", (0.8, 0.05, 0.02), (upper, lower)),
    ):
        pivot = add_empty(name, place, rotation_euler=(np.pi / 2, 0.1, 0))
        tagging.tag_joint(pivot, "hinge", *bodies)
    hook = add_empty("hook", (1.3, 0, 0.1))
    spring = add_empty("spring", (0.3, 0.0, 0.1))
    tagging.tag_spring(spring, {"body1": upper, "body2": lower, "anchor2": hook}, stiffness=5.0)
    context.scene.frame_end = 11
    return upper, lower


def file_bytes(context, folder):
    """The scene as it is exported now."""
    path = folder / "scene.xml"
    bpy.ops.impulse.export_scene(filepath=str(path))
    return path.read_bytes()


@pytest.fixture
def run_count(monkeypatch):
    """How often the simulator was started to run a scene."""
    from blender_addon.simulator import runner

    started, first = [], runner.Run.__init__

    def counted(self, *arguments):
        started.append(1)
        first(self, *arguments)

    monkeypatch.setattr(runner.Run, "__init__", counted)
    return lambda: len(started)


@pytest.mark.slow
def test_a_scene_that_is_not_changed_is_not_simulated_again(machine, context, run_count, runs):
    """Also after the motion has come: it is exported as Clear would leave it. A change counts."""
    upper, _ = machine
    context.scene.frame_set(4)
    for _ in range(3):
        bpy.ops.impulse.run_simulation()
    assert run_count() == 1
    context.scene.frame_set(11)
    end = np.array(upper.matrix_world)

    bpy.ops.impulse.clear_animation()
    bpy.ops.impulse.run_simulation()
    context.scene.frame_set(11)
    np.testing.assert_array_equal(np.array(upper.matrix_world), end)
    assert run_count() == 1

    context.scene.frame_end = 12
    bpy.ops.impulse.run_simulation()
    upper.impulse.body.density = 500.0
    bpy.ops.impulse.run_simulation()
    assert run_count() == 3

    bpy.ops.impulse.clear_cache()
    bpy.ops.impulse.run_simulation()
    assert run_count() == 4
    assert list((runs / "runs").iterdir()) == []


@pytest.mark.slow
def test_a_motion_changes_no_byte_of_the_export(machine, context, tmp_path):
    """Bodies, joints and springs are exported as they were, whichever frame is shown."""
    before = file_bytes(context, tmp_path)
    bpy.ops.impulse.run_simulation()
    for frame in (1, 6):
        context.scene.frame_set(frame)
        shown = np.array(machine[0].matrix_world)
        assert file_bytes(context, tmp_path) == before
        np.testing.assert_allclose(np.array(machine[0].matrix_world), shown, atol=1e-6)

    bpy.ops.impulse.clear_animation()
    assert file_bytes(context, tmp_path) == before


@pytest.mark.slow
def test_joints_and_springs_follow_their_bodies(machine, context):
    """An elbow, a spring and its other end keep their places on the body, and Clear lets go."""
    watched = {"elbow": "upper", "spring": "upper", "hook": "lower"}
    objects = context.scene.objects
    first = {n: objects[b].matrix_world.inverted() @ objects[n].matrix_world
             for n, b in watched.items()}  # fmt: skip
    shoulder = np.array(objects["shoulder"].matrix_world)

    bpy.ops.impulse.run_simulation()

    context.scene.frame_set(11)
    assert (
        objects["upper"].matrix_world.translation.xz - objects["elbow"].location.xz
    ).length > 0.1
    for name, body in watched.items():
        now = objects[body].matrix_world.inverted() @ objects[name].matrix_world
        np.testing.assert_allclose(np.array(now), np.array(first[name]), atol=1e-5)
    np.testing.assert_array_equal(np.array(objects["shoulder"].matrix_world), shoulder)
    bpy.ops.impulse.clear_animation()
    assert not any(len(obj.constraints) for obj in objects)


def test_a_solid_follows_the_body_it_names(add_body, add_box, exported, select, context):
    """Also where it is no child of it; what is exported is the same before, during and after."""
    from blender_addon.playback.keyframes import import_recording

    from .recordings import turning

    arm, foot = add_body("arm"), add_box("foot", location=(0, 0, -1))
    select(foot)
    bpy.ops.impulse.tag_geometry(body="arm")
    before = exported().bodies[0].geometry
    place = arm.matrix_world.inverted() @ foot.matrix_world

    import_recording(turning(["arm"]), context.scene)
    context.scene.frame_set(7)

    now = arm.matrix_world.inverted() @ foot.matrix_world
    np.testing.assert_allclose(np.array(now), np.array(place), atol=1e-6)
    assert (foot.matrix_world.translation - foot.location).length > 0.1
    assert exported("during.xml").bodies[0].geometry == before
    bpy.ops.impulse.clear_animation()
    assert exported("after.xml").bodies[0].geometry == before
    assert not len(foot.constraints)


def test_a_joint_keeps_an_action_of_its_own(add_body, add_empty, context):
    """What is keyed on a joint stays where it is, before and after a motion came."""
    from blender_addon.authoring import tagging
    from blender_addon.playback.keyframes import import_recording

    from .recordings import turning

    box = add_body("box")
    pivot = add_empty("pivot", (1, 0, 0))
    tagging.tag_joint(pivot, "hinge", box, None)
    pivot.keyframe_insert("empty_display_size", frame=1)
    own = pivot.animation_data.action

    import_recording(turning(["box"]), context.scene)
    assert pivot.animation_data.action == own
    bpy.ops.impulse.clear_animation()
    assert pivot.animation_data.action == own


def test_an_empty_that_carries_a_body_is_not_moved_by_it(add_body, add_empty, context):
    """Nor one that hangs on a body: what moves already must not move twice."""
    from blender_addon.authoring import tagging
    from blender_addon.playback.followers import followers

    box, other = add_body("box"), add_body("other", location=(3, 0, 0))
    carrier, carried = add_empty("carrier"), add_empty("carried")
    for pivot in (carrier, carried):
        tagging.tag_joint(pivot, "hinge", box, other)
    other.parent, carried.parent = carrier, box

    assert followers(context.scene) == {}


def test_the_duration_is_that_of_the_frames(add_body, context, exported):
    """Unless it is set: to give it is to set it."""
    add_body()
    context.scene.frame_start, context.scene.frame_end = 11, 61
    context.scene.render.fps, context.scene.render.fps_base = 30, 1.5
    assert exported().settings.duration == pytest.approx(50 * 1.5 / 30)

    context.scene.impulse.settings.duration = 3.0
    assert exported().settings.duration == 3.0
    context.scene.impulse.settings.use_duration = False
    context.scene.frame_end = 11  # a single frame
    assert exported().settings.duration == pytest.approx(1.5 / 30)


def test_the_frame_range_is_put_back(add_body, context):
    """An import that fits it is asked to; Clear undoes that, but not what the user set since."""
    from blender_addon.playback.keyframes import import_recording

    from .recordings import turning

    add_body()
    import_recording(turning(["box"]), context.scene, fit_range=False)
    assert context.scene.frame_end == 250
    for seed in (1, 2):
        import_recording(turning(["box"], seed=seed, frames=15 + seed), context.scene)
    assert context.scene.frame_end == 17
    bpy.ops.impulse.clear_animation()
    assert context.scene.frame_end == 250

    import_recording(turning(["box"]), context.scene)
    context.scene.frame_end = 40
    bpy.ops.impulse.clear_animation()
    assert context.scene.frame_end == 40


def test_simulate_has_no_arguments_to_change_afterwards():
    """The box of the last operator would run it again, and block."""
    from blender_addon.operators.simulate import IMPULSE_OT_run_simulation

    assert IMPULSE_OT_run_simulation.bl_options == {"UNDO"}


# A simulator that never ends by itself, and its starter.
SLEEPER = """
import sys, time
from impulse_cli import main

def execute():
    print("there", flush=True)
    while True:
        time.sleep(0.1)

main.execute = execute
main.main()
"""
STARTER = """
import sys, bpy
sys.path.insert(0, sys.argv[1])
from blender_addon.simulator import runner
child = runner.Child([sys.executable, sys.argv[2]], [])
while child._lines.empty():
    pass
print(child._process.pid, flush=True)
import time
time.sleep(60)
"""


def test_no_simulator_outlives_a_blender_that_crashes(tmp_path):
    """Killed without a word: the child notices that nobody listens any more."""
    sleeper = tmp_path / "sleeper.py"
    sleeper.write_text(SLEEPER)
    inherited = filter(None, [os.environ.get("PYTHONPATH")])
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, str(ROOT), str(sleeper)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *inherited])},
        stdout=subprocess.PIPE,
    )
    with starter:
        child = int(starter.stdout.readline())
        starter.send_signal(signal.SIGKILL)

    deadline = time.monotonic() + 20
    while is_there(child):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def is_there(process):
    """Whether a process runs; one that has ended but was not asked for counts as gone."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.fixture
def stubborn(tmp_path):
    """A child with frames that does not do what it is asked."""
    from blender_addon.simulator import runner

    path = tmp_path / "stubborn.py"
    path.write_text(
        textwrap.dedent("""
        import signal, sys, time
        from pathlib import Path
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        Path(sys.argv[4]).write_text("frames")
        time.sleep(60)
        """)
    )
    run = runner.Run([sys.executable, str(path)], tmp_path / "s.xml", tmp_path / "a.imprec")
    while not run.animation.exists():
        time.sleep(0.01)
    yield run
    run.abandon()
    run.wait(10.0)


def test_to_stop_is_not_to_wait(stubborn):
    """Stop asks and returns; to stop again ends it."""
    stubborn.stop()
    assert stubborn.is_stopped
    assert not stubborn.poll()

    stubborn.stop()
    stubborn.wait(10.0)
    assert stubborn.poll()


def test_a_child_that_does_not_stop_is_ended_in_time(stubborn, monkeypatch):
    """By the looks of the timer, not by waiting."""
    from blender_addon.simulator import runner

    stubborn.stop()
    monkeypatch.setattr(runner, "GRACE", 0.0)
    assert not stubborn.poll()
    stubborn.wait(10.0)
    assert stubborn.poll()


def test_the_stop_button_stops_what_goes_on(stubborn):
    """It is there as long as there is something to stop."""
    from blender_addon.running.going import Going

    assert not bpy.ops.impulse.stop.poll()
    Going.child = stubborn
    bpy.ops.impulse.stop()
    assert stubborn.is_stopped
    bpy.ops.impulse.stop()
    stubborn.wait(10.0)
    assert not bpy.ops.impulse.stop.poll()
    Going.abandon()


def test_each_run_has_a_folder_and_none_is_left(runs):
    """Those of this Blender differ; those of Blenders that are gone are removed."""
    from blender_addon.simulator import places

    gone = runs / "runs" / f"{2**31 - 5}-1"
    gone.mkdir(parents=True)
    (gone / "scene.xml").write_text("")

    folders = {places.store().new_run() for _ in range(3)}

    assert len(folders) == 3
    assert set((runs / "runs").iterdir()) == folders


def test_finished_runs_take_a_bounded_room(runs, tmp_path, monkeypatch):
    """The least recently used go first."""
    from blender_addon.simulator import places, store

    monkeypatch.setattr(store, "LARGEST", 250)
    kept = places.store()
    for number, key in enumerate("abcd"):
        recording = tmp_path / "motion.imprec"
        recording.write_bytes(bytes(100))
        path = kept.keep(key, recording)
        os.utime(path, (number, number))
        if key == "b":
            assert kept.find("a") is not None  # used just now

    assert kept.find("a") is not None
    assert kept.find("b") is None
    assert kept.find("d") is not None
    assert kept.clear()[0] == 2


def test_where_nothing_can_be_kept_there_is_a_temporary_folder(runs, tmp_path):
    """A folder of the user that is no folder, or cannot be written to."""
    from blender_addon.simulator.store import Store

    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file")
    folder = store.new_run()

    assert folder.is_dir()
    recording = folder / "motion.imprec"
    recording.write_text("")
    assert store.keep("key", recording) == recording
    assert store.find("key") is None
    assert store.clear() == (0, 0)
    recording.unlink()
    folder.rmdir()


@pytest.fixture
def fake_simulator(monkeypatch, tmp_path):
    """A Python program in place of the simulator."""
    from blender_addon.simulator import runner

    def fake_simulator(source):
        path = tmp_path / "impulse.py"
        path.write_text(textwrap.dedent(source))
        monkeypatch.setattr(
            runner, "find_command", lambda _given="": ["nice", sys.executable, path]
        )

    return fake_simulator


WRITER = """
import json, os, sys
sys.path[:0] = {path!r}
from impulse_core.recording import GrowingFile, chunked_file
from tests.blender.recordings import recording_of, turning
whole = recording_of(turning(["box"]))
file = GrowingFile(sys.argv[sys.argv.index("-o") + 1])
file.add(chunked_file.frames_of(whole, 0, 12))
"""


def test_the_frames_before_a_crash_of_the_simulator_are_kept(
    fake_simulator, add_body, context, runs
):
    """One sentence says that it ended; the motion so far is there, and is not taken for all."""
    from blender_addon.compat import curves_of

    box = add_body("box")
    fake_simulator(WRITER.format(path=[str(ROOT), *sys.path]) + "os.kill(os.getpid(), 9)")

    with pytest.raises(RuntimeError, match="The motion so far is kept: 12 frames"):
        bpy.ops.impulse.run_simulation()

    assert {len(curve.keyframe_points) for curve in curves_of(box)} == {12}
    assert list(runs.glob("finished/*")) == []
    assert list((runs / "runs").iterdir()) == []
    bpy.ops.impulse.clear_animation()


def test_a_run_that_fails_before_its_first_frame_leaves_the_motion_of_before(
    fake_simulator, add_body, context
):
    """What was there is there."""
    from blender_addon.playback.keyframes import import_recording

    from .recordings import turning

    add_body("box")
    import_recording(turning(["box"]), context.scene)
    fake_simulator("import sys; print('out of paper'); sys.exit(70)")

    with pytest.raises(RuntimeError, match="out of paper"):
        bpy.ops.impulse.run_simulation()

    assert bpy.data.objects["box"].animation_data.action is not None


def test_a_folder_that_cannot_be_written_is_one_sentence(add_body, tmp_path, runs):
    """Before anything is simulated; nothing is left of the run."""
    add_body()
    with pytest.raises(RuntimeError, match=r"nowhere.*cannot be written") as caught:
        bpy.ops.impulse.run_simulation(directory=str(tmp_path / "nowhere"))
    assert "Traceback" not in str(caught.value)
    assert list((runs / "runs").iterdir()) == []


def test_a_joint_moved_in_the_middle_of_the_motion_is_moved_at_the_start(
    add_body, add_empty, context, exported
):
    """Its own transform is that of the first frame, whichever is shown: nothing to lose."""
    from blender_addon.authoring import tagging
    from blender_addon.playback.keyframes import import_recording

    from .recordings import turning

    box, pivot = add_body("box"), add_empty("pivot", (1, 0, 0))
    tagging.tag_joint(pivot, "hinge", box, None)
    pivot.impulse.joint.body2_is_world = True
    import_recording(turning(["box"]), context.scene)
    context.scene.frame_set(12)
    pivot.location = (2, 0, 0)

    assert exported().joints[0].anchor == pytest.approx((2, 0, 0))
    bpy.ops.impulse.clear_animation()
    assert exported().joints[0].anchor == pytest.approx((2, 0, 0))


@pytest.mark.slow
def test_a_keyed_motor_is_exported_the_same_after_a_run(machine, context, tmp_path):
    """Its keys share the joint's action with the results that are added and taken away."""
    elbow = bpy.data.objects["elbow"]
    motor = elbow.impulse.joint.motors.add()
    motor.kind = "velocity"
    motor.use_target = True
    for frame, value in ((1, 0.0), (11, 3.0)):
        motor.target = value
        motor.keyframe_insert("target", frame=frame)
    before = file_bytes(context, tmp_path)

    bpy.ops.impulse.run_simulation()

    assert "impulse_torque" in elbow
    assert file_bytes(context, tmp_path) == before
    bpy.ops.impulse.clear_animation()
    assert file_bytes(context, tmp_path) == before
    assert "curve" in before.decode()
