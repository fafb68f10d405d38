"""``Examiner``: finds what takes long from copies of a state, in whichever thread asks."""

from __future__ import annotations

import threading
from functools import cached_property

import numpy as np

from impulse_core.compile import CompiledScene
from impulse_core.jit import compiling
from impulse_core.model import State, Structure, Workspace, new_workspace
from impulse_core.observables.reactions import find_reactions
from impulse_core.simulation.clearance import Clearances
from impulse_core.types import Floats

__all__ = ["Examiner"]


class Examiner:
    """Clearances of bodies and reactions of joints at a state, with a workspace of its own, so that
    the machine can go on meanwhile. One thread at a time is served.
    """

    def __init__(self, compiled: CompiledScene, structure: Structure) -> None:
        self._compiled = compiled
        self._structure = structure
        self._lock = threading.Lock()

    @cached_property
    def _work(self) -> Workspace:
        return new_workspace(self._compiled.model, self._structure, self._compiled.state)

    @cached_property
    def _clearances(self) -> Clearances:
        return Clearances(self._compiled)

    def clearances(self, state: State) -> dict[str, float]:
        """Least distance to what it may touch [m], of each body that records it."""
        if not any(body.record_clearance for body in self._compiled.scene.bodies):
            return {}
        with self._lock:
            found = self._clearances.at(_writable(state))
            return dict(zip(self._clearances.names, found.tolist(), strict=True))

    def reactions(self, state: State, loads: Floats) -> Floats:
        """Force [N] and torque [N m] of each joint on its second body, world frame, shape
        (joints, 2, 3), as recordings have them, where contacts do ``loads`` (Runner).
        """
        model, structure = self._compiled.model, self._structure
        with self._lock, compiling():
            find_reactions(model, structure, _writable(state), loads, self._work)
            found = self._work.reactions
            return np.stack([found["force"], found["torque"]], axis=1)


def _writable(state: State) -> State:
    """A copy that kernels take, which know no arrays that cannot be written."""
    return State._make(array.copy() for array in state)
