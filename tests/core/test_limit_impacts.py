"""Limits that bounce, with steps divided where axes reach them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema.models import Body, Friction, Joint, Limit, Motor, Scene
from tests.core.machines import MASS, arm, sled
from tests.core.scenes import NO_GRAVITY, scene_of

G = 9.81


def faller(restitution: float, step: float, height: float = 1.0, duration: float = 5.0) -> Scene:
    """A sled that falls onto the lower limit of a vertical rail."""
    limit = Limit(lower=-height, restitution=restitution)
    scene = sled(gravity=(0.0, 0.0, -G), axis=(0.0, 0.0, 1.0), limits=[limit])
    settings = {"time_of_impact": True, "step": step, "duration": duration}
    scene.settings = scene.settings.model_copy(update=settings)
    return scene


def bounced(times: np.ndarray, restitution: float, height: float) -> np.ndarray:
    """Height above the limit of a mass that is let go: parabolas between v = √(2 g H) eᵏ."""
    speed = np.sqrt(2.0 * G * height)
    begins, z = np.sqrt(2.0 * height / G), height - 0.5 * G * times**2
    for _ in range(200):
        speed *= restitution
        inside = times >= begins
        z = np.where(inside, speed * (times - begins) - 0.5 * G * (times - begins) ** 2, z)
        begins += 2.0 * speed / G
    return np.where(times >= begins, 0.0, z)


@pytest.mark.parametrize("step", [0.02, 0.01, 0.003])
@pytest.mark.parametrize("height", [0.2, 1.0, 7.0])
def test_a_perfect_bounce_keeps_the_energy(step: float, height: float) -> None:
    """Ten bounces with restitution one keep the energy to 1e-9 of the fall, and come in time."""
    duration = 21.0 * float(np.sqrt(2.0 * height / G))
    run = ic.simulate(faller(1.0, step, height, duration), fps=1.0 / step)
    z = run.joints["rail"]["displacement"] + height

    assert np.ptp(run.energy["total"]) <= 1e-9 * MASS * G * height
    np.testing.assert_allclose(z, bounced(run.times, 1.0, height), rtol=0, atol=1e-2 * step)
    assert run.diagnostics["contacts"]["divisions"] >= 10
    assert abs(run.diagnostics["energy_j"]["dissipated"]) <= 1e-9 * MASS * G * height


@pytest.mark.parametrize("restitution", [0.9, 0.5, 0.0])
@pytest.mark.parametrize("step", [0.02, 0.004])
def test_bounces_follow_their_geometric_series(restitution: float, step: float) -> None:
    """Heights and times are those of the series until bounces are as slow as gravity is in a step;
    what was lost is in the report, and nothing else.
    """
    run = ic.simulate(faller(restitution, step), fps=1.0 / step)
    z = run.joints["rail"]["displacement"] + 1.0
    report = run.diagnostics["energy_j"]

    np.testing.assert_allclose(
        z, bounced(run.times, restitution, 1.0), rtol=0, atol=2 * G * step**2
    )
    lost = run.energy["total"][0] - run.energy["total"][-1]
    assert report["dissipated"] == pytest.approx(lost, abs=1e-9)
    assert abs(report["max_abs_drift"]) <= 1e-9


def test_two_masses_between_limits_exchange_momentum() -> None:
    """Two free bodies that slide on one another between two perfect stops: momentum and energy are
    those of the start to round-off, however often they hit.
    """
    bodies = [
        Body(name="frame", mass=3.0, inertia=(1, 1, 1), velocity=(1.0, 0.0, 0.0)),
        Body(name="puck", mass=0.5, inertia=(0.1, 0.1, 0.1), velocity=(-4.123, 0.0, 0.0)),
    ]
    slot = Joint(
        name="slot",
        type="slider",
        body1="frame",
        body2="puck",
        anchor=(0, 0, 0),
        axis=(1, 0, 0),
        limits=[Limit(lower=-0.3, upper=0.2, restitution=1.0)],
    )
    scene = scene_of(
        bodies, [slot], gravity=NO_GRAVITY, time_of_impact=True, step=0.01, duration=3.0
    )
    run = ic.simulate(scene)

    assert run.diagnostics["contacts"]["divisions"] > 25
    assert np.ptp(run.energy["total"]) <= 1e-12
    np.testing.assert_allclose(run.momentum["linear"][-1], run.momentum["linear"][0], atol=1e-12)
    assert np.abs(run.joints["slot"]["displacement"] + 0.05).max() <= 0.25 + 1e-6


def swinging(links: int, restitution: float, mass: float = 1.0, more=()) -> Scene:
    """A chain of bars on hinges whose elbows have stops, let go from the side."""
    bodies, joints = arm([mass * (1 + k % 2) for k in range(links)], frictions=list(more))
    for elbow in joints[1:]:
        elbow.limits = [Limit(lower=-0.4, upper=0.6, restitution=restitution)]
    return scene_of(bodies, joints, time_of_impact=True, duration=1.0)


def test_stops_of_elbows_keep_the_order_of_the_method() -> None:
    """The energy of a chain with perfect stops is as good as that of the smooth method: it falls
    with h².
    """
    drifts = []
    for step in (0.005, 0.0025, 0.00125):
        run = ic.simulate(swinging(3, 1.0), step=step)
        drifts.append(float(run.diagnostics["energy_j"]["max_abs_drift"]))
        assert run.diagnostics["contacts"]["divisions"] > 3
    assert drifts[1] <= 0.35 * drifts[0]
    assert drifts[2] <= 0.35 * drifts[1]


def test_what_rests_on_a_stop_stays_while_others_bounce() -> None:
    """A mass that rests on the limit of one that bounces does not fall through."""
    scene = faller(0.7, 0.01, duration=2.0)
    scene.bodies.append(Body(name="rider", mass=0.4, inertia=(0.1, 0.1, 0.1)))
    scene.joints.append(
        Joint(
            name="shelf",
            type="slider",
            body1="sled",
            body2="rider",
            anchor=(0, 0, 0),
            axis=(0, 0, 1),
            limits=[Limit(lower=0.0)],
        )
    )
    run = ic.simulate(scene)

    assert run.joints["shelf"]["displacement"].min() >= -1e-5
    assert run.diagnostics["energy_j"]["max_abs_drift"] <= 1e-6


def test_a_rigid_motor_holds_its_speed_through_an_impact() -> None:
    """A motor without a largest force turns on while the machine that carries it bounces."""
    scene = faller(0.8, 0.01, duration=2.0)
    scene.bodies.append(Body(name="rotor", mass=0.4, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0)))
    motor = Motor(kind="velocity", expression="3.0")
    held = {"body1": "sled", "body2": "rotor", "anchor": (0.3, 0, 0), "axis": (0, 1, 0)}
    scene.joints.append(Joint(name="pin", type="hinge", motors=[motor], **held))
    run = ic.simulate(scene, fps=100)
    angle = run.joints["pin"]["angle"]

    np.testing.assert_allclose(angle[1:], 3.0 * run.times[1:], rtol=0, atol=0.05)
    assert np.abs(np.diff(angle)[2:] - 0.03).max() <= 1e-5


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    links=st.integers(1, 6),
    restitution=st.sampled_from([0.0, 0.2, 0.55, 0.9, 1.0]),
    mass=st.floats(0.01, 100.0),
    step=st.sampled_from([0.01, 0.004, 0.001]),
    friction=st.sampled_from([0.0, 0.3]),
)
def test_no_chain_gains_energy_by_its_stops(
    links: int, restitution: float, mass: float, step: float, friction: float
) -> None:
    """Whatever bounces, together or in turns: every step is taken, limits hold, and the balance of
    the energy is that of the chain without stops.
    """
    more = [Friction(force=friction * mass)] if friction else []
    scene = swinging(links, restitution, mass, more)
    run = ic.simulate(scene, step=step, duration=0.7)
    for k in range(1, links):
        angle = run.joints[f"j{k}"]["angle"]
        assert angle.min() >= -0.4 - 1e-4
        assert angle.max() <= 0.6 + 1e-4
    free = scene.model_copy(deep=True)
    for joint in free.joints:
        joint.limits = []
    smooth = ic.simulate(free, step=step, duration=0.7).diagnostics["energy_j"]["max_abs_drift"]
    moved = mass * G * links
    assert run.diagnostics["energy_j"]["max_abs_drift"] <= 20 * smooth + 1e-3 * step * moved
    assert run.energy["total"].max() <= run.energy["total"][0] + 20 * smooth + 1e-3 * step * moved


@pytest.mark.parametrize("armature", [0.2, 5.0])
def test_rotors_bounce_with_what_they_drive(armature: float) -> None:
    """A mass on a slider with a rotor falls with g m/(m + a), and keeps its energy, the rotor's
    included, over its bounces.
    """
    scene = faller(1.0, 0.01, duration=6.0)
    scene.joints[0].armature = armature
    run = ic.simulate(scene, fps=100)
    height = run.joints["rail"]["displacement"] + 1.0
    first = run.times <= 1.0 / G**0.5

    fallen = 0.5 * G * MASS / (MASS + armature) * run.times[first] ** 2
    np.testing.assert_allclose(height[first], 1.0 - fallen, rtol=0, atol=1e-9)
    assert run.diagnostics["contacts"]["divisions"] >= 2
    assert np.ptp(run.energy["total"]) <= 1e-9 * MASS * G
