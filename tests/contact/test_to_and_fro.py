"""Machines that stand come to rest, whatever their legs hold against each other: what the halves of
their steps push to and fro below the tolerance goes away.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry
from tests.contact.scenes import box, rubbing_hinge, scene

G = 9.81
FOOT = 0.02  # m, radius


def legged(
    legs: int, mass: float, limb: float, bend: float, reach: float, gain: float, rub: float, **given
) -> Scene:
    """A trunk on legs of two limbs each, on balls for feet; servos hold hips and knees, which rub.

    Args:
        legs: Evenly around the trunk.
        mass: Of the trunk [kg]; a limb has a twentieth of it.
        limb: Length of a limb [m].
        bend: Angle of each limb from upright [rad].
        reach: Of the hips from the middle [m].
        gain: Of the servos, in weights of the trunk times the length of a limb.
        rub: Dry friction of hips and knees, likewise.
        given: Settings.
    """
    torque = mass * G * limb
    out, down = limb * math.sin(bend), limb * math.cos(bend)
    hips = 2.0 * down + FOOT + 1e-3
    found = scene(box("trunk", (0.0, 0.0, hips), mass, (reach, reach, 0.1)), **given)
    for leg in range(legs):
        angle = 2.0 * math.pi * leg / legs
        away = np.array((math.cos(angle), math.sin(angle), 0.0))
        hip = reach * away + (0.0, 0.0, hips)
        knee = hip + out * away - (0.0, 0.0, down)
        foot = hip - (0.0, 0.0, 2.0 * down)
        before = "trunk"
        for name, top, end in (("thigh", hip, knee), ("shin", knee, foot)):
            middle = 0.5 * (top + end)
            body = Body(
                name=f"{name}-{leg}",
                mass=0.05 * mass,
                inertia=(0.05 * mass * limb * limb / 12.0,) * 3,
                position=tuple(middle),
            )
            if name == "shin":
                body.geometry = [
                    Geometry(shape="sphere", radius=FOOT, position=tuple(end - middle))
                ]
            found.bodies.append(body)
            joint = rubbing_hinge(
                f"{name}-{leg}",
                (before, body.name),
                tuple(top),
                (-away[1], away[0], 0.0),
                stiffness=gain * torque,
                damping=0.05 * gain * torque,
                friction=rub * torque,
            )
            found.joints.append(joint)
            before = body.name
    return found


def naps(found: Scene) -> float:
    """The part of the steps from 1.5 s to 2 s in which the trunk stays where it is, bit by bit."""
    found.settings.duration, found.settings.fps = 2.0, 1.0 / found.settings.step
    recording = ic.simulate(found)
    same = np.all(np.diff(recording.positions[:, 1], axis=0) == 0.0, axis=1)
    return float(same[recording.times[1:] > 1.5].mean())


@pytest.mark.parametrize(("step", "rub"), [(0.002, 0.01), (0.002, 0.03), (0.005, 0.03)])
def test_a_trunk_on_three_legs_that_rub_comes_to_rest(step, rub):
    """Impulses of one half took turns with those of the other, for ever."""
    found = legged(3, 3.0, 0.25, 0.6, 0.4, 3.0, rub, step=step)

    assert naps(found) >= 0.9


@pytest.mark.parametrize("seed", range(200, 220))
def test_drawn_trunks_on_legs_come_to_rest(seed):
    """Of any number of legs, mass, size, stiffness, friction and step."""
    rng = np.random.default_rng(seed)
    found = legged(
        legs=int(rng.integers(3, 7)),
        mass=10.0 ** rng.uniform(0.0, 1.5),
        limb=rng.uniform(0.15, 0.4),
        bend=rng.uniform(0.3, 0.8),
        reach=rng.uniform(0.3, 0.6),
        gain=rng.uniform(2.0, 6.0),
        rub=rng.uniform(0.0, 0.03),
        step=float(rng.choice([0.002, 0.005, 0.01])),
    )

    assert naps(found) >= 0.9
