"""A smaller step is never worse: the default tolerance leaves less than the method's error."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema.models import Motor, Scene
from tests.core.machines import MASS, bars, sled
from tests.references.andrews import DURATION, END, angle_at_end, squeezer


def end(scene: Scene, duration: float, step: float, method: str = "imp2") -> np.ndarray:
    """Where all bodies are at the end [m]."""
    rate = 1.0 / duration
    return ic.simulate(scene, duration=duration, step=step, fps=rate, method=method).positions[-1]


def errors(scene: Scene, duration: float, steps: list[float], method: str) -> np.ndarray:
    """How far bodies are from a far more accurate run at the end [m], by step."""
    exact = end(scene, duration, duration / 400, "imp8")
    return np.array([np.abs(end(scene, duration, h, method) - exact).max() for h in steps])


def test_the_squeezer_is_followed_to_the_published_end() -> None:
    """With order 8 the angles of the literature are met; with order 2 their error falls with h²
    from 0.1 ms to 10 µs.
    """
    exact = ic.simulate(squeezer(), step=5e-5, method="imp8", fps=1.0 / DURATION)
    for joint, angle in END.items():
        assert angle_at_end(exact, joint) == pytest.approx(angle, abs=3e-9)

    steps = np.array([1e-4, 5e-5, 2e-5, 1e-5])
    runs = [ic.simulate(squeezer(), step=h, fps=1.0 / DURATION) for h in steps]
    wrong = np.array([abs(angle_at_end(run, "O") - END["O"]) for run in runs])
    order = np.diff(np.log(wrong)) / np.diff(np.log(steps))
    assert np.all(np.abs(order - 2.0) < 0.1)


@pytest.mark.parametrize("size", [0.05, 3.0])
def test_errors_fall_with_the_step_squared_over_three_decades(size: float) -> None:
    """Down to the bits of coordinates."""
    duration = 0.1 * float(np.sqrt(size))
    steps = [duration / 20, duration / 200, duration / 2000, duration / 20000]
    wrong = errors(bars(0.0, size), duration, steps, "imp2")
    assert np.all(wrong[1:] <= 0.015 * wrong[:-1] + 1e-12 * size)


@pytest.mark.parametrize("stiffness", [300.0, 5000.0])
def test_a_servo_is_followed_better_by_smaller_steps(stiffness: float) -> None:
    """A sled that falls onto a servo: x = -g/ω² (1 - e^(-δt) (cos νt + δ/ν sin νt))."""
    servo = Motor(kind="servo", expression="0", proportional=stiffness, derivative=4.0)
    scene = sled(gravity=(-9.81, 0.0, 0.0), motors=[servo])
    duration, delta = 0.3, 4.0 / (2.0 * MASS)
    nu = np.sqrt(stiffness / MASS - delta**2)
    swing = np.cos(nu * duration) + delta / nu * np.sin(nu * duration)
    exact = -9.81 * MASS / stiffness * (1.0 - np.exp(-delta * duration) * swing)
    steps = [1e-3, 1e-4, 1e-5]
    wrong = np.array([abs(end(scene, duration, h)[0, 0] - exact) for h in steps])
    assert wrong[0] < 1e-3 * abs(exact)
    assert np.all(wrong[1:] <= 0.015 * wrong[:-1] + 1e-13)


@settings(max_examples=10, deadline=None, derandomize=True)
@given(
    size=st.floats(0.02, 30.0),
    finest=st.floats(30.0, 3000.0),
    method=st.sampled_from(["imp2", "imp4"]),
)
def test_half_a_step_is_better(size: float, finest: float, method: str) -> None:
    """For any size and step."""
    duration = 0.2 * float(np.sqrt(size))
    steps = [duration / finest, duration / finest / 2]
    wrong = errors(bars(0.0, size), duration, steps, method)
    assert wrong[1] <= 0.4 * wrong[0] + 1e-12 * size
