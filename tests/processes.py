"""Python processes that tests start."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

__all__ = ["start_python"]


def start_python(*words: str | Path, background: bool = False) -> subprocess.Popen[str]:
    """A Python process that listens to Ctrl-C, also where this one was started in the background,
    unless it shall be in the background itself.
    """
    handler = signal.SIG_IGN if background else signal.default_int_handler
    before = signal.signal(signal.SIGINT, handler)
    try:
        return subprocess.Popen(
            [sys.executable, *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        signal.signal(signal.SIGINT, before)
