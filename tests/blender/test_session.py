"""Live: a session in a child moves the objects, is pulled and kept, and leaves all as it was."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

bpy = pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

ROOT = Path(__file__).resolve().parents[2]
HANGS = 120.0  # s, after which a wait is a failure


@pytest.fixture
def pendulum(add_body, add_empty, context):
    """A bar on a hinge at the origin, with a ball that hangs on it, and a spring."""
    from blender_addon.authoring import tagging

    bar = add_body("bar", location=(0.5, 0, 0), size=(1.0, 0.1, 0.1))
    bar.rotation_mode, bar.rotation_euler = "ZYX", (0.2, 0.0, 0.0)
    pivot = add_empty("pivot", (0, 0, 0), rotation_euler=(np.pi / 2, 0, 0))
    tagging.tag_joint(pivot, "hinge", None, bar)
    context.scene.frame_end = 20
    return bar, pivot


@pytest.fixture
def live(context):
    """Starts a session as the button does, and ends it with the test."""
    from blender_addon.export.work import at_one_go
    from blender_addon.running import session
    from blender_addon.running.going import Going

    started = []

    def start():
        Going.child = at_one_go(session.starting(context))
        started.append(Going.child)
        return Going.child

    yield start
    Going.abandon()
    for each in started:
        each.child.wait(HANGS)
        each.child.poll()


def wait_for(session, is_so):
    end = time.monotonic() + HANGS
    while not is_so():
        assert time.monotonic() < end, "it hangs"
        assert not session.poll(), session.child.problem()
        time.sleep(0.01)


def end(session):
    session.stop()
    limit = time.monotonic() + HANGS
    while not session.poll():
        assert time.monotonic() < limit, "it does not end"
        time.sleep(0.01)


def state_of(objects):
    bpy.context.view_layer.update()
    return [
        (
            obj.rotation_mode,
            *(tuple(getattr(obj, name)) for name in ("location", "rotation_euler")),
            tuple(obj.rotation_quaternion),
            np.array(obj.matrix_world).tobytes(),
            [c.name for c in obj.constraints],
        )
        for obj in objects
    ]


@pytest.mark.slow
def test_objects_follow_and_go_back(pendulum, context, live):
    """The bar falls as it does by itself, its joint follows; after the end nothing is different,
    by any bit, though other frames were shown meanwhile.
    """
    bar, _ = pendulum
    before = state_of(pendulum)
    session = live()
    wait_for(session, lambda: session.time > 0.3)
    context.view_layer.update()
    assert bar.matrix_world.translation.z < -0.1
    assert bar.matrix_world.translation.length == pytest.approx(0.5, abs=1e-5)
    context.scene.frame_set(7)

    end(session)
    context.scene.frame_set(1)
    assert state_of(pendulum) == before
    assert not context.scene.impulse.poses


@pytest.mark.slow
def test_it_stands_still_steps_and_goes_back(pendulum, live):
    """Paused, no time goes by; a step is one; back and reset lead to earlier times; speeds too."""
    session = live()
    wait_for(session, lambda: session.time > 0.2)
    session.toggle()
    wait_for(session, lambda: session.is_paused)
    stood = session.time
    time.sleep(0.2)
    session.poll()
    assert session.time == stood
    session.step()
    wait_for(session, lambda: session.time > stood)
    assert session.time == pytest.approx(stood + bpy.context.scene.impulse.settings.step, abs=1e-9)
    session.back(0.1)
    wait_for(session, lambda: session.time < stood - 0.05)
    session.reset()
    wait_for(session, lambda: session.time == 0.0)
    session.set_speed(1e9)
    assert session.speed == 64.0
    assert not session.child.refusal


@pytest.mark.slow
def test_a_body_is_pulled(pendulum, context, live):
    """By the point that was grabbed, against gravity; let go, it falls."""
    from blender_addon.operators import pulling

    bar, _ = pendulum
    session = live()
    wait_for(session, lambda: session.time > 0.4)
    context.view_layer.update()
    tip = bar.matrix_world.translation * 1.8
    above = tip.copy()
    above.y += 5.0
    name, place = pulling.hit(context, session, above, tip - above)
    assert name == "bar"

    session.grab(name, np.array(place))
    target = np.array([0.54, 0.05, 0.72])
    session.pull(target)
    wait_for(session, lambda: np.linalg.norm(session.line()[0] - target) < 0.1)
    context.view_layer.update()
    assert bar.matrix_world.translation.z > 0.2
    session.release()
    assert session.line() is None
    wait_for(session, lambda: session.time > 1.0 and bar.location.z < 0.0)


@pytest.mark.slow
def test_what_it_did_is_kept_as_a_take(pendulum, context, live):
    """The keys are the poses that the session had, and the take has a name."""
    from blender_addon.operators.session import IMPULSE_OT_live
    from blender_addon.running.live import LiveRun

    bar, _ = pendulum
    session = live()
    wait_for(session, lambda: session.time > 0.5)
    bpy.ops.impulse.steer(what="TOGGLE")
    wait_for(session, lambda: session.is_paused)
    while abs(session.time * 25 - round(session.time * 25)) > 1e-6:  # to a frame of the scene
        stood = session.time
        session.step()
        wait_for(session, lambda stood=stood: session.time > stood)
    context.view_layer.update()
    last, shown = session.time, np.array(bar.matrix_world)
    bpy.ops.impulse.steer(what="KEEP")
    limit = time.monotonic() + HANGS
    while not session.poll():
        assert time.monotonic() < limit
        time.sleep(0.01)
    run = LiveRun(session.scene, session.child.kept, None, is_live=False)
    while not run.poll():
        pass
    said = []
    operator = SimpleNamespace(report=lambda _, text: said.append(text))
    assert IMPULSE_OT_live._take(operator, run) == {"FINISHED"}

    assert context.scene.impulse.takes[0].name == "Take 1"
    assert "Kept as Take 1" in said[0]
    context.scene.frame_set(context.scene.frame_start + round(last * 25))
    np.testing.assert_allclose(np.array(bar.matrix_world), shown, atol=1e-5)
    bpy.ops.impulse.clear_animation()
    assert bar.rotation_mode == "ZYX"


@pytest.mark.slow
def test_states_that_come_back_are_put_right(pendulum, context, live, tmp_path):
    """A file that was saved while a session was shown holds its poses; opened again, it has those
    from before.
    """
    before = state_of(pendulum)
    session = live()
    wait_for(session, lambda: session.time > 0.3)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "during.blend"))
    end(session)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "during.blend"))

    objects = [bpy.data.objects[name] for name in ("bar", "pivot")]
    assert state_of(objects) == before


@pytest.mark.slow
def test_opening_another_file_ends_it(pendulum, live):
    """Nothing of it is left running."""
    session = live()
    wait_for(session, lambda: session.time > 0.0)
    process = session.child._process
    bpy.ops.wm.read_homefile(app_template="", use_empty=True)

    assert process.wait(HANGS) is not None
    assert not session.is_going
    with pytest.raises(RuntimeError, match="press Live"):
        bpy.ops.impulse.steer(what="KEEP")


@pytest.mark.slow
def test_one_at_a_time(pendulum, live):
    """Neither is simulated nor cleared meanwhile."""
    session = live()
    wait_for(session, lambda: session.time > 0.0)
    for operator in (bpy.ops.impulse.run_simulation, bpy.ops.impulse.clear_animation):
        assert not operator.poll()


def test_a_scene_that_cannot_be_simulated_says_why(context):
    """As Simulate does, on the object; and without a window there is a sentence."""
    from blender_addon.export.work import at_one_go
    from blender_addon.issues import ExportError
    from blender_addon.running import session

    with pytest.raises(ExportError):
        at_one_go(session.starting(context))
    with pytest.raises(RuntimeError, match="impulse live"):
        bpy.ops.impulse.live()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="ends processes by signal")
def test_it_ends_with_blender():
    """Whatever becomes of the program that commands it."""
    scene = ROOT / "sample_scenes" / "walking" / "walking-machine.xml"
    code = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-m", "impulse_cli", "live", {str(scene)!r}],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(600)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as parent:
        number = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
    limit = time.monotonic() + HANGS
    while is_there(number):
        assert time.monotonic() < limit, "it goes on"
        time.sleep(0.05)


def is_there(number):
    try:
        return "Z" not in Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
