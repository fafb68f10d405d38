"""The files of a recording: same content in both formats, atomic, and clear about what is wrong."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from impulse_core.recording import (
    SUFFIXES,
    RecordingError,
    check_output,
    load_recording,
    write_atomically,
)

from .recordings import parts, turning


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_round_trip_keeps_every_bit(tmp_path: Path, suffix: str) -> None:
    """What is read is what was saved: arrays to the last bit, names, events, diagnostics."""
    recording = turning(complete=False)
    recording.save(tmp_path / f"anim{suffix}")

    assert parts(recording) == parts(load_recording(tmp_path / f"anim{suffix}"))


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(("frames", "names"), [(0, ("a",)), (1, ()), (0, ()), (1, ("ö \ud800",))])
def test_round_trip_of_corner_cases(
    tmp_path: Path, suffix: str, frames: int, names: tuple[str, ...]
) -> None:
    """No frames, no bodies and odd names survive a round trip."""
    recording = turning(frames=frames, names=names)
    recording.save(tmp_path / f"anim{suffix}")

    assert parts(recording) == parts(load_recording(tmp_path / f"anim{suffix}"))


@given(value=st.floats(allow_nan=False, allow_infinity=False))
def test_json_numbers_read_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, value: float
) -> None:
    """Any finite float64 has the same bits after writing and reading."""
    path = tmp_path_factory.mktemp("floats") / "anim.json"
    turning(positions=np.full((5, 2, 3), value)).save(path)

    assert load_recording(path).positions.tobytes() == np.full((5, 2, 3), value).tobytes()


def test_json_has_the_documented_keys(tmp_path: Path) -> None:
    """The keys and nesting other programs rely on."""
    turning().save(tmp_path / "anim.json")

    content = json.loads((tmp_path / "anim.json").read_text())

    single = "format version complete scene scene_sha256 fps step method solver"
    growing = "times bodies joints energy momentum contacts events diagnostics"
    assert list(content) == f"{single} {growing}".split()
    assert content["format"] == "impulse-animation"
    assert content["version"] == 1
    assert list(content["bodies"]) == ["hook", "boom/1"]
    assert [len(pose) for pose in content["bodies"]["hook"]["position"]] == [3] * 5
    assert [len(pose) for pose in content["bodies"]["hook"]["orientation"]] == [4] * 5
    assert len(content["joints"]["pin"]["angle"]) == 5
    assert [len(force) for force in content["joints"]["pin"]["force"]] == [3] * 5


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_same_recording_same_bytes(tmp_path: Path, suffix: str) -> None:
    """Saving twice gives equal files: no time stamps, no order left to chance."""
    turning().save(tmp_path / f"a{suffix}")
    turning().save(tmp_path / f"b{suffix}")

    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


@pytest.mark.parametrize("name", ["anim.txt", "anim", "anim.bvh"])
def test_unknown_extension_lists_the_known_ones(tmp_path: Path, name: str) -> None:
    """A file name with another ending is refused for writing and reading."""
    for action in (turning().save, load_recording):
        with pytest.raises(RecordingError, match=r"ends in \.json, \.npz or \.imprec"):
            action(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def edited(path: Path, **changes: Any) -> Path:
    """A saved recording whose JSON has some keys replaced (None: removed)."""
    turning().save(path)
    content = json.loads(path.read_text())
    content.update(changes)
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))
    return path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "gltf"}, "is not an animation"),
        (
            {"version": 2},
            r"newer release \(version 2 of the format; this one reads version 1\)",
        ),
        ({"version": "1"}, "version: must be 1"),
        ({"times": None}, "times: is missing"),
        ({"times": [0, 1, "2", 3, 4]}, "times: holds something that is not a number"),
        ({"bodies": []}, "bodies: must be an object"),
        (
            {"bodies": {"hook": {"position": []}}},
            "bodies.hook.position: must be 5 x 3 numbers",
        ),
        (
            {"bodies": {"hook": {"position": [[0, 0, 0]] * 4}}},
            "bodies.hook.position: has 4 entries, but there are 5 frames",
        ),
        (
            {"bodies": {"hook": {"position": [[0, 0, 0]] * 5}}},
            "bodies.hook.orientation: is missing",
        ),
        (
            {"bodies": {"hook": {"position": [[0, 0, 0]] * 4 + [[0, 0]]}}},
            "bodies.hook.position: the entries have different lengths",
        ),
        ({"fps": True}, "fps: must be a number"),
        (
            {"joints": {"pin": {"angle": [0, 1, 2, None, 3]}}},
            "joints.pin.angle: holds something",
        ),
        (
            {"joints": {"pin": {"force": [[0, 0, 1]] * 4}}},
            "joints.pin.force: has 4 entries, but there are 5 frames",
        ),
        (
            {"joints": {"pin": {"force": [[0, 0]] * 5}}},
            "joints.pin.force: must be 5 x 3 numbers, but is 5 x 2",
        ),
        ({"diagnostics": None}, "diagnostics: is missing"),
    ],
)
def test_wrong_json_is_refused_by_key(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    """Each wrong part of a JSON animation is named together with the file."""
    path = edited(tmp_path / "anim.json", **changes)

    with pytest.raises(RecordingError, match=message) as caught:
        load_recording(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("suffix", [".json", ".npz"])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.99])
def test_truncated_file(tmp_path: Path, suffix: str, part: float) -> None:
    """A file that stops early is an error that says so, at whatever place it stops."""
    path = tmp_path / f"anim{suffix}"
    turning(frames=300).save(path)
    path.write_bytes(path.read_bytes()[: int(part * path.stat().st_size)])

    with pytest.raises(RecordingError, match="is truncated"):
        load_recording(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2]", "is not an animation"),
        ('{"format": "impulse-animation", "version": 1, "times": [NaN]}', "holds NaN"),
        ('{"format": "a", "format": "b"}', "format: is there twice"),
        ("[" * 100_000, "is nested too deeply"),
        ("<scene/>", "is not JSON"),
    ],
)
def test_json_that_is_no_animation(tmp_path: Path, text: str, message: str) -> None:
    """Other JSON, NaN, duplicate keys, endless nesting and other formats are named."""
    (tmp_path / "anim.json").write_text(text)

    with pytest.raises(RecordingError, match=message):
        load_recording(tmp_path / "anim.json")


def test_binary_in_json_file(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 text are an error, not a traceback."""
    (tmp_path / "anim.json").write_bytes(b"\x80\x81\x82\x83" * 10)

    with pytest.raises(RecordingError, match="is not text"):
        load_recording(tmp_path / "anim.json")


