"""Springs and dampers against the harmonic oscillator, and what springs between points conserve."""

import math

import numpy as np
import pytest

from impulse_schema.models import Spring, SpringDamper
from tests.core.machines import MASS, MOMENT, coordinate, errors, rotor, run, sled, unbalance
from tests.core.scenes import NO_GRAVITY, box, scene_of

STIFFNESS = 50.0  # N/m or N m/rad
COARSE_STEP = {"imp2": 0.01, "imp4": 0.05, "imp6": 0.05}
ORDER = {"imp2": 2.0, "imp4": 4.0, "imp6": 6.0}


def oscillation(inertia, damping=0.0, stiffness=STIFFNESS, rest=0.0):
    """x(t) from x = 0 at unit speed: (ẋ0 + δ x0) sin(ωt)/ω + x0 cos(ωt) damped by e^(-δt)."""
    decay = damping / (2.0 * inertia)
    frequency = math.sqrt(stiffness / inertia - decay**2)
    start = -rest

    def x(t):
        wave = start * np.cos(frequency * t)
        wave += (1.0 + decay * start) / frequency * np.sin(frequency * t)
        return rest + np.exp(-decay * t) * wave

    return x


def orbiting_pair(rest_length):
    """Two free boxes on a spring between points off their centres, turning and drifting."""
    bodies = [
        box("a", (0.0, 0.0, 0.0), mass=1.0, angular_velocity=(0.3, -0.5, 0.8)),
        box("b", (1.2, 0.1, 0.3), mass=2.5, velocity=(0.1, 0.9, -0.4)),
    ]
    scene = scene_of(bodies, gravity=NO_GRAVITY)
    scene.springs = [
        SpringDamper(
            body1="a",
            body2="b",
            anchor=(0.05, 0.1, 0.1),
            anchor2=(1.15, 0.1, 0.15),
            stiffness=6.0,
            rest_length=rest_length,
        )
    ]
    return scene


BUILD = {
    "slider": (lambda **more: sled(1.0, springs=[Spring(stiffness=STIFFNESS, **more)]), MASS),
    "hinge": (lambda **more: rotor(1.0, springs=[Spring(stiffness=STIFFNESS, **more)]), MOMENT),
}


@pytest.mark.parametrize("joint", BUILD)
@pytest.mark.parametrize("method", ORDER)
def test_undamped_oscillation_has_the_order_of_the_method(joint, method):
    """x = rest + … of frequency √(k/m), to order 2, 4 and 6; the energy is conserved exactly."""
    build, inertia = BUILD[joint]
    exact = oscillation(inertia, rest=0.1)
    step = COARSE_STEP[method]

    coarse, fine = (
        run(build(rest=0.1), duration=1.0, fps=10, step=length, method=method)
        for length in (step, step / 2)
    )

    order = math.log2(errors(coarse, exact) / errors(fine, exact))
    assert order == pytest.approx(ORDER[method], abs=0.2)
    assert max(unbalance(coarse), unbalance(fine)) <= 1e-13 * (0.5 * inertia + 0.25)


def test_frequency_of_the_discrete_oscillator():
    """Springs are taken at the middle of the step: tan(Ωh/2) = ωh/2, as the trapezoidal rule.

    With the free motion as drift the step is x⁺ - x = h (v - a), v⁺ = v - 2a, a = h k (x + x⁺)/4m.
    """
    h = 0.1
    w = math.sqrt(STIFFNESS / MASS)
    discrete = 2.0 / h * math.atan(0.5 * w * h)

    recording = run(sled(1.0, springs=[Spring(stiffness=STIFFNESS)]), duration=20.0, fps=10, step=h)

    # an oscillation of energy ½ m has amplitude 1/ω
    assert coordinate(recording) == pytest.approx(np.sin(discrete * recording.times) / w, abs=1e-10)


@pytest.mark.parametrize("joint", BUILD)
@pytest.mark.parametrize("damping", [0.5, 3.0])
def test_damped_oscillation_of_second_order(joint, damping):
    """x = e^(-δt) (…) to second order, and E + dissipated is constant to round-off."""
    build, inertia = BUILD[joint]
    exact = oscillation(inertia, damping, rest=-0.05)

    coarse, fine = (
        run(build(damping=damping, rest=-0.05), duration=1.0, fps=10, step=length)
        for length in (0.0025, 0.00125)
    )

    assert math.log2(errors(coarse, exact) / errors(fine, exact)) == pytest.approx(2.0, abs=0.2)
    assert max(unbalance(coarse), unbalance(fine)) <= 1e-13
    # what is gone from the oscillation is what the damper took
    energy = fine.diagnostics["energy_j"]
    assert energy["dissipated"] == pytest.approx(energy["initial"] - energy["final"], abs=1e-13)
    assert energy["dissipated"] > 0.1


