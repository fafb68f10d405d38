"""A fingerprint of the state of all bodies: equal bits, equal hash."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import ArrayLike

from .errors import RecordingError

__all__ = ["state_hash"]


def state_hash(positions: ArrayLike, orientations: ArrayLike, velocities: ArrayLike) -> str:
    """SHA-256 of positions, orientations and velocities of all bodies, in this order.

    Three blocks of bytes are hashed one after the other, each an array of little-endian
    float64, body after body in the order of the scene. One changed bit changes the hash, so
    it proves that two runs computed the same.

    Args:
        positions: [m], shape (N, 3), world frame.
        orientations: quaternions (w, x, y, z), shape (N, 4), with the signs they have.
        velocities: velocity [m/s] and then angular velocity [rad/s], shape (N, 6), world frame.

    Returns:
        64 hexadecimal digits.

    Raises:
        RecordingError: if a shape is wrong.
    """
    digest = hashlib.sha256()
    count = len(np.asarray(positions))
    blocks = (
        ("positions", positions, 3),
        ("orientations", orientations, 4),
        ("velocities", velocities, 6),
    )
    for name, values, width in blocks:
        array = np.ascontiguousarray(values, dtype="<f8")
        if array.shape != (count, width):
            raise RecordingError(
                f"the state hash takes {name} of shape {(count, width)}, not {array.shape}."
            )
        digest.update(array.tobytes())
    return digest.hexdigest()
