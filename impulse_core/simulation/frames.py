"""Room for the frames of a run: one record of numbers for each, made at its start."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from impulse_core.model import Model

__all__ = ["GrowingRows", "frame_bytes", "frame_record"]

_FIRST_ROWS = 1024  # there is room for at first


def frame_record(model: Model, clearances: int) -> np.dtype[np.void]:
    """What is kept of the state at a frame; fields as in State, Workspace and Tally, and so many
    clearances.
    """
    rows, joints, axes = len(model.bodies), len(model.joints), len(model.axes)
    return np.dtype(
        [
            ("time", float),
            ("position", float, (rows, 3)),
            ("orientation", float, (rows, 4)),
            ("term_position", float, (len(model.couplings.terms),)),
            ("energy", float, (2,)),  # kinetic, potential
            ("momentum", float, (2, 3)),  # linear, angular
            ("reaction", float, (joints, 2, 3)),  # force, torque
            ("axis_position", float, (axes,)),
            ("axis_force", float, (axes,)),
            ("turned", float, (len(model.counted),)),
            ("clearance", float, (clearances,)),
        ]
    )


def frame_bytes(model: Model, bodies: int, clearances: int) -> int:
    """Memory that a frame takes, in the record and in a recording of so many bodies [B]."""
    poses = 7 * (bodies + len(model.bodies))  # and on the way to the poses of the user's objects
    return frame_record(model, clearances).itemsize + 8 * (2 * poses + 2 * len(model.joints) + 1)


class GrowingRows:
    """Rows of numbers of which more and more are used."""

    def __init__(self, width: int, kind: type) -> None:
        self._rows: NDArray[Any] = np.empty((_FIRST_ROWS, width), dtype=kind)
        self._used = 0

    def add(self, rows: NDArray[Any]) -> None:
        """Put rows at the end, shape (n, width)."""
        needed = self._used + len(rows)
        if needed > len(self._rows):
            # nobody looks into them while the run goes on
            self._rows.resize((needed + needed // 2, self._rows.shape[1]), refcheck=False)
        self._rows[self._used : needed] = rows
        self._used = needed

    def clear(self) -> None:
        """Forget all rows."""
        self._used = 0

    def used(self) -> NDArray[Any]:
        """All rows so far."""
        return self._rows[: self._used]
