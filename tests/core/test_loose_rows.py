"""Loops of a few digits: rows that nearly repeat others and contradict them are let go."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema import Scene
from impulse_schema.models import Joint
from tests.core.machines import bars
from tests.core.scenes import box, scene_of


def drift(recording: ic.Recording) -> float:
    return float(recording.diagnostics["energy_j"]["max_abs_drift"])


@pytest.mark.parametrize("tilt", [1e-7, 1e-6, 1e-5])
@pytest.mark.parametrize("step", [2e-3, 5e-4])
def test_a_loop_with_a_tilted_hinge_moves_like_the_planar_one(tilt: float, step: float) -> None:
    """A machine whose axes have five to seven digits keeps its energy as the exact one does, its
    end is within its contradiction, and what its joints are open by is told.
    """
    planar = ic.simulate(bars(0.0), duration=1.0, step=step)
    tilted = ic.simulate(bars(tilt), duration=1.0, step=step)
    told = tilted.diagnostics["max_joint_error_m"]

    assert drift(tilted) <= 1.05 * drift(planar)
    np.testing.assert_allclose(tilted.positions[-1], planar.positions[-1], rtol=0, atol=10 * tilt)
    assert told <= tilt
    named = [text for text in tilted.diagnostics["warnings"] if "contradicts" in text]
    assert bool(named) == (told > tilted.diagnostics["tolerance_m"])


def hanging_loops(tilt: float, count: int) -> Scene:
    """Such loops in a row, all on one trunk, which a fixed joint holds."""
    bodies = [box("trunk", (0.0, 0.0, 0.0), mass=3.0)]
    joints = [Joint(name="held", type="fixed", body2="trunk", anchor=(0.0, 0.0, 0.0))]
    for k in range(count):
        loop, along = bars(tilt), np.array((0.0, 0.5 * k, 0.0))
        for body in loop.bodies:
            body.name, body.position = f"{body.name}-{k}", tuple(along + body.position)
        for joint in loop.joints:
            joint.name, joint.anchor = f"{joint.name}-{k}", tuple(along + joint.anchor)
            joint.body1 = "trunk" if joint.body1 in (None, "world") else f"{joint.body1}-{k}"
            joint.body2 = "trunk" if joint.body2 in (None, "world") else f"{joint.body2}-{k}"
        bodies += loop.bodies
        joints += loop.joints
    return scene_of(bodies, joints)


@pytest.mark.parametrize("tilt", [1e-7, 1e-6, 1e-5])
def test_loops_on_a_trunk_move_as_they_do_on_the_world(tilt: float) -> None:
    """Their joints are eliminated before the trunk, and what contradicts is let go all the same."""
    planar = ic.simulate(hanging_loops(0.0, 3), duration=1.0, step=1e-3)
    tilted = ic.simulate(hanging_loops(tilt, 3), duration=1.0, step=1e-3)

    assert drift(tilted) <= 1.05 * drift(planar)
    np.testing.assert_allclose(tilted.positions[-1], planar.positions[-1], rtol=0, atol=10 * tilt)
    assert tilted.diagnostics["max_joint_error_m"] <= tilt
    assert any("contradicts" in text for text in tilted.diagnostics["warnings"])


def test_a_contradiction_that_no_digits_explain_ends_the_run_by_name() -> None:
    """A hinge tilted by 1e-4 rad in a planar loop locks it; that is said, with what to do."""
    with pytest.raises(
        ic.SimulationError, match=r"joint '[ABCD]' .* contradicts them by .* m: give"
    ):
        ic.simulate(bars(1e-4), duration=1.0, step=1e-3)


def test_what_is_locked_stays_and_is_not_warned_of() -> None:
    """A hinge tilted by 1e-3 rad, far above any rounding, is held: nothing moves."""
    recording = ic.simulate(bars(1e-3), duration=1.0, step=1e-3)

    np.testing.assert_allclose(recording.positions[-1], recording.positions[0], rtol=0, atol=1e-9)
    assert not recording.diagnostics["warnings"]


def test_a_start_that_fits_but_for_last_digits_is_taken() -> None:
    """A loop whose last joint is beside its plane, which the hinges hold, begins, and tells it."""
    scene = bars(0.0)
    scene.joints[3].anchor2 = tuple(np.add(scene.joints[3].anchor, (0.0, 2e-7, 0.0)))
    report = ic.simulate(scene, duration=0.2, step=1e-3).diagnostics

    assert report["start"]["joint_error_before_m"] == pytest.approx(2e-7, rel=1e-6)
    assert report["tolerance_m"] < report["max_joint_error_m"] <= 2.1e-7
    assert any("contradicts" in text for text in report["warnings"])


@settings(max_examples=12, deadline=None, derandomize=True)
@given(
    exponent=st.floats(-8.0, -3.0),
    size=st.floats(0.05, 20.0),
    step=st.sampled_from([5e-3, 1e-3, 3e-4]),
)
def test_no_loop_gains_energy_whatever_its_hinges_are_tilted_by(
    exponent: float, size: float, step: float
) -> None:
    """From exact to locked: the energy stays that of the planar loop or of one at rest, or the run
    ends and names a joint.
    """
    step *= np.sqrt(size)
    options = {"duration": 0.5 * np.sqrt(size), "step": step}
    planar = ic.simulate(bars(0.0, size), **options)
    try:
        tilted = ic.simulate(bars(10.0**exponent, size), **options)
    except ic.SimulationError as error:
        tilted = error.recording
        assert tilted.events[-1]["joint"] in "ABCD"
    moved = float(planar.energy["kinetic"].max())
    assert drift(tilted) <= 1.1 * drift(planar) + 1e-3 * moved
