"""Conversions between Blender and the file, as pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

pytest.importorskip("bpy", reason="bpy is not installed", exc_type=ImportError)

from blender_addon import convert

components = arrays(np.float64, 4, elements=st.floats(-1, 1)).filter(
    lambda q: np.linalg.norm(q) > 1e-3
)


@given(components)
def test_quaternion_to_matrix_and_back(q):
    """The pair is exact to round-off, up to the sign that both quaternions share a rotation."""
    q = q / np.linalg.norm(q)

    back = convert.rotation_to_quaternion(convert.quaternion_to_rotation(q))

    assert abs(abs(q @ back) - 1) < 1e-14


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e3))
def test_lengths_and_back(value, metres):
    """Units to metres to units."""
    back = convert.length_to_blender(convert.length_to_scene(value, metres), metres)

    assert back == pytest.approx(value, rel=1e-15, abs=1e-300)


@given(st.floats(0, 1e4), st.floats(-100, 100), st.floats(1, 240))
def test_times_and_back(time, start, fps):
    """Seconds to frames to seconds."""
    back = convert.frame_to_time(convert.time_to_frame(time, start, fps), start, fps)

    assert back == pytest.approx(time, abs=1e-10)


@given(components, st.tuples(*[st.floats(0.1, 10)] * 3), st.booleans())
def test_a_matrix_taken_apart_is_put_together_again(q, scale, mirrored):
    """translation · rotation · stretch is the matrix; the rotation is proper even for a mirror."""
    rotation = convert.quaternion_to_rotation(q / np.linalg.norm(q))
    matrix = np.eye(4)
    matrix[:3, :3] = rotation @ np.diag(scale) * (-1 if mirrored else 1)
    matrix[:3, 3] = (1, 2, 3)

    placement = convert.take_apart(matrix)

    assert np.linalg.det(placement.rotation) == pytest.approx(1)
    noise = convert.SINGLE_NOISE * 2 * max(scale)
    np.testing.assert_allclose(placement.rotation @ placement.stretch, matrix[:3, :3], atol=noise)
    assert not convert.is_sheared(placement.stretch)


def test_shear_is_seen():
    """A parent of uneven scale with a turned child."""
    turn = convert.quaternion_to_rotation((np.cos(0.2), np.sin(0.2), 0, 0))
    matrix = np.eye(4)
    matrix[:3, :3] = np.diag((1, 1, 3)) @ turn

    assert convert.is_sheared(convert.take_apart(matrix).stretch)


@given(st.floats(-(2.0**100), 2.0**100, width=32))
def test_decimals_mean_the_same_number(value):
    """The shortest decimals round to the same single-precision number."""
    assert np.float32(convert.decimals(np.float32(value))) == np.float32(value)


def test_decimals_are_short():
    """What a user typed comes back, and there is no negative zero."""
    assert str(convert.decimals(np.float32(0.1))) == "0.1"
    assert convert.decimals(np.array([[-9.81, -0.0]], np.float32)) == [[-9.81, 0.0]]
    assert str(convert.decimals(np.float32(-0.0))) == "0.0"


@given(st.integers(2, 30), st.integers(0, 1000))
def test_continuous_quaternions_are_the_same_rotations(count, seed):
    """Only signs change, and neighbours then lie on one side."""
    random = np.random.default_rng(seed)
    q = random.normal(size=(count, 4))

    made = convert.continuous(q)

    np.testing.assert_array_equal(np.abs(made), np.abs(q))
    assert (np.einsum("fi,fi->f", made[1:], made[:-1]) >= 0).all()
