"""``Remote``: a session that another program drives over standard input and output.

A line of JSON in is a command, as logs hold them, or a wish of this module; lines of JSON out say
what became of it, and how the machine stands. Poses are bytes in base 64, as numbers in text take
ten times as long to write and to read.
"""

from __future__ import annotations

import base64
import json
import os
import queue
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

import impulse_core as ic
from impulse_core.simulation.live.commands import command_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Remote", "lines_of"]


class Remote:
    """Takes lines for a session and says what comes of them; both from any thread."""

    def __init__(self, session: ic.Session, say: Callable[..., None]) -> None:
        self._session = session
        self._lock = threading.Lock()
        self._say = say
        self._failure = ""
        self._asked: queue.SimpleQueue[tuple[ic.Receipt, Any]] = queue.SimpleQueue()
        threading.Thread(target=self._answer, daemon=True).start()
        self.tell(event="started", bodies=list(session.bodies))
        self._watching = session.subscribe(self._show)
        self._show(session.snapshot())

    def tell(self, **values: Any) -> None:
        """One line out."""
        with self._lock:
            self._say(**values)

    def _show(self, now: ic.Snapshot) -> None:
        poses = np.concatenate([now.positions, now.orientations], axis=1).astype("<f8")
        failure = str(self._session.error or "") if now.state == "failed" else ""
        if failure != self._failure:
            self._failure = failure
            if failure:
                self.tell(event="failed", message=failure)
        self.tell(
            event="snapshot",
            time=now.time,
            step=now.step,
            state=now.state,
            lag=now.lag,
            lost=now.lost,
            poses=base64.b64encode(poses.tobytes()).decode("ascii"),
        )

    def take(self, line: str) -> None:
        """Do what a line asks for; it is answered by ``done``, ``kept`` or ``refused``."""
        number: Any = None
        try:
            wish = json.loads(line)
            if not isinstance(wish, dict):
                raise ValueError("it is no object {…}")
            number = wish.pop("id", None)
            if "keep" in wish:
                self._keep(str(wish["keep"]), number)
                return
            receipt = self._session.post(command_from(wish))
        except ValueError as error:
            self.tell(event="refused", id=number, message=f"This line cannot be read: {error}.")
        except (ic.CommandError, ic.SessionError) as error:
            self.tell(event="refused", id=number, message=str(error))
        else:
            self._asked.put((receipt, number))

    def _answer(self) -> None:
        """Tell of commands in the order in which they act."""
        while True:
            receipt, number = self._asked.get()
            try:
                step = receipt.wait()
            except (ic.CommandError, ic.SessionError) as error:
                self.tell(event="refused", id=number, message=str(error))
            else:
                if number is not None:
                    self.tell(event="done", id=number, step=step)

    def _keep(self, path: str, number: Any) -> None:
        """Write the motion so far to a file."""
        try:
            recording = self._session.recording()
            recording.save(path)
        except (OSError, ic.RecordingError) as error:
            self.tell(event="refused", id=number, message=str(error))
            return
        self.tell(event="kept", id=number, path=path, frames=recording.frame_count)

    def close(self) -> None:
        """Say nothing more of the machine."""
        self._watching.close()


def lines_of(number: int) -> Iterator[str]:
    """Lines of an open file until its other end closes.

    Not through sys.stdin, whose lock would be held when Python ends.
    """
    rest = b""
    while chunk := os.read(number, 1 << 16):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if line.strip():
                yield line.decode("utf-8", errors="replace")
