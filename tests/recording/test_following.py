"""A recording is read while it grows: each frame once, and none that is not whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from impulse_core.recording import (
    Followed,
    GrowingFile,
    NewFrames,
    Recording,
    RecordingError,
    chunked_file,
)

from .recordings import turning

POINTS = 7
CONTACTS = {
    "frame": np.array([1, 1, 3, 4, 4, 8, 8]),
    "body1": np.zeros(POINTS, int),
    "body2": np.ones(POINTS, int),
    "point": np.sqrt(np.arange(3.0 * POINTS)).reshape(-1, 3),
    "normal": np.tile([0.0, 0.0, 1.0], (POINTS, 1)),
    "force": np.sin(np.arange(3.0 * POINTS)).reshape(-1, 3),
}
WHOLE = turning(frames=9, contacts=CONTACTS)


def columns(frames: Recording | NewFrames) -> list[np.ndarray]:
    """All that grows with the frames, in one order."""
    joints = [
        values
        for quantities in frames.joints.values()
        for values in quantities.values()
        if values.ndim == 1
    ]
    energy = [frames.energy[name] for name in sorted(frames.energy)]
    return [frames.times, frames.positions, frames.orientations, *joints, *energy]


def poses(followed: Followed) -> tuple[np.ndarray, ...]:
    """All that is there for now; contact points count from the first frame of the file."""
    found = []
    while (new := followed.read()) is not None:
        assert new.body_names == WHOLE.body_names
        before = followed.frame_count - len(new.times)
        points = [new.contacts[name] for name in sorted(new.contacts) if name != "frame"]
        found.append([*columns(new), new.contacts["frame"] + before, *points])
    return tuple(np.concatenate(parts) for parts in zip(*found, strict=True)) if found else ()


@given(cuts=st.lists(st.floats(0, 1), max_size=6))
def test_however_it_grows_each_frame_comes_once(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[float]
) -> None:
    """The file is cut at any bytes, also within a chunk; in the end all frames were read."""
    folder = tmp_path_factory.mktemp("grows")
    grown = GrowingFile(folder / "whole.imprec")
    for first, last in ((0, 4), (4, 5), (5, 9)):
        grown.add(chunked_file.frames_of(WHOLE, first, last))
    grown.end(WHOLE)
    data = (folder / "whole.imprec").read_bytes()
    followed = Followed(folder / "a.imprec")
    assert followed.read() is None
    found = []
    for cut in [*sorted(cuts), 1.0]:
        (folder / "a.imprec").write_bytes(data[: round(cut * len(data))])
        found.append(poses(followed))

    whole = [*columns(WHOLE), WHOLE.contacts["frame"]]
    whole += [WHOLE.contacts[name] for name in sorted(WHOLE.contacts) if name != "frame"]
    for expected, parts in zip(whole, zip(*filter(None, found), strict=True), strict=True):
        np.testing.assert_array_equal(np.concatenate(parts), expected)
    assert followed.is_ended
    assert followed.frame_count == 9


def test_a_chunk_may_be_larger_than_what_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The room grows with it."""
    from impulse_core.recording import following

    monkeypatch.setattr(following, "_AT_ONCE", 64)
    WHOLE.save(tmp_path / "a.imprec")

    assert len(poses(Followed(tmp_path / "a.imprec"))[0]) == 9


def test_what_is_damaged_or_another_file_is_refused(tmp_path: Path) -> None:
    """With the name of the file; frames that came before are not read again."""
    path = tmp_path / "a.imprec"
    WHOLE.save(path)
    data = bytearray(path.read_bytes())
    data[-200] ^= 1
    path.write_bytes(data)
    with pytest.raises(RecordingError, match=r"a\.imprec"):
        poses(Followed(path))
    path.write_bytes(b"no recording at all, but long enough to be one")
    with pytest.raises(RecordingError, match=r"a\.imprec"):
        Followed(path).read()
