"""docs/first-machine.md is true: its files, commands and answers are played through."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from impulse_core import load_recording
from impulse_schema import load_scene

pytestmark = pytest.mark.xdist_group("first machine")  # the page is played through once

PAGE = Path(__file__).resolve().parents[2] / "docs" / "first-machine.md"
SCENE = "four-bar.xml"
CRANK, COUPLER, ROCKER = 0.4, 1.2, 0.9
BASE = math.hypot(1.2, 0.5)


def blocks() -> list[tuple[str, str]]:
    """Kind and text of every fenced block of the page."""
    return re.findall(
        r"^```(\w+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def exchanges(block: str) -> list[tuple[str, str]]:
    """Each command of a console block with its answer."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    assert parts[0] == "", "a console block begins with a command"
    return list(zip(parts[1::2], parts[2::2], strict=True))


def put_joint(scene: Path, fragment: str) -> None:
    """Replace the joint of the same name, which stands on one line."""
    name = re.search(r'<joint name="[^"]*"', fragment)[0]
    text = scene.read_text(encoding="utf-8")
    changed, count = re.subn(rf"^ *{name}.*/>\n", lambda _: fragment, text, flags=re.MULTILINE)
    assert count == 1
    scene.write_text(changed, encoding="utf-8")


def unpadded(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which everything on the page was done, in order.

    Every answer that the page shows was compared; a command without one may say what it likes.
    """
    folder = tmp_path_factory.mktemp("first-machine")
    program = folder / "bin" / "impulse"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m impulse_cli "$@"\n')
    program.chmod(0o755)
    surroundings = {
        **os.environ,
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "MPLBACKEND": "agg",
    }
    for kind, text in blocks():
        if kind == "xml" and text.startswith("<scene"):
            (folder / SCENE).write_text(text, encoding="utf-8")
        elif kind == "xml":
            put_joint(folder / SCENE, text)
        elif kind == "python":
            subprocess.run([sys.executable, "-c", text], cwd=folder, env=surroundings, check=True)
        else:
            assert kind == "console"
            for command, answer in exchanges(text):
                finished = subprocess.run(
                    command,
                    shell=True,
                    cwd=folder,
                    env=surroundings,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                if answer:
                    assert unpadded(finished.stdout) == unpadded(answer), command
                    assert finished.stderr == "", command
                else:
                    assert finished.returncode == 0, finished.stderr
    return folder


def test_page_is_played_through(played: Path) -> None:
    """Every command answers as the page says, and the files it speaks of are there."""
    for name in (SCENE, "four-bar.json", "report.json", "angles.png", "angles.csv"):
        assert (played / name).stat().st_size > 0
    assert load_scene(played / SCENE).joints[0].motors
    assert json.loads((played / "report.json").read_text())["warnings"] == []


def test_crank_turns_once_a_second(played: Path) -> None:
    """After the first second the angle of drive is 2π (t - 1/2), as the motor's target says."""
    recording = load_recording(played / "four-bar.json")
    angle, times = np.array(recording.joints["drive"]["angle"]), recording.times
    on = times >= 1.0

    assert recording.fps == 25.0
    np.testing.assert_allclose(angle[on], 2.0 * math.pi * (times[on] - 0.5), atol=1e-5)


def test_rocker_swings_as_far_as_the_lengths_say(played: Path) -> None:
    """The ends of the swing are those of the triangle whose side is coupler ± crank."""

    def at_base(side: float) -> float:
        """Angle of the rocker to the base where crank and coupler together span ``side``."""
        return math.degrees(math.acos((BASE**2 + ROCKER**2 - side**2) / (2.0 * BASE * ROCKER)))

    start = at_base(math.hypot(COUPLER, CRANK))
    ends = sorted(start - at_base(side) for side in (COUPLER - CRANK, COUPLER + CRANK))
    said = re.search(
        r"between \+([\d.]+) and −([\d.]+)\s+degrees", PAGE.read_text(encoding="utf-8")
    )
    angle = np.degrees(load_recording(played / "four-bar.json").joints["swing"]["angle"])

    assert sorted([float(said[1]), -float(said[2])]) == pytest.approx(
        [-ends[1], -ends[0]], abs=0.05
    )
    # Frames come every 40 ms, a 25th of a turn: the ends lie between two of them.
    assert [angle.min(), angle.max()] == pytest.approx([-ends[1], -ends[0]], abs=0.5)


def test_pins_of_the_picture_are_the_machines(played: Path) -> None:
    """The picture's pins, mirrored at the middles, keep the coupler's length in every frame."""
    recording = load_recording(played / "four-bar.json")
    crank, rocker = (recording.positions[:, recording.body(name)] for name in ("crank", "rocker"))
    coupler = 2.0 * rocker - np.array([1.2, 0.0, -0.5]) - 2.0 * crank

    np.testing.assert_allclose(np.linalg.norm(coupler, axis=1), COUPLER, atol=2e-5)
    assert (played / "first-machine.png").stat().st_size > 10_000
