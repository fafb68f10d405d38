# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator as a child process: ``impulse run SCENE -o ANIMATION --progress json``.

Progress comes as one JSON object a line, read by a thread so that nothing here ever blocks. The
child ends when its standard input closes, which happens whatever becomes of Blender.
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
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar, Protocol

# The child imports from Python's own library and from the folders it is given, and from nowhere
# else: -I leaves out the current folder, the user's packages and what environment variables name,
# -S what else is installed beside this Python. What lies beside Blender's NumPy is left out too.
ISOLATED = ("-I", "-S", "-X", "utf8", "-c")
BOOTSTRAP = """
import json, sys
from importlib.machinery import PathFinder

folders, beside_numpy = json.loads(sys.argv.pop(1))
sys.path += folders

class BlendersNumPy:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, [beside_numpy]) if name == "numpy" else None

sys.meta_path.append(BlendersNumPy)
sys.argv[0] = "impulse"
from impulse_cli.main import main
main()
"""

OURS = ("impulse_cli", "impulse_core", "impulse_schema")
# NumPy is Blender's own; these are the wheels of the extension.
LIBRARIES = tuple(
    line.partition(":")[0]
    for line in (Path(__file__).parents[1] / "libraries.txt")
    .read_text(encoding="utf-8")
    .splitlines()
)

# Exit code of a command whose input was wrong.
WRONG_INPUT = 1

# Seconds the child gets to write its frames after being asked to stop.
GRACE = 10.0
# Seconds that its last words may take to arrive.
LAST_WORDS = 1.0
# Tells the child to end when its standard input closes (impulse_cli/starter.py).
ENDS_WITH_STDIN = "IMPULSE_ENDS_WITH_STDIN"


class RunError(RuntimeError):
    """The simulation did not run; the text is what the simulator said."""


@dataclass(frozen=True)
class Progress:
    """How far the simulation is; ``fraction`` is in 0 … 1, ``part`` of ``parts`` is compiled.

    ``seconds_left`` is an estimate, None where there is none yet.
    """

    stage: str = "preparing"
    fraction: float = 0.0
    part: int = 0
    parts: int = 0
    seconds_left: float | None = None

    @property
    def text(self) -> str:
        if self.parts:
            return f"{self.stage}, part {self.part} of {self.parts} (only once)"
        if self.stage != "simulating":
            return self.stage
        if self.fraction >= 1.0:
            return "finishing"
        left = "" if self.seconds_left is None else f", {duration_text(self.seconds_left)} left"
        return f"{self.stage} {self.fraction:.0%}{left}"

    @classmethod
    def of_event(cls, data: dict[str, Any], first: dict[str, Any]) -> Progress:
        """What a line of ``impulse run --progress json`` says, of which ``first`` was the first
        that told of steps.
        """
        time, duration = data["time"], data["duration"]
        part, parts = data.get("part", 0), data.get("parts", 0)
        if parts:
            return cls(data["stage"], (part - 1) / parts, part, parts)
        left = None
        if time > first["time"]:
            wall = data["wall_seconds"] - first["wall_seconds"]
            left = max(duration - time, 0.0) * wall / (time - first["time"])
        fraction = time / duration if duration > 0 else 0.0
        return cls(data["stage"], min(max(fraction, 0.0), 1.0), seconds_left=left)


