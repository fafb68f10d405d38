"""What does not slide is held by static friction, however its points share the load."""

from __future__ import annotations

import math

import numpy as np
import pytest

import impulse_core
from impulse_schema import Scene
from impulse_schema.models import Body, Curve, Geometry, Joint, Load, Material, Settings

G = 9.81  # m/s²
STATIC, KINETIC = 0.5, 0.3


def rough(static=STATIC, kinetic=KINETIC):
    return Material(name="rough", density=700.0, static_friction=static, kinetic_friction=kinetic)


def on_a_slope(slope, bodies, joints=(), material=None, step=0.01, duration=1.0):
    """By how far each body has moved on a slope, which gravity makes, shape (bodies, 3) [m]."""
    ground = Body(
        name="ground", motion="static", geometry=[Geometry(shape="plane", material="rough")]
    )
    scene = Scene(
        version=1,
        settings=Settings(
            step=step, duration=duration, gravity=(G * math.sin(slope), 0.0, -G * math.cos(slope))
        ),
        materials=[material or rough()],
        bodies=[ground, *bodies],
        joints=list(joints),
    )
    recording = impulse_core.simulate(scene)
    return recording.positions[-1, 1:] - recording.positions[0, 1:]


def block(name, at, size, **given):
    solid = Geometry(shape="box", size=size, material="rough")
    return Body(name=name, position=at, geometry=[solid], **given)


@pytest.mark.parametrize("steepness", [0.32, 0.4, 0.49])
def test_a_cube_stays_on_a_slope_that_static_friction_holds(steepness):
    """Its lower corners bear up to three times what the upper ones do, which reach their bound."""
    way = on_a_slope(math.atan(steepness), [block("cube", (0.0, 0.0, 0.1), (0.2, 0.2, 0.2))])
    assert np.abs(way).max() < 1e-9


@pytest.mark.parametrize("step", [0.01, 0.002])
def test_a_cube_that_slides_has_kinetic_friction(step):
    """s = v t + ½ g (sin α - μ_k cos α) t², on a slope that would hold it at rest."""
    slope, v = math.atan(0.4), 0.3
    cube = block("cube", (0.0, 0.0, 0.1), (0.2, 0.2, 0.2), velocity=(v, 0.0, 0.0))
    way = on_a_slope(slope, [cube], step=step)[0]
    expected = v + 0.5 * G * (math.sin(slope) - KINETIC * math.cos(slope))
    assert way[0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_what_lies_on_drawn_slopes_stays(seed):
    """Plates, blocks on each other, cylinders on their ends and sledges of two jointed blocks, on
    slopes nearer to static than to kinetic friction; and none stays beyond static friction.
    """
    rng = np.random.default_rng(seed)
    static = rng.uniform(0.2, 0.8)
    kinetic = static * rng.uniform(0.3, 0.9)
    material = rough(static, kinetic)
    a, b, step = rng.uniform(0.1, 0.6), rng.uniform(0.1, 0.6), 10.0 ** rng.uniform(-2.5, -1.9)
    height = rng.uniform(0.05, 0.4) * min(a, b)
    low = block("low", (0.0, 0.0, 0.5 * height), (a, b, height))
    high = block("high", (0.02 * a, 0.0, 1.5 * height), (0.8 * a, 0.8 * b, height))
    behind = block("behind", (1.5 * a, 0.0, 0.5 * height), (a, b, height))
    hinge = Joint(
        name="hinge",
        type="hinge",
        body1="low",
        body2="behind",
        anchor=(0.75 * a, 0.0, 0.5 * height),
        axis=(0.0, 1.0, 0.0),
    )
    solid = Geometry(shape="cylinder", radius=0.5 * a, height=height, material="rough")
    drum = Body(name="drum", position=(0.0, 0.0, 0.5 * height), geometry=[solid])
    kinds = [([low], []), ([low, high], []), ([drum], []), ([low, behind], [hinge])]
    bodies, joints = kinds[seed % 4]
    held = kinetic + rng.uniform(0.6, 0.98) * (static - kinetic)
    way = on_a_slope(math.atan(held), bodies, joints, material, step)
    assert np.abs(way).max() < 1e-7
    way = on_a_slope(math.atan(1.05 * static), bodies, joints, material, step)
    assert way[:, 0].min() > 0.4 * G * (static - kinetic) * math.cos(math.atan(static))


@pytest.mark.parametrize("seed", range(4))
def test_a_growing_force_moves_a_block_where_static_friction_ends(seed):
    """It acts above the middle, so that the corners bear unlike loads; the block is off by what the
    step in which it comes loose lets it be.
    """
    rng = np.random.default_rng(seed)
    a, height, step = rng.uniform(0.2, 0.5), rng.uniform(0.1, 0.2), 10.0 ** rng.uniform(-3.0, -2.2)
    cube = block("cube", (0.0, 0.0, 0.5 * height), (a, a, height), mass=1.0)
    rate = rng.uniform(8.0, 16.0)  # N/s
    push = Load(
        body="cube",
        force=(1.0, 0.0, 0.0),
        point=(0.0, 0.0, 0.3 * height),
        curve=Curve(times=[0.0, 1.0], values=[0.0, rate]),
    )
    ground = Body(
        name="ground", motion="static", geometry=[Geometry(shape="plane", material="rough")]
    )
    scene = Scene(
        version=1,
        settings=Settings(step=step, duration=1.0, gravity=(0.0, 0.0, -G)),
        materials=[rough()],
        bodies=[ground, cube],
        loads=[push],
    )
    recording = impulse_core.simulate(scene)
    loose = STATIC * G / rate
    t = 1.0 - loose
    expected = 0.5 * (STATIC - KINETIC) * G * t**2 + rate * t**3 / 6.0
    late = 2.0 * step * ((STATIC - KINETIC) * G * t + 0.5 * rate * t**2)
    assert abs(recording.positions[-1, 1, 0] - expected) < late
    assert np.abs(recording.positions[recording.times < loose - step, 1, 0]).max() < 1e-9
