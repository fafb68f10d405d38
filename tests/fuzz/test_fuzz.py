"""How cases that end badly are found (make fuzz)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.fuzz.cases import CORPUS, KINDS, corpus
from tests.fuzz.driver import ENDED_BY_WATCH, ROOT, fuzz

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


def test_the_corpus_is_small():
    """Every file of the corpus says in a few bytes what it is there for."""
    files = [file for kind in KINDS for file in corpus(kind)]

    assert {folder.name for folder in CORPUS.iterdir()} == set(KINDS)
    assert all(file.stat().st_size <= LARGEST for file in files)


BUSY = {
    "Python": "while True: pass",
    "a library": "import numpy; a = numpy.eye(900)\nwhile True: numpy.linalg.svd(a)",
    "nothing": "import time; time.sleep(60)",
}


@pytest.mark.parametrize("where", BUSY)
def test_the_watch_ends_what_takes_too_long(where):
    """A case that computes or waits for too long ends its process, which says where it was."""
    code = "from tests.fuzz import worker\nworker.SECONDS, worker.WAITING = 0.3, 2.0\n"
    code += f"worker.Watch().start()\n{BUSY[where]}"

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
