# SPDX-License-Identifier: GPL-3.0-or-later
"""Between Blender's numbers and those of a scene file, as pairs of functions. No bpy in here.

Both sides are right-handed with z up and write quaternions (w, x, y, z), so only lengths and
precision differ: Blender counts Blender units in single precision, a file counts metres in double.
``metres`` is the length of a Blender unit, ``scene.unit_settings.scale_length``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

# Relative rounding error of matrices and coordinates that Blender keeps in single precision.
SINGLE_NOISE = 2.5e-7
# A scale this close to one is one, rounded with the rotations of the object and of its parents.
UNSCALED = 1e-6
# Columns of a world matrix farther from perpendicular than this (cosine) are a shear, not noise.
SHEAR_TOLERANCE = 1e-4


class Placement(NamedTuple):
    """A world matrix taken apart: ``matrix = translation · rotation · stretch``."""

    translation: Floats  # (3,), Blender units
    rotation: Floats  # (3, 3), proper: the object's rigid axes in the world
    stretch: Floats  # (3, 3), scale, reflection and shear, applied before the rotation


def length_to_scene(value: ArrayLike, metres: float) -> Floats:
    """Blender units to metres."""
    return np.asarray(value, float) * metres


def length_to_blender(value: ArrayLike, metres: float) -> Floats:
    """Metres to Blender units."""
    return np.asarray(value, float) / metres


def frame_to_time(frame: ArrayLike, start: float, fps: float) -> Floats:
    """Blender's frame number to seconds since the start frame."""
    return (np.asarray(frame, float) - start) / fps


def time_to_frame(time: ArrayLike, start: float, fps: float) -> Floats:
    """Seconds to a frame number, fractional where a time lies between two frames."""
    return start + np.asarray(time, float) * fps


