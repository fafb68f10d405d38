"""What acts along free axes in the multiplier methods: bounds, jumps, accounts, first frames."""

from __future__ import annotations

import math

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema.models import CouplingTerm, Curve, Joint, Limit, Motor, Spring
from tests.core.machines import MASS, arm, sled
from tests.core.scenes import four_bar, scene_of

METHODS = ("lm4", "lmbs4", "lmv4", "lmvd4", "lmvd8")


def run(scene, **options):
    given = {"method": "lmvd8", "step": 0.02, "duration": 1.0, "fps": 10.0, "tolerance": 1e-12}
    return ic.simulate(scene, **(given | options))


def velocity(**target):
    return Motor(kind="velocity", **target)


def failed(scene, **options):
    """The event and the recording of a run that ends early."""
    with pytest.raises(ic.SimulationError) as caught:
        run(scene, **options)
    recording = caught.value.recording
    return recording.events[-1], recording


@pytest.mark.parametrize(
    ("limit", "start", "push", "when"),
    [
        (Limit(lower=-1.0, upper=0.35), 1.0, 0.0, 0.35),
        (Limit(lower=-0.25, upper=1.0), -1.0, 0.0, 0.25),
        (Limit(max_velocity=1.5), 1.0, 2.0, 0.5),
    ],
)
def test_a_limit_ends_the_run_by_name(limit, start, push, when):
    """A limit that is reached is no smooth force: the run ends there, with the frames before."""
    motors = [Motor(kind="force", target=push)] if push else []
    event, recording = failed(sled(start, limits=[limit], motors=motors))

    assert event["joint"] == "rail"
    assert "reaches a limit" in event["message"]
    assert "imp2" in event["message"]
    assert when - 1e-9 <= event["time"] <= when + 0.02 + 1e-9
    assert recording.times[-1] <= when
    assert not recording.complete


def test_limits_that_are_not_reached_change_nothing():
    """Nor does what is watched cost a bit."""
    elements = {"springs": [Spring(stiffness=40.0, damping=0.3)]}
    free = run(sled(1.0, **elements))
    watched = run(sled(1.0, limits=[Limit(lower=-1.0, upper=1.0)], **elements))

    assert free.diagnostics["state_sha256"] == watched.diagnostics["state_sha256"]


def test_a_velocity_motor_that_is_too_weak_ends_the_run():
    """10 N move 2 kg by 5 m/s² at most, which is asked for at 0.5 s."""
    strong = run(sled(motors=[velocity(expression="5*t*t", max_force=30.0)]))
    event, _ = failed(sled(motors=[velocity(expression="5*t*t", max_force=10.0)]))

    assert strong.positions[-1, 0, 0] == pytest.approx(5.0 / 3.0, abs=1e-12)
    assert strong.joints["rail"]["drive_force"] == pytest.approx(20.0 * strong.times, abs=1e-9)
    assert "largest force" in event["message"]
    assert event["time"] == pytest.approx(0.5, abs=0.021)


def test_jumps_of_a_target():
    """A target that jumps moves the sled at once, and the motor does the work of that."""
    curve = Curve(times=[0.0, 0.333, 0.7], values=[1.0, 2.0, -1.0], interpolation="step")
    recording = run(sled(3.0, motors=[velocity(curve=curve)]))

    energy = recording.diagnostics["energy_j"]
    way = 0.333 + 2.0 * 0.367 - 0.3
    assert recording.positions[-1, 0, 0] == pytest.approx(way, abs=1e-12)
    assert energy["work_of_motors"] == pytest.approx(0.5 * MASS * (1.0 - 9.0), abs=1e-9)
    assert energy["max_abs_drift"] < 1e-9


def test_a_target_without_a_value_ends_the_run():
    """At the stage that finds none, with the expression and its time."""
    event, _ = failed(sled(motors=[Motor(kind="force", expression="sqrt(0.5-t)")]))

    assert "'sqrt(0.5-t)' has no finite value" in event["message"]
    assert 0.5 < event["time"] < 0.52


def test_motors_that_contradict_each_other_end_the_run():
    """Two pins of a parallelogram cannot turn at different rates."""
    scene = four_bar()
    scene.joints[0].motors = [velocity(target=1.0)]
    assert run(scene).complete
    scene.joints[3].motors = [velocity(target=0.3)]

    event, _ = failed(scene)

    assert "cannot have its way" in event["message"]


