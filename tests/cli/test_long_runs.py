"""``impulse run`` to an .imprec with checkpoints, and parts of what it wrote."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from impulse_core.recording import load_recording

from .conftest import Cli, Program


def test_a_run_that_got_ctrl_c_is_resumed(cli: Cli, program: Program, pendulum: Path) -> None:
    """It says how; the command goes on, and once more has nothing to do."""
    output = pendulum.with_name("anim.imprec")
    words = ("run", pendulum, "-o", output, "--duration", "2000", "--checkpoint", "0.05")
    process = program(*words)
    checkpoint = Path(f"{output}.checkpoint")
    patience = time.monotonic() + 60.0
    while not checkpoint.exists() and time.monotonic() < patience:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert f"{checkpoint} holds its state; the same command with --resume goes on" in said
    cut = load_recording(output)
    assert 0 < cut.frame_count < 50_000
    refused = cli(*words)
    assert refused.code == 1
    assert "has a checkpoint of a run that did not end" in refused.err

    assert cli(*words, "--resume").code == 0
    again = cli(*words, "--resume")
    assert again.code == 0
    assert "holds the whole run: 50001 frames of 1 body; nothing was computed" in again.out
    whole = load_recording(output)
    assert whole.positions.tobytes().startswith(cut.positions.tobytes())
    assert not checkpoint.exists()


def test_small_files_and_parts_of_them(cli: Cli, pendulum: Path) -> None:
    """Every tenth frame with 7 digits; a part of it as .npz."""
    output, part = pendulum.with_name("a.imprec"), pendulum.with_name("part.npz")
    words = ("--duration", "2", "--fps", "100", "--every", "10", "--float32", "--bodies", "bo*")
    assert cli("run", pendulum, "-o", output, *words).code == 0
    assert load_recording(output).frame_count == 21

    outcome = cli("convert", output, part, "--start", "0.5", "--end", "1.0")
    assert outcome.code == 0
    assert f"wrote {part}: 6 frames of 1 body" in outcome.out
    assert load_recording(part).times.tolist() == load_recording(output).times[5:11].tolist()
    refused = cli("convert", output, part, "--start", "3")
    assert refused.code == 1
    assert f"{output}: holds no frame from t = 3 s on; its last is at t = 2 s" in refused.err
    refused = cli("convert", pendulum, pendulum.with_name("s.json"), "--start", "3")
    assert refused.code == 2
    assert "--start and --end are for animations" in refused.err


@pytest.mark.parametrize(
    "words",
    [("--checkpoint", "5"), ("--resume",), ("--every", "2"), ("--bodies", "b*"), ("--float32",)],
)
def test_other_formats_refuse_what_they_cannot(
    cli: Cli, pendulum: Path, words: tuple[str, ...]
) -> None:
    """With the name that would do."""
    output = pendulum.with_name("anim.json")
    outcome = cli("run", pendulum, "-o", output, *words)

    assert outcome.code == 1
    assert (
        f"{words[0]} is for runs that go to an .imprec; write {output.stem}"
        in outcome.err.replace(f"{output.parent}/", "")
    )
    assert not output.exists()


def test_what_is_wrong_is_named(cli: Cli, pendulum: Path) -> None:
    """Bodies that there are not, checkpoints that are none; no traceback."""
    output = pendulum.with_name("a.imprec")
    outcome = cli("run", pendulum, "-o", output, "--bodies", "leg-*")
    assert outcome.code == 1
    assert "no body is called 'leg-*'; there are bob" in outcome.err
    Path(f"{output}.checkpoint").write_text("no state")
    outcome = cli("run", pendulum, "-o", output, "--resume")
    assert outcome.code == 1
    assert outcome.err.count("\n") == 1
    assert "a.imprec.checkpoint: is not a state of a simulation" in outcome.err


def test_the_report_and_the_progress_of_a_file(cli: Cli, pendulum: Path) -> None:
    """They say what those of other formats say."""
    reports = []
    for name in ("a.imprec", "b.npz"):
        report = pendulum.with_name(f"{name}.report.json")
        words = ("-o", pendulum.with_name(name), "--report", report, "--progress", "json")
        outcome = cli("run", pendulum, *words)
        assert outcome.code == 0
        assert json.loads(outcome.out.splitlines()[-1])["frames"] == 14
        reports.append(json.loads(report.read_text()))
    assert reports[0].keys() == reports[1].keys()
    assert reports[0]["state_sha256"] == reports[1]["state_sha256"]
