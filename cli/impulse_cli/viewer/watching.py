"""Notices when the file of a scene was written anew."""

from __future__ import annotations

from pathlib import Path

__all__ = ["FileWatch"]

_Mark = tuple[int, int, int] | None


class FileWatch:
    """Looks at a file from time to time.

    A file that editors replace is another one, and one that is gone for a moment is no change.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = self._mark()

    def has_changed(self) -> bool:
        """Whether it was written since the last look."""
        mark = self._mark()
        if mark is None or mark == self._known:
            return False
        self._known = mark
        return True

    def _mark(self) -> _Mark:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size
