"""``Log``: what was asked of a session and when, and ``replay``, which does it again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from impulse_core.compile import Scene
from impulse_core.recording import Recording
from impulse_core.simulation.live.actions import act, edited
from impulse_core.simulation.live.builds import Build
from impulse_core.simulation.live.commands import (
    Command,
    CommandError,
    command_from,
    command_line,
)
from impulse_core.simulation.live.history import Entry
from impulse_core.simulation.live.machine import LiveMachine
from impulse_core.simulation.run_keys import run_key

__all__ = ["Log", "LogError", "load_log", "replay"]

_FORMAT, _VERSION = "impulse-log", 1


class LogError(Exception):
    """A log that cannot be read, or that is of another scene; the message says why."""


@dataclass(frozen=True)
class Log:
    """What was asked of a session, from its start or its last reset on.

    Attributes:
        key: Of the scene, the options and this Impulse, as ``run_key`` gives it.
        options: Those that were given to the session.
        start: Changes of the scene from before the start.
        entries: Commands, each with the number of steps that were complete when it acted.
        steps: Steps until now.
        digest: SHA-256 of every number that the next step would read.
    """

    key: str
    options: Mapping[str, Any]
    start: tuple[Command, ...]
    entries: tuple[Entry, ...]
    steps: int
    digest: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as lines of JSON: a head, the commands, and the end.

        Raises:
            OSError: The file cannot be written.
        """
        head = {
            "format": _FORMAT,
            "version": _VERSION,
            "key": self.key,
            "options": dict(self.options),
        }
        lines: list[dict[str, Any]] = [head]
        lines += [{"start": True, **command_line(command)} for command in self.start]
        lines += [{"step": entry.step, **command_line(entry.command)} for entry in self.entries]
        lines.append({"end": True, "steps": self.steps, "digest": self.digest})
        text = "".join(json.dumps(line, allow_nan=False) + "\n" for line in lines)
        Path(path).write_text(text, encoding="utf-8")


def load_log(path: str | os.PathLike[str]) -> Log:
    """Read a log that ``Log.save`` wrote.

    Raises:
        LogError: It cannot be read, or is damaged; the message names the line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LogError(f"{path}: {error}") from None
    return _parsed(text.splitlines(), os.fspath(path))


def _parsed(texts: Iterable[str], path: str) -> Log:
    start: list[Command] = []
    entries: list[Entry] = []
    head: dict[str, Any] | None = None
    number = 0
    for number, text in enumerate(texts, 1):
        try:
            line = json.loads(text)
            if head is None:
                if line["format"] != _FORMAT or line["version"] != _VERSION:
                    raise LogError(f"{path}: this is no log of version {_VERSION}.")
                head = line
            elif line.pop("end", False):
                return Log(
                    str(head["key"]), head["options"], tuple(start), tuple(entries),
                    int(line["steps"]), str(line["digest"]),
                )  # fmt: skip
            elif line.pop("start", False):
                start.append(command_from(line))
            else:
                step = int(line.pop("step"))
                entries.append(Entry(step, command_from(line)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LogError(f"{path}:{number}: this line is no part of a log: {error}") from None
    raise LogError(f"{path}:{number}: the log has no end; it seems to be cut off.")


def replay(
    scene: Scene,
    log: Log,
    *,
    progress: Callable[[int, int], None] | None = None,
    memory_mb: float = 1024.0,
) -> Recording:
    """Do again what a session did: the same commands before the same steps, and the same bits.

    Args:
        scene: That of the session.
        log: What was asked of it.
        progress: Called now and then with the steps so far and those of the log.
        memory_mb: Memory for frames [MB]; of more the oldest are dropped.

    Returns:
        The recording, with ``diagnostics["digest"]`` as in the log.

    Raises:
        LogError: The log is of another scene, of other options, or of another Impulse; or it did
            not lead to where it says. A budget of milliseconds does not give the same bits again.
        SceneError: The scene cannot be simulated.
    """
    from impulse_core.simulation.live.frames import LiveFrames

    given = dict(log.options)
    if run_key(scene, given) != log.key:
        raise LogError(
            "the log is of another scene, other options or another version of Impulse; replay it"
            " with the scene that its session began with."
        )
    assemble = given.pop("assemble", None)
    machine = LiveMachine(Build.of(scene, given, assemble))
    if log.start:
        build = machine.build
        for command in log.start:
            build = edited(build, command)
        machine.reset(build)
    frames = LiveFrames(machine, 1e6 * memory_mb)
    for entry in (*log.entries, None):
        end = log.steps if entry is None else entry.step
        while machine.step < end:
            frames.advance(end - machine.step)
            if progress is not None:
                progress(machine.step, log.steps)
        if entry is not None:
            try:
                act(machine, entry.command)
            except CommandError as error:
                raise LogError(f"step {entry.step}: {error}") from None
    if machine.digest() != log.digest:
        raise LogError("the log did not lead to the state that it says; was a time the budget?")
    return frames.recording(complete=True, events=[])
