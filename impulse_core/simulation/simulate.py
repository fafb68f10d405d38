"""``simulate``: a scene in, a recording out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from impulse_core.compile import CompiledScene, Scene, compile_scene
from impulse_core.jit.kernel_cache import kernels_compiled, told_of_compiling
from impulse_core.model.options import Options
from impulse_core.recording import GrowingFile, Recording
from impulse_core.simulation.interrupts import HeldSignals, StopFlag
from impulse_core.simulation.options import OptionError, choose_options
from impulse_core.simulation.run_keys import run_key
from impulse_core.simulation.timeline import Segment, active_loads, plan_timeline

if TYPE_CHECKING:
    from impulse_core.simulation.snapshots import Control

__all__ = ["Progress", "SimulationError", "simulate"]

Stage = Literal["loading", "compiling kernels", "simulating"]

_SECONDS_PER_CALL = 0.05  # a kernel call is bounded by this, so that Ctrl-C and progress get a turn


@dataclass(frozen=True)
class Progress:
    """Where a simulation is.

    Attributes:
        stage: "loading", "compiling kernels" (once per machine and version, where it is needed) or
            "simulating".
        time: Simulated time [s].
        duration: Simulated time of the whole run [s].
        steps: Completed steps.
        wall_seconds: Time since ``simulate`` was called [s].
        part: Which part of the run's kernels is being compiled, from 1; 0 in other stages.
        parts: How many parts there are.
    """

    stage: Stage
    time: float
    duration: float
    steps: int
    wall_seconds: float
    part: int = 0
    parts: int = 0


class SimulationError(Exception):
    """The simulation could not go on; ``recording`` holds the frames so far."""

    def __init__(self, message: str, recording: Recording) -> None:
        super().__init__(message)
        self.recording = recording


def simulate(
    scene: Scene,
    *,
    duration: float | None = None,
    step: float | None = None,
    fps: float | None = None,
    method: str | None = None,
    solver: str | None = None,
    tolerance: float | None = None,
    budget_ms: float | None = None,
    budget_corrections: int | None = None,
    time_of_impact: bool | None = None,
    contacts: bool | None = None,
    assemble: bool | None = None,
    control: Control | None = None,
    threads: int = 1,
    progress: Callable[[Progress], None] | None = None,
    file: GrowingFile | str | os.PathLike[str] | None = None,
) -> Recording:
    """Simulate a scene. Arguments win over the scene's settings, those over the defaults.

    Args:
        scene: From ``load_scene`` or built from the schema's models.
        duration: Simulated time [s].
        step: Length of a step [s].
        fps: Recorded frames per second [1/s].
        method: "imp2", "imp4", "imp6", "imp8", "imp10", "lmvd8", or for comparison "lm4", "lmbs4",
            "lmv4", "lmvd4" and "gc4" (docs/algorithm.md, section 7).
        solver: "direct", or "sle" and "iterative" of the papers (docs/design/solvers.md).
        tolerance: Largest joint error accepted after a step [m].
        budget_ms: Time that solver "iterative" may take for a step [ms], which ends there with the
            joints as far corrected as it came. The result depends on the machine.
        budget_corrections: The same as a number of corrections of single joints, with one result
            everywhere. Two for each joint and stage are made whatever the budget.
        time_of_impact: Whether steps are divided where bodies meet and where axes reach limits, so
            that impacts act then.
        contacts: Whether the recording holds the contact points of each frame.
        assemble: Move bodies until joints close, however far apart they start, and axes lie within
            their limits, and let bodies come apart that overlap; the report says how far each body
            was moved. False does nothing of it.
        control: A controller, called once before each step with the time [s] and a ``Snapshot``. It
            returns targets of motors by joint, or by (joint, number of the motor), which hold from
            then on: rad or m for servos, rad/s or m/s for velocities, N or N m for forces.
        threads: Largest number of threads; the result does not depend on it.
        progress: Called now and then, at least once a frame.
        file: An .imprec file for the frames, readable while it grows: a run that is killed loses
            its last second. Where it cannot be written any more a warning of the report says so.

    Returns:
        The recording. After Ctrl-C it holds the frames so far, with ``complete`` False and
        ``diagnostics["interrupted"]`` True.

    Raises:
        SceneError: The scene cannot be simulated; all problems at once.
        OptionError: An argument cannot be used.
        TargetError: The controller names a motor that is not there, or a target that is no number.
        RecordingError: ``file`` cannot be written, before anything is computed.
        SimulationError: The simulation failed; its ``recording`` holds the frames so far.
    """
    given: dict[str, Any] = {
        "duration": duration, "step": step, "fps": fps, "method": method, "solver": solver,
        "tolerance": tolerance, "budget_ms": budget_ms, "budget_corrections": budget_corrections,
        "time_of_impact": time_of_impact, "contacts": contacts,
    }  # fmt: skip
    return _simulated(scene, given, assemble, control, threads, progress, file)


def _simulated(
    scene: Scene,
    given: dict[str, Any],
    assemble: bool | None,
    control: Control | None,
    threads: int,
    progress: Callable[[Progress], None] | None,
    file: GrowingFile | str | os.PathLike[str] | None,
) -> Recording:
    """What ``simulate`` does; ``given``: the arguments that ``choose_options`` takes."""
    if threads < 1:
        raise OptionError(f"threads is {threads}; it must be at least 1.")
    called, known = time.perf_counter(), kernels_compiled()
    growing = GrowingFile(file) if isinstance(file, (str, os.PathLike)) else file
    with HeldSignals() as signals:
        with signals.acting_at_once():
            compiled = compile_scene(scene, assemble=assemble)
            options = choose_options(compiled, **given)
            # of a function there is no key
            key = "" if control else run_key(scene, {**given, "assemble": assemble})
            if assemble is None:
                assemble = scene.settings.assemble == "all"
            run = _Run(compiled, options, progress, called, known, assemble, key, growing)
            if control is not None:
                run.let_control(control)
        return run.execute(signals)


class _Run:
    """One simulation under way."""

    def __init__(
        self,
        compiled: CompiledScene,
        options: Options,
        progress: Callable[[Progress], None] | None,
        called: float,
        kernels_before: int,
        assemble: bool,
        key: str,
        file: GrowingFile | None,
    ) -> None:
        from impulse_core.simulation.engine import Engine
        from impulse_core.simulation.recorder import Recorder

        self.options = options
        self.progress = progress
        self.called = called
        self.time = 0.0
        self._part = (0, 0)
        self._tell("loading", steps=0)
        with told_of_compiling(lambda: self._tell("compiling kernels", steps=0)):
            self.engine = Engine(compiled, options, assemble=assemble, on_part=self._begin_part)
        self._part = (0, 0)
        self.stop = StopFlag(self.engine.work.stop)
        self.recorder = Recorder(
            compiled, options, self.engine, kernels_before, run_key=key, file=file
        )
        self._ask: Callable[[float], None] | None = None
        self.windows = compiled.load_windows
        self.recorder.start_seconds = time.perf_counter() - called - self.engine.compile_seconds

    def let_control(self, control: Control) -> None:
        """Ask a controller for targets before each step."""
        from impulse_core.simulation.controllers import Controller

        self._ask = Controller(self.engine, control).ask

    def execute(self, signals: HeldSignals) -> Recording:
        """Follow the timeline to its end, a failure or Ctrl-C."""
        from impulse_core.simulation.recorder import FrameError

        self.signals = signals
        try:
            with self.stop:
                self._start()
                for segment in self._segments():
                    self._deliver()
                    self._advance(segment)
                    self.time = segment.end
                    if segment.frame_at_end:
                        self.recorder.add_frame(segment.end)
                    self._tell("simulating", self.engine.steps)
        except FrameError as error:
            event = {"time": error.time, "kind": "failure", "message": str(error)}
            raise self._failure(event) from None
        except MemoryError:
            message = (
                f"at t = {self.time:.6g} s there was no memory for more; make the scene smaller"
            )
            event = {"time": self.time, "kind": "failure", "message": message}
            raise self._failure(event) from None
        except KeyboardInterrupt:
            signals.is_patient = True
            recording = self.recorder.recording(complete=False, interrupted=True)
            self.recorder.end_file(recording)
            signals.drop()  # of the same wish
            return recording
        signals.is_patient = True
        recording = self.recorder.recording(complete=True)
        recording.diagnostics["interrupted"] = signals.drop()
        self.recorder.end_file(recording)
        recording.diagnostics["interrupted"] |= signals.drop()
        return recording

    def _start(self) -> None:
        """Record the start. The first step says which forces act along free axes, unless the method
        does.
        """
        step, comparison = self.options.step, self.engine.comparison
        self.engine.start_segment(0.0, active_loads(self.windows, 0.0, step, step))
        if self._ask is not None:
            self._ask(0.0)
        if comparison is None or not comparison.find_forces(step):
            self._find_forces(step)
        self.recorder.add_frame(0.0)

    def _find_forces(self, step: float) -> None:
        """Mean forces along the axes over the first step, into the state."""
        forces = self.engine.state.axes["force"]
        first = forces.copy()  # none, where the first step fails

        def look() -> None:
            first[:] = forces

        if len(forces):
            while not self.engine.peek(step, look) and self.engine.interrupted:
                self._deliver()
        forces[:] = first

    def _segments(self) -> Iterator[Segment]:
        o = self.options
        switches = np.concatenate([self.windows.ravel(), self.engine.compiled.switches(o.duration)])
        return plan_timeline(o.duration, o.step, o.fps, switches, self._most_steps())

    def _most_steps(self) -> int:
        """Steps per kernel call, by a rough cost model: 10 µs and so much a row, per stage."""
        if self._ask is not None:
            return 1
        rows = len(self.engine.model.bodies) + len(self.engine.model.joints)
        runner = self.engine.runner
        cost = (1e-5 + runner.seconds_per_row * rows) * len(self.engine.fractions)
        return max(1, min(int(_SECONDS_PER_CALL / cost), runner.most_steps))

    def _advance(self, segment: Segment) -> None:
        """Take the steps of a segment, after the frames within its first."""
        end_of_step = segment.start + segment.length
        active = active_loads(self.windows, segment.start, end_of_step, self.options.step)
        self.engine.start_segment(segment.start, active)
        if self._ask is not None:
            self._ask(segment.start)
        for offset in segment.frames:
            self._look(segment.start, offset, partial(self.recorder.add_frame, self.time + offset))
        done = 0
        grid = segment.grid
        while not self.engine.advance(segment.length, segment.count - done, grid):
            self._go_on(segment.start + done * segment.length, segment.length)
            done += self.engine.completed
            grid = segment.grid + done if segment.grid >= 0 else -1

    def _look(self, start: float, offset: float, look: Callable[[], None]) -> None:
        """Call ``look`` with the state at a time ``start`` + ``offset`` ahead [s]."""
        while not self.engine.peek(offset, look):
            self._go_on(start, offset)

    def _go_on(self, start: float, length: float) -> None:
        """After a call with steps of a length, begun at ``start`` [s], that did not get through:
        raise what it failed of, or what handlers of signals raise.
        """
        if not self.engine.interrupted:
            raise self._failure(self.engine.failure(start, length))
        self._deliver()

    def _deliver(self) -> None:
        """Let signals have their effect, which may be to raise."""
        self.stop.clear()
        self.signals.deliver()

    def _failure(self, event: dict[str, Any]) -> SimulationError:
        self.recorder.events.append(event)
        recording = self.recorder.recording(complete=False)
        self.recorder.end_file(recording)
        return SimulationError(event["message"], recording)

    def _begin_part(self, part: int, parts: int) -> None:
        self._part = part, parts

    def _tell(self, stage: Stage, steps: int) -> None:
        if self.progress is not None:
            elapsed, duration = time.perf_counter() - self.called, self.options.duration
            self.progress(Progress(stage, self.time, duration, steps, elapsed, *self._part))
