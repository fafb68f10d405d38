"""How each solver takes steps: the kernels it needs and what it keeps, loaded when it is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from impulse_core.jit.deferred import Calls
from impulse_core.jit.repeated import RepeatedCall
from impulse_core.joints.breaking import break_joints, can_break, without_broken
from impulse_core.model import Model, State, Structure, Tally, Workspace
from impulse_core.model.options import Options
from impulse_core.model.snapshot import Kept
from impulse_core.step.dividing import Plan
from impulse_core.step.run import System, calls_of_step, run_steps
from impulse_core.types import Floats, Ints

__all__ = [
    "ContactEvent",
    "ContactPoints",
    "DirectRunner",
    "ElementRunner",
    "Memoryless",
    "Runner",
    "needs_elements",
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

    model: Model
    """What is left of the machine where joints have broken."""
    peeking: bool
    """Whether steps are taken for a peek, so that nothing breaks in them."""

    def run(self, state: State, length: float, count: int, grid: int, tally: Tally) -> int:
        """Take count steps of a length [s]; returns how many were completed.

        The first is step number grid of the grid k·length unless grid is negative.
        """

    def calls_of_step(self, state: State, tally: Tally) -> Calls:
        """Large deferred kernels that its steps call, with arguments of the types with which they
        do; none where it calls none.
        """

    def take_up(self, state: State) -> None:
        """Go on from a state that was replaced."""

    def kept(self) -> dict[str, Kept]:
        """The arrays of its own that the next step depends on, by name. They are others after
        ``make_room`` and ``make_room_for``.
        """

    def make_room_for(self, used: Mapping[str, int]) -> None:
        """Make room for so many rows of arrays of ``kept``, and say that so many count."""

    def room_wanted(self) -> Any:
        """What the last call had too little room for, None if nothing. Such a call is to be tried
        again from its start.
        """

    def make_room(self, wanted: Any) -> None:
        """Make so much room and some more. Nothing is forgotten that ``kept`` names."""

    def contact_figures(self, totals: Any) -> dict[str, float]:
        """Contacts in the report of a run with these totals."""

    def take_events(self) -> list[ContactEvent]:
        """Touches and lift-offs since the last call."""

    def contact_points(self, state: State) -> ContactPoints | None:
        """Points that bore a force in the last step, which ended with the state."""

    def contact_loads(self, state: State) -> Floats:
        """What contacts with bodies that joints hold did to each body in the last step, which ended
        with the state: forces [N] and torques about the centres of mass [N m], world frame, shape
        (b, 6).
        """

    def points(self) -> Any:
        """A copy of the contact points of the last step, which a look ahead loses; None without."""

    def put_points(self, points: Any) -> None:
        """Go back to these, as ``kept`` is what it was with them."""

    def contact_copy(self, state: State, *, jointed: bool = False) -> Any:
        """A copy, of which ``points()`` and ``loads()`` are what ``contact_points`` and
        ``contact_loads`` give; None without contacts. ``jointed``: of contacts with bodies that
        joints hold alone.
        """

    def wake_machines(self) -> None:
        """Let no machine sleep or nap, since something may have changed that moves it."""

    def overlaps(self) -> list[tuple[int, int, float]]:
        """Pairs of bodies of the scene that overlap too far for a start, with the depth [m]."""


class Memoryless:
    """A runner without contacts, whose steps depend on the state alone."""

    may_lack_room = False
    peeking = False

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
        self._no_loads = np.zeros((len(model.bodies), 6))
        self.set_up()

    def set_up(self) -> None:
        """Make what a kind of runner keeps beside these."""

    def calls_of_step(self, state: State, tally: Tally) -> Calls:  # noqa: ARG002
        return ()

    def take_up(self, state: State) -> None:  # noqa: ARG002
        self.work.fits[0] = 0.0

    def kept(self) -> dict[str, Kept]:
        return {}

    def make_room_for(self, used: Mapping[str, int]) -> None:
        pass

    def room_wanted(self) -> Any:
        return None

    def make_room(self, wanted: Any) -> None:
        pass

    def contact_figures(self, totals: Any) -> dict[str, float]:
        return {
            "mean": 0.0,
            "max": 0,
            "max_penetration_m": 0.0,
            "max_violation_m": 0.0,
            "divisions": int(totals["divisions"]),
            "late_impacts": int(totals["late"]),
            "asleep": 0,
        }

    def take_events(self) -> list[ContactEvent]:
        return []

    def contact_points(self, state: State) -> ContactPoints | None:  # noqa: ARG002
        return None

    def contact_loads(self, state: State) -> Floats:  # noqa: ARG002
        return self._no_loads

    def points(self) -> Any:
        return None

    def put_points(self, points: Any) -> None:
        pass

    def contact_copy(self, state: State, *, jointed: bool = False) -> Any:  # noqa: ARG002
        return None

    def wake_machines(self) -> None:
        pass

    def overlaps(self) -> list[tuple[int, int, float]]:
        return []


def needs_elements(model: Model) -> bool:
    """Whether anything acts on free axes, or joints can break: what needs more than bare joints."""
    return len(model.axes) > 0 or can_break(model)


class DirectRunner(Memoryless):
    """The direct solver."""

    seconds_per_row = 2e-6
    most_steps = 2**31

    def set_up(self) -> None:
        self._run_steps = RepeatedCall(run_steps)

    @property
    def system(self) -> System:
        """What the kernel keeps beside the workspace."""
        return System(self.structure, None, None, None, None)

    def calls_of_step(self, state: State, tally: Tally) -> Calls:
        return calls_of_step(self.model, self.system, state, self.work, tally)

    def run(self, state: State, length: float, count: int, grid: int, tally: Tally) -> int:
        return self._take_steps(state, length, count, grid, tally)

    def _take_steps(self, state: State, length: float, count: int, grid: int, tally: Tally) -> int:
        tolerance = float(self.options.tolerance)  # of the same type in each call, as the length is
        plan = Plan(float(length), count, grid, self.fractions, tolerance)
        system = self.system
        same = self.model, system.structure, system.contact, state, self.work, tally
        return int(self._run_steps(same, self.model, system, state, plan, self.work, tally))


class ElementRunner(DirectRunner):
    """The direct solver, with elements on free axes and joints that may break.

    Attributes:
        whole: The model with all its joints; ``model`` is what is left of it.
    """

    def set_up(self) -> None:
        super().set_up()
        if len(self.fractions) > 1:
            self.model = self.model._replace(axes=self.model.axes.copy())
            self.model.axes["symmetric"] = 1
        self.whole = self.model
        self._can_break = can_break(self.model)

    def run(self, state: State, length: float, count: int, grid: int, tally: Tally) -> int:
        if not self._can_break or self.peeking:
            return self._take_steps(state, length, count, grid, tally)
        from impulse_core.observables.reactions import find_reactions

        if not count:
            self._take_steps(state, length, 0, grid, tally)
            loads = self._no_loads
            find_reactions(self.model, self.structure, state, loads, self.work)
            unbreakable = self.model._replace(joints=self.model.joints.copy())
            unbreakable.joints["break_force"] = unbreakable.joints["break_torque"] = np.inf
            break_joints(unbreakable, state, self.work, tally)
        for done in range(count):
            number = grid + done if grid >= 0 else -1
            if not self._take_steps(state, length, 1, number, tally):
                return done
            loads = self.contact_loads(state)
            find_reactions(self.model, self.structure, state, loads, self.work)
            if break_joints(self.model, state, self.work, tally):
                self.take_up(state)
        return count

    def take_up(self, state: State) -> None:
        super().take_up(state)
        if self._can_break:
            self.model = without_broken(self.whole, state)

    @property
    def system(self) -> System:
        bounded = np.isfinite(self.model.axes["lower"]) | np.isfinite(self.model.axes["upper"])
        divides = self.options.time_of_impact and bool(bounded.any())
        return System(self.structure, 1, 1 if divides else None, None, None)
