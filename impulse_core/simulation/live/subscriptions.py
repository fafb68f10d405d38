"""``Subscription``: a function that is called with snapshots, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from impulse_core.simulation.snapshots import Snapshot

if TYPE_CHECKING:
    from impulse_core.simulation.live.worker import Worker

__all__ = ["Subscription"]


class Subscription:
    """Calls a function with the latest snapshot, again and again.

    Attributes:
        error: What the function raised, which ended the subscription; None if nothing.
        missed: Snapshots that came while the function was at work, and were not shown to it.
    """

    def __init__(self, worker: Worker, function: Callable[[Snapshot], object]) -> None:
        self.error: Exception | None = None
        self.missed = 0
        self._worker = worker
        self._function = function
        self._counted = worker.published
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="impulse reader", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it; returns when the function is no longer called."""
        with self._worker.changed:
            self._closing = True
            self._worker.changed.notify_all()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        worker = self._worker
        seen: Snapshot | None = None

        def is_news() -> bool:
            return self._closing or worker.latest is not seen or worker.state == "stopped"

        while True:
            with worker.changed:
                worker.changed.wait_for(is_news)
                latest, now = worker.latest, worker.published
            if self._closing or latest is seen:
                self.missed += now - self._counted
                return
            self.missed += max(0, now - self._counted - 1)
            seen, self._counted = latest, now
            try:
                self._function(latest)
            except Exception as error:
                self.error = error
                return
