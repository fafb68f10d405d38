"""Machines at rest: those that stand nap, and all may sleep. They bear what they bore, and wake
when something is to move them.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema import Scene
from impulse_schema.models import (
    Body,
    CouplingTerm,
    Curve,
    Friction,
    Joint,
    Keyframe,
    Load,
    Motor,
    Spring,
)
from tests.contact.scenes import ball, box, scene

G = 9.81
STIFFNESS, REACH, MASS = 200.0, 0.5, 2.0  # N m/rad, m, kg: of an arm that a servo holds up


def base(name: str, x: float = 0.0) -> Body:
    return box(name, (x, 0.0, 0.2), 20.0, (0.6, 0.6, 0.4))


def arm(name: str, x: float = 0.0) -> Body:
    return box(name, (x + REACH, 0.0, 0.5), MASS, (0.9, 0.1, 0.1))


def shoulder(name: str, x: float = 0.0, **given) -> Joint:
    """A hinge at the end of an arm, which sinks about y; a servo holds it unless told otherwise."""
    servo = Motor(kind="servo", proportional=STIFFNESS, derivative=8.0, target=0.0)
    given = {"motors": [servo]} | given
    return Joint(name=name, type="hinge", axis=(0.0, 1.0, 0.0), anchor=(x, 0.0, 0.5), **given)


def standing(*more: Body, joint: dict | None = None, **settings) -> Scene:
    """A block on the ground that holds up an arm."""
    found = scene(base("base"), arm("arm"), *more, **settings)
    found.joints.append(shoulder("shoulder", body1="base", body2="arm", **(joint or {})))
    return found


def sag(torque: float = 0.0) -> float:
    """k φ = m g r cos φ + T [rad]."""
    angle = 0.0
    for _ in range(50):
        angle = (MASS * G * REACH * math.cos(angle) + torque) / STIFFNESS
    return angle


def repeated(recording: ic.Recording, body: str) -> np.ndarray:
    """Which frames found a body where the frame before did, to the last bit."""
    places = recording.positions[:, recording.body_names.index(body)]
    return np.all(np.diff(places, axis=0) == 0.0, axis=1)


def sleepers(recording: ic.Recording) -> int:
    return recording.diagnostics["contacts"]["asleep"]


def late(recording: ic.Recording, since: float) -> np.ndarray:
    return recording.times[1:] > since


@pytest.mark.parametrize("step", [0.002, 0.005, 0.01])
def test_a_machine_that_stands_naps_where_statics_has_it(step):
    """k φ = m g r cos φ, looked at in one step of seventeen; what joints and contacts bear is in
    every frame.
    """
    recording = ic.simulate(
        standing(duration=5.5, fps=round(1.0 / step), step=step, record_contacts=True)
    )
    quiet = late(recording, 4.5)

    assert repeated(recording, "arm")[quiet].mean() >= 0.9
    assert sleepers(recording) == 0
    held = recording.joints["shoulder"]
    assert held["angle"][-1] == pytest.approx(sag(), abs=1e-6)
    assert held["force"][1:][quiet] == pytest.approx(
        np.tile((0.0, 0.0, MASS * G), (quiet.sum(), 1)), abs=1e-5
    )
    assert held["drive_torque"][1:][quiet] == pytest.approx(-STIFFNESS * sag(), rel=1e-6)
    frames = np.flatnonzero(recording.times > 4.5)
    pressed = [
        recording.contacts["force"][recording.contacts["frame"] == frame, 2].sum()
        for frame in frames
    ]
    assert np.abs(pressed) == pytest.approx((20.0 + MASS) * G, rel=1e-6)
    energy = recording.diagnostics["energy_j"]
    assert abs(energy["unexplained"]) <= 1e-6 * (energy["dissipated"] + 1.0)


def test_a_machine_sleeps_and_a_ball_wakes_it():
    """As soon as it was hit it moves as one that did not sleep."""
    thrown = {}
    for sleeping in (False, True):
        hit = ball("ball", (REACH, 0.0, 40.0))
        thrown[sleeping] = ic.simulate(
            standing(hit, duration=3.2, fps=100.0, step=0.005, sleeping=sleeping)
        )
    slept, same = thrown[True], thrown[False]
    meets = math.sqrt(2.0 * (40.0 - 0.5 - 0.55) / G)

    assert repeated(slept, "arm")[165 : int(100 * meets) - 2].all()
    soon = (slept.times > meets - 0.1) & (slept.times < meets + 0.1)
    assert np.ptp(slept.joints["shoulder"]["angle"][soon]) > 0.1
    assert slept.positions[soon] == pytest.approx(same.positions[soon], abs=1e-5)


def test_what_rests_on_a_machine_sleeps_with_it():
    """A cube upon its block; all three bodies are one island."""
    found = standing(box("load", (-0.2, 0.0, 0.5), 1.0, (0.2, 0.2, 0.2)), duration=4.0)
    found.settings.sleeping = True
    recording = ic.simulate(found)

    assert sleepers(recording) == 3
    assert recording.joints["shoulder"]["angle"][-1] == pytest.approx(sag(), abs=1e-4)


def moved(**drive) -> Motor:
    return Motor(kind="servo", proportional=STIFFNESS, derivative=8.0, **drive)


def test_a_machine_sleeps_after_its_motors_have_come_to_their_ends_only():
    """Its target stands still for two seconds, and then goes on: nothing sleeps before it ended."""
    curve = Curve(times=[0.0, 2.0, 2.5], values=[0.0, 0.0, -0.5])
    found = {
        duration: ic.simulate(
            standing(
                joint={"motors": [moved(curve=curve)]}, duration=duration, sleeping=True, fps=50.0
            )
        )
        for duration in (1.9, 6.0)
    }

    assert sleepers(found[1.9]) == 0
    assert sleepers(found[6.0]) == 2
    angle = found[6.0].joints["shoulder"]["angle"]
    assert angle[int(50 * 2.6)] < -0.3


def test_expressions_and_integrals_keep_a_machine_awake():
    """Both may move it at any time."""
    for drive in ({"expression": "0"}, {"target": 0.0, "integral": 1.0}):
        held = standing(joint={"motors": [moved(**drive)]}, duration=3.0, sleeping=True)
        assert sleepers(ic.simulate(held)) == 0


@pytest.mark.parametrize("sleeping", [False, True])
@pytest.mark.parametrize("starts", [5.0, 5.005, 5.035])
def test_a_controller_moves_a_machine_at_rest(sleeping, starts):
    """From the step on in which it wants another target, at any moment of a nap; all the way."""

    def control(time: float, _: ic.Snapshot) -> dict[str, float]:
        return {"shoulder": -0.4 if time >= starts - 1e-9 else 0.0}

    recording = ic.simulate(
        standing(duration=9.0, fps=200.0, step=0.005, sleeping=sleeping), control=control
    )
    angle = recording.joints["shoulder"]["angle"]
    first = round(200 * starts)

    assert repeated(recording, "arm")[first - 100 : first].mean() >= 0.8
    assert abs(angle[first + 1] - angle[first]) > 1e-4
    target = -0.4 + MASS * G * REACH * math.cos(angle[-1]) / STIFFNESS
    assert angle[-1] == pytest.approx(target, abs=1e-5)


@pytest.mark.parametrize("sleeping", [False, True])
def test_a_load_moves_a_machine_at_rest(sleeping):
    """A torque that begins late sinks the arm further, to where statics has it."""
    found = standing(duration=6.0, fps=100.0, step=0.005, sleeping=sleeping)
    found.loads.append(Load(body="arm", torque=(0.0, 5.0, 0.0), from_=3.0))
    angle = ic.simulate(found).joints["shoulder"]["angle"]

    assert angle[295] == pytest.approx(sag(), abs=1e-5)
    assert angle[-1] == pytest.approx(sag(5.0), abs=1e-5)


def test_one_machine_sleeps_while_another_works():
    """To the last bit where it was, with its reactions; the other moves as it would alone."""

    def working(*, alone: bool, sleeping: bool = True) -> ic.Recording:
        beside = standing(duration=4.0, fps=50.0, step=0.005, sleeping=sleeping)
        if alone:
            beside.bodies[1:], beside.joints[:] = [], []
        beside.bodies += [base("other", 5.0), arm("hand", 5.0)]
        swings = moved(expression="0.3*sin(5*t)")
        beside.joints.append(shoulder("elbow", 5.0, body1="other", body2="hand", motors=[swings]))
        return ic.simulate(beside)

    both, one, same = (
        working(alone=False),
        working(alone=True),
        working(alone=False, sleeping=False),
    )
    quiet = late(both, 2.5)

    assert sleepers(both) == 2
    assert repeated(both, "arm")[quiet].all()
    reaction = both.joints["shoulder"]["force"][1:][quiet]
    assert not np.ptp(reaction, axis=0).any()
    assert reaction[-1] == pytest.approx((0.0, 0.0, MASS * G), abs=1e-2)
    assert np.ptp(both.joints["elbow"]["angle"][1:][quiet]) > 0.3
    tolerance = both.diagnostics["tolerance_m"] / REACH
    assert both.joints["elbow"]["angle"] == pytest.approx(
        one.joints["elbow"]["angle"], abs=tolerance
    )
    energies = [run.diagnostics["energy_j"] for run in (both, same)]
    assert energies[0]["unexplained"] == pytest.approx(energies[1]["unexplained"], abs=1e-9)
    assert energies[0]["dissipated"] == pytest.approx(energies[1]["dissipated"], rel=1e-3)


def test_machines_that_couplings_connect_sleep_and_wake_together():
    """A gear between two arms on blocks of their own, and a third machine that works."""
    found = standing(duration=5.0, fps=50.0, step=0.005, sleeping=True)
    found.bodies += [base("base-2", 3.0), arm("arm-2", 3.0)]
    found.joints.append(
        shoulder("second", 3.0, body1="base-2", body2="arm-2", motors=[], frictions=[])
    )
    terms = [
        CouplingTerm(joint="shoulder", coefficient=1.0),
        CouplingTerm(joint="second", coefficient=-1.0),
    ]
    found.joints.append(Joint(name="gear", type="coupling", terms=terms, constant=0.0))
    found.bodies += [base("base-3", 9.0), arm("arm-3", 9.0)]
    swings = moved(expression="0.3*sin(5*t)")
    found.joints.append(shoulder("third", 9.0, body1="base-3", body2="arm-3", motors=[swings]))
    found.loads.append(Load(body="arm-2", torque=(0.0, 4.0, 0.0), from_=4.0))
    found.settings.duration = 3.9
    before = ic.simulate(found)
    found.settings.duration = 4.5
    after = ic.simulate(found)

    assert sleepers(before) == 4
    assert repeated(before, "arm-2")[late(before, 3.5)].all()
    angles = [after.joints[name]["angle"] for name in ("shoulder", "second")]
    assert angles[0] == pytest.approx(angles[1], abs=1e-7)
    assert angles[0][-1] > angles[0][int(50 * 3.9)] + 5e-3


def pivot(holds: str, anchor: tuple[float, float, float]) -> Joint:
    """A hinge about y that holds the arm, with friction that no weight here overcomes."""
    return Joint(
        name="pivot",
        type="hinge",
        body1=holds,
        body2="arm",
        axis=(0.0, 1.0, 0.0),
        anchor=anchor,
        frictions=[Friction(force=100.0)],
    )


def hanging(**settings) -> Scene:
    """A pendulum on a hinge with friction above the ground, which it does not touch."""
    found = scene(arm("arm"), **settings)
    found.bodies[1].position = (0.0, 0.0, 2.0)
    found.joints.append(pivot("world", (-0.45, 0.0, 2.0)))
    return found


def test_what_hangs_on_the_world_sleeps_too():
    recording = ic.simulate(hanging(duration=1.0, sleeping=True, fps=20.0))

    assert sleepers(recording) == 1
    assert recording.joints["pivot"]["force"][-1] == pytest.approx((0.0, 0.0, MASS * G), abs=1e-3)


@pytest.mark.parametrize("swing", [1e-6, 1e-9, 1e-11])
def test_what_hangs_swings_however_little(swing):
    """A hinge is exact far beyond contacts, so that nothing of it is left out: φ cos ωt."""
    found = hanging(duration=2.0, fps=50.0, step=0.002)
    hinge = found.joints[0]
    hinge.frictions = []
    hinge.anchor = (0.0, 0.0, 2.45)
    hinge.springs = [Spring(stiffness=1e-12)]
    inertia = MASS * (0.9**2 + 0.1**2) / 12.0 + MASS * 0.45**2
    omega = math.sqrt(MASS * G * 0.45 / inertia)
    rate = swing * omega
    found.bodies[1].angular_velocity = (0.0, rate, 0.0)
    found.bodies[1].velocity = (-0.45 * rate, 0.0, 0.0)
    recording = ic.simulate(found)

    exact = swing * np.sin(omega * recording.times)
    assert recording.joints["pivot"]["angle"] == pytest.approx(exact, abs=1e-4 * swing + 1e-15)


@pytest.mark.parametrize("sleeping", [False, True])
def test_a_machine_wakes_as_what_holds_it_begins_to_move(sleeping):
    """An arm that friction holds on a kinematic post, which rises after two seconds."""
    heights = (0.0, 1.0), (2.0, 1.0), (3.0, 1.5)
    post = Body(
        name="post",
        motion="kinematic",
        keyframes=[Keyframe(time=t, position=(0.0, 0.0, z)) for t, z in heights],
    )
    found = scene(post, arm("arm"), duration=3.0, fps=50.0, sleeping=sleeping)
    found.bodies[2].position = (REACH, 0.0, 1.0)
    found.joints.append(pivot("post", (0.0, 0.0, 1.0)))
    recording = ic.simulate(found)
    z = recording.positions[:, [1, 2], 2]

    assert repeated(recording, "arm")[int(50 * 1.2) : 98].all() == sleeping
    assert np.ptp(z[:, 0]) == pytest.approx(0.5)
    assert z[:, 1] - z[:, 0] == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("seed", range(10))
def test_drawn_machines_come_to_rest_where_they_do_without_sleep(seed):
    """Legs of drawn lengths and masses under a body, with servos, dampers and friction; dropped by
    up to a centimetre beside a machine that goes on working.
    """
    rng = np.random.default_rng(seed)
    step, drop = float(rng.choice([0.002, 0.005, 0.01])), float(rng.uniform(0.0, 0.01))
    length, width = float(rng.uniform(0.2, 0.5)), float(rng.uniform(0.3, 0.6))

    def drawn(*, sleeping: bool) -> ic.Recording:
        inner = np.random.default_rng(1000 + seed)
        trunk = box(
            "trunk", (0.0, 0.0, length + 0.06 + drop), float(inner.uniform(2.0, 10.0)),
            (2.2 * width, 2.0 * width, 0.1),
        )  # fmt: skip
        found = scene(trunk, duration=4.0, fps=20.0, step=step, sleeping=sleeping)
        for k, (i, j) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1))):
            x, y = i * width, j * width
            mass = float(inner.uniform(0.2, 1.0))
            size = (0.08, 0.08, length)
            leg = box(f"leg-{k}", (x, y, 0.5 * length + drop), mass, size)
            found.bodies.append(leg)
            gain = float(inner.uniform(200.0, 2000.0))
            servo = Motor(kind="servo", proportional=gain, derivative=0.05 * gain, target=0.0)
            rubs = [Friction(force=float(inner.uniform(0.1, 2.0)))] if inner.random() < 0.5 else []
            found.joints.append(
                Joint(
                    name=f"hip-{k}",
                    type="hinge",
                    body1="trunk",
                    body2=leg.name,
                    axis=(0.0, 1.0, 0.0) if inner.random() < 0.5 else (1.0, 0.0, 0.0),
                    anchor=(x, y, length + drop),
                    motors=[servo],
                    frictions=rubs,
                )
            )
        found.bodies += [base("other", 9.0), arm("hand", 9.0)]
        swings = moved(expression="0.3*sin(5*t)")
        found.joints.append(shoulder("elbow", 9.0, body1="other", body2="hand", motors=[swings]))
        return ic.simulate(found)

    slept, same = drawn(sleeping=True), drawn(sleeping=False)

    assert sleepers(slept) == 5
    assert slept.positions[-1] == pytest.approx(same.positions[-1], abs=2e-4)
    for name in ("hip-0", "hip-3"):
        assert slept.joints[name]["force"][-1] == pytest.approx(
            same.joints[name]["force"][-1], abs=0.02 * G * 14.0
        )


def test_a_session_goes_on_from_a_nap_bit_for_bit(tmp_path):
    """What is saved in a nap, of a machine."""
    with ic.Session(standing(), step=0.005, paused=True) as session:
        session.step(705)
        session.save(tmp_path / "moment")
        before = session.step(60).positions
        session.load(tmp_path / "moment")
        assert np.array_equal(session.step(60).positions, before)


def test_a_session_moves_a_machine_that_naps():
    with ic.Session(standing(), step=0.005, paused=True) as session:
        at_rest = session.step(700).joints["shoulder"]["angle"]
        session.post(ic.SetMotorTarget("shoulder", -0.4))
        after = session.step(700).joints["shoulder"]["angle"]
        session.post(ic.ApplyTorque("arm", (0.0, 30.0, 0.0), duration=0.2))
        pushed = session.step(10).joints["shoulder"]["angle"]

    assert at_rest == pytest.approx(sag(), abs=1e-6)
    assert after == pytest.approx(-0.4 + MASS * G * REACH * math.cos(after) / STIFFNESS, abs=1e-6)
    assert pushed > after + 1e-3


@pytest.mark.parametrize(
    ("armature", "speed", "step"), [(300.0, 5e-4, 0.005), (20.0, 3e-4, 0.01), (4000.0, 8e-4, 0.002)]
)
def test_what_rotors_lose_as_they_fall_asleep_is_counted(armature, speed, step):
    """A wheel that turns slowly on an upright axle, with a rotor much heavier than itself."""
    wheel = box("wheel", (0.0, 0.0, 0.6), 1.0, (0.4, 0.4, 0.1))
    wheel = wheel.model_copy(update={"angular_velocity": (0.0, 0.0, speed)})
    found = scene(base("base"), wheel, duration=2.0, step=step, sleeping=True)
    axle = {"axis": (0.0, 0.0, 1.0), "anchor": (0.0, 0.0, 0.5), "armature": armature}
    found.joints.append(Joint(name="axle", type="hinge", body1="base", body2="wheel", **axle))

    recording = ic.simulate(found)

    assert sleepers(recording) == 2
    energy = recording.diagnostics["energy_j"]
    turning = 0.5 * (armature + 1.0 / 6.0 * 0.4**2) * speed**2
    assert energy["dissipated"] == pytest.approx(turning, rel=1e-3)
    assert abs(energy["unexplained"]) <= 1e-6 * turning
