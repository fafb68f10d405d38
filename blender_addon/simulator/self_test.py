# SPDX-License-Identifier: GPL-3.0-or-later
"""A small machine that is simulated to see whether the simulator works, and what that says.

It has what most machines have: contact with the ground, a joint, a servo.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from . import runner

SCENE = """<scene version="1" name="self-test">
  <settings duration="1"/>
  <body name="ground" motion="static"><geometry shape="plane"/></body>
  <body name="torso" position="0 0 0.1" density="500">
    <geometry shape="box" size="0.4 0.4 0.2"/>
  </body>
  <body name="arm" position="0 0 0.5" density="500">
    <geometry shape="box" size="0.1 0.1 0.4"/>
  </body>
  <joint name="shoulder" type="hinge" body1="torso" body2="arm" anchor="0 0 0.3" axis="0 1 0">
    <motor kind="servo" target="0.5" proportional="200" derivative="20"/>
  </joint>
</scene>
"""


class SelfTest:
    """A run of the small machine in a folder of its own, which ``close`` removes.

    Raises RunError where the simulator cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="impulse-test-")
        place = Path(self._folder.name)
        scene, self._report = place / "scene.xml", place / "report.json"
        scene.write_text(SCENE, encoding="utf-8")
        self._begun = time.monotonic()
        options = ["--report", str(self._report)]
        try:
            self.child = runner.Run(command, scene, place / "motion.npz", options)
        except runner.RunError:
            self._folder.cleanup()
            raise

    def result(self) -> str:
        """What the ended run says, in one sentence. Raises RunError where it did not end well."""
        self.child.result()
        report = json.loads(self._report.read_text(encoding="utf-8"))
        seconds = time.monotonic() - self._begun
        return f"The simulator works: {seconds:.1f} s from start to end, {about_kernels(report)}."

    def close(self) -> None:
        """End the run where it goes on, and remove its files."""
        if not self.child.poll():
            self.child.abandon()
            self.child.wait(1.0)
        # Windows keeps files that a process still has open.
        with suppress(OSError):
            self._folder.cleanup()


def about_kernels(report: dict) -> str:
    """Whether the run had to wait for a compiler, as the end of a sentence."""
    compiled = report["kernels_compiled"]
    if not compiled:
        return "and nothing had to be compiled"
    seconds = report["compile_seconds"]
    return f"of which {seconds:.0f} s compiled {compiled} parts of it, which are kept"


def kernel_folder() -> Path:
    """Where the simulator keeps the kernels that it compiles on this machine.

    Raises RuntimeError where this user has no home.
    """
    if chosen := os.environ.get("IMPULSE_CACHE_DIR"):
        parent = Path(chosen).absolute()
    else:
        parent = Path(os.environ.get("XDG_CACHE_HOME", ""))
        if not parent.is_absolute():
            parent = Path.home() / ".cache"
    return parent / "impulse-kernels"


def size_of(folder: Path) -> int:
    """Bytes of all files in a folder, 0 where there is none."""
    total = 0
    with suppress(OSError):
        for entry in os.scandir(folder):
            total += size_of(Path(entry)) if entry.is_dir() else entry.stat().st_size
    return total
