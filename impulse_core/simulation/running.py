"""``Run``: one simulation under way, from its start to its end, a failure or Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from impulse_core.compile import CompiledScene
from impulse_core.jit.kernel_cache import kernels_compiled, told_of_compiling
from impulse_core.model.options import Options
from impulse_core.recording import Recording
from impulse_core.simulation.interrupts import HeldSignals, StopFlag
from impulse_core.simulation.timeline import Segment, active_loads, plan_timeline

if TYPE_CHECKING:
    from impulse_core.simulation.recorder import Keeping
    from impulse_core.simulation.snapshots import Control
    from impulse_core.simulation.written import Written

__all__ = ["Progress", "Run", "SimulationError", "Started"]

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
    """The simulation could not go on.

    Attributes:
        recording: The frames so far; of a run to a file none, but what the report says.
        written: What the file of a run to a file holds; None of other runs.
    """

    def __init__(self, message: str, recording: Recording) -> None:
        super().__init__(message)
        self.recording = recording
        self.written: Written | None = None


class Started(NamedTuple):
    """When a simulation was called [s], and how many kernels were compiled then."""

    called: float
    kernels: int

    @classmethod
    def now(cls) -> Started:
        return cls(time.perf_counter(), kernels_compiled())


class Run:
    """One simulation under way.

    Attributes:
        engine: What takes its steps.
        recorder: What takes its frames.
        behind: End [s] of the steps that are done, and steps of the grid that are behind.
    """

    def __init__(
        self,
        compiled: CompiledScene,
        options: Options,
        progress: Callable[[Progress], None] | None,
        started: Started,
        assemble: bool,
        keeping: Keeping,
    ) -> None:
        from impulse_core.simulation.engine import Engine
        from impulse_core.simulation.recorder import Recorder

        self.options = options
        self.progress = progress
        self.called = started.called
        self.behind = (0.0, 0)
        self._part = (0, 0)
        self._tell("loading", steps=0)
        with told_of_compiling(lambda: self._tell("compiling kernels", steps=0)):
            self.engine = Engine(compiled, options, assemble=assemble, on_part=self._begin_part)
        self._part = (0, 0)
        self.stop = StopFlag(self.engine.work.stop)
        self.recorder = Recorder(compiled, options, self.engine, started.kernels, keeping)
        self._ask: Callable[[float], None] | None = None
        self._restore: Callable[[], tuple[float, int]] | None = None
        self._after_segment: Callable[[], None] | None = None
        self.windows = compiled.load_windows
        elapsed = time.perf_counter() - self.called
        self.recorder.start_seconds = elapsed - self.engine.compile_seconds

    def let_control(self, control: Control) -> None:
        """Ask a controller for targets before each step."""
        from impulse_core.simulation.controllers import Controller

        self._ask = Controller(self.engine, control).ask

    def resume_by(self, restore: Callable[[], tuple[float, int]]) -> None:
        """Begin where ``restore`` leads, called at the start: it returns ``behind``."""
        self._restore = restore

    def after_segments(self, do: Callable[[], None]) -> None:
        """Call something between the calls of kernels, where the run could begin again."""
        self._after_segment = do

    def execute(self, signals: HeldSignals) -> Recording:
        """Follow the timeline to its end, a failure or Ctrl-C."""
        from impulse_core.simulation.recorder import FrameError

        self.signals = signals
        try:
            with self.stop, told_of_compiling(self._be_patient):
                self._start()
                for segment in self._segments():
                    self._deliver()
                    self._advance(segment)
                    self.behind = segment.end, segment.behind
                    if segment.frame_at_end:
                        self.recorder.add_frame(segment.end)
                    if self._after_segment is not None:
                        self._after_segment()
                    self._tell("simulating", self.engine.steps)
        except FrameError as error:
            event = {"time": error.time, "kind": "failure", "message": str(error)}
            raise self._failure(event) from None
        except MemoryError:
            t = self.behind[0]
            message = f"at t = {t:.6g} s there was no memory for more; make the scene smaller"
            event = {"time": t, "kind": "failure", "message": message}
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
        if self._restore is None:
            self.recorder.add_frame(0.0)
        else:
            self.recorder.begin()
            self.behind = self._restore()

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
        most = self._most_steps()
        return plan_timeline(o.duration, o.step, o.fps, switches, most, self.behind)

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
            self._look(
                segment.start, offset, partial(self.recorder.add_frame, segment.start + offset)
            )
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
        self.signals.is_patient = False
        self.signals.deliver()

    def _failure(self, event: dict[str, Any]) -> SimulationError:
        self.recorder.events.append(event)
        recording = self.recorder.recording(complete=False)
        self.recorder.end_file(recording)
        return SimulationError(event["message"], recording)

    def _begin_part(self, part: int, parts: int) -> None:
        self._part = part, parts

    def _be_patient(self) -> None:
        """Say that a step waits for a kernel, and let no signal interrupt that: the step would be
        torn.
        """
        self.signals.is_patient = True
        self._tell("compiling kernels", self.engine.steps)

    def _tell(self, stage: Stage, steps: int) -> None:
        if self.progress is not None:
            elapsed, duration = time.perf_counter() - self.called, self.options.duration
            self.progress(Progress(stage, self.behind[0], duration, steps, elapsed, *self._part))
