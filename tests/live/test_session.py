"""A session runs beside its callers, does what they ask in order, and says what went wrong."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.geometry.rotations import rotated
from impulse_schema import Geometry
from tests.live.scenes import arm, brick, walker

HANGS = 60.0  # s, after which a wait is a failure


def still(scene, **options) -> ic.Session:
    return ic.Session(scene, paused=True, speed=None, **options)


def test_without_commands_it_is_what_simulate_computes():
    """The same bits, with loads that switch within steps, however steps are shared out to calls."""
    alone = ic.simulate(arm(), duration=2.0).diagnostics["state_sha256"]
    with still(arm()) as session:
        session.step(7)
        session.run_until(2.0)

        assert session.recording().diagnostics["state_sha256"] == alone


def test_an_impulse_acts_in_the_next_step():
    """Momentum changes by the impulse, its moment about the centre of mass by r × p."""
    p, r = np.array([1.0, -2.0, 0.5]), np.array([0.0, 0.2, 0.3])
    with still(brick()) as session:
        session.step(3)
        receipt = session.post(ic.ApplyImpulse("brick", tuple(p), point=tuple(r)))
        after = session.step()

    assert receipt.step == 3
    np.testing.assert_allclose(after.velocities[0], p / 3.0, rtol=1e-14)
    start = np.cross(r, p)  # at the origin, so that this is all there is
    np.testing.assert_allclose(after.momentum["linear"], p, rtol=1e-14)
    np.testing.assert_allclose(after.momentum["angular"], start, rtol=1e-13)
    assert after.energy["work_of_loads"] == pytest.approx(after.energy["kinetic"], rel=1e-12)


def test_a_force_gives_its_impulse_exactly():
    """F for so many steps of h is the momentum F n h, and then nothing more."""
    with still(brick(), step=0.01) as session:
        session.post(ic.ApplyForce("brick", (0, 6, 0), duration=0.2))
        session.post(ic.ApplyTorque("brick", (0, 0, 2), duration=0.05))
        after = session.step(40)

    np.testing.assert_allclose(after.momentum["linear"], [0, 1.2, 0], atol=1e-14)
    assert after.angular_velocities[0][2] == pytest.approx(0.1 / (3 * (0.04 + 0.16) / 12))


def test_joints_answer_an_impulse_at_once():
    """What is told of the next moment has no velocity that joints would not let be, and the energy
    is accounted for.
    """
    scene = arm(gravity=(0.0, 0.0, 0.0))
    scene.joints[0].motors = []
    with still(scene) as session:
        session.do(ic.ApplyImpulse("lower", (0.3, 5.0, 0.2)))
        now = session.snapshot()

    # both turn about y only, and the tip of the upper arm is where the lower one begins
    np.testing.assert_allclose(now.angular_velocities[:, [0, 2]], 0.0, atol=1e-9)
    tip = now.velocities[0] + np.cross(now.angular_velocities[0], [0, 0, -0.25])
    top = now.velocities[1] + np.cross(now.angular_velocities[1], [0, 0, 0.25])
    np.testing.assert_allclose(tip, top, atol=1e-9)
    assert now.energy["kinetic"] > 0.0
    assert now.energy["work_of_loads"] == pytest.approx(now.energy["kinetic"], rel=1e-9)


@pytest.mark.parametrize("stiffness", [None, 1e9])
def test_a_drag_brings_a_body_to_its_target(stiffness):
    """However stiff its spring is for the step."""
    with still(brick()) as session:
        session.do(ic.Drag("brick", (0, 0, 0.3), (1, 0, 2), stiffness=stiffness, damping=None))
        now = session.run_until(8.0)
        session.do(ic.Release("brick"))

    # the point hangs at the target, wherever the rest of the body has turned to
    w, x, y, z = now.orientations[0]
    up = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    np.testing.assert_allclose(now.positions[0] + 0.3 * up, [1, 0, 2], atol=0.05)


@pytest.mark.parametrize("length", [0.05, 0.4, 5.0, 60.0])
@pytest.mark.parametrize("step", [0.002, 0.01])
def test_a_drag_is_as_fast_for_bodies_of_any_shape(length, step):
    """Slender bars and flat plates, pulled at a point off their middle: two swings a second bring
    the point there within one, but for a twentieth of the way.
    """
    solid = [Geometry(shape="box", size=(length, 0.2, 0.1), role="visual")]
    bar = brick().bodies[0].model_copy(update={"geometry": solid})
    scene = brick().model_copy(update={"bodies": [bar]})
    point = np.array([0.4 * length, 0.02, 0.01])
    with still(scene, step=step) as session:
        target = point + np.array([0.0, 0.0, 0.05 * length])
        session.do(ic.Drag("brick", tuple(point), tuple(target.tolist())))
        now = session.run_until(1.0)

    left = now.positions[0] + rotated(now.orientations[0], point) - target
    assert np.linalg.norm(left) < 0.05 * 0.05 * length


def test_parameters_change_while_it_runs():
    """Gravity of the next step on; bodies keep their motion, and a change of mass the velocity."""
    with still(brick()) as session:
        session.do(ic.SetParameter("settings.gravity[2]", -2.0))
        falling = session.step(100)
        session.do(ic.SetParameter("bodies[brick].mass", 30.0))
        heavier = session.snapshot()
        session.do(ic.SetParameter("settings.step", 0.005))
        session.do(ic.SetParameter("settings.method", "imp4"))
        last = session.run_until(2.0)

    np.testing.assert_allclose(falling.velocities[0], [0, 0, -2.0], rtol=1e-12)
    np.testing.assert_allclose(heavier.velocities[0], falling.velocities[0], rtol=1e-12)
    np.testing.assert_allclose(last.velocities[0], [0, 0, -4.0], rtol=1e-12)
    assert last.step == 300
    assert heavier.momentum["linear"][2] == pytest.approx(-60.0)


def test_joints_let_go_and_close_again():
    """A body without its joint falls; from where it went the joint cannot be closed, after a rewind
    it can.
    """
    with still(arm()) as session:
        session.step(10)
        session.do(ic.EnableJoint("elbow", enabled=False))
        before = session.snapshot()
        fallen = session.run_until(0.6)
        velocity = before.velocities[1] + [0, 0, -9.81 * (0.6 - before.time)]
        assert fallen.velocities[1][2] == pytest.approx(velocity[2], rel=1e-12)
        with pytest.raises(ic.CommandError, match="'elbow' cannot be closed from here"):
            session.do(ic.EnableJoint("elbow"))
        assert session.snapshot().positions[1] == pytest.approx(fallen.positions[1], abs=0)
        session.rewind(0.13)
        session.do(ic.EnableJoint("elbow"))
        whole = session.run_until(1.0)

    tip = whole.positions[0] + turned(whole.orientations[0], [0, 0, -0.25])
    top = whole.positions[1] + turned(whole.orientations[1], [0, 0, 0.25])
    np.testing.assert_allclose(tip, top, atol=1e-6)


def turned(q, v):
    w, u = q[0], np.array(q[1:])
    return np.array(v) + 2 * w * np.cross(u, v) + 2 * np.cross(u, np.cross(u, v))


def test_a_body_that_is_taken_out_stands_still():
    """It stays where it was while the others go on, and comes back with its joints."""
    with still(arm()) as session:
        session.step(20)
        session.do(ic.EnableBody("lower", enabled=False))
        before, after = session.snapshot(), session.step(20)
        np.testing.assert_array_equal(after.positions[1], before.positions[1])
        assert not after.velocities[1].any()
        assert "elbow" not in after.joints
        with pytest.raises(ic.CommandError, match="taken out"):
            session.do(ic.ApplyImpulse("lower", (0, 0, 1)))
        session.rewind(before.time)
        session.do(ic.EnableBody("lower", enabled=False))
        session.do(ic.EnableBody("lower"))
        assert "elbow" in session.step(10).joints


def test_loads_come_and_go():
    """A load of the scene's own kind acts from when it is added until it is removed."""
    with still(brick()) as session:
        session.do(ic.AddLoad({"name": "wind", "body": "brick", "force": [3.0, 0.0, 0.0]}))
        session.step(50)
        session.do(ic.RemoveLoad("wind"))
        after = session.step(50)

    assert after.velocities[0][0] == pytest.approx(0.5, rel=1e-12)


