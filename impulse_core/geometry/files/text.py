"""Numbers out of lines of text, a million lines at a time, with the line at fault by number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from impulse_core.geometry.files.error import MeshFileError

__all__ = ["quoted", "require_known_vertices", "split_lines", "table", "whole_numbers"]


def split_lines(data: bytes) -> list[bytes]:
    """Lines without the blanks around them; any of the three line endings."""
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    return list(map(bytes.strip, data.split(b"\n")))


def table(
    lines: Sequence[bytes], at: Sequence[int], first: int, columns: int, first_line: int = 1
) -> NDArray[np.float64]:
    """Words ``first`` to ``first + columns`` of the lines numbered ``at``, as floats.

    Shape (len(at), columns). ``lines[0]`` is line number ``first_line`` of the file. Raises
    ``MeshFileError`` for a line that has too few words or a word that is no finite number.
    """
    last = first + columns
    words = chain.from_iterable(lines[i].split(None, last)[first:last] for i in at)
    try:
        values = np.fromiter(map(float, words), np.float64, len(at) * columns)
    except ValueError:
        values = None
    if values is None or not np.all(np.isfinite(values)):
        raise _fault(lines, at, first, columns, first_line)
    return values.reshape(len(at), columns)


def whole_numbers(words: Iterable[bytes], count: int) -> NDArray[np.int64] | None:
    """``count`` words as integers, or None if one is no integer or there are not as many."""
    try:
        return np.fromiter(map(int, words), np.int64, count)
    except (ValueError, OverflowError):
        return None


def require_known_vertices(
    corners: NDArray[np.int64],
    offsets: NDArray[np.int64],
    vertex_count: int,
    line_of_face: Callable[[int], int] | None = None,
) -> None:
    """Raises ``MeshFileError`` if a face refers to a vertex that is not there (from 0)."""
    wrong = np.flatnonzero((corners < 0) | (corners >= vertex_count))
    if len(wrong) == 0:
        return
    face = int(np.searchsorted(offsets, wrong[0], side="right")) - 1
    raise MeshFileError(
        f"face {face} refers to vertex {corners[wrong[0]]}, but there are {vertex_count} vertices,"
        " counted from 0.",
        line=None if line_of_face is None else line_of_face(face),
    )


def quoted(line: bytes) -> str:
    """The beginning of a line, fit for a message."""
    text = line[:40].decode("ascii", errors="replace")
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return f"'{shown}{'…' if len(line) > 40 else ''}'"


def _fault(
    lines: Sequence[bytes], at: Sequence[int], first: int, columns: int, first_line: int
) -> MeshFileError:
    """Slow second look, for the first line that is at fault."""
    for i in at:
        words = lines[i].split()[first : first + columns]
        if len(words) < columns:
            return MeshFileError(
                f"{quoted(lines[i])} has {len(words)} numbers where {columns} are needed.",
                line=first_line + i,
            )
        for word in words:
            if not _is_finite_number(word):
                return MeshFileError(
                    f"{quoted(word)} in {quoted(lines[i])} is not a finite number.",
                    line=first_line + i,
                )
    raise AssertionError("no line is at fault")


def _is_finite_number(word: bytes) -> bool:
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False
