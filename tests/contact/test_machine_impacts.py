"""Machines that land, bounce and reach their stops where bodies can touch, with steps divided
there: velocities jump at once, and joints do no work in it.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema.models import Body, Geometry, Joint, Limit, Material, Scene, Settings

G = 9.81
LEG = 0.5  # m


def hopper(
    step: float, *, spread: float, spin: float, restitution: float = 1.0, friction: float = 0.0
) -> Scene:
    """Two legs with balls for feet fall on a plane; their hinge has a stop either way."""
    material = Material(name="m", static_friction=friction, restitution=restitution)
    ground = Body(name="ground", motion="static", geometry=[Geometry(shape="plane", material="m")])
    top = np.array((0.0, 0.0, 1.0))
    legs = []
    for k, (side, turning) in enumerate(((-1.0, 0.0), (1.0, spin))):
        angle = spread + 0.2 * k
        along = np.array((side * math.sin(angle), 0.0, -math.cos(angle)))
        half = math.atan2(-along[2], along[0]) / 2
        foot = Geometry(shape="sphere", radius=0.03, position=(LEG / 2, 0.0, 0.0), material="m")
        legs.append(
            Body(
                name=f"leg-{k}",
                position=tuple(top + along * LEG / 2),
                orientation=(math.cos(half), 0.0, math.sin(half), 0.0),
                angular_velocity=(0.0, turning, 0.0),
                mass=1.0 + k,
                inertia=(0.002, 0.02, 0.02),
                geometry=[foot],
            )
        )
    hip = Joint(
        name="hip",
        type="hinge",
        body1="leg-0",
        body2="leg-1",
        anchor=tuple(top),
        axis=(0.0, 1.0, 0.0),
        limits=[Limit(lower=-0.5, upper=0.4, restitution=restitution)],
    )
    return Scene(
        version=1,
        settings=Settings(step=step, duration=1.0, fps=1.0 / step, time_of_impact=True),
        materials=[material],
        bodies=[ground, *legs],
        joints=[hip],
    )


def lost(recording: ic.Recording) -> float:
    """Largest part of the energy at the start that was gained or lost."""
    total = recording.energy["total"]
    return float(np.abs(total - total[0]).max() / total[0])


@settings(max_examples=10, deadline=None)
@given(spread=st.floats(0.15, 0.6), spin=st.floats(-2.0, 2.0))
def test_a_machine_that_bounces_keeps_its_energy(spread: float, spin: float) -> None:
    """Perfect feet and stops: what is lost or gained falls with the step as the method's own error
    does, not with its square root or not at all.
    """
    coarse = lost(ic.simulate(hopper(0.01, spread=spread, spin=spin)))
    fine = lost(ic.simulate(hopper(0.0025, spread=spread, spin=spin)))

    assert coarse <= 1e-2
    assert fine <= 1e-3


@settings(max_examples=10, deadline=None)
@given(
    spread=st.floats(0.15, 0.6),
    spin=st.floats(-2.0, 2.0),
    restitution=st.sampled_from([0.0, 0.3, 0.7, 0.95, 1.0]),
    friction=st.floats(0.01, 0.8),
)
def test_no_landing_gains_energy(
    spread: float, spin: float, restitution: float, friction: float
) -> None:
    """Whatever the material, and the account of what was lost closes."""
    scene = hopper(0.005, spread=spread, spin=spin, restitution=restitution, friction=friction)
    recording = ic.simulate(scene)
    total, energy = recording.energy["total"], recording.diagnostics["energy_j"]

    assert total.max() - total[0] <= 5e-3 * total[0]
    assert energy["dissipated"] >= -1e-3 * total[0]
    assert energy["max_abs_drift"] <= 5e-3 * total[0]


@pytest.mark.parametrize("step", [0.01, 0.004])
@pytest.mark.parametrize("height", [0.4, 1.0])
def test_a_stop_bounces_where_bodies_can_touch(step: float, height: float) -> None:
    """A sled on a rail with a perfect stop, above a plane that it never reaches, and beside a ball
    that was thrown up: energy to round-off after each bounce.
    """
    ground = Body(name="ground", motion="static", geometry=[Geometry(shape="plane")])
    sled = Body(
        name="sled",
        position=(0.0, 0.0, height + 0.5),
        mass=2.0,
        inertia=(0.02, 0.02, 0.02),
        geometry=[Geometry(shape="sphere", radius=0.05)],
    )
    ball = Body(
        name="ball",
        position=(1.0, 0.0, 1.0),
        velocity=(0.0, 0.0, 25.0),
        geometry=[Geometry(shape="sphere", radius=0.1)],
        mass=1.0,
    )
    rail = Joint(
        name="rail",
        type="slider",
        body2="sled",
        anchor=sled.position,
        axis=(0.0, 0.0, 1.0),
        limits=[Limit(lower=-height, restitution=1.0)],
    )
    scene = Scene(
        version=1,
        settings=Settings(step=step, duration=4.0, fps=1.0 / step, time_of_impact=True),
        bodies=[ground, sled, ball],
        joints=[rail],
    )
    recording = ic.simulate(scene)
    z = recording.positions[:, recording.body("sled"), 2]

    assert lost(recording) <= 1e-9
    assert recording.diagnostics["contacts"]["divisions"] >= 3
    first, flight = math.sqrt(2 * height / G), 2 * math.sqrt(2 * height / G)
    since = (recording.times - first) % flight
    at_bounce = np.where(recording.times < first, flight / 2 + recording.times, since)
    speed = math.sqrt(2 * G * height)
    np.testing.assert_allclose(z, 0.5 + speed * at_bounce - G * at_bounce**2 / 2, atol=1e-7)


def test_momentum_is_kept_where_machines_meet() -> None:
    """Two dumbbells of balls on a hinge collide in empty space: momenta stay, and with restitution
    one the energy to the method's own error.
    """
    material = Material(name="m", static_friction=0.5, restitution=1.0)
    bodies, joints = [], []
    for k, (x, velocity) in enumerate(((0.0, 1.0), (1.0, -0.5))):
        for side in (0, 1):
            ball = Geometry(shape="sphere", radius=0.1, material="m")
            body = Body(name=f"{k}{side}", mass=1.0 + 0.5 * k + side, geometry=[ball])
            body.position = (x + 0.05 * side, 0.25 * side + 0.03 * k, 0.02 * k)
            body.velocity = (velocity, 0.0, 0.0)
            bodies.append(body)
        joints.append(
            Joint(
                name=f"hinge-{k}",
                type="hinge",
                body1=f"{k}0",
                body2=f"{k}1",
                anchor=(x, 0.12, 0.0),
                axis=(0.0, 0.0, 1.0),
            )
        )
    scene = Scene(
        version=1,
        settings=Settings(
            gravity=(0.0, 0.0, 0.0), step=0.005, duration=1.5, fps=200.0, time_of_impact=True
        ),
        materials=[material],
        bodies=bodies,
        joints=joints,
    )
    recording = ic.simulate(scene)
    drift = recording.diagnostics["momentum_drift"]

    assert recording.diagnostics["contacts"]["divisions"] >= 1
    assert drift["linear"] <= 1e-12
    assert drift["angular"] <= 1e-12
    assert np.abs(np.diff(recording.positions[:, 0, 0])).max() > 0.0
    gained = recording.energy["total"] - recording.energy["total"][0]
    assert gained.max() <= 1e-6
