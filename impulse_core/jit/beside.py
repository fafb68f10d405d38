"""Compiles some kernels in a second process, while the first compiles others.

A first run waits for a compiler, which uses one processor. Which deferred kernels a step is about
to call is known before it is compiled, so another process makes those meanwhile and puts them where
compiled kernels are kept. Who needs one that it has begun waits until it lies there, or until that
process has ended; one that it has not begun it leaves to the first.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from impulse_core.jit import kernel_cache
from impulse_core.jit.deferred import Calls, call_of, compile_all, types_of

__all__ = ["compiled_beside", "main"]

_WORTH_IT = 2  # kernels that are missing, fewer of which are compiled sooner than a process starts
_LOAD = Path("/proc/loadavg")  # whose fourth word is running/all threads
_LOOK = 0.02  # s between two looks for a file
# Imports from where this process does, and from nowhere else.
_CHILD = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]);"
    " from impulse_core.jit.beside import main; main()"
)


@contextmanager
def compiled_beside(calls: Callable[[], Calls]) -> Iterator[None]:
    """A block in which another process compiles the kernels of calls, in their order, as soon as
    one has to be compiled here, if several are missing and a processor is idle.
    """
    helpers: list[_Helper] = []
    asked: list[bool] = []

    def begin() -> None:
        if not asked:
            asked.append(True)
            missing = _missing(calls())
            if len(missing) >= _WORTH_IT and _has_idle_processor():
                helpers.append(_Helper(missing))

    def wait_for(path: Path) -> bool:
        return any(helper.wait_for(path) for helper in helpers)

    with kernel_cache.told_of_compiling(begin), kernel_cache.made_elsewhere(wait_for):
        try:
            yield
        finally:
            for helper in helpers:
                helper.end()


def _missing(calls: Calls) -> dict[Path, bytes]:
    """What of these is to be compiled, by the files that this leaves."""
    missing = {}
    for kernel, arguments in calls:
        args = types_of(arguments)
        path = kernel_cache.missing_file(kernel.dispatcher, args)
        if path is not None:
            missing[path] = call_of(kernel, args)
    return missing


def _has_idle_processor() -> bool:
    """Whether fewer threads run at this moment, this one among them, than there are processors."""
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    )
    try:
        running = int(_LOAD.read_text().split()[3].partition("/")[0])
    except (OSError, ValueError, IndexError):  # not Linux
        running = 1
    return running < (processors or 1)


class _Helper:
    """The other process. It says which kernel it begins, and is told which are no longer wanted.

    Args:
        missing: what it is to compile, by the files that this leaves.
    """

    def __init__(self, missing: dict[Path, bytes]) -> None:
        self._number = {path: k for k, path in enumerate(missing)}
        self._begun: set[int] = set()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _CHILD, json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C is for those who wait
        )
        self._tell(*(call.hex() for call in missing.values()), "")
        threading.Thread(target=self._listen, daemon=True).start()

    def wait_for(self, path: Path) -> bool:
        """Whether a file is there that the process makes, or has made; it is waited for only where
        the process has begun.
        """
        number = self._number.get(path)
        if number is None:
            return False
        if number not in self._begun:
            self._tell(str(number))
            return False
        while not path.exists() and self._process.poll() is None:
            time.sleep(_LOOK)
        return path.exists()

    def end(self) -> None:
        """End the process: what it has not made is not wanted."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(OSError):
                stream.close()

    def _tell(self, *lines: str) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # it has ended already
            self._process.stdin.write("".join(f"{line}\n" for line in lines))
            self._process.stdin.flush()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with suppress(OSError, ValueError):  # closed by ``end``
            for line in self._process.stdout:
                self._begun.add(int(line))


def main() -> None:
    """The other process: compile what standard input names, and end when it closes."""
    calls = [bytes.fromhex(line) for line in iter(sys.stdin.readline, "\n") if line]
    unwanted: set[int] = set()

    def listen() -> None:
        for line in sys.stdin:
            unwanted.add(int(line))
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    for number, call in enumerate(calls):
        if number not in unwanted:
            print(number, flush=True)
            compile_all([call])
