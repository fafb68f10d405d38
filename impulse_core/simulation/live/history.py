"""The way a machine went: moments to go back to, and the commands that acted in between.

Moments are kept every few steps, within a budget of memory. Where it is full, every second of
those that are not needed otherwise is dropped, so that they lie twice as far apart.
"""

from __future__ import annotations

import bisect
import time as clock
from collections.abc import Callable
from dataclasses import dataclass

from impulse_core.simulation.live.actions import act
from impulse_core.simulation.live.commands import Command, CommandError
from impulse_core.simulation.live.machine import LiveMachine, Moment
from impulse_core.simulation.timeline import same_time

__all__ = ["Entry", "History"]

_STEPS = 16  # between two moments, at first
_SECONDS = 0.01  # of work between two moments, where steps take longer


@dataclass(frozen=True)
class Entry:
    """A command, and how many steps were complete when it acted."""

    step: int
    command: Command


class History:
    """Moments and commands of a machine since its start.

    Attributes:
        entries: What acted, in order.
    """

    def __init__(self, machine: LiveMachine, budget: float) -> None:
        """``budget``: memory for moments [B]."""
        self.machine = machine
        self.entries: list[Entry] = []
        self._budget = budget
        self._moments: list[Moment] = []
        self._times: list[float] = []
        self._noted: list[int] = []  # commands before each moment
        self._bytes = 0
        self._apart = _STEPS
        self._worked_since = clock.perf_counter()
        self._keep()

    @property
    def bytes(self) -> int:
        """Memory that the moments take [B]."""
        return self._bytes

    def note(self, command: Command) -> None:
        """A command that acts now."""
        self.entries.append(Entry(self.machine.step, command))

    def passed(self) -> None:
        """Steps were taken: keep the moment, if it is time to."""
        since = self.machine.step - self._moments[-1].step
        slow = since and clock.perf_counter() - self._worked_since > _SECONDS
        if since >= self._apart or (slow and self._apart == _STEPS):
            self._keep()

    def begin_anew(self) -> None:
        """Forget what was before this moment, but the commands."""
        self._moments, self._times, self._noted = [], [], []
        self._bytes, self._apart = 0, _STEPS
        self._keep()

    def _keep(self) -> None:
        moment = self.machine.moment()
        self._moments.append(moment)
        self._times.append(self.machine.time)
        self._noted.append(len(self.entries))
        self._bytes += moment.size
        while self._bytes > self._budget and len(self._moments) > 2:
            self._thin()
        self._worked_since = clock.perf_counter()

    def _thin(self) -> None:
        """Drop every second moment but the first."""
        self._apart *= 2
        self._moments, self._times = self._moments[::2], self._times[::2]
        self._noted = self._noted[::2]
        self._bytes = sum(moment.size for moment in self._moments)

    def rewind(self, to: float, stopped: Callable[[], bool] = lambda: False) -> None:
        """Go back to the first step at or after a time [s], and cut what was after it.

        Raises:
            CommandError: That is before the first moment that is known, or has not been yet.
        """
        machine, slack = self.machine, same_time(self.machine.engine.options.step)
        if not self._times[0] - slack <= to <= machine.time + slack:
            raise CommandError(
                f"{to:g} s cannot be reached: known are {self._times[0]:g} to {machine.time:g} s."
            )
        k = max(bisect.bisect_right(self._times, to + slack) - 1, 0)
        moment, done = self._moments[k], self._noted[k]
        machine.restore(moment)
        del self._moments[k + 1 :], self._times[k + 1 :], self._noted[k + 1 :]
        self._bytes = sum(kept.size for kept in self._moments)
        while machine.time < to - slack and not stopped():
            while done < len(self.entries) and self.entries[done].step == machine.step:
                act(machine, self.entries[done].command)
                done += 1
            machine.engine.work.stop[0] = 0  # of commands that wait meanwhile
            machine.advance(1)
        del self.entries[done:]
