"""Rotations of NumPy arrays, outside kernels: quaternions (w, x, y, z) along the last axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from impulse_core.geometry.products import length
from impulse_core.types import Floats

__all__ = [
    "conjugated",
    "crossed",
    "crossed_rows",
    "matrix_to_quaternion",
    "multiplied",
    "quaternion_to_matrix",
    "rotated",
    "turned",
]


def multiplied(a: Floats, b: Floats) -> Floats:
    """Hamilton products a ∘ b, shapes (…, 4)."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    product = np.empty(np.broadcast_shapes(a.shape, b.shape))
    product[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    product[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    product[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    product[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return product


def conjugated(q: Floats) -> Floats:
    """Inverses of unit quaternions, shapes (…, 4)."""
    inverse: Floats = np.asarray(q, dtype=float) * np.array([1.0, -1.0, -1.0, -1.0])
    return inverse


def rotated(q: Floats, v: Floats) -> Floats:
    """Vectors v (…, 3) turned by q (…, 4)."""
    q = np.asarray(q, dtype=float)
    v = np.asarray(v, dtype=float)
    if q.ndim == v.ndim == 1:
        return np.array(turned(q.tolist(), v.tolist()))
    u = q[..., 1:]
    t = 2.0 * crossed_rows(u, v)
    return v + q[..., :1] * t + crossed_rows(u, t)


def turned(q: Sequence[float], v: Sequence[float]) -> tuple[float, float, float]:
    """The same of a single vector in plain numbers, for which arrays take ten times as long."""
    w, x, y, z = q
    i, j, k = crossed((x, y, z), v)
    t = 2.0 * i, 2.0 * j, 2.0 * k
    a, b, c = crossed((x, y, z), t)
    return v[0] + w * t[0] + a, v[1] + w * t[1] + b, v[2] + w * t[2] + c


def crossed(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, float]:
    """a × b of single vectors in plain numbers."""
    x, y, z = a
    u, v, w = b
    return y * w - z * v, z * u - x * w, x * v - y * u


def crossed_rows(a: Floats, b: Floats) -> Floats:
    """a × b, shapes (…, 3); np.cross takes five times as long for few vectors."""
    product = np.empty(np.broadcast_shapes(a.shape, b.shape))
    product[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    product[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    product[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return product


def quaternion_to_matrix(q: Floats) -> Floats:
    """Rotation matrix, shape (3, 3), of one unit quaternion."""
    numbers = q.tolist()
    columns = [
        turned(numbers, axis) for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    ]
    return np.array(columns).T


def matrix_to_quaternion(matrix: Floats) -> Floats:
    """Unit quaternion with w ≥ 0 of a proper rotation matrix, shape (3, 3).

    Takes the largest of the four squared components as pivot (Shepperd 1978).
    """
    m = np.asarray(matrix, dtype=float)
    trace = np.trace(m)
    squares = np.array([trace, m[0, 0], m[1, 1], m[2, 2]])
    pivot = int(np.argmax(squares))
    if pivot == 0:
        q = np.array([1.0 + trace, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    else:
        i, j, k = pivot - 1, pivot % 3, (pivot + 1) % 3
        q = np.empty(4)
        q[0] = m[k, j] - m[j, k]
        q[1 + i] = 1.0 + 2.0 * m[i, i] - trace
        q[1 + j] = m[i, j] + m[j, i]
        q[1 + k] = m[k, i] + m[i, k]
    q /= length(q)
    return -q if q[0] < 0.0 else q
