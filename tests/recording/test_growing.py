"""The file that grows with a run: whole at any moment, in nobody's way, and never lost."""

from __future__ import annotations

import errno
import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from impulse_core.recording import (
    GrowingFile,
    Recording,
    RecordingError,
    check_output,
    chunked_file,
    files,
    load_recording,
    unfinished_beside,
)
from impulse_core.recording.chunks import MARK
from impulse_core.recording.data import RecordingData
from tests.soak.kills import kill_growers

from .recordings import parts, turning

GONE = 2**31 - 5  # no process has this number
WHOLE = turning(frames=9)


def piece(first: int, last: int, **changes: Any) -> RecordingData:
    """Some frames of ``WHOLE``; every other quaternion has the other sign."""
    some = chunked_file.frames_of(WHOLE, first, last)
    flips = np.where(np.arange(first, last) % 2, -1.0, 1.0)[:, None, None]
    changes = {"orientations": some.orientations * flips} | changes
    return replace(some, scene_sha256=WHOLE.scene_sha256, **changes)


def left_file(output: Path, content: bytes) -> Path:
    """A file that a killed run to this output could have left."""
    path = output.with_name(f"{files._prefix(output)}{GONE}-0123456789ab.imprec")
    path.write_bytes(content)
    return path


def test_killed_while_it_grows(tmp_path: Path) -> None:
    """Read by another process meanwhile, and killed: all chunks but an unfinished one are there."""
    assert kill_growers(3, tmp_path) > 0


def test_each_part_can_be_read_at_once(tmp_path: Path) -> None:
    """After each part the file holds all frames so far, with signs that go on, and their events."""
    file = GrowingFile(tmp_path / "a.imprec")
    facts, events = {"run_key": "k"}, []
    for first in (0, 4, 5):
        last = {0: 4, 4: 5, 5: 9}[first]
        event = {"time": float(first), "kind": "note"}
        events.append(event)
        file.add(piece(first, last, events=[event], diagnostics=facts))
        found = load_recording(tmp_path / "a.imprec")

        assert found.orientations.tolist() == WHOLE.orientations[:last].tolist()
        assert found.frame_count == last
        assert not found.complete
        assert found.events[-2] == event
        assert found.diagnostics == facts
        assert not file.is_whole
    whole = replace(WHOLE, events=[*events, *WHOLE.events])
    file.end(whole, told=len(events))

    assert file.is_whole
    assert parts(load_recording(tmp_path / "a.imprec")) == parts(whole)
    assert list(tmp_path.iterdir()) == [tmp_path / "a.imprec"]


def test_a_hidden_file(tmp_path: Path) -> None:
    """Frames of an output in another format have a file beside it, until they are discarded."""
    output = tmp_path / "a.json"
    output.write_text("old")
    file = GrowingFile(output, is_hidden=True)
    assert list(tmp_path.iterdir()) == [output]
    file.add(piece(0, 5))
    file.add(piece(5, 9))
    file.end(WHOLE)

    assert file.path is not None
    assert parts(load_recording(file.path)) == parts(WHOLE)
    assert unfinished_beside(output) == []  # this process lives
    check_output(output)
    assert file.path.exists()
    file.discard()
    assert list(tmp_path.iterdir()) == [output]
    assert output.read_text() == "old"


def test_the_first_frames_replace_what_is_there(tmp_path: Path) -> None:
    """The old output is there until the new one holds frames, and gives it its permissions."""
    path = tmp_path / "a.imprec"
    turning(frames=3).save(path)
    path.chmod(0o640)
    file = GrowingFile(path)
    assert load_recording(path).frame_count == 3

    file.add(piece(0, 1))

    assert load_recording(path).frame_count == 1
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]
    assert file.notes == []


def test_an_output_that_a_killed_run_left_is_put_aside(tmp_path: Path) -> None:
    """Its frames are never replaced; a sentence says where they are."""
    path = tmp_path / "a.imprec"
    GrowingFile(path).add(piece(0, 7))
    file = GrowingFile(path)
    file.add(piece(0, 2))

    [aside] = set(tmp_path.iterdir()) - {path}
    assert load_recording(aside).frame_count == 7
    assert load_recording(path).frame_count == 2
    assert file.notes == [
        f"{path} held the frames of a run that did not end; they are in {aside} now"
    ]