def test_a_servo_at_its_largest_force_is_counted():
    """It goes on with that force, loses order but little, and the report says so."""

    def end(step, bound):
        gains = {"proportional": 50.0, "derivative": 10.0, "max_force": bound}
        return run(sled(motors=[Motor(kind="servo", target=1.0, **gains)]), step=step)

    exact = end(0.0005, 5.0)
    coarse, fine = (abs(end(h, 5.0).positions[-1, 0, 0] - exact.positions[-1, 0, 0])
                    for h in (0.02, 0.0025))  # fmt: skip
    warned = end(0.02, 5.0).diagnostics["warnings"]

    assert exact.joints["rail"]["drive_force"].max() == 5.0
    assert fine < coarse / 8.0**1.5
    assert coarse < 1e-4
    assert any("'rail'" in text and "largest force" in text for text in warned)
    assert end(0.02, 1e3).diagnostics["warnings"] == []


def actuated(method="lmvd8"):
    """An arm with a servo, a damped spring, rotors, and a gear."""
    bodies, joints = arm([1.0, 0.8, 0.5], armature=0.1)
    joints[0].motors = [
        Motor(kind="servo", expression="0.4*sin(4*t)", proportional=90.0, derivative=8.0)
    ]
    joints[1].springs = [Spring(stiffness=30.0, damping=2.0)]
    terms = [CouplingTerm(joint="j1", coefficient=1.0), CouplingTerm(joint="j2", coefficient=1.5)]
    joints.append(Joint(name="gear", type="coupling", terms=terms))
    return scene_of(bodies, joints, method=method)


@pytest.mark.parametrize("method", METHODS)
def test_energy_is_accounted_for(method):
    """Work of the motor and of dampers, to the order of the method."""

    def unbalance(step):
        energy = run(actuated(), method=method, step=step).diagnostics["energy_j"]
        assert energy["work_of_motors"] > 1.0
        assert energy["dissipated"] > 0.05
        return energy["max_abs_drift"]

    order = {"lmbs4": 1.5, "lmvd8": 7.0}.get(method, 3.5)
    step = 0.08 if method == "lmvd8" else 0.01
    assert math.log2(unbalance(step) / unbalance(0.5 * step)) > order


@pytest.mark.parametrize("method", METHODS)
def test_same_bits_with_more_frames(method):
    """Looks between steps, and calls of other lengths, change no bit."""
    hashes = {
        run(actuated(), method=method, fps=fps).diagnostics["state_sha256"] for fps in (7, 10, 90)
    }

    assert len(hashes) == 1


def test_couplings_hold():
    """To the tolerance after each step, over full turns."""
    bodies, joints = arm([1.0, 1.0])
    joints[0].motors = [velocity(target=9.0)]
    terms = [CouplingTerm(joint="j0", coefficient=1.0), CouplingTerm(joint="j1", coefficient=2.0)]
    joints.append(Joint(name="gear", type="coupling", terms=terms))

    recording = run(scene_of(bodies, joints), duration=3.0)

    angles = [recording.joints[name]["angle"] for name in ("j0", "j1")]
    assert angles[0][-1] == pytest.approx(27.0, abs=1e-9)
    assert angles[0] + 2.0 * angles[1] == pytest.approx(0.0, abs=1e-11)
    assert recording.diagnostics["max_joint_error_m"] <= 1e-12


def test_forces_and_reactions_are_those_of_the_frame():
    """Also of the first: a spring's by its coordinate, and what a rail takes of a driven crank."""
    recording = run(sled(1.0, springs=[Spring(stiffness=40.0, damping=0.5)]))

    rate = np.array([1.0])
    rail = recording.joints["rail"]
    assert rail["drive_force"][:1] == pytest.approx(-0.5 * rate, abs=1e-9)
    swing, decay = math.sqrt(40.0 / MASS - (0.125) ** 2), 0.125
    t = recording.times
    u = np.exp(-decay * t) * (np.cos(swing * t) - decay / swing * np.sin(swing * t))
    assert rail["drive_force"] == pytest.approx(-40.0 * rail["displacement"] - 0.5 * u, abs=1e-7)
