# SPDX-License-Identifier: GPL-3.0-or-later
"""What the demos share: stages that say how long they took, and what to do without Blender."""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run_demo(
    description: str,
    with_blender: Callable[[Path], Path],
    without_blender: Callable[[Path], Path],
) -> int:
    """The exit code of a demo, which makes its picture in the folder that the command line names.

    Args:
        description: What the demo does.
        with_blender: Makes it in a folder and returns the picture to look at.
        without_blender: The same where Blender's module cannot be imported.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "demo-output")
    output = parser.parse_args().output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    reason = why_no_blender()
    try:
        if reason:
            print(f"Without Blender: {reason}")
            made = without_blender(output)
        else:
            made = with_blender(output)
    except subprocess.CalledProcessError as error:
        # impulse has said what is wrong
        print(f"Stopped: {' '.join(map(str, error.cmd[2:5]))} failed.", file=sys.stderr)
        return 1
    except RuntimeError as error:
        print(f"Stopped: {error}", file=sys.stderr)
        return 1
    print(f"Done in {time.perf_counter() - began:.1f} s. Look at {shown(made)}")
    return 0


def why_no_blender() -> str:
    """Why bpy cannot be imported, with what to do about it; '' where it can."""
    if importlib.util.find_spec("bpy") is None:
        if sys.version_info[:2] != (3, 11):
            found = f"{sys.version_info[0]}.{sys.version_info[1]}"
            return f"bpy 5.0 needs Python 3.11 exactly, this is {found}."
        return "bpy is not installed; pip install 'impulse-dynamics[blender]' brings it."
    # In a process of its own, as a missing library may also end it.
    probe = subprocess.run(
        [sys.executable, "-c", "import bpy"], check=False, capture_output=True, text=True
    )
    if probe.returncode == 0:
        return ""
    missing = re.search(r"(lib[\w.+-]+\.so[.\d]*): cannot open", probe.stderr)
    if missing is None:
        lines = probe.stderr.strip().splitlines() or [f"exit code {probe.returncode}"]
        return f"bpy cannot be imported: {lines[-1]}"
    package = debian_package(missing[1])
    advice = f"; on Debian or Ubuntu: apt-get install {package}" if package else ""
    return f"the system library {missing[1]} is missing{advice}."


def debian_package(library: str) -> str:
    """The package that brings a library bpy is linked with; '' where unknown."""
    listed = (ROOT / "blender_addon" / "system-packages.txt").read_text(encoding="utf-8")
    for line in listed.splitlines():
        package, _, libraries = line.partition(":")
        if library in libraries.split():
            return package.strip()
    return ""


def validate(scene_file: Path) -> None:
    with stage("check it with impulse validate"):
        subprocess.run([*impulse(), "validate", scene_file], check=True)


def impulse() -> list[str]:
    return [sys.executable, "-m", "impulse_cli"]


def show_progress(progress) -> None:
    if sys.stdout.isatty():
        print(f"\r  {progress.text:<40}", end="\r", flush=True)


@contextmanager
def stage(title: str) -> Iterator:
    """Print what a stage made and how long it took."""
    notes: list[str] = []
    began = time.perf_counter()
    yield notes.append
    seconds = time.perf_counter() - began
    print(f"{seconds:6.1f} s  {title:<32}{' '.join(notes)}", flush=True)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Blender's own chatter off the terminal; errors are exceptions and still show."""
    sys.stdout.flush()
    saved = os.dup(1)
    with Path(os.devnull).open("w", encoding="utf-8") as sink:
        os.dup2(sink.fileno(), 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(saved, 1)
        os.close(saved)


def shown(path: Path) -> str:
    """A path as short as it can be said from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