@pytest.mark.parametrize("stiffness", [1e6, 1e9, 1e12])
@pytest.mark.parametrize("ratio", [0.01, 1.0, 100.0])
def test_stiff_damped_spring_settles_at_its_equilibrium(stiffness, ratio):
    """√(k/m) h of 7 to 7000, any damping ratio: no oscillation is left, and x = rest - m g/k."""
    damping = 2.0 * ratio * math.sqrt(stiffness * MASS)
    scene = sled(
        gravity=(-9.81, 0.0, 0.0),
        springs=[Spring(stiffness=stiffness, damping=damping, rest=0.02)],
    )

    recording = run(scene, duration=20.0, fps=1.0, step=0.01, tolerance=1e-10)

    creep = ratio > 1.0  # overdamped by far: the slow motion of time d/k remains true
    wanted = 0.02 - MASS * 9.81 / stiffness
    if not creep or damping / stiffness < 1.0:
        assert coordinate(recording)[-1] == pytest.approx(wanted, abs=1e-9)
    assert np.abs(coordinate(recording)).max() <= 0.05


def test_springs_beside_each_other_add_up():
    """Several springs and dampers on one axis act as their sum."""
    apart = [
        Spring(stiffness=30.0, rest=0.1, damping=0.4),
        Spring(stiffness=20.0, rest=-0.2),
        Spring(damping=0.3),
    ]
    together = [Spring(stiffness=50.0, rest=-0.02, damping=0.7)]

    first, second = (
        run(sled(1.0, springs=springs), duration=1.0, fps=10) for springs in (apart, together)
    )

    assert coordinate(first) == pytest.approx(coordinate(second), abs=1e-13)


@pytest.mark.parametrize("method", ORDER)
@pytest.mark.parametrize("rest_length", [0.7, 0.0])
def test_spring_between_free_bodies(method, rest_length):
    """Both momenta are conserved to round-off, the energy to the order of the method."""
    step = COARSE_STEP[method]

    coarse, fine = (
        run(orbiting_pair(rest_length), duration=2.0, fps=1.0, step=length, method=method)
        for length in (step, step / 2)
    )

    for recording in (coarse, fine):
        drift = recording.diagnostics["momentum_drift"]
        assert drift["linear"] <= 1e-13
        assert drift["angular"] <= 1e-12
    order = math.log2(unbalance(coarse) / unbalance(fine))
    assert order == pytest.approx(ORDER[method], abs=0.4)


def test_spring_between_points_keeps_its_energy():
    """Symplectic: in sixty seconds the energy error ends no larger than it began."""
    recording = run(orbiting_pair(0.7), duration=60.0, fps=50.0, step=0.02, tolerance=1e-10)
    error = np.abs(recording.energy["total"] - recording.energy["total"][0])
    first, last = (error[recording.times < 10.0].max(), error[recording.times > 50.0].max())

    assert last <= 1.2 * first
    assert first > 1e-6


def test_spring_without_rest_length_through_its_centre():
    """A mass on a spring of no length passes the point where the line has no direction.

    x = cos(ωt) with ω = √(k/m), straight through the centre and back, with imp4 to 1e-6 m.
    """
    scene = scene_of([box("bob", (1.0, 0.0, 0.0), mass=1.0)], gravity=NO_GRAVITY)
    scene.springs = [
        SpringDamper(body2="bob", anchor=(0, 0, 0), anchor2=(1, 0, 0), stiffness=9.0, rest_length=0)
    ]

    recording = run(scene, duration=4.0, fps=25.0, step=0.02, method="imp4")

    assert recording.positions[:, 0, 0] == pytest.approx(np.cos(3.0 * recording.times), abs=2e-6)
    assert np.abs(recording.positions[:, 0, 1:]).max() == 0.0


def test_spring_whose_line_is_anchored_in_the_world():
    """A mass hung on a spring: frequency √(k/m) about r + m g/k, order 2 in the step."""
    hung = scene_of([box("bob", (0.0, 0.0, -1.0), mass=MASS)])
    hung.springs = [
        SpringDamper(
            body2="bob", anchor=(0, 0, 0), anchor2=(0, 0, -1), stiffness=200.0, rest_length=0.8
        )
    ]
    middle = -(0.8 + MASS * 9.81 / 200.0)

    def error(step):
        recording = run(hung, duration=1.0, fps=10.0, step=step)
        exact = middle + (-1.0 - middle) * np.cos(10.0 * recording.times)
        return np.abs(recording.positions[:, 0, 2] - exact).max()

    assert math.log2(error(0.01) / error(0.005)) == pytest.approx(2.0, abs=0.1)
