"""Tori that touch: on planes against closed forms, through their hole, and linked."""

from __future__ import annotations

import math

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.collision.ring import ring_deviation, ring_sides
from impulse_core.geometry.rotations import rotated
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Material, Mesh, Settings
from tests.contact.scenes import scene

R, r = 0.5, 0.1
SLACK = ring_deviation(R, ring_sides(R, r))  # how far its ring of capsules may be off [m]
UPRIGHT = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)  # its axis along -y
ACROSS = (0.5, 0.5, 0.5, 0.5)  # along x
TORUS = Geometry(shape="torus", major_radius=R, minor_radius=r)
GRIP = Material(name="grip", static_friction=5.0)


def torus(name: str, position, solid: Geometry = TORUS, **given) -> Body:
    """A torus of 1000 kg/m³."""
    if given.get("motion") != "static":
        given["density"] = 1000.0
    return Body(name=name, position=position, geometry=[solid], **given)


def bare(*bodies: Body, **settings) -> Scene:
    """A scene without a ground."""
    return Scene(version=1, settings=Settings(**settings), bodies=list(bodies))


def ball(radius: float, position, **given) -> Body:
    solid = Geometry(shape="sphere", radius=radius)
    return Body(name="ball", density=1000.0, position=position, geometry=[solid], **given)


