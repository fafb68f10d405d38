"""Every step ends after bounded work, by name where it fails, and signals end it before that."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_core.free_motion.flow import MOST_TURN
from impulse_core.simulation.engine import Engine
from impulse_core.step.dividing import FINEST_PART, MOST_OF_A_STAGE
from impulse_core.step.positions import MOST_CORRECTIONS
from impulse_schema.models import Body, Joint, Load, Motor, Scene
from tests.core.scenes import NO_GRAVITY, chain, free_body, scene_of

STEP = 0.01


def finger(moment: float, drive: float, others=(1.0, 2.0, 2.5)) -> Scene:
    """A light body on a hinge, pushed about it by a stiff explicit servo."""
    servo = Motor(
        kind="servo", expression="1", explicit=True, proportional=drive, derivative=1e-3 * drive
    )
    pin = Joint(
        name="knuckle",
        type="hinge",
        body2="finger",
        anchor=(0, 0, 0),
        axis=(0, 1, 0),
        motors=[servo],
    )
    body = Body(
        name="finger",
        position=(0.02, 0.0, 0.0),
        mass=0.01,
        inertia=tuple(moment * k for k in others),
    )
    return scene_of([body], [pin], step=STEP)


def outcome(scene: Scene, **options) -> tuple[ic.Recording, str]:
    """The recording of a run, and what it failed of, "" if it did not."""
    try:
        return ic.simulate(scene, **options), ""
    except ic.SimulationError as error:
        return error.recording, str(error)


def corrections(recording: ic.Recording) -> float:
    """Of joints and velocities, in all completed steps."""
    report = recording.diagnostics
    each = report["corrections_per_step"]["mean"] + report["velocity_corrections_per_step"]["mean"]
    return each * max(report["step_count"], 1)


def test_iterates_that_spin_a_light_body_are_refused():
    """A body that what acts on it would turn thousands of times in any step is named, before the
    turns are computed.
    """
    with pytest.raises(ic.SimulationError, match="body 'finger' is too light for what acts"):
        ic.simulate(finger(1e-12, 1e9), duration=0.1)


@settings(max_examples=25)
@given(
    st.integers(-14, -2),
    st.integers(-3, 12),
    st.sampled_from([(1.0, 2.0, 2.5), (3.0, 1.0, 2.5), (1.0, 1.5, 1.4)]),
    st.sampled_from([1e-3, 5e-3, 0.02]),
)
def test_every_drive_of_every_finger_ends(moment, drive, others, step):
    """A run ends well or with a failure that names body or joint, after few corrections."""
    scene = finger(10.0**moment, 10.0**drive, others)
    recording, failure = outcome(scene, duration=0.1, step=step)
    assert any(named in failure for named in ("'finger'", "'knuckle'", "finite")) or not failure
    steps = recording.diagnostics["step_count"] + 1
    failed = MOST_OF_A_STAGE + 20 * MOST_CORRECTIONS
    assert corrections(recording) <= failed + steps * FINEST_PART * MOST_CORRECTIONS
    assert np.isfinite(recording.positions).all()


@pytest.mark.parametrize("turn", [0.9, 1.1])
def test_fast_spins_are_right_or_refused(turn):
    """Free spins are followed up to the turn that is promised in a step; faster ones take shorter
    steps, and end where they had the same angular momentum and energy.
    """
    scene = free_body((1.0, 2.0, 2.5), (turn * MOST_TURN / STEP, 0.0, 0.0))
    recording = ic.simulate(scene, duration=0.03, step=STEP)

    report = recording.diagnostics
    assert report["halvings"] == (0 if turn < 1.0 else 3)
    assert report["energy_j"]["max_abs_drift"] <= 1e-9 * report["energy_j"]["initial"]


def test_hopeless_spin_is_named():
    """What no part of a step can follow is refused, not computed with a series that diverges."""
    scene = free_body((1.0, 2.0, 2.5), (1.1 * FINEST_PART * MOST_TURN, 0.0, 0.0))
    with pytest.raises(ic.SimulationError, match=r"body 'body' turns by 1.1e\+04 rad in steps of"):
        ic.simulate(scene, duration=2.0, step=1.0, fps=1.0)


@pytest.mark.parametrize("method", ["imp2", "lm4"])
def test_failure_between_steps_names_what_failed(method):
    """Where a frame between two steps cannot be reached, the message is that of a failed step."""
    scene = chain(2, ["ball", "ball"])
    scene.bodies[1].angular_velocity = (0.0, 1e7, 3e6)
    failures = [
        outcome(scene, duration=0.1, step=0.02, fps=fps, method=method)[1].split(" s ")[1]
        for fps in (50.0, 80.0)
    ]
    assert failures[0].startswith(("joint 'joint-", "body 'rod-", "body 'bar-"))
    assert failures[1].startswith(failures[0][:16])


@given(
    st.sampled_from([(1.0, 2.0, 2.5), (2.0, 1.0, 1.5), (0.3, 0.25, 0.5)]),
    st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda w: np.linalg.norm(w) > 0.1),
    st.floats(1.0, 0.5 * MOST_TURN),
)
@settings(max_examples=20)
def test_fast_spins_do_not_depend_on_the_step(moments, direction, turn):
    """One long step of a fast free body ends where ten short ones end, unless it turns about the
    axis of its middle moment: there round-off alone decides when it tumbles.
    """
    assume(np.linalg.norm(np.delete(direction, np.argsort(moments)[1])) > 0.1)
    spin = np.array(direction) / np.linalg.norm(direction) * turn / STEP * 0.4
    scene = free_body(moments, tuple(spin))
    ends = [
        ic.simulate(scene, duration=STEP, step=STEP / parts, fps=1.0 / STEP).orientations[-1, 0]
        for parts in (1, 10)
    ]
    assert abs(ends[0] @ ends[1]) >= 1.0 - 1e-11 * turn**2 - 1e-13


def test_torque_on_a_light_body_is_refused_by_name():
    """A load that would spin a free body beyond all measure names the body."""
    scene = free_body((1e-12, 2e-12, 2.5e-12), (0.0, 0.0, 0.0))
    scene.loads = [Load(body="body", torque=(1e6, 0.0, 0.0))]
    with pytest.raises(ic.SimulationError, match="body 'body' is too light"):
        ic.simulate(scene, duration=0.1, step=STEP)


MASSES = st.integers(-6, 6)


@settings(max_examples=25)
@given(
    st.lists(MASSES, min_size=2, max_size=5),
    st.sampled_from(["ball", "hinge", "fixed"]),
    st.booleans(),
    st.sampled_from([("imp2", 0.02), ("imp2", 0.2), ("imp4", 0.05)]),
)
def test_every_ratio_of_masses_ends(exponents, kind, thrown, choice):
    """Chains of any masses end well or by name, after a bounded number of corrections."""
    method, step = choice
    scene = chain(len(exponents), [kind] * len(exponents))
    for body, exponent in zip(scene.bodies, exponents, strict=True):
        body.mass = 10.0**exponent
        body.inertia = tuple(10.0**exponent * k for k in (0.01, 0.02, 0.025))
    if thrown:
        scene.bodies[-1].angular_velocity = (0.0, 300.0, 0.0)
    recording, failure = outcome(scene, duration=0.2, step=step, method=method)
    assert any(named in failure for named in ("joint '", "body '", "finite")) or not failure
    stages = 1 if method == "imp2" else 5
    steps = recording.diagnostics["step_count"] + 1
    failed = stages * MOST_OF_A_STAGE + 20 * MOST_CORRECTIONS
    assert corrections(recording) <= failed + steps * stages * FINEST_PART * MOST_CORRECTIONS


class Signals:
    """Ctrl-C from another thread, once or again and again from the first step on: that waits for
    the first, which would come too late for a short run where processors are busy.
    """

    def __init__(self, monkeypatch, delay: float, period: float | None = None) -> None:
        self.sent = 0
        self._begun, self._ended = threading.Event(), threading.Event()
        self._delay, self._period = delay, period
        self._thread = threading.Thread(target=self._send, daemon=True)
        advance = Engine.advance

        def begin(engine, length, count, grid=-1):
            if count and not self._thread.is_alive() and not self.sent:
                self._thread.start()
                if self._period is not None:
                    self._begun.wait()
            return advance(engine, length, count, grid)

        monkeypatch.setattr(Engine, "advance", begin)

    def _send(self) -> None:
        time.sleep(self._delay)
        while not self._ended.is_set():
            self.sent += 1
            os.kill(os.getpid(), signal.SIGINT)
            self._begun.set()
            if self._period is None:
                return
            time.sleep(self._period)

    def end(self) -> None:
        self._ended.set()
        self._thread.join()


@pytest.fixture
def handled():
    """Puts a handler of Ctrl-C in place for a test."""
    before = signal.getsignal(signal.SIGINT)
    yield lambda handler: signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGINT, before)


def slow_bodies(count: int) -> Scene:
    """Free bodies of which each takes about 10 ms a step."""
    fast = (0.9 * MOST_TURN / STEP, 0.0, 0.0)
    bodies = [
        Body(name=f"b{k}", mass=1.0, inertia=(1.0, 2.0, 2.5), angular_velocity=fast)
        for k in range(count)
    ]
    return scene_of(bodies, gravity=NO_GRAVITY, step=STEP)


def test_ctrl_c_ends_a_long_step(monkeypatch, handled):
    """A step that would take seconds is left as Ctrl-C comes, and the frames are kept."""
    handled(signal.default_int_handler)
    signals = Signals(monkeypatch, delay=0.05)
    recording = ic.simulate(slow_bodies(400), duration=0.1)
    signals.end()

    assert recording.diagnostics["interrupted"] is True
    assert recording.diagnostics["step_count"] == 0
    assert len(recording.times) == 1


@pytest.mark.parametrize(
    ("count", "options"),
    [
        (2, {"step": 0.02}),
        (12, {"step": 0.02}),
        (3, {"step": 0.04, "method": "imp4"}),
        (6, {"step": 0.01, "solver": "iterative"}),
        (2, {"step": 0.01, "solver": "sle"}),
        (4, {"step": 0.005, "method": "lmvd4"}),
    ],
    ids=["halved", "long", "composed", "iterative", "sle", "multipliers"],
)
def test_runs_that_signals_do_not_end_go_on_with_the_same_bits(
    monkeypatch, handled, count, options
):
    """A handler that lets the run go on changes nothing of it, however often steps are left."""
    scene = chain(count, ["ball"] * count)
    scene.bodies[-1].angular_velocity = (0.0, 300.0, 0.0) if options["step"] > 0.01 else (0, 3.0, 0)
    options = {"duration": 0.4, "fps": 60.0, "tolerance": 1e-8} | options
    calm = ic.simulate(scene, **options)
    taken = []
    handled(lambda *_: taken.append(1))
    signals = Signals(monkeypatch, delay=0.0, period=2e-4)
    disturbed = ic.simulate(scene, **options)
    signals.end()

    assert taken
    assert disturbed.complete
    assert np.array_equal(disturbed.positions, calm.positions)
    assert disturbed.diagnostics["state_sha256"] == calm.diagnostics["state_sha256"]


def test_simulations_outside_the_main_thread_run():
    """In another thread there are no signals to hold, and the result is the same."""
    results = []
    scene = chain(2, ["ball", "ball"])
    thread = threading.Thread(target=lambda: results.append(ic.simulate(scene, duration=0.1)))
    thread.start()
    thread.join()
    assert np.array_equal(results[0].positions, ic.simulate(scene, duration=0.1).positions)
