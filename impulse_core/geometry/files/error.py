"""What every mesh reader raises."""

from __future__ import annotations

from pathlib import Path

__all__ = ["MeshFileError"]


class MeshFileError(ValueError):
    """A mesh file that cannot be read; ``str()`` gives file, line and what is wrong.

    Attributes:
        reason: what is wrong, as the end of a sentence that begins with the file's name.
        line: number of the line, from 1; None in binary files.
        path: the file; None while a parser does not know it.
    """

    def __init__(self, reason: str, *, line: int | None = None, path: Path | None = None) -> None:
        self.reason = reason
        self.line = line
        self.path = path
        place = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(place + reason)