def rolling(degrees: float, step: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Times, way down the slope and height over it of a ring that rolls on its rim from rest."""
    slope = math.radians(degrees)
    gravity = (9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope))
    solid = TORUS.model_copy(update={"material": "grip"})
    body = torus("ring", (0.0, 0.0, R + r), solid, orientation=UPRIGHT)
    recording = ic.simulate(
        scene(body, materials=(GRIP,), gravity=gravity, step=step, duration=1.0, fps=50.0)
    )
    path = recording.positions[:, 1]
    return recording.times, path, float(np.abs(path[:, 1]).max())


@pytest.mark.parametrize("degrees", [5.0, 30.0])
def test_a_ring_rolls_as_its_moment_says(degrees):
    """a = g sin α / (1 + Izz / (m (R + r)²)), straight on and at its height."""
    times, path, aside = rolling(degrees, 0.002)
    moment = R * R + 0.75 * r * r
    a = 9.81 * math.sin(math.radians(degrees)) / (1.0 + moment / (R + r) ** 2)

    np.testing.assert_allclose(path[:, 0], 0.5 * a * times**2, atol=2e-5)
    np.testing.assert_allclose(path[:, 2], R + r, atol=1e-7)
    assert aside < 1e-9


def test_a_ring_that_lies_stays():
    """Flat on a plane it touches with four points at the height r; its energy does not drift."""
    recording = ic.simulate(scene(torus("ring", (0.0, 0.0, r)), duration=2.0))

    assert recording.diagnostics["contacts"]["max"] == 4
    still = np.broadcast_to([0.0, 0.0, r], recording.positions[:, 1].shape)
    np.testing.assert_allclose(recording.positions[:, 1], still, atol=1e-12)
    energy = recording.diagnostics["energy_j"]
    assert energy["max_abs_drift"] <= 1e-11 * energy["initial"]


@pytest.mark.parametrize("radius", [0.1, 0.39])
def test_what_is_smaller_than_the_hole_falls_through(radius):
    """A ball of up to R - r less the deviation of the ring falls freely through its middle."""
    assert radius < R - r - SLACK
    held = torus("ring", (0.0, 0.0, 0.0), motion="static")
    recording = ic.simulate(bare(held, ball(radius, (0.0, 0.0, 1.0)), duration=1.0))

    np.testing.assert_allclose(recording.positions[-1, 1], [0.0, 0.0, 1.0 - 9.81 / 2], atol=1e-9)
    assert recording.diagnostics["contacts"]["max"] == 0


def test_what_is_larger_than_the_hole_rests_on_it():
    """At √((r + b)² - R²) over the middle, with the deviation of the ring at the slope there."""
    b = 0.45
    height = math.sqrt((r + b) ** 2 - R**2)
    held = torus("ring", (0.0, 0.0, 0.0), motion="static")
    recording = ic.simulate(bare(held, ball(b, (0.0, 0.0, 0.5)), duration=2.0))

    place = recording.positions[-1, 1]
    assert abs(place[2] - height) <= 1.1 * SLACK * R / height
    assert np.hypot(place[0], place[1]) <= 1e-6


def test_a_rod_goes_through_the_ring():
    """A ring slides down a rod, touching it or not, and does not leave its axis."""
    rod = Geometry(shape="cylinder", radius=0.3, height=4.0)
    held = Body(name="rod", motion="static", geometry=[rod])
    smooth = torus("ring", (0.05, 0.0, 1.8), velocity=(1.0, 0.3, 0.0))
    recording = ic.simulate(bare(held, smooth, duration=0.7))

    path = recording.positions[:, 1]
    off = np.hypot(path[:, 0], path[:, 1])
    tilt = rotated(recording.orientations[:, 1], np.array([0.0, 0.0, 1.0]))[:, 2]
    assert recording.diagnostics["contacts"]["max"] > 0
    assert path[-1, 2] < 0.0
    assert np.all(off[tilt > 0.99] <= R - r - 0.3 + 0.02)


def test_linked_rings_hold():
    """A chain of five rings hangs by the first: each R - r under the one before it, twice."""
    link = Geometry(shape="torus", major_radius=0.1, minor_radius=0.02)
    chain = [torus("l0", (0.0, 0.0, 0.0), link, motion="static", orientation=UPRIGHT)]
    for i in range(1, 5):
        turn = ACROSS if i % 2 else UPRIGHT
        chain.append(torus(f"l{i}", (0.0, 0.0, -0.16 * i), link, orientation=turn))
    recording = ic.simulate(bare(*chain, step=0.002, duration=1.0))

    slack = 2.0 * ring_deviation(0.1, ring_sides(0.1, 0.02))
    for i in range(1, 5):
        x, y, z = recording.positions[-1, i]
        assert abs(z + 0.16 * i) <= 1.5 * i * slack
        assert math.hypot(x, y) <= 1e-3


@pytest.mark.parametrize("kind", ["box", "height_field", "mesh"])
def test_a_ring_lies_on_every_ground(kind):
    """On a box, a height field and a static mesh as on a plane: flat, at rest, at the height r."""
    if kind == "box":
        solid = Geometry(shape="box", size=(4.0, 4.0, 0.2), position=(0.0, 0.0, -0.1))
    elif kind == "height_field":
        heights = [[0.0] * 9 for _ in range(9)]
        solid = Geometry(shape="height_field", size=(4.0, 4.0, 1.0), heights=heights)
    else:
        solid = Geometry(shape="mesh", mesh="floor")
    ground = Body(name="ground", motion="static", geometry=[solid])
    made = bare(ground, torus("ring", (0.1, 0.2, r)), duration=1.0)
    if kind == "mesh":
        corners = [(-3.0, -3.0, 0.0), (3.0, -3.0, 0.0), (3.0, 3.0, 0.0), (-3.0, 3.0, 0.0)]
        made.meshes.append(Mesh(name="floor", vertices=corners, faces=[[0, 1, 2], [0, 2, 3]]))
    recording = ic.simulate(made)

    np.testing.assert_allclose(recording.positions[-1, 1], [0.1, 0.2, r], atol=1e-6)
    assert recording.diagnostics["contacts"]["max"] <= 2 * ring_sides(R, r)


def test_capsules_of_a_ring_share_their_points():
    """Lying flat on a box each corner of the ring bears once, not once for either capsule."""
    box = Geometry(shape="box", size=(4.0, 4.0, 0.2), position=(0.0, 0.0, -0.1))
    ground = Body(name="ground", motion="static", geometry=[box])
    recording = ic.simulate(bare(ground, torus("ring", (0.1, 0.2, r)), duration=0.1))
    assert 3 <= recording.diagnostics["contacts"]["max"] <= ring_sides(R, r)
