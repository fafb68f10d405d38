"""A recording in chunks, .imprec: a file that can be read while it is written.

The chunks are those of ``chunks``. The content of each:

    header    JSON: the single values of the other formats without ``complete``, the names of
              ``tables``, ``contacts`` (whether they were recorded), ``numbers`` ("float64" or
              "float32") and ``diagnostics``, those that are known at the start
    frames    three u64: how many frames F, contact points K and bytes of JSON B; then F records:
              times (always float64), positions (N, 3), orientations (N, 4), energy (E), momentum
              (P, 3), joint_values (J), joint_vectors (V, 3); then K records: frame, body1, body2
              (i64), point (3), normal (3), force (3); then a JSON list of what happened meanwhile
    end       JSON: ``complete``, ``events`` (those that no frames chunk has) and ``diagnostics``

JSON is filled up with spaces to a multiple of 8 bytes, so that numbers lie where memory can be
mapped. Chunks of other kinds are passed over. Nothing after the end is read.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .chunks import END, FRAMES, HEADER, MARK, ChunkReader, ChunkWriter
from .consistency import numbers
from .data import RecordingData
from .errors import RecordingError
from .header import (
    check_format,
    from_json,
    read_single_values,
    require,
    single_values,
    to_json,
)
from .tables import CONTACT, arrays_of, fields_of, names, names_of, pairs

__all__ = [
    "COUNTS",
    "LARGEST_CHUNK",
    "decode",
    "encode",
    "end_content",
    "fields_from",
    "frame_kinds",
    "frames_content",
    "frames_of",
    "header_content",
    "missing_end",
    "read_frames",
    "read_header",
]

LARGEST_CHUNK = 2**22
"""Content of a chunk, as far as frames can be divided [B]."""

COUNTS = struct.Struct("<3Q")
"""At the beginning of a chunk of frames: how many frames, contact points, and bytes of events."""
_NUMBERS = {"float64": "<f8", "float32": "<f4"}
_POINTS = {
    numbers: np.dtype(
        [
            *((f"{CONTACT}{name}", "<i8") for name in ("frame", "body1", "body2")),
            *((f"{CONTACT}{name}", kind, (3,)) for name in ("point", "normal", "force")),
        ]
    )
    for numbers, kind in _NUMBERS.items()
}


# --------------------------------------------------------------------------------------
# Writing
# --------------------------------------------------------------------------------------


def encode(recording: RecordingData) -> bytes:
    """The bytes of a finished file."""
    writer = ChunkWriter()
    header = header_content(replace(recording, diagnostics={}))
    chunks = [MARK, writer.chunk(HEADER, header)]
    frames, size = len(recording.times), 8 + _bytes_per_frame(recording)
    edges = [*range(0, frames, max(1, LARGEST_CHUNK // size)), frames]
    for first, last in pairwise(edges):
        content = frames_content(frames_of(recording, first, last))
        chunks.append(writer.chunk(FRAMES, *content))
    return b"".join([*chunks, writer.chunk(END, end_content(recording))])


def header_content(recording: RecordingData, numbers: str = "float64") -> bytes:
    """What is known before the first frame; ``numbers``: in which precision those are."""
    values = single_values(recording)
    del values["complete"]
    header = {
        **values,
        **names_of(recording),
        "contacts": bool(recording.contacts),
        "numbers": numbers,
        "diagnostics": recording.diagnostics,
    }
    return _json(header, "header")


def frames_content(recording: RecordingData, numbers: str = "float64") -> list[bytes]:
    """Frames, their contact points, and the events of a recording."""
    arrays, point = arrays_of(recording), _POINTS[numbers]
    contacts = {name: arrays.pop(name) for name in point.names or () if name in arrays}
    kind = _record({name: array.shape[1:] for name, array in arrays.items()}, numbers)
    frames = _records(kind, len(recording.times), arrays)
    points = _records(point, len(contacts.get(f"{CONTACT}frame", ())), contacts)
    events = _json(recording.events, "events", after=frames.nbytes + points.nbytes)
    counts = COUNTS.pack(len(frames), len(points), len(events))
    return [counts, frames.tobytes(), points.tobytes(), events]


def end_content(recording: RecordingData, told: int = 0) -> bytes:
    """What is known after the last frame, without the events that were told with frames."""
    end = {
        "complete": recording.complete,
        "events": recording.events[told:],
        "diagnostics": recording.diagnostics,
    }
    return _json(end, "end")


def _record(shapes: dict[str, tuple[int, ...]], numbers: str) -> np.dtype[np.void]:
    """A frame. Its time needs all digits: a frame may be a millionth of a run."""
    kinds = {name: "<f8" if name == "times" else _NUMBERS[numbers] for name in shapes}
    return np.dtype([(name, kinds[name], shape) for name, shape in shapes.items()])


def _records(
    kind: np.dtype[np.void], count: int, columns: dict[str, NDArray[Any]]
) -> NDArray[np.void]:
    records = np.zeros(count, dtype=kind)
    with np.errstate(over="raise"):
        try:
            for name, column in columns.items():
                records[name] = column
        except FloatingPointError:
            raise RecordingError("holds a number too large for float32.", key=name) from None
    return records


def frames_of(recording: RecordingData, first: int, last: int) -> RecordingData:
    """Some frames of a recording, without its events."""
    rows = slice(first, last)
    points = _points_of(recording, first, last)
    return RecordingData(
        **{key: getattr(recording, key) for key in ("scene", "fps", "step", "method", "solver")},
        body_names=recording.body_names,
        times=recording.times[rows],
        positions=recording.positions[rows],
        orientations=recording.orientations[rows],
        joints={
            joint: {quantity: values[rows] for quantity, values in quantities.items()}
            for joint, quantities in recording.joints.items()
        },
        bodies={
            body: {quantity: values[rows] for quantity, values in quantities.items()}
            for body, quantities in recording.bodies.items()
        },
        energy={name: values[rows] for name, values in recording.energy.items()},
        momentum={name: values[rows] for name, values in recording.momentum.items()},
        contacts={name: values[points] for name, values in recording.contacts.items()},
    )


def _points_of(recording: RecordingData, first: int, last: int) -> slice:
    """Contact points that are written with some frames: in their order, and not before theirs."""
    frame = recording.contacts.get("frame")
    if frame is None:
        return slice(0)
    so_far = np.maximum.accumulate(frame)
    start, stop = np.searchsorted(so_far, [first, last])
    return slice(int(start), int(stop))


def _bytes_per_frame(recording: RecordingData) -> int:
    arrays = arrays_of(frames_of(recording, 0, 1)).values()
    return sum(array.nbytes for array in arrays)


def _json(value: Any, key: str, after: int = 0) -> bytes:
    """A line that ends at a multiple of 8 bytes, so many bytes after one."""
    text = to_json(value, key).encode()
    return text + b" " * (-(after + len(text)) % 8)


# --------------------------------------------------------------------------------------
# Reading
# --------------------------------------------------------------------------------------


def decode(data: bytes) -> dict[str, Any]:
    """The fields of a recording from all chunks that are whole.

    Where there is no end yet, ``complete`` is False and an event says so.

    Raises:
        RecordingError: naming the part that is wrong, if not even the header is whole or a whole
            chunk does not hold what it should.
    """
    reader = ChunkReader(data)
    chunks = iter(reader)
    header = read_header(chunks, reader)
    kinds = frame_kinds(header)
    frames, points, events = [np.empty(0, kinds[0])], [np.empty(0, kinds[1])], []
    end = None
    for name, content in chunks:
        if name == FRAMES:
            some_frames, some_points, some_events = read_frames(content, kinds)
            frames.append(some_frames)
            points.append(some_points)
            events += some_events
        elif name == END:
            end = _object(from_json(bytes(content)), "end")
            break
    times = np.concatenate([some["times"] for some in frames])
    if end is None:
        end = _early_end(header, times, reader)
    return fields_from(header, (frames, points, events), end)


Chunk = tuple[NDArray[np.void], NDArray[np.void], list[Any]]
"""Frames, contact points and events."""


def fields_from(
    header: dict[str, Any],
    chunks: tuple[list[NDArray[np.void]], list[NDArray[np.void]], list[Any]],
    end: dict[str, Any],
) -> dict[str, Any]:
    """The fields of a recording, from what its chunks hold."""
    frames, points, events = chunks
    arrays = _columns(np.concatenate(frames))
    if require(header, "contacts") is True:
        arrays |= _columns(np.concatenate(points))
    later = require(end, "events")
    if not isinstance(later, list):
        raise RecordingError("must be a list.", key="events")
    return dict(
        **read_single_values({**header, "complete": require(end, "complete")}),
        **fields_of(header, arrays),
        events=[*events, *later],
        diagnostics=require(end, "diagnostics"),
    )


def read_header(chunks: Any, reader: ChunkReader) -> dict[str, Any]:
    """The first chunk; ``RecordingError`` where it is not whole or not a header."""
    kind, content = next(chunks, (b"", b""))
    if kind != HEADER:
        what = "damaged" if reader.is_damaged else "truncated"
        raise RecordingError(f"is {what}: not even its header is whole.")
    return check_format(from_json(bytes(content)))


def frame_kinds(header: dict[str, Any]) -> tuple[np.dtype[np.void], np.dtype[np.void]]:
    """The records of a frame and of a contact point."""
    numbers = require(header, "numbers")
    if not isinstance(numbers, str) or numbers not in _NUMBERS:
        raise RecordingError(f"must be {' or '.join(_NUMBERS)}.", key="numbers")
    bodies = len(names(header, "bodies"))
    shapes: dict[str, tuple[int, ...]] = {
        "times": (),
        "positions": (bodies, 3),
        "orientations": (bodies, 4),
        "energy": (len(names(header, "energy")),),
        "momentum": (len(names(header, "momentum")), 3),
        "joint_values": (len(pairs(header, "joints")),),
        "joint_vectors": (len(pairs(header, "joint_vectors")), 3),
    }
    if "body_values" in header:
        shapes["body_values"] = (len(pairs(header, "body_values")),)
    return _record(shapes, numbers), _POINTS[numbers]


def read_frames(content: memoryview, kinds: tuple[np.dtype[np.void], np.dtype[np.void]]) -> Chunk:
    """Frames, contact points and events of a chunk."""
    if len(content) < COUNTS.size:
        raise RecordingError("holds less than it should.", key="frames")
    frames, points, length = COUNTS.unpack(content[: COUNTS.size])
    second = COUNTS.size + frames * kinds[0].itemsize
    third = second + points * kinds[1].itemsize
    if third + length != len(content):
        raise RecordingError("does not hold the frames that it should.", key="frames")
    events = from_json(bytes(content[third:]))
    if not isinstance(events, list):
        raise RecordingError("must be a list.", key="events")
    return (
        np.frombuffer(content[COUNTS.size : second], kinds[0]),
        np.frombuffer(content[second:third], kinds[1]),
        events,
    )


def _columns(records: NDArray[np.void]) -> dict[str, NDArray[Any]]:
    return {name: records[name] for name in records.dtype.names or ()}


def _early_end(header: dict[str, Any], times: NDArray[Any], reader: ChunkReader) -> dict[str, Any]:
    time = float(numbers("times", times, (None,))[-1]) if len(times) else 0.0
    if reader.is_damaged:
        return missing_end(
            header, time, f"the file is damaged at byte {reader.end}; what follows was not read"
        )
    return missing_end(header, time)


def missing_end(
    header: dict[str, Any],
    time: float,
    message: str = "the run goes on or was killed; these are the frames that are whole",
) -> dict[str, Any]:
    """What stands for the end that is not there, after a last frame at a time [s]."""
    event = {"time": time, "kind": "unfinished", "message": message}
    diagnostics = require(header, "diagnostics")
    return {"complete": False, "events": [event], "diagnostics": diagnostics}


def _object(value: Any, key: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RecordingError("must be an object with names as keys.", key=key)
    return value
