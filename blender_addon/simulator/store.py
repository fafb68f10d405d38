# SPDX-License-Identifier: GPL-3.0-or-later
"""Where runs are kept: a folder for each while it goes on, and what they made, by scene.

    runs/PROCESS-NUMBER/    scene, its meshes and the recording of one run
    finished/KEY.imprec     recordings of complete runs; KEY says of what

``key_of`` is a digest of all that a result depends on: the scene as it was written, its meshes, and
the simulator itself. Folders of Blenders that are gone are removed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

# What finished runs may take on the disk [B]; the least recently used go first.
LARGEST = 2**30
# Seconds after which a folder is one that was left, where that cannot be asked for.
OLD = 7 * 86400.0
SIMULATOR = ("impulse_core", "impulse_schema", "impulse_cli")

_numbers = count(1)


class Store:
    """The folders of runs below ``root``; nothing here fails where only a cache is lost."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def new_run(self) -> Path:
        """A new empty folder for a run; where there can be none, a temporary one."""
        self.remove_left()
        folder = self.root / "runs" / f"{os.getpid()}-{next(_numbers)}"
        try:
            shutil.rmtree(folder, ignore_errors=True)  # of a process with the same number
            folder.mkdir(parents=True)
        except OSError:
            return Path(tempfile.mkdtemp(prefix="impulse-"))
        return folder

    def remove_left(self) -> None:
        """Remove the folders of Blenders that are gone."""
        for folder in _entries(self.root / "runs"):
            if _is_left(folder):
                shutil.rmtree(folder, ignore_errors=True)

    def find(self, key: str) -> Path | None:
        """The recording of a finished run, None where there is none."""
        path = self._place(key)
        try:
            os.utime(path)  # used
        except OSError:
            return None
        return path

    def keep(self, key: str, recording: Path) -> Path:
        """Put the recording of a complete run where ``find`` finds it; returns where it is."""
        path = self._place(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            recording.replace(path)
        except OSError:
            return recording
        self._shrink(path)
        return path

    def clear(self) -> tuple[int, int]:
        """Remove all finished runs; how many, and their size [B]."""
        removed = [_remove(path) for path in _entries(self.root / "finished")]
        return sum(size is not None for size in removed), sum(size or 0 for size in removed)

    def _place(self, key: str) -> Path:
        return self.root / "finished" / f"{key}.imprec"

    def _shrink(self, kept: Path) -> None:
        found = []
        for path in _entries(self.root / "finished"):
            with suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime, status.st_size, path))
        too_much = sum(size for _, size, _ in found) - LARGEST
        for _, size, path in sorted(found):
            if too_much <= 0:
                break
            if path != kept and _remove(path) is not None:
                too_much -= size


def key_of(scene: Path, options: tuple[str, ...] = ()) -> str:
    """What the result of a run of a scene file, with all files beside it, is known by."""
    digest = hashlib.sha256("\n".join((*options, simulator_mark())).encode())
    for path in sorted(scene.parent.iterdir()):
        digest.update(f"\n{path.name} {path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def simulator_mark() -> str:
    """A digest of names, sizes and dates of all sources of the simulator."""
    digest = hashlib.sha256()
    for name in SIMULATOR:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            continue
        for source in sorted(Path(spec.origin).parent.rglob("*.py")):
            status = source.stat()
            digest.update(f"{source} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _entries(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from list(folder.iterdir())


def _remove(path: Path) -> int | None:
    """Remove a file; its size, None where it stays."""
    try:
        size = path.stat().st_size
        path.unlink()
    except OSError:
        return None
    return size


def _is_left(folder: Path) -> bool:
    """Whether the process that made a folder is gone."""
    number = folder.name.partition("-")[0]
    if number == str(os.getpid()):
        return False
    if os.name == "posix" and number.isdecimal():
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            return True
        except (OSError, OverflowError):
            pass
    with suppress(OSError):
        return time.time() - folder.stat().st_mtime > OLD
    return False
