"""Real time: when a step is due, and what becomes of a machine that cannot keep up."""

from __future__ import annotations

import math
import time as clock

__all__ = ["Pace"]

_MOST_LAG = 0.25  # s, beyond which time is given up instead of being caught up with


class Pace:
    """A clock that simulated time follows.

    Attributes:
        lag: By how much the last step ended later than it was due [s].
        lost: Real time that was given up so far [s].
    """

    def __init__(self, speed: float | None) -> None:
        self.lag = 0.0
        self.lost = 0.0
        self._speed = speed
        self.begin(0.0)

    @property
    def speed(self) -> float | None:
        """Simulated seconds per second; None as fast as possible."""
        return self._speed

    def begin(self, time: float, speed: float | None = None, *, keep: bool = True) -> None:
        """Let a simulated time [s] be due now, at the speed there was or (not ``keep``) another."""
        if not keep:
            self._speed = speed
        self._began, self._time, self.lag = clock.perf_counter(), time, 0.0

    def due_in(self, time: float) -> float:
        """Until a simulated time is due [s], negative if it has been."""
        if self._speed is None:
            return 0.0
        return self._began + (time - self._time) / self._speed - clock.perf_counter()

    def steps_due(self, time: float, step: float) -> int:
        """How many steps from a time on have ends that are due now; at least one."""
        if self._speed is None:
            return 1 << 30
        return max(1, math.floor(-self.due_in(time) * self._speed / step))

    def reached(self, time: float) -> None:
        """A step ended at a simulated time [s]: how late, and whether to give the delay up."""
        if self._speed is None:
            self.lag = 0.0
            return
        self.lag = max(0.0, -self.due_in(time))
        if self.lag > _MOST_LAG:
            self.lost += self.lag
            self._began += self.lag
