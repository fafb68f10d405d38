"""Quaternion signs along a recording."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["sign_continuous"]


def sign_continuous(orientations: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same orientations, each quaternion on the side of the one a frame earlier.

    q and -q are the same orientation, but interpolating from q to -q turns the body once around.
    The first frame keeps its signs.

    Args:
        orientations: quaternions, shape (F, N, 4): F frames of N bodies.

    Returns:
        A new array of the same shape.
    """
    agreement = np.einsum("fnk,fnk->fn", orientations[1:], orientations[:-1])
    signs = np.ones(orientations.shape[:2])
    # A frame's sign is the product of all flips up to it.
    signs[1:] = np.cumprod(np.where(agreement < 0.0, -1.0, 1.0), axis=0)
    return orientations * signs[:, :, np.newaxis]