def test_npz_never_unpickles(tmp_path: Path) -> None:
    """An .npz file with Python objects is refused without loading them."""
    np.savez(tmp_path / "evil.npz", header=np.array([{"a": 1}], dtype=object))

    with pytest.raises(RecordingError, match="holds Python objects"):
        load_recording(tmp_path / "evil.npz")


def test_npz_that_is_one_array(tmp_path: Path) -> None:
    """A .npy file that was renamed is named as such."""
    with (tmp_path / "anim.npz").open("wb") as file:
        np.save(file, np.zeros(3))

    with pytest.raises(RecordingError, match="is a single array"):
        load_recording(tmp_path / "anim.npz")


def test_npz_with_missing_array(tmp_path: Path) -> None:
    """An .npz file of something else is refused by the first missing part."""
    np.savez(tmp_path / "anim.npz", a=np.zeros(3))

    with pytest.raises(RecordingError, match=r"anim\.npz: header: is missing"):
        load_recording(tmp_path / "anim.npz")


def test_missing_file(tmp_path: Path) -> None:
    """A missing file and a folder are errors with their reason."""
    with pytest.raises(RecordingError, match="cannot be read: no such file"):
        load_recording(tmp_path / "anim.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(RecordingError, match="cannot be read: it is a folder"):
        load_recording(tmp_path / "folder.json")


def test_nan_in_diagnostics_is_not_written(tmp_path: Path) -> None:
    """What strict JSON cannot hold is refused, and the old file stays."""
    path = tmp_path / "anim.json"
    path.write_text("old")

    with pytest.raises(RecordingError, match="diagnostics: cannot be written as JSON"):
        turning(diagnostics={"drift": float("nan")}).save(path)
    assert path.read_text() == "old"


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException, call: str
) -> None:
    """A full disk or Ctrl-C while writing: the old file is whole, no temporary file remains."""
    path = tmp_path / "anim.json"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(os, call, fail)
    with pytest.raises((RecordingError, KeyboardInterrupt)):
        write_atomically(path, b"new")
    assert path.read_text() == "old"
    assert [path] == list(tmp_path.iterdir())


def test_replacing_keeps_permissions_and_links(tmp_path: Path) -> None:
    """An existing file keeps its permissions; a link stays a link to the new content."""
    path = tmp_path / "anim.json"
    path.write_text("old")
    path.chmod(0o640)
    (tmp_path / "link.json").symlink_to(path)

    write_atomically(tmp_path / "link.json", b"new")

    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "link.json").is_symlink()


def test_check_output_leaves_nothing(tmp_path: Path) -> None:
    """Checking a path that can be written creates no file and changes none."""
    check_output(tmp_path / "anim.json", SUFFIXES)

    assert list(tmp_path.iterdir()) == []


def test_check_output_missing_folder(tmp_path: Path) -> None:
    """A missing folder is named."""
    with pytest.raises(RecordingError, match=r"the folder '.*nowhere' does not exist"):
        check_output(tmp_path / "nowhere" / "anim.json")


def test_check_output_file_as_folder(tmp_path: Path) -> None:
    """A file where a folder should be is named."""
    (tmp_path / "file").write_text("")

    with pytest.raises(RecordingError, match="file' is not a folder"):
        check_output(tmp_path / "file" / "anim.json")


def test_check_output_folder_and_device(tmp_path: Path) -> None:
    """A folder, a pipe and a read-only file are refused."""
    with pytest.raises(RecordingError, match="is a folder"):
        check_output(tmp_path)
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(RecordingError, match="is a device or a pipe"):
        check_output(tmp_path / "pipe.json")
    (tmp_path / "old.json").write_text("old")
    (tmp_path / "old.json").chmod(0o444)
    with pytest.raises(RecordingError, match="is read-only"):
        check_output(tmp_path / "old.json")


def test_check_output_read_only_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder nobody may write to is found by trying, which also holds for the superuser."""

    def read_only(*_: object) -> int:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "open", read_only)
    with pytest.raises(RecordingError, match="cannot be written to: read-only file system"):
        check_output(tmp_path / "anim.json")


def test_large_recordings_are_written_fast(tmp_path: Path) -> None:
    """100 bodies x 1000 frames: JSON within 3 s, .npz within 1 s (measured 0.6 s and 0.2 s), of the
    processor.
    """
    names = tuple(f"body-{index}" for index in range(100))
    recording = turning(frames=1000, names=names)

    for suffix, limit in ((".json", 3.0), (".npz", 1.0)):
        start = time.process_time()
        recording.save(tmp_path / f"anim{suffix}")
        assert time.process_time() - start < limit
