"""Screws against closed forms: torque, weight, many turns, loops, motors, limits, breaking."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema.models import Body, Friction, Geometry, Joint, Limit, Load, Motor, Spring
from tests.core.screws import INERTIA, MASS, afloat, jack, nut_on_a_bolt, reach, screw
from tests.verification.machine_orders import ORDER, measured_order

G = 9.81
COARSE_STEP = {"imp2": 0.005, "imp4": 0.01, "imp6": 0.08}


def thread_of(recording):
    """Angle and displacement of the screw."""
    found = recording.joints["thread"]
    return found["angle"], found["displacement"]


@pytest.mark.parametrize("pitch", [0.01, 0.3, -0.3, 5.0])
def test_under_a_torque(pitch):
    """α = τ / (J + m p²/4π²), and s = p φ / 2π: positive along the axis for positive pitch."""
    scene = nut_on_a_bolt(pitch)
    scene.loads = [Load(body="nut", torque=(0.0, 0.0, 0.5))]
    alpha = 0.5 / (INERTIA + MASS * reach(pitch) ** 2)

    recording = ic.simulate(scene, duration=2.0)

    angle, displacement = thread_of(recording)
    assert angle == pytest.approx(0.5 * alpha * recording.times**2, rel=1e-9, abs=1e-10)
    assert displacement == pytest.approx(reach(pitch) * angle, rel=1e-12, abs=1e-12)
    assert recording.positions[:, 0, 2] == pytest.approx(displacement, abs=1e-12)
    assert np.sign(displacement[-1]) == np.sign(pitch)


@pytest.mark.parametrize("pitch", [0.02, 1.0, -1.0])
def test_a_nut_falls_down_an_upright_bolt(pitch):
    """a = g / (1 + J (2π/p)²/m), turning one way or the other; the thread holds up the rest."""
    recording = ic.simulate(nut_on_a_bolt(pitch, gravity=(0.0, 0.0, -G)), duration=1.0)

    a = G / (1.0 + INERTIA / (MASS * reach(pitch) ** 2))
    angle, displacement = thread_of(recording)
    assert displacement == pytest.approx(-0.5 * a * recording.times**2, abs=1e-11)
    assert angle == pytest.approx(displacement / reach(pitch), rel=1e-9, abs=1e-9)
    joint, report = recording.joints["thread"], recording.diagnostics
    assert joint["force"][-1] == pytest.approx((0.0, 0.0, MASS * (G - a)), abs=1e-8)
    assert joint["torque"][-1] == pytest.approx((0, 0, -INERTIA * a / reach(pitch)), abs=1e-8)
    assert report["energy_j"]["max_abs_drift"] <= 1e-10
    assert report["max_joint_error_m"] <= report["tolerance_m"]


@settings(max_examples=25, deadline=None)
@given(
    axis=st.tuples(*[st.floats(-1.0, 1.0)] * 3),
    size=st.floats(-3.0, 2.0),
    hand=st.sampled_from([-1.0, 1.0]),
)
def test_any_axis_and_pitch(axis, size, hand):
    """Along any axis a nut falls with the part of gravity along it, from a mm to 100 m a turn."""
    length = np.linalg.norm(axis)
    assume(length > 0.1)
    pitch = hand * 10.0**size
    a = -G * axis[2] / length / (1.0 + INERTIA / (MASS * reach(pitch) ** 2))

    scene = nut_on_a_bolt(pitch, axis=axis, gravity=(0.0, 0.0, -G))
    recording = ic.simulate(scene, duration=0.2)

    angle, displacement = thread_of(recording)
    assert displacement[-1] == pytest.approx(0.02 * a, rel=1e-8, abs=1e-11)
    assert angle[-1] == pytest.approx(0.02 * a / reach(pitch), rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("pitch", [1e-6, 1e6, -1e9])
def test_the_finest_and_coarsest_threads(pitch):
    """A thread that hardly moves in one of its coordinates is none that is locked."""
    scene = nut_on_a_bolt(pitch, gravity=(0.0, 0.0, -G))
    a = G / (1.0 + INERTIA / (MASS * reach(pitch) ** 2))

    recording = ic.simulate(scene, duration=0.04)

    angle, _ = thread_of(recording)
    assert angle[-1] == pytest.approx(-0.5 * a * 0.04**2 / reach(pitch), rel=1e-6)


def test_a_hundred_turns():
    """A nut that spins through a hundred turns, two rad in a step, is a hundred pitches further."""
    scene = nut_on_a_bolt(0.05)
    spin = 200.0
    scene.bodies[0].angular_velocity = (0.0, 0.0, spin)
    scene.bodies[0].velocity = (0.0, 0.0, reach(0.05) * spin)

    recording = ic.simulate(scene, duration=math.pi, step=math.pi / 314.0)

    angle, displacement = thread_of(recording)
    assert angle[-1] / (2.0 * math.pi) == pytest.approx(100.0, rel=0.01)
    assert angle == pytest.approx(spin * recording.times, rel=1e-10)
    assert displacement == pytest.approx(reach(0.05) * angle, rel=1e-12, abs=1e-12)


def test_afloat_energy_and_momenta_are_kept():
    """Two bodies on a screw tumble in space: momenta to round-off, energy to the method's order."""
    recording = ic.simulate(afloat(), duration=5.0, method="imp6")

    report = recording.diagnostics
    angular = np.linalg.norm(recording.momentum["angular"][0])
    assert report["momentum_drift"]["linear"] <= 1e-12
    assert report["momentum_drift"]["angular"] <= 1e-12 * angular
    assert report["energy_j"]["max_abs_drift"] <= 1e-8 * recording.energy["total"][0]
    angle, displacement = thread_of(recording)
    assert np.ptp(angle) > 2.0 * math.pi
    assert np.abs(displacement - reach(0.4) * angle).max() <= 1e-11


