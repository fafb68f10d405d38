"""Joints that break: when, under which load, and what the bodies do afterwards."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from impulse_schema.models import Body, Joint, Load, Spring
from tests.core.machines import MASS, run, sled
from tests.core.scenes import NO_GRAVITY, box, pendulum, scene_of

G = 9.81


def test_pendulum_breaks_when_its_tension_passes_the_limit():
    """From horizontal, T = 3 m g cos θ; at T = 2.2 m g it flies off on a parabola.

    The time is that of the first step whose end is beyond t(θ*) = ∫ dθ / sqrt(2 g sin θ').
    """
    scene = pendulum()
    scene.joints[0].break_force = 2.2 * G
    drop = math.asin(2.2 / 3.0)  # angle below the horizontal
    # θ = u² takes the singularity at the start away
    exact, _ = quad(lambda u: 2 * u / math.sqrt(2 * G * math.sin(u * u)), 0, math.sqrt(drop))
    step = 0.001

    recording = run(scene, duration=1.0, step=step, fps=100)

    (event,) = recording.events
    assert event["kind"] == "break"
    assert event["joint"] == "rod"
    assert exact <= event["time"] + 1e-5
    assert event["time"] <= exact + step + 1e-5
    rate = 3.0 * G * math.cos(drop) * math.sqrt(2 * G * math.sin(drop))  # dT/dt
    assert 2.2 * G < event["force_n"] <= 2.2 * G + rate * step * 1.01
    assert event["torque_n_m"] == 0.0
    free = recording.times > event["time"]
    t = recording.times[free] - recording.times[free][0]
    x, y = recording.positions[free, 0, 0], recording.positions[free, 0, 1]
    assert np.ptp(np.diff(x)) <= 1e-12
    assert np.diff(y, 2) == pytest.approx(-G * 0.01**2, abs=1e-12)
    assert len(t) > 40
    assert recording.diagnostics["energy_j"]["max_abs_drift"] <= 1e-4


def test_joint_holds_below_its_limit():
    """The largest tension is 3 m g; a joint good for 3.01 m g holds for many swings."""
    scene = pendulum()
    scene.joints[0].break_force = 3.01 * G

    recording = run(scene, duration=10.0, step=0.005, fps=10)

    assert recording.complete
    assert recording.events == []


def test_static_load_breaks_the_weakest_joint():
    """Three boxes hung one below the other: the middle joint carries two weights, and breaks."""
    bodies = [box(f"box-{k}", (0.0, 0.0, -0.5 * k), mass=1.0) for k in range(3)]
    limits = [40.0, 1.9 * G, 15.0]
    joints = [
        Joint(
            name=f"pin-{k}",
            type="ball",
            body1="world" if k == 0 else f"box-{k - 1}",
            body2=f"box-{k}",
            anchor=(0.0, 0.0, -0.5 * k + 0.2),
            break_force=limits[k],
        )
        for k in range(3)
    ]

    recording = run(scene_of(bodies, joints), duration=0.5, step=0.01, fps=100)

    (event,) = recording.events
    assert (event["joint"], event["body1"], event["body2"]) == ("pin-1", "box-0", "box-1")
    assert event["force_n"] == pytest.approx(2 * G, rel=1e-9)
    assert event["time"] == pytest.approx(0.01)
    fallen = recording.positions[-1, 1:, 2] - recording.positions[0, 1:, 2]
    assert fallen == pytest.approx(-0.5 * G * 0.49**2, abs=1e-3)
    assert np.abs(recording.positions[:, 0, 2]).max() <= 1e-12


def test_torque_breaks_a_fixed_joint():
    """A beam clamped at its end carries m g l / 2 there."""
    beam = box("beam", (0.5, 0.0, 0.0), (1.0, 0.1, 0.1), mass=4.0)
    clamp = Joint(name="clamp", type="fixed", body2="beam", anchor=(0, 0, 0), break_torque=19.0)

    recording = run(scene_of([beam], [clamp]), duration=0.2, fps=50)

    (event,) = recording.events
    assert event["torque_n_m"] == pytest.approx(4.0 * G * 0.5, rel=1e-9)
    assert event["force_n"] == pytest.approx(4.0 * G, rel=1e-9)


def test_elements_leave_with_their_joint():
    """The spring of a slider that breaks stops acting; what it held counts as dissipated."""
    scene = sled(springs=[Spring(stiffness=100.0, rest=0.5)], break_force=60.0)
    scene.loads = [Load(body="sled", force=(0.0, 0.0, -80.0), from_=0.2)]

    recording = run(scene, duration=0.5, step=0.005, fps=100)

    (event,) = recording.events
    assert event["joint"] == "rail"
    assert event["time"] == pytest.approx(0.2, abs=0.0051)
    after = recording.times > event["time"] + 0.001
    x = recording.positions[after, 0, 0]
    assert np.ptp(np.diff(x)) <= 1e-12
    w = math.sqrt(100.0 / MASS)
    w = math.sqrt(100.0 / MASS)
    stretch = 0.5 * math.cos(w * event["time"])
    dissipated = recording.diagnostics["energy_j"]["dissipated"]
    assert dissipated == pytest.approx(50.0 * stretch**2, rel=0.01)
    assert recording.diagnostics["energy_j"]["max_abs_drift"] <= 1e-2
    assert np.diff(x)[0] * 100 == pytest.approx(0.5 * w * math.sin(w * event["time"]), rel=1e-2)


def test_closed_loop_opens():
    """Two rods hold one body; when the weak one breaks, the other carries all, as a pendulum."""
    bob = Body(name="bob", position=(0.0, 0.0, -1.0), mass=1.0, inertia=(0.1, 0.1, 0.1))
    rods = [
        Joint(
            name=name,
            type="distance",
            body2="bob",
            anchor=(x, 0.0, 0.0),
            anchor2=(0.0, 0.0, -1.0),
            break_force=limit,
        )
        for name, x, limit in (("left", -1.0, 6.5), ("right", 1.0, 100.0))
    ]

    recording = run(scene_of([bob], rods), duration=1.0, step=0.002, fps=50)

    (event,) = recording.events
    assert event["joint"] == "left"  # each carries m g / √2 = 6.94 N
    assert event["force_n"] == pytest.approx(9.81 / math.sqrt(2.0), rel=1e-6)
    length = np.linalg.norm(recording.positions[:, 0] - [1.0, 0.0, 0.0], axis=1)
    assert length == pytest.approx(math.sqrt(2.0), abs=1e-9)


def test_looking_ahead_breaks_nothing():
    """Frames between steps look ahead; joints break only in steps, at the same time."""
    scene = sled(break_force=5.0, gravity=NO_GRAVITY)
    scene.loads = [Load(body="sled", force=(0.0, 0.0, -10.0), from_=0.1)]

    often, seldom = (run(scene, duration=0.3, step=0.02, fps=fps) for fps in (333.0, 10.0))

    assert [e["time"] for e in often.events] == [e["time"] for e in seldom.events]
    assert often.diagnostics["state_sha256"] == seldom.diagnostics["state_sha256"]
