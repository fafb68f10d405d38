"""A copy of all that steps change, so that a look ahead or a second try leaves no trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Snapshot"]


class Snapshot:
    """Copies of arrays, and the way back to them. Room for the copies is used again."""

    def __init__(self) -> None:
        self._arrays: Mapping[str, NDArray[Any]] = {}
        self._room: dict[str, NDArray[Any]] = {}

    def take(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Copy arrays, which may be longer or shorter than those of the last call, but are the
        same in name, type and further dimensions.
        """
        room = self._room
        for name, array in arrays.items():
            if name not in room or len(array) > len(room[name]):
                room[name] = np.empty((2 * len(array), *array.shape[1:]), dtype=array.dtype)
            room[name][: len(array)] = array
        self._arrays = arrays

    def put_back(self) -> None:
        """Let the arrays hold what they held when they were copied."""
        for name, array in self._arrays.items():
            array[:] = self._room[name][: len(array)]
