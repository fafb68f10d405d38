"""What is shown while a simulation runs."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace

import pytest

from impulse_cli import progress as module
from impulse_cli.progress import show_progress


def at(stage: str, seconds: float, duration: float = 10.0, part: int = 0) -> SimpleNamespace:
    """What the core tells at a simulated time."""
    return SimpleNamespace(
        stage=stage,
        time=seconds,
        duration=duration,
        steps=int(100 * seconds),
        wall_seconds=0.1,
        part=part,
        parts=5 if part else 0,
    )


@pytest.mark.parametrize("kind", ["auto", "bar"])
def test_a_long_compilation_is_announced(
    kind: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiling that takes longer than loading from the cache is explained on stderr, once."""
    monkeypatch.setattr(module, "_SECONDS_BEFORE_ANNOUNCING", 0.01)

    with show_progress(kind) as callback:
        callback(at("compiling kernels", 0.0))
        time.sleep(0.2)
        callback(at("simulating", 1.0))

    assert capfd.readouterr().err.count("Compiling the kernels, once after each update") == 1


@pytest.mark.parametrize("kind", ["auto", "bar", "none"])
def test_kernels_from_the_cache_are_not_announced(
    kind: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where kernels are there at once, or nothing is wanted, nothing is said about them."""
    monkeypatch.setattr(module, "_SECONDS_BEFORE_ANNOUNCING", 0.1)

    with show_progress(kind) as callback:
        callback(at("compiling kernels", 0.0))
        callback(at("simulating", 1.0))
        time.sleep(0.2)

    assert "Compiling" not in capfd.readouterr().err


def test_json_lines_are_few_but_whole(capfd: pytest.CaptureFixture[str]) -> None:
    """A fast run does not flood its reader: each stage and the end have a line, little else."""
    with show_progress("json") as callback:
        callback(at("compiling kernels", 0.0))
        for step in range(1001):
            callback(at("simulating", step / 100))

    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [line["stage"] for line in lines[:2]] == ["compiling kernels", "simulating"]
    assert lines[-1] == {
        "event": "progress",
        "stage": "simulating",
        "time": 10.0,
        "duration": 10.0,
        "steps": 1000,
        "wall_seconds": 0.1,
    }
    assert len(lines) < 100


def test_json_lines_say_which_part_is_compiled(capfd: pytest.CaptureFixture[str]) -> None:
    """While kernels are compiled, a line says which part of how many; no other line does."""
    with show_progress("json") as callback:
        callback(at("loading", 0.0))
        for part in (1, 2, 2, 5):
            callback(at("compiling kernels", 0.0, part=part))
        callback(at("simulating", 0.0))

    loading, *compiling, simulating = map(json.loads, capfd.readouterr().out.splitlines())
    assert [(line["part"], line["parts"]) for line in compiling] == [(1, 5), (2, 5), (5, 5)]
    assert "part" not in loading
    assert "part" not in simulating
