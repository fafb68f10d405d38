"""Ctrl-C during a run: taken when the state and the frames fit each other, not in between."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from impulse_core.types import Ints

__all__ = ["HeldSignals", "StopFlag"]

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


class StopFlag:
    """Sets an array of shape (1,) to 1 at once when SIGINT or SIGTERM arrives.

    A kernel runs until it returns, and Python calls no handler meanwhile. But the interpreter
    writes the numbers of signals that have handlers into a socket as they arrive, and a thread
    reads them there: it can while a kernel runs, since kernels let go of the interpreter's lock.
    Only the main thread gets signals, so in others nothing is ever set.
    """

    def __init__(self, flag: Ints) -> None:
        self._flag = flag
        self._thread: threading.Thread | None = None

    def __enter__(self) -> StopFlag:
        if threading.current_thread() is threading.main_thread():
            self._reader, self._writer = socket.socketpair()
            self._writer.setblocking(False)
            self._others = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
            self._thread = threading.Thread(target=self._listen, daemon=True)
            self._thread.start()
        return self

    def _listen(self) -> None:
        while arrived := self._reader.recv(64):
            if signal.SIGINT in arrived or signal.SIGTERM in arrived:
                self._flag[0] = 1
            if self._others >= 0:
                with suppress(OSError):
                    os.write(self._others, arrived)

    def clear(self) -> None:
        """Set the array to 0 again."""
        self._flag[0] = 0

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            signal.set_wakeup_fd(self._others)
            self._writer.close()
            self._thread.join()
            self._reader.close()
