"""Takes steps of scenes whose bodies can touch, and makes room for their contacts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from impulse_core.collision.broad import enlarge, new_sweep
from impulse_core.collision.contacts import (
    ARM1,
    BODY1,
    FIRST,
    NORMAL,
    SECOND,
    SHAPE1,
    SHAPE2,
    TARGET,
    Memory,
    new_contacts,
    new_found,
    new_memory,
)
from impulse_core.collision.shapes import Shapes
from impulse_core.contact.events import LIFT_OFF, new_contact_events
from impulse_core.contact.impact import NEWTON, POISSON
from impulse_core.contact.movers import new_movers
from impulse_core.contact.newton_work import new_newton_work
from impulse_core.contact.sleep import Sleep, new_sleep
from impulse_core.contact.system import ContactSetup, new_joined
from impulse_core.contact_step import run_contact_steps
from impulse_core.invariants import Tally
from impulse_core.model import Floats, Model, State, Structure, Workspace
from impulse_core.options import Options
from impulse_core.runners import ContactEvent, ContactPoints, DrivenRunner

__all__ = ["ContactRunner"]

_ROWS = 64  # contacts there is room for at first
_ROWS_PER_SHAPE = 6  # and so many for each shape
_JOINED_ROWS = 16  # of them on jointed bodies
_ACCURACY = 1e-4  # of the tolerance, to which the law of each contact is to hold
_FINEST = 1e-10  # m
_COARSE = 0.03  # of the tolerance, for the contacts of large islands
_SLACK = 0.01  # of the tolerance, the gap or overlap of bodies at rest that is left as it is
_RECOVERY = 0.02  # part of what exceeds it that is taken back in a step
_ROUNDS = 6  # looks ahead and velocity corrections for the sake of contacts
_DEEPEST_START = 100.0  # tolerances that bodies may overlap by at the start


class ContactRunner(DrivenRunner):
    """The direct solver with contacts, elements on free axes, and joints that may break.

    Attributes:
        setup: What the kernels keep of the contacts.
        lost_events: Touches and lift-offs there was no room for.
    """

    seconds_per_row = 5e-6

    def __init__(
        self,
        options: Options,
        fractions: Floats,
        model: Model,
        structure: Structure,
        work: Workspace,
        shapes: Shapes,
        state: State,
    ) -> None:
        super().__init__(options, fractions, model, structure, work)
        self.lost_events = 0
        rows = _ROWS + _ROWS_PER_SHAPE * shapes.sought
        self.setup = ContactSetup(
            structure=structure,
            shapes=shapes,
            sweep=new_sweep(shapes, state),
            found=new_found(),
            contacts=new_contacts(rows),
            memory=new_memory(rows, len(model.body1)),
            earlier=new_memory(rows if options.time_of_impact else 0, len(model.body1)),
            movers=new_movers(model),
            sleep=new_sleep(model, shapes, rows if options.sleeping else 0),
            joined=new_joined(model, structure, _JOINED_ROWS),
            newton=new_newton_work(rows, len(model.mass)),
            needed=np.zeros(3, dtype=np.int64),
            residual=np.zeros(1),
            events=new_contact_events(),
            divided=np.zeros(2, dtype=np.int64),
            figures=np.zeros(5),
            accuracy=max(_ACCURACY * options.tolerance, _FINEST),
            coarse=_COARSE * options.tolerance,
            slack=max(_SLACK * options.tolerance, _FINEST),
            recovery=_RECOVERY,
            rounds=_ROUNDS,
            law=NEWTON if options.impact_law == "newton" else POISSON,
            meets=options.time_of_impact,
            sleeps=options.sleeping,
        )

    @property
    def system(self) -> ContactSetup:
        return self.setup

    def _kernel(self) -> Callable[..., int]:
        return run_contact_steps

    def _take_steps(
        self, state: State, length: float, count: int, grid: int, put_back: bool, tally: Tally
    ) -> int:
        done = 0
        halvings = int(tally.halvings[0])
        while True:
            self.setup.needed[:] = 0
            number = grid + done if grid >= 0 else -1
            done += super()._take_steps(state, length, count - done, number, put_back, tally)
            if done == count or not self._enlarge():
                return done
            tally.halvings[0] = halvings
            put_back = False
            if part := float(tally.failed_time[0]):  # the first part of the step is done
                if not self._take_steps(state, length - part, 1, -1, False, tally):
                    return done
                done += 1

    def contact_figures(self, steps: int) -> dict[str, float]:
        total, most, deepest, divisions, undivided = (float(f) for f in self.setup.figures)
        return {
            "mean": total / steps,
            "max": int(most),
            "max_penetration_m": deepest,
            "max_violation_m": float(self.setup.residual[0]),
            "lost_events": self.lost_events,
            "divisions": int(divisions),
            "late_impacts": int(undivided),
            "asleep": int(self.setup.sleep.asleep.sum()),
        }

    def take_events(self) -> list[ContactEvent]:
        events, owner = self.setup.events, self.setup.shapes.owner
        count = min(int(events.number[0]), len(events.time))
        self.lost_events += int(events.number[0]) - count
        events.number[0] = 0
        return [
            ContactEvent(
                float(events.time[k]),
                "lift-off" if events.what[k] == LIFT_OFF else "touch",
                int(owner[events.pair[k] >> 32]),
                int(owner[events.pair[k] & 0xFFFFFFFF]),
            )
            for k in range(count)
        ]

    def contact_points(self, state: State) -> ContactPoints:
        c = self.setup.contacts
        used = int(c.used[0])
        row, mark = c.row[:used], c.mark[:used]
        memory = self.setup.memory
        step = float(memory.step[0]) or 1.0
        # what is remembered leaves out impacts that were met, which are no forces
        second = SECOND - FIRST
        force = (memory.row[:used, :3] + memory.row[:used, second : second + 3]) / step
        normal = row[:, NORMAL : NORMAL + 3]
        bearing = np.einsum("ck,ck->c", force, normal) > 0.0
        owner = self.setup.shapes.owner
        return ContactPoints(
            owner[mark[bearing, SHAPE1]],
            owner[mark[bearing, SHAPE2]],
            (state.position[mark[:, BODY1]] + row[:, ARM1 : ARM1 + 3])[bearing],
            normal[bearing],
            force[bearing],
        )

    def start_overlaps(self) -> list[tuple[int, int, float]]:
        """Pairs of bodies of the scene that overlap by more than they may, with the depth [m]; to
        be asked after a look at the first step.
        """
        c, limit = self.setup.contacts, _DEEPEST_START * self.options.tolerance
        used = int(c.used[0])
        # what set_targets made of the gap
        target, slack, recovery = c.row[:used, TARGET], self.setup.slack, _RECOVERY
        depth = -(target + recovery * slack) / (1.0 - recovery)
        owner, deepest = self.setup.shapes.owner, dict[tuple[int, int], float]()
        for k in np.flatnonzero(depth > limit):
            pair = int(owner[c.mark[k, SHAPE1]]), int(owner[c.mark[k, SHAPE2]])
            ordered = min(pair), max(pair)
            deepest[ordered] = max(deepest.get(ordered, 0.0), float(depth[k]))
        return [(*pair, depth) for pair, depth in sorted(deepest.items())]

    def _enlarge(self) -> bool:
        """Make room for what the last step wanted; False if it failed for another reason."""
        setup = self.setup
        rows, joined, pairs = (int(n) for n in setup.needed)
        if rows:
            self.setup = self.setup._replace(
                contacts=new_contacts(rows + rows // 2),
                memory=_copied(setup.memory, rows + rows // 2),
                earlier=_copied(setup.earlier, rows + rows // 2 if setup.meets else 0),
                sleep=_copied_sleep(setup.sleep, rows + rows // 2 if setup.sleeps else 0),
                newton=new_newton_work(rows + rows // 2, len(self.model.mass)),
            )
        if joined:
            more = new_joined(self.model, setup.structure, joined + joined // 2)
            self.setup = self.setup._replace(joined=more)
        if pairs:
            self.setup = self.setup._replace(sweep=enlarge(setup.sweep, pairs))
        return bool(rows or joined or pairs)

    def remember(self) -> tuple[Memory, Sleep]:
        """What the next step depends on beside the state, for ``recall`` after a look ahead."""
        memory, sleep = self.setup.memory, self.setup.sleep
        return _copied(memory, len(memory.row)), _copied_sleep(sleep, len(sleep.frozen.row))

    def recall(self, memory: tuple[Memory, Sleep]) -> None:
        """Return to what was remembered."""
        contacts, sleep = memory
        rows = len(self.setup.memory.row)
        self.setup = self.setup._replace(
            memory=_copied(contacts, rows),
            sleep=_copied_sleep(sleep, rows if self.setup.sleeps else 0),
        )
        self.setup.events.number[0] = 0


def _copied(memory: Memory, rows: int) -> Memory:
    """The same memory, with room for so many rows."""
    copy = new_memory(rows, len(memory.multiplier))
    for array, kept in zip(copy, memory, strict=True):
        array[: len(kept)] = kept
    return copy


def _copied_sleep(sleep: Sleep, rows: int) -> Sleep:
    """The same sleep, with room for so many contacts."""
    return Sleep(
        **{field: getattr(sleep, field).copy() for field in Sleep._fields[:-1]},
        frozen=_copied(sleep.frozen, rows),
    )
