"""Many runs of a scene: sweeps over its parameters, and searches for the best of them.

Names are loaded when they are first used: an error alone needs no simulator.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from impulse_cli.studies.errors import StudyError
    from impulse_cli.studies.optimising import Found, optimise
    from impulse_cli.studies.runs import Row
    from impulse_cli.studies.sweeping import Outcome, Watcher, sweep

_HOME = {
    "Found": "optimising",
    "Outcome": "sweeping",
    "Row": "runs",
    "StudyError": "errors",
    "Watcher": "sweeping",
    "optimise": "optimising",
    "sweep": "sweeping",
}

__all__ = ["Found", "Outcome", "Row", "StudyError", "Watcher", "optimise", "sweep"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