def test_a_target_takes_the_place_of_what_the_scene_says():
    """A servo goes where it is told, and reports what it takes."""
    with still(arm(gravity=(0.0, 0.0, 0.0))) as session:
        session.do(ic.SetMotorTarget("shoulder", 0.7))
        there = session.run_until(10.0)

    assert there.joints["shoulder"]["angle"] == pytest.approx(0.7, abs=0.05)
    assert "drive_torque" in there.joints["shoulder"]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (ic.SetParameter("settings.gravty", 1), "Did you mean 'gravity'"),
        (ic.SetParameter("settings.step", -1.0), "greater than 0"),
        (ic.SetParameter("settings.solver", "iterative"), "use solver direct"),
        (ic.ApplyImpulse("torzo", (0, 0, 1)), "Did you mean 'torso'"),
        (ic.ApplyImpulse("ground", (0, 0, 1)), "not dynamic"),
        (ic.ApplyImpulse("torso", (0, 1)), "three numbers"),
        (ic.ApplyImpulse("torso", (0, 1, float("nan"))), "give numbers"),
        (ic.ApplyImpulse("torso", (0, 0, 1), axes="mine"), "'world' or 'body'"),
        (ic.ApplyForce("torso", (0, 0, 1), -1.0), "must be positive"),
        (ic.Drag("torso", (0, 0, 0), (0, 0, 1), stiffness=-1.0), "zero or more"),
        (ic.SetMotorTarget("front-left-sevro", 1.0), "Did you mean 'front-left-servo'"),
        (ic.SetMotorTarget("front-left-servo", 1.0, motor=4), "has the motors"),
        (ic.SetMotorTarget("front-left-servo", float("inf")), "finite"),
        (ic.EnableJoint("knee"), "no joint 'knee'"),
        (ic.EnableBody("knee"), "no body 'knee'"),
        (ic.AddLoad({"name": "wind", "bod": "torso"}), "has no key 'bod'|body is missing"),
        (ic.AddLoad({"body": "torso"}), "has no name"),
        (ic.RemoveLoad("wind"), "no load 'wind'"),
        (ic.Rewind(9.0), "cannot be reached"),
        (ic.Step(0), "whole number"),
        (ic.SetSpeed(-1.0), "must be positive"),
        (ic.LoadState("no/such.state"), "no/such.state"),
        (ic.SaveState("no/such/folder/x.state"), "no/such/folder"),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(paused_walker, command, says):
    """The message says what to write instead; not one bit of the machine changes."""
    before = paused_walker.digest()

    with pytest.raises(ic.CommandError, match=says):
        paused_walker.do(command)
    assert paused_walker.digest() == before
    assert paused_walker.state == "paused"


