"""Warnings where the joint tolerance, not the step, limits a run."""

import re

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema.models import Motor, Scene
from tests.core.machines import bars, sled


def warnings(recording: ic.Recording) -> list[str]:
    """Those that name another tolerance."""
    return [text for text in recording.diagnostics["warnings"] if "--tolerance" in text]


def advised(text: str) -> float:
    """The tolerance that a warning names [m]."""
    found = re.search(r"--tolerance (\S+?)[,;]?(\s|$)", text)
    assert found is not None
    return float(found[1])


def held(stiffness: float, mass: float = 2.0) -> Scene:
    """A sled that a servo without damping holds against its weight."""
    servo = Motor(kind="servo", expression="0", proportional=stiffness)
    scene = sled(gravity=(-9.81, 0.0, 0.0), motors=[servo])
    scene.bodies[0].mass = mass
    return scene


def test_a_tolerance_too_coarse_for_the_step_is_named():
    """Where steps are so short that the tolerance hides what happens in them, the report says so,
    names the joint, and the tolerance that it advises gives the motion of a far finer one.
    """
    options = {"duration": 0.1, "step": 1e-4}
    coarse = ic.simulate(held(4785.0), tolerance=1e-6, **options)
    (warning,) = warnings(coarse)
    better = ic.simulate(held(4785.0), tolerance=advised(warning), **options)
    best = ic.simulate(held(4785.0), tolerance=1e-12, **options)
    ends = [recording.positions[-1, 0, 0] for recording in (coarse, better, best)]

    assert "joint 'rail'" in warning
    assert not warnings(better)
    assert abs(ends[1] - ends[2]) < 0.2 * abs(ends[0] - ends[2])


@pytest.mark.parametrize("stiffness", [300.0, 2e4])
@pytest.mark.parametrize("mass", [0.05, 2.0, 40.0])
@pytest.mark.parametrize("step", [1e-2, 1e-3, 2e-4, 3e-5])
def test_no_servo_is_wrong_in_silence(stiffness, mass, step):
    """A servo that a tolerance of 1e-6 m moves elsewhere by a hundredth of its travel is warned of,
    and what is advised, once or twice, puts it where the finest tolerance does.
    """
    duration = min(0.3, 3000 * step)
    scene = held(stiffness, mass)
    best = ic.simulate(scene, duration=duration, step=step, tolerance=1e-13).positions[:, 0, 0]
    tolerance = 1e-6
    for _ in range(3):
        run = ic.simulate(scene, duration=duration, step=step, tolerance=tolerance)
        error = np.abs(run.positions[:, 0, 0] - best).max()
        found = warnings(run)
        assert found or error <= 0.01 * np.ptp(best)
        if not found:
            return
        tolerance = advised(found[0])
    pytest.fail("three times the advice was not enough")


def test_joints_that_nearly_repeat_others_are_named():
    """A hinge of a planar loop that is tilted by the last digit of a file is named where a coarse
    tolerance lets gaps grow, with a finer one; the same loop with parallel hinges is left alone.
    """
    options = {"duration": 1.0, "step": 0.005, "tolerance": 1e-6}
    (warning,) = warnings(ic.simulate(bars(1e-5), **options))

    assert re.search("joint '[ABCD]' nearly repeats", warning)
    assert advised(warning) < 1e-6
    assert not warnings(ic.simulate(bars(0.0), **options))


@pytest.mark.parametrize("tilt", [0.0, 3e-7, 3e-6, 1e-5, 3e-5])
@pytest.mark.parametrize("size", [0.3, 2.0])
@pytest.mark.parametrize("step", [0.01, 0.002])
def test_no_loop_is_kicked_in_silence(tilt, size, step):
    """The energy of a loop that is nearly planar jumps in no step by a thousandth of the largest
    kinetic energy, unless a warning names a joint of it or the run ends by name.
    """
    try:
        run = ic.simulate(bars(tilt, size), duration=0.6, step=step, fps=1.0 / step)
    except ic.SimulationError as error:
        run = error.recording
        assert "joint" in run.events[-1]
    planar = ic.simulate(bars(0.0, size), duration=0.6, step=step, fps=1.0 / step)
    own = np.abs(np.diff(planar.energy["total"], 2)).max()  # of the method, which swings
    jump = np.abs(np.diff(run.energy["total"], 2)).max(initial=0.0)
    assert jump <= own + 1e-3 * planar.energy["kinetic"].max() or any(
        "nearly repeats" in text for text in warnings(run)
    )
