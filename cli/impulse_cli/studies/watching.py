"""How far a sweep or a search is, on the terminal: a bar with the time left, or a few lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TextIO, cast

import click

from impulse_cli.exit_codes import INTERRUPTED
from impulse_cli.progress import Announcement
from impulse_cli.studies.runs import DONE, Row
from impulse_cli.studies.sweeping import Watcher
from impulse_cli.terminal import Forgiving, complain

__all__ = ["Counter", "watched"]

_SECONDS_BETWEEN_LINES = 30.0


class Counter(Watcher):
    """Counts runs and shows the count.

    Attributes:
        failed: Runs of this call that have no measures.
        compiled: Kernels that workers had to compile.
    """

    def __init__(self, show: Callable[[int, int], None]) -> None:
        self.failed = 0
        self.compiled = 0
        self._show = show
        self._announcement = Announcement(complain)
        self._done = self._total = 0

    def start(self, progress: Any) -> None:
        """Say that kernels are being compiled, where that takes a while."""
        self._announcement(progress)

    def begin(self, done: int, total: int, dashboard: str) -> None:
        """Say where Dask's page is, and what is known already."""
        self._done, self._total = done, total
        self.close()
        known = f"{done} of {total} runs are known already; " if done else ""
        complain(f"{known}{total - done} runs; Dask shows them at {dashboard}")
        self._show(done, total)

    def close(self) -> None:
        """Announce nothing any more."""
        self._announcement.close()

    def row(self, row: Row) -> None:
        """Count a run."""
        self._done += 1
        self.failed += row.status != DONE
        self.compiled += row.kernels_compiled
        self._show(self._done, self._total)


@contextmanager
def watched(folder: Path) -> Iterator[Counter]:
    """Shows a bar on stderr where that is a terminal, else a line every half minute.

    Ctrl-C ends the command there: what is known is in the folder.
    """
    try:
        with _counter() as counter:
            yield counter
    except KeyboardInterrupt:
        complain(f"Interrupted. What is known is kept in {folder}: the same command goes on.")
        raise click.exceptions.Exit(INTERRUPTED) from None


@contextmanager
def _counter() -> Iterator[Counter]:
    if not sys.stderr.isatty():
        with closing(Counter(_lines())) as counter:
            yield counter
        return
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("Simulating"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(elapsed_when_finished=False),
    )
    console = Console(file=cast(TextIO, Forgiving(sys.stderr)), highlight=False)
    with progress.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        show = Counter(lambda done, total: bar.update(task, completed=done, total=total))
        with closing(show) as counter:
            yield counter


def _lines() -> Callable[[int, int], None]:
    began = last = time.monotonic()
    first: list[int] = []

    def show(done: int, total: int) -> None:
        nonlocal began, last
        now = time.monotonic()
        if not first:
            first.append(done)
            began = last = now
        if now - last >= _SECONDS_BETWEEN_LINES and done > first[0]:
            last = now
            left = (now - began) / (done - first[0]) * (total - done)
            complain(f"{done} of {total} runs, {left:.0f} s left")

    return show
