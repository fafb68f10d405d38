"""Takes steps of scenes whose bodies can touch, and makes room for their contacts."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from impulse_core.collision.contacts import new_contacts, new_found, new_staged
from impulse_core.collision.memory import Memory, new_memory
from impulse_core.collision.shapes import Shapes
from impulse_core.collision.sweep import enlarge, new_sweep
from impulse_core.contact.apart import Apart
from impulse_core.contact.batches import new_batches
from impulse_core.contact.events import LIFT_OFF, new_contact_events
from impulse_core.contact.restitution import NEWTON, POISSON
from impulse_core.contact.sleep import FrozenPoint, Sleep, new_sleep
from impulse_core.contact.solver_bodies import new_solver_bodies
from impulse_core.contact.system import ContactSetup, new_delassus, new_island_work
from impulse_core.jit.team import new_team
from impulse_core.methods.apart_room import new_apart
from impulse_core.methods.contact_copy import ContactCopy, copied_rows
from impulse_core.methods.crew import Crew
from impulse_core.methods.runners import ContactEvent, ContactPoints, ElementRunner
from impulse_core.model import Model, State, Structure, Tally, Workspace
from impulse_core.model.options import Options
from impulse_core.model.snapshot import Kept
from impulse_core.step.run import System
from impulse_core.types import PLAIN, Floats, new_records

__all__ = ["RECOVERY", "ContactRunner"]

_ROWS = 64  # contacts there is room for at first
_ROWS_PER_SHAPE = 16  # and so many for each shape: cubes in a heap have thirteen
_ARTICULATED_ROWS = 16  # of them on jointed bodies
_ACCURACY = 1e-4  # of the tolerance, to which the law of each contact is to hold
_FINEST = 1e-10  # m
_COARSE = 0.03  # of the tolerance, for the contacts of large islands
_SLACK = 0.01  # of the tolerance, the gap or penetration of bodies at rest that is left as it is
RECOVERY = 0.02  # part of what exceeds it that is taken back in a step
_ROUNDS = 6  # iterations of either solve for the sake of contacts, before twice as many may help
_MOST_LEFT = 5.0  # times the tolerance: the overlap for which a stage is solved again
_FINEST_STAGE = 0.3  # of a step, the length of a stage that may leave more
_SHARED = 500  # contacts, from which on threads share them
_DEEPEST_START = 1e-4  # of the scene's size, which bodies may penetrate by at the start


class Room(NamedTuple):
    """Rows that a call wanted but did not have, 0 where there was room."""

    contacts: int
    articulated: int
    pairs: int
    events: int


class ContactRunner(ElementRunner):
    """The direct solver with contacts, elements on free axes, and joints that may break.

    Attributes:
        setup: What the kernels keep of the contacts.
    """

    may_lack_room = True
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
        rows = _ROWS + _ROWS_PER_SHAPE * shapes.sought
        threads = 1 if PLAIN else options.threads
        self._crew = Crew(threads)
        self._points_fit = False  # contact points to what is remembered of the last step
        sweep = new_sweep(shapes, state)
        accuracy = max(_ACCURACY * options.tolerance, _FINEST)
        self.setup = ContactSetup(
            shapes=shapes,
            sweep=sweep,
            found=new_found(),
            staged=new_staged(rows, len(sweep.pair_first), threads),
            contacts=new_contacts(rows, threads),
            memory=new_memory(rows, len(model.joints)),
            earlier=new_memory(rows if options.time_of_impact else 0, len(model.joints)),
            solver_bodies=new_solver_bodies(model),
            sleep=new_sleep(model, shapes, 2 * rows),
            delassus=new_delassus(structure, state, work, _ARTICULATED_ROWS),
            own=new_island_work(rows, len(model.bodies)),
            batches=new_batches(rows, len(model.bodies), threads),
            team=new_team(threads),
            needed=np.zeros(3, dtype=np.int64),
            events=new_contact_events(),
            closed=np.zeros(1, dtype=np.int64),
            again=np.zeros(1, dtype=np.int64),
            hit=np.zeros(1, dtype=np.int64),
            suspect=np.zeros(1, dtype=np.int64),
            divided=np.zeros(2, dtype=np.int64),
            accuracy=accuracy,
            fine=accuracy / options.step,
            coarse=_COARSE * options.tolerance / options.step,
            slow=options.tolerance / options.step,
            slack=max(_SLACK * options.tolerance, _FINEST),
            recovery=RECOVERY / options.step,
            rounds=_ROUNDS,
            most_left=max(_MOST_LEFT * options.tolerance, options.left_by_contacts),
            finest=_FINEST_STAGE * options.step,
            law=NEWTON if options.impact_law == "newton" else POISSON,
            time_of_impact=options.time_of_impact,
            sleeps=options.sleeping,
        )
        self._apart = self._new_apart()

    @property
    def system(self) -> System:
        return System(self.structure, 1, None, self.setup, self._apart)

    def _new_apart(self) -> Apart | None:
        """Room for groups of bodies that go through a step with impacts by themselves."""
        if not self.setup.time_of_impact or self.model.dynamic < 2:
            return None
        self.setup.sweep.kept[:] = 0
        return new_apart(self.model, self.setup.delassus.probe, self.work, self.setup)

    def _take_steps(self, state: State, length: float, count: int, grid: int, tally: Tally) -> int:
        setup = self.setup
        setup.needed[:] = 0
        shared = self.model, setup, state, self.work
        if not count:
            self._crew.load(*shared)
        large = setup.contacts.used[0] >= _SHARED
        with self._crew.serving(*shared) if large else nullcontext():
            done = super()._take_steps(state, length, count, grid, tally)
        self._points_fit = 0 < done == count
        return done

    def take_up(self, state: State) -> None:
        super().take_up(state)
        self._points_fit = False

    def contact_figures(self, totals: Any) -> dict[str, float]:
        return {
            "mean": float(totals["bearing"]) / max(int(totals["steps"]), 1),
            "max": int(totals["most_bearing"]),
            "max_penetration_m": float(totals["deepest"]),
            "max_violation_m": float(totals["violation"]),
            "divisions": int(totals["divisions"]),
            "late_impacts": int(totals["late"]),
            "asleep": int((self.setup.sleep.asleep == 1)[np.isinf(self.setup.sleep.until)].sum()),
        }

    def take_events(self) -> list[ContactEvent]:
        events, owner = self.setup.events, self.setup.shapes.owner
        count = int(events.number[0])
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
        return self.contact_copy(state).points()

    def contact_loads(self, state: State) -> Floats:
        return self.contact_copy(state, jointed=True).loads()

    def points(self) -> tuple[bytes, bytes] | None:
        contacts = self.setup.contacts
        used = int(contacts.used[0])
        if not self._points_fit:
            return None
        return contacts.row[:used].tobytes(), contacts.mark[:used].tobytes()

    def put_points(self, points: tuple[bytes, bytes] | None) -> None:
        self._points_fit = points is not None
        if points is not None:
            contacts = self.setup.contacts
            row, mark = (
                np.frombuffer(rows, of.dtype)
                for rows, of in zip(points, (contacts.row, contacts.mark), strict=True)
            )
            contacts.used[0] = len(row)
            contacts.row[: len(row)], contacts.mark[: len(row)] = row, mark

    def contact_copy(self, state: State, *, jointed: bool = False) -> ContactCopy:
        c, memory, sleep = self.setup.contacts, self.setup.memory, self.setup.sleep
        body = self.setup.shapes.body
        used = int(c.used[0]) if self._points_fit else 0
        asleep = sleep.asleep == 1
        holds = self.setup.solver_bodies.mark["jointed"] == 1
        mark, points = c.mark[:used], sleep.points[: int(sleep.frozen.used[0])]
        # the contacts of those that sleep are no longer among the remembered
        awake = ~(asleep[mark["body1"]] | asleep[mark["body2"]])
        wanted = awake & (holds[mark["body1"]] | holds[mark["body2"]] | (not jointed))
        frozen = holds[body[points["shape1"]]] | holds[body[points["shape2"]]] | (not jointed)
        return ContactCopy(
            copied_rows(c.row[:used], wanted),
            copied_rows(mark, wanted),
            copied_rows(memory.row[: int(np.count_nonzero(awake))], wanted[awake]),
            float(memory.step[0]) if self._points_fit else 0.0,
            copied_rows(points, frozen),
            copied_rows(sleep.frozen.row[: len(points)], frozen),
            self.setup.shapes.owner,
            body,
            state.bodies["position"].copy(),
        )

    def wake_machines(self) -> None:
        sleep, held = self.setup.sleep, self.setup.solver_bodies.mark["jointed"] == 1
        sleep.until[held] = -np.inf
        sleep.rested[held] = 0.0

    def overlaps(self) -> list[tuple[int, int, float]]:
        """Pairs of bodies of the scene that overlap by more than they may at the start, with the
        depth [m], where contacts were found last.
        """
        c, limit = self.setup.contacts, _DEEPEST_START * self.model.size
        depth = -c.row["gap"][: int(c.used[0])]
        owner, deepest = self.setup.shapes.owner, dict[tuple[int, int], float]()
        for k in np.flatnonzero(depth > limit):
            pair = int(owner[c.mark["shape1"][k]]), int(owner[c.mark["shape2"][k]])
            ordered = min(pair), max(pair)
            deepest[ordered] = max(deepest.get(ordered, 0.0), float(depth[k]))
        return [(*pair, depth) for pair, depth in sorted(deepest.items())]

    def kept(self) -> dict[str, Kept]:
        setup, sweep, sleep = self.setup, self.setup.sweep, self.setup.sleep
        return {
            **_kept("memory", setup.memory),
            "pairs.order": Kept(sweep.order),
            "pairs.count": Kept(sweep.old_count),
            "pairs.key": Kept(sweep.old_key, sweep.old_count),
            "pairs.cache": Kept(sweep.cache, sweep.old_count),
            "events.count": Kept(setup.events.number),
            "sleep.number": Kept(sleep.number),
            "sleep.asleep": Kept(sleep.asleep),
            "sleep.island": Kept(sleep.island),
            "sleep.until": Kept(sleep.until),
            "sleep.rested": Kept(sleep.rested),
            "sleep.speed": Kept(sleep.speed),
            "sleep.came": Kept(sleep.came),
            "sleep.strayed": Kept(sleep.strayed),
            "sleep.velocity": Kept(sleep.velocity),
            "sleep.angular_momentum": Kept(sleep.angular_momentum),
            **_kept("sleep.contacts", sleep.frozen),
            "sleep.points": Kept(sleep.points, sleep.frozen.used),
        }

    def make_room_for(self, used: Mapping[str, int]) -> None:
        setup = self.setup
        asleep = used["sleep.contacts.row"]
        rows, pairs = max(used["memory.row"], asleep), used["pairs.key"]
        self.make_room(
            Room(
                contacts=rows if rows > len(setup.contacts.row) else 0,
                articulated=0,
                pairs=pairs if pairs > len(setup.sweep.old_key) else 0,
                events=0,
            )
        )
        self.setup.memory.used[0] = used["memory.row"]
        self.setup.sweep.old_count[0] = pairs
        self.setup.sleep.frozen.used[0] = asleep

    def room_wanted(self) -> Room | None:
        """What the last call had too little room for; None if nothing."""
        events = int(self.setup.events.number[0])
        rows, articulated, pairs = (int(n) for n in self.setup.needed)
        if events <= len(self.setup.events.time):
            events = 0
        return (
            Room(rows, articulated, pairs, events)
            if rows or articulated or pairs or events
            else None
        )

    def make_room(self, wanted: Room) -> None:
        """Make so much room and some more. Nothing is forgotten that ``kept`` names."""
        setup, model = self.setup, self.model
        rows, articulated, pairs, events = wanted
        if rows := rows + rows // 2:
            setup = setup._replace(
                contacts=new_contacts(rows, setup.team.threads),
                memory=_copied(setup.memory, rows),
                earlier=new_memory(rows if setup.time_of_impact else 0, len(model.joints)),
                sleep=_copied_sleep(setup.sleep, 2 * rows),
                own=new_island_work(rows, len(model.bodies)),
                batches=new_batches(rows, len(model.bodies), setup.team.threads),
            )
        if articulated:
            probe, more = setup.delassus.probe, articulated + articulated // 2
            setup = setup._replace(delassus=new_delassus(self.structure, probe, self.work, more))
        if pairs:
            setup = setup._replace(sweep=enlarge(setup.sweep, pairs))
        if rows or pairs:
            room = len(setup.contacts.row), len(setup.sweep.pair_first)
            setup = setup._replace(staged=new_staged(*room, setup.team.threads))
        if events:
            setup = setup._replace(events=new_contact_events(2 * events))
        self.setup = setup
        self._apart = self._new_apart()


def _kept(name: str, memory: Memory) -> dict[str, Kept]:
    """The arrays of a memory."""
    return {
        f"{name}.step": Kept(memory.step),
        f"{name}.count": Kept(memory.used),
        f"{name}.multiplier": Kept(memory.multiplier),
        f"{name}.mark": Kept(memory.mark, memory.used),
        f"{name}.row": Kept(memory.row, memory.used),
    }


def _copied(memory: Memory, rows: int) -> Memory:
    """The same memory, with room for so many rows."""
    copy = new_memory(rows, len(memory.multiplier))
    used = int(memory.used[0])
    copy.step[:], copy.used[:], copy.multiplier[:] = memory.step, memory.used, memory.multiplier
    copy.mark[:used], copy.row[:used] = memory.mark[:used], memory.row[:used]
    return copy


def _copied_sleep(sleep: Sleep, rows: int) -> Sleep:
    """The same sleep, with room for so many contacts."""
    points, used = new_records(FrozenPoint, rows), int(sleep.frozen.used[0])
    points[:used] = sleep.points[:used]
    return sleep._replace(frozen=_copied(sleep.frozen, rows), points=points)
