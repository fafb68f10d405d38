"""Choosing the file format of a recording by the file's extension."""

from __future__ import annotations

import os
from collections.abc import Callable

from . import json_file, npz_file
from .errors import RecordingError
from .files import check_suffix, read_regular_file, write_atomically
from .recording import Recording

__all__ = ["LARGEST_FILE", "SUFFIXES", "load_recording", "save_recording"]

LARGEST_FILE = 2**33  # [bytes]

_WRITERS: dict[str, Callable[[Recording], bytes]] = {
    ".json": json_file.encode,
    ".npz": npz_file.encode,
}
_READERS: dict[str, Callable[[bytes], Recording]] = {
    ".json": json_file.decode,
    ".npz": npz_file.decode,
}

SUFFIXES = tuple(_WRITERS)
"""File name extensions a recording can be written to and read from."""


def save_recording(recording: Recording, path: str | os.PathLike[str]) -> None:
    """Write ``recording`` atomically in the format that the extension of ``path`` names."""
    encode = _WRITERS[check_suffix(path, SUFFIXES)]
    try:
        data = encode(recording)
    except RecordingError as error:
        raise error.in_file(os.fspath(path)) from None
    write_atomically(path, data)


def load_recording(path: str | os.PathLike[str]) -> Recording:
    """Read a recording, .json or .npz, and check that it is whole and fits together.

    Raises:
        RecordingError: naming the file and the part of it, if the file is missing, a pipe or a
            device, larger than 8 GiB, not an animation, truncated or damaged, unpacks to a size
            out of proportion, was written by a newer version, or holds numbers that do not fit
            together or are not finite.
    """
    decode = _READERS[check_suffix(path, SUFFIXES)]
    try:
        return decode(read_regular_file(path, LARGEST_FILE))
    except RecordingError as error:
        raise error.in_file(os.fspath(path)) from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise RecordingError(f"cannot be read: {reason}.", file=os.fspath(path)) from error
