"""A process that judges cases under limits of time and memory.

It reads lines "kind start stop" and answers each with a line of JSON: how often each end was
reached, and the faults. A case that takes too long ends the process by SIGPROF (processor time) or
SIGALRM (waiting), after its traceback was written: the kernel of the system sees to that, whatever
the case is doing. The driver then finds the number of the case in the file ``number``.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import mmap
import os
import resource
import shutil
import signal
import sys
import tempfile
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

from numba.core import event

from tests.fuzz.cases import Case, make
from tests.fuzz.judge import Verdict, judge
from tests.fuzz.meshes import plain_files
from tests.fuzz.shrink import shrunk

SECONDS = 5.0  # of the processor, for one case
WAITING = 600.0  # s; longer than any other program keeps the processor from us
MEMORY = 2 * 2**30  # bytes beyond what the process has when a case begins
_KEPT = 2  # files for one cause
_IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # disks are slow


class Limits(event.Listener):  # type: ignore[misc]  # numba has no types
    """Of the time and memory of a case; compiling kernels is no part of it and may take more."""

    def __init__(self) -> None:
        for signal_number in (signal.SIGPROF, signal.SIGALRM):
            faulthandler.register(signal_number, chain=True)
        faulthandler.enable()
        self._are_set = False
        self._compiling = 0
        event.register("numba:compile", self)

    def set(self) -> None:
        self._are_set = True
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.setitimer(signal.ITIMER_REAL, WAITING)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))

    def lift(self) -> None:
        self._are_set = False
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def on_start(self, _compilation: event.Event) -> None:
        """Numba begins to compile a kernel, perhaps while it compiles another."""
        if not self._compiling:
            self._were_set = self._are_set
            self.lift()
        self._compiling += 1

    def on_end(self, _compilation: event.Event) -> None:
        self._compiling -= 1
        if not self._compiling and self._were_set:
            self.set()


class Worker:
    """Judges cases one after the other, each in the same folder."""

    def __init__(self, folder: Path, output: Path) -> None:
        self._folder = folder
        self._output = output
        self._limits = Limits()
        for name, content in plain_files().items():
            (folder / name).write_bytes(content)
        with (folder / "number").open("w+b") as file:
            file.write(bytes(20))
            file.flush()
            self._number = mmap.mmap(file.fileno(), 20)

    def judge_all(self, kind: str, start: int, stop: int) -> dict[str, Any]:
        ends: Counter[str] = Counter()
        faults = []
        for number in range(start, stop):
            self._number[:] = b"%20d" % number
            case = make(kind, number)
            verdict = self._judge(kind, case)
            ends[verdict.outcome] += 1
            if verdict.is_fault:
                faults.append(
                    {"number": number, "cause": f"{verdict.outcome}: {verdict.signature}"}
                )
                self._keep(kind, number, case, verdict)
        return {"ends": ends, "faults": faults}

    def _judge(self, kind: str, case: Case) -> Verdict:
        path = self._folder / f"case{case.suffix}"
        path.write_bytes(case.data)
        self._limits.set()
        try:
            verdict = judge(kind, path)
        finally:
            self._limits.lift()
        noise = self._noise()
        if noise and not verdict.is_fault:
            return Verdict("warning", f"a library writes {noise[:40]!r}", noise)
        return verdict

    def _noise(self) -> str:
        """What was written to the process's own output, past Python, since it was last asked."""
        if not os.fstat(1).st_size:
            return ""
        noise = (self._folder / "trace").read_text("utf-8", "replace")
        os.ftruncate(1, 0)
        return noise

    def _keep(self, kind: str, number: int, case: Case, verdict: Verdict) -> None:
        """Write a small file that shows the fault, unless there are some of this cause."""
        cause = f"{kind}-{verdict.outcome}-{zlib.crc32(verdict.signature.encode()):08x}"
        if len(list(self._output.glob(f"{cause}-*.txt"))) >= _KEPT:
            return
        same = (verdict.outcome, verdict.signature)
        small = shrunk(case, lambda other: self._judge(kind, other)[:2] == same)
        (self._output / f"{cause}-{number}{case.suffix}").write_bytes(small.data)
        text = f"{verdict.outcome}: {verdict.signature}\nnumber {number}\n\n{verdict.detail}"
        (self._output / f"{cause}-{number}.txt").write_text(text, "utf-8", "replace")


def main(output: str) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["IMPULSE_TRACEBACK"] = "1"
    folder = Path(tempfile.mkdtemp(prefix="impulse-fuzz-", dir=_IN_MEMORY))
    answers = os.fdopen(os.dup(1), "w")
    print(folder, file=answers, flush=True)
    trace = os.open(folder / "trace", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for stream in (1, 2):  # what libraries write, and the tracebacks of a dying process
        os.dup2(trace, stream)
    worker = Worker(folder, Path(output))
    gc.freeze()
    for line in sys.stdin:
        kind, start, stop = line.split()
        print(json.dumps(worker.judge_all(kind, int(start), int(stop))), file=answers, flush=True)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(sys.argv[1])
