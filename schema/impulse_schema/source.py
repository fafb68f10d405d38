"""Where a scene was read from: the file's bytes and the place of every element in them.

A ``Path`` of a scene is written in model terms, as in ``("bodies", 3, "geometry", 0, "radius")``.
Places are looked up only when there is something to report.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

ScenePath = tuple[str | int, ...]


class Place(NamedTuple):
    """A line and a column, both counted from 1."""

    line: int
    column: int


class Origin(NamedTuple):
    """Where the file holds an element, and the uses that made a copy of it, innermost first."""

    path: ScenePath
    uses: tuple[ScenePath, ...] = ()


class Origins:
    """Where the file holds the elements of a scene whose parts were expanded.

    What no use made stands first in its list, so that its path is the same in both.
    """

    def __init__(self, written: Any, lists: Mapping[ScenePath, Sequence[Origin]]) -> None:
        """``written`` is the scene with its parts; ``lists`` has an origin for each element."""
        self.written = written
        self._lists = lists

    def of(self, path: ScenePath) -> Origin:
        """The origin of what ``path`` names in the expanded scene."""
        for length in (1, 2):
            origins = self._lists.get(path[:length], ())
            index = path[length] if length < len(path) else None
            if isinstance(index, int) and index < len(origins):
                origin = origins[index]
                return Origin((*origin.path, *path[length + 1 :]), origin.uses)
        return Origin(path)


class Layout(Protocol):
    """What a codec knows about the places of a file's parts."""

    def offset(self, path: ScenePath) -> int | None:
        """Byte offset of what ``path`` names, or of the nearest part that holds it."""

    def has(self, path: ScenePath) -> bool:
        """Whether the file itself holds what ``path`` names."""


class Source:
    """A scene file: its path, its text and the layout of its elements."""

    def __init__(
        self,
        path: Path,
        data: bytes,
        layout: Layout,
        *,
        allow_outside: bool,
        origins: Origins | None = None,
    ) -> None:
        self.path = path
        self.data = data
        self.layout = layout
        self.allow_outside = allow_outside
        self.origins = origins

    def __deepcopy__(self, memo: dict[int, Any]) -> Source:
        return self  # never changes, so copies of a scene share it

    def expanded(self, origins: Origins) -> Source:
        """The same file for a scene whose parts were expanded."""
        return Source(
            self.path, self.data, self.layout, allow_outside=self.allow_outside, origins=origins
        )

    def origin(self, path: ScenePath) -> Origin:
        """Where the file holds what ``path`` names in the scene."""
        return Origin(path) if self.origins is None else self.origins.of(path)

    @property
    def is_json(self) -> bool:
        return self.path.suffix.lower() == ".json"

    def place(self, path: ScenePath) -> Place | None:
        """Line and column of what ``path`` names, or of the nearest part that holds it."""
        offset = self.offset(path)
        return None if offset is None else self.lines.place(offset)

    def has(self, path: ScenePath) -> bool:
        """Whether the file itself holds what ``path`` names (defaults are not in the file)."""
        return self.layout.has(self.origin(path).path)

    def offset(self, path: ScenePath) -> int | None:
        """Byte offset of what ``path`` names, or of the nearest part that holds it."""
        return self.layout.offset(self.origin(path).path)

    @cached_property
    def lines(self) -> LineTable:
        return LineTable(self.data)


class LineTable:
    """Byte offsets of a UTF-8 text as lines and columns; a column counts characters."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._last = (0, 1)  # an offset in a line, and its column: the next one is counted from it
        self._starts = [0]
        start = data.find(b"\n") + 1
        while start:
            self._starts.append(start)
            start = data.find(b"\n", start) + 1

    def place(self, offset: int) -> Place:
        line = bisect_right(self._starts, offset)
        known, column = self._last
        if not self._starts[line - 1] <= known <= offset:
            known, column = self._starts[line - 1], 1
        column += len(self._data[known:offset].decode("utf-8", errors="replace"))
        self._last = (offset, column)
        return Place(line, column)
