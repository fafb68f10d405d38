"""A copy of all that steps change, so that a look ahead or a second try leaves no trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Snapshot"]


class Snapshot:
    """Copies of arrays, and the way back to them. Room for the copies is used again."""

    def __init__(self) -> None:
        self._arrays: Sequence[NDArray[Any]] = ()
        self._copies: list[NDArray[Any]] = []

    def take(self, arrays: Sequence[NDArray[Any]]) -> None:
        """Copy arrays, which may be longer or shorter than those of the last call, but are the
        same in number, type and further dimensions.
        """
        if not self._copies:
            self._copies = [array.copy() for array in arrays]
        for k, array in enumerate(arrays):
            if len(array) > len(self._copies[k]):
                self._copies[k] = np.empty((2 * len(array), *array.shape[1:]), dtype=array.dtype)
            self._copies[k][: len(array)] = array
        self._arrays = arrays

    def put_back(self) -> None:
        """Let the arrays hold what they held when they were copied."""
        for array, copy in zip(self._arrays, self._copies, strict=True):
            array[:] = copy[: len(array)]
