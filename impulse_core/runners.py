"""How each solver takes steps: the kernels it needs and what it keeps, loaded when it is chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from impulse_core.invariants import Tally, new_tally
from impulse_core.model import Model, State, Structure, Workspace, copy_state
from impulse_core.options import Options
from impulse_core.types import Floats, Ints

__all__ = [
    "ContactEvent",
    "ContactPoints",
    "DirectRunner",
    "DrivenRunner",
    "Memoryless",
    "Runner",
    "can_break",
    "is_driven",
    "own_joints",
]


class ContactEvent(NamedTuple):
    """Two bodies of the scene begin to touch, or part."""

    time: float
    kind: str
    body1: int
    body2: int


class ContactPoints(NamedTuple):
    """Points of one frame that bear a force: bodies of the scene (k,), world frame."""

    body1: Ints
    body2: Ints
    point: Floats
    """[m], shape (k, 3)."""
    normal: Floats
    """From body 1 to body 2, shape (k, 3)."""
    force: Floats
    """On body 2 [N], shape (k, 3)."""


class Runner(Protocol):
    """Takes steps with one solver."""

    may_lack_room: bool
    """Whether a call can run out of room."""
    seconds_per_row: float
    """Rough cost of a stage for each body and joint [s]."""
    most_steps: int
    """Most steps of one call."""

    def run(
        self, state: State, length: float, count: int, grid: int, put_back: bool, tally: Tally
    ) -> int:
        """Take count steps of a length [s]; returns how many were completed.

        The first is step number grid of the grid k·length unless grid is negative; put_back says
        that state was replaced since the last call.
        """

    def kept(self) -> list[NDArray[Any]]:
        """The arrays of its own that the next step or the report depends on, as far as they are in
        use.
        """

    def room_wanted(self) -> Any:
        """What the last call had too little room for, None if nothing. Such a call is to be tried
        again from its start.
        """

    def make_room(self, wanted: Any) -> None:
        """Make so much room and some more. Nothing is forgotten that ``kept`` names."""

    def contact_figures(self, steps: int) -> dict[str, float]:
        """Contacts in the report of a run of so many steps."""

    def take_events(self) -> list[ContactEvent]:
        """Touches and lift-offs since the last call."""

    def contact_points(self, state: State) -> ContactPoints | None:
        """Points that bore a force in the last step, which ended with the state."""

    def start_overlaps(self) -> list[tuple[int, int, float]]:
        """Pairs of bodies of the scene that overlap too far at the start, with the depth [m]."""


class Memoryless:
    """A runner without contacts, whose steps depend on state and compliances alone."""

    may_lack_room = False

    def kept(self) -> list[NDArray[Any]]:
        return []

    def room_wanted(self) -> Any:
        return None

    def make_room(self, wanted: Any) -> None:
        pass

    def contact_figures(self, steps: int) -> dict[str, float]:  # noqa: ARG002
        return {
            "mean": 0.0,
            "max": 0,
            "max_penetration_m": 0.0,
            "max_violation_m": 0.0,
            "divisions": 0,
            "late_impacts": 0,
            "asleep": 0,
        }

    def take_events(self) -> list[ContactEvent]:
        return []

    def contact_points(self, state: State) -> ContactPoints | None:  # noqa: ARG002
        return None

    def start_overlaps(self) -> list[tuple[int, int, float]]:
        return []


def can_break(model: Model) -> bool:
    """Whether any joint breaks under some load."""
    return bool(
        any(np.isfinite(model.joints[key]).any() for key in ("break_force", "break_torque"))
    )


_CHANGED_BY_BREAKING = ("joints", "axes")


def changed_by_breaking(model: Model) -> list[NDArray[Any]]:
    """The arrays of the model that a breaking joint changes."""
    couplings = model.couplings
    joints = [getattr(model, field) for field in _CHANGED_BY_BREAKING]
    return [*joints, couplings.constant, couplings.terms]


def own_joints(model: Model) -> Model:
    """The model with its own copy of what a breaking joint changes."""
    couplings = model.couplings
    constant, terms = couplings.constant.copy(), couplings.terms.copy()
    return model._replace(
        **{field: getattr(model, field).copy() for field in _CHANGED_BY_BREAKING},
        couplings=couplings._replace(constant=constant, terms=terms),
    )


def is_driven(model: Model) -> bool:
    """Whether anything acts on free axes, or joints can break: what needs driven_step.py."""
    return len(model.axes) > 0 or can_break(model)


class DirectRunner(Memoryless):
    """The direct solver."""

    seconds_per_row = 2e-6
    most_steps = 2**31

    def __init__(
        self,
        options: Options,
        fractions: Floats,
        model: Model,
        structure: Structure,
        work: Workspace,
    ) -> None:
        self.options = options
        self.fractions = fractions
        self.model, self.structure, self.work = model, structure, work

    @property
    def system(self) -> Any:
        """What the kernel keeps beside the workspace."""
        return self.structure

    def run(
        self, state: State, length: float, count: int, grid: int, put_back: bool, tally: Tally
    ) -> int:
        return self._take_steps(state, length, count, grid, put_back, tally)

    def _kernel(self) -> Callable[..., int]:
        from impulse_core.step import run_steps

        return run_steps

    def _take_steps(
        self, state: State, length: float, count: int, grid: int, put_back: bool, tally: Tally
    ) -> int:
        done = self._kernel()(
            self.model,
            self.system,
            state,
            length,
            count,
            grid,
            self.fractions,
            self.options.tolerance,
            put_back,
            self.work,
            tally,
        )
        return int(done)


class DrivenRunner(DirectRunner):
    """The direct solver, with elements on free axes and joints that may break."""

    def __init__(
        self,
        options: Options,
        fractions: Floats,
        model: Model,
        structure: Structure,
        work: Workspace,
    ) -> None:
        super().__init__(options, fractions, model, structure, work)
        self._can_break = can_break(model)
        self._broke = False  # in the last step, so that the work no longer fits the model

    def run(
        self, state: State, length: float, count: int, grid: int, put_back: bool, tally: Tally
    ) -> int:
        if not self._can_break:
            return self._take_steps(state, length, count, grid, put_back, tally)
        from impulse_core.joints.breaking import break_joints
        from impulse_core.reactions import find_reactions

        if not count:
            self._take_steps(state, length, 0, grid, put_back, tally)
            find_reactions(self.model, self.structure, state, self.work)
            for kind in ("force", "torque"):  # nothing breaks yet
                self.work.reactions[kind] = 0.0
            break_joints(
                self.model, copy_state(state), self.work, new_tally(len(self.model.joints))
            )
        for done in range(count):
            number = grid + done if grid >= 0 else -1
            if not self._take_steps(state, length, 1, number, put_back or self._broke, tally):
                return done
            put_back, self._broke = False, False
            if self.work.may_break[0]:
                find_reactions(self.model, self.structure, state, self.work)
                self._broke = bool(break_joints(self.model, state, self.work, tally))
        return count

    def kept(self) -> list[NDArray[Any]]:
        return changed_by_breaking(self.model) if self._can_break else []

    def _kernel(self) -> Callable[..., int]:
        from impulse_core.driven_step import run_driven_steps

        return run_driven_steps
