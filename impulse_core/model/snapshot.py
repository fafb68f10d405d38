"""Copies of all that the next step depends on, and the way back to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from impulse_core.types import Ints

__all__ = ["Kept", "Layout", "Snapshot"]


class Kept(NamedTuple):
    """An array that the next step depends on."""

    array: NDArray[Any]
    """C-contiguous."""
    used: Ints | None = None
    """How many of its rows count, shape (1,); None if all do."""


class Snapshot(NamedTuple):
    """What arrays held at one moment."""

    data: bytes
    """The bytes of all rows that counted, array after array."""
    used: dict[str, int]
    """How many rows counted of those arrays of which not all always do."""


class Layout:
    """Arrays by name, to be saved and restored as they lie in memory."""

    def __init__(self, kept: Mapping[str, Kept]) -> None:
        self.kept = kept
        # views of bytes, since NumPy copies records field by field
        self._bytes = [
            (name, array.reshape(len(array), -1).view(np.uint8), used)
            for name, (array, used) in kept.items()
            if array.size
        ]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The rows that count, by name, as views."""
        return {
            name: array if used is None else array[: used[0]]
            for name, (array, used) in self.kept.items()
        }

    def take(self) -> Snapshot:
        """Copy all rows that count."""
        parts: list[Any] = []
        counts: dict[str, int] = {}
        for name, rows, used in self._bytes:
            if used is not None:
                counts[name] = int(used[0])
                rows = rows[: counts[name]]
            parts.append(rows)
        return Snapshot(b"".join(parts), counts)

    def restore(self, snapshot: Snapshot) -> None:
        """Let the arrays hold what they held then; needs room for as many rows."""
        data, begin = np.frombuffer(snapshot.data, np.uint8), 0
        for name, rows, used in self._bytes:
            if used is not None:
                rows = rows[: snapshot.used[name]]
            end = begin + rows.size
            rows[...] = data[begin:end].reshape(rows.shape)
            begin = end
