"""What the page shows: something with a time, poses and curves that can be stopped and sought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from impulse_cli.plots.curves import Curve
    from impulse_core import Recording
    from impulse_schema import Scene

__all__ = ["NO_CONTACTS", "Contacts", "Frame", "Source"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Contacts(NamedTuple):
    """Points that bear a force."""

    pairs: Ints
    """Numbers of both bodies, shape (K, 2)."""
    points: Floats
    """[m], world frame, shape (K, 3)."""
    normals: Floats
    """From the first body to the second, unit length, shape (K, 3)."""
    forces: Floats
    """On the second body [N], shape (K, 3)."""


NO_CONTACTS = Contacts(np.zeros((0, 2), dtype=np.int64), *(np.zeros((0, 3)),) * 3)


@dataclass(frozen=True)
class Frame:
    """A moment.

    Attributes:
        time: [s].
        positions: Origins of the bodies [m], shape (N, 3).
        orientations: Their axes to those of the world, (w, x, y, z), shape (N, 4).
        contacts: What touches.
    """

    time: float
    positions: Floats
    orientations: Floats
    contacts: Contacts


class Source(Protocol):
    """A recording that plays, or a scene that is simulated."""

    speed: float
    """Simulated over real time."""

    @property
    def scene(self) -> Scene:
        """What it belongs to."""

    @property
    def is_paused(self) -> bool:
        """Whether no time goes by."""

    @property
    def span(self) -> tuple[float, float]:
        """First and last time that can be sought [s]."""

    def frame(self) -> Frame:
        """What is to be shown now."""

    def pause(self, paused: bool) -> None:
        """Stop, or go on."""

    def step(self) -> None:
        """Go on by one step, and stop."""

    def seek(self, time: float) -> None:
        """Go to another time [s] of the span."""

    def set_speed(self, speed: float) -> None:
        """Change the pace."""

    def quantities(self) -> list[str]:
        """Names of what can be plotted."""

    def names(self, quantity: str) -> list[str]:
        """The bodies or joints that have it; empty where it belongs to the scene as a whole."""

    def curves(self, quantity: str, only: Sequence[str]) -> list[Curve]:
        """The curves of a quantity, up to now."""

    def recording(self) -> Recording:
        """All that is known of the motion."""

    def problem(self) -> str:
        """Why it does not go on; "" if it does, or could."""

    def close(self) -> None:
        """End what runs in the background."""
