"""The layout of a recording that is written piece by piece (docs/design/chunks.md).

A file is a mark of 16 bytes and then chunks, one after the other:

    kind       8 bytes    "header", "frames" or "end", filled up with zeros
    length     u64        of the content [B]
    content    length     a multiple of 8 bytes
    checksum   32 bytes   SHA-256 of the checksum before it, kind, length and content

All numbers are little-endian. The first checksum follows the 32 bytes of the SHA-256 of the mark.
So a chunk is known to be whole, to be this one and to stand in its place, whatever became of what
follows it, and nothing that was written is ever touched again.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator
from typing import BinaryIO

from .errors import RecordingError

__all__ = [
    "END",
    "FRAMES",
    "HEADER",
    "MAGIC",
    "MARK",
    "ChunkIndex",
    "ChunkReader",
    "ChunkWriter",
    "has_end",
]

HEADER, FRAMES, END = b"header", b"frames", b"end"

MAGIC = b"\x89IMPREC\n"  # no text, and a line end that careless copying would change
_VERSION = 1
MARK = MAGIC + _VERSION.to_bytes(8, "little")
"""The first 16 bytes: what the file is, and the version of this layout."""

_HEAD = struct.Struct("<8sQ")
_CHECKSUM = 32  # [B]


class ChunkWriter:
    """Makes the bytes of chunks, in their order.

    Attributes:
        checksum: of the last.
    """

    def __init__(self, checksum: bytes | None = None) -> None:
        """Chunks from the beginning of a file, or those that follow one with this checksum."""
        self.checksum = hashlib.sha256(MARK).digest() if checksum is None else checksum

    def chunk(self, kind: bytes, *content: bytes) -> bytes:
        """The next chunk of a file; its content is the parts one after the other."""
        length = sum(len(part) for part in content)
        head = _HEAD.pack(kind, length)
        self.checksum = _checksum(self.checksum, head, *content)
        return b"".join([head, *content, self.checksum])


class ChunkReader:
    """Finds the whole chunks at the beginning of some bytes.

    Attributes:
        end: where the last whole chunk ends that was found so far [B].
        checksum: of that chunk.
        is_damaged: whether the next one is there to its last byte, but not as it was written.

    Raises:
        RecordingError: if the bytes do not begin with the mark of this version.
    """

    def __init__(self, data: bytes | memoryview, checksum: bytes | None = None) -> None:
        """Chunks from the beginning of a file, or those that follow one with this checksum."""
        self._data = memoryview(data)
        self.end = 0
        self.is_damaged = False
        if checksum is None:
            _check_mark(bytes(self._data[: len(MARK)]))
            self.end, checksum = len(MARK), hashlib.sha256(MARK).digest()
        self.checksum = checksum

    def has_next(self) -> bool:
        """Whether the next chunk is there to its last byte."""
        return _content(self._data, self.end) is not None

    def __iter__(self) -> Iterator[tuple[bytes, memoryview]]:
        """Kind and content of each, up to the first that is not whole."""
        while (content := _content(self._data, self.end)) is not None:
            first, last = content
            head, body = self._data[self.end : first], self._data[first:last]
            checksum = _checksum(self.checksum, head, body)
            if self._data[last : last + _CHECKSUM] != checksum:
                self.is_damaged = True
                return
            self.end, self.checksum = last + _CHECKSUM, checksum
            yield _kind(head), body


class ChunkIndex:
    """Where the chunks of a file lie, by their lengths alone; each is checked when it is read.

    Attributes:
        chunks: Kind and first byte of each that is there to its last byte.
        size: Of the file [B].
    """

    def __init__(self, file: BinaryIO) -> None:
        _check_mark(file.read(len(MARK)))
        self._file = file
        self.size, place = file.seek(0, os.SEEK_END), len(MARK)
        self.chunks: list[tuple[bytes, int]] = []
        while place + _HEAD.size <= self.size and self._ends_open():
            file.seek(place)
            head = file.read(_HEAD.size)
            behind = place + _HEAD.size + _HEAD.unpack(head)[1] + _CHECKSUM
            if behind > self.size:
                break
            self.chunks.append((_kind(head), place))
            place = behind

    def _ends_open(self) -> bool:
        return END not in {kind for kind, _ in self.chunks[-1:]}

    def beginning(self, place: int, size: int) -> bytes:
        """The first bytes of the content of a chunk, unchecked."""
        self._file.seek(place + _HEAD.size)
        return self._file.read(size)

    def content(self, place: int) -> memoryview:
        """The content of a chunk.

        Raises:
            RecordingError: It is not as it was written, or does not belong behind the one before.
        """
        before = hashlib.sha256(MARK).digest()
        if place > len(MARK):
            self._file.seek(place - _CHECKSUM)
            before = self._file.read(_CHECKSUM)
        self._file.seek(place)
        head = self._file.read(_HEAD.size)
        content = self._file.read(_HEAD.unpack(head)[1])
        if self._file.read(_CHECKSUM) != _checksum(before, head, content):
            raise RecordingError(f"is damaged at byte {place}.")
        return memoryview(content)


def has_end(file: BinaryIO) -> bool:
    """Whether chunks lead to an end, by their lengths alone."""
    size, place = file.seek(0, os.SEEK_END), len(MARK)
    while place + _HEAD.size <= size:
        file.seek(place)
        head = file.read(_HEAD.size)
        length: int = _HEAD.unpack(head)[1]
        place += _HEAD.size + length + _CHECKSUM
        if _kind(head) == END:
            return place <= size
    return False


def _check_mark(mark: bytes) -> None:
    if len(mark) < len(MARK) and MARK.startswith(mark):
        raise RecordingError("is truncated: not even its header is there.")
    if not mark.startswith(MAGIC):
        raise RecordingError("is not a recording: it does not begin as those do.")
    version = int.from_bytes(mark[len(MAGIC) :], "little")
    if version != _VERSION:
        raise RecordingError(
            f"was written by a newer release (version {version} of the layout; this one reads"
            f" version {_VERSION}), or is damaged; update this program."
        )


def _content(data: memoryview, place: int) -> tuple[int, int] | None:
    """Where the content of the chunk at ``place`` lies; None if not all of it is there."""
    first = place + _HEAD.size
    if first > len(data):
        return None
    _, length = _HEAD.unpack(data[place:first])
    last = first + length
    return (first, last) if last + _CHECKSUM <= len(data) else None


def _kind(head: bytes | memoryview) -> bytes:
    return bytes(head[:8]).rstrip(b"\0")


def _checksum(before: bytes, *parts: bytes | memoryview) -> bytes:
    digest = hashlib.sha256(before)
    for part in parts:
        digest.update(part)
    return digest.digest()