@pytest.mark.parametrize("method", ORDER)
def test_orders(method):
    """Halve the step, and the error falls by two to the order of the method."""
    order = measured_order(afloat, method, COARSE_STEP[method])

    assert order == pytest.approx(ORDER[method], abs=0.2)


def test_a_loop_closed_by_a_screw():
    """A jack: the spindle turns by τ / (J + m p²/4π²), and the nut, which cannot, moves down."""
    scene = jack(0.1)
    scene.loads = [Load(body="spindle", torque=(0.0, 0.0, 0.2))]
    alpha = 0.2 / (0.004 + MASS * reach(0.1) ** 2)

    recording = ic.simulate(scene, duration=1.0)

    turned = 0.5 * alpha * recording.times**2
    assert recording.joints["bearing"]["angle"] == pytest.approx(turned, rel=1e-9, abs=1e-9)
    assert recording.joints["guide"]["displacement"] == pytest.approx(
        -reach(0.1) * turned, abs=1e-10
    )


def test_a_motor_lifts_by_turning():
    """What names no axis acts on the angle: a motor of 3 rad/s holds m g p/2π and lifts p 3/2π."""
    motor = Motor(kind="velocity", target=3.0)
    scene = nut_on_a_bolt(0.2, gravity=(0.0, 0.0, -G), motors=[motor])

    recording = ic.simulate(scene, duration=1.0, tolerance=1e-13)

    joint = recording.joints["thread"]
    speed = np.diff(joint["displacement"])[-5:] / np.diff(recording.times)[-5:]
    assert speed == pytest.approx(3.0 * reach(0.2), rel=1e-9)
    assert joint["drive_torque"][-1] == pytest.approx(MASS * G * reach(0.2), rel=1e-9)
    assert "drive_force" not in joint
    assert joint["force"][-1] == pytest.approx((0.0, 0.0, MASS * G), abs=1e-6)
    assert joint["torque"][-1] == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)


