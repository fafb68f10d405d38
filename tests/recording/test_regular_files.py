"""Files are read, and nothing else: no pipe that waits, no device that never ends."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from impulse_core.geometry import MeshFileError, read_mesh
from impulse_core.recording import RecordingError, load_recording, read_regular_file
from impulse_schema import SceneError, load_scene


@pytest.fixture(autouse=True)
def watchdog() -> Iterator[None]:
    """Ends a test that waits."""

    def bark(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, bark)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def put(path: Path, kind: str) -> None:
    """Something at ``path`` that is not a file."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(str(path))
    elif kind == "link to a pipe":
        os.mkfifo(path.with_name("pipe"))
        path.symlink_to("pipe")
    else:
        path.symlink_to(kind)


KINDS = ["pipe", "folder", "socket", "link to a pipe", "/dev/zero", "/dev/full", "/dev/tty"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file(tmp_path: Path, kind: str) -> None:
    """It is refused by name, without waiting."""
    put(tmp_path / "x", kind)

    with pytest.raises(OSError, match=r"it is a (folder|pipe or a device); name a file"):
        read_regular_file(tmp_path / "x", 100)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", [".json", ".npz", ".obj", ".stl", ".ply", ".xml"])
def test_every_reader(tmp_path: Path, kind: str, suffix: str) -> None:
    """Recordings, meshes and scenes are all read so."""
    put(path := tmp_path / f"x{suffix}", kind)
    readers = {
        ".json": (load_recording, load_scene),
        ".npz": (load_recording,),
        ".xml": (load_scene,),
    }
    for read in readers.get(suffix, (read_mesh,)):
        with pytest.raises((RecordingError, MeshFileError, SceneError)) as caught:
            read(path)
        assert "is a" in str(caught.value) or "not a regular file" in str(caught.value)


def test_too_large_a_file(tmp_path: Path) -> None:
    """A file is read up to its limit; one that only claims to be large is not read at all."""
    (tmp_path / "x").write_bytes(b"123")
    assert read_regular_file(tmp_path / "x", 3) == b"123"
    with pytest.raises(OSError, match="it has 3 bytes, and at most 2 are read"):
        read_regular_file(tmp_path / "x", 2)
    with (tmp_path / "hole.npz").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(RecordingError, match="it has 1099511627776 bytes"):
        load_recording(tmp_path / "hole.npz")


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 5000])
def test_names_that_no_file_has(tmp_path: Path, name: str) -> None:
    """A name that comes from a scene may be any text."""
    with pytest.raises(OSError, match="name"):
        read_regular_file(tmp_path / name, 100)
