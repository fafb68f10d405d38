"""Records with lists in binary PLY: all of one length at once, or a walk from record to record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct, error

import numpy as np
from numpy.typing import NDArray

__all__ = ["Lists", "read_lists"]

Ints = NDArray[np.int64]
Layout = Sequence[tuple[str, str]]  # per property: type of an item, and of a list its count's

_STRUCT_LETTERS = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I"}


@dataclass(frozen=True, eq=False)
class Lists:
    """The wanted list property of all records.

    Attributes:
        items: the lists one after the other, shape (K,).
        counts: length of each list, shape (count,).
        end: position of the byte after the last record.
    """

    items: Ints
    counts: Ints
    end: int


def read_lists(
    data: bytes, position: int, count: int, layout: Layout, wanted: int | None
) -> Lists | None:
    """Read ``count`` records; None if the data end before them or a list length is negative.

    ``wanted`` is the number of the property to return; with None the records are only skipped.
    """
    if position + count * _smallest_record(layout) > len(data):
        return None
    if count == 0:
        return Lists(np.zeros(0, np.int64), np.zeros(0, np.int64), position)
    return _read_uniform(data, position, count, layout, wanted) or _walk(
        data, position, count, layout, wanted
    )


def _smallest_record(layout: Layout) -> int:
    return sum(np.dtype(count_type or item_type).itemsize for item_type, count_type in layout)


def _read_uniform(
    data: bytes, position: int, count: int, layout: Layout, wanted: int | None
) -> Lists | None:
    """Fast reading where every list is as long as in the first record; None where it is not."""
    lengths = _list_lengths(data, position, layout)
    if lengths is None:
        return None
    fields: list[tuple[str, str] | tuple[str, str, tuple[int]]] = []
    for number, (item_type, count_type) in enumerate(layout):
        if count_type:
            fields.append((f"count{number}", count_type))
            fields.append((f"items{number}", item_type, (lengths[number],)))
        else:
            fields.append((f"scalar{number}", item_type))
    record = np.dtype(fields)
    end = position + count * record.itemsize
    if end > len(data):
        return None
    rows = np.frombuffer(data, record, count, position)
    for number, (_, count_type) in enumerate(layout):
        if count_type and not np.all(rows[f"count{number}"] == lengths[number]):
            return None
    if wanted is None:
        return Lists(np.zeros(0, np.int64), np.zeros(0, np.int64), end)
    items = rows[f"items{wanted}"].astype(np.int64).reshape(-1)
    return Lists(items, np.full(count, lengths[wanted], dtype=np.int64), end)


def _list_lengths(data: bytes, position: int, layout: Layout) -> list[int] | None:
    """Length of each list of the record at ``position`` (0 for scalars)."""
    lengths = []
    for item_type, count_type in layout:
        length = 1
        if count_type:
            size = np.dtype(count_type).itemsize
            if position + size > len(data):
                return None
            length = int(np.frombuffer(data, count_type, 1, position)[0])
            position += size
        if length < 0:
            return None
        position += length * np.dtype(item_type).itemsize
        if position > len(data):
            return None
        lengths.append(length if count_type else 0)
    return lengths


def _walk(
    data: bytes, position: int, count: int, layout: Layout, wanted: int | None
) -> Lists | None:
    """Record by record, where lists differ in length."""
    steps = [
        (
            np.dtype(item_type).itemsize,
            Struct(count_type[0] + _STRUCT_LETTERS[count_type[1:]]) if count_type else None,
            number == wanted,
        )
        for number, (item_type, count_type) in enumerate(layout)
    ]
    starts = np.zeros(count, dtype=np.int64)
    counts = np.zeros(count, dtype=np.int64)
    for record in range(count):
        for size, count_struct, is_wanted in steps:
            length = 1
            if count_struct is not None:
                try:
                    (length,) = count_struct.unpack_from(data, position)
                except error:
                    return None
                position += count_struct.size
                if length < 0:
                    return None
            if is_wanted:
                starts[record] = position
                counts[record] = length
            position += length * size
            if position > len(data):
                return None
    if wanted is None:
        return Lists(np.zeros(0, np.int64), counts, position)
    return Lists(_gather(data, starts, counts, layout[wanted][0]), counts, position)


def _gather(data: bytes, starts: Ints, counts: Ints, item_type: str) -> Ints:
    """Items of lists that begin at the bytes ``starts``: all lists of one length together."""
    raw = np.frombuffer(data, np.uint8)
    size = np.dtype(item_type).itemsize
    offsets = np.concatenate([[0], np.cumsum(counts)])
    items = np.empty(offsets[-1], dtype=np.int64)
    for length in np.unique(counts[counts > 0]):
        chosen = np.flatnonzero(counts == length)
        chunk = raw[starts[chosen, None] + np.arange(length * size)]
        into = offsets[:-1][chosen, None] + np.arange(length)
        items[into] = chunk.view(item_type)
    return items
