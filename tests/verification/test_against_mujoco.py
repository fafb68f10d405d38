"""The benchmarks compare like with like: MuJoCo computes the same motion of the same scenes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mujoco")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from cases import Tuning, hub, pendulum, sample, tree
from engines import Case, Impulse, MuJoCo
from impulse_schema import Scene
from tests.core.scenes import chain


def in_space() -> Scene:
    """Three bars that swing out of one plane."""
    scene = chain(3, ["ball", "hinge", "hinge"], axis=(0.3, 1.0, 0.2))
    scene.joints[2].axis = (1.0, 0.1, 0.4)
    return scene


def with_rotors(case: Case) -> Case:
    """The case with a rotor on every hinge."""
    scene = case.scene.model_copy(deep=True)
    for number, joint in enumerate(scene.joints):
        if joint.type == "hinge":
            joint.armature = 0.05 * (1 + number)
    return Case(scene, case.duration, case.settled)


TREES = {  # joint coordinates keep the joints closed: what is left is the error of either method
    "tree": Case(tree(31), 1.0, 1.0),
    "hub": Case(hub(31), 1.0, 1.0),
    "pendulum-3": pendulum(3, duration=1.0),
    "ball and two hinges with rotors": with_rotors(Case(in_space(), 1.0)),
    "eight hinges with rotors": with_rotors(Case(chain(8, ["hinge"] * 8), 1.0)),
    "pushed pendulum": pendulum(1, speed=4.0, duration=1.0),
    "free body": sample("spinning/intermediate-axis", 1.0),
}
LOOPS = {  # MuJoCo's loops give way
    "four-bar-clear": (sample("mechanisms/four-bar-clear", 1.0), Tuning(0.5, 1.0)),
    "chain-8-loop": (sample("chains/chain-8-loop", 1.0), Tuning(0.5, 0.5)),
}


def distance(case: Case, other: MuJoCo) -> float:
    """Between the centres of mass at the end [m]."""
    ours, theirs = Impulse("imp8", 0.005, 1e-12).run(case), other.run(case)
    return float(np.abs(ours.position - theirs.position).max())


@pytest.mark.parametrize("name", TREES)
def test_same_motion_of_trees(name):
    """After 1 s every body is where MuJoCo's method of order four has it."""
    assert distance(TREES[name], MuJoCo("RK4", 0.0005)) <= 1e-8


def test_same_motion_of_damped_balls():
    """A chain on damped ball joints, which imp2 alone simulates: the difference falls with h²."""
    scene = chain(3, ["ball"] * 3)
    for joint in scene.joints:
        joint.damping = 0.4
    case = Case(scene, 1.0)
    theirs = MuJoCo("RK4", 0.0005).run(case).position
    ours = [Impulse("imp2", h, 1e-12).run(case).position for h in (0.002, 0.001)]

    coarse, fine = (float(np.abs(position - theirs).max()) for position in ours)

    assert fine <= 5e-6
    assert coarse / fine == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("name", LOOPS)
def test_same_motion_of_loops(name):
    """The same with a loop held by a stiff constraint."""
    case, tuning = LOOPS[name]

    assert distance(case, MuJoCo("RK4", 0.0005, tuning.at(0.0005))) <= 1e-6
