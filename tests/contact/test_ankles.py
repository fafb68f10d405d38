"""Legs on a foot whose ankle has two hinges with a light link between them. The link moves with the
foot about the one and with the leg about the other: its mass says nothing of what an axis moves.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.analysis.numerical_damping import inverse_masses
from impulse_core.compile import compile_scene
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Joint, Material
from tests.contact.scenes import scene

ANKLE = 0.05  # m above the ground


class Leg(NamedTuple):
    """A leg that topples over its foot: numbers in SI units."""

    link: float = 0.002
    """Mass of what is between the hinges."""
    step: float = 0.006
    stop: float = 0.19
    """Angle that the ankle may bend by."""
    rub: float = 0.03
    """Dry friction of both hinges."""
    height: float = 0.5
    speed: float = 0.93
    """Angular velocity at the start."""


def drawn(seed: int) -> Leg:
    random = np.random.default_rng([seed, 3])
    return Leg(
        link=10.0 ** random.uniform(-3.5, -1.0),
        step=10.0 ** random.uniform(-3.0, -2.0),
        stop=random.uniform(0.05, 0.5),
        rub=10.0 ** random.uniform(-3.0, 0.3),
        height=random.uniform(0.4, 1.2),
        speed=random.uniform(0.2, 2.0),
    )


def toppling(leg: Leg) -> Scene:
    at, inertia = (0.0, 0.0, ANKLE), leg.link * 0.02**2
    soles = [
        Geometry(shape="sphere", radius=0.005, position=(x, y, -0.015), material="rubber")
        for x in (-0.1, 0.1)
        for y in (-0.05, 0.05)
    ]
    foot = Body(
        name="foot",
        position=(0.0, 0.0, 0.02),
        mass=0.6,
        inertia=(6e-4, 2.2e-3, 2.5e-3),
        geometry=soles,
    )
    link = Body(name="link", position=at, mass=leg.link, inertia=(inertia, inertia, inertia))
    across = 10.0 * leg.height**2 / 12.0
    shank = Body(
        name="shank",
        position=(0.0, 0.0, ANKLE + 0.5 * leg.height),
        mass=10.0,
        inertia=(across, across, 0.02),
        velocity=(0.5 * leg.speed * leg.height, 0.0, 0.0),
        angular_velocity=(0.0, leg.speed, 0.0),
    )
    rub = [{"force": leg.rub}]
    made = scene(
        foot,
        link,
        shank,
        materials=(Material(name="rubber", static_friction=0.8),),
        step=leg.step,
        duration=1.0,
    )
    made.joints = [
        Joint(name="roll", type="hinge", body1="foot", body2="link", anchor=at, axis=(1, 0, 0),
              frictions=rub),
        Joint(name="pitch", type="hinge", body1="link", body2="shank", anchor=at, axis=(0, 1, 0),
              frictions=rub, limits=[{"lower": -leg.stop, "upper": leg.stop}]),
    ]  # fmt: skip
    return made


def bent(recording: ic.Recording) -> float:
    """The largest angle of the ankle in a frame, between foot and shank."""
    most = 0.0
    rows = [recording.body_names.index(name) for name in ("foot", "shank")]
    for q in recording.orientations[:, rows]:
        most = max(most, 2.0 * math.acos(min(1.0, abs(float(np.dot(q[0], q[1]))))))
    return most


@pytest.mark.parametrize("step", [0.002, 0.004, 0.006, 0.01])
def test_an_ankle_that_reaches_its_stop_on_the_ground_stays_there(step):
    leg = Leg(step=step)

    recording = ic.simulate(toppling(leg))

    report = recording.diagnostics
    assert recording.complete
    assert report["halvings"] <= 2
    assert report["contacts"]["max_violation_m"] < 1e-6
    assert leg.stop - 1e-6 < bent(recording) < leg.stop + 1e-6


@pytest.mark.parametrize("seed", range(24))
def test_drawn_legs_topple_over_their_stops(seed):
    """Other links, steps, stops, friction, heights."""
    recording = ic.simulate(toppling(drawn(seed)))

    assert recording.complete
    assert recording.diagnostics["contacts"]["max_violation_m"] < 1e-5


def test_few_steps_of_drawn_legs_are_divided():
    """Where one topples over the edge of its foot, friction in the ankle and at the sole may run in
    a circle for some steps; mostly no step but that of the stop's impact is.
    """
    reports = [ic.simulate(toppling(drawn(seed))).diagnostics for seed in range(24, 64)]

    halvings = np.array([report["halvings"] for report in reports])
    assert np.median(halvings) <= 2
    assert halvings.sum() <= 0.01 * sum(report["step_count"] for report in reports)


@pytest.mark.parametrize("seed", range(12))
def test_axes_know_what_moves_along_them(seed):
    """The path through the elimination tree gives what pushes of the whole machine do."""
    compiled = compile_scene(toppling(drawn(seed)))
    alone = np.array(compiled.model.axes["inverse_mass"])

    engine = Engine(compiled, choose_options(compiled))

    behind = engine.model.axes["inverse_mass_behind"]
    assert np.allclose(behind, np.diagonal(inverse_masses(compiled)), rtol=1e-9)
    assert np.all(behind < 0.5 * alone)
