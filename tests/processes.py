"""Python processes that tests start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

__all__ = ["said_by", "start_python"]


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


def said_by(code: str, **environment: str) -> str:
    """What a Python process prints that runs this code in this environment."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout.strip()
