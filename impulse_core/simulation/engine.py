"""Owns the arrays of a run and calls the kernels on them."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np

from impulse_core.checkpoints import digest, model_digest, read_state, write_state
from impulse_core.compile import CompiledScene, SceneError
from impulse_core.jit import compiling
from impulse_core.jit.beside import compiled_beside
from impulse_core.jit.deferred import seconds_waited
from impulse_core.jit.kernel_cache import kernels_compiled
from impulse_core.methods.comparison import new_comparison_run
from impulse_core.methods.imp import stage_fractions
from impulse_core.methods.runner_choice import choose_runner
from impulse_core.methods.runners import needs_elements
from impulse_core.model import Model, State, copy_state, new_tally, new_workspace
from impulse_core.model.options import Options
from impulse_core.model.snapshot import Kept, Layout, Snapshot
from impulse_core.observables.invariants import observe
from impulse_core.observables.reactions import find_reactions
from impulse_core.simulation.call_times import CallTimes
from impulse_core.simulation.events import broken_joints, contact_events
from impulse_core.simulation.examining import Examiner
from impulse_core.simulation.failures import Attempt, energy_bounds, failure_event
from impulse_core.simulation.names import Names
from impulse_core.simulation.options import digest_of_step
from impulse_core.simulation.overlaps import Pairs, still_overlap
from impulse_core.simulation.start_problems import (
    changes_at_start,
    open_joint,
    overlap_problems,
    refuse_overconstraint,
)
from impulse_core.solver.layout import plan_structure
from impulse_core.step.axis_masses import weigh
from impulse_core.step.start import begin, begin_elements, pass_keyframes
from impulse_core.types import Ints

__all__ = ["Engine"]


class Engine:
    """State, workspace and tally of one simulation.

    Attributes:
        compile_seconds: Time spent on getting compiled kernels, from the cache or anew [s].
        start: What the start state needed: joint error before and after [m], largest shift [m]
            and turn [rad] of a body, largest change of a body's velocity [m/s]; where joints were
            open, the shift and turn of every body; how deep bodies overlapped [m], if they did.
        times: How long the steps took.
        completed: Steps that the last call of ``advance`` completed.
    """

    _overlapped: Pairs = ()  # at the start, where they are to be pushed apart

    def __init__(
        self,
        compiled: CompiledScene,
        options: Options,
        *,
        assemble: bool = False,
        on_part: Callable[[int, int], None] = lambda _part, _parts: None,
        state: State | None = None,  # where to hold it, at the start
    ) -> None:
        known = kernels_compiled()
        self.compiled = compiled
        self.names = Names(compiled)
        model = compiled.model
        self.structure = plan_structure(model)
        self.state = copy_state(compiled.state) if state is None else state
        self.work = new_workspace(model, self.structure, self.state)
        self.tally = new_tally(len(model.joints))
        self.tally.failure["body"] = -1
        totals = self.tally.totals[0]
        totals["noise"], totals["fall"] = energy_bounds(model, options)
        self.events: list[dict[str, Any]] = []
        self._noted_breaks = 0
        self.options = options
        self.tolerance = options.tolerance
        self.comparison = new_comparison_run(
            options.method,
            options.step,
            options.tolerance,
            model,
            self.structure,
            self.state,
            self.work,
            self.tally,
        )
        self.fractions = (
            self.comparison.fractions if self.comparison else stage_fractions(options.method)
        )
        self.runner = choose_runner(
            options,
            self.fractions,
            model,
            self.structure,
            self.work,
            compiled.shapes,
            self.state,
        )
        self.times = CallTimes()
        self._known_layout: Layout | None = None
        self.completed = 0
        self.compile_seconds = 0.0
        with compiled_beside(lambda: self.runner.calls_of_step(self.state, self.tally)):
            parts = self._load_kernels(on_part)
            self.start = self._make_consistent()
            if self.comparison:
                self.comparison.start()
            if compiled.shapes is not None:
                self._check_overlaps(options.step, assemble)
            if kernels_compiled() > known:  # those that a step calls are missing too
                on_part(parts, parts)
                self.peek(options.step, lambda: None)

    @property
    def model(self) -> Model:
        """The machine, without joints that have broken."""
        return self.runner.model

    @property
    def steps(self) -> int:
        """Completed steps."""
        return int(self.tally.totals["steps"][0])

    @property
    def interrupted(self) -> bool:
        """Whether a signal ends calls before their steps are done; the next goes on from there."""
        return bool(self.work.stop[0])

    def _load_kernels(self, on_part: Callable[[int, int], None]) -> int:
        """Call what Python calls once on scratch; how many parts that and a first step make."""
        began = time.perf_counter()
        calls = self._kernel_calls(copy_state(self.state))
        with compiling():
            for part, call in enumerate(calls, 1):
                on_part(part, len(calls) + 1)
                call()
        self.compile_seconds = time.perf_counter() - began
        return len(calls) + 1

    def _kernel_calls(self, state: State) -> list[Callable[[], Any]]:
        """What needs every kernel that Python calls in this run, each another part of them."""
        model, structure, work, tally = self.model, self.structure, self.work, self.tally
        calls: list[Callable[[], Any]] = [
            lambda: begin(model, structure, state, self.tolerance, work, tally),
            lambda: self.advance(1.0, 0),
        ]
        if len(state.kinematic):
            calls.append(lambda: self._pass_keyframes(state, 0.0))
        if needs_elements(model):
            calls.append(lambda: self._begin_elements(state))
        if self.compiled.shapes is not None:
            calls.append(lambda: weigh(model, structure, state, work))
        calls.append(lambda: observe(model, state, work))
        loads = np.zeros((len(model.bodies), 6))
        calls.append(lambda: find_reactions(model, structure, state, loads, work))
        return calls

    def _begin_elements(self, state: State) -> None:
        if needs_elements(self.model):
            begin_elements(self.model, state, self.work, self.tally)

    def _make_consistent(self) -> dict[str, Any]:
        """Close the joints, then correct the velocities once, and say what that changed."""
        given = copy_state(self.state)
        before, after, joint = begin(
            self.model, self.structure, self.state, self.tolerance, self.work, self.tally
        )
        if self.compiled.shapes is not None:
            weigh(self.model, self.structure, self.state, self.work)
        self._begin_elements(self.state)
        if not (after <= self.tolerance):
            raise SceneError([open_joint(self.compiled.scene, self.names, int(joint), after)])
        refuse_overconstraint(self.compiled, self.structure, self.state)
        return changes_at_start(self.compiled, given, self.state, (before, after), self.tolerance)

    def _check_overlaps(self, step: float, assemble: bool) -> None:
        """Raise for bodies that overlap at the start, unless they are to be pushed apart."""
        self.work.stop[0] = 1  # where contacts have been found: none is solved for
        self.peek(1e-3 * step, lambda: None)
        self.work.stop[0] = 0
        overlaps = self.runner.overlaps()
        if overlaps and not assemble:
            raise SceneError(overlap_problems(self.compiled.scene, overlaps))
        if overlaps:  # to push them apart lifts them, which nothing else explains
            self.tally.totals["noise"] = self.tally.totals["fall"] = math.inf
            self.start["overlap_m"] = max(depth for *_, depth in overlaps)
            self._overlapped = overlaps

    def overlapping(self, share: float) -> list[tuple[str, str, float]]:
        """Bodies that have overlapped since the start (``still_overlap``)."""
        now = self.runner.overlaps() if self._overlapped else []
        return still_overlap(self._overlapped, now, self.compiled.body_names, share)

    def start_segment(self, time: float, active: Ints) -> None:
        """Set the time [s] and choose the loads that act from now on."""
        self.state.clock["time"] = time
        self.state.loads["active"] = active

    def advance(self, length: float, count: int, grid: int = -1) -> bool:
        """Take steps, the first being number ``grid`` of the grid unless that is negative.

        Returns False if one failed or a signal ended the call, with the state before that.
        """
        began = time.perf_counter() - self.compile_seconds
        done = self.completed = self._run(length, count, grid)
        if done:
            self.times.add((time.perf_counter() - self.compile_seconds - began) / done, done)
        broken = broken_joints(self.tally, self.names, self._noted_breaks)
        self._noted_breaks += len(broken)
        touched = contact_events(self.runner, self.compiled.body_names)
        # in the same order however the steps are shared out to calls
        self.events += sorted([*broken, *touched], key=itemgetter("time"))
        return done == count

    def peek(self, length: float, look: Callable[[], None]) -> bool:
        """Call ``look`` with the state a step of ``length`` ahead, then return to the present."""
        self.runner.peeking, self.completed = True, 0
        points = self.runner.points()
        try:
            reached = self._run(length, 1, returns=True) == 1
            if reached:
                look()
        finally:
            self._return()
            self.runner.put_points(points)
            self.runner.peeking = False
        return reached

    def find_reactions(self) -> None:
        """Reactions of all joints at the present state, into the workspace."""
        acting = self.acting_contacts()
        loads = np.zeros((len(self.state.bodies), 6)) if acting is None else acting.loads()
        find_reactions(self.model, self.structure, self.state, loads, self.work)
        if self.comparison:  # which factorises with pivots of its own
            self.work.fits[0] = 0.0

    def acting_contacts(self) -> Any:
        """Copy of the contacts of the last step with bodies that joints hold, or of the next where
        there was none: at the start, or at a moment that was restored. None without contacts.
        """
        found = self.runner.contact_copy(self.state, jointed=True)
        later = [found]
        if found is not None and not found.step and len(self.model.joints):
            self.peek(
                self.options.step,
                lambda: later.append(self.runner.contact_copy(self.state, jointed=True)),
            )
        return later[-1]

    def snapshot(self) -> Snapshot:
        """A copy of all that the next step and the report depend on."""
        return self._layout().take()

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot of this simulation. ``events`` keeps what was told so far."""
        self._make_room_for(snapshot.used)
        self._layout().restore(snapshot)
        self._take_up()

    def digest(self) -> str:
        """SHA-256 of every number that the next step reads."""
        arrays = self._layout().arrays().items()
        return digest({name: array for name, array in arrays if not name.startswith("tally.")})

    def save(self, path: str | os.PathLike[str], note: bytes = b"") -> None:
        """Write the state to a file, from which ``load`` goes on, in any process, with a note.

        Raises:
            StateFileError: The file cannot be written.
        """
        arrays = self._layout().arrays() | {"note": np.frombuffer(note, np.uint8)}
        write_state(path, arrays, model_digest=self._machine, options_digest=self._options)

    def load(self, path: str | os.PathLike[str]) -> bytes:
        """Go on from a state that ``save`` wrote for the same scene and options; the note.

        Raises:
            StateFileError: The file is damaged, of a newer version, of another scene or other
                options, or holds other quantities than this release.
        """
        kept = self._layout().kept
        saved = read_state(
            path,
            model_digest=self._machine,
            options_digest=self._options,
            expected={name: array.dtype for name, (array, _) in kept.items()}
            | {"note": np.dtype(np.uint8)},
        )
        self._make_room_for(
            {name: len(saved[name]) for name, (_, used) in kept.items() if used is not None}
        )
        for name, (array, _) in self._layout().kept.items():
            array[: len(saved[name])] = saved[name]
        self._take_up()
        return saved["note"].tobytes()

    @cached_property
    def examiner(self) -> Examiner:
        """Finds what takes long from copies of the state."""
        return Examiner(self.compiled, self.structure)

    @cached_property
    def _machine(self) -> str:
        """Digest of what is constant of the machine and its shapes."""
        return model_digest((self.compiled.model, self.compiled.shapes))

    @cached_property
    def _options(self) -> str:
        """Digest of the options on which a step depends."""
        return digest_of_step(self.options)

    def _run(self, length: float, count: int, grid: int = -1, *, returns: bool = False) -> int:
        """Take steps, from which ``_return`` leads back if that is wanted; returns how many were
        completed. Where room runs out they are tried again from their start.
        """
        while True:
            if returns or self.runner.may_lack_room:
                self._present = self.snapshot()
            waited = seconds_waited()
            done = self._take_steps(length, count, grid)
            self.compile_seconds += seconds_waited() - waited
            wanted = self.runner.room_wanted()
            if wanted is None:
                return done
            self._return()
            self.runner.make_room(wanted)
            self._known_layout = None

    def _return(self) -> None:
        """Return to where the last call of ``_run`` began."""
        self._layout().restore(self._present)
        self.runner.take_up(self.state)

    def _take_up(self) -> None:
        """Go on from a state that was replaced."""
        self._noted_breaks = int(self.tally.totals["broken"][0])
        self.runner.take_up(self.state)

    def _make_room_for(self, used: Mapping[str, int]) -> None:
        contacts = "contacts."
        own = {k.removeprefix(contacts): n for k, n in used.items() if k.startswith(contacts)}
        if own:
            self.runner.make_room_for(own)
            self._known_layout = None

    def _layout(self) -> Layout:
        """All arrays that the next step or the report depends on. What the tally says of a failure
        is not among them, so that a look that fails can be told of.
        """
        if self._known_layout is None:
            kept = {f"state.{name}": Kept(array) for name, array in self.state._asdict().items()}
            kept["tally.totals"] = Kept(self.tally.totals)
            kept["tally.broken"] = Kept(self.tally.broken)
            kept |= {f"contacts.{name}": array for name, array in self.runner.kept().items()}
            if self.comparison:
                own = self.comparison.kept().items()
                kept |= {f"method.{name}": Kept(array) for name, array in own}
            self._known_layout = Layout(kept)
        return self._known_layout

    def _take_steps(self, length: float, count: int, grid: int) -> int:
        if self.comparison:
            return self.comparison.advance(length, count, grid)
        if count:
            self._pass_keyframes(self.state, length)
        return self.runner.run(self.state, length, count, grid, self.tally)

    def _pass_keyframes(self, state: State, length: float) -> None:
        """Prepare kinematic bodies for steps of ``length``, between which there is no keyframe."""
        if len(state.kinematic):
            pass_keyframes(self.model, self.structure, state, length, self.work, self.tally)

    def failure(self, start: float, length: float) -> dict[str, Any]:
        """The event that names time, joint and bodies of the step that did not converge."""
        into = float(self.tally.failure["begin"][0])
        attempt = Attempt(
            self.compiled,
            self.names,
            self.model,
            self.state,
            self.work,
            self.tally.failure[0],
            self.tolerance,
            self.comparison,
            self.overlapping(0.0),
        )
        return failure_event(attempt, start + self.completed * length + into)
