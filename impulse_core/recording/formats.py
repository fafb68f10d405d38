"""Choosing the file format of a recording by the file's extension."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

from . import chunked_file, json_file, npz_file
from .data import RecordingData
from .errors import RecordingError
from .files import check_suffix, errors_naming, read_regular_file, write_atomically

__all__ = ["LARGEST_FILE", "SUFFIXES", "read_recording", "save_recording"]

_Made = TypeVar("_Made")

LARGEST_FILE = 2**33  # [bytes]

_WRITERS: dict[str, Callable[[RecordingData], bytes]] = {
    ".json": json_file.encode,
    ".npz": npz_file.encode,
    ".imprec": chunked_file.encode,
}
_READERS: dict[str, Callable[[bytes], dict[str, Any]]] = {
    ".json": json_file.decode,
    ".npz": npz_file.decode,
    ".imprec": chunked_file.decode,
}

SUFFIXES = tuple(_WRITERS)
"""File name extensions a recording can be written to and read from."""


def save_recording(recording: RecordingData, path: str | os.PathLike[str]) -> None:
    """Write ``recording`` atomically in the format that the extension of ``path`` names."""
    encode = _WRITERS[check_suffix(path, SUFFIXES)]
    try:
        data = encode(recording)
    except RecordingError as error:
        raise error.in_file(os.fspath(path)) from None
    write_atomically(path, data)


def read_recording(path: str | os.PathLike[str], make: Callable[..., _Made]) -> _Made:
    """What ``make`` makes of the fields in a file; its errors name the file."""
    decode = _READERS[check_suffix(path, SUFFIXES)]
    with errors_naming(path):
        return make(**decode(read_regular_file(path, LARGEST_FILE)))
