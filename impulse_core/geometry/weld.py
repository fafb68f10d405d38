"""Kernel that gives points at exactly the same place one number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from impulse_core.jit import kernel

__all__ = ["weld"]


def weld(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Distinct points, shape (D, 3), in order of first appearance, and each point's number (N,).

    Only exactly equal coordinates count as equal (0.0 and -0.0 do).
    """
    points = np.ascontiguousarray(points, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    first, numbers = _distinct_rows(points.view(np.uint64))
    return points[first], numbers


@kernel
def _distinct_rows(rows):
    """Open-addressing hash table over the bit patterns of the rows."""
    count = len(rows)
    size = 16
    while size < 2 * count:
        size *= 2
    mask = np.uint64(size - 1)
    slots = np.full(size, -1)
    first = np.empty(count, np.int64)
    numbers = np.empty(count, np.int64)
    distinct = 0
    for i in range(count):
        slot = _hash(rows[i, 0], rows[i, 1], rows[i, 2]) & mask
        while True:
            known = slots[slot]
            if known < 0:
                slots[slot] = distinct
                first[distinct] = i
                numbers[i] = distinct
                distinct += 1
                break
            j = first[known]
            if rows[i, 0] == rows[j, 0] and rows[i, 1] == rows[j, 1] and rows[i, 2] == rows[j, 2]:
                numbers[i] = known
                break
            slot = (slot + np.uint64(1)) & mask
    return first[:distinct], numbers


@kernel
def _hash(x, y, z):
    """Mixes 192 bits; multipliers of splitmix64 (Steele, Lea, Flood 2014)."""
    h = x * np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(29)) ^ y) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(32)) ^ z) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))
