"""Which runner takes the steps."""

from __future__ import annotations

from impulse_core.collision.shapes import Shapes
from impulse_core.methods.paper_runners import IterativeRunner, SleRunner, TimedIterativeRunner
from impulse_core.methods.runners import DirectRunner, ElementRunner, Runner, needs_elements
from impulse_core.model import Model, State, Structure, Workspace
from impulse_core.model.options import Options
from impulse_core.types import Floats

__all__ = ["choose_runner"]


def choose_runner(
    options: Options,
    fractions: Floats,
    model: Model,
    structure: Structure,
    work: Workspace,
    shapes: Shapes | None,
    state: State,
) -> Runner:
    """The runner of the solver that the options name; state is the one it will run."""
    if shapes is not None:
        from impulse_core.methods.contact_runner import ContactRunner  # loads kernels of contact

        return ContactRunner(options, fractions, model, structure, work, shapes, state)
    if options.solver == "iterative":
        kind = IterativeRunner if options.budget_ms is None else TimedIterativeRunner
        return kind(options, fractions, model, structure, work)
    if options.solver == "sle":
        return SleRunner(options, fractions, model, structure, work)
    if needs_elements(model):
        return ElementRunner(options, fractions, model, structure, work)
    return DirectRunner(options, fractions, model, structure, work)