def test_a_motor_pushes_where_told():
    """The same by a force along the axis, which the thread turns into a turn."""
    motor = Motor(kind="velocity", freedom="translation", target=0.1)
    scene = nut_on_a_bolt(0.2, gravity=(0.0, 0.0, -G), motors=[motor])

    recording = ic.simulate(scene, duration=1.0, tolerance=1e-13)

    joint = recording.joints["thread"]
    assert joint["drive_force"][-1] == pytest.approx(MASS * G, rel=1e-9)
    assert "drive_torque" not in joint
    speed = np.diff(joint["angle"])[-5:] / np.diff(recording.times)[-5:]
    assert speed == pytest.approx(0.1 / reach(0.2), rel=1e-9)


@pytest.mark.parametrize(("freedom", "factor"), [(None, reach(0.5)), ("translation", 1.0)])
def test_limits(freedom, factor):
    """A falling nut stops at a bound of the angle, or of the displacement where told."""
    limit = Limit(freedom=freedom, lower=-0.03 / factor)
    scene = nut_on_a_bolt(0.5, gravity=(0.0, 0.0, -G), limits=[limit])

    recording = ic.simulate(scene, duration=1.0)

    assert recording.joints["thread"]["displacement"][-1] == pytest.approx(-0.03, abs=1e-6)
    assert np.abs(np.diff(recording.joints["thread"]["angle"][-3:])).max() <= 1e-6


@pytest.mark.parametrize(("torque", "holds"), [(1.01, True), (0.99, False)])
def test_a_thread_that_holds_itself(torque, holds):
    """Friction of the turn above m g p/2π keeps a load up, below it does not."""
    friction = Friction(force=torque * MASS * G * reach(0.02))
    scene = nut_on_a_bolt(0.02, gravity=(0.0, 0.0, -G), frictions=[friction])

    recording = ic.simulate(scene, duration=1.0)

    assert (abs(recording.joints["thread"]["angle"][-1]) <= 1e-9) == holds


def test_a_spring_of_the_turn():
    """A nut on a torsion spring k swings with ω² = k / (J + m p²/4π²)."""
    scene = nut_on_a_bolt(0.6, springs=[Spring(stiffness=4.0)])
    scene.bodies[0].angular_velocity = (0.0, 0.0, 1.0)
    scene.bodies[0].velocity = (0.0, 0.0, reach(0.6))
    omega = math.sqrt(4.0 / (INERTIA + MASS * reach(0.6) ** 2))

    recording = ic.simulate(scene, duration=2.0, method="imp6", step=0.005)

    angle, _ = thread_of(recording)
    assert angle == pytest.approx(np.sin(omega * recording.times) / omega, abs=1e-8)


def test_a_broken_screw_frees_both_motions():
    """Beyond break_force the nut falls freely, and turns on with the speed that it had."""
    weight = MASS * G
    scene = nut_on_a_bolt(0.05, gravity=(0.0, 0.0, -G), break_force=1.5 * weight)
    # held up by all but 0.2 % of its weight before; twice as heavy at 0.5 s
    scene.loads = [Load.model_validate({"body": "nut", "force": [0, 0, -weight], "from": 0.5})]

    recording = ic.simulate(scene, duration=1.0, fps=100)

    (event,) = recording.events
    assert (event["kind"], event["joint"], event["body1"]) == ("break", "thread", "world")
    free = recording.times > event["time"] + 1e-9
    t = recording.times[free] - recording.times[free][0]
    fall = recording.positions[free, 0, 2]
    speed = (fall[1] - fall[0] + G * t[1] ** 2) / t[1]
    assert fall == pytest.approx(fall[0] + speed * t - G * t**2, abs=1e-9)
    turns = np.diff(recording.joints["thread"]["angle"][free])
    assert turns == pytest.approx(turns[0], rel=1e-9)
    assert abs(turns[0]) > 1e-3
    assert not recording.joints["thread"]["force"][free].any()


