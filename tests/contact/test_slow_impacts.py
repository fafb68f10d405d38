"""With time of impact what meets does so at its moment, and bounces, unless it would be back within
a step.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import impulse_core
from impulse_schema.models import (
    Body,
    CollisionFilter,
    CollisionPair,
    Geometry,
    Joint,
    Limit,
    Material,
)
from tests.contact.scenes import scene

G = 9.81  # m/s²
DEPTH = 0.5  # m, of rocking blocks


def divided(bodies, material, joints, step, duration):
    """Above the ground, with a frame for each step."""
    above = scene(
        *bodies,
        materials=(material,),
        step=step,
        duration=duration,
        fps=1.0 / step,
        time_of_impact=True,
    )
    above.joints = joints
    return above


def rocking(width, height, angle, step, duration, pieces=1):
    """Angles of a block that begins at one on an edge, as one body or fixed together of pieces one
    above the other [rad].
    """
    c, s = math.cos(angle), math.sin(angle)
    size = (width, DEPTH, height / pieces)
    blocks = [
        Body(
            name=f"piece-{k}",
            position=(0.5 * width * (1.0 - c) + s * z, 0.0, 0.5 * s * width + c * z),
            orientation=(math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0),
            geometry=[Geometry(shape="box", size=size, material="stone")],
        )
        for k, z in enumerate(height * (np.arange(pieces) + 0.5) / pieces)
    ]
    joints = [
        Joint(type="fixed", name=f"joint-{b.name}", body1=a.name, body2=b.name, anchor=b.position)
        for a, b in itertools.pairwise(blocks)
    ]
    stone = Material(name="stone", density=1000.0, static_friction=1.0)
    standing = divided(blocks, stone, joints, step, duration)
    turned = impulse_core.simulate(standing).orientations[:, -1]
    return 2.0 * np.arctan2(turned[:, 2], turned[:, 0])


def peaks_of(angle):
    """Sizes of an angle where it turns back, from a parabola through three of them [rad]."""
    size = np.abs(angle)
    at = 1 + np.flatnonzero((size[1:-1] >= size[:-2]) & (size[1:-1] > size[2:]))
    before, middle, after = size[at - 1], size[at], size[at + 1]
    return middle + (after - before) ** 2 / (8.0 * (2.0 * middle - before - after))


def next_peak(angle, slenderness):
    """Where a block of an angle between edge and diagonal turns back after it rocked from another,
    by the angular velocity that its impact leaves: 1 - 3/2 sin² of that (Housner 1963) [rad].
    """
    left = (1.0 - 1.5 * math.sin(slenderness) ** 2) ** 2
    lifted = math.cos(slenderness) + left * (math.cos(slenderness - angle) - math.cos(slenderness))
    return slenderness - math.acos(lifted)


def impact_velocity(width, height, angle):
    """Of the edge that comes down [m/s]: ½ I ω² = m g R (cos(α - θ) - cos α), I = 4/3 m R²."""
    slenderness, radius = math.atan2(width, height), 0.5 * math.hypot(width, height)
    fall = math.cos(slenderness - angle) - math.cos(slenderness)
    return width * math.sqrt(1.5 * G * fall / radius)


@pytest.mark.parametrize("pieces", [1, 2])
@pytest.mark.parametrize("step", [0.01, 0.005])
def test_a_block_rocks_on_as_its_impacts_let_it(step, pieces):
    """Its edges come down with 1.9 to 1.1 times g h at the larger step."""
    width, height, angle = 0.2, 0.8, 0.1
    peaks = peaks_of(rocking(width, height, angle, step, 2.2, pieces))
    expected = []
    for _ in range(5):
        assert impact_velocity(width, height, angle) < 0.2
        angle = next_peak(angle, math.atan2(width, height))
        expected.append(angle)
    assert peaks[:5] == pytest.approx(expected, rel=2e-3)


@settings(max_examples=12, deadline=None)
@given(
    height=st.floats(0.2, 3.0),
    slenderness=st.floats(0.1, 0.35),
    step=st.sampled_from([0.004, 0.007, 0.012]),
    speed=st.floats(0.8, 1.9),
    pieces=st.integers(1, 3),
)
def test_blocks_rock_on_whatever_their_size(height, slenderness, step, speed, pieces):
    """From where an edge comes down with a given part of g h."""
    width, radius = height * math.tan(slenderness), 0.5 * height / math.cos(slenderness)
    fall = (speed * G * step / width) ** 2 * radius / (1.5 * G)
    # else it would begin nearly on its diagonal
    assume(math.cos(slenderness) + fall <= math.cos(0.5 * slenderness))
    angle = slenderness - math.acos(math.cos(slenderness) + fall)
    expected = next_peak(angle, slenderness)
    duration = 6.0 * math.sqrt(2.0 * angle * radius / (0.75 * G * math.sin(slenderness)))
    peaks = peaks_of(rocking(width, height, angle, step, duration, pieces))
    assert peaks[0] == pytest.approx(expected, rel=5e-3)


def bouncing(restitution, step, drop, duration):
    """Times [s], and heights over their lowest place [m], of a ball on the ground and of one beside
    it on a slider with a limit.
    """
    balls = [
        Body(
            name=name,
            position=(x, 0.0, 0.1 + drop),
            geometry=[Geometry(shape="sphere", radius=0.1, material="stone")],
        )
        for name, x in (("free", 0.0), ("guided", 1.0))
    ]
    slider = Joint(
        type="slider",
        name="slider",
        body1="world",
        body2="guided",
        anchor=(1.0, 0.0, 0.1 + drop),
        axis=(0.0, 0.0, 1.0),
        limits=[Limit(lower=-drop, restitution=restitution)],
    )
    stone = Material(name="stone", density=1000.0, restitution=restitution)
    falling = divided(balls, stone, [slider], step, duration)
    apart = CollisionPair(body1="guided", body2="ground", collide=False)
    falling.collision_filter = CollisionFilter(pairs=[apart])
    recording = impulse_core.simulate(falling)
    return recording.times, recording.positions[:, 1:, 2] - 0.1


def height_of_a_ball(times, restitution, drop):
    """Of one that bounces ever lower, until it rests, at times [s], shape (frames,) [m]."""
    heights = np.zeros(len(times))
    begins, v = -math.sqrt(2.0 * drop / G), math.sqrt(2.0 * drop * G)
    while v > 1e-9:
        flown = times - begins
        height = v * flown - 0.5 * G * flown**2
        heights = np.where((flown >= 0.0) & (height > 0.0), height, heights)
        begins, v = begins + 2.0 * v / G, restitution * v
    return heights


@settings(max_examples=12, deadline=None)
@given(
    restitution=st.floats(0.1, 0.9),
    step=st.sampled_from([0.003, 0.01, 0.02]),
    drop=st.floats(0.05, 1.0),
)
@example(restitution=0.8, step=0.01, drop=0.5)
def test_balls_bounce_until_they_would_be_back_within_a_step(restitution, step, drop):
    """A bounce that is left out follows a fall from g h²/8 at most, and all after it are lower."""
    rest = math.sqrt(2.0 * drop / G) * (1.0 + restitution) / (1.0 - restitution)
    times, heights = bouncing(restitution, step, drop, min(rest + 0.2, 4.0))
    expected = height_of_a_ball(times, restitution, drop)
    assert np.abs(heights - expected[:, None]).max() < G * step**2 / 8.0 + 1e-9
