"""Vectors of three floats."""

from __future__ import annotations

import math
import operator
from typing import NamedTuple

from impulse_core.algebra.operators import is_scalar, is_tuple_of, offer
from impulse_core.jit import kernel


class Vec3(NamedTuple):
    """A vector; components are floats (``Vec3(0.0, 0.0, 1.0)``, never integers)."""

    x: float
    y: float
    z: float

    def __add__(a, b):  # noqa: N805 - a tuple's + concatenates
        return Vec3(a.x + b.x, a.y + b.y, a.z + b.z)

    def __sub__(a, b):  # noqa: N805
        return Vec3(a.x - b.x, a.y - b.y, a.z - b.z)

    def __neg__(a):  # noqa: N805
        return Vec3(-a.x, -a.y, -a.z)

    def __mul__(a, b):  # noqa: N805 - a tuple's * repeats
        return Vec3(a.x * b, a.y * b, a.z * b)

    def __rmul__(a, b):  # noqa: N805
        return a * b


# A NumPy scalar on the left leaves the product to __rmul__.
Vec3.__array_ufunc__ = None  # type: ignore[attr-defined]

_is_vec3 = is_tuple_of(Vec3)


def _scale_from_left(a, b):
    return Vec3(a * b.x, a * b.y, a * b.z)


offer(operator.add, Vec3.__add__, _is_vec3, _is_vec3)
offer(operator.sub, Vec3.__sub__, _is_vec3, _is_vec3)
offer(operator.mul, Vec3.__mul__, _is_vec3, is_scalar)
offer(operator.mul, _scale_from_left, is_scalar, _is_vec3)
offer(operator.neg, Vec3.__neg__, _is_vec3)

ZERO3 = Vec3(0.0, 0.0, 0.0)


@kernel
def dot(a, b):
    """a · b"""
    return a.x * b.x + a.y * b.y + a.z * b.z


@kernel
def cross(a, b):
    """a × b"""
    return Vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


@kernel
def norm(a):
    """‖a‖"""
    return math.sqrt(a.x * a.x + a.y * a.y + a.z * a.z)


@kernel
def unit(a):
    """a / ‖a‖; NaN for the zero vector, which validation refuses."""
    return a * (1.0 / norm(a))


@kernel
def vec3_of(numbers):
    """The three numbers of a field of a record."""
    return Vec3(numbers[0], numbers[1], numbers[2])


@kernel
def set_vec3(numbers, a):
    """Store a in a field of a record."""
    numbers[0] = a.x
    numbers[1] = a.y
    numbers[2] = a.z


@kernel
def vec3_at(rows, i):
    """Row i of an (n, 3) array."""
    return Vec3(rows[i, 0], rows[i, 1], rows[i, 2])


@kernel
def put_vec3(rows, i, a):
    """Store a as row i of an (n, 3) array."""
    rows[i, 0] = a.x
    rows[i, 1] = a.y
    rows[i, 2] = a.z
