"""Vec3, Mat3 and Quat: operators, identities and the functions of rotations."""

import math
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from impulse_core.algebra import (
    IDENTITY3,
    Mat3,
    Quat,
    Vec3,
    conjugate,
    cross,
    cross_matrix,
    dot,
    half_angle_functions,
    inverse,
    inverse_symmetric,
    norm,
    normalized,
    rotate,
    rotate_back,
    rotation_matrix,
    rotation_of,
    rotation_vector,
    similarity,
    times_transposed,
    transposed_times,
    unit,
)
from impulse_core.geometry.rotations import (
    conjugated,
    matrix_to_quaternion,
    multiplied,
    quaternion_to_matrix,
    rotated,
)
from impulse_core.jit import kernel
from tests.core.strategies import matrices, numbers, quaternions, rotations, vectors


@kernel
def vector_operators(v, w, s):
    return v + w, v - w, -v, v * s, s * v, 3 * v


@kernel
def matrix_operators(a, b, v, s):
    return a + b, a - b, -a, a * s, s * a, a @ v, a @ b


@kernel
def quaternion_operators(p, q):
    return p * q


def bits(value):
    """The bits of all floats in nested tuples."""
    if isinstance(value, tuple):
        return tuple(bits(part) for part in value)
    return struct.pack("<d", value)


def array(value):
    """A Vec3 or Mat3 as a NumPy array."""
    numbers = np.array(value)
    return numbers.reshape(3, 3) if len(numbers) == 9 else numbers


@given(vectors, vectors, numbers)
def test_vector_operators_compiled(v, w, s):
    """+ - negation and scaling from either side give the same bits compiled and not."""
    compiled = vector_operators(v, w, s)

    assert bits(compiled) == bits(vector_operators.py_func(v, w, s))
    assert all(type(result) is Vec3 for result in compiled)


@given(matrices, matrices, vectors, numbers)
def test_matrix_operators_compiled(a, b, v, s):
    """+ - negation, scaling and @ give the same bits compiled and not."""
    compiled = matrix_operators(a, b, v, s)

    assert bits(compiled) == bits(matrix_operators.py_func(a, b, v, s))
    assert [type(result) for result in compiled] == [Mat3] * 5 + [Vec3, Mat3]


@given(quaternions, quaternions)
def test_quaternion_product_compiled(p, q):
    """The Hamilton product gives the same bits compiled and not."""
    assert bits(quaternion_operators(p, q)) == bits(quaternion_operators.py_func(p, q))


@pytest.mark.parametrize("scalar", [2.0, 2, np.float64(2.0), np.int64(2)])
def test_scalars_of_every_kind_scale(scalar):
    """A NumPy number on either side scales a vector or matrix rather than making an array."""
    assert scalar * Vec3(1.0, 2.0, 3.0) == Vec3(2.0, 4.0, 6.0)
    assert Vec3(1.0, 2.0, 3.0) * scalar == Vec3(2.0, 4.0, 6.0)
    assert scalar * IDENTITY3 == Mat3(2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0)
    assert type(scalar * IDENTITY3) is Mat3


@given(vectors, vectors, matrices, matrices)
def test_products_are_those_of_numpy(v, w, a, b):
    """Dot, cross and matrix products agree with NumPy to round-off."""
    V, W, A, B = array(v), array(w), array(a), array(b)
    close = {"rel": 1e-14, "abs": 1e-8}

    assert dot(v, w) == pytest.approx(V @ W, **close)
    assert array(cross(v, w)) == pytest.approx(np.cross(V, W), **close)
    assert array(cross_matrix(v)) @ W == pytest.approx(np.cross(V, W), **close)
    assert array(a @ v) == pytest.approx(A @ V, **close)
    assert array(a @ b) == pytest.approx(A @ B, **close)
    assert array(transposed_times(a, v)) == pytest.approx(A.T @ V, **close)
    assert array(times_transposed(a, b)) == pytest.approx(A @ B.T, **close)


@given(rotations, vectors)
def test_rotating_there_and_back(q, v):
    """rotate_back undoes rotate, both keep lengths, and the matrix does the same."""
    turned = rotate(q, v)
    size = max(norm(v), 1e-300)

    assert norm(turned) == pytest.approx(norm(v), rel=1e-14)
    assert norm(rotate_back(q, turned) - v) <= 1e-14 * size
    assert norm(rotation_matrix(q) @ v - turned) <= 1e-14 * size
    assert norm(rotate(conjugate(q), turned) - v) <= 1e-14 * size


@given(rotations, rotations, vectors)
def test_product_of_quaternions_is_the_product_of_rotations(p, q, v):
    """(p ∘ q) turns by q first and then by p."""
    assert norm(rotate(p * q, v) - rotate(p, rotate(q, v))) <= 1e-14 * max(norm(v), 1e-300)


@given(st.builds(Vec3, *[st.floats(-1.8, 1.8)] * 3))
def test_rotation_vector_is_the_inverse_of_rotation_of(v):
    """A rotation of less than π comes back from its quaternion, and from the opposite sign."""
    q = rotation_of(v)

    assert norm(rotation_vector(q) - v) <= 1e-15 * (1.0 + norm(v) / (math.pi - norm(v)))
    assert rotation_vector(Quat(-q.w, -q.x, -q.y, -q.z)) == rotation_vector(q)


