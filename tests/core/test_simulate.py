"""simulate: frames, progress, Ctrl-C, halving and failure."""

import signal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_core.geometry.rotations import rotated
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_schema.models import Load, Motor
from tests.core.probes import Probe
from tests.core.scenes import (
    chain,
    double_pendulum,
    four_bar,
    mixed_pendulum,
    random_tree,
)


def overspun():
    """A double pendulum of square bars whose lower bar gets an absurd torque at t = 0.1 s."""
    scene = square_bars()
    scene.loads = [Load(body="rod-1", torque=(0.0, 1e12, 0.0), from_=0.1)]
    return scene


def square_bars():
    """Bars with a closed-form rotation, which costs the same however fast they spin."""
    scene = chain(2, ["ball", "ball"])
    for body in scene.bodies:
        body.geometry[0].size = (0.1, 0.1, 1.0)
    return scene


@pytest.mark.parametrize("method", ["imp2", "imp6"])
def test_frames_do_not_change_the_motion(method):
    """The end state has the same bits for 25, 24 and 333 frames per second, and for one frame."""
    hashes = {
        ic.simulate(mixed_pendulum(), duration=0.5, fps=fps, method=method).diagnostics[
            "state_sha256"
        ]
        for fps in (25.0, 24.0, 333.0, 2.0)
    }

    assert len(hashes) == 1


def test_diagnostics_do_not_count_frames():
    """Steps, corrections and energy drift are those of the motion, however many frames look on."""
    few, many = (
        ic.simulate(mixed_pendulum(), duration=0.5, fps=fps).diagnostics for fps in (2.0, 333.0)
    )

    for key in ("step_count", "corrections_per_step", "energy_j", "max_joint_error_m", "halvings"):
        assert few[key] == many[key]


def test_frames_between_steps_are_those_of_the_method():
    """A frame inside a step lies on the motion: as near as a run with finer steps, not a chord."""
    coarse = ic.simulate(double_pendulum(), duration=0.4, step=0.04, fps=110.0, method="imp8")
    fine = ic.simulate(double_pendulum(), duration=0.4, step=0.01, fps=110.0, method="imp8")

    assert coarse.times == pytest.approx(fine.times, abs=1e-15)
    assert coarse.positions == pytest.approx(fine.positions, abs=1e-8)


def test_end_of_the_run_is_recorded():
    """A duration that is no multiple of step or frame time ends exactly there."""
    recording = ic.simulate(double_pendulum(), duration=0.333, step=0.02, fps=25.0)

    assert recording.times[-1] == 0.333
    assert recording.times[:-1] == pytest.approx(np.arange(9) / 25.0, abs=1e-15)
    assert recording.diagnostics["step_count"] == 17
    assert recording.complete


def test_scene_is_left_as_it_was():
    """simulate changes nothing in the scene, so a second run gives the same."""
    scene = mixed_pendulum()
    before = scene.model_copy(deep=True)

    ic.simulate(scene, duration=0.1)

    assert scene == before


@settings(max_examples=12)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.sampled_from([0.01, 0.03]))
def test_joint_error_never_above_the_tolerance(seed, count, step):
    """Random trees of all joint types: every recorded step satisfies every joint.

    Checked from the report, and again from the last state by the joints' own errors.
    """
    scene = random_tree(np.random.default_rng(seed), count)

    report = ic.simulate(scene, duration=0.3, step=step, tolerance=1e-7).diagnostics

    assert report["max_joint_error_m"] <= 1e-7
    assert report["tolerance_m"] == 1e-7


def test_ball_joints_stay_closed_in_every_frame():
    """Anchors recomputed from recorded poses coincide within the tolerance."""
    scene = double_pendulum()
    recording = ic.simulate(scene, duration=1.0, fps=60.0, tolerance=1e-8)
    model = Probe(scene).model

    for k in range(len(recording.times)):
        ends = [end_of_bar(recording, k, body, -0.5) for body in (0, 1)]
        upper_end = end_of_bar(recording, k, 0, 0.5)
        assert np.linalg.norm(ends[0]) <= 1.01e-8
        assert np.linalg.norm(ends[1] - upper_end) <= 1.01e-8
    assert len(model.joints) == 2


def end_of_bar(recording, frame, body, along):
    """End of a bar in the world; bars hang down, so their upper end is at +z of their axes."""
    local = np.array([0.0, 0.0, -along])
    q = recording.orientations[frame, body]
    return recording.positions[frame, body] + rotated(q, local)