def test_a_nut_that_lands():
    """A nut that screws itself down onto the ground stands there: joints and contact agree."""
    nut = Body(name="nut", mass=MASS, geometry=[Geometry(shape="box", size=(0.4, 0.4, 0.2))])
    ground = Body(
        name="ground",
        motion="static",
        position=(0.0, 0.0, -0.15),
        geometry=[Geometry(shape="plane")],
    )
    scene = nut_on_a_bolt(1.0, gravity=(0.0, 0.0, -G))
    scene.bodies = [nut, ground]

    recording = ic.simulate(scene, duration=1.0)

    assert recording.positions[-1, 0, 2] == pytest.approx(-0.05, abs=1e-4)
    angle, displacement = thread_of(recording)
    assert np.abs(displacement - reach(1.0) * angle).max() <= 1e-8
    assert recording.diagnostics["energy_j"]["created"] <= 1e-9


def test_two_threads_that_lock():
    """Two screws of different pitch between the same bodies hold each other: refused by name."""
    scene = nut_on_a_bolt(0.1)
    scene.joints.append(screw(0.2).model_copy(update={"name": "other"}))

    with pytest.raises(ic.SceneError, match="screws 'thread', 'other' together hold"):
        ic.simulate(scene, duration=0.1)


def test_a_coupling_with_a_screw():
    """The turn of a screw in mesh with a wheel: 2 φ + θ = 0, and all turn as one."""
    wheel = Body(name="wheel", mass=1.0, inertia=(0.02, 0.02, 0.02), position=(1.0, 0.0, 0.0))
    scene = nut_on_a_bolt(0.3)
    scene.bodies.append(wheel)
    axle = Joint(
        name="axle", type="hinge", body2="wheel", anchor=(1.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)
    )
    terms = [{"joint": "thread", "coefficient": 2.0}, {"joint": "axle", "coefficient": 1.0}]
    mesh = Joint.model_validate({"name": "mesh", "type": "coupling", "terms": terms})
    scene.joints += [axle, mesh]
    scene.loads = [Load(body="nut", torque=(0.0, 0.0, 0.5))]
    alpha = 0.5 / (INERTIA + MASS * reach(0.3) ** 2 + 4.0 * 0.02)

    recording = ic.simulate(scene, duration=1.0)

    assert ic.describe(scene)["degrees_of_freedom"] == 1
    angle, displacement = thread_of(recording)
    assert angle == pytest.approx(0.5 * alpha * recording.times**2, abs=1e-9)
    assert recording.joints["axle"]["angle"] == pytest.approx(-2.0 * angle, abs=1e-10)
    assert displacement == pytest.approx(reach(0.3) * angle, abs=1e-10)


def test_a_swing_on_a_screw():
    """An arm on a level screw swings as a pendulum whose mass m p²/4π² is added to its inertia."""
    arm = Body(
        name="nut",
        mass=MASS,
        position=(0.0, 0.0, -0.5),
        inertia=(INERTIA, INERTIA, INERTIA),
    )
    scene = nut_on_a_bolt(0.8, axis=(1.0, 0.0, 0.0), gravity=(0.0, 0.0, -G))
    scene.bodies = [arm]
    arm.angular_velocity, arm.velocity = (1e-4, 0.0, 0.0), (1e-4 * reach(0.8), 5e-5, 0.0)
    omega = math.sqrt(MASS * G * 0.5 / (INERTIA + MASS * (0.25 + reach(0.8) ** 2)))

    recording = ic.simulate(scene, duration=3.0, method="imp6", step=0.01)

    angle, displacement = thread_of(recording)
    assert angle == pytest.approx(1e-4 / omega * np.sin(omega * recording.times), abs=1e-11)
    assert displacement == pytest.approx(reach(0.8) * angle, abs=1e-12)
