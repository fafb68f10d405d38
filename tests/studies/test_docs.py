"""docs/scale.md is true: its scene is the sample, and its commands are accepted."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from impulse_cli.studies.measures import parse_measures
from impulse_cli.studies.ranges import parse_ranges
from impulse_cli.studies.runs import Study, probe
from impulse_core import load_scene, simulate

ROOT = Path(__file__).resolve().parents[2]
GAIT = ROOT / "docs" / "gait.xml"
PAGE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8").replace("\\\n", " ")
COMMANDS = [
    words
    for words in map(shlex.split, re.findall(r"\n    (impulse (?:sweep|optimise) .*)", PAGE))
    if "…" not in words
]


def test_the_gait_is_that_of_the_sample() -> None:
    """With the values that it names, bit for bit."""
    trotter = load_scene(ROOT / "sample_scenes" / "machines" / "trotter.xml")

    mine, its = (simulate(scene, duration=0.1) for scene in (load_scene(GAIT), trotter))
    assert mine.diagnostics["state_sha256"] == its.diagnostics["state_sha256"]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[1])
def test_what_the_page_varies_and_measures_exists(words: list[str]) -> None:
    """All paths and measures of its commands are there."""
    scene = load_scene(GAIT)
    given = list(pairwise(words))
    measures = [text for flag, text in given if flag in {"--measure", "--maximise"}]
    ranges = [text for flag, text in given if flag == "--vary"]

    assert measures
    assert ranges
    parse_ranges(scene, ranges)
    probe(Study(scene, tuple(parse_measures(measures))))


def test_the_page_has_commands() -> None:
    """A sweep and a search."""
    assert [words[1] for words in COMMANDS] == ["sweep", "optimise"]


def test_what_the_page_does_in_one_process_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """With fewer machines and steps."""
    monkeypatch.chdir(GAIT.parent)
    section = PAGE.partition("## In one process")[2].partition("\n## ")[0]
    blocks = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    names: dict[str, Any] = {}
    for block in blocks:
        code = block.replace("64", "4").replace("range(100)", "range(3)")
        exec(code.replace("in (6.0, 9.0, 12.0)])", "in (6.0, 9.0)], duration=0.1)"), names)

    assert len(names["runs"]) == 2
    assert len(names["batch"]) == 4
