"""What a recording holds, apart from what makes and checks it: files are written from this."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["RecordingData"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RecordingData:
    """The fields of ``Recording``, which says what each of them is."""

    scene: str
    fps: float
    step: float
    method: str
    solver: str
    times: Floats
    body_names: tuple[str, ...]
    positions: Floats
    orientations: Floats
    scene_sha256: str = ""
    complete: bool = True
    joints: dict[str, dict[str, Floats]] = field(default_factory=dict)
    bodies: dict[str, dict[str, Floats]] = field(default_factory=dict)
    energy: dict[str, Floats] = field(default_factory=dict)
    momentum: dict[str, Floats] = field(default_factory=dict)
    contacts: dict[str, Any] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    diagnostics: dict[str, Any] = field(default_factory=dict)
