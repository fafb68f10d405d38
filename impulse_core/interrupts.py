"""Ctrl-C during a run: taken when the state and the frames fit each other, not in between."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

__all__ = ["HeldSignals"]

_PATIENCE = 1.0  # s after which the same signal again is no longer held back


class HeldSignals:
    """Holds back SIGINT and SIGTERM until ``deliver`` is called.

    Their handlers may raise anywhere: between two arrays of a frame, or while a kernel hands its
    result to Python, which Numba does not expect and which ends the process.
    """

    def __init__(self) -> None:
        self._handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}
        self._held: dict[int, float] = {}

    def __enter__(self) -> HeldSignals:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                handler = signal.getsignal(number)
                if callable(handler):
                    signal.signal(number, self._hold)
                    self._handlers[number] = handler
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        if kind is None:
            self.deliver()

    def _hold(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if now - self._held.setdefault(number, now) > _PATIENCE:
            self._handlers[number](number, frame)

    def deliver(self) -> None:
        """Let the handlers of what was held back have it."""
        while self._held:
            number, _ = self._held.popitem()
            self._handlers[number](number, None)