def test_rotation_vector_of_tiny_rotations():
    """Rotations far below round-off of one keep all their digits."""
    for size in (1e-300, 1e-150, 1e-9, 1e-8, 1.5e-8, 1e-7):
        v = Vec3(0.6 * size, -0.8 * size, 0.0)
        assert norm(rotation_vector(rotation_of(v)) - v) <= 3e-16 * size


@pytest.mark.parametrize(
    "angle", [0.0, 1e-200, 1e-8, 0.1, 0.3, 0.49, 0.4999999, 0.5, 0.5000001, 0.51, 1.0, 3.0, 6.2]
)
def test_half_angle_functions_to_the_last_digits(angle):
    """cos(a/2) and sin(a/2)/a agree with exact series to 1.5 ulp on both sides of a = 1/2."""
    y = Fraction(angle) ** 2 / 4
    cosine = sum((-y) ** k / math.factorial(2 * k) for k in range(25))
    sinc = sum((-y) ** k / math.factorial(2 * k + 1) for k in range(25)) / 2

    c, s = half_angle_functions(angle * angle)

    assert abs(Fraction(c) - cosine) <= 3.4e-16
    assert abs(Fraction(s) - sinc) <= 1.7e-16


def cofactor_error(A):
    """Bound of the entries of A⁻¹A - 1 for an inverse by cofactors."""
    return 8.0 * np.finfo(float).eps * np.linalg.cond(A) ** 2


@given(matrices)
def test_inverse(a):
    """A⁻¹A = 1, with the error that cofactors have: ε cond²."""
    A = array(a)
    if np.linalg.svd(A, compute_uv=False)[-1] <= 1e-3 * np.abs(A).max():
        return

    product = array(inverse(a)) @ A

    assert product == pytest.approx(np.eye(3), abs=cofactor_error(A))


@given(matrices)
def test_inverse_of_symmetric_matrices(a):
    """inverse_symmetric agrees with inverse and reads nothing above the diagonal."""
    A = array(a) @ array(a).T + np.eye(3)
    lower = Mat3(*(np.tril(A) + np.triu(np.full((3, 3), np.nan), 1)).ravel().tolist())
    full = Mat3(*A.ravel().tolist())

    found = array(inverse_symmetric(lower))

    assert np.array_equal(found, found.T)
    assert found == pytest.approx(array(inverse(full)), rel=1e-6, abs=1e-9)
    if np.linalg.cond(A) < 1e6:
        assert found @ A == pytest.approx(np.eye(3), abs=cofactor_error(A))


def test_singular_matrices_have_no_finite_inverse():
    """A singular matrix gives infinity or NaN, which the convergence checks catch."""
    zero = IDENTITY3 * 0.0

    assert not np.isfinite(array(inverse(zero))).any()
    assert not np.isfinite(array(inverse_symmetric(zero))).any()


@given(rotations, st.builds(Vec3, *[st.floats(0.1, 10.0)] * 3))
def test_similarity(q, d):
    """R diag(d) Rᵀ agrees with the two products and is symmetric to the last bit."""
    R = rotation_matrix(q)
    found = array(similarity(R, d))

    assert np.array_equal(found, found.T)
    assert found == pytest.approx(array(R) @ np.diag(d) @ array(R).T, abs=1e-13)


@given(vectors.filter(lambda v: norm(v) > 1e-3))
def test_unit_vectors(v):
    """unit has length one and points along v."""
    assert norm(unit(v)) == pytest.approx(1.0, abs=4e-16)
    assert dot(unit(v), v) == pytest.approx(norm(v), rel=1e-15)


@given(rotations, rotations, vectors)
def test_array_rotations_are_the_same(p, q, v):
    """The NumPy functions outside kernels agree with the algebra of the kernels."""
    P, Q, V = np.array(p), np.array(q), np.array(v)
    size = 1e-14 * max(norm(v), 1e-300)

    assert multiplied(P, Q) == pytest.approx(np.array(p * q), abs=1e-15)
    assert conjugated(Q).tolist() == list(conjugate(q))
    assert rotated(Q, V) == pytest.approx(np.array(rotate(q, v)), abs=size)
    assert quaternion_to_matrix(Q) == pytest.approx(array(rotation_matrix(q)), abs=2e-15)


@given(rotations)
def test_quaternions_survive_their_matrix(q):
    """matrix_to_quaternion gives q back, with w >= 0, in all four branches of its pivot."""
    found = matrix_to_quaternion(quaternion_to_matrix(np.array(q)))

    assert found[0] >= 0.0
    assert abs(found @ np.array(q)) == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize("axis", range(3))
def test_half_turns_survive_their_matrix(axis):
    """Half turns, where w is zero, come back as their axis."""
    q = np.zeros(4)
    q[1 + axis] = 1.0

    assert np.abs(matrix_to_quaternion(quaternion_to_matrix(q))).tolist() == q.tolist()


@given(quaternions.filter(lambda q: sum(x * x for x in q) > 1e-6))
def test_normalized(q):
    """normalized has length one and the direction of q."""
    found = np.array(normalized(q))

    assert np.linalg.norm(found) == pytest.approx(1.0, abs=4e-16)
    assert found @ np.array(q) == pytest.approx(np.linalg.norm(q), rel=1e-15)
