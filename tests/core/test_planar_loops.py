"""Planar loops of hinges alone, three rows too many in each, whichever way their planes face.

The redundant row of a point lies across the plane. Where that faces nearly along two axes of the
world, it is the sum of two rows, none of which is redundant by itself.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_core.algebra import Mat3, Vec3
from impulse_core.compile import compile_scene
from impulse_core.geometry.rotations import multiplied, rotated
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_core.solver.pivots import pivot_inverse
from impulse_core.types import Floats
from impulse_schema import Body, Geometry, Joint, Scene
from tests.core.scenes import NO_GRAVITY, scene_of

X, Y = np.eye(3)[:2]
IN_PLACE = np.array((1.0, 0.0, 0.0, 0.0))
MOST_TURN = 0.02  # rad in a step, that a loop is turned by
seeds = st.integers(0, 2**32 - 1)
exponents = st.floats(-14.0, -0.3)


def facing(normal: Floats) -> Floats:
    """The rotation that turns y into this direction, a quaternion."""
    w = 1.0 + normal @ Y
    q = np.array((w, *np.cross(Y, normal))) if w > 1e-6 else np.array((0.0, 1.0, 0.0, 0.0))
    return q / np.linalg.norm(q)


class Ladder:
    """Rungs between two rails of bars, all pinned by hinges: a planar loop between two rungs."""

    def __init__(self, loops: int, plane: Floats, seed: int, spin: float = 0.0) -> None:
        self.plane = plane
        self.turn = rotated(plane, np.array((0.1, 0.3, 1.0))) * spin
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        rng = np.random.default_rng(seed)
        low = [np.array((0.5 * k, 0.0)) + rng.normal(0, 0.02, 2) for k in range(loops + 1)]
        high = [at + np.array((0.1, 0.4)) + rng.normal(0, 0.03, 2) for at in low]
        for k, ends in enumerate(zip(low, high, strict=True)):
            self.add_bar(f"rung-{k}", *ends)
        for rail, pins in (("low", low), ("high", high)):
            for k in range(loops):
                self.add_bar(f"{rail}-{k}", pins[k], pins[k + 1])
                self.pin(f"{rail}-{k}", f"rung-{k}", pins[k])
                self.pin(f"{rail}-{k}", f"rung-{k + 1}", pins[k + 1])

    def placed(self, at: Floats) -> Floats:
        return rotated(self.plane, np.array((at[0], 0.0, at[1])))

    def add_bar(self, name: str, start: Floats, end: Floats) -> None:
        along, place = end - start, self.placed((start + end) / 2)
        angle, length = math.atan2(-along[1], along[0]) / 2, float(np.hypot(*along))
        about_y = np.array((math.cos(angle), 0.0, math.sin(angle), 0.0))
        ball = Geometry(shape="sphere", radius=0.03)
        self.bodies.append(
            Body(
                name=name,
                position=tuple(place),
                orientation=tuple(multiplied(self.plane, about_y)),
                mass=1.0,
                inertia=(2e-4, length**2 / 12, length**2 / 12),
                velocity=tuple(np.cross(self.turn, place)),
                angular_velocity=tuple(self.turn),
                geometry=[ball] if name.startswith("rung") else [],
            )
        )

    def pin(self, body1: str, body2: str, at: Floats) -> None:
        axis, anchor = tuple(rotated(self.plane, Y)), tuple(self.placed(at))
        name = f"{body1}-{body2}"
        self.joints.append(
            Joint(name=name, type="hinge", body1=body1, body2=body2, anchor=anchor, axis=axis)
        )

    def scene(self, **options) -> Scene:
        return scene_of(self.bodies, self.joints, **options)


def tumbling(loops: int, plane: Floats, seed: int, spin: float, **options) -> ic.Recording:
    scene = Ladder(loops, plane, seed, spin).scene(gravity=NO_GRAVITY)
    recording = ic.simulate(scene, **options)
    report = recording.diagnostics
    assert not [text for text in report["warnings"] if "nearly repeats" in text]
    assert report["max_joint_error_m"] <= report["tolerance_m"]
    return recording


def drift(recording: ic.Recording) -> float:
    return float(recording.diagnostics["energy_j"]["max_abs_drift"])


@settings(max_examples=300)
@given(seeds, exponents, st.tuples(*[st.floats(-3.0, 3.0)] * 2), st.integers(0, 2))
def test_a_block_that_lacks_one_direction_is_inverted_along_the_others(seed, exponent, size, axis):
    """Whichever way the direction lies that rows before it hold, one row is dropped, what remains
    is solved to the round-off of the block times its inverse, and no multiplier is larger than the
    block asks for.
    """
    rng = np.random.default_rng(seed)
    lacking = rng.normal(size=3)
    lacking[axis] = 10.0**exponent
    lacking /= np.linalg.norm(lacking)
    across = np.linalg.svd(lacking[None])[2][1:]
    P = across.T @ np.diag(10.0 ** np.array(size)) @ across
    scale = np.abs(P).max()

    found, dropped = pivot_inverse(Mat3(*P.ravel()), Vec3(*[1e-10 * scale] * 3), 10.0)
    inverse = np.array(found).reshape(3, 3)

    assert dropped in (1, 2, 4)
    assert np.abs(inverse).max() <= 1e3 / np.linalg.eigvalsh(P)[1]
    round_off = np.finfo(float).eps * scale * np.abs(inverse).max()
    assert np.abs(P @ inverse @ P - P).max() <= 10.0 * round_off * scale


@given(seeds, st.permutations(range(3)))
def test_a_block_of_full_rank_is_inverted_in_any_order(seed, order):
    """Rows of any strength, the strongest at any place; symmetric or nearly so."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    P = Q @ np.diag(10.0 ** rng.uniform(-4, 0, 3)) @ Q.T
    P = (P + 1e-6 * rng.normal(size=(3, 3)))[np.ix_(order, order)]

    found, dropped = pivot_inverse(Mat3(*P.ravel()), Vec3(*[1e-300] * 3), 10.0)

    assert dropped == 0
    np.testing.assert_allclose(np.array(found).reshape(3, 3) @ P, np.eye(3), rtol=0, atol=1e-9)