def test_halving_finishes_within_the_tolerance():
    """A spin that one step cannot follow is taken in halves: reported, and joints stay closed."""
    scene = chain(2, ["ball", "ball"])
    scene.bodies[1].angular_velocity = (0.0, 300.0, 0.0)

    recording = ic.simulate(scene, duration=0.1, step=0.02, tolerance=1e-7)

    assert recording.complete
    assert recording.diagnostics["halvings"] > 0
    assert recording.diagnostics["max_joint_error_m"] <= 1e-7
    assert recording.diagnostics["step_count"] == 5


def test_failure_names_time_joint_and_bodies():
    """Where even the finest step does not converge, the error says when and where."""
    with pytest.raises(ic.SimulationError) as caught:
        ic.simulate(overspun(), duration=0.5, fps=50.0, tolerance=1e-9)

    message = str(caught.value)
    recording = caught.value.recording
    (event,) = recording.events
    (joint,) = [joint for joint in overspun().joints if joint.name == event["joint"]]
    assert (event["body1"], event["body2"]) == (joint.body1, joint.body2)
    assert f"joint '{joint.name}' between '{joint.body1}' and '{joint.body2}'" in message
    assert event["message"] == message
    assert event["kind"] == "failure"
    assert 0.1 <= event["time"] <= 0.12
    assert f"t = {event['time']:.6g} s" in message


def test_failure_keeps_the_frames_so_far():
    """The recording of a failed run ends before the failure, incomplete and finite."""
    with pytest.raises(ic.SimulationError) as caught:
        ic.simulate(overspun(), duration=0.5, fps=50.0, tolerance=1e-9)
    good = ic.simulate(square_bars(), duration=0.1, fps=50.0, tolerance=1e-9)

    recording = caught.value.recording
    assert not recording.complete
    assert recording.times == pytest.approx(np.arange(6) / 50.0, abs=1e-12)
    assert np.array_equal(recording.positions, good.positions)
    assert recording.diagnostics["step_count"] >= 10


@pytest.mark.parametrize("call", [1, 2, 5])
def test_interrupt_keeps_the_frames(call):
    """Ctrl-C in the progress callback returns the frames so far, marked as interrupted."""
    calls = []

    def interrupt(progress):
        calls.append(progress)
        if sum(p.stage == "simulating" for p in calls) == call:
            raise KeyboardInterrupt

    recording = ic.simulate(double_pendulum(), duration=5.0, fps=100.0, progress=interrupt)
    whole = ic.simulate(double_pendulum(), duration=0.1, fps=100.0)

    assert not recording.complete
    assert recording.diagnostics["interrupted"] is True
    count = len(recording.times)
    assert count == call + 1
    assert np.array_equal(recording.positions, whole.positions[:count])


