"""The file of frames that grows with a simulation, and what killed simulations leave of it."""

from __future__ import annotations

import errno
import os
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .chunked_file import end_content, frames_content, header_content
from .chunks import END, FRAMES, HEADER, MAGIC, MARK, ChunkReader, ChunkWriter, has_end
from .data import RecordingData
from .errors import RecordingError
from .files import (
    check_output,
    check_suffix,
    left_beside,
    new_beside,
    put_in_place,
    reason_of,
    target_of,
)
from .quaternions import sign_continuous

__all__ = ["GROWING", "GrowingFile", "unfinished_beside"]

GROWING = ".imprec"

_SECONDS_UNSAFE = 1.0  # that a power cut may take from a run, besides the frame under way
_ENOUGH = 2**26  # bytes in which the first frames are looked for


class GrowingFile:
    """Frames on their way to a file, of which all that were added can be read at any moment.

    Nothing here fails: a run is not to end because a disk is full. What went wrong is told by
    ``problem``, and the frames are still in memory.

    Attributes:
        path: where the frames are; None before the first.
        problem: why the file holds no further frames, as a sentence, or "".
        notes: sentences about files that were put aside for this one.
        is_hidden: whether the file only stands in for the output until that is written.
        is_whole: whether the file has its end.
    """

    def __init__(
        self,
        output: str | os.PathLike[str],
        *,
        is_hidden: bool = False,
        numbers: str = "float64",
    ) -> None:
        """Frames for an output.

        Args:
            output: the .imprec file that is to grow, or, if hidden, the file of any format beside
                which the frames are kept until it is written. The first frames replace what is
                there; a recording of a run that never ended is put aside.
            is_hidden: whether the frames have a file of their own, to be discarded in the end.
            numbers: in which precision they are written, "float64" or "float32".

        Raises:
            RecordingError: naming ``output``, if it cannot be written.
        """
        if not is_hidden:
            check_output(output, (GROWING,))
        self.path: Path | None = None
        self.problem = ""
        self.notes: list[str] = []
        self.is_whole = False
        self._output = output
        self._numbers = numbers
        self.is_hidden = is_hidden
        self._is_in_place = False
        self._writer = ChunkWriter()
        self._size = 0  # of what is whole [B]
        self._checksum = b""  # of the last chunk of it
        self._identity = (0, 0)
        self._synced = time.monotonic()
        self._last: NDArray[np.float64] | None = None  # orientations of the last frame

    def add(self, part: RecordingData, *, is_synced: bool = False) -> None:
        """Write frames that follow those before, with their contact points and the events since;
        synced: so that a power cut does not take them.

        The first part also says what frames hold; its diagnostics are those of a file without end.
        """
        if self.problem:
            return
        try:
            first = b"" if self.path else MARK + self._writer.chunk(HEADER, self._header(part))
            frames = frames_content(self._continued(part), self._numbers)
            chunk = self._writer.chunk(FRAMES, *frames)
            if self.path is None:
                self._begin()
            self._write(first + chunk, is_synced=self._is_time_to_sync() or is_synced)
            if first and not self.is_hidden:
                self._take_place()
        except (OSError, MemoryError, RecordingError) as error:
            self._give_up(error)

    def end(self, recording: RecordingData, told: int = 0) -> None:
        """Write whether the recording is complete, its events but for so many that parts had, and
        its diagnostics.
        """
        if self.problem or self.path is None:
            return
        try:
            chunk = self._writer.chunk(END, end_content(recording, told))
            self._write(chunk, is_synced=not self.is_hidden)
            self.is_whole = True
        except (OSError, MemoryError, RecordingError) as error:
            self._give_up(error)

    def discard(self) -> None:
        """Remove the file, but not the output itself."""
        if self.path is not None and not self._is_in_place:
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
            self.path = None

    def place(self) -> dict[str, Any]:
        """Where the last chunk ends, as values of JSON, for ``resumed``."""
        last = None if self._last is None else self._last.tolist()
        return {"size": self._size, "checksum": self._checksum.hex(), "last": last}

    @classmethod
    def resumed(
        cls, output: str | os.PathLike[str], place: dict[str, Any], *, numbers: str = "float64"
    ) -> GrowingFile:
        """The file of an output, to go on at a place; what it holds behind it is overwritten.

        Raises:
            RecordingError: naming the file, if it is not there, cannot be written, or does not hold
                the chunk that ends at the place.
        """
        file = cls(output, numbers=numbers)
        file.path, file._is_in_place = target_of(output), True
        file._size = place["size"]
        file._checksum = bytes.fromhex(place["checksum"])
        file._writer = ChunkWriter(file._checksum)
        file._last = None if place["last"] is None else np.array(place["last"])
        try:
            with file.path.open("r+b") as opened:
                status = os.fstat(opened.fileno())
                opened.seek(max(0, file._size - len(file._checksum)))
                is_there = opened.read(len(file._checksum)) == file._checksum
        except OSError as error:
            raise RecordingError(
                f"cannot be gone on with: {reason_of(error)}.", file=os.fspath(output)
            ) from error
        if not is_there:
            raise RecordingError(
                "does not hold the frames of the run that is to go on.", file=os.fspath(output)
            )
        file._identity = status.st_dev, status.st_ino
        return file

    def _header(self, part: RecordingData) -> bytes:
        return header_content(part, self._numbers)

    def _continued(self, part: RecordingData) -> RecordingData:
        """The part with quaternions on the side of those before."""
        orientations = part.orientations
        if self._last is not None:
            orientations = np.concatenate([self._last[np.newaxis], orientations])
        orientations = sign_continuous(orientations)
        if len(part.times):
            self._last = orientations[-1].copy()
        return replace(part, orientations=orientations[len(orientations) - len(part.times) :])

    def _begin(self) -> None:
        self.path = new_beside(target_of(self._output), self._output, GROWING)
        status = self.path.stat()
        self._identity = status.st_dev, status.st_ino

    def _is_time_to_sync(self) -> bool:
        now = time.monotonic()
        is_time = now - self._synced >= _SECONDS_UNSAFE
        if is_time:
            self._synced = now
        return is_time

    def _write(self, data: bytes, *, is_synced: bool) -> None:
        """Put chunks behind those that are whole, over what an attempt before may have left."""
        assert self.path is not None
        with self.path.open("r+b") as file:
            status = os.fstat(file.fileno())
            if (status.st_dev, status.st_ino) != self._identity:
                raise RecordingError("another program has put a file in its place.")
            if status.st_size > self._size:
                file.truncate(self._size)
            file.seek(self._size)
            file.write(data)
            file.flush()
            if is_synced:
                os.fsync(file.fileno())
        self._size += len(data)
        self._checksum = self._writer.checksum

    def _take_place(self) -> None:
        """Give the file the name of the output."""
        assert self.path is not None
        target = target_of(self._output)
        if _is_unfinished(target):
            aside = new_beside(target, self._output, GROWING)
            target.replace(aside)
            self.notes.append(
                f"{os.fspath(self._output)} held the frames of a run that did not end; they are in"
                f" {aside} now"
            )
        put_in_place(self.path, target)
        self.path, self._is_in_place = target, True

    def _give_up(self, error: Exception) -> None:
        if isinstance(error, OSError):
            reason = reason_of(error)
        else:
            reason = getattr(error, "message", "") or "there is not enough memory"
        self.problem = (
            f"{os.fspath(self._output)}: frames could not be kept while they were computed:"
            f" {reason.rstrip('.')}"
        )
        full = isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}
        if full or self._size == 0 or not self.is_hidden:
            self.discard()  # the room may be what the output needs in the end


def unfinished_beside(output: str | os.PathLike[str]) -> list[Path]:
    """Files with frames of killed runs to this output; those without a frame are removed.

    Raises:
        RecordingError: if ``output`` is not the name of a file.
    """
    kept = []
    for path in left_beside(target_of(output), GROWING):
        with suppress(OSError):
            if _may_hold_frames(path):
                kept.append(path)
            else:
                path.unlink()
    return kept


def _may_hold_frames(path: Path) -> bool:
    """Whether there are whole frames; yes also where a newer release wrote them."""
    with path.open("rb") as file:
        data = file.read(_ENOUGH)
    if not data.startswith(MARK):
        return data.startswith(MAGIC) and len(data) > len(MARK)
    return len(data) == _ENOUGH or any(kind == FRAMES for kind, _ in ChunkReader(data))


def _is_unfinished(path: Path) -> bool:
    """Whether a file holds frames and no end."""
    try:
        check_suffix(path, (GROWING,))
        if not _may_hold_frames(path):
            return False
        with path.open("rb") as file:
            return not has_end(file)
    except (OSError, RecordingError):
        return False
