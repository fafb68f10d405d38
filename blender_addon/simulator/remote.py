# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator as a child that is commanded and watched: ``impulse live SCENE``.

Commands go to its standard input, a JSON object a line; what it says is read by a thread, of which
only the newest snapshot is kept, so that a Blender that is busy falls behind by nothing. The child
ends when its standard input closes, which happens whatever becomes of Blender.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..convert import Floats
from .runner import ENDS_WITH_STDIN, Child, Progress

SNAPSHOT = '{"event": "snapshot"'
KEEP = "keep"


class Now(NamedTuple):
    """The machine at one moment."""

    time: float
    """Simulated [s]."""
    state: str
    """"running", "paused" or "failed"."""
    lost: float
    """Real time that was given up so far, as the machine is too slow [s]."""
    positions: Floats
    """Origins of the bodies (1, N, 3) [m]."""
    orientations: Floats
    """Quaternions (1, N, 4), body to world."""


class Remote(Child):
    """A machine that simulates beside Blender.

    ``bodies`` are its names once it is there, () before; ``refusal`` is what it said of the last
    command that it refused, ``failure`` why it stands still, ``kept`` the file of its motion.
    """

    ENVIRONMENT: ClassVar = {ENDS_WITH_STDIN: ""}  # for its standard input is the command's own

    def __init__(self, command: Sequence[str], scene: Path) -> None:
        self.bodies: tuple[str, ...] = ()
        self.refusal = self.failure = ""
        self.kept: Path | None = None
        self._newest = ""
        self._read_last: tuple[str, Now | None] = ("", None)
        super().__init__(command, ["live", str(scene)])
        self.progress = Progress("getting the simulator ready")

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                if line.startswith(SNAPSHOT):
                    self._newest = line
                else:
                    self._lines.put(line.rstrip("\n"))

    def _take(self, line: str) -> None:
        try:
            data: dict[str, Any] = json.loads(line)
            event = data["event"]
        except (ValueError, TypeError, KeyError):
            if line.strip():
                self._said.append(line)
            return
        if event == "started":
            self.bodies = tuple(data["bodies"])
        elif event == "refused":
            self.refusal = data["message"]
        elif event == "failed":
            self.failure = data["message"]
        elif event == "kept":
            self.kept = Path(data["path"])

    @property
    def now(self) -> Now | None:
        """The newest moment; None before there is one."""
        line = self._newest
        if line and line is not self._read_last[0]:
            data = json.loads(line)
            poses = np.frombuffer(base64.b64decode(data["poses"]), "<f8").reshape(1, -1, 7)
            if data["state"] != "failed":
                self.failure = ""
            moment = Now(data["time"], data["state"], data["lost"], poses[..., :3], poses[..., 3:])
            self._read_last = line, moment
        return self._read_last[1]

    def send(self, **wish: Any) -> None:
        """Ask for something; where the child is gone, ``poll`` will tell."""
        with suppress(OSError, ValueError):
            self._input.write(json.dumps(wish) + "\n")
            self._input.flush()

    def do(self, command: str, **fields: Any) -> None:
        """Send a command of a live session by its name."""
        self.refusal = ""
        self.send(command=command, **fields)

    def keep(self, path: Path) -> None:
        """Have the motion so far written to a file."""
        self.send(keep=str(path), id=KEEP)

    def stop(self) -> None:
        """End it; the second time at once."""
        if self.is_stopped:
            self._process.kill()
        self._mark_stopped()
        self._close_input()

    def problem(self) -> str:
        """What an end that nobody asked for is to be called; \'\' for one that somebody did."""
        if self.is_stopped or self._process.returncode == 0:
            return ""
        return str(self._failure())
