"""The one exception of this package."""

from __future__ import annotations

__all__ = ["RecordingError"]


class RecordingError(Exception):
    """A recording that cannot be built, read or written.

    Attributes:
        message: what is wrong, as a sentence.
        key: the part of the recording concerned, as in ``bodies.hook.position``, or "".
        file: path of the file, or "" where there is none.
    """

    def __init__(self, message: str, *, key: str = "", file: str = "") -> None:
        self.message = message
        self.key = key
        self.file = file
        super().__init__(": ".join(part for part in (file, key, message) if part))

    def in_file(self, file: str) -> RecordingError:
        """The same error, naming the file."""
        return RecordingError(self.message, key=self.key, file=file)
