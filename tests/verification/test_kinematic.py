"""Machines driven by kinematic bodies, against equations of motion and closed forms."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import impulse_core as ic
from impulse_schema.models import Body, Joint, Keyframe
from tests.core.scenes import NO_GRAVITY, box, scene_of

G = 9.81
ARM = 0.5  # from the pivot to the centre of the rod [m]
INERTIA = (0.05**2 + 1.0**2) / 12.0 + ARM**2  # of the rod of 1 kg about the pivot [kg m²]
KEYS = np.linspace(0.0, 4.0, 9)
PLACES = 0.1 * (1.0 - np.cos(3.0 * KEYS))


def shaken_pendulum(interpolation):
    """A rod on a hinge whose pivot moves sideways through keyframes of a cosine."""
    keys = [
        Keyframe(time=float(t), position=(float(x), 0.0, 0.0))
        for t, x in zip(KEYS, PLACES, strict=True)
    ]
    pivot = Body(
        name="pivot", motion="kinematic", keyframe_interpolation=interpolation, keyframes=keys
    )
    rod = box("rod", (0.0, 0.0, -ARM), (0.05, 0.1, 1.0))
    pin = Joint(
        name="pin",
        type="hinge",
        body1="pivot",
        body2="rod",
        anchor=(0.0, 0.0, 0.0),
        axis=(0.0, 1.0, 0.0),
    )
    return scene_of([pivot, rod], [pin])


def reference(interpolation, duration):
    """Centre of the rod by DOP853 between keyframes, and the work of the pivot.

    With x the pivot and φ from the vertical: I φ̈ = -m l (g sin φ + ẍ cos φ). A jump Δẋ of the
    pivot's velocity changes φ̇ by -m l cos φ Δẋ / I: the angular momentum about it is kept.
    """
    if interpolation == "cubic":
        path = CubicSpline(KEYS, PLACES, bc_type="clamped")

        def acceleration(t):
            return float(path(t, 2))

        jumps = np.zeros(len(KEYS))
    else:
        slopes = np.diff(PLACES, prepend=PLACES[0]) / np.diff(KEYS, prepend=-1.0)
        jumps = np.diff(slopes, append=0.0)

        def acceleration(t):
            return 0.0

    def rate(t, y):
        pull = G * math.sin(y[0]) + acceleration(t) * math.cos(y[0])
        return [y[1], -ARM * pull / INERTIA]

    y = np.zeros(2)
    stops = [*(t for t in KEYS if t < duration), duration]
    for k, (start, end) in enumerate(itertools.pairwise(stops)):
        y[1] -= ARM * math.cos(y[0]) * jumps[k] / INERTIA
        y = solve_ivp(rate, (start, end), y, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    pivot = path(duration) if interpolation == "cubic" else np.interp(duration, KEYS, PLACES)
    return np.array([pivot + ARM * math.sin(y[0]), 0.0, -ARM * math.cos(y[0])])


def run(interpolation, steps, method, duration=2.0):
    return ic.simulate(
        shaken_pendulum(interpolation),
        duration=duration,
        step=duration / steps,
        fps=1.0 / duration,
        method=method,
        tolerance=1e-13,
    )


@pytest.mark.parametrize("interpolation", ["cubic", "linear"])
@pytest.mark.parametrize(("method", "steps"), [("imp2", 50), ("imp4", 25), ("imp6", 25)])
def test_order_of_a_driven_pendulum(method, steps, interpolation):
    """Stages follow the path at their own times, so every method keeps its order, both in the
    motion and in the energy less the work of the pivot.
    """
    exact = reference(interpolation, 2.0)
    runs = [run(interpolation, steps * k, method) for k in (1, 2, 4)]
    errors = np.array([np.abs(r.positions[-1, 1] - exact).max() for r in runs])
    drifts = np.array([r.diagnostics["energy_j"]["max_abs_drift"] for r in runs])

    order = int(method[3:])
    assert np.log2(errors[1:-1] / errors[2:]) == pytest.approx(order, abs=0.3)
    assert np.log2(drifts[1:-1] / drifts[2:]) == pytest.approx(order, abs=0.3)


@pytest.mark.parametrize("interpolation", ["cubic", "linear"])
def test_driven_pendulum_to_round_off(interpolation):
    """imp8 agrees with the equation of motion to 1e-10 m, and its energy balance to 1e-11 J."""
    recording = run(interpolation, 150, "imp8", 2.2)

    exact = reference(interpolation, 2.2)
    assert recording.positions[-1, 1] == pytest.approx(exact, abs=1e-10)
    energy = recording.diagnostics["energy_j"]
    assert energy["max_abs_drift"] <= 1e-11
    assert energy["work_of_kinematic_bodies"] > 0.1


CRANK, ROD = 0.3, 1.0
SPEED = 5.0  # rad/s


def driven_slider_crank(turns, gravity=NO_GRAVITY):
    """A crank with keyframes every quarter turn, a rod, and a piston on a slider."""
    quarter = math.pi / 2.0
    keys = [
        Keyframe(
            time=k * quarter / SPEED,
            position=(0.0, 0.0, 0.0),
            orientation=(math.cos(k * quarter / 2.0), 0.0, math.sin(k * quarter / 2.0), 0.0),
        )
        for k in range(4 * turns + 1)
    ]
    crank = Body(name="crank", motion="kinematic", keyframes=keys)
    middle = (CRANK + ROD / 2.0, 0.0, 0.0)
    bodies = [
        crank,
        box("rod", middle, (ROD, 0.05, 0.1)),
        box("piston", (CRANK + ROD, 0.0, 0.0), (0.1, 0.1, 0.2), mass=2.0),
    ]
    joints = [
        _pin("crank pin", "crank", "rod", (CRANK, 0.0, 0.0)),
        _pin("piston pin", "rod", "piston", (CRANK + ROD, 0.0, 0.0)),
        Joint(
            name="guide",
            type="slider",
            body1="world",
            body2="piston",
            anchor=(CRANK + ROD, 0.0, 0.0),
            axis=(1.0, 0.0, 0.0),
        ),
    ]
    return scene_of(bodies, joints, gravity=gravity)


def _pin(name, body1, body2, anchor):
    return Joint(
        name=name, type="hinge", body1=body1, body2=body2, anchor=anchor, axis=(0.0, 1.0, 0.0)
    )


def test_slider_crank_at_constant_speed():
    """The piston is at r cos φ + √(l² - r² sin² φ), and the crank's work is the kinetic energy.

    The mechanism has no freedom left and three redundant rows; the crank turns by slerp.
    """
    recording = ic.simulate(
        driven_slider_crank(3), duration=3.0, method="imp4", step=0.01, fps=60.0, tolerance=1e-12
    )
    angle = SPEED * recording.times
    swing = np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)
    piston = CRANK * np.cos(angle) + swing
    speed = -CRANK * SPEED * np.sin(angle) * (1.0 + CRANK * np.cos(angle) / swing)
    rod_turn = CRANK * SPEED * np.cos(angle) / swing
    rod_velocity = np.stack(
        [
            -CRANK * SPEED * np.sin(angle) + 0.5 * (speed + CRANK * SPEED * np.sin(angle)),
            0.5 * CRANK * SPEED * np.cos(angle),
        ]
    )
    moment = (ROD**2 + 0.1**2) / 12.0
    kinetic = speed**2 + 0.5 * (rod_velocity**2).sum(axis=0) + 0.5 * moment * rod_turn**2

    assert recording.positions[:, 2, 0] == pytest.approx(piston, abs=1e-11)
    assert np.abs(recording.positions[:, 2, 1:]).max() <= 1e-11
    assert recording.energy["kinetic"] == pytest.approx(kinetic, abs=1e-9)
    work = recording.diagnostics["energy_j"]["work_of_kinematic_bodies"]
    assert work == pytest.approx(kinetic[-1] - kinetic[0], abs=1e-5)


def test_work_of_a_crank_has_the_order_of_the_method():
    """Lifting a piston against gravity: the energy balance improves as the method's order says."""
    drifts = []
    for steps in (50, 100, 200):
        recording = ic.simulate(
            driven_slider_crank(2, gravity=(-9.81, 0.0, -9.81)),
            duration=2.0,
            method="imp4",
            step=2.0 / steps,
            tolerance=1e-13,
        )
        drifts.append(recording.diagnostics["energy_j"]["max_abs_drift"])
    orders = np.log2(np.array(drifts[:-1]) / drifts[1:])

    assert orders == pytest.approx(4.0, abs=0.4)
