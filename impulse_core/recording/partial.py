"""A part of a recording, without reading the rest of a chunked file."""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any, BinaryIO, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from .chunked_file import COUNTS, fields_from, frame_kinds, frames_of, missing_end, read_frames
from .chunks import END, FRAMES, HEADER, ChunkIndex
from .data import RecordingData
from .errors import RecordingError
from .files import check_suffix, errors_naming, open_regular_file
from .formats import SUFFIXES, read_recording
from .growing import GROWING
from .header import check_format, from_json
from .tables import CONTACT

__all__ = ["read_last", "read_part"]

_Whole = TypeVar("_Whole", bound=RecordingData)
_TIME = struct.Struct("<d")


def read_part(
    path: str | os.PathLike[str], make: Callable[..., _Whole], start: float, end: float
) -> _Whole:
    """What ``make`` makes of the frames from start to end [s]; its errors name the file."""
    if check_suffix(path, SUFFIXES) != GROWING:
        whole: RecordingData = read_recording(path, make)
        with errors_naming(path):
            return make(**_cut(whole, start, end))
    with errors_naming(path):
        with open_regular_file(path) as file:
            fields = _read_chunks(file, start, end)
        return make(**_cut(RecordingData(**fields), start, end))


def read_last(path: str | os.PathLike[str], make: Callable[..., _Whole]) -> tuple[int, _Whole]:
    """How many frames an .imprec has, whatever its size, and what ``make`` makes of the last.

    Raises:
        RecordingError: naming the file, if it is not one, or has no frames.
    """
    with errors_naming(path), open_regular_file(path) as file:
        spans = _spans(ChunkIndex(file))
    last = read_part(path, make, spans[-1].first if spans else 0.0, math.inf)
    return spans[-1].number + len(last.times), last


def _read_chunks(file: BinaryIO, start: float, end: float) -> dict[str, Any]:
    """The fields of a recording that has the frames of the chunks between two times."""
    index = ChunkIndex(file)
    if not index.chunks or index.chunks[0][0] != HEADER:
        raise RecordingError("is damaged or truncated: not even its header is whole.")
    header = check_format(from_json(bytes(index.content(index.chunks[0][1]))))
    kinds = frame_kinds(header)
    frames, points, events = [np.empty(0, kinds[0])], [np.empty(0, kinds[1])], []
    for span in _spans(index):
        # of the last chunk also where it lies before them, so that it can be said where it ends
        if (span.first <= end and span.behind > start) or span.behind == math.inf:
            some_frames, some_points, some_events = read_frames(index.content(span.place), kinds)
            frames.append(some_frames)
            points.append(_renumbered(some_points, span.number - sum(map(len, frames[:-1]))))
            events += some_events
    kind, place = index.chunks[-1]
    if kind == END:
        last = from_json(bytes(index.content(place)))
    else:
        last = missing_end(header, float(frames[-1]["times"][-1]) if len(frames[-1]) else 0.0)
    return fields_from(header, (frames, points, events), last)


class _Span(NamedTuple):
    """A chunk of frames: where it is, the number and time of its first frame, and the time of the
    first behind it [s].
    """

    place: int
    number: int
    first: float
    behind: float


def _spans(index: ChunkIndex) -> list[_Span]:
    found: list[_Span] = []
    number = 0
    for kind, place in index.chunks:
        if kind != FRAMES:
            continue
        beginning = index.beginning(place, COUNTS.size + _TIME.size)
        if len(beginning) < COUNTS.size + _TIME.size:
            raise RecordingError("holds less than it should.", key="frames")
        count = COUNTS.unpack(beginning[: COUNTS.size])[0]
        if count > index.size // _TIME.size:
            raise RecordingError("does not hold the frames that it should.", key="frames")
        if count:
            (first,) = _TIME.unpack(beginning[COUNTS.size :])
            found[-1:] = [span._replace(behind=first) for span in found[-1:]]
            found.append(_Span(place, number, first, math.inf))
        number += count
    return found


def _renumbered(points: NDArray[np.void], before: int) -> NDArray[np.void]:
    """Contact points whose frames are numbered without so many before them."""
    renumbered = points.copy()
    renumbered[f"{CONTACT}frame"] -= before
    return renumbered


def _cut(recording: RecordingData, start: float, end: float) -> dict[str, Any]:
    """The fields of the frames and events between two times."""
    times = np.asarray(recording.times)
    first = int(np.searchsorted(times, start, side="left"))
    last = int(np.searchsorted(times, end, side="right"))
    if first >= last:
        span = (
            f"between t = {start:g} and {end:g} s" if end < math.inf else f"from t = {start:g} s on"
        )
        reach = f"; its last is at t = {times[-1]:g} s" if len(times) and times[-1] < start else ""
        raise RecordingError(f"holds no frame {span}{reach}.")
    part = frames_of(recording, first, last)
    if part.contacts:
        part.contacts["frame"] = part.contacts["frame"] - first
    events = [event for event in recording.events if _is_kept(event, start, end)]
    kept = replace(
        part,
        scene_sha256=recording.scene_sha256,
        complete=recording.complete,
        events=events,
        diagnostics=recording.diagnostics,
    )
    return {name: getattr(kept, name) for name in kept.__dataclass_fields__}


def _is_kept(event: Any, start: float, end: float) -> bool:
    """Whether an event is one of the part; what is none is left to the checks of all recordings."""
    time = event.get("time") if isinstance(event, dict) else None
    if not isinstance(time, (int, float)) or event.get("kind") == "unfinished":
        return True
    return bool(start <= time <= end)