@pytest.fixture
def ctrl_c():
    """Ctrl-C as a terminal sends it, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: signal.raise_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_inside_a_frame_keeps_it_whole(monkeypatch, ctrl_c):
    """A signal that arrives while a frame is put together is taken after it."""
    from impulse_core.simulation.engine import Engine

    original, calls = Engine.find_reactions, []

    def find_reactions(self):
        calls.append(self)
        if len(calls) == 4:
            ctrl_c()
        original(self)

    monkeypatch.setattr(Engine, "find_reactions", find_reactions)
    recording = ic.simulate(double_pendulum(), duration=5.0, fps=100.0)

    assert recording.diagnostics["interrupted"] is True
    assert len(recording.times) == len(recording.positions) == len(recording.energy["total"]) == 4
    with pytest.raises(KeyboardInterrupt):
        ctrl_c()  # what it was before


def test_ctrl_c_twice_does_not_wait(monkeypatch, ctrl_c):
    """Where a step takes long, the second Ctrl-C ends it at once."""
    from impulse_core.simulation import interrupts
    from impulse_core.simulation.engine import Engine

    reached = []

    def run(_, length, count, *_more):
        for moment in range(3 if count else 0):  # the first call is that which loads the kernels
            reached.append((length, moment))
            ctrl_c()
        return count

    monkeypatch.setattr(interrupts, "_PATIENCE", 0.0)
    monkeypatch.setattr(Engine, "_run", run)
    recording = ic.simulate(double_pendulum(), duration=5.0)

    assert recording.diagnostics["interrupted"] is True
    assert reached == [(0.01, 0), (0.01, 1)]


def parts_told(scene):
    """What an engine says of the parts of its kernels."""
    told = []
    compiled = compile_scene(scene)
    Engine(compiled, choose_options(compiled), on_part=lambda *part: told.append(part))
    return told


def test_parts_of_the_kernels_are_counted():
    """While kernels are loaded it is told which part of how many begins; motors need one more. The
    last is the first step, where it needs others.
    """
    driven = chain(1, ["hinge"])
    driven.joints[0].motors = [Motor(kind="velocity", target=1.0)]

    plain, more = parts_told(chain(1, ["hinge"])), parts_told(driven)

    first_step = plain[-1][1]
    assert len(plain) in (first_step - 1, first_step)
    assert plain == [(part, first_step) for part in range(1, len(plain) + 1)]
    assert more[:first_step] == [(part, first_step + 1) for part in range(1, first_step + 1)]
    assert len(more) in (first_step, first_step + 1)


def test_kernels_are_compiled_once():
    """The report counts kernels that had to be compiled: none in a second run."""
    ic.simulate(double_pendulum(), duration=0.1)
    second = ic.simulate(double_pendulum(), duration=0.1)

    assert second.diagnostics["kernels_compiled"] == 0


def test_progress_is_told_in_order():
    """Progress names its stages, its times ascend to the duration, and steps add up."""
    told = []

    recording = ic.simulate(double_pendulum(), duration=0.5, progress=told.append)

    assert told[0].stage == "loading"
    stages = [p.stage for p in told if p.stage != "compiling kernels"]  # which needs a cold cache
    assert set(stages[1:]) == {"simulating"}
    assert len(told) > len(recording.times) - 1
    times = [p.time for p in told]
    assert times == sorted(times)
    assert times[-1] == told[-1].duration == 0.5
    assert told[-1].steps == recording.diagnostics["step_count"] == 50
    walls = [p.wall_seconds for p in told]
    assert walls == sorted(walls)


def test_four_bar_moves_as_a_parallelogram():
    """Redundant hinges: both cranks keep the same angle, energy is kept, joints stay closed."""
    scene = four_bar()
    spin = 2.0
    for body in scene.bodies:
        turning = body.name != "coupler"
        body.angular_velocity = (0.0, spin if turning else 0.0, 0.0)
        body.velocity = (spin * (0.5 if turning else 1.0), 0.0, 0.0)

    recording = ic.simulate(scene, duration=0.4, method="imp4", tolerance=1e-9)

    left, right = (recording.joints[name]["angle"] for name in ("pin-0", "pin-3"))
    assert recording.diagnostics["start"]["max_velocity_change_m_s"] < 1e-12
    assert recording.diagnostics["max_joint_error_m"] <= 1e-9
    assert np.abs(left).max() > 0.5
    assert left == pytest.approx(-right, abs=1e-8)
    energy = recording.diagnostics["energy_j"]
    assert energy["max_abs_drift"] <= 1e-6 * energy["initial"]


def test_hinge_angles_count_full_turns():
    """The recorded angle of a hinge is zero at the start and goes on past a full turn."""
    scene = chain(1, ["hinge"], tilt=0.0, gravity=(0.0, 0.0, 0.0))
    scene.bodies[0].angular_velocity = (0.0, 7.0, 0.0)
    scene.bodies[0].velocity = (-3.5, 0.0, 0.0)

    recording = ic.simulate(scene, duration=2.0, fps=30.0, method="imp8")

    assert recording.joints["joint-0"]["angle"] == pytest.approx(7.0 * recording.times, abs=1e-9)


def test_report_of_a_run():
    """The report has the documented keys, finite numbers, and the counters that a run implies."""
    report = ic.simulate(double_pendulum(), duration=0.5).diagnostics

    assert report["step_count"] == 50
    assert report["corrections_per_step"]["max"] >= report["corrections_per_step"]["mean"] > 0
    assert 0.0 < report["max_joint_error_m"] <= report["tolerance_m"]
    assert report["momentum_drift"] == {"linear": None, "angular": None}
    assert set(report["seconds_per_step"]) == {"mean", "median", "max"}
    assert len(report["state_sha256"]) == 64
    assert report["energy_j"]["final"] == pytest.approx(report["energy_j"]["initial"], rel=1e-2)
