"""The folder of a sweep or a search: what is known of each run, kept as soon as it is known.

    results/
      runs.jsonl          a line for each run that ended, only ever added to
      table.parquet       one row for each run that was asked for, written at the end
      recordings/KEY.npz  on request

A run is named by its content, so what is in ``runs.jsonl`` is never computed again, whatever was
killed when: a line that is not whole counts for nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from impulse_cli.studies.errors import StudyError
from impulse_cli.studies.runs import LOST, Row

__all__ = ["TABLE", "Results"]

_RUNS = "runs.jsonl"
TABLE = "table.parquet"
_RECORDINGS = "recordings"


class Results:
    """The rows in a folder.

    Args:
        folder: Made where it is missing.

    Raises:
        StudyError: It holds other things than results, cannot be written, or another sweep or
            search is writing to it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._rows: dict[str, Row] = {}
        with _named(folder):
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / _RUNS
            if not path.exists() and any(folder.iterdir()):
                raise StudyError(f"{folder} holds other files; name a new or an empty folder.")
            self._file = path.open("a+b")
        try:
            _lock(self._file.fileno(), folder)
            self._read()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Results:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def find(self, key: str, measures: Sequence[str], *, with_recording: bool) -> Row | None:
        """The row of a run, if it holds all that is asked for and its worker was not lost."""
        row = self._rows.get(key)
        if row is None or row.status == LOST:
            return None
        if with_recording and row.steps and not self._recording(key).exists():
            return None
        return row if row.message or all(text in row.measures for text in measures) else None

    def __contains__(self, key: str) -> bool:
        """Whether anything is known of a run, be it that its worker was lost."""
        return key in self._rows

    def row(self, key: str) -> Row:
        """The row of a run that is known; ``KeyError`` if it is not."""
        return self._rows[key]

    def add(self, row: Row) -> None:
        """Keep a row; afterwards it outlives this process and the computer's power.

        Raises:
            StudyError: There is no space left, or the folder cannot be written to any more.
        """
        with _named(self.folder):
            if row.recording:
                self._keep_recording(row)
            if (known := self._rows.get(row.key)) is not None and not row.message:
                row.measures = known.measures | row.measures
            kept = asdict(row)
            del kept["recording"]
            line = json.dumps(kept, allow_nan=False, separators=(",", ":"))
            self._file.write(f"{line}\n".encode())
            self._file.flush()
            os.fsync(self._file.fileno())
        row.recording = b""
        self._rows[row.key] = row

    def write_table(
        self, rows: Iterable[Row], columns: Sequence[str], measures: Sequence[str]
    ) -> Path:
        """Write rows as a Parquet table, in the order given.

        Only what a run computed stands there, no times: the bytes do not depend on the workers.

        Args:
            rows: One for each run.
            columns: Paths of what was varied.
            measures: Texts of what was measured; there is no value where a run failed.

        Raises:
            StudyError: There is no space left, or the folder cannot be written to any more.
        """
        import pandas as pd

        from impulse_core.recording import write_atomically

        rows = list(rows)
        table: dict[str, Any] = {"run": [row.key for row in rows]}
        table |= {path: [row.values.get(path) for row in rows] for path in columns}
        for text in measures:
            # What is only measured, as a mass, may be varied as well.
            name = f"measure {text}" if text in table else text
            table[name] = pd.array([row.measures.get(text) for row in rows], dtype="Float64")
        for name in ("status", "message", "state_sha256", "steps"):
            table[name] = [getattr(row, name) for row in rows]
        path = self.folder / TABLE
        with _named(self.folder):
            write_atomically(path, pd.DataFrame(table).to_parquet(index=False))
        return path

    def _keep_recording(self, row: Row) -> None:
        from impulse_core.recording import write_atomically

        path = self._recording(row.key)
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, row.recording)

    def _recording(self, key: str) -> Path:
        return self.folder / _RECORDINGS / f"{key}.npz"

    def _read(self) -> None:
        """Read all whole lines; what follows them was being written when a process was killed."""
        self._file.seek(0)
        for line in self._file:
            if row := _row_of(line):
                self._rows[row.key] = row
            elif not line.endswith(b"\n"):
                self._file.write(b"\n")


def _row_of(line: bytes) -> Row | None:
    try:
        values = json.loads(line)
        return Row(**values) if isinstance(values, dict) else None
    except (ValueError, TypeError):
        return None


@contextmanager
def _named(folder: Path) -> Iterator[None]:
    """Errors of files as a sentence that says how to go on."""
    from impulse_core import RecordingError

    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
    except RecordingError as error:
        reason = str(error).rstrip(".")
    else:
        return
    raise StudyError(
        f"{folder} cannot be written: {reason}. What is in it is kept: the same command goes on"
        " from there."
    )


def _lock(file: int, folder: Path) -> None:
    """Refuse a second process that would write the same rows; a killed one locks nothing."""
    try:
        import fcntl
    except ImportError:  # Windows, where two at once compute rows twice and lose none
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise StudyError(
            f"another process writes to {folder}; wait for it or name another folder."
        ) from None
    except OSError:  # a file system without locks
        return
