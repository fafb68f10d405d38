"""``Batch``: many machines of one model, which threads step side by side."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from impulse_core.compile import CompiledScene, Scene, compile_scene
from impulse_core.geometry.rotations import conjugated, rotated
from impulse_core.model import State
from impulse_core.simulation.live.builds import Build, Moment
from impulse_core.simulation.live.machine import LiveMachine, StepError
from impulse_core.simulation.options import OptionError
from impulse_core.simulation.snapshots import Snapshot
from impulse_core.simulation.targets import TargetError
from impulse_core.types import Floats

__all__ = ["Batch"]

_MOST_STEPS = 50  # of one machine at a time, so that Ctrl-C and a failure get a turn


@dataclass(frozen=True, eq=False)
class _SharedBuild(Build):
    """A scene that was compiled once, of which each machine has its own targets of motors."""

    once: CompiledScene | None = None

    def compiled(self) -> CompiledScene:
        assert self.once is not None
        model = self.once.model
        signals = model.signals
        own = signals._replace(kind=signals.kind.copy(), constant=signals.constant.copy())
        return replace(self.once, model=model._replace(signals=own))


class Batch:
    """Many machines of one model, which threads step side by side.

        batch = ic.Batch(scene, 256)
        batch.step(10)
        heights = batch.positions[:, batch.bodies.index("torso"), 2]

    Each machine goes the way that it goes alone, bit for bit, on any number of threads. One whose
    step fails stands still from then on, and ``failures`` says why; the others go on.

    Args:
        scene: From ``load_scene`` or built from the schema's models.
        count: How many machines; all begin at the start of the scene.
        threads: How many step at the same time; default one for each processor.
        options: Those of ``simulate`` that say how a step is taken: step, method, solver,
            tolerance, budget_corrections, time_of_impact, assemble.

    Raises:
        SceneError: The scene cannot be simulated.
        OptionError: An argument cannot be used.
    """

    def __init__(
        self, scene: Scene, count: int, *, threads: int | None = None, **options: Any
    ) -> None:
        for name, value in (("count", count), ("threads", 1 if threads is None else threads)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise OptionError(f"{name} is {value!r}; it must be a whole number from 1 on.")
        given = {name: value for name, value in options.items() if value is not None}
        if unknown := given.keys() - _OPTIONS:
            raise OptionError(
                f"there is no option {min(unknown)} of a batch; it is one of {', '.join(_OPTIONS)}."
            )
        assemble = given.pop("assemble", None)
        once = compile_scene(scene, assemble=assemble)
        build = _SharedBuild(scene, MappingProxyType(given), assemble, once=once)
        #: The states of all machines: arrays of ``State`` with the machines first.
        self.state: Final = State._make(
            np.repeat(array[None], count, axis=0) for array in once.state
        )
        self._compiled = once
        self._machines = [
            LiveMachine(build, state=State._make(array[k] for array in self.state))
            for k in range(count)
        ]
        self._start = self._machines[0].moment()
        self._threads = threads or os.cpu_count() or 1
        self.bodies: tuple[str, ...] = self._machines[0].bodies
        self.motors: tuple[tuple[str, int], ...] = tuple(self._machines[0].targets.known())
        self.failures: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._machines)

    # ----- watching --------------------------------------------------------------------------

    @property
    def times(self) -> Floats:
        """Simulated time of each machine [s], shape (K,)."""
        times: Floats = self.state.clock["time"][:, 0].copy()
        return times

    @property
    def positions(self) -> Floats:
        """Of the origins of all bodies [m], world frame, shape (K, n, 3)."""
        return self._poses()[0]

    @property
    def orientations(self) -> Floats:
        """Body axes to world axes, quaternions (w, x, y, z), shape (K, n, 4)."""
        return self._poses()[1]

    def _poses(self) -> tuple[Floats, Floats]:
        bodies = self.state.bodies
        return self._compiled.user_poses(bodies["position"], bodies["orientation"])

    @property
    def velocities(self) -> Floats:
        """Of the centres of mass [m/s], world frame, shape (K, n, 3)."""
        velocities: Floats = self.state.bodies["velocity"][:, self._compiled.body_row]
        return velocities

    @property
    def angular_velocities(self) -> Floats:
        """Of all bodies [rad/s], world frame, shape (K, n, 3)."""
        bodies, model = self.state.bodies, self._compiled.model
        q, L = bodies["orientation"], bodies["angular_momentum"]
        w = rotated(q, model.bodies["inverse_inertia"] * rotated(conjugated(q), L))
        w[:, model.dynamic : -1] = self.state.kinematic["spin"]
        found: Floats = w[:, self._compiled.body_row]
        return found

    def snapshot(self, machine: int) -> Snapshot:
        """All that can be told of one machine now: joints, contacts, reactions, energy.

        Raises:
            IndexError: There is no such machine.
        """
        state = "failed" if machine in self.failures else "paused"
        return self._machines[machine].snapshot(state=state)

    # ----- commanding ------------------------------------------------------------------------

    def step(self, steps: int = 1) -> None:
        """Let every machine take so many steps.

        Raises:
            OptionError: ``steps`` is no whole number from 1 on.
        """
        if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
            raise OptionError(f"steps is {steps!r}; it must be a whole number from 1 on.")
        left = iter(k for k in range(len(self._machines)) if k not in self.failures)
        lock, ended = threading.Lock(), threading.Event()

        def work() -> None:
            while not ended.is_set():
                with lock:
                    k = next(left, None)
                if k is None:
                    return
                self._advance(k, steps, ended.is_set)

        if self._threads == 1:
            work()
            return
        with ThreadPoolExecutor(self._threads, "impulse batch") as pool:
            workers = [pool.submit(work) for _ in range(self._threads)]
            try:
                for worker in workers:
                    worker.result()
            finally:
                ended.set()  # after Ctrl-C; else all are done

    def _advance(self, k: int, steps: int, is_ended: Callable[[], bool]) -> None:
        machine = self._machines[k]
        end = machine.step + steps
        while machine.step < end and not is_ended():
            try:
                machine.advance(min(end - machine.step, _MOST_STEPS))
            except StepError as error:
                self.failures[k] = str(error)
                return

    def set_targets(self, values: Floats | Sequence[Sequence[float]]) -> None:
        """Give the motors of all machines constant targets, which hold until others are given.

        Args:
            values: In the order of ``motors`` and the units of the scene file, shape (K, m).

        Raises:
            TargetError: They have another shape, or are no finite numbers.
        """
        given = np.asarray(values, dtype=float)
        shape = len(self), len(self.motors)
        if given.shape != shape:
            raise TargetError(f"targets have the shape {given.shape}; give {shape}.")
        if not np.isfinite(given).all():
            raise TargetError("a target is no finite number.")
        for machine, row in zip(self._machines, given.tolist(), strict=True):
            targets = machine.targets
            changed = [
                (key, value)
                for key, value in zip(self.motors, row, strict=True)
                if targets.values.get(key) != value
            ]
            for key, value in changed:
                targets.put(key, value)
            if changed:
                machine.wake()

    def moments(self) -> list[Moment]:
        """All that the future of each machine depends on, for ``restore``."""
        return [machine.moment() for machine in self._machines]

    def restore(self, moments: Mapping[int, Moment]) -> None:
        """Let machines go on from moments of any machine of this batch, by number.

        Raises:
            IndexError: There is no such machine.
            OptionError: A moment is of another batch.
        """
        for moment in moments.values():
            if moment.build is not self._start.build:
                raise OptionError("a moment is of another batch.")
        for k, moment in moments.items():
            self._machines[k].restore(moment)
            self.failures.pop(k, None)

    def reset(self, machines: Iterable[int] | None = None) -> None:
        """Put machines, by default all, back to the start of the scene."""
        chosen = range(len(self)) if machines is None else machines
        self.restore({int(k): self._start for k in chosen})

    def digest(self, machine: int) -> str:
        """SHA-256 of every number that the next step of a machine reads."""
        return self._machines[machine].digest()


_OPTIONS = (
    "assemble",
    "budget_corrections",
    "method",
    "solver",
    "step",
    "time_of_impact",
    "tolerance",
)
