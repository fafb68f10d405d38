"""Torsional friction: a torque against spinning about the normal of a contact, at most δ p_n."""

import math

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema.models import Body, Geometry, Joint, Keyframe, Material, MaterialPair, Motor
from tests.contact.scenes import ball, cube, scene
from tests.core.machines import unbalance

LEVER, G = 0.01, 9.81
FELT = Material(name="felt", static_friction=1.0, torsional_friction=LEVER)
SLICK = Material(name="felt", static_friction=0.0, torsional_friction=LEVER)


def turned(recording, row=1):
    """Angle about the vertical, per frame, and how far the body's own z is from it."""
    w, x, y, z = recording.orientations[:, row].T
    return np.unwrap(2.0 * np.arctan2(z, w), period=2.0 * math.pi), np.hypot(x, y)


def spinning(spin, material=FELT, shape="ball", **settings):
    body = ball("it", (0.0, 0.0, 0.5), angular_velocity=(0.0, 0.0, spin), material="felt")
    if shape != "ball":
        body = puck(spin)
    settings = {"step": 0.005, "duration": 3.0, "fps": 100.0} | settings
    return scene(body, materials=(material,), **settings)


def puck(spin):
    """A flat cylinder that lies on its face."""
    solid = Geometry(shape="cylinder", radius=0.3, height=0.2, material="felt")
    return Body(
        name="it",
        position=(0.0, 0.0, 0.1),
        mass=2.0,
        inertia=(0.06, 0.06, 0.09),
        angular_velocity=(0.0, 0.0, spin),
        geometry=[solid],
    )


def moments(scene_):
    """Mass, and moment of inertia about the vertical."""
    body = ic.describe(scene_)["bodies"][1]
    return body["mass_kg"], body["inertia_kg_m2"][2][2]


@pytest.mark.parametrize("step", [0.001, 0.01])
@pytest.mark.parametrize("shape", ["ball", "puck"])
def test_a_spin_slows_at_a_constant_rate_and_stops(shape, step):
    """At δ m g/J until t = ω J/(δ m g), and then stands; what it had is dissipated.

    The puck lies on four points, without Coulomb friction there.
    """
    spun = spinning(2.0, SLICK if shape == "puck" else FELT, shape, step=step)
    mass, J = moments(spun)
    rate = LEVER * mass * G / J
    stop = 2.0 / rate
    assert 0.5 < stop < 2.8

    recording = ic.simulate(spun, tolerance=1e-9)

    t = np.minimum(recording.times, stop)
    angle, tilt = turned(recording)
    before = recording.times < stop - step
    exact = 2.0 * t - 0.5 * rate * t**2
    assert angle[before] == pytest.approx(exact[before], abs=1e-7)
    assert angle == pytest.approx(exact, abs=1e-7 + rate * step**2 / 8)
    assert np.ptp(angle[recording.times > stop + step]) <= 1e-9
    assert tilt.max() <= 1e-7
    energy = recording.diagnostics["energy_j"]
    assert energy["dissipated"] == pytest.approx(0.5 * J * 4.0, rel=1e-5)
    assert energy["created"] == 0.0
    assert np.diff(recording.energy["total"]).max() <= 1e-9
    assert recording.diagnostics["warnings"] == []


def test_a_ball_that_rolls_spins_down_by_itself():
    """Rolling resistance and torsional friction act each on its own part of the turning."""
    both = FELT.model_copy(update={"rolling_friction": 0.02})
    rolls = spinning(2.0, both, duration=1.5)
    rolls.bodies[1].velocity, rolls.bodies[1].angular_velocity = (1.0, 0.0, 0.0), (0.0, 2.0, 2.0)
    mass, J = moments(rolls)

    recording = ic.simulate(rolls, tolerance=1e-9)

    t = recording.times
    x = t - 0.5 * (5.0 / 7.0 * G * 0.02 / 0.5) * t**2
    assert recording.positions[:, 1, 0] == pytest.approx(x, rel=1e-3, abs=1e-4)
    L = recording.momentum["angular"][:, 2]
    assert pytest.approx(J * 2.0 - LEVER * mass * G * t, abs=2e-3 * J) == L


