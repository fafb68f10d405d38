"""Couplings against closed forms: gears, rack and pinion, differential; conservation and orders."""

import math

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema.models import Body, Keyframe, Load
from tests.core.gears import differential, gear_pair, geared_machine, rack_and_pinion
from tests.verification.machine_orders import ORDER, measured_order

G = 9.81
COARSE_STEP = {"imp2": 0.005, "imp4": 0.01, "imp6": 0.02}


def test_gear_pair_under_a_torque():
    """The small wheel's angular acceleration is τ / (J_a + J_b (r_a/r_b)²), and the ratio exact."""
    scene = gear_pair()
    scene.loads = [Load(body="a", torque=(0.0, 2.0, 0.0))]
    J = 0.5 * 3.0 * 0.5**2 + 0.5 * 7.0 * 1.0**2 * 0.5**2

    recording = ic.simulate(scene, duration=5.0)

    a, b = (recording.joints[name]["angle"] for name in "ab")
    assert a == pytest.approx(0.5 * 2.0 / J * recording.times**2, abs=1e-11)
    assert np.abs(0.5 * a + b).max() <= 1e-13


def test_free_gear_pair_keeps_energy_and_momenta():
    """Afloat, with the carrier tumbling: momenta to round-off, energy to the method's order."""
    recording = ic.simulate(gear_pair("carrier"), duration=10.0, method="imp6")

    report, start = recording.diagnostics, recording.energy["total"][0]
    angular = np.linalg.norm(recording.momentum["angular"][0])
    assert report["momentum_drift"]["linear"] <= 1e-12
    assert report["momentum_drift"]["angular"] <= 1e-12 * angular
    assert report["energy_j"]["max_abs_drift"] <= 1e-9 * start
    assert np.ptp(recording.joints["a"]["angle"]) > 10.0
    slip = 0.5 * recording.joints["a"]["angle"] + recording.joints["b"]["angle"]
    assert np.abs(slip).max() <= 1e-11


def test_rack_and_pinion():
    """The rack falls with m g / (m + J/r²)."""
    recording = ic.simulate(rack_and_pinion(), duration=2.0)

    acceleration = 2.0 * G / (2.0 + 0.5 * 5.0)
    fall = 0.5 * acceleration * recording.times**2
    assert recording.joints["rack"]["displacement"] == pytest.approx(fall, abs=1e-11)
    assert 0.2 * recording.joints["pinion"]["angle"] == pytest.approx(fall, abs=1e-11)
    assert recording.diagnostics["energy_j"]["max_abs_drift"] <= 1e-10


@pytest.mark.parametrize("torques", [(0.0, 0.0, 3.0), (-1.0, -1.0, 2.0), (2.0, -0.5, 0.0)])
def test_differential(torques):
    """Lagrange's equations for θ_left and θ_right with θ_case = ½ (θ_left + θ_right).

    (J_l + J_c/4) α_l + J_c/4 α_r = τ_l + τ_c/2, and the same for the right shaft.
    """
    left, right, case = torques
    Jc, Jl, Jr = 0.5 * 4.0 * 0.4**2, 0.5 * 2.0 * 0.3**2, 0.5 * 3.0 * 0.3**2
    inertia = np.array([[Jl + Jc / 4, Jc / 4], [Jc / 4, Jr + Jc / 4]])
    wanted = np.linalg.solve(inertia, [left + case / 2, right + case / 2])

    recording = ic.simulate(differential(left, right, case), duration=1.0)

    t = recording.times
    angle = {name: recording.joints[name]["angle"] for name in ("left", "right", "case")}
    assert angle["left"] == pytest.approx(0.5 * wanted[0] * t**2, abs=1e-11)
    assert angle["right"] == pytest.approx(0.5 * wanted[1] * t**2, abs=1e-11)
    assert angle["left"] + angle["right"] == pytest.approx(2.0 * angle["case"], abs=1e-12)


@pytest.mark.parametrize("method", ORDER)
def test_orders(method):
    """imp2, imp4 and imp6 keep their order where a relation of three coordinates holds."""
    order = measured_order(geared_machine, method, COARSE_STEP[method])

    assert order == pytest.approx(ORDER[method], abs=0.2)


def test_energy_of_the_machine():
    """The relation of three coordinates holds on a tumbling carrier and takes no energy."""
    recording = ic.simulate(geared_machine(), duration=2.0, method="imp8")

    joints = recording.joints
    slip = joints["short"]["angle"] + 2.0 * joints["long"]["angle"]
    slip -= 3.0 * joints["block"]["displacement"]
    assert np.abs(slip).max() <= 1e-11
    assert np.ptp(joints["short"]["angle"]) > 10.0
    swinging = recording.energy["kinetic"].max()
    assert recording.diagnostics["energy_j"]["max_abs_drift"] <= 1e-10 * swinging


def test_wheels_on_a_kinematic_carrier():
    """The carrier turns by θ as its keyframes say; Lagrange for the wheels on it gives

    θ_b = (J_a - J_b/2) / (2 J_a + J_b/2) θ and θ_a = -2 θ_b, and the report counts its work.
    """
    scene = gear_pair("carrier")
    scene.bodies[0].angular_velocity = (0.0, 0.0, 0.0)
    turned = (math.cos(1.5), 0.0, math.sin(1.5), 0.0)  # by 3 rad in 2 s, from rest and to rest
    scene.bodies[2] = Body(
        name="carrier",
        motion="kinematic",
        keyframe_interpolation="cubic",
        keyframes=[
            Keyframe(time=0.0, position=(0.0, 0.0, 0.0)),
            Keyframe(time=2.0, position=(0.0, 0.0, 0.0), orientation=turned),
        ],
    )
    Ja, Jb = 0.5 * 3.0 * 0.25, 0.5 * 7.0

    recording = ic.simulate(scene, duration=1.0, step=0.005, method="imp4")

    x = recording.times / 2.0
    turn = 3.0 * (3.0 * x**2 - 2.0 * x**3)
    wanted = (Ja - Jb / 2.0) / (2.0 * Ja + Jb / 2.0) * turn
    assert recording.joints["b"]["angle"] == pytest.approx(wanted, abs=1e-8)
    assert recording.joints["a"]["angle"] == pytest.approx(-2.0 * wanted, abs=1e-8)
    energy = recording.diagnostics["energy_j"]
    assert energy["work_of_kinematic_bodies"] > 1.0
    assert energy["max_abs_drift"] <= 1e-6 * energy["work_of_kinematic_bodies"]
