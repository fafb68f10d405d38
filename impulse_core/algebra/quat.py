"""Unit quaternions (w, x, y, z) that turn body axes into world axes."""

from __future__ import annotations

import math
import operator
from typing import NamedTuple

from impulse_core.algebra.mat3 import Mat3
from impulse_core.algebra.operators import is_tuple_of, offer
from impulse_core.algebra.vec3 import Vec3, cross, norm
from impulse_core.jit import kernel


class Quat(NamedTuple):
    """A quaternion; ``a * b`` is the Hamilton product: first turn by b, then by a."""

    w: float
    x: float
    y: float
    z: float

    def __mul__(a, b):  # noqa: N805 - a tuple's * repeats
        return Quat(
            a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        )


_is_quat = is_tuple_of(Quat)
offer(operator.mul, Quat.__mul__, _is_quat, _is_quat)


@kernel
def conjugate(q):
    """q⁻¹ of a unit quaternion."""
    return Quat(q.w, -q.x, -q.y, -q.z)


@kernel
def normalized(q):
    """q / ‖q‖"""
    s = 1.0 / math.sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z)
    return Quat(q.w * s, q.x * s, q.y * s, q.z * s)


@kernel
def rotate(q, v):
    """The vector v of the body frame in the world frame: q ∘ (0, v) ∘ q⁻¹."""
    u = Vec3(q.x, q.y, q.z)
    t = 2.0 * cross(u, v)
    return v + q.w * t + cross(u, t)


@kernel
def rotate_back(q, v):
    """The vector v of the world frame in the body frame: q⁻¹ ∘ (0, v) ∘ q."""
    return rotate(conjugate(q), v)


@kernel
def rotation_matrix(q):
    """R with R v = rotate(q, v)."""
    x2, y2, z2 = q.x + q.x, q.y + q.y, q.z + q.z
    xx, yy, zz = q.x * x2, q.y * y2, q.z * z2
    xy, xz, yz = q.x * y2, q.x * z2, q.y * z2
    wx, wy, wz = q.w * x2, q.w * y2, q.w * z2
    return Mat3(
        1.0 - yy - zz, xy - wz, xz + wy,
        xy + wz, 1.0 - xx - zz, yz - wx,
        xz - wy, yz + wx, 1.0 - xx - yy,
    )  # fmt: skip


@kernel
def half_angle_functions(angle_squared):
    """cos(a/2) and sin(a/2)/a for the angle a."""
    y = 0.25 * angle_squared
    if y < 0.0625:
        # Maclaurin series in y = (a/2)², next terms below 1e-19: no root, no library call
        c = 1 / 40320 - y * (1 / 3628800 - y / 479001600)
        c = 1.0 - y * (1 / 2 - y * (1 / 24 - y * (1 / 720 - y * c)))
        s = 1 / 725760 - y * (1 / 79833600 - y / 12454041600)
        s = 0.5 - y * (1 / 12 - y * (1 / 240 - y * (1 / 10080 - y * s)))
    else:
        half = math.sqrt(y)
        c = math.cos(half)
        s = math.sin(half) / (2.0 * half)
    return c, s


@kernel
def rotation_of(v):
    """The rotation by the angle ‖v‖ about v: exp(v/2)."""
    c, s = half_angle_functions(v.x * v.x + v.y * v.y + v.z * v.z)
    return Quat(c, v.x * s, v.y * s, v.z * s)


@kernel
def rotation_vector(q):
    """Inverse of rotation_of: the shortest rotation vector of q (q and -q alike)."""
    u = Vec3(q.x, q.y, q.z)
    if q.w < 0.0:
        u = -u
    sine = norm(u)
    if sine < 1e-8:
        return 2.0 * u
    return u * (2.0 * math.atan2(sine, abs(q.w)) / sine)


@kernel
def quat_of(numbers):
    """The four numbers of a field of a record."""
    return Quat(numbers[0], numbers[1], numbers[2], numbers[3])


@kernel
def set_quat(numbers, q):
    """Store q in a field of a record."""
    numbers[0] = q.w
    numbers[1] = q.x
    numbers[2] = q.y
    numbers[3] = q.z


@kernel
def quat_at(rows, i):
    """Row i of an (n, 4) array."""
    return Quat(rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3])


@kernel
def put_quat(rows, i, q):
    """Store q as row i of an (n, 4) array."""
    rows[i, 0] = q.w
    rows[i, 1] = q.x
    rows[i, 2] = q.y
    rows[i, 3] = q.z
