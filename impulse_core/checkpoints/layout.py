"""Arrays as descriptions and bytes that are the same on every machine, without padding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "described",
    "differences",
    "field_bytes",
    "fields",
    "fill",
    "is_plain",
    "kind_of",
    "packed_size",
]

_KINDS = "biufc"  # truth values, whole numbers, numbers, complex numbers
_LARGEST = {"b": 1, "i": 8, "u": 8, "f": 8, "c": 16}  # bytes that mean the same everywhere


def is_plain(kind: np.dtype[Any]) -> bool:
    """Whether a type is of numbers only, whose bytes mean the same on every machine."""
    if kind.subdtype is not None:
        return is_plain(kind.subdtype[0])
    if kind.names is not None and kind.fields is not None:
        return all(is_plain(kind.fields[name][0]) for name in kind.names)
    return kind.kind in _KINDS and kind.itemsize <= _LARGEST[kind.kind]


def described(kind: np.dtype[Any]) -> Any:
    """A type as values of JSON: names, formats, offsets and size of its records."""
    if kind.subdtype is not None:
        base, shape = kind.subdtype
        return {"format": described(base), "shape": list(shape)}
    if kind.names is not None and kind.fields is not None:
        return {
            "names": list(kind.names),
            "formats": [described(kind.fields[name][0]) for name in kind.names],
            "offsets": [kind.fields[name][1] for name in kind.names],
            "itemsize": kind.itemsize,
        }
    return kind.newbyteorder("<").str


def kind_of(description: Any) -> np.dtype[Any]:
    """The type that ``described`` has described."""
    if isinstance(description, str):
        return np.dtype(description).newbyteorder("=")
    if "names" not in description:
        return np.dtype((kind_of(description["format"]), tuple(description["shape"])))
    record: Any = {**description, "formats": [kind_of(f) for f in description["formats"]]}
    kind: np.dtype[Any] = np.dtype(record)
    return kind


def fields(kind: np.dtype[Any], path: str = "") -> dict[str, str]:
    """Each number of a type, by its path as in ``motor.lower``: what it is and how many."""
    if kind.subdtype is not None:
        base, shape = kind.subdtype
        inner = fields(base, path)
        return {name: f"{what} {'x'.join(map(str, shape))}" for name, what in inner.items()}
    if kind.names is not None and kind.fields is not None:
        found: dict[str, str] = {}
        for name in kind.names:
            found |= fields(kind.fields[name][0], f"{path}.{name}" if path else name)
        return found
    return {path: kind.newbyteorder("<").str.lstrip("<|")}


def differences(kind: Any, wanted: np.dtype[Any]) -> str:
    """In what the description of a type differs from a type, by the first of its fields; or ""."""
    theirs, ours = _fields_described(kind), fields(wanted)
    for name in [*ours, *theirs]:
        place = f"field '{name}'" if name else "content"
        if name not in theirs:
            return f"has no {place}"
        if name not in ours:
            return f"has a {place} that is not known"
        if theirs[name] != ours[name]:
            return f"has a {place} of {theirs[name]} instead of {ours[name]}"
    return "" if kind == described(wanted) else "has its fields in another order or place"


def _fields_described(kind: Any, path: str = "") -> dict[str, str]:
    """The same as ``fields``, of a description."""
    if isinstance(kind, str):
        return {path: kind.lstrip("<|")}
    if "names" not in kind:
        inner = _fields_described(kind["format"], path)
        shape = "x".join(map(str, kind["shape"]))
        return {name: f"{what} {shape}" for name, what in inner.items()}
    found: dict[str, str] = {}
    for name, held in zip(kind["names"], kind["formats"], strict=True):
        found |= _fields_described(held, f"{path}.{name}" if path else name)
    return found


def field_bytes(array: NDArray[Any]) -> Iterator[bytes]:
    """The numbers of an array, field after field, little-endian, without what lies between."""
    if array.dtype.names is not None:
        for name in array.dtype.names:
            yield from field_bytes(array[name])
    else:
        yield array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()


def fill(array: NDArray[Any], data: memoryview) -> memoryview:
    """Take the numbers of an array from the beginning of its ``field_bytes``; what follows them."""
    if array.dtype.names is not None:
        for name in array.dtype.names:
            data = fill(array[name], data)
        return data
    stored = np.frombuffer(data[: array.nbytes], array.dtype.newbyteorder("<"))
    array[...] = stored.reshape(array.shape)
    return data[array.nbytes :]


def packed_size(kind: np.dtype[Any]) -> int:
    """Bytes of one element without what lies between its fields."""
    if kind.subdtype is not None:
        base, shape = kind.subdtype
        return packed_size(base) * int(np.prod(shape, dtype=np.int64))
    if kind.names is not None and kind.fields is not None:
        return sum(packed_size(kind.fields[name][0]) for name in kind.names)
    return kind.itemsize
