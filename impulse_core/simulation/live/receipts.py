"""``Receipt``: what became of a command."""

from __future__ import annotations

import threading

from impulse_core.simulation.live.commands import Command

__all__ = ["Receipt", "SessionError"]


class SessionError(RuntimeError):
    """The session failed, or has stopped; the message says of what."""


class Receipt:
    """What became of a command that was posted.

    Attributes:
        command: What was asked.
        step: How many steps were complete when it acted; None before, and where it was refused.
        error: Why it was refused: a CommandError, or a SessionError where the session stopped.
    """

    __slots__ = ("_done", "command", "error", "step")

    def __init__(self, command: Command, done: threading.Condition) -> None:
        self.command = command
        self.step: int | None = None
        self.error: Exception | None = None
        self._done = done

    @property
    def done(self) -> bool:
        """Whether it acted or was refused."""
        return self.step is not None or self.error is not None

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the command acted, for so long at most [s]; the step at which it did.

        Raises:
            CommandError: It was refused.
            SessionError: The session stopped first.
            TimeoutError: It did not act in time.
        """
        with self._done:
            if not self._done.wait_for(lambda: self.done, timeout):
                raise TimeoutError(f"{self.command} did not act within {timeout:g} s")
        if self.error is not None:
            raise self.error
        assert self.step is not None
        return self.step
