"""3×3 matrices of floats, stored row by row."""

from __future__ import annotations

import operator
from typing import NamedTuple

from impulse_core.algebra.operators import is_scalar, is_tuple_of, offer
from impulse_core.algebra.vec3 import Vec3
from impulse_core.jit import kernel


class Mat3(NamedTuple):
    """A matrix; the components are named by row and column."""

    xx: float
    xy: float
    xz: float
    yx: float
    yy: float
    yz: float
    zx: float
    zy: float
    zz: float

    def __add__(a, b):  # noqa: N805 - a tuple's + concatenates
        return Mat3(
            a.xx + b.xx, a.xy + b.xy, a.xz + b.xz,
            a.yx + b.yx, a.yy + b.yy, a.yz + b.yz,
            a.zx + b.zx, a.zy + b.zy, a.zz + b.zz,
        )  # fmt: skip

    def __sub__(a, b):  # noqa: N805
        return Mat3(
            a.xx - b.xx, a.xy - b.xy, a.xz - b.xz,
            a.yx - b.yx, a.yy - b.yy, a.yz - b.yz,
            a.zx - b.zx, a.zy - b.zy, a.zz - b.zz,
        )  # fmt: skip

    def __neg__(a):  # noqa: N805
        return Mat3(-a.xx, -a.xy, -a.xz, -a.yx, -a.yy, -a.yz, -a.zx, -a.zy, -a.zz)

    def __mul__(a, b):  # noqa: N805 - a tuple's * repeats
        return Mat3(
            a.xx * b, a.xy * b, a.xz * b,
            a.yx * b, a.yy * b, a.yz * b,
            a.zx * b, a.zy * b, a.zz * b,
        )  # fmt: skip

    def __rmul__(a, b):  # noqa: N805
        return a * b

    def __matmul__(a, b):  # noqa: N805
        if isinstance(b, Vec3):
            return _times_vector(a, b)
        return _times_matrix(a, b)


def _times_vector(a, b):
    return Vec3(
        a.xx * b.x + a.xy * b.y + a.xz * b.z,
        a.yx * b.x + a.yy * b.y + a.yz * b.z,
        a.zx * b.x + a.zy * b.y + a.zz * b.z,
    )


def _times_matrix(a, b):
    return Mat3(
        a.xx * b.xx + a.xy * b.yx + a.xz * b.zx,
        a.xx * b.xy + a.xy * b.yy + a.xz * b.zy,
        a.xx * b.xz + a.xy * b.yz + a.xz * b.zz,
        a.yx * b.xx + a.yy * b.yx + a.yz * b.zx,
        a.yx * b.xy + a.yy * b.yy + a.yz * b.zy,
        a.yx * b.xz + a.yy * b.yz + a.yz * b.zz,
        a.zx * b.xx + a.zy * b.yx + a.zz * b.zx,
        a.zx * b.xy + a.zy * b.yy + a.zz * b.zy,
        a.zx * b.xz + a.zy * b.yz + a.zz * b.zz,
    )


def _scale_from_left(a, b):
    return b * a


# A NumPy scalar on the left leaves the product to __rmul__.
Mat3.__array_ufunc__ = None  # type: ignore[attr-defined]

_is_mat3 = is_tuple_of(Mat3)
_is_vec3 = is_tuple_of(Vec3)
offer(operator.add, Mat3.__add__, _is_mat3, _is_mat3)
offer(operator.sub, Mat3.__sub__, _is_mat3, _is_mat3)
offer(operator.neg, Mat3.__neg__, _is_mat3)
offer(operator.mul, Mat3.__mul__, _is_mat3, is_scalar)
offer(operator.mul, _scale_from_left, is_scalar, _is_mat3)
offer(operator.matmul, _times_vector, _is_mat3, _is_vec3)
offer(operator.matmul, _times_matrix, _is_mat3, _is_mat3)

