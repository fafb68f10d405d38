"""Keeps workers busy with ranges of cases, starts new ones for those that died, and reports."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[2]
ENDED_BY_WATCH = (signal.SIGPROF, signal.SIGALRM)


@dataclass
class Result:
    """What came of many cases."""

    ends: Counter[str] = field(default_factory=Counter)
    faults: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def tried(self) -> int:
        return sum(self.ends.values())

    def add(self, answer: dict[str, Any]) -> None:
        self.ends.update(answer["ends"])
        self.faults += answer["faults"]

    def __str__(self) -> str:
        ends = ", ".join(f"{count} {end}" for end, count in sorted(self.ends.items()))
        causes = Counter(fault["cause"] for fault in self.faults)
        lines = [f"{self.tried} tried in {self.seconds:.0f} s: {ends}"]
        return "\n".join([*lines, *(f"  {n} x {cause}" for cause, n in causes.most_common())])


def pieces(start: int, count: int, size: int) -> list[range]:
    """The numbers ``start`` … ``start + count`` - 1 in ranges of at most ``size``."""
    stop = start + count
    return [range(first, min(first + size, stop)) for first in range(start, stop, size)]


def fuzz(
    kind: str,
    wanted: Iterable[range],
    output: Path,
    *,
    workers: int = 1,
    tell: Callable[[range, Result], None] = lambda _piece, _result: None,
) -> Result:
    """Judge cases of a kind.

    Args:
        kind: "scene", "mesh", "recording" or "run".
        wanted: Numbers of the cases, in pieces that a worker is given at once.
        output: Folder for small files that show what ended badly, and what was printed then.
        workers: Processes at work at the same time.
        tell: Is called with each piece and its result.
    """
    output.mkdir(parents=True, exist_ok=True)
    waiting = iter(list(wanted))
    total, began, lock = Result(), time.monotonic(), threading.Lock()

    def work() -> None:
        worker = _Process(output)
        while True:
            with lock:
                piece = next(waiting, None)
            if piece is None:
                break
            result = Result()
            worker.judge(kind, piece, result)
            with lock:
                total.add({"ends": result.ends, "faults": result.faults})
                total.seconds = time.monotonic() - began
                tell(piece, result)
        worker.close()

    with ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(work) for _ in range(workers)]:
            done.result()
    return total


class _Process:
    """A worker, started again whenever a case has ended it."""

    def __init__(self, output: Path) -> None:
        self._output = output
        self._child: subprocess.Popen[str] | None = None

    def judge(self, kind: str, piece: range, result: Result) -> None:
        if not piece:
            return
        answer = self._ask(f"{kind} {piece.start} {piece.stop}")
        if answer is not None:
            result.add(answer)
            return
        number = self._bury(kind, result)
        self.judge(kind, range(piece.start, number), result)  # again: their ends died with it
        self.judge(kind, range(number + 1, piece.stop), result)

    def _ask(self, question: str) -> dict[str, Any] | None:
        """The worker's answer; None if the question was the death of it."""
        if self._child is None:
            self._start()
        requests, answers = self._pipes()
        print(question, file=requests, flush=True)
        answer = answers.readline()
        return json.loads(answer) if answer else None

    def _start(self) -> None:
        command = [sys.executable, "-m", "tests.fuzz.worker", str(self._output)]
        self._child = subprocess.Popen(
            command,
            cwd=ROOT,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # one worker, one processor
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        folder = self._pipes()[1].readline().strip()
        if not folder:
            raise RuntimeError("a worker could not be started")
        self._folder = Path(folder)

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        assert self._child is not None
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        return self._child.stdin, self._child.stdout

    def _bury(self, kind: str, result: Result) -> int:
        """Note which case ended the worker and how; its number."""
        assert self._child is not None
        code = self._child.wait()
        number = int((self._folder / "number").read_bytes())
        hung = -code in ENDED_BY_WATCH
        outcome = "hang" if hung else "crash"
        trace = (self._folder / "trace").read_text()
        cause = f"{outcome}: {_innermost(trace)}" + ("" if hung else f" (exit {code})")
        result.ends[outcome] += 1
        result.faults.append({"number": number, "cause": cause})
        case = max(self._folder.glob("case.*"), key=lambda file: file.stat().st_mtime)
        name = f"{kind}-{outcome}-{number}"
        shutil.copy(case, self._output / f"{name}{case.suffix}")
        (self._output / f"{name}.txt").write_text(f"{cause}\nnumber {number}\n\n{trace}")
        self.close()
        return number

    def close(self) -> None:
        if self._child is None:
            return
        for pipe in self._pipes():
            pipe.close()
        self._child.wait()
        self._child = None
        shutil.rmtree(self._folder, ignore_errors=True)  # of one that died


def _innermost(trace: str) -> str:
    """The last function of ours in a traceback that faulthandler wrote, innermost call first."""
    for line in trace[max(trace.find("Current thread"), 0) :].splitlines():
        if "/impulse_" in line and "in " in line:
            file, _, name = line.partition(", line ")
            return f"{file.split('/impulse_')[-1]} {name.split(' in ')[-1]}".replace('"', "")
    return "?"
