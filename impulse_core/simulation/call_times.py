"""``CallTimes``: how long the steps of a run took, in room that does not grow with it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["CallTimes"]

_SHORTEST, _LONGEST = 1e-8, 1e4  # s per step; times beyond count as these
_RATIO = 1.01  # of neighbouring bins, so how well the median is known
_BINS = math.ceil(math.log(_LONGEST / _SHORTEST) / math.log(_RATIO))


class CallTimes:
    """Wall time per step [s] of the calls of a kernel, each of a number of steps.

    Attributes:
        total: Of all steps [s].
        count: Number of steps.
        longest: Of a step [s].
    """

    def __init__(self) -> None:
        self.total = 0.0
        self.count = 0
        self.longest = 0.0
        self._bins = np.zeros(_BINS, dtype=np.int64)

    def add(self, seconds: float, count: int) -> None:
        """A call in which so many steps took so long each [s]."""
        self.total += seconds * count
        self.count += count
        self.longest = max(self.longest, seconds)
        place = math.log(max(seconds, _SHORTEST) / _SHORTEST) / math.log(_RATIO)
        self._bins[min(int(place), _BINS - 1)] += count

    @property
    def mean(self) -> float:
        """Of a step [s]; 0 where there was none."""
        return self.total / self.count if self.count else 0.0

    @property
    def median(self) -> float:
        """Of a step [s], to one in a hundred; 0 where there was none."""
        if not self.count:
            return 0.0
        half = int(np.searchsorted(np.cumsum(self._bins), 0.5 * self.count))
        return min(float(_SHORTEST * _RATIO ** (half + 0.5)), self.longest)

    def saved(self) -> dict[str, Any]:
        """What ``restore`` goes on from, as values of JSON."""
        used = np.flatnonzero(self._bins)
        bins = [used.tolist(), self._bins[used].tolist()]
        return {"total": self.total, "count": self.count, "longest": self.longest, "bins": bins}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what ``saved`` said."""
        self.total, self.count = saved["total"], saved["count"]
        self.longest = saved["longest"]
        self._bins[:] = 0
        used, counts = saved["bins"]
        self._bins[used] = counts