def test_what_killed_runs_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files with frames are named and kept, also by other outputs' runs; those without one go."""
    output, other = tmp_path / "a.npz", tmp_path / "b.npz"
    source = tmp_path / "source.imprec"
    WHOLE.save(source)
    data = source.read_bytes()
    source.unlink()
    for content, stays in [
        (data, True),
        (data[:-100], True),
        (MARK[:8] + bytes([9]) + data[9:], True),  # of a newer release
        (data[:300], False),
        (MARK, False),
        (b"", False),
        (bytes(4096), False),
    ]:
        left = left_file(output, content)
        check_output(output)
        files.write_atomically(output, b"new")
        assert unfinished_beside(other) == []
        assert left.read_bytes() == content

        assert unfinished_beside(output) == ([left] if stays else [])
        assert left.exists() == stays
    monkeypatch.setattr(files, "_is_gone", lambda _: False)
    left = left_file(output, data)
    assert unfinished_beside(output) == []
    assert left.exists()


@pytest.mark.parametrize("is_hidden", [True, False])
@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EIO])
def test_a_disk_that_fills_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_hidden: bool, reason: int
) -> None:
    """Nothing is raised; what was whole stays so, or makes room for the output."""
    output = tmp_path / "a.imprec"
    file = GrowingFile(output, is_hidden=is_hidden)
    file.add(piece(0, 2))
    monkeypatch.setattr(time, "monotonic", lambda: 1e9)  # it is time for a sync

    def full(_: int) -> None:
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr(os, "fsync", full)
    file.add(piece(2, 4))
    file.add(piece(4, 6))
    file.end(WHOLE)

    what = f"{output}: frames could not be kept while they were computed"
    assert file.problem == f"{what}: {os.strerror(reason).lower()}"
    assert not file.is_whole
    if is_hidden and reason == errno.ENOSPC:
        assert list(tmp_path.iterdir()) == []
    else:
        [path] = tmp_path.iterdir()
        assert load_recording(path).frame_count in {2, 4}


def test_a_part_that_was_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What half a write left is written over: the next part stands behind the last whole one."""
    path = tmp_path / "a.imprec"
    file = GrowingFile(path)
    file.add(piece(0, 2))
    before = path.read_bytes()
    with path.open("ab") as stray:
        stray.write(b"half of a very long chunk" * 1000)

    file.add(piece(2, 9))
    file.end(WHOLE)

    assert path.read_bytes().startswith(before)
    assert parts(load_recording(path)) == parts(WHOLE)


def test_a_file_that_others_exchange_or_remove(tmp_path: Path) -> None:
    """Frames are never written into a file of somebody else."""
    for content, reason in ((b"mine", "another program"), (b"", "no such file")):
        path = tmp_path / "a.imprec"
        file = GrowingFile(path)
        file.add(piece(0, 2))
        path.rename(tmp_path / "elsewhere")
        if content:
            path.write_bytes(content)
        file.add(piece(2, 4))

        assert reason in file.problem
        assert not path.exists() or path.read_bytes() == b"mine"
        path.unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.npz", r"ends in '\.npz'; write a name that ends in \.imprec"),
        ("none/a.imprec", "does not exist"),
        ("folder.imprec", "is a folder"),
    ],
)
def test_outputs_that_cannot_grow(tmp_path: Path, name: str, message: str) -> None:
    """They are refused before anything is computed."""
    (tmp_path / "folder.imprec").mkdir()
    with pytest.raises(RecordingError, match=message):
        GrowingFile(tmp_path / name)


def test_recordings_without_bodies(tmp_path: Path) -> None:
    """A file of no bodies, or of no frames yet, is one all the same."""
    empty = turning(frames=4, names=())
    file = GrowingFile(tmp_path / "a.imprec")
    file.add(chunked_file.frames_of(empty, 0, 4))
    file.end(empty)
    assert parts(load_recording(tmp_path / "a.imprec"))["times"] == empty.times.tolist()

    unstarted = GrowingFile(tmp_path / "b.imprec")
    unstarted.end(Recording(**vars(turning(frames=0))))
    assert not unstarted.is_whole
    assert not (tmp_path / "b.imprec").exists()