NO_ROWS = Mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
IDENTITY3 = Mat3(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel
def cross_matrix(r):
    """[r]×, so that [r]× v = r × v."""
    return Mat3(0.0, -r.z, r.y, r.z, 0.0, -r.x, -r.y, r.x, 0.0)


@kernel
def transposed_times(a, v):
    """Aᵀ v"""
    return Vec3(
        a.xx * v.x + a.yx * v.y + a.zx * v.z,
        a.xy * v.x + a.yy * v.y + a.zy * v.z,
        a.xz * v.x + a.yz * v.y + a.zz * v.z,
    )


@kernel
def times_transposed(a, b):
    """A Bᵀ"""
    return Mat3(
        a.xx * b.xx + a.xy * b.xy + a.xz * b.xz,
        a.xx * b.yx + a.xy * b.yy + a.xz * b.yz,
        a.xx * b.zx + a.xy * b.zy + a.xz * b.zz,
        a.yx * b.xx + a.yy * b.xy + a.yz * b.xz,
        a.yx * b.yx + a.yy * b.yy + a.yz * b.yz,
        a.yx * b.zx + a.yy * b.zy + a.yz * b.zz,
        a.zx * b.xx + a.zy * b.xy + a.zz * b.xz,
        a.zx * b.yx + a.zy * b.yy + a.zz * b.yz,
        a.zx * b.zx + a.zy * b.zy + a.zz * b.zz,
    )


@kernel
def similarity(r, d):
    """R diag(d) Rᵀ, exactly symmetric."""
    xy = r.xx * d.x * r.yx + r.xy * d.y * r.yy + r.xz * d.z * r.yz
    xz = r.xx * d.x * r.zx + r.xy * d.y * r.zy + r.xz * d.z * r.zz
    yz = r.yx * d.x * r.zx + r.yy * d.y * r.zy + r.yz * d.z * r.zz
    return Mat3(
        r.xx * d.x * r.xx + r.xy * d.y * r.xy + r.xz * d.z * r.xz, xy, xz,
        xy, r.yx * d.x * r.yx + r.yy * d.y * r.yy + r.yz * d.z * r.yz, yz,
        xz, yz, r.zx * d.x * r.zx + r.zy * d.y * r.zy + r.zz * d.z * r.zz,
    )  # fmt: skip


@kernel
def inverse(a):
    """A⁻¹ by cofactors; infinite or NaN for a singular matrix."""
    xx = a.yy * a.zz - a.yz * a.zy
    yx = a.yz * a.zx - a.yx * a.zz
    zx = a.yx * a.zy - a.yy * a.zx
    s = 1.0 / (a.xx * xx + a.xy * yx + a.xz * zx)
    return Mat3(
        xx * s, (a.xz * a.zy - a.xy * a.zz) * s, (a.xy * a.yz - a.xz * a.yy) * s,
        yx * s, (a.xx * a.zz - a.xz * a.zx) * s, (a.xz * a.yx - a.xx * a.yz) * s,
        zx * s, (a.xy * a.zx - a.xx * a.zy) * s, (a.xx * a.yy - a.xy * a.yx) * s,
    )  # fmt: skip


@kernel
def inverse_symmetric(a):
    """A⁻¹ of a symmetric matrix by cofactors, reading the lower triangle only."""
    xx = a.yy * a.zz - a.zy * a.zy
    yx = a.zy * a.zx - a.yx * a.zz
    zx = a.yx * a.zy - a.yy * a.zx
    s = 1.0 / (a.xx * xx + a.yx * yx + a.zx * zx)
    yx *= s
    zx *= s
    zy = (a.yx * a.zx - a.xx * a.zy) * s
    return Mat3(
        xx * s, yx, zx,
        yx, (a.xx * a.zz - a.zx * a.zx) * s, zy,
        zx, zy, (a.xx * a.yy - a.yx * a.yx) * s,
    )  # fmt: skip


@kernel
def mat3_of(numbers):
    """The nine numbers of a field of a record, row by row."""
    return Mat3(
        numbers[0], numbers[1], numbers[2],
        numbers[3], numbers[4], numbers[5],
        numbers[6], numbers[7], numbers[8],
    )  # fmt: skip


@kernel
def set_mat3(numbers, a):
    """Store A in a field of a record."""
    numbers[0] = a.xx
    numbers[1] = a.xy
    numbers[2] = a.xz
    numbers[3] = a.yx
    numbers[4] = a.yy
    numbers[5] = a.yz
    numbers[6] = a.zx
    numbers[7] = a.zy
    numbers[8] = a.zz


@kernel
def mat3_at(rows, i):
    """Row i of an (n, 9) array."""
    return Mat3(
        rows[i, 0], rows[i, 1], rows[i, 2],
        rows[i, 3], rows[i, 4], rows[i, 5],
        rows[i, 6], rows[i, 7], rows[i, 8],
    )  # fmt: skip


@kernel
def put_mat3(rows, i, a):
    """Store A as row i of an (n, 9) array."""
    rows[i, 0] = a.xx
    rows[i, 1] = a.xy
    rows[i, 2] = a.xz
    rows[i, 3] = a.yx
    rows[i, 4] = a.yy
    rows[i, 5] = a.yz
    rows[i, 6] = a.zx
    rows[i, 7] = a.zy
    rows[i, 8] = a.zz
