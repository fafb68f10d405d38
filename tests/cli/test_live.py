"""``impulse live``: a session for another program, through pipes."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import impulse_core as ic
from impulse_schema import scene_to_xml
from tests.live.scenes import arm


class _Live:
    """The program, and what it tells."""

    def __init__(self, scene: Path, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "impulse_cli", "live", str(scene), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def do(self, command: str, **values: Any) -> None:
        self.say(json.dumps({"command": command, **values}))

    def until(self, event: str) -> dict[str, Any]:
        """The next message of a kind; of a snapshot with its poses."""
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            message: dict[str, Any] = json.loads(line)
            if message["event"] == event:
                if event == "snapshot":
                    data = base64.b64decode(message["poses"])
                    message["poses"] = np.frombuffer(data, "<f8").reshape(-1, 7)
                return message
        raise AssertionError("the program ended")


@pytest.fixture
def live(pendulum: Path) -> Iterator[_Live]:
    one = _Live(pendulum, "--paused")
    with one.process:
        yield one
        one.process.kill()


def test_it_tells_poses_and_keeps_what_was_simulated(live: _Live, tmp_path: Path) -> None:
    """Paused it stands; steps come as poses, and the last is the last frame of what is kept."""
    bodies = live.until("started")["bodies"]
    first = live.until("snapshot")
    assert first["time"] == 0.0
    live.do("Step", count=200, id=5)
    while (now := live.until("snapshot"))["step"] < 200:
        pass

    live.say(json.dumps({"keep": str(tmp_path / "take.json"), "id": 6}))
    assert live.until("kept")["id"] == 6

    recording = ic.load_recording(tmp_path / "take.json")
    assert now["step"] == 200
    assert now["state"] == "paused"
    moved = np.abs(now["poses"] - first["poses"]).max(axis=1)
    assert moved.max() > 1e-3
    assert len(bodies) == len(now["poses"])
    assert recording.times[-1] == pytest.approx(now["time"])
    np.testing.assert_array_equal(recording.positions[-1], now["poses"][:, :3])


def test_what_is_refused_is_told_and_changes_nothing(live: _Live, tmp_path: Path) -> None:
    """A sentence for each, with the number of the line, and the program goes on."""
    nowhere = tmp_path / "no" / "take.json"
    for line, message in (
        ('{"command": "Jump", "id": 1}', "there is no command 'Jump'"),
        ('{"command": "Release", "body": "nobody", "id": 1}', "nobody"),
        ('{"command": "Drag", "id": 1}', "Drag lacks body"),
        (json.dumps({"keep": str(nowhere), "id": 1}), "take.json"),
    ):
        live.say(line)
        refused = live.until("refused")
        assert message in refused["message"]
        assert refused["id"] == 1
    for line in ("nonsense", "[1]", '{"command": 5}'):
        live.say(line)
        assert live.until("refused")["message"]
    live.do("Step", id="end")
    assert live.until("done") == {"event": "done", "id": "end", "step": 0}


def test_a_run_that_fails_is_told(tmp_path: Path) -> None:
    """The reason comes once, and the last good state stays."""
    scene = arm()
    scene.joints[0].motors[0].expression = "t if t < 0.1 else 1/(t - t)"
    (tmp_path / "arm.xml").write_bytes(scene_to_xml(scene))
    one = _Live(tmp_path / "arm.xml", "--speed", "10")
    with one.process:
        assert "shoulder" in one.until("failed")["message"]
        now = one.until("snapshot")
        one.process.kill()
    assert now["state"] == "failed"
    assert now["time"] <= 0.1


def test_it_ends_with_its_starter(live: _Live) -> None:
    """Whatever became of it: its end of the pipe closes."""
    live.until("started")
    assert live.process.stdin is not None
    live.process.stdin.close()
    assert live.process.wait(30) == 0


def test_a_bad_scene_is_told_on_stderr(tmp_path: Path) -> None:
    """As by all commands."""
    one = _Live(tmp_path / "gone.xml")
    with one.process as process:
        assert process.stderr is not None
        assert b"gone.xml" in process.stderr.read()
        assert process.wait(30) == 1
