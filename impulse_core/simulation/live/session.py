"""``Session``: a machine that simulates in its own thread while others watch and command."""

from __future__ import annotations

import inspect
import os
import weakref
from collections.abc import Callable
from types import MappingProxyType, TracebackType
from typing import Any

from impulse_core.compile import Scene
from impulse_core.recording import Recording
from impulse_core.simulation.live import commands as c
from impulse_core.simulation.live.builds import Build
from impulse_core.simulation.live.commands import Command, CommandError
from impulse_core.simulation.live.log import Log
from impulse_core.simulation.live.machine import LiveMachine
from impulse_core.simulation.live.receipts import Receipt, SessionError
from impulse_core.simulation.live.subscriptions import Subscription
from impulse_core.simulation.live.worker import Ask, RunUntil, Worker, check_speed
from impulse_core.simulation.options import OptionError, choose_options
from impulse_core.simulation.run_keys import run_key
from impulse_core.simulation.snapshots import Control, Snapshot

__all__ = ["Session"]

_OPTIONS = frozenset(inspect.signature(choose_options).parameters) - {"compiled"}


class Session:
    """A machine that simulates in its own thread while others watch and command.

        with ic.Session(scene) as session:
            session.post(ic.ApplyImpulse(body="torso", impulse=(0, 0, 5)))
            print(session.snapshot().time)

    Commands act between two steps, in the order in which they were posted. Snapshots are copies:
    whoever reads them never waits for the simulator nor keeps it waiting.

    Args:
        scene: From ``load_scene`` or built from the schema's models.
        speed: Simulated seconds per second; None as fast as possible.
        paused: Whether it stands still at first.
        control: A controller, called before each step with the time [s] and a snapshot; it returns
            targets of motors by joint, or by (joint, number of the motor).
        rewind_memory_mb: Memory for the way back [MB].
        recording_memory_mb: Memory for recorded frames [MB]; of more the oldest are dropped.
        snapshot_rate: Most snapshots published in a second [1/s].
        options: Those of ``simulate``. With a ``duration`` [s] the session pauses there.

    Raises:
        SceneError: The scene cannot be simulated; all problems at once.
        OptionError: An argument cannot be used.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        speed: float | None = 1.0,
        paused: bool = False,
        control: Control | None = None,
        rewind_memory_mb: float = 64.0,
        recording_memory_mb: float = 256.0,
        snapshot_rate: float = 200.0,
        **options: Any,
    ) -> None:
        try:
            check_speed(speed)
        except CommandError as error:
            raise OptionError(str(error)) from None
        for name, value in (
            ("rewind_memory_mb", rewind_memory_mb),
            ("recording_memory_mb", recording_memory_mb),
            ("snapshot_rate", snapshot_rate),
        ):
            if not value > 0.0:
                raise OptionError(f"{name} is {value!r}; it must be positive.")
        given = {name: value for name, value in options.items() if value is not None}
        if unknown := given.keys() - _OPTIONS - {"assemble"}:
            raise OptionError(f"there is no option {min(unknown)}.")
        self._given = MappingProxyType(dict(given))
        self._scene = scene.model_copy(deep=True)  # which whoever gave it may change
        assemble, until = given.pop("assemble", None), given.get("duration")
        self._subscriptions: list[Subscription] = []
        self._worker = Worker(
            LiveMachine(Build.of(self._scene, given, assemble)),
            speed=speed,
            paused=paused,
            control=control,
            memory=1e6 * rewind_memory_mb,
            frames=1e6 * recording_memory_mb,
            rate=snapshot_rate,
            until=until,
        )
        # ends the thread when nobody holds the session any more, and before Python ends
        self._finalizer = weakref.finalize(self, self._worker.close)
        self._worker.thread.start()

    # ----- watching --------------------------------------------------------------------------

    @property
    def state(self) -> str:
        """Whether it is "running", "paused", "failed" or "stopped"."""
        return self._worker.state

    @property
    def error(self) -> Exception | None:
        """Why the session failed; None if it did not."""
        return self._worker.error

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of all bodies, in whose order arrays of snapshots are."""
        return self._worker.machine.bodies

    @property
    def scene(self) -> Scene:
        """The scene with its parameters as they are now; not to be changed."""
        return self._worker.machine.build.scene

    def snapshot(self) -> Snapshot:
        """The last snapshot that was published; after a failure the last good state."""
        return self._worker.latest

    def wait(
        self, until: Callable[[Snapshot], bool] | None = None, timeout: float | None = None
    ) -> Snapshot:
        """Wait for a snapshot, for so long at most [s].

        Args:
            until: What it must fulfil; default: that it is newer than the present one.
            timeout: [s]; None for any time.

        Raises:
            SessionError: The session failed or stopped before.
            TimeoutError: There was none in time.
        """
        worker = self._worker
        present = worker.latest
        wanted = until or (lambda snapshot: snapshot is not present)

        def is_over() -> bool:
            return wanted(worker.latest) or worker.state in ("failed", "stopped")

        with worker.changed:
            if not worker.changed.wait_for(is_over, timeout):
                raise TimeoutError(f"no such snapshot came within {timeout:g} s")
            latest = worker.latest
        if not wanted(latest) or worker.error is not None:
            self._raise()
        return latest

    def subscribe(self, function: Callable[[Snapshot], object]) -> Subscription:
        """Call a function with snapshots as they are published, in a thread of its own.

        It is always given the latest: one that takes longer than they come misses some, and keeps
        nobody waiting. What it raises ends the subscription, and is raised when the session ends.

        Returns:
            What ``close`` ends again.
        """
        subscription = Subscription(self._worker, function)
        self._subscriptions.append(subscription)
        return subscription

    @property
    def log(self) -> Log:
        """What was asked so far, from which ``replay`` does it again."""
        found: list[Log] = []

        def ask() -> None:
            worker = self._worker
            found.append(
                Log(
                    run_key(self._scene, self._given),
                    self._given,
                    tuple(worker.start),
                    tuple(worker.history.entries),
                    worker.machine.step,
                    worker.machine.digest(),
                )
            )

        self._ask(ask)
        return found[0]

    def digest(self) -> str:
        """SHA-256 of every number that the next step reads."""
        found: list[str] = []
        self._ask(lambda: found.append(self._worker.machine.digest()))
        return found[0]

    def recording(self) -> Recording:
        """The frames so far, from the start or the last reset on, without what was rewound."""
        found: list[Recording] = []

        def ask() -> None:
            worker, error = self._worker, self._worker.error
            complete = error is None
            events = [] if error is None or worker.event is None else [worker.event]
            found.append(worker.frames.recording(complete=complete, events=events))

        self._ask(ask)
        return found[0]

    def _ask(self, function: Callable[[], None]) -> None:
        """Call a function while no step is under way."""
        try:
            self.do(Ask(function))
        except SessionError:
            self._worker.thread.join()
            function()

    def _raise(self) -> None:
        """Let the caller know why the session does not go on."""
        error = self._worker.error
        if error is not None:
            raise error
        raise SessionError("the session has stopped.")

    # ----- commanding ------------------------------------------------------------------------

    def post(self, command: Command) -> Receipt:
        """Ask for a command, which acts before the next step.

        Where very many wait, this waits too, until there is room.

        Returns:
            What tells when it acted, or why it was refused.

        Raises:
            SessionError: The session has stopped.
            TypeError: That is no command.
        """
        if not isinstance(command, Command):
            raise TypeError(f"{command!r} is no command; post one, as in Pause().")
        return self._worker.post(command)

    def do(self, command: Command, timeout: float | None = None) -> int:
        """Post a command and wait until it acted; the step at which it did.

        Raises:
            CommandError: It was refused.
            SessionError: The session has stopped.
            TimeoutError: It did not act in time.
        """
        return self.post(command).wait(timeout)

    def pause(self) -> Snapshot:
        """Stand still; the snapshot of where."""
        self.do(c.Pause())
        return self.snapshot()

    def resume(self) -> None:
        """Go on."""
        self.do(c.Resume())

    def step(self, count: int = 1) -> Snapshot:
        """Take so many steps, then pause; the snapshot after them.

        Raises:
            SessionError: A step failed.
        """
        target = self.do(c.Step(count)) + count
        return self.wait(lambda s: s.step >= target or s.state != "running")

    def run_until(self, time: float, timeout: float | None = None) -> Snapshot:
        """Run until a simulated time [s], then pause; the snapshot of the first step there.

        Raises:
            CommandError: The time is over.
            SessionError: A step failed, or the session was paused or stopped before.
            TimeoutError: It was not reached in time.
        """
        self.do(RunUntil(time))
        reached = self.wait(lambda s: s.state != "running", timeout)
        if reached.time < time - 1e-9 * self._worker.machine.engine.options.step:
            raise SessionError(f"the session was paused at {reached.time:g} s.")
        return reached

    def rewind(self, time: float) -> Snapshot:
        """Go back to the first step at or after a time [s]; the snapshot there.

        Raises:
            CommandError: That time is not known.
        """
        self.do(c.Rewind(time))
        return self.snapshot()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a file.

        Raises:
            CommandError: It cannot be written.
        """
        self.do(c.SaveState(os.fspath(path)))

    def load(self, path: str | os.PathLike[str]) -> None:
        """Go on from a state that was saved of the same scene and options.

        Raises:
            CommandError: The file is damaged, or of another machine.
        """
        self.do(c.LoadState(os.fspath(path)))

    # ----- ending ----------------------------------------------------------------------------

    def close(self) -> None:
        """Stop; returns when the thread has ended. What was published can still be read."""
        self._finalizer()
        for subscription in self._subscriptions:
            subscription.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self.close()
        errors = [self._worker.error, *(s.error for s in self._subscriptions)]
        if kind is None and (first := next(filter(None, errors), None)):
            raise first
