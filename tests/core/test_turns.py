"""Angles of joints go on over full turns, however few frames there are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_schema.models import Joint, Spring
from tests.core.machines import rotor
from tests.core.scenes import box, random_tree, scene_of
from tests.determinism.runs import swinging_loop

SETTINGS = [("imp2", "direct"), ("imp4", "direct"), ("lmvd4", "direct"), ("imp2", "iterative")]


def test_a_wheel_keeps_its_turns_between_sparse_frames():
    """A wheel at 40 rad/s, recorded once a second, has turned by 40 rad more in each frame."""
    recording = ic.simulate(rotor(40.0), duration=5.0, fps=1.0)

    assert recording.joints["pin"]["angle"] == pytest.approx(40.0 * recording.times, abs=1e-9)


@settings(max_examples=15)
@given(
    speed=st.floats(-900.0, 900.0),
    fps=st.floats(0.3, 200.0),
    step=st.floats(1e-3, 0.02),
    kind=st.sampled_from(["hinge", "cylindrical"]),
    carried=st.booleans(),
)
def test_turns_of_a_free_wheel(speed, fps, step, kind, carried):
    """A wheel on any joint with a free angle, on the world or a body that turns itself, at any
    speed: beyond half a turn in a step as well.
    """
    axis = np.array([0.3, -0.5, 0.8]) / math.sqrt(0.98)
    carrier = 7.0 if carried else 0.0
    ball = {"mass": 2.0, "inertia": (0.3, 0.3, 0.3)}
    bodies = [
        box("carrier", (0, 0, 0), (0.1, 0.1, 0.1), angular_velocity=tuple(carrier * axis)),
        box("wheel", (0, 0, 0), (0.1, 0.1, 0.1), angular_velocity=tuple((speed + carrier) * axis)),
    ]
    bodies = [body.model_copy(update=ball) for body in bodies]
    joint = Joint(
        name="axle", type=kind, body1="carrier", body2="wheel", anchor=(0, 0, 0), axis=tuple(axis)
    )

    recording = ic.simulate(
        scene_of(bodies, [joint], gravity=(0.0, 0.0, 0.0)), duration=1.0, step=step, fps=fps
    )

    expected = speed * recording.times
    assert recording.joints["axle"]["angle"] == pytest.approx(expected, abs=1e-7 * (1 + abs(speed)))


@pytest.mark.parametrize(("method", "solver"), SETTINGS)
def test_angles_of_a_machine_do_not_depend_on_frames(method, solver):
    """The last angles of a linkage that swings over are the same with one frame as with many."""
    machine = swinging_loop()
    machine.bodies[0].angular_velocity = (0.0, 9.0, 0.0)
    often, seldom = (
        ic.simulate(machine, duration=3.0, fps=fps, method=method, solver=solver)
        for fps in (200.0, 1 / 3)
    )

    turned = False
    for name, joint in often.joints.items():
        if "angle" in joint:
            assert seldom.joints[name]["angle"][-1] == joint["angle"][-1]
            turned = turned or abs(joint["angle"][-1]) > math.pi
    assert turned


@pytest.mark.parametrize("seed", range(4))
def test_angles_of_thrown_trees(seed):
    """The same of trees that tumble, some of whose axes have springs."""
    tree = random_tree(np.random.default_rng(seed), 6, types=("hinge", "cylindrical", "ball"))
    for joint in tree.joints[::2]:
        if joint.type == "hinge":
            joint.springs = [Spring(stiffness=0.5)]
    often, seldom = (ic.simulate(tree, duration=4.0, step=0.01, fps=fps) for fps in (100.0, 0.5))

    for name, joint in often.joints.items():
        if "angle" in joint:
            assert seldom.joints[name]["angle"][-1] == joint["angle"][-1]
            assert np.abs(np.diff(joint["angle"])).max() < math.pi
