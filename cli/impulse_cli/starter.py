"""A program that starts this one and reads its progress: what it asks for, and when it is gone.

Such a program sets the environment variable IMPULSE_ENDS_WITH_STDIN and keeps the standard input
open. A line ``stop`` there ends the command as Ctrl-C does; where the other end closes, which
happens whatever becomes of that program, the command ends at once.
"""

from __future__ import annotations

import os
import signal
import threading

from impulse_cli.exit_codes import CLOSED_PIPE

__all__ = ["ENDS_WITH_STDIN", "end_as_ctrl_c_does", "watch_starter"]

ENDS_WITH_STDIN = "IMPULSE_ENDS_WITH_STDIN"


def watch_starter() -> None:
    """Do what the starter asks for from now on, where there is one."""
    if os.environ.get(ENDS_WITH_STDIN):
        threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    # Not through sys.stdin, whose lock would be held when Python ends.
    while said := _read():
        if b"stop" in said:
            end_as_ctrl_c_does()
    os._exit(CLOSED_PIPE)


def end_as_ctrl_c_does() -> None:
    """Send this process the signal that asks it to end, which it takes as Ctrl-C."""
    if os.name == "posix":  # a signal to the process also wakes it where it waits
        os.kill(os.getpid(), signal.SIGTERM)
    else:  # where that would kill it
        signal.raise_signal(signal.SIGTERM)


def _read() -> bytes:
    try:
        return os.read(0, 64)
    except OSError:
        return b""
