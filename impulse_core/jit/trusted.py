"""Whether machine code that lies in a folder or file may be run: nobody else could have put it
there.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

__all__ = ["UnusableError", "refuse_foreign"]

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


class UnusableError(Exception):
    """Why kernels cannot be kept or used, as the end of a sentence."""


def refuse_foreign(path: Path, status: os.stat_result) -> None:
    """Raise UnusableError for what another user but root owns, or others may write to."""
    if os.name != "posix":
        return
    if status.st_uid not in {os.geteuid(), 0}:
        raise UnusableError(f"{path} belongs to another user")
    if status.st_mode & _OTHERS_MAY_WRITE:
        raise UnusableError(f"others may write to {path}; take that right away (chmod go-w)")
