"""Files that nobody would write by hand end well: good, or refused with a sentence.

``make fuzz`` tries as many as there is time for; here are the first of the same cases, so what
fails here fails again with ``python -m tests.fuzz KIND=1 --first NUMBER``.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from impulse_schema import Scene, save_scene
from tests.fuzz.cases import CORPUS, KINDS, corpus
from tests.fuzz.driver import ENDED_BY_WATCH, ROOT, fuzz, pieces
from tests.fuzz.judge import judge
from tests.schema.strategies import scenes

# A minute in all, on one processor.
COUNTS = {"scene": 2000, "mesh": 2000, "recording": 2000, "run": 200}
LARGEST = 6000  # bytes of a file of the corpus

DEADLY = """
import os, pathlib, sys

def die(event, arguments):
    path = pathlib.Path(str(arguments[0])) if event == "open" else pathlib.Path()
    if path.stem == "case" and str(arguments[1]).startswith("r"):
        if int(path.with_name("number").read_bytes()) == 6:
            os.kill(os.getpid(), 11)

sys.addaudithook(die)
"""


@pytest.mark.parametrize("kind", COUNTS)
def test_cases_end_well(kind, tmp_path):
    """No fault of the program, no hang, no crash, no number that is none, no bit changed."""
    known = range(-len(corpus(kind)), 0)

    result = fuzz(kind, [known, *pieces(0, COUNTS[kind], 500)], tmp_path)

    assert result.tried == len(known) + COUNTS[kind]
    assert not result.faults, f"{result}\n{shown(tmp_path)}"


def shown(folder: Path) -> str:
    """What a fault printed, and the file that shows it."""
    return "\n".join(
        f"{file.name}\n{file.read_bytes()[:2000].decode('utf-8', 'backslashreplace')}"
        for file in sorted(folder.iterdir())
    )


def test_the_corpus_is_small():
    """Every file of the corpus says in a few bytes what it is there for."""
    files = [file for kind in KINDS for file in corpus(kind)]

    assert {folder.name for folder in CORPUS.iterdir()} == set(KINDS)
    assert all(file.stat().st_size <= LARGEST for file in files)


few = settings(
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@few
@given(scenes)
def test_what_the_models_accept_ends_well(tmp_path: Path, scene: Scene) -> None:
    """Any scene that can be built in Python is good or refused, from a file of either notation."""
    for suffix in (".xml", ".json"):
        path = tmp_path / f"case{suffix}"
        save_scene(scene, path)

        verdict = judge("scene", path)

        assert not verdict.is_fault, verdict


@few
@given(st.sampled_from(["scene", "mesh", "recording"]), st.randoms(use_true_random=False))
def test_chance_that_hypothesis_makes(tmp_path: Path, kind: str, chance: Random) -> None:
    """The same cases, made from choices that hypothesis makes small when one ends badly."""
    case = KINDS[kind](chance)
    path = tmp_path / f"case{case.suffix}"
    path.write_bytes(case.data)

    verdict = judge(kind, path)

    assert not verdict.is_fault, verdict


BUSY = {
    "Python": "while True: pass",
    "a library": "import numpy; a = numpy.eye(900)\nwhile True: numpy.linalg.svd(a)",
    "nothing": "import time; time.sleep(60)",
}


@pytest.mark.parametrize("where", BUSY)
def test_a_case_that_takes_too_long_ends(where):
    """A case that computes or waits for too long ends its process, which says where it was."""
    code = "from tests.fuzz import worker\nworker.SECONDS, worker.WAITING = 0.3, 2.0\n"
    code += f"worker.Limits().set()\n{BUSY[where]}"

    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert -done.returncode in ENDED_BY_WATCH
    assert "most recent call first" in done.stderr


def test_a_worker_that_dies_takes_one_case_with_it(tmp_path, monkeypatch):
    """The other cases of its piece are judged by the next worker, and the deadly one is named."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "sitecustomize.py").write_text(DEADLY)

    result = fuzz("mesh", [range(10)], tmp_path / "found")

    assert result.tried == 10
    assert [fault["number"] for fault in result.faults] == [6]
    assert result.faults[0]["cause"].startswith("crash")
    assert len(list((tmp_path / "found").glob("mesh-crash-6.*"))) == 2
