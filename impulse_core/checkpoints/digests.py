"""Digests of arrays: equal numbers, equal digest, wherever and however they lie in memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from impulse_core.checkpoints.layout import field_bytes, fields, is_plain

__all__ = ["digest", "model_digest"]


def digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    """SHA-256 over names, types, shapes and numbers of arrays, in the order of their names.

    Records count field by field, so what lies between their fields does not. One changed bit of a
    number changes the digest, also the sign of zero and the bits of what is no number.

    Args:
        arrays: By name; of numbers, or records of numbers.

    Returns:
        64 hexadecimal digits.

    Raises:
        TypeError: An array holds something that is no number.
    """
    hashed = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name])
        if not is_plain(array.dtype):
            raise TypeError(f"{name}: {array.dtype} holds something that is not a number.")
        kind = list(fields(array.dtype).items())
        hashed.update(_line([name, kind, list(array.shape)]))
        for part in field_bytes(array):
            hashed.update(part)
    return hashed.hexdigest()


def model_digest(model: tuple[Any, ...]) -> str:
    """The same of a named tuple of arrays, records, numbers, texts, None, and further such tuples.

    Args:
        model: What is constant during a run. The names of its fields count, not that of its class.

    Returns:
        64 hexadecimal digits.

    Raises:
        TypeError: Something else is in it; the message says where.
    """
    leaves = dict(_leaves(model, ""))
    arrays = {path: leaf for path, leaf in leaves.items() if isinstance(leaf, np.ndarray)}
    others = {path: leaf for path, leaf in leaves.items() if path not in arrays}
    hashed = hashlib.sha256(_line(sorted(others.items())))
    hashed.update(digest(arrays).encode())
    return hashed.hexdigest()


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """What a tuple holds, by its path; of tuples within it also what they are of."""
    if isinstance(value, tuple):
        names = getattr(value, "_fields", range(len(value)))
        yield path, [str(name) for name in names]
        for name, item in zip(names, value, strict=True):
            yield from _leaves(item, f"{path}.{name}")
    elif isinstance(value, (np.ndarray, np.generic)):
        yield path, np.asarray(value)
    elif value is None or isinstance(value, (bool, int, float, str)):
        yield path, value
    else:
        raise TypeError(f"{path or 'the model'} is {type(value).__name__}, which has no digest.")


def _line(value: Any) -> bytes:
    """A value on a line of JSON, which ends where the next begins."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
