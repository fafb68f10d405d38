"""Owns the arrays of a run and calls the kernels on them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from impulse_core.assembly import moves
from impulse_core.compile import CompiledScene, Problem, SceneError
from impulse_core.compile.problems import BAD_JOINT, problem_at
from impulse_core.integrators.comparison import new_comparison_run
from impulse_core.integrators.imp import stage_fractions
from impulse_core.invariants import new_tally, observe
from impulse_core.model import Floats, Ints, copy_state, new_workspace, put_state
from impulse_core.options import Options
from impulse_core.runners import choose_runner
from impulse_core.solver.ordering import plan_structure
from impulse_core.step import FINEST_PART, begin

__all__ = ["Stepper"]


class Stepper:
    """State, workspace and tally of one simulation.

    Attributes:
        compile_seconds: Time spent on getting compiled kernels, from the cache or anew [s].
        start: What the start state needed: joint error before and after [m], largest shift [m]
            and turn [rad] of a body, largest change of a body's velocity [m/s]; where joints were
            open, the shift and turn of every body.
        call_seconds: Wall time per step of every kernel call [s], with its number of steps.
    """

    def __init__(self, compiled: CompiledScene, options: Options) -> None:
        self.compiled = compiled
        self.model = compiled.model
        self.structure = plan_structure(self.model)
        self.state = copy_state(compiled.state)
        self.work = new_workspace(self.model, self.structure, self.state)
        self.tally = new_tally()
        self.tolerance = options.tolerance
        self.comparison = new_comparison_run(
            options.method,
            options.step,
            options.tolerance,
            self.model,
            self.structure,
            self.state,
            self.work,
            self.tally,
        )
        self.fractions = (
            self.comparison.fractions if self.comparison else stage_fractions(options.method)
        )
        self.runner = choose_runner(options, self.fractions, self.model, self.structure, self.work)
        self.call_seconds: list[tuple[float, int]] = []
        self._put_back = False
        self._completed = 0
        self.compile_seconds = self._load_kernels()
        self.start = self._make_consistent()
        if self.comparison:
            self.comparison.start()

    @property
    def steps(self) -> int:
        """Completed steps."""
        return int(self.tally.steps[0])

    def _load_kernels(self) -> float:
        """Call every kernel once on scratch, so that no compilation is timed as a step [s]."""
        began = time.perf_counter()
        state = copy_state(self.state)
        begin(self.model, self.structure, state, self.tolerance, self.work, self.tally)
        self.advance(1.0, 0)
        observe(self.model, state, self.work)
        return time.perf_counter() - began

    def _make_consistent(self) -> dict[str, Any]:
        """Close the joints, then correct the velocities once, and say what that changed."""
        given = copy_state(self.state)
        before, after, joint = begin(
            self.model, self.structure, self.state, self.tolerance, self.work, self.tally
        )
        if not (after <= self.tolerance):
            raise SceneError([self._cannot_assemble(int(joint), after)])
        shift, turn = moves(given, self.state)
        change = np.linalg.norm(self.state.velocity - given.velocity, axis=1).max()
        return {
            "joint_error_before_m": before,
            "joint_error_after_m": after,
            "max_shift_m": float(shift.max()),
            "max_turn_rad": float(turn.max()),
            "max_velocity_change_m_s": float(change),
            "moved_bodies": self._moved(shift, turn) if before > self.tolerance else {},
        }

    def _moved(self, shift: Floats, turn: Floats) -> dict[str, dict[str, float]]:
        """How far closing the joints moved each body [m] and turned it [rad]."""
        rows = zip(self.compiled.body_names, self.compiled.body_row, strict=True)
        return {
            name: {"shift_m": float(shift[row]), "turn_rad": float(turn[row])}
            for name, row in rows
            if row < len(shift) - 1
        }

    def _cannot_assemble(self, j: int, error: float) -> Problem:
        joint = self.compiled.scene.joints[j]
        return problem_at(
            self.compiled.scene,
            ("joints", j),
            BAD_JOINT,
            f"joint '{self.compiled.joint_names[j]}' between '{joint.body1}' and '{joint.body2}'"
            f" stays {error:.3g} m apart however the bodies are moved: the joints contradict each"
            " other, or a part cannot reach",
            "Move the bodies nearer to a pose that fits, or correct the joints",
        )

    def start_segment(self, time: float, active: Ints) -> None:
        """Set the time [s] and choose the loads that act from now on."""
        self.state.time[0] = time
        self.work.load_active[:] = active

    def advance(self, length: float, count: int, grid: int = -1) -> bool:
        """Take steps, the first being number ``grid`` of the grid unless that is negative.

        Returns False if one failed, with the state before the failure.
        """
        began = time.perf_counter()
        done = self._completed = self._run(length, count, grid)
        if done:
            self.call_seconds.append(((time.perf_counter() - began) / done, done))
        return done == count

    def peek(self, length: float, look: Callable[[], None]) -> bool:
        """Call ``look`` with the state a step of ``length`` ahead, then return to the present."""
        present = copy_state(self.state)
        totals = [field.copy() for field in self.tally]
        reached = self._run(length, 1) == 1
        if reached:
            look()
            for field, total in zip(self.tally, totals, strict=True):
                field[:] = total
            put_state(self.state, present)
            self._put_back = True
        return reached

    def _run(self, length: float, count: int, grid: int = -1) -> int:
        if self.comparison:
            put_back, self._put_back = self._put_back, False
            return self.comparison.advance(length, count, put_back)
        done = self.runner.run(self.state, length, count, grid, self._put_back, self.tally)
        self._put_back = False
        return done

    def failure(self, start: float, length: float) -> dict[str, Any]:
        """The event that names time, joint and bodies of the step that did not converge."""
        joint = self.compiled.scene.joints[int(self.tally.failed_joint[0])]
        name = self.compiled.joint_names[int(self.tally.failed_joint[0])]
        failed_at = start + self._completed * length + float(self.tally.failed_time[0])
        error = float(self.tally.failed_error[0])
        what = (
            self.comparison.failure(error)
            if self.comparison
            else f"could not be satisfied to {self.tolerance:.3g} m (it stays {error:.3g} m apart),"
            f" even with steps of {length / FINEST_PART:.3g} s; use a smaller step, or see whether"
            " a body turns extremely fast"
        )
        message = (
            f"at t = {failed_at:.6g} s joint '{name}' between '{joint.body1}' and '{joint.body2}'"
            f" {what}"
        )
        return {
            "time": failed_at,
            "kind": "failure",
            "joint": name,
            "body1": joint.body1,
            "body2": joint.body2,
            "message": message,
        }
