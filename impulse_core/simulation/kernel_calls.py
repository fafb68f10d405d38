"""Calls that need the kernels of a run, to get them before its first step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from impulse_core.methods.runners import DirectRunner, needs_elements
from impulse_core.model import State
from impulse_core.observables.invariants import observe
from impulse_core.observables.reactions import find_reactions
from impulse_core.step.run import calls_of_step
from impulse_core.step.start import begin

if TYPE_CHECKING:
    from impulse_core.simulation.engine import Engine

__all__ = ["calls_of_runner", "starting_calls"]


def starting_calls(engine: Engine, state: State) -> list[Callable[[], Any]]:
    """What needs every kernel that Python calls in a run, on a copy of the state."""
    model, structure, work, tally = engine.model, engine.structure, engine.work, engine.tally
    calls: list[Callable[[], Any]] = [
        lambda: begin(model, structure, state, engine.tolerance, work, tally),
        lambda: engine.advance(1.0, 0),
    ]
    if len(state.kinematic):
        calls.append(lambda: engine.pass_keyframes(state, 0.0))
    if needs_elements(model):
        calls.append(lambda: engine.begin_elements(state))
    calls.append(lambda: observe(model, state, work))
    calls.append(lambda: find_reactions(model, structure, state, work))
    return calls


def calls_of_runner(engine: Engine) -> list[tuple[Any, tuple[Any, ...]]]:
    """Kernels that steps call, each with arguments of the types with which they do."""
    if engine.comparison or not isinstance(engine.runner, DirectRunner):
        return []
    system = engine.runner.system
    return calls_of_step(engine.model, system, engine.state, engine.work, engine.tally)
