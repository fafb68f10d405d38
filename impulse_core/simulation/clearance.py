"""``Clearances``: how far the bodies that ask for it are from what they may touch."""

from __future__ import annotations

import numpy as np

from impulse_core.compile import CompiledScene
from impulse_core.jit import compiling
from impulse_core.model import State
from impulse_core.types import Floats

__all__ = ["Clearances"]


class Clearances:
    """The distances of a scene's bodies with ``record_clearance`` to what they may touch.

    Attributes:
        names: Those of them that may touch anything, in the order of the scene.
        alone: The others, whose clearance is infinite for ever.
    """

    def __init__(self, compiled: CompiledScene) -> None:
        asked = [i for i, body in enumerate(compiled.scene.bodies) if body.record_clearance]
        self._model, self._shapes = compiled.model, compiled.shapes if asked else None
        self._watched = np.array(asked, dtype=np.int64)
        with compiling():
            has_others = np.isfinite(self.at(compiled.state))
        self.names = [compiled.body_names[i] for i in self._watched[has_others]]
        self.alone = [compiled.body_names[i] for i in self._watched[~has_others]]
        self._watched = self._watched[has_others]

    def at(self, state: State) -> Floats:
        """Least distance of each body in ``names`` [m], negative where it overlaps, shape (c,)."""
        least = np.full(len(self._watched), np.inf)
        if self._shapes is not None and len(least):
            from impulse_core.collision.distance import least_distances  # loads kernels

            least_distances(self._model, self._shapes, state.bodies, self._watched, least)
        return least
