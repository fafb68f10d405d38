"""Runners of the solvers of the papers: a system over joints, and one joint after another."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from impulse_core.methods.runners import Memoryless
from impulse_core.model import (
    State,
    Tally,
    copy_state,
    new_tally,
    restore_state,
)
from impulse_core.step.dividing import Plan

__all__ = ["IterativeRunner", "SleRunner", "TimedIterativeRunner"]


class SleRunner(Memoryless):
    """The system of linear equations over joints, driven from Python."""

    seconds_per_row = 5e-5
    most_steps = 2**31

    def set_up(self) -> None:
        from impulse_core.methods.sle import JointSystems

        self.systems = JointSystems(self.model)

    def run(self, state: State, length: float, count: int, grid: int, tally: Tally) -> int:
        from impulse_core.methods.sle import load_kernels, prepare, take_step

        model, systems = self.model, self.systems
        state, work, tally = _readable(state), _readable(self.work), _readable(tally)
        if not count:
            load_kernels(model, systems, _readable(copy_state(state)), work, _readable(new_tally()))
        elif work.fits[0] != 1.0:
            prepare(model, systems, state, work)
            work.fits[0] = 1.0
        plan = Plan(length, count, grid, self.fractions, self.options.tolerance)
        for done in range(count):
            start = copy_state(state)
            if grid >= 0 and state.clock[0].progress == 0:
                state.clock[0].time = (grid + done) * length
            try:
                completed = take_step(model, systems, state, plan, work, tally)
            except KeyboardInterrupt:  # in the middle of a step, unlike in a kernel
                restore_state(state, start)
                work.fits[0] = 0.0
                raise
            if not completed:
                return done
        return count


def _readable(arrays: Any) -> Any:
    """The same arrays, of whose records Python can read and write the fields as kernels do."""
    if isinstance(arrays, tuple):
        return type(arrays)(*(_readable(array) for array in arrays))
    return arrays.view(np.recarray) if arrays.dtype.names else arrays


class IterativeRunner(Memoryless):
    """The iterative solver, with or without a limit of corrections in each step."""

    seconds_per_row = 5e-5
    most_steps = 2**31

    def set_up(self) -> None:
        from impulse_core.methods.joint_rounds import new_sweeps

        self.sweeps = new_sweeps(self.model, self.structure)
        if self.options.budget_corrections is not None:
            self.sweeps.limit[0] = self.options.budget_corrections

    def run(self, state: State, length: float, count: int, grid: int, tally: Tally) -> int:
        return self._run(state, length, count, grid, tally, self.options.tolerance)

    def _run(
        self,
        state: State,
        length: float,
        count: int,
        grid: int,
        tally: Tally,
        tolerance: float,
    ) -> int:
        from impulse_core.methods.iterative import run_steps_in_turn

        plan = Plan(length, count, grid, self.fractions, tolerance)
        return int(run_steps_in_turn(self.model, self.sweeps, state, plan, self.work, tally))


class TimedIterativeRunner(IterativeRunner):
    """The iterative solver with a limit of time for each step.

    Kernels cannot read a clock, so the limit is one of corrections, as many as fit by what steps
    and corrections have cost so far.
    """

    most_steps = 1
    _TRIAL = 10  # times the corrections that a step makes at least, to be timed at the start
    _RECENT = 0.1  # weight of the last step in the cost of a correction
    _WORTH_TIMING = 50  # corrections a step must make to say what one costs

    def set_up(self) -> None:
        super().set_up()
        self._seconds_per_step = 0.0
        self._seconds_per_correction = 0.0

    def run(self, state: State, length: float, count: int, grid: int, tally: Tally) -> int:
        if count and not self._seconds_per_correction:
            self._calibrate(state, length)
            self.work.fits[0] = 0.0
        for done in range(count):
            self.sweeps.limit[0] = self._affordable()
            before = int(tally.totals["impulses"][0])
            began = time.perf_counter()
            number = grid + done if grid >= 0 else -1
            if not self._run(state, length, 1, number, tally, self.options.tolerance):
                return done
            self._learn(time.perf_counter() - began, int(tally.totals["impulses"][0]) - before)
        return count

    def _affordable(self) -> int:
        assert self.options.budget_ms is not None
        spare = 1e-3 * self.options.budget_ms - self._seconds_per_step
        return max(0, int(spare / self._seconds_per_correction))

    def _calibrate(self, state: State, length: float) -> None:
        """Time steps of a copy that make as few corrections as possible, and many."""
        few, seconds = self._trial(state, length, 1)
        many, longer = self._trial(state, length, self._TRIAL * few)
        self._seconds_per_correction = max(longer - seconds, 1e-9) / max(many - few, 1)
        self._seconds_per_step = max(seconds - few * self._seconds_per_correction, 0.0)

    def _trial(self, state: State, length: float, limit: int) -> tuple[int, float]:
        """Corrections and least time [s] of a step that is never accurate enough."""
        self.sweeps.limit[0] = limit
        times = []
        for _ in range(3):
            tally, copy = new_tally(), copy_state(state)
            began = time.perf_counter()
            self.work.fits[0] = 0.0
            self._run(copy, length, 1, -1, tally, 0.0)
            times.append(time.perf_counter() - began)
        return int(tally.totals["impulses"][0]), min(times)

    def _learn(self, seconds: float, corrections: int) -> None:
        if corrections >= self._WORTH_TIMING:
            cost = max(seconds - self._seconds_per_step, 0.0) / corrections
            known = self._seconds_per_correction
            self._seconds_per_correction = known + self._RECENT * (cost - known)
