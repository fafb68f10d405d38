"""Which bodies may turn as fast as they like: those whose axis of symmetry the world holds."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema.models import Body, Joint, Scene
from tests.core.scenes import scene_of

STEP = 0.01


def rotor(joint: str = "hinge", off: float = 0.0, tilt: float = 0.0, arm: bool = False) -> Scene:
    """A flywheel that turns by 20 rad in a step, on the world or at the end of an arm that swings.

    Args:
        joint: Type of its joint.
        off: How far from its axis it is held [m].
        tilt: Angle of its moments to the joint's axis [rad].
        arm: Whether it sits on an arm.
    """
    half = 0.5 * tilt
    wheel = Body(
        name="wheel",
        position=(1.0, 0.0, 0.0),
        orientation=(float(np.cos(half)), float(np.sin(half)), 0.0, 0.0),
        mass=1.0,
        inertia=(0.1, 0.1, 0.15),
        angular_velocity=(0.0, 0.0, 20.0 / STEP),
    )
    held = {"body2": "wheel", "anchor": (1.0 + off, 0.0, 0.3), "axis": (0, 0, 1)}
    bodies, joints = [wheel], [Joint(name="pin", type=joint, **held)]
    if arm:
        bodies.append(Body(name="arm", position=(0.5, 0, 0), mass=2.0, inertia=(0.1, 0.1, 0.1)))
        joints[0].body1 = "arm"
        joints.append(
            Joint(name="root", type="hinge", body2="arm", anchor=(0, 0, 0), axis=(0, 1, 0))
        )
    return scene_of(bodies, joints, step=STEP, duration=0.5)


def warnings(scene: Scene) -> list[str]:
    """What is said of bodies that turn far, also by a run that ends before its time."""
    with contextlib.suppress(ic.SimulationError):
        run = ic.simulate(scene)
        return [text for text in run.diagnostics["warnings"] if "bodies turn by" in text]
    return ["ended"]


@pytest.mark.parametrize("joint", ["hinge", "cylindrical"])
def test_a_rotor_that_the_world_holds_is_not_warned_of(joint: str) -> None:
    """Its motion is exact, although it turns thrice in a step."""
    angle = ic.simulate(rotor(joint)).joints["pin"]["angle"]

    assert not warnings(rotor(joint))
    assert angle[-1] == pytest.approx(20.0 / STEP * 0.5, rel=1e-12)


def test_a_rotor_whose_axis_can_tilt_is_warned_of() -> None:
    """It nutates within a step, and its arm falls wrongly: with the step halved, elsewhere."""
    coarse = ic.simulate(rotor(arm=True)).positions[-1, 1]
    fine = ic.simulate(rotor(arm=True), step=STEP / 2).positions[-1, 1]

    assert warnings(rotor(arm=True))
    assert np.abs(coarse - fine).max() > 0.01


@pytest.mark.parametrize(("off", "tilt"), [(1e-3, 0.0), (0.0, 1e-3), (0.2, 0.3)])
def test_what_wobbles_is_warned_of(off: float, tilt: float) -> None:
    """A wheel that is held beside its axis, or turns about another one."""
    assert warnings(rotor(off=off, tilt=tilt))