def duration_text(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def find_command(preferred: str = "") -> list[str]:
    """The command line that starts ``impulse``: the user's, this Python's own, the PATH's.

    Raises RunError where there is none.
    """
    if preferred.strip():
        return shlex.split(preferred)
    places = {name: place_of(name) for name in (*OURS, *LIBRARIES, "numpy")}
    missing = [name for name, place in places.items() if place is None]
    if not missing:
        return [sys.executable, *ISOLATED, BOOTSTRAP, json.dumps(import_folders(places))]
    found = shutil.which("impulse")
    if found:
        return [found]
    raise RunError(
        f"The simulator is not complete: there is no {', '.join(missing)} here, and no command"
        " impulse. Install the extension's zip for this Blender's Python anew, or impulse itself"
        " (pip install impulse-dynamics) and give its path in the add-on's preferences."
    )


def place_of(name: str) -> str | None:
    """The folder that a module is imported from, None where it is not found."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return None
    return str(Path(spec.origin).absolute().parent.parent)


def import_folders(places: dict[str, str | None]) -> tuple[list[str | None], str | None]:
    """The folders to import the simulator and its libraries from, and that of NumPy.

    The folder of Impulse itself comes first, so that in an extension its own libraries win over
    others of the same name.
    """
    libraries = dict.fromkeys(places[name] for name in (*OURS, *LIBRARIES))
    return list(libraries), places["numpy"]


class Child:
    """A running command of the simulator; ``poll`` it, ``stop`` it, or ``wait`` for it.

    Only ``wait`` waits.
    """

    ENVIRONMENT: ClassVar = {ENDS_WITH_STDIN: "1"}

    def __init__(self, command: Sequence[str], arguments: Sequence[str]) -> None:
        try:
            self._process = subprocess.Popen(
                [*command, *arguments],
                env={**os.environ, **self.ENVIRONMENT},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise RunError(f"{command[0]} cannot be started: {error.strerror}.") from error
        self.progress = Progress()
        self._stopped: float | None = None
        self._ended: float | None = None
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
            self._close_input()
            self._ended = self._ended or time.monotonic()
            ended = not self._reader.is_alive() or time.monotonic() - self._ended > LAST_WORDS
        elif self._stopped is not None and time.monotonic() - self._stopped > GRACE:
            self._process.kill()
        while not self._lines.empty():
            self._take(self._lines.get())
        return ended

    def _take(self, line: str) -> None:
        self._said.append(line)

    def wait(self, seconds: float) -> None:
        """Wait until the simulator ends, at most this long."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=seconds)
            self._reader.join(timeout=seconds)

    @property
    def is_going(self) -> bool:
        """Whether the simulator is still there."""
        return self._process.poll() is None

    @property
    def is_stopped(self) -> bool:
        """Whether it was asked to end early."""
        return self._stopped is not None

    def stop(self) -> None:
        """Ask for an early end, in which frames are written; the second time end it at once."""
        if self.is_stopped or not self._has_frames():
            self._process.kill()
        elif os.name == "posix":
            # Not the signal of Ctrl-C, which the child ignores if Blender runs in the background.
            self._process.terminate()
        else:  # there that would be a kill
            with suppress(OSError):
                self._input.write("stop\n")
                self._input.flush()
        self._mark_stopped()

    def _mark_stopped(self) -> None:
        self._stopped = self._stopped or time.monotonic()

    def _has_frames(self) -> bool:
        """Whether there is anything to be kept."""
        return False

    def abandon(self) -> None:
        """End the simulator at once; nobody waits for what it does."""
        self._process.kill()
        self._close_input()

    @property
    def _input(self) -> IO[str]:
        assert self._process.stdin is not None
        return self._process.stdin

    def _close_input(self) -> None:
        with suppress(OSError):
            self._input.close()

    @property
    def refused(self) -> bool:
        """Whether it has ended because there is something wrong with the scene."""
        return self._process.returncode == WRONG_INPUT

    @property
    def is_complete(self) -> bool:
        """Whether it has ended and did all that it was to do."""
        return self._process.returncode == 0

    def _failure(self) -> RunError:
        # The last event repeats what was said before; once is enough.
        said = list(dict.fromkeys(self._said[-20:]))
        return RunError(
            "\n".join(said) or f"impulse ended with exit code {self._process.returncode}."
        )


class Run(Child):
    """A running simulation."""

    def __init__(
        self, command: Sequence[str], scene: Path, animation: Path, options: Sequence[str] = ()
    ) -> None:
        super().__init__(
            command, ["run", str(scene), "-o", str(animation), "--progress", "json", *options]
        )
        self.animation = animation
        self._first: dict[str, Any] | None = None

    def _has_frames(self) -> bool:
        return self.animation.exists()

    def _take(self, line: str) -> None:
        try:
            data = json.loads(line)
            event = data["event"]
        except (ValueError, TypeError, KeyError):
            if line.strip():
                self._said.append(line)
            return
        if event == "progress":
            if self._first is None or self._first["stage"] != "simulating":
                self._first = data
            self.progress = Progress.of_event(data, self._first)
        elif event == "finished" and data["message"]:
            self._said.append(data["message"])

    def result(self) -> Path:
        """The animation file of an ended run. Raises RunError where it did not end well."""
        if self._process.returncode != 0:
            raise self._failure()
        return self.animation


class StartCheck(Child):
    """The simulator looking for what it would refuse at the start of a scene."""

    def __init__(self, command: Sequence[str], scene: Path) -> None:
        super().__init__(command, ["validate", "--json", "--start", str(scene)])
        self.progress = Progress("looking at the start")

    def result(self) -> list[dict[str, Any]]:
        """The problems found, as ``impulse validate --json`` writes them. Raises RunError."""
        text = "\n".join(self._said)
        if self._process.returncode == 0:
            return []
        try:
            data, _end = json.JSONDecoder().raw_decode(text[text.index("{") :])
            return [problem for file in data["files"] for problem in file["problems"]]
        except (ValueError, KeyError, TypeError):
            raise self._failure() from None


class Waiting(Protocol):
    """What can be waited for: a child, and what goes on with one."""

    @property
    def progress(self) -> Progress:
        """How far it is."""

    def poll(self) -> bool:
        """Do what there is to do; whether it is over."""

    def wait(self, seconds: float) -> None:
        """Wait until there is something to do, at most this long."""

    def stop(self) -> None:
        """Ask for an early end."""


def finish(waiting: Waiting, progress: Callable[[Progress], None] | None = None) -> None:
    """Wait until something is over; Ctrl-C ends it early."""
    try:
        while not waiting.poll():
            if progress is not None:
                progress(waiting.progress)
            waiting.wait(0.1)
    except KeyboardInterrupt:
        waiting.stop()
        while not waiting.poll():
            waiting.wait(0.1)
        raise


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
    finish(running, progress)
    return running.result()