@given(seeds, st.integers(1, 20), exponents, st.integers(0, 2))
@settings(max_examples=40, deadline=None)
def test_the_rank_does_not_depend_on_where_a_plane_faces(seed, loops, exponent, axis):
    """A ladder has one freedom for each loop and six as a whole, along an axis of the world or
    beside it by whatever.
    """
    normal = np.random.default_rng(seed).normal(size=3)
    normal[axis] = 10.0**exponent
    plane = facing(normal / np.linalg.norm(normal))

    told = ic.describe(Ladder(loops, plane, seed).scene())

    assert told["constraint_rows"] - told["rank"] == 3 * loops
    assert told["degrees_of_freedom"] == loops + 6


@pytest.mark.parametrize("exponent", [-2, -3, -4, -5, -6])
def test_a_loop_whose_plane_faces_nearly_across_an_axis_is_not_kicked(exponent):
    """A four-bar that tumbles keeps its energy as it does in a plane along the axes."""
    normal = np.array((0.6, 0.8, 10.0**exponent))
    options = {"duration": 1.0, "step": 2e-3, "tolerance": 1e-9}

    exact = tumbling(1, IN_PLACE, 4, 5.0, **options)
    beside = tumbling(1, facing(normal / np.linalg.norm(normal)), 4, 5.0, **options)

    assert drift(beside) == pytest.approx(drift(exact), rel=0.01)


@given(
    seeds,
    st.integers(1, 20),
    st.floats(0.3, 12.0),
    st.floats(-4.0, -2.0),
    st.floats(-11.0, -7.0),
)
@settings(max_examples=25, deadline=None, derandomize=True)
def test_ladders_tumble_as_they_do_in_a_plane_along_the_axes(seed, loops, spin, step, tolerance):
    """Whatever their pose, step and tolerance: joints closed, no correction far beyond its gap, and
    the energy that of the motion seen from elsewhere.
    """
    length = min(10.0**step, MOST_TURN / spin)
    options = {"duration": 200 * length, "step": length, "tolerance": 10.0**tolerance}
    q = np.random.default_rng(seed).normal(size=4)

    exact = tumbling(loops, IN_PLACE, seed, spin, **options)
    turned = tumbling(loops, q / np.linalg.norm(q), seed, spin, **options)

    kinetic = exact.energy["kinetic"][0]
    assert abs(drift(turned) - drift(exact)) <= 0.05 * drift(exact) + 1e-9 * kinetic


@given(seeds, st.integers(1, 8))
@settings(max_examples=8, deadline=None, derandomize=True)
def test_ladders_that_fall_on_the_ground_are_not_kicked(seed, loops):
    """Thrown down tumbling, on balls at their rungs: the energy is explained at every impact."""
    q = np.random.default_rng(seed).normal(size=4)
    ladder = Ladder(loops, q / np.linalg.norm(q), seed, spin=2.0)
    below = min(body.position[2] for body in ladder.bodies) - 0.2
    plane = Geometry(shape="plane", position=(0.0, 0.0, below))
    scene = ladder.scene()
    scene.bodies.append(Body(name="ground", motion="static", geometry=[plane]))

    recording = ic.simulate(scene, duration=1.0, step=1e-3, tolerance=1e-9, time_of_impact=True)
    report = recording.diagnostics

    assert report["max_joint_error_m"] <= report["tolerance_m"]
    assert not [text for text in report["warnings"] if "nearly repeats" in text]
    moved = float(np.ptp(recording.energy["potential"]))
    assert report["energy_j"]["max_unexplained_step"] <= 1e-3 * moved


@pytest.mark.parametrize("seed", range(3))
def test_a_body_that_joints_of_a_loop_throw_is_not_called_light(seed):
    """What would happen if no row were taken for redundant: the sentence names a joint of the body
    and tells of what others hold already.
    """
    q = np.random.default_rng(seed).normal(size=4)
    scene = Ladder(3, q / np.linalg.norm(q), seed, spin=5.0).scene(gravity=NO_GRAVITY, step=5e-3)
    for body in scene.bodies:
        across = body.inertia[1]
        body.inertia = (0.6 * across, 0.8 * across, across)
    compiled = compile_scene(scene, assemble=False)
    engine = Engine(compiled, choose_options(compiled))
    engine.structure.pivot_floor[:] *= 1e-8

    while engine.advance(5e-3, 1, engine.steps):
        assert engine.steps < 100
    event = engine.failure(0.0, 5e-3)

    assert event["body1"] in event["joint"]
    assert f"body '{event['body1']}' is thrown by joint '{event['joint']}'" in event["message"]
    assert "what the others hold already" in event["message"]
    assert "light for what acts on it" not in event["message"]
