"""The thread of a session: takes commands between steps, keeps time, and publishes snapshots."""

from __future__ import annotations

import threading
import time as clock
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from impulse_core.compile import SceneError
from impulse_core.simulation.live import commands as c
from impulse_core.simulation.live.actions import act, lasts, moves
from impulse_core.simulation.live.commands import Command, CommandError
from impulse_core.simulation.live.frames import LiveFrames
from impulse_core.simulation.live.history import History
from impulse_core.simulation.live.machine import LiveMachine, StepError
from impulse_core.simulation.live.pacing import Pace
from impulse_core.simulation.live.receipts import Receipt, SessionError
from impulse_core.simulation.live.states import save_machine
from impulse_core.simulation.options import OptionError
from impulse_core.simulation.snapshots import Control, Snapshot
from impulse_core.simulation.targets import TargetError
from impulse_core.simulation.timeline import same_time

__all__ = ["Ask", "RunUntil", "Worker", "check_speed"]

_SECONDS_PER_CALL = 0.004  # of a kernel call, where as fast as possible
_AT_ONCE = 4096  # commands between two steps, so that steps go on however many come
_MOST_WAITING = 100_000  # commands, beyond which who posts has to wait


@dataclass(frozen=True)
class RunUntil(Command):
    """Run until a time [s], then pause."""

    time: float


@dataclass(frozen=True, eq=False)
class Ask(Command):
    """Call a function between two steps, in the thread of the session."""

    function: Callable[[], None]


