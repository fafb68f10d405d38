"""Showing how far a simulation is: a bar for people, JSON lines for programs, or nothing."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any, Protocol, TextIO, cast

from impulse_cli.terminal import Forgiving, complain, say_json

__all__ = [
    "Announcement",
    "Progress",
    "compiling_announced",
    "print_json_line",
    "show_progress",
    "show_tasks",
]

_SECONDS_BETWEEN_LINES = 0.1


class Progress(Protocol):
    """What the core tells about a running simulation."""

    time: float
    duration: float
    steps: int
    wall_seconds: float
    stage: str
    part: int
    parts: int


Callback = Callable[[Any], None]


@contextmanager
def show_progress(kind: str) -> Iterator[Callback]:
    """The callback for ``simulate``; ``kind`` is auto, bar, json or none.

    auto is a bar where stderr is a terminal, else nothing but a word on compiling.
    """
    if kind == "json":
        yield _JsonLines()
    elif kind == "bar" or (kind == "auto" and sys.stderr.isatty()):
        with _bar() as callback:
            yield callback
    elif kind == "auto":
        with closing(Announcement(complain)) as callback:
            yield callback
    else:
        yield _ignore


def print_json_line(**values: Any) -> None:
    """One line of JSON on stdout, at once; whether it could be written is no matter to a run."""
    with suppress(OSError):
        say_json(values, on_one_line=True)


def _ignore(progress: Progress) -> None:
    pass


_COMPILING = (
    "Compiling the kernels, once after each update; this takes half a minute, with contact two."
)
_SECONDS_OF_A_START = 5.0  # that nothing needs but the compiler
_SECONDS_BEFORE_ANNOUNCING = 1.0  # a few small kernels are there sooner


class Announcement:
    """Says that kernels are being compiled, where that takes a while."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._timer = threading.Timer(_SECONDS_BEFORE_ANNOUNCING, say, [_COMPILING])
        self._timer.daemon = True
        self._started = False

    def __call__(self, progress: Progress) -> None:
        if progress.stage == "simulating":
            self._timer.cancel()
        elif progress.stage == "compiling kernels" and not self._started:
            self._started = True
            self._timer.start()

    def close(self) -> None:
        self._timer.cancel()


@contextmanager
def compiling_announced() -> Iterator[None]:
    """Says that kernels are being compiled, where what it is around takes that long."""
    timer = threading.Timer(_SECONDS_OF_A_START, complain, [_COMPILING])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class _JsonLines:
    """At most ten lines a second; a change of stage or part and the end always have theirs."""

    def __init__(self) -> None:
        self._stage = ("", 0)
        self._next = 0.0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        at_end = progress.time >= progress.duration
        stage = progress.stage, progress.part
        if stage == self._stage and now < self._next and not at_end:
            return
        self._stage = stage
        self._next = now + _SECONDS_BETWEEN_LINES
        parts = {"part": progress.part, "parts": progress.parts} if progress.parts else {}
        print_json_line(
            event="progress",
            stage=progress.stage,
            time=progress.time,
            duration=progress.duration,
            steps=progress.steps,
            wall_seconds=progress.wall_seconds,
            **parts,
        )


@contextmanager
def show_tasks(title: str) -> Iterator[Callable[[int, int, str], None]]:
    """A callback for a row of simulations: how many are done, of how many, and which comes next.

    A bar on stderr where that is a terminal, which vanishes at the end; else a line at the start.
    """
    if not sys.stderr.isatty():
        complain(f"{title} ...")
        yield lambda _done, _total, _what: None
        return
    from rich import progress as rich_progress
    from rich.console import Console

    columns = (
        rich_progress.TextColumn(title),
        rich_progress.BarColumn(),
        rich_progress.MofNCompleteColumn(),
        rich_progress.TimeElapsedColumn(),
        rich_progress.TextColumn("{task.description}"),
    )
    console = Console(file=cast(TextIO, Forgiving(sys.stderr)), highlight=False)
    with rich_progress.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        def update(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=what)

        yield update


def _compiling(progress: Progress) -> str:
    return f"Compiling kernels, part {progress.part} of {progress.parts}"


@contextmanager
def _bar() -> Iterator[Callback]:
    """A bar on stderr that vanishes at the end."""
    from rich import progress as rich_progress
    from rich.console import Console

    columns = (
        rich_progress.TextColumn("{task.description}"),
        rich_progress.BarColumn(),
        rich_progress.TextColumn("{task.fields[clock]}"),
        rich_progress.TimeRemainingColumn(),
    )
    console = Console(file=cast(TextIO, Forgiving(sys.stderr)), highlight=False)
    with (
        rich_progress.Progress(*columns, console=console, transient=True) as bar,
        closing(Announcement(console.print)) as announce,
    ):
        task = bar.add_task("Loading", total=None, clock="")

        def update(progress: Progress) -> None:
            announce(progress)
            if progress.parts:
                bar.update(task, description=_compiling(progress))
            if progress.stage == "simulating":
                bar.update(
                    task,
                    description="Simulating",
                    completed=progress.time,
                    total=progress.duration,
                    clock=f"{progress.time:.2f} of {progress.duration:g} s",
                )

        yield update
