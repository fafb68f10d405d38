"""``Written``: what a run to a file has left there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Written"]


@dataclass(frozen=True)
class Written:
    """A run whose frames are in a file, and not in memory.

    Attributes:
        path: The file; ``load_recording(path, start=…, end=…)`` reads a part of it.
        complete: False where the run ended early; ``diagnostics`` say why.
        frame_count: Number of frames.
        end: Time of the last [s].
        body_names: The bodies that are recorded.
        step: Length of a step [s].
        method: Integration method.
        diagnostics: The content of ``impulse run --report``.
        was_there: Whether nothing was computed, as the file held the whole run.
    """

    path: Path
    complete: bool
    frame_count: int
    end: float
    body_names: tuple[str, ...]
    step: float
    method: str
    diagnostics: dict[str, Any]
    was_there: bool = False
