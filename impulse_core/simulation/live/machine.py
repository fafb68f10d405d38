"""A scene that is stepped and changed, without threads: equal calls, equal bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from impulse_core.compile.joints import REPAIR_FRACTION
from impulse_core.joints.breaking import without_broken
from impulse_core.model import FREE_COMPLIANCE, State, copy_state, new_tally
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.live.builds import Build, Moment, Struck
from impulse_core.simulation.live.carrying import carry_over, energy_of
from impulse_core.simulation.live.commands import CommandError
from impulse_core.simulation.live.pushes import Acting, Pull, Push, push, push_for
from impulse_core.simulation.options import assembles, choose_options
from impulse_core.simulation.snapshots import Frame, Snapshot, pose_frame, take_snapshot
from impulse_core.simulation.targets import MotorTargets
from impulse_core.simulation.timeline import active_loads, next_call, next_stop, steps_behind
from impulse_core.step.start import begin

__all__ = ["LiveMachine", "StepError"]


class StepError(ArithmeticError):
    """A step that failed; ``event`` says of what, as in a recording."""

    def __init__(self, event: dict[str, Any]) -> None:
        self.event = event
        super().__init__(str(event["message"]))


class LiveMachine:
    """One machine, its time and what acts on it from outside.

    Attributes:
        build: What it is made of.
        engine: What takes its steps.
        step: Completed steps.
        acting: Forces and torques that go on for some steps.
        pulls: Springs that pull bodies, by body.
        targets: Targets of motors that were set.
        start: The ``pose_frame`` from which coordinates of joints count.
        bodies: Names of all bodies in the order of the scene.
    """

    def __init__(
        self,
        build: Build,
        on_part: Callable[[int, int], None] = lambda _part, _parts: None,
        state: State | None = None,
    ) -> None:
        """``state``: where to hold the state, at the start of the machine."""
        self.build = build
        self.step = 0
        self.acting: list[Acting] = []
        self.pulls: dict[str, Pull] = {}
        engine = self._engine_of(self.build, on_part, state)
        self._take(engine, pose_frame(engine.compiled, engine.state))
        self.bodies = tuple(self.engine.compiled.body_names)

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.engine.state.clock["time"][0])

    def _engine_of(
        self,
        build: Build,
        on_part: Callable[[int, int], None] = lambda _part, _parts: None,
        state: State | None = None,
    ) -> Engine:
        compiled = build.compiled()
        options = choose_options(compiled, **build.given)
        pulls = assembles(build.scene, build.assemble)
        return Engine(compiled, options, assemble=pulls, on_part=on_part, state=state)

    def _take(self, engine: Engine, start: Frame) -> None:
        """Go on with an engine, of which coordinates count from a start."""
        self.engine = engine
        self.targets = MotorTargets(engine.compiled)
        self._whole = engine.runner.model
        self.start = start
        self._horizon = 0.0
        self._stops: list[float] = []
        self._struck: Struck | None = None

    # ----- steps -----------------------------------------------------------------------------

    def advance(self, most: int) -> int:
        """Take up to ``most`` steps, fewer where something acts for single ones or a load switches.

        Returns how many were taken; 0 where ``engine.work.stop`` ended the call.

        Raises:
            StepError: A step failed; the machine stands where it began.
        """
        engine, h = self.engine, self.engine.options.step
        self._answer()
        now = self.time
        single = bool(self.acting or self.pulls)
        stop = next_stop(self._stops_after(now), now, h)
        call = next_call(now, steps_behind(now, h), h, stop, 1 if single else most)
        windows = engine.compiled.load_windows
        engine.start_segment(now, active_loads(windows, now, now + call.length, h))
        before = engine.snapshot() if single else None
        if single:
            self._push(call.length)
        done = engine.advance(call.length, call.steps, call.first)
        while not done and single and engine.interrupted:  # what was pushed is to take its step
            engine.work.stop[0] = 0
            done = engine.advance(call.length, 1, call.first)
        taken = call.steps if done else engine.completed
        if taken:
            end = call.end if taken == call.steps else (call.first + taken) * h
            engine.state.clock["time"] = end
            self.step += taken
            self._end_pushes()
        if not done and not engine.interrupted:
            failure = engine.failure(now, call.length)
            if before is not None:
                engine.restore(before)
                self.take_up()
            raise StepError(failure)
        return taken

    def look(self, offset: float, look: Callable[[], None]) -> None:
        """Call ``look`` with the state an offset [s] ahead, less than a step, and return.

        Raises:
            StepError: The way there failed.
        """
        engine, now = self.engine, self.time
        windows = engine.compiled.load_windows
        engine.start_segment(now, active_loads(windows, now, now + offset, engine.options.step))
        with self._and_back():
            self._answer()
            self._push(offset)
            while not engine.peek(offset, look):
                if not engine.interrupted:
                    raise StepError(engine.failure(now, offset))
                engine.work.stop[0] = 0

    def _stops_after(self, now: float) -> list[float]:
        """Times at which loads or curves switch, known for long enough [s]."""
        while now >= self._horizon:
            self._horizon = max(2.0 * self._horizon, self.engine.options.duration)
            compiled = self.engine.compiled
            times = [*compiled.load_windows.ravel(), *compiled.switches(self._horizon)]
            self._stops = sorted({float(t) for t in times if 0.0 < t < np.inf})
        return self._stops

    def _push(self, h: float) -> None:
        for acting in self.acting:
            push(self.engine, acting.push, h)
        for pull in self.pulls.values():
            push_for(self.engine, pull, h)
        if self.acting or self.pulls:
            self.wake()
        self.engine.runner.take_up(self.engine.state)
        self._broken_anew()

    def _end_pushes(self) -> None:
        left = [replace(a, steps=a.steps - 1) for a in self.acting]
        self.acting = [a for a in left if a.steps > 0]

    # ----- what commands do ------------------------------------------------------------------

    def push_once(self, impulse: Push) -> None:
        """Give an impulse. Joints answer to all that come together, before the next step."""
        engine = self.engine
        if self._struck is None:
            self._struck = Struck(energy_of(engine), float(engine.tally.totals["work"][0]))
        push(engine, impulse, 1.0)
        self.wake()

    def _answer(self) -> None:
        """Let joints answer to impulses, and book what the energy changes by as work."""
        if self._struck is None:
            return
        struck, self._struck = self._struck, None
        self._close()
        self.engine.tally.totals["work"] = struck.work + energy_of(self.engine) - struck.energy

    @contextmanager
    def answered(self) -> Iterator[None]:
        """Be for a moment as after joints answered to impulses.

        Whoever looks between two impulses sees what would be if they were the last, and makes no
        difference to what is.
        """
        if self._struck is None:
            yield
            return
        with self._and_back():
            self._answer()
            yield

    @contextmanager
    def _and_back(self) -> Iterator[None]:
        """Return to the present state from whatever happens to it."""
        struck, before = self._struck, self.engine.snapshot()
        try:
            yield
        finally:
            self.engine.restore(before)
            self.take_up()
            self._struck = struck

    def _close_or_return(self, what: str, before: Moment) -> None:
        """Close the joints, and book what the energy changed by.

        Raises:
            CommandError: They are too far apart for that; the machine is as it was before.
        """
        engine, energy = self.engine, energy_of(self.engine)
        opened, stays = self._close()
        if opened <= REPAIR_FRACTION * engine.model.size and stays <= engine.tolerance:
            engine.tally.totals["work"] += energy_of(engine) - energy
            return
        self.restore(before)
        raise CommandError(
            f"{what} cannot be closed from here, {opened:.3g} m apart: drag the bodies together to"
            " 1 % of the scene's size, or rewind."
        )

    def _close(self) -> tuple[float, float]:
        """Close the joints and correct the velocities; the errors before and after [m]."""
        engine, state = self.engine, self.engine.state
        model, scratch = engine.model, new_tally(len(engine.model.joints))
        before = copy_state(state)
        state.axes["compliance"] = FREE_COMPLIANCE * model.axes["inverse_mass"]
        self.take_up()
        engine.runner.run(state, engine.options.step, 0, -1, scratch)  # scratch that fits the state
        opened, stays, _ = begin(
            model, engine.structure, state, engine.tolerance, engine.work, scratch
        )
        # what a step begins with, and full turns, are not those of a start
        state.joints["multiplier"], state.turns[:] = before.joints["multiplier"], before.turns
        state.clock[:] = before.clock
        self.take_up()
        return float(opened), float(stays)

    def replaced(self) -> None:
        """Go on from a state of another time."""
        self._struck = None
        self.take_up()

    def take_up(self) -> None:
        """Go on from a state that was changed."""
        engine = self.engine
        engine.runner.take_up(engine.state)
        self._broken_anew()
        if engine.comparison:
            engine.comparison.start()

    def _broken_anew(self) -> None:
        self.engine.runner.model = without_broken(self._whole, self.engine.state)

    def wake(self) -> None:
        """Let no body sleep or nap that something may have happened to."""
        kept = self.engine.runner.kept()
        for name in ("sleep.asleep", "sleep.number", "sleep.rested"):
            if name in kept:
                kept[name].array[:] = 0

    def enable_joint(self, j: int, enabled: bool) -> None:
        """Let go of joint j, or close it from where its bodies are.

        Raises:
            CommandError: It cannot be closed from there; the machine is as it was.
        """
        engine = self.engine
        state, couplings = engine.state, engine.compiled.model.couplings
        rows = engine.compiled.row_owner == j
        terms = couplings.terms["joint"]
        for k, c in enumerate(couplings.joint.tolist()):
            among = terms[couplings.first_term[k] : couplings.first_term[k + 1]]
            rows[c] |= bool(np.isin(among, np.flatnonzero(rows)).any())
        if bool((state.joints["broken"][rows] == 0).all()) == enabled:
            return
        before = self.moment()
        self._answer()
        state.joints["broken"][rows] = 0 if enabled else 1
        state.joints["multiplier"][rows] = 0.0
        self.take_up()
        if enabled:
            self._close_or_return(f"joint '{engine.compiled.joint_names[j]}'", before)
        self.wake()

    def reset(self, build: Build) -> None:
        """Begin at the start of a machine.

        Raises:
            SceneError: It cannot be simulated; this one is as it was.
            OptionError: The same.
        """
        engine = self._engine_of(build)
        self._take(engine, pose_frame(engine.compiled, engine.state))
        self.build, self.step = build, 0
        self.acting, self.pulls = [], {}

    def rebuild(self, build: Build) -> None:
        """Become another machine, in which all that has a name stays where it is.

        Raises:
            SceneError: That machine cannot be simulated; this one is as it was.
            OptionError: The same.
            CommandError: Joints of it cannot be closed from where its bodies are; the same.
        """
        engine, targets, before = self._engine_of(build), self.targets.values, self.moment()
        self._answer()
        start, was = pose_frame(engine.compiled, engine.state), self.engine.compiled.joint_names
        carry_over(self.engine, engine)
        self._take(engine, start)
        self.targets.put_all(targets)
        self.wake()
        self.take_up()
        self.build = build
        if set(engine.compiled.joint_names) - set(was):
            self._close_or_return("a joint of the body", before)

    # ----- moments ---------------------------------------------------------------------------

    def moment(self) -> Moment:
        """All that the future depends on."""
        return Moment(
            self.build,
            self.step,
            self.engine.snapshot(),
            MappingProxyType(dict(self.targets.values)),
            tuple(self.acting),
            tuple(self.pulls.values()),
            self._struck,
        )

    def restore(self, moment: Moment) -> None:
        """Go on from a moment of this machine."""
        events = self.engine.events
        if moment.build is not self.build:
            engine = self._engine_of(moment.build)
            self._take(engine, pose_frame(engine.compiled, engine.state))
            self.build = moment.build
        self.engine.restore(moment.copy)
        self.targets.put_all(moment.targets)
        self.take_up()
        self.step = moment.step
        self.engine.events = [event for event in events if event["time"] <= self.time]
        self.acting = [*moment.acting]
        self.pulls = {pull.body: pull for pull in moment.pulls}
        self._struck = moment.struck

    def snapshot(self, **told: Any) -> Snapshot:
        """What it is like now."""
        with self.answered():
            return take_snapshot(self.engine, self.start, self.bodies, step=self.step, **told)

    def digest(self) -> str:
        """SHA-256 of every number that the next step reads."""
        with self.answered():
            return self.engine.digest()
