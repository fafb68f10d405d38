"""Measured orders: halve the step, and the error falls by two to the order of the method.

Errors are taken against imp10 at a step so fine that halving it changes nothing above 1e-13 m,
and the tolerance of the joints is 1e-14 m, so that neither it nor round-off shows in the slopes.
"""

import math
from functools import cache

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema.models import Load
from tests.core.scenes import double_pendulum, mixed_pendulum

DURATION = 0.64  # s, whole steps of every length below
TOLERANCE = 1e-14
COARSE_STEP = {"imp2": 0.005, "imp4": 0.01, "imp6": 0.02, "imp8": 0.04}
ORDER = {"imp2": 2, "imp4": 4, "imp6": 6, "imp8": 8}


def loaded(scene):
    """The scene with a force and torque in body axes at the end and a torque in world axes."""
    scene.loads = [
        Load(
            body=scene.bodies[-1].name,
            force=(3.0, 1.0, -2.0),
            torque=(0.1, 0.05, 0.2),
            axes="body",
            point=(0.0, 0.05, -0.3),
        ),
        Load(body=scene.bodies[0].name, torque=(0.1, -0.3, 0.2)),
    ]
    return scene


SCENES = {
    "double pendulum of ball joints": double_pendulum,
    "hinge, ball and fixed joint": mixed_pendulum,
    "double pendulum with loads in body axes": lambda: loaded(double_pendulum()),
    "hinge, ball and fixed joint with loads": lambda: loaded(mixed_pendulum()),
}


@cache
def run(name, method, step):
    """Recording of a scene with its last frame only, and the first."""
    return ic.simulate(
        SCENES[name](),
        duration=DURATION,
        method=method,
        step=step,
        fps=1.0 / DURATION,
        tolerance=TOLERANCE,
    )


def path_error(name, method, step):
    """Largest error of a body's place at the end [m]."""
    exact = run(name, "imp10", 0.01).positions[-1]
    return np.abs(run(name, method, step).positions[-1] - exact).max()


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("method", ORDER)
def test_order_of_the_path(name, method):
    """imp2, imp4, imp6 and imp8 have their order, within 0.2, with joints and loads."""
    step = COARSE_STEP[method]

    order = math.log2(path_error(name, method, step) / path_error(name, method, step / 2))

    assert order == pytest.approx(ORDER[method], abs=0.2)


@pytest.mark.parametrize("name", SCENES)
def test_imp10_is_of_higher_order_than_imp8(name):
    """From h = 0.08 to 0.04 s imp10 falls faster than eighth order; below is round-off."""
    order = math.log2(path_error(name, "imp10", 0.08) / path_error(name, "imp10", 0.04))

    assert order > 8.5
    assert path_error(name, "imp10", 0.04) < 0.1 * path_error(name, "imp8", 0.04)


@pytest.mark.parametrize("method", ["imp2", "imp4", "imp6"])
def test_work_of_loads_is_the_gain_of_energy(method):
    """E - E0 - W, with the work of loads in body axes, vanishes with the order of the method."""
    step = COARSE_STEP[method]

    def unbalance(length):
        recording = run("double pendulum with loads in body axes", method, length)
        energy = recording.diagnostics["energy_j"]
        return abs(energy["final"] - energy["initial"] - energy["work_of_loads"])

    report = run("double pendulum with loads in body axes", method, step).diagnostics
    assert abs(report["energy_j"]["work_of_loads"]) > 0.1
    assert math.log2(unbalance(step) / unbalance(step / 2)) == pytest.approx(ORDER[method], abs=0.2)


def test_runge_kutta_flow_keeps_order_two():
    """free_motion rk4, one Runge-Kutta step per stage as in the papers, is of order two as well."""
    errors = []
    for step in (0.005, 0.0025):
        scene = SCENES["double pendulum of ball joints"]()
        scene.settings.free_motion = "rk4"
        end = ic.simulate(
            scene, duration=DURATION, step=step, fps=1.0 / DURATION, tolerance=TOLERANCE
        )
        exact = run("double pendulum of ball joints", "imp10", 0.01).positions[-1]
        errors.append(np.abs(end.positions[-1] - exact).max())

    assert math.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)
