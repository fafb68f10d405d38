# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator as a child process: ``impulse run SCENE -o ANIMATION --progress json``.

Progress comes as one JSON object a line, read by a thread so that nothing here ever blocks.
"""

from __future__ import annotations

import importlib.util
import json
import os
import queue
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# Blender's Python ignores PYTHONPATH and knows the extension's wheels only by sys.path.
BOOTSTRAP = (
    f"import sys; more = sys.argv.pop(1).split({os.pathsep!r});"
    " sys.path[:0] = [p for p in more if p not in sys.path];"
    " from impulse_cli.main import main; sys.argv[0] = 'impulse'; sys.exit(main())"
)

# Seconds the child gets to write its frames after being asked to stop.
GRACE = 10.0


class RunError(RuntimeError):
    """The simulation did not run; the text is what the simulator said."""


@dataclass(frozen=True)
class Progress:
    """How far the simulation is; ``fraction`` is in 0 … 1."""

    stage: str = ""
    fraction: float = 0.0

    @property
    def text(self) -> str:
        return f"{self.stage or 'simulating'} {self.fraction:.0%}"


def find_command(preferred: str = "") -> list[str]:
    """The command line that starts ``impulse``: the user's, this Python's own, the PATH's.

    Raises RunError where there is none.
    """
    if preferred.strip():
        return shlex.split(preferred)
    if importlib.util.find_spec("impulse_cli") is not None and _has_simulator():
        return [sys.executable, "-c", BOOTSTRAP, os.pathsep.join(filter(None, sys.path))]
    found = shutil.which("impulse")
    if found:
        return [found]
    raise RunError(
        "The command impulse was not found; install it (pip install impulse-dynamics) or give its"
        " path in the add-on's preferences."
    )


def _has_simulator() -> bool:
    return importlib.util.find_spec("numba") is not None


class Run:
    """A running simulation; ``poll`` it, ``stop`` it, or ``wait`` for it."""

    def __init__(
        self, command: Sequence[str], scene: Path, animation: Path, options: Sequence[str] = ()
    ) -> None:
        arguments = [
            *command,
            "run",
            str(scene),
            "-o",
            str(animation),
            "--progress",
            "json",
            *options,
        ]
        try:
            self._process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise RunError(f"{command[0]} cannot be started: {error.strerror}.") from error
        self.animation = animation
        self.progress = Progress()
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._said: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put(line.rstrip("\n"))

    def poll(self) -> bool:
        """Take in what the simulator wrote; whether it has ended."""
        ended = self._process.poll() is not None
        if ended:
            self._reader.join(timeout=GRACE)
        while not self._lines.empty():
            self._take(self._lines.get())
        return ended

    def _take(self, line: str) -> None:
        try:
            data = json.loads(line)
            event = data["event"]
        except (ValueError, TypeError, KeyError):
            if line.strip():
                self._said.append(line)
            return
        if event == "progress":
            duration = data["duration"]
            fraction = data["time"] / duration if duration > 0 else 0.0
            self.progress = Progress(data["stage"], min(max(fraction, 0.0), 1.0))
        elif event == "finished" and data["message"]:
            self._said.append(data["message"])

    def wait(self, seconds: float) -> None:
        """Wait until the simulator ends, at most this long."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=seconds)

    def stop(self) -> None:
        """Ask for an early end; the frames computed so far are written."""
        if self._process.poll() is None:
            # Not the signal of Ctrl-C, which the child ignores if Blender runs in the background.
            self._process.terminate()
        try:
            self._process.wait(timeout=GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.poll()

    def result(self) -> Path:
        """The animation file of an ended run. Raises RunError where it did not end well."""
        code = self._process.returncode
        if code == 0:
            return self.animation
        # The last event repeats what was said before; once is enough.
        said = list(dict.fromkeys(self._said[-20:]))
        raise RunError("\n".join(said) or f"impulse run ended with exit code {code}.")


def run(
    command: Sequence[str],
    scene: Path,
    animation: Path,
    *,
    options: Sequence[str] = (),
    progress: Callable[[Progress], None] | None = None,
) -> Path:
    """Simulate and wait for it; returns the animation file. Raises RunError."""
    running = Run(command, scene, animation, options)
    try:
        while not running.poll():
            if progress is not None:
                progress(running.progress)
            running.wait(0.1)
    except KeyboardInterrupt:
        running.stop()
        raise
    return running.result()