@pytest.fixture(scope="module")
def paused_walker():
    with still(walker()) as session:
        session.step(20)
        yield session


def test_options_are_those_of_simulate():
    """Others are refused by name, and so is what is no speed or budget."""
    for options, says in (
        ({"stepp": 0.1}, "no option stepp"),
        ({"speed": 0.0}, "speed is 0"),
        ({"rewind_memory_mb": 0.0}, "rewind_memory_mb"),
        ({"step": -1.0}, "step is -1"),
    ):
        with pytest.raises(ic.OptionError, match=says):
            ic.Session(brick(), **options)
    with still(brick(), duration=0.3) as session:
        session.resume()
        assert session.wait(lambda s: s.state == "paused", HANGS).time == pytest.approx(0.3)


def test_a_rewound_session_goes_the_same_way_again(paused_walker):
    """From any moment, with the commands that acted before it and without those after it."""
    session = paused_walker
    session.do(ic.ApplyImpulse("torso", (0.2, 0.0, 0.5)))
    way = {0: session.digest()}
    start = session.snapshot().time
    for k in range(1, 9):
        session.step(5)
        way[k] = session.digest()
    session.do(ic.SetParameter("materials[rock].static_friction", 0.3))
    session.step(11)

    for k in (6, 4, 2, 1):
        session.rewind(start + k * 0.025)
        assert session.digest() == way[k]
    assert session.scene.materials[2].static_friction == 0.8
    session.step(15)
    assert session.digest() == way[4]


def test_a_saved_state_goes_on_bit_for_bit(tmp_path):
    """Poses, contacts, targets, forces and drags alike, in another session as well."""
    with still(walker()) as session:
        session.run_until(0.4)
        session.do(ic.SetMotorTarget("front-left-servo", 1.0))
        session.do(ic.ApplyForce("torso", (0, 0, 3), 0.2, axes="body"))
        session.do(ic.Drag("torso", (0, 0, 0), (0, 0, 1)))
        session.save(tmp_path / "state")
        session.step(60)
        expected = session.digest()
        session.load(tmp_path / "state")
        session.step(60)
        assert session.digest() == expected
    with still(walker()) as other:
        other.load(tmp_path / "state")
        other.step(60)
        assert other.digest() == expected
    with still(arm()) as session, pytest.raises(ic.CommandError, match="another scene"):
        session.load(tmp_path / "state")


def test_reset_begins_anew_with_the_parameters_there_are():
    """The same as a session of the changed scene."""
    with still(arm()) as session:
        session.do(ic.SetParameter("bodies[lower].mass", 4.0))
        session.step(40)
        session.do(ic.Reset())
        assert (session.snapshot().time, session.snapshot().step) == (0.0, 0)
        session.step(30)
        changed, digest = session.scene, session.digest()
    with still(changed) as fresh:
        fresh.step(30)
        assert fresh.digest() == digest


