"""Where kernels are compiled for a wheel."""

from __future__ import annotations

import os
import platform

__all__ = ["why_no_kernels"]


def why_no_kernels() -> str:
    """Why a wheel built here carries no kernels, as the end of a sentence; empty if it does.

    Other systems should do as well, but nobody has tried.
    """
    if os.environ.get("IMPULSE_SHIP_KERNELS") == "no":
        return "IMPULSE_SHIP_KERNELS is no"
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return f"they are compiled on Linux x86-64 only, this is {platform.platform(terse=True)}"
    if platform.python_implementation() != "CPython":
        return f"they are compiled for CPython only, this is {platform.python_implementation()}"
    return ""
