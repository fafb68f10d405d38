"""Nets of ropes catch what falls into them: many bounds at once, of bodies much lighter than it."""

from __future__ import annotations

import numpy as np
import pytest

import impulse_core
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Joint, Settings


def net(knots, pitch, slack, mass, ball, step, at):
    """A square net of knots, held at its corners, and a ball [kg, m] above a place of it."""
    radius, weight = ball
    bodies, joints = [], []
    for i in range(knots):
        for k in range(knots):
            held = i in (0, knots - 1) and k in (0, knots - 1)
            place = (pitch * (i - 0.5 * (knots - 1)), pitch * (k - 0.5 * (knots - 1)), 1.0)
            solid = Geometry(shape="sphere", radius=0.1 * pitch)
            given = {"motion": "static"} if held else {"mass": mass}
            bodies.append(Body(name=f"knot-{i}-{k}", position=place, geometry=[solid], **given))
    for i in range(knots):
        for k in range(knots):
            for j in ([i + 1, k], [i, k + 1]):
                if max(j) == knots:
                    continue
                one, other = bodies[i * knots + k], bodies[j[0] * knots + j[1]]
                joints.append(
                    Joint(
                        type="distance",
                        body1=one.name,
                        body2=other.name,
                        anchor=one.position,
                        anchor2=other.position,
                        max_length=slack * pitch,
                    )
                )
    solid = Geometry(shape="sphere", radius=radius)
    bodies.append(Body(name="ball", mass=weight, position=(*at, 1.1 + radius), geometry=[solid]))
    return Scene(
        version="1.2",
        settings=Settings(step=step, duration=2.0),
        bodies=bodies,
        joints=joints,
    )


def check(scene):
    """It runs to its end, the ball hangs in the net, and ropes are no longer than they are."""
    recording = impulse_core.simulate(scene)
    report = recording.diagnostics
    assert recording.complete
    assert report["max_joint_error_m"] <= report["tolerance_m"]
    energy = report["energy_j"]
    assert energy["final"] <= energy["initial"] + 1e-6 * abs(energy["initial"])
    places = dict(zip(recording.body_names, recording.positions[-1], strict=True))
    for joint in scene.joints:
        length = np.linalg.norm(places[joint.body1] - places[joint.body2])
        assert length <= joint.max_length + 2.0 * report["tolerance_m"]
    assert places["ball"][2] > 0.0


@pytest.mark.parametrize("step", [0.01, 0.005, 0.0025])
def test_net_catches_a_ball(step):
    """A hundred times as heavy as its knots. Where the bounds of its ropes led a half astray by
    more than the scene is large, descents of 250 steps each went on from there, in each of six
    attempts, until the step was given up long before the last of ten halvings.
    """
    check(net(7, 0.15, 1.05, 0.02, (0.2, 2.0), step, (0.02, 0.01)))


@pytest.mark.parametrize("seed", range(8))
def test_drawn_nets_catch_a_ball(seed):
    rng = np.random.default_rng([seed, 640])
    knots, pitch = int(rng.integers(5, 8)), rng.uniform(0.1, 0.25)
    ball = (rng.uniform(1.2, 2.0) * pitch, rng.uniform(0.5, 5.0))
    step = 10.0 ** rng.uniform(-2.5, -2.1)
    slack, mass = rng.uniform(1.02, 1.1), rng.uniform(0.01, 0.05)
    check(net(knots, pitch, slack, mass, ball, step, rng.uniform(-0.5, 0.5, 2) * pitch))