def decimals(value: ArrayLike) -> Any:
    """Single-precision numbers as the shortest decimals that mean the same: 0.1, not 0.100000001.

    Returns nested lists of float of the shape of ``value`` (a float for a scalar).
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e6:
        return value + 0.0
    single = np.asarray(value, np.float32)
    if single.ndim == 0:
        return float(str(single)) + 0.0  # + 0.0 turns -0.0 into 0.0
    text = single.ravel().astype(str).astype(float) + 0.0
    return text.reshape(single.shape).tolist()


def tidy(value: ArrayLike, noise: float) -> Floats:
    """Numbers that are only known to ``noise`` as those of the fewest decimals within it."""
    exact = np.asarray(value, float)
    whole = np.round(exact)
    if (np.abs(whole - exact) <= noise).all():
        return whole + 0.0
    result = exact.copy()
    for places in range(7, -1, -1):
        rounded = np.round(exact, places)
        result = np.where(np.abs(rounded - exact) <= noise, rounded, result)
    return result + 0.0


def direction(vector: ArrayLike) -> tuple[float, float, float]:
    """A unit vector without the noise of single precision (seven decimals)."""
    vector = np.asarray(vector, float)
    unit = np.round(vector / np.linalg.norm(vector), 7) + 0.0
    return (float(unit[0]), float(unit[1]), float(unit[2]))


def take_apart(matrix: ArrayLike) -> Placement:
    """Split a 4x4 world matrix into translation, rotation and what is left (the stretch).

    A reflection goes into the stretch, so the rotation is proper. Raises ValueError where a
    scale is zero, as then there is no rotation to be had.
    """
    return _taken_apart(np.asarray(matrix, float).tobytes())


@lru_cache(maxsize=4096)
def _taken_apart(data: bytes) -> Placement:
    """``take_apart`` of the numbers of a matrix; an export asks several times for each object."""
    matrix = np.frombuffer(data).reshape(4, 4)
    linear = matrix[:3, :3]
    lengths = np.linalg.norm(linear, axis=0)
    if lengths.min() <= 1e-9 * max(1.0, lengths.max()):
        raise ValueError("a scale is zero")
    sign = -1.0 if np.linalg.det(linear) < 0 else 1.0
    rotation = nearest_rotation(sign * linear / lengths)
    stretch = tidy(rotation.T @ linear, SINGLE_NOISE * lengths.max())
    if np.abs(stretch - np.eye(3)).max() <= UNSCALED:
        stretch = np.eye(3)
    for part in (rotation, stretch):
        part.setflags(write=False)
    return Placement(matrix[:3, 3], rotation, stretch)


def nearest_rotation(matrix: Floats) -> Floats:
    """The rotation nearest to a nearly orthonormal matrix of positive determinant."""
    u, _, vt = np.linalg.svd(matrix)
    return u @ vt


def is_sheared(stretch: Floats) -> bool:
    """Whether the axes of a stretch are not perpendicular to each other."""
    columns = stretch / np.linalg.norm(stretch, axis=0)
    return bool(np.abs(columns.T @ columns - np.eye(3)).max() > SHEAR_TOLERANCE)


def rotation_to_quaternion(rotation: ArrayLike) -> Floats:
    """Rotation matrices (…, 3, 3) to unit quaternions (…, 4), by the largest component."""
    r = np.asarray(rotation, float)
    if np.array_equal(r, np.eye(3)):  # most objects: spare them the rest
        return np.array([1.0, 0.0, 0.0, 0.0])
    trace = np.trace(r, axis1=-2, axis2=-1)
    diagonal = np.diagonal(r, axis1=-2, axis2=-1)
    # Four times the squares of w, x, y, z; the largest divides safely.
    squares = np.concatenate([(1 + trace)[..., None], 1 + 2 * diagonal - trace[..., None]], axis=-1)
    largest = squares.argmax(axis=-1)
    wx, wy, wz = (
        r[..., 2, 1] - r[..., 1, 2],
        r[..., 0, 2] - r[..., 2, 0],
        r[..., 1, 0] - r[..., 0, 1],
    )
    xy, xz, yz = (
        r[..., 0, 1] + r[..., 1, 0],
        r[..., 0, 2] + r[..., 2, 0],
        r[..., 1, 2] + r[..., 2, 1],
    )
    # Row k holds 4 q_k (w, x, y, z).
    rows = np.stack(
        [
            np.stack([squares[..., 0], wx, wy, wz], -1),
            np.stack([wx, squares[..., 1], xy, xz], -1),
            np.stack([wy, xy, squares[..., 2], yz], -1),
            np.stack([wz, xz, yz, squares[..., 3]], -1),
        ],
        axis=-2,
    )
    chosen = np.take_along_axis(rows, largest[..., None, None], axis=-2)[..., 0, :]
    return chosen / np.linalg.norm(chosen, axis=-1, keepdims=True)


def quaternion_to_rotation(quaternion: ArrayLike) -> Floats:
    """Unit quaternions (…, 4) to rotation matrices (…, 3, 3)."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion, float), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def quaternion_to_scene(quaternion: ArrayLike) -> tuple[float, float, float, float]:
    """A quaternion for the file: w >= 0, no noise beyond single precision around zero."""
    q = np.asarray(quaternion, float)
    q = np.where(np.abs(q) < 1e-8, 0.0, q)
    q = q / np.linalg.norm(q)
    if q[0] < 0 or (q[0] == 0 and q[1:][q[1:] != 0][0] < 0):
        q = -q
    w, x, y, z = (float(c) + 0.0 for c in q)
    return (w, x, y, z)


def quaternion_product(a: ArrayLike, b: ArrayLike) -> Floats:
    """Hamilton product of quaternions (…, 4); the rotation b, then a."""
    aw, ax, ay, az = np.moveaxis(np.asarray(a, float), -1, 0)
    bw, bx, by, bz = np.moveaxis(np.asarray(b, float), -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def continuous(quaternions: Floats) -> Floats:
    """The same rotations (F, 4) with signs such that neighbours lie on one side.

    Interpolation between q and -q, which are the same rotation, would turn through 360 degrees.
    """
    dots = np.einsum("fi,fi->f", quaternions[1:], quaternions[:-1])
    signs = np.cumprod(np.where(dots < 0, -1.0, 1.0))
    return np.concatenate([quaternions[:1], quaternions[1:] * signs[:, None]])
