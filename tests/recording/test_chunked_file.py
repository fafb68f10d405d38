"""The .imprec file: whole frames whatever becomes of its end, and nothing that is damaged."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core.recording import Recording, RecordingError, chunked_file
from impulse_core.recording.chunks import END, FRAMES, HEADER, MARK, ChunkReader, ChunkWriter

from .recordings import parts, turning

CONTACTS = {
    "frame": [1, 3, 3],
    "body1": [0, 0, 1],
    "body2": [1, 1, 0],
    "point": np.arange(9.0).reshape(3, 3),
    "normal": np.tile([0.0, 0.0, 1.0], (3, 1)),
    "force": np.ones((3, 3)),
}
WHOLE = turning(frames=12, contacts=CONTACTS)


def decode(data: bytes) -> Recording:
    return Recording(**chunked_file.decode(data))


def in_chunks(recording: Recording, frames: int, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """A file whose chunks hold so many frames."""
    size = 8 + chunked_file._bytes_per_frame(recording)
    with monkeypatch.context() as patch:
        patch.setattr(chunked_file, "LARGEST_CHUNK", frames * size)
        return chunked_file.encode(recording)


@pytest.fixture(scope="module")
def data() -> bytes:
    """A file of 12 frames, two in each chunk."""
    with pytest.MonkeyPatch.context() as patch:
        return in_chunks(WHOLE, 2, patch)


def ends(data: bytes) -> list[int]:
    """Where each chunk ends [B]."""
    reader = ChunkReader(data)
    return [reader.end for _ in reader]


def plain(recording: Recording) -> dict[str, Any]:
    """Everything a recording holds, contacts too, as lists."""
    contacts = {name: values.tolist() for name, values in recording.contacts.items()}
    return parts(recording) | {"contacts": contacts}


def require_beginning(found: Recording, frames: int) -> None:
    """The first frames of ``WHOLE`` to the last bit, and an event that says there is no end."""
    expected = chunked_file.frames_of(WHOLE, 0, frames)
    names = ("scene_sha256", "events", "diagnostics", "complete")
    wanted = replace(expected, **{name: getattr(found, name) for name in names})
    assert plain(found) == plain(Recording(**vars(wanted)))
    assert not found.complete
    assert found.events[-1]["kind"] == "unfinished"


@pytest.mark.parametrize("frames", [1, 2, 5, 12, 100])
def test_chunks_of_any_length(frames: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However frames are divided, the recording is the same to the last bit."""
    assert plain(decode(in_chunks(WHOLE, frames, monkeypatch))) == plain(WHOLE)


def test_contact_points_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points that do not stand in the order of their frames keep the order they have."""
    mixed = turning(frames=12, contacts=CONTACTS | {"frame": [9, 0, 4]})

    assert plain(decode(in_chunks(mixed, 2, monkeypatch))) == plain(mixed)


def test_cut_off_anywhere(data: bytes) -> None:
    """Cut at any byte, all frames are read whose chunk is whole, and those only."""
    places = ends(data)
    for length in range(len(data)):
        whole = sum(place <= length for place in places)
        if whole == 0:
            with pytest.raises(RecordingError, match="is truncated"):
                decode(data[:length])
        elif length in places or length + 1 in places or length % 41 == 0:
            require_beginning(decode(data[:length]), 2 * (whole - 1))


@settings(max_examples=300)
@given(place=st.integers(0), bit=st.integers(0, 7))
def test_any_bit_flipped(data: bytes, place: int, bit: int) -> None:
    """A damaged chunk and all that follows are not read, and the file is said to be damaged."""
    place %= len(data)
    damaged = bytearray(data)
    damaged[place] ^= 1 << bit
    header, *others = ends(data)
    if place < header:
        with pytest.raises(RecordingError):
            decode(bytes(damaged))
        return
    whole = sum(end <= place for end in others)
    found = decode(bytes(damaged))
    require_beginning(found, 2 * min(whole, 6))
    lengths_fit = ChunkReader(bytes(damaged))
    list(lengths_fit)
    assert lengths_fit.is_damaged == ("is damaged" in found.events[-1]["message"])


@pytest.mark.parametrize("seed", range(20))
def test_rubbish_at_the_end(data: bytes, seed: int) -> None:
    """What a power cut leaves where the last chunk should be is never taken for frames."""
    chance = random.Random(seed)
    place = chance.choice(ends(data)[:-1])
    rubbish = chance.choice([bytes(500), chance.randbytes(500), data[-300:], data[200:900]])

    frames = 2 * sum(end <= place for end in ends(data)[1:])
    require_beginning(decode(data[:place] + rubbish), frames)


def test_chunks_of_another_file(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chunk that was left out, exchanged, or taken from elsewhere ends what is read."""
    header, first, second, third, *_ = ends(data)
    other = in_chunks(turning(frames=12, contacts=CONTACTS, fps=26.0), 2, monkeypatch)

    for mixed in (
        data[:first] + data[second:],
        data[:header] + data[first:second] + data[header:first] + data[second:],
        data[:first] + data[first:second] + data[first:],
    ):
        found = decode(mixed)
        assert found.frame_count in {0, 2, 4}
        require_beginning(found, found.frame_count)
    assert len(other) == len(data)
    require_beginning(decode(data[:second] + other[second:third] + data[third:]), 4)


