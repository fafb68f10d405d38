"""The computer that times were taken on."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib import metadata
from pathlib import Path

__all__ = ["computer"]

_PACKAGES = ("impulse-dynamics", "numba", "numpy")


@cache
def computer() -> str:
    """Processor, Python and packages in a line."""
    cores = os.cpu_count() or 1
    parts = [_processor(), f"{cores} core{'s' if cores > 1 else ''}"]
    parts += [f"Python {platform.python_version()}"]
    for package in _PACKAGES:
        try:
            parts.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            continue
    return ", ".join(parts)


def _processor() -> str:
    """Its name as the system knows it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
