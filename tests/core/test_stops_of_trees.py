"""Trees that hit their stops hard are not told that joints repeat each other: there is no loop."""

from __future__ import annotations

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema import Scene
from impulse_schema.models import Body, Joint


def cart(step: float, length: float, mass: float, stop: float, lean: float) -> Scene:
    """A pole that falls on a cart, until the stop of its hinge.

    Args:
        step: [s].
        length: Of the pole [m].
        mass: Of the pole [kg]; the cart has 10 kg.
        stop: Angle that the pole may fall by.
        lean: Angular velocity at the start [rad/s].
    """
    inertia = mass * length**2 / 12.0
    pole = Body(
        name="pole",
        position=(0.0, 0.0, 0.5 * length),
        mass=mass,
        inertia=(inertia, inertia, 0.01 * inertia),
        velocity=(0.5 * lean * length, 0.0, 0.0),
        angular_velocity=(0.0, lean, 0.0),
    )
    made = Scene(version=1, bodies=[Body(name="cart", mass=10.0, inertia=(0.1, 0.1, 0.1)), pole])
    made.settings.step = step
    damped = [{"stiffness": 0.0, "damping": 1.0}]
    made.joints = [
        Joint(type="slider", body2="cart", anchor=(0, 0, 0), axis=(1, 0, 0), springs=damped),
        Joint(type="hinge", body1="cart", body2="pole", anchor=(0, 0, 0), axis=(0, 1, 0),
              limits=[{"lower": -stop, "upper": stop}]),
    ]  # fmt: skip
    return made


def told(scene: Scene) -> list[str]:
    report = ic.simulate(scene, duration=2.0).diagnostics
    return [text for text in report["warnings"] if "repeat" in text]


@pytest.mark.parametrize("step", [0.005, 0.01, 0.02])
def test_a_pole_that_falls_on_its_stop_repeats_nothing(step):
    assert told(cart(step, 0.6, 5.0, 1.57, 0.01)) == []


@pytest.mark.parametrize("seed", range(40))
def test_drawn_poles_that_fall_repeat_nothing(seed):
    random = np.random.default_rng([seed, 5])
    made = cart(
        step=float(random.uniform(0.002, 0.02)),
        length=float(random.uniform(0.2, 2.0)),
        mass=float(10.0 ** random.uniform(-1.0, 1.5)),
        stop=float(random.uniform(0.3, 2.5)),
        lean=float(random.uniform(0.01, 3.0)),
    )

    assert told(made) == []
