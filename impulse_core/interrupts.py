"""Ctrl-C during a run: taken when the state and the frames fit each other, not in between."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

__all__ = ["HeldSignals"]

_PATIENCE = 1.0  # s after which the same signal again is no longer held back

_Handler = Callable[[int, FrameType | None], Any]


class HeldSignals:
    """Holds back SIGINT and SIGTERM until ``deliver`` is called.

    Their handlers may raise anywhere: between two arrays of a frame, or while a kernel hands its
    result to Python, which Numba does not expect and which ends the process.

    One within another takes over: it delivers to the handlers that were there before the first,
    and what it has not delivered at its end is held back by the outer one.

    Attributes:
        is_patient: whether a signal is held back also when it comes again after a second.
    """

    def __init__(self, *, is_patient: bool = False) -> None:
        self.is_patient = is_patient
        self._before: dict[int, Any] = {}
        self._handlers: dict[int, _Handler] = {}
        self._held: dict[int, float] = {}
        self._outer: HeldSignals | None = None
        self._acts_at_once = False
        self._raised: BaseException | None = None

    def __enter__(self) -> HeldSignals:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                handler = signal.getsignal(number)
                if callable(handler):
                    self._before[number] = handler
                    self._handlers[number] = self._innermost(number, handler)
                    signal.signal(number, self._hold)
        return self

    def _innermost(self, number: int, handler: _Handler) -> _Handler:
        outer = getattr(handler, "__self__", None)
        if not isinstance(outer, HeldSignals):
            return handler
        self._outer = outer
        return outer._handlers[number]

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._outer is not None:
            self._outer._held.update(self._held)
        elif kind is None:
            self.deliver()

    def _hold(self, number: int, frame: FrameType | None) -> None:
        if self._acts_at_once:
            self._act(number, frame)
            return
        now = time.monotonic()
        if now - self._held.setdefault(number, now) > _PATIENCE and not self.is_patient:
            self._handlers[number](number, frame)

    def _act(self, number: int, frame: FrameType | None) -> None:
        try:
            self._handlers[number](number, frame)
        except BaseException as error:
            self._raised = error
            raise

    @contextmanager
    def acting_at_once(self) -> Iterator[None]:
        """A block in which signals are not held back.

        What their handlers raise there is raised again at its end if it got lost: Python only
        prints what is raised while it calls back from C, as Numba's compiler does all the time.
        """
        self._acts_at_once = True
        try:
            yield
        finally:
            self._acts_at_once = False
        if self._raised is not None:
            raise self._raised

    def deliver(self) -> None:
        """Let the handlers of what was held back have it."""
        while self._held:
            number, _ = self._held.popitem()
            self._handlers[number](number, None)

    def drop(self) -> bool:
        """Forget what was held back; whether there was anything."""
        had_any = bool(self._held)
        self._held.clear()
        return had_any
