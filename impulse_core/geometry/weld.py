"""Kernel that gives points at exactly the same place one number."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from impulse_core.jit import array_kernel

__all__ = ["weld"]


def weld(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Distinct points, shape (D, 3), in order of first appearance, and each point's number (N,).

    Only exactly equal coordinates count as equal (0.0 and -0.0 do).
    """
    points = np.ascontiguousarray(points, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    size = 16
    while size < 2 * len(points):
        size *= 2
    slots = (_hashes(points.view(np.uint64)) & np.uint64(size - 1)).astype(np.int64)
    first, numbers = _distinct_rows(points, slots, size)
    return points[first], numbers


def _hashes(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mixes the 192 bits of each row; multipliers of splitmix64 (Steele, Lea, Flood 2014)."""
    x, y, z = bits.T
    h = x * np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(29)) ^ y) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(32)) ^ z) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[np.uint64] = h ^ (h >> np.uint64(31))
    return mixed


@array_kernel
def _distinct_rows(
    rows: NDArray[np.float64], slots: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Open-addressing hash table with ``size`` places; slots[i] is where row i looks first."""
    count = len(rows)
    table = np.full(size, -1)
    first = np.empty(count, np.int64)
    numbers = np.empty(count, np.int64)
    distinct = 0
    for i in range(count):
        slot = slots[i]
        while table[slot] >= 0:
            j = first[table[slot]]
            if rows[i, 0] == rows[j, 0] and rows[i, 1] == rows[j, 1] and rows[i, 2] == rows[j, 2]:
                break
            slot = slot + 1 if slot + 1 < size else 0
        if table[slot] < 0:
            table[slot] = distinct
            first[distinct] = i
            distinct += 1
        numbers[i] = table[slot]
    return first[:distinct], numbers
