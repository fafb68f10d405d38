"""A run that was computed is not lost: not to a full disk, not to Ctrl-C, not to a closed pipe."""

from __future__ import annotations

import errno
import io
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from impulse_cli.main import _Interrupter, execute
from impulse_core import Recording
from impulse_core.recording import RecordingError, load_recording
from tests.soak.kills import kill_runs, signal_runs

from .conftest import Cli, Outcome, Program


@pytest.fixture
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's temporary folder."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C and SIGTERM as the program takes them, also where tests ignore them."""
    handler = _Interrupter()
    before = [signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)]
    yield
    signal.signal(signal.SIGINT, before[0])
    signal.signal(signal.SIGTERM, before[1])


def fill_up(
    monkeypatch: pytest.MonkeyPatch, full: Callable[[Path], bool], reason: int = errno.ENOSPC
) -> None:
    """From the first byte of output on, the disk is full for some files."""
    original = os.fsync

    def fsync(number: int) -> None:
        if full(Path(f"/proc/self/fd/{number}").readlink()):
            raise OSError(reason, os.strerror(reason))
        original(number)

    monkeypatch.setattr(os, "fsync", fsync)


@pytest.mark.parametrize("suffix", [".json", ".npz"])
@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS])
def test_a_full_disk_at_the_end(
    cli: Cli,
    pendulum: Path,
    temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
    suffix: str,
    reason: int,
) -> None:
    """The frames go to the temporary folder, the message says where; the old file stays."""
    output = pendulum.with_name(f"anim{suffix}")
    output.write_text("old")
    fill_up(monkeypatch, lambda path: temporary not in path.parents, reason)

    outcome = cli("run", pendulum, "-o", output)

    [kept] = temporary.glob("*/*")
    assert outcome.code == 1
    assert f"{output}: cannot be written: {os.strerror(reason).lower()}" in outcome.err
    assert f"The animation is in {kept} instead." in outcome.err
    assert kept.suffix == suffix
    assert load_recording(kept).complete
    assert output.read_text() == "old"
    assert sorted(pendulum.parent.iterdir()) == sorted([output, pendulum])