class Worker:
    """What the thread of a session runs. Public attributes may be read from any thread.

    Attributes:
        state: "running", "paused", "failed" or "stopped".
        error: Why the session failed; None if it did not.
        latest: The last snapshot that was published.
        published: How many were so far.
        changed: Notified of snapshots, and of what becomes of commands.
    """

    def __init__(
        self,
        machine: LiveMachine,
        *,
        speed: float | None,
        paused: bool,
        control: Control | None,
        memory: float,
        frames: float,
        rate: float,
        until: float | None,
    ) -> None:
        self.machine = machine
        self.history = History(machine, memory)
        self.frames = LiveFrames(machine, frames)
        self.start: list[Command] = []  # what was asked before the start, or the last reset
        self.error: Exception | None = None
        self.event: dict[str, Any] | None = None  # what a recording says of it
        self.state = "paused" if paused else "running"
        self.changed = threading.Condition()
        self._queue: deque[Receipt] = deque()
        self._wake = threading.Condition()
        self._closing = False
        self._rests = False  # whether it has to be woken
        self._control = control
        self._interval = 1.0 / rate
        self._until = until
        self._steps_left: int | None = None
        self._step_seconds = 0.0
        self._many = False  # whether a call of many steps is under way
        self._pace = Pace(speed)
        self._published_at = 0.0
        self.latest = self._snapshot()
        self.published = 1
        self.thread = threading.Thread(target=self._run, name="impulse session", daemon=True)

    # ----- from other threads ----------------------------------------------------------------

    def post(self, command: Command) -> Receipt:
        """Queue a command, which acts before the next step."""
        receipt = Receipt(command, self.changed)
        if len(self._queue) >= _MOST_WAITING and threading.current_thread() is not self.thread:
            with self._wake:
                self._wake.wait_for(lambda: len(self._queue) < _MOST_WAITING or self._closing)
        # No lock, for which many threads would wait: what is appended is seen by the thread, which
        # looks after it says that it rests, or that it ends.
        self._queue.append(receipt)
        if self._many:
            self.machine.engine.work.stop[0] = 1  # ends the call after the step it is in
        if self._rests or self._closing:
            with self._wake:
                self._wake.notify_all()
                if self._closing and receipt in self._queue:
                    self._queue.remove(receipt)
                    raise SessionError("the session has stopped; it takes no more commands.")
        return receipt

    def close(self) -> None:
        """Stop after the step under way; returns when the thread has ended."""
        with self._wake:
            self._closing = True
            self.machine.engine.work.stop[0] = 1
            self._wake.notify_all()
        if self.thread.is_alive() and threading.current_thread() is not self.thread:
            self.thread.join()

    # ----- the thread ------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._pace.begin(self.machine.time)
            while not self._closing:
                self._drain()
                if self.state != "running":
                    self._rest()
                elif (due := self._due_in()) > 0.0:
                    self._rest(due)
                else:
                    self._step()
        except Exception as error:  # a mistake in here; callers are told of it
            self.error = error
        finally:
            self._end()

    def _end(self) -> None:
        with self._wake:
            self._closing = True
            left = []
            while self._queue:
                left.append(self._queue.popleft())
            self._wake.notify_all()
        with self.changed:
            self.state = "stopped"
            for receipt in left:
                receipt.error = SessionError("the session stopped before the command acted.")
            self.latest = replace(self.latest, state="stopped")
            self.changed.notify_all()

    def _due_in(self) -> float:
        """Until the next step may be taken [s]."""
        machine = self.machine
        return self._pace.due_in(machine.time + machine.engine.options.step)

    def _rest(self, seconds: float | None = None) -> None:
        """Until there are commands, for so long at most [s]."""
        with self._wake:
            self._rests = True
            self._wake.wait_for(lambda: self._queue or self._closing, seconds)
            self._rests = False

    def _drain(self) -> None:
        """Carry out the commands that came so far."""
        waiting = min(len(self._queue), _AT_ONCE)
        if not waiting:
            return
        before = self.state
        for _ in range(waiting):
            receipt = self._queue.popleft()
            step = self.machine.step
            try:
                self._carry_out(receipt.command)
                receipt.step = step
            except (CommandError, OptionError, SceneError, TargetError, SessionError) as error:
                receipt.error = error
            if self._steps_left is not None and self.state == "running":
                break  # what follows comes after these steps
        with self._wake:
            self._wake.notify_all()
        if self.state == "running" and before != "running":
            self._pace.begin(self.machine.time)
        self._publish(now=self.state != "running" or before != "running")

    def _carry_out(self, command: Command) -> None:
        if moves(command):
            act(self.machine, command)
            self.history.note(command)
            if isinstance(command, c.LoadState):
                self.history.begin_anew()
                self.frames.begin_anew()
                self._pace.begin(self.machine.time)
        else:
            _OWN[type(command)](self, command)

    def _pause(self, _: c.Pause) -> None:
        self._stand("paused")

    def _resume(self, _: c.Resume) -> None:
        self._go()

    def _take_steps(self, command: c.Step) -> None:
        if not (isinstance(command.count, int) and command.count >= 1):
            raise CommandError(f"count is {command.count!r}; it must be a whole number from 1 on.")
        self._go()
        self._steps_left = command.count

    def _run_until(self, command: RunUntil) -> None:
        if not command.time > self.machine.time:
            raise CommandError(f"{command.time:g} s is not later than {self.machine.time:g} s.")
        self._go()
        self._until = command.time

    def _set_speed(self, command: c.SetSpeed) -> None:
        check_speed(command.factor)
        self._pace.begin(self.machine.time, command.factor, keep=False)

    def _reset(self, _: c.Reset) -> None:
        self.machine.reset(replace(self.machine.build, standing=MappingProxyType({})))
        self.start += [e.command for e in self.history.entries if lasts(e.command)]
        self.history.entries.clear()
        self.history.begin_anew()
        self.frames.begin_anew()
        self._begin_again()

    def _rewind(self, command: c.Rewind) -> None:
        self.history.rewind(float(command.time), lambda: self._closing)
        self.frames.cut()
        self._begin_again()

    def _save(self, command: c.SaveState) -> None:
        from impulse_core.checkpoints import StateFileError

        try:
            save_machine(self.machine, command.path)
        except StateFileError as error:
            raise CommandError(str(error)) from None

    def _answer(self, command: Ask) -> None:
        command.function()

    def _begin_again(self) -> None:
        """After time went back."""
        if self.state == "failed":
            self._stand("paused")
        self.error = None
        self._steps_left = None
        self._pace.begin(self.machine.time)

    def _stand(self, state: str) -> None:
        self.state = state
        self._steps_left = None

    def _go(self) -> None:
        self.state, self.error, self._steps_left = "running", None, None

    def _step(self) -> None:
        """Take the steps that are due, and say how far that came."""
        machine, h = self.machine, self.machine.engine.options.step
        batch = int(_SECONDS_PER_CALL / self._step_seconds) if self._step_seconds else 1
        most = max(1, min(batch, self._pace.steps_due(machine.time, h)))
        if self._steps_left is not None:
            most = min(most, self._steps_left)
        if self._until is not None:
            left = (self._until - machine.time) / h
            most = max(1, min(most, int(left + 1e-9)))
        began = clock.thread_time()  # not that of readers that hold Python up
        try:
            if self._control is not None:
                most = 1
                self._ask(self._control)
            taken = 0
            if most > 1:
                self._many = True
                if not self._queue:
                    taken = self.frames.advance(most)
                self._many = False
                machine.engine.work.stop[0] = 0
            if not taken:  # and none is under way that a command might end
                taken = self.frames.advance(1)
        except Exception as error:
            self._fail(error)
            return
        if taken:
            self._passed(taken, clock.thread_time() - began)

    def _passed(self, taken: int, seconds: float) -> None:
        self._step_seconds = seconds / taken
        self.history.passed()
        self._pace.reached(self.machine.time)
        if self._steps_left is not None:
            self._steps_left -= taken
            if self._steps_left <= 0:
                self._stand("paused")
        slack = same_time(self.machine.engine.options.step)
        if self._until is not None and self.machine.time >= self._until - slack:
            self._until = None
            self._stand("paused")
        self._publish(now=self.state != "running")

    def _ask(self, control: Control) -> None:
        """Let the controller set the targets of this step; the log keeps those that changed."""
        wanted = control(self.machine.time, self._snapshot())
        targets = self.machine.targets.changed(wanted)
        if targets:
            command = c.SetMotorTargets(targets)
            act(self.machine, command)
            self.history.note(command)

    def _fail(self, error: Exception) -> None:
        self._many = False
        self._stand("failed")
        if isinstance(error, StepError):
            self.event = error.event
            error = SessionError(str(error))
        self.error = error
        self._publish(now=True)

    def _snapshot(self) -> Snapshot:
        return self.machine.snapshot(state=self.state, lag=self._pace.lag, lost=self._pace.lost)

    def _publish(self, *, now: bool) -> None:
        """Let everybody have a snapshot, if the last is old enough or the state has changed."""
        moment = clock.perf_counter()
        if now or moment - self._published_at >= self._interval:
            self._published_at = moment
            latest = self._snapshot()
            with self.changed:
                self.latest = latest
                self.published += 1
                self.changed.notify_all()


def check_speed(factor: Any) -> None:
    """Refuse what is no speed.

    Raises:
        CommandError: It is not.
    """
    if factor is None:
        return
    if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not 0 < factor <= 1e6:
        raise CommandError(f"speed is {factor!r}; it must be positive, or None.")


_OWN: dict[type[Command], Callable[[Worker, Any], None]] = {
    c.Pause: Worker._pause,
    c.Resume: Worker._resume,
    c.Step: Worker._take_steps,
    c.SetSpeed: Worker._set_speed,
    c.Reset: Worker._reset,
    c.Rewind: Worker._rewind,
    c.SaveState: Worker._save,
    Ask: Worker._answer,
    RunUntil: Worker._run_until,
}