def test_a_failure_is_told_and_the_last_good_state_stays():
    """The state is failed, the error names what failed, and the moment before can be read. After a
    rewind it goes on; where it fails again, the end of the session raises it.
    """
    scene = arm()
    scene.joints[0].motors[0].expression = "t if t < 0.5 else 1/(t - t)"
    with still(scene) as session:
        session.resume()
        with pytest.raises(ic.SessionError, match="shoulder"):
            session.wait(lambda s: s.time > 2.0, HANGS)
        assert session.state == "failed"
        assert "shoulder" in str(session.error)
        assert session.snapshot().time <= 0.5
        assert not session.recording().complete
        session.rewind(0.2)
        assert session.error is None
        session.do(ic.SetMotorTarget("shoulder", 0.0))
        session.run_until(0.8)
        assert session.state == "paused"
    session = still(scene)
    session.resume()
    with pytest.raises(ic.SessionError, match="motor without a target"):
        session.wait(lambda s: s.time > 2.0, HANGS)
    with pytest.raises(ic.SessionError, match="motor without a target"), session:
        assert session.state == "failed"


def test_a_stopped_session_takes_no_commands():
    """Its last snapshot, log and recording can still be had."""
    session = still(brick())
    session.step(5)
    session.close()
    session.close()

    assert session.state == "stopped"
    assert session.snapshot().step == 5
    assert session.log.steps == 5
    assert len(session.recording().times) == 2
    with pytest.raises(ic.SessionError, match="has stopped"):
        session.post(ic.Resume())
    with pytest.raises(ic.SessionError, match="has stopped"):
        session.wait()


def test_readers_never_wait_and_miss_what_they_are_too_slow_for():
    """Two readers see snapshots in order; the slow one misses some; one that fails is told of."""
    fast, slow, over = [], [], threading.Event()

    def read_slowly(snapshot: ic.Snapshot) -> None:
        slow.append(snapshot.step)
        over.wait(HANGS)

    def fail(_: ic.Snapshot) -> None:
        raise ValueError("a mistake of the reader")

    session = still(arm(), snapshot_rate=1e5)
    session.subscribe(lambda s: fast.append(s.step))
    slowly, failing = session.subscribe(read_slowly), session.subscribe(fail)
    last = session.run_until(5.0)
    over.set()
    patience = time.monotonic() + HANGS
    while fast[-1:] != [last.step] and time.monotonic() < patience:
        time.sleep(0.01)
    with pytest.raises(ValueError, match="a mistake"), session:
        assert failing.error is not None

    assert fast == sorted(fast)
    assert slow == sorted(slow)
    assert fast[-1] == last.step
    assert slowly.missed > 0


def test_snapshots_cannot_be_changed():
    """Neither their fields nor what their arrays hold."""
    with still(walker()) as session:
        now = session.step(30)
    arrays = [now.positions, now.orientations, now.velocities, now.contacts.points]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(AttributeError):
        now.time = 1.0
    with pytest.raises(TypeError):
        now.joints["front-left-servo"]["angle"] = 0.0
    assert len(now.contacts.forces) > 0


def test_it_ends_with_whoever_held_it():
    """Nobody has to close a session: its thread ends when it is forgotten."""
    session = ic.Session(brick())
    thread, forgotten = session._worker.thread, weakref.ref(session)
    del session
    gc.collect()

    assert forgotten() is None
    thread.join(HANGS)
    assert not thread.is_alive()


@pytest.mark.parametrize("ends", ["pass", "raise KeyboardInterrupt"])
def test_python_ends_while_it_runs(ends):
    """With a session that runs and was never closed, without a word of a thread."""
    program = (
        "import impulse_core as ic\nfrom tests.live.scenes import arm\n"
        f"session = ic.Session(arm())\nsession.wait()\n{ends}"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ,
    )

    assert "Thread" not in done.stderr
    assert "Fatal" not in done.stderr
    assert (done.returncode, done.stderr == "") in {(0, True), (-2, False), (130, False)}


def test_real_time_is_kept():
    """A light machine is where its clock says, and one that asks too much gives time up."""
    with ic.Session(arm(), speed=20.0) as session:
        session.wait(lambda s: s.time > 1.0, HANGS)
        session.do(ic.SetSpeed(1e6))  # which nothing can keep
        late = session.wait(lambda s: s.lost > 0.0, HANGS)
        assert late.lost < 60.0
        assert threading.active_count() < 20