def test_a_full_disk_is_told_to_programs(
    cli: Cli, pendulum: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last line of ``--progress json`` names the file that holds the frames."""
    fill_up(monkeypatch, lambda path: temporary not in path.parents)

    out = cli("run", pendulum, "-o", pendulum.with_name("a.json"), "--progress", "json").out

    finished = json.loads(out.splitlines()[-1])
    assert finished["exit_code"] == 1
    assert load_recording(finished["output"]).frame_count == finished["frames"]
    assert finished["output"] in finished["message"]


def test_a_disk_with_room_for_the_smaller_format(
    cli: Cli, pendulum: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the text does not fit into the temporary folder either, the .npz may."""
    original = Recording.save

    def save(self: Recording, path: Path) -> None:
        if path.suffix == ".json":
            raise RecordingError("cannot be written: no space left on device.", file=str(path))
        original(self, path)

    monkeypatch.setattr(Recording, "save", save)

    outcome = cli("run", pendulum, "-o", pendulum.with_name("anim.json"))

    [kept] = temporary.glob("*/*")
    assert kept.suffix == ".npz"
    assert str(kept) in outcome.err
    assert load_recording(kept).complete


@pytest.mark.parametrize("failure", [MemoryError(), RecordingError("cannot be written: full.")])
def test_nowhere_to_write(
    cli: Cli,
    pendulum: Path,
    temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
    failure: Exception,
) -> None:
    """Where nothing can be written anywhere, that is said, and nothing half-written stays."""

    def save(*_: object) -> None:
        raise failure

    monkeypatch.setattr(Recording, "save", save)

    outcome = cli("run", pendulum, "-o", pendulum.with_name("anim.json"))

    assert outcome.code == 1
    assert "Nor could it be written elsewhere" in outcome.err
    assert "wrote" not in outcome.out
    assert not list(temporary.iterdir())
    [kept] = set(pendulum.parent.iterdir()) - {pendulum}
    assert f"What was kept of it while it was computed is in {kept}." in outcome.err
    assert load_recording(kept).complete


def test_a_report_that_cannot_be_written(
    cli: Cli, pendulum: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The animation is there all the same, and the summary too."""
    output, report = pendulum.with_name("anim.npz"), pendulum.with_name("report.json")

    def refuse(*_: object) -> None:
        raise RecordingError("cannot be written: full.", file=str(report))

    monkeypatch.setattr("impulse_cli.commands.run._write_report", refuse)
    outcome = cli("run", pendulum, "-o", output, "--report", report)

    assert outcome.code == 1
    assert outcome.err == f"{report}: cannot be written: full.\n"
    assert f"wrote {output}" in outcome.out
    assert load_recording(output).complete


# --------------------------------------------------------------------------------------
# Signals
# --------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("call", ["fsync", "replace", "open"])
def test_ctrl_c_while_the_frames_are_written(
    cli: Cli,
    pendulum: Path,
    monkeypatch: pytest.MonkeyPatch,
    interruptible: None,
    number: signal.Signals,
    call: str,
) -> None:
    """They are written to the end; the exit code says that Ctrl-C was pressed."""
    output, original = pendulum.with_name("anim.json"), getattr(os, call)
    output.write_text("old")

    def press(*words: Any, **more: Any) -> Any:
        signal.raise_signal(number)
        return original(*words, **more)

    def save(self: Recording, path: Path, save: Any = Recording.save) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(os, call, press)
            save(self, path)

    monkeypatch.setattr(Recording, "save", save)

    outcome = cli("run", pendulum, "-o", output)

    assert outcome.code == 130
    assert load_recording(output).complete
    assert f"wrote {output}: 14 frames of 1 body\n" in outcome.out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_that_a_callback_swallows(
    cli: Cli,
    pendulum: Path,
    monkeypatch: pytest.MonkeyPatch,
    interruptible: None,
    number: signal.Signals,
) -> None:
    """Ctrl-C while kernels load ends the run, also where Python drops what its handler raises."""
    from impulse_core.simulation.engine import Engine
    from tests.core.test_held_signals import swallow

    original = Engine._load_kernels

    def load(self: Engine, *given: Any) -> float:
        swallow(number)
        return original(self, *given)

    monkeypatch.setattr(Engine, "_load_kernels", load)
    outcome = cli("run", pendulum, "-o", pendulum.with_name("anim.json"))

    assert outcome.code == 130
    assert outcome.err.strip() == "Interrupted; nothing was written."


@pytest.mark.parametrize("seed", range(12))
def test_a_signal_at_any_moment(
    cli: Cli, pendulum: Path, interruptible: None, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the start of the command to its end: frames that were recorded are in a whole file."""
    from impulse_core.simulation.recorder import Recorder

    recorded: list[float] = []
    original = Recorder.add_frame

    def add_frame(self: Recorder, time: float) -> None:
        original(self, time)
        recorded.append(time)

    monkeypatch.setattr(Recorder, "add_frame", add_frame)
    chance = random.Random(seed)
    output = pendulum.with_name(chance.choice(["anim.json", "anim.npz"]))
    words = ("run", pendulum, "-o", output, "--fps", "2000")
    cli(*words)  # kernels are there
    began = time.monotonic()
    cli(*words)
    seconds = chance.uniform(0.0, time.monotonic() - began)
    recorded.clear()
    output.unlink()

    number = chance.choice([signal.SIGINT, signal.SIGTERM])
    timer = threading.Timer(seconds, os.kill, (os.getpid(), number))
    timer.start()
    try:
        outcome = cli(*words)
        timer.join()
    except KeyboardInterrupt:  # it came after the end
        outcome = Outcome(0, "", "")

    assert outcome.code in {0, 130}, outcome.err
    if recorded:
        recording = load_recording(output)
        assert recording.times.tolist() == recorded
        assert recording.complete == (recorded[-1] == 0.5)
    else:
        assert outcome.err.strip() == "Interrupted; nothing was written."
        assert not output.exists()


def test_a_run_that_is_killed(cli: Cli, program: Program, pendulum: Path) -> None:
    """Its frames stay beside the output; the next run names them, and they can be converted."""
    output, scene = pendulum.with_name("anim.npz"), pendulum
    words = ("run", scene, "-o", output, "--duration", "20000", "--progress", "json")
    with program(*words) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if '"simulating"' in line and json.loads(line)["time"] > 0.0:
                break
        process.kill()
    [left] = set(pendulum.parent.iterdir()) - {pendulum}

    outcome = cli("run", scene, "-o", output)
    assert outcome.code == 0
    assert outcome.err == (
        f"{left} holds the frames of a run that did not end; 'impulse convert' makes a .npz or"
        " .json of it, or remove it.\n"
    )
    kept = pendulum.with_name("kept.json")
    outcome = cli("convert", left, kept)
    assert "which end early, at t = " in outcome.out
    recording, whole = load_recording(kept), load_recording(output)
    count = min(recording.frame_count, whole.frame_count - 1)
    assert count >= 1
    assert recording.positions[:count].tobytes() == whole.positions[:count].tobytes()
    assert set(pendulum.parent.iterdir()) == {pendulum, output, left, kept}


def test_processes_that_are_killed(tmp_path: Path) -> None:
    """Killed at any moment: the old output, and beside it what can be read."""
    assert kill_runs(5, tmp_path, seconds=1.5) > 0


def test_signals_to_a_process(tmp_path: Path) -> None:
    """The same from outside: whenever the signal comes, the file is whole and holds frames."""
    assert signal_runs(2, tmp_path) > 0


# --------------------------------------------------------------------------------------
# Streams
# --------------------------------------------------------------------------------------


class Refusing(io.StringIO):
    """A stream that takes nothing."""

    def __init__(self, reason: int) -> None:
        super().__init__()
        self.reason = reason

    def write(self, _: str) -> int:
        raise OSError(self.reason, os.strerror(self.reason))


@pytest.mark.parametrize("progress", ["json", "bar", "auto", "none"])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EPIPE, errno.EIO, errno.EBADF])
def test_streams_that_take_nothing(
    pendulum: Path, progress: str, stream: str, reason: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where progress, warnings or the summary cannot be written, the frames are kept."""
    output = pendulum.with_name("anim.json")
    with monkeypatch.context() as patch:
        patch.setattr(sys, stream, Refusing(reason))
        code = execute(["run", str(pendulum), "-o", str(output), "--progress", progress])

    assert code in ({0, 1, 141} if stream == "stdout" else {0})
    assert load_recording(output).complete
