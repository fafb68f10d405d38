"""The build backend: hatchling's, which for a wheel with compiled kernels needs what runs do.

An editable install needs none of it: a clone compiles its kernels when they are first used.
``IMPULSE_SHIP_KERNELS=no`` builds a wheel without kernels, which every platform can use.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hatchling import build as hatchling
from hatchling.build import (
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
)

from shipping.platforms import why_no_kernels

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

_PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """What must be installed to build a wheel."""
    wanted = list(hatchling.get_requires_for_build_wheel(config_settings))
    if not why_no_kernels():
        wanted += tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    return wanted
