"""The file of a state: arrays by name, and what they belong to.

    mark       8 bytes
    version    u32        of this layout
    check      u32        CRC-32 of mark and version, so that damage is not taken for a version
    length     u64        of the header [B]
    header     JSON       ``model``, ``options`` (digests) and ``arrays``: name, type and shape
    arrays                one after the other, field by field, without what lies between fields
    checksum   32 bytes   SHA-256 of all before it

All numbers are little-endian. Nothing is pickled.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from impulse_core.checkpoints.errors import (
    DamagedStateError,
    NewerStateError,
    NotAStateError,
    OtherFieldsError,
    OtherModelError,
    OtherOptionsError,
    StateFileError,
)
from impulse_core.checkpoints.layout import (
    described,
    differences,
    field_bytes,
    fill,
    is_plain,
    kind_of,
    packed_size,
)
from impulse_core.recording import RecordingError, read_regular_file, write_atomically

__all__ = ["read_bytes", "read_state", "write_state"]

_MARK = b"\x89IMSTAT\n"
_VERSION = 1
_BEGINNING = struct.Struct("<8sII")
_LENGTH = struct.Struct("<Q")
_CHECKSUM = 32  # [B]
_LARGEST_FILE = 2**36  # [B]

Kinds = Mapping[str, np.dtype[Any]]


def write_state(
    path: str | os.PathLike[str],
    arrays: Mapping[str, NDArray[Any]],
    *,
    model_digest: str,
    options_digest: str,
) -> None:
    """Write a state; a file that is there is replaced only by the whole new one.

    Args:
        path: The file.
        arrays: By name; of numbers, or records of numbers, of any shape.
        model_digest: Of what the state belongs to.
        options_digest: Of the options it was computed with.

    Raises:
        StateFileError: The file cannot be written.
        TypeError: An array holds something that is not a number.
    """
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    for name, array in arrays.items():
        if not is_plain(array.dtype):
            raise TypeError(f"{name}: {array.dtype} holds something that is not a number.")
    entries = [
        {"name": name, "type": described(array.dtype), "shape": list(array.shape)}
        for name, array in arrays.items()
    ]
    header = json.dumps({"model": model_digest, "options": options_digest, "arrays": entries})
    head = header.encode()
    parts = [_beginning(_VERSION), _LENGTH.pack(len(head)), head]
    parts += [part for array in arrays.values() for part in field_bytes(array)]
    data = b"".join(parts)
    try:
        write_atomically(path, data + hashlib.sha256(data).digest())
    except RecordingError as error:
        raise StateFileError(error.message, os.fspath(path)) from error


def read_state(
    path: str | os.PathLike[str],
    *,
    model_digest: str,
    options_digest: str,
    expected: Kinds | None = None,
) -> dict[str, NDArray[Any]]:
    """The arrays of a state, to the last bit; they may be written to.

    Args:
        path: The file.
        model_digest: Of what the state must belong to.
        options_digest: Of the options it must have been computed with.
        expected: The type of each array; None for those that the file names.

    Raises:
        StateFileError: The file cannot be read.
        NotAStateError: It is a file of another kind.
        DamagedStateError: It is not as it was written.
        NewerStateError: A newer Impulse wrote it.
        OtherModelError: It belongs to another scene.
        OtherOptionsError: It was computed with other options.
        OtherFieldsError: It holds other quantities; the message names the first.
    """
    name = os.fspath(path)
    digests, kinds, shapes, body = _opened(path, name)
    _check_digests(digests, (model_digest, options_digest), name)
    if expected is not None:
        _check_fields(kinds, expected, name)
        found = {key: np.dtype(expected[key]) for key in kinds}
    else:
        found = {key: kind_of(kind) for key, kind in kinds.items()}
    arrays = {}
    for key, kind in found.items():
        arrays[key] = np.zeros(shapes[key], dtype=kind)
        body = fill(arrays[key], body)
    return arrays


def read_bytes(path: str | os.PathLike[str], array: str) -> bytes:
    """The bytes of an array of a state, whatever the state belongs to; none if it has no such.

    Raises:
        StateFileError: The file cannot be read, is of another kind, damaged or of a newer Impulse.
    """
    _, kinds, shapes, body = _opened(path, os.fspath(path))
    for key, kind in kinds.items():
        size = math.prod(shapes[key]) * packed_size(kind_of(kind))
        if key == array:
            return bytes(body[:size])
        body = body[size:]
    return b""


def _opened(
    path: str | os.PathLike[str], name: str
) -> tuple[tuple[str, str], dict[str, Any], dict[str, tuple[int, ...]], memoryview]:
    """Digests, types and shapes of the arrays of a state that is whole, and their bytes."""
    data = _read(path, name)
    try:
        header, body = _taken_apart(data)
        kinds = {entry["name"]: entry["type"] for entry in header["arrays"]}
        shapes = {entry["name"]: tuple(entry["shape"]) for entry in header["arrays"]}
        sizes = [math.prod(shapes[key]) * packed_size(kind_of(kind)) for key, kind in kinds.items()]
        is_whole = sum(sizes) == len(body) and len(kinds) == len(header["arrays"])
        digests = header["model"], header["options"]
    except (ValueError, TypeError, KeyError, struct.error, RecursionError, OverflowError):
        is_whole = False
    if not is_whole:
        raise DamagedStateError("is damaged or truncated; it cannot be used.", name)
    return digests, kinds, shapes, body


def _beginning(version: int) -> bytes:
    return _BEGINNING.pack(_MARK, version, zlib.crc32(_MARK + version.to_bytes(4, "little")))


def _read(path: str | os.PathLike[str], name: str) -> bytes:
    """The content of a file that is a state of a version that is known."""
    try:
        data = read_regular_file(path, _LARGEST_FILE)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StateFileError(f"cannot be read: {reason}.", name) from error
    if not data.startswith(_MARK) and not (data and _MARK.startswith(data)):
        raise NotAStateError("is not a state of a simulation.", name)
    version = int.from_bytes(data[8:12], "little")
    if data[: _BEGINNING.size] == _beginning(version) and version > _VERSION:
        raise NewerStateError(
            f"was written for a newer Impulse (version {version} of the layout; this one reads"
            f" version {_VERSION}); update this program.",
            name,
        )
    return data


def _taken_apart(data: bytes) -> tuple[dict[str, Any], memoryview]:
    """Header and arrays; an error of any kind where something is not as it was written."""
    view = memoryview(data)
    whole, checksum = view[:-_CHECKSUM], view[-_CHECKSUM:]
    first = _BEGINNING.size + _LENGTH.size
    if hashlib.sha256(whole).digest() != checksum or whole[: _BEGINNING.size] != _beginning(
        _VERSION
    ):
        raise ValueError
    (length,) = _LENGTH.unpack(whole[_BEGINNING.size : first])
    return json.loads(bytes(whole[first : first + length])), whole[first + length :]


def _check_digests(found: tuple[str, str], wanted: tuple[str, str], name: str) -> None:
    if found[0] != wanted[0]:
        raise OtherModelError("is the state of another scene, or of an older form of it.", name)
    if found[1] != wanted[1]:
        raise OtherOptionsError("is the state of a run with other options.", name)


def _check_fields(found: Mapping[str, Any], expected: Kinds, name: str) -> None:
    for key in [*expected, *found]:
        if key not in found:
            raise OtherFieldsError(f"holds no '{key}'; another release wrote it.", name)
        if key not in expected:
            raise OtherFieldsError(f"holds '{key}', which this release does not know.", name)
        if problem := differences(found[key], np.dtype(expected[key])):
            raise OtherFieldsError(f"'{key}' {problem}; another release wrote it.", name)