def test_what_follows_the_end_is_not_read(data: bytes) -> None:
    """Neither rubbish nor a chunk after the end changes what is read."""
    assert plain(decode(data + b"\x01" * 100)) == plain(WHOLE)


def test_kinds_that_are_not_known() -> None:
    """Chunks that a later release may add are passed over."""
    writer = ChunkWriter()
    chunks = [
        writer.chunk(HEADER, chunked_file.header_content(WHOLE)),
        writer.chunk(b"sound", bytes(16)),
        writer.chunk(FRAMES, *chunked_file.frames_content(WHOLE)),
        writer.chunk(b"a lot of", bytes(8)),
        writer.chunk(END, chunked_file.end_content(WHOLE, len(WHOLE.events))),
    ]

    assert plain(decode(MARK + b"".join(chunks))) == plain(WHOLE)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "frames: holds less"),
        (bytes(16), "frames: holds less"),
        (b"\xff" * 24, "frames: does not hold"),
        (bytes([1]) + bytes(23), "frames: does not hold"),
        (bytes(16) + bytes([2]) + bytes(7) + b"{}", "events: must be a list"),
        (bytes(16) + bytes([1]) + bytes(7) + b"[", "is not JSON"),
    ],
)
def test_whole_chunks_of_nonsense(content: bytes, message: str) -> None:
    """A chunk with the right checksum that does not hold what it should is an error."""
    writer = ChunkWriter()
    header = writer.chunk(HEADER, chunked_file.header_content(WHOLE))

    with pytest.raises(RecordingError, match=message):
        decode(MARK + header + writer.chunk(FRAMES, content))


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"[]", "is not an animation"),
        (b"{", "is not JSON"),
        (b'{"format": "impulse-animation", "version": 2}', "newer release"),
        (b'{"format": "impulse-animation", "version": 1}', "is missing"),
    ],
)
def test_headers_of_another_kind(header: bytes, message: str) -> None:
    """A header of something else, or of a later release, is named."""
    writer = ChunkWriter()
    with pytest.raises(RecordingError, match=message):
        decode(MARK + writer.chunk(HEADER, header))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is truncated"),
        (MARK, "is truncated"),
        (MARK[:8] + bytes([2]) + bytes(7), r"newer release \(version 2"),
        (b"PK\x03\x04" + bytes(100), "is not a recording"),
        (b"{}", "is not a recording"),
        (MARK + ChunkWriter().chunk(FRAMES, bytes(8)), "not even its header"),
    ],
)
def test_files_of_another_kind(data: bytes, message: str) -> None:
    """Files that are no recording in chunks, or one of a later release, are named."""
    with pytest.raises(RecordingError, match=message):
        decode(data)


def test_numbers_that_float32_cannot_hold() -> None:
    """They are refused by name, and not written as infinite."""
    large = turning(positions=np.full((5, 2, 3), 1e39))
    with pytest.raises(RecordingError, match=r"positions: holds a number too large for float32"):
        chunked_file.frames_content(large, "float32")
    assert chunked_file.frames_content(large, "float64")