def test_a_turntable_takes_a_ball_along():
    """A kinematic disc turns what lies in its middle up to its own speed; its work is accounted."""
    table = Body(
        name="table",
        motion="kinematic",
        geometry=[Geometry(shape="cylinder", radius=1.0, height=0.2, material="felt")],
        keyframe_interpolation="linear",
        keyframes=[
            Keyframe(
                time=k, position=(0.0, 0.0, -0.1), orientation=(math.cos(k), 0, 0, math.sin(k))
            )
            for k in (0.0, 1.0, 2.0, 3.0)
        ],
    )
    driven = spinning(0.0)
    driven.bodies[0] = table
    mass, J = moments(driven)
    rate = LEVER * mass * G / J

    recording = ic.simulate(driven, tolerance=1e-9)

    meet = 2.0 / rate
    t = np.minimum(recording.times, meet)
    exact = 0.5 * rate * t**2 + 2.0 * (recording.times - t)
    assert turned(recording)[0] == pytest.approx(exact, abs=1e-4)
    energy = recording.diagnostics["energy_j"]
    assert energy["work_of_kinematic_bodies"] == pytest.approx(J * 4.0, rel=1e-2)
    assert unbalance(recording) <= 1e-3 * J * 4.0


def pivot(torque=0.0, spin=0.0):
    """A ball on a vertical spindle, which may rise and turn, with a motor on its turn."""
    motor = Motor(kind="force", freedom="rotation", target=torque)
    spindle = Joint(
        name="spindle", type="cylindrical", body2="it", anchor=(0.0, 0.0, 1.0), motors=[motor],
        axis=(0.0, 0.0, 1.0),
    )  # fmt: skip
    made = spinning(spin)
    made.joints.append(spindle)
    return made


def test_a_machine_spins_down():
    """The same of a body that joints hold, whose torques are solved for with its forces."""
    held = pivot(spin=2.0)
    mass, J = moments(held)
    rate = LEVER * mass * G / J

    recording = ic.simulate(held, tolerance=1e-9)

    t = np.minimum(recording.times, 2.0 / rate)
    assert recording.joints["spindle"]["angle"] == pytest.approx(
        2.0 * t - 0.5 * rate * t**2, abs=1e-5
    )


@pytest.mark.parametrize(("share", "turns"), [(0.98, False), (1.5, True)])
def test_it_holds_a_motor_up_to_its_lever_arm(share, turns):
    """A torque of less than δ m g moves nothing, one of more as much as it is more."""
    mass, J = moments(pivot())
    most = LEVER * mass * G

    recording = ic.simulate(pivot(share * most), tolerance=1e-9)

    angle = recording.joints["spindle"]["angle"]
    wanted = 0.5 * (share - 1.0) * most / J * recording.times**2 if turns else 0.0 * angle
    assert angle == pytest.approx(wanted, abs=1e-6)


def test_two_materials_have_the_mean_unless_a_pair_says_otherwise():
    """As of all coefficients of contact."""
    spun = spinning(2.0, duration=0.5)
    spun.materials.append(Material(name="ice", torsional_friction=0.0))
    spun.bodies[1].geometry[0].material = "ice"
    mass, J = moments(spun)

    def slowed(made):
        return (J * 2.0 - ic.simulate(made).momentum["angular"][-1, 2]) / (mass * G * 0.5)

    assert slowed(spun) == pytest.approx(0.5 * LEVER, rel=1e-6)
    pair = MaterialPair(material1="felt", material2="ice", torsional_friction=0.003)
    spun.material_pairs.append(pair)
    assert slowed(spun) == pytest.approx(0.003, rel=1e-6)


def test_stacked_bodies_spin_down_together():
    """Between two cubes it acts on both: what one loses the other gains, and energy only falls."""
    upper = cube("upper", 1.55, angular_velocity=(0.0, 0.0, 3.0), material="felt")
    lower = cube("lower", 0.5, material="felt")
    made = scene(lower, upper, materials=(FELT,), duration=1.5, step=0.005)

    recording = ic.simulate(made)

    assert np.diff(recording.energy["total"]).max() <= 1e-6
    assert recording.diagnostics["energy_j"]["created"] == 0.0
    assert recording.energy["kinetic"][-1] <= 1e-9
