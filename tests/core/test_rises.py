"""A step in which the energy rises out of nowhere is divided, like one that does not converge."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core.compile import compile_scene
from impulse_core.methods.paper_runners import _readable
from impulse_core.methods.sle import _halving_step
from impulse_core.model import restore_state
from impulse_core.model.status import COMPLETED, ROSE
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_core.step.dividing import FINEST_PART, Plan
from impulse_schema.models import Body, Scene, Settings


def step_of(h: float, longest: float, factor: float, mass: float) -> tuple[bool, Engine]:
    """One step of a free body by a method that multiplies its velocity in stages longer than
    ``longest`` [s]; whether it was completed, and the engine after it.
    """
    body = Body(name="b", mass=mass, inertia=(1, 1, 1), velocity=(1, 2, 3))
    scene = Scene(version=1, settings=Settings(gravity=(0, 0, 0), step=h), bodies=[body])
    compiled = compile_scene(scene)
    engine = Engine(compiled, choose_options(compiled))

    def stage(model: Any, system: Any, state: Any, length: float, *_: Any) -> int:
        del model, system
        if length > longest:
            state.bodies["velocity"][0] *= factor
        state.clock["time"] += length
        return COMPLETED

    def save(state: Any, work: Any) -> None:
        restore_state(work.saved, state)

    def restore(model: Any, system: Any, state: Any, work: Any) -> None:
        del model, system
        restore_state(state, work.saved)

    plan = Plan(h, 1, -1, np.ones(1), np.inf)
    state, work, tally = (_readable(each) for each in (engine.state, engine.work, engine.tally))
    done = _halving_step(stage, save, restore, engine.model, None, state, plan, work, tally)
    return done, engine


@pytest.mark.parametrize("halves", [0, 1, 3])
def test_it_is_divided_until_nothing_rises(halves: int) -> None:
    """In parts of the length that helps; after each, the longest that may follow is tried again."""
    done, engine = step_of(0.01, 0.011 / 2**halves, 100.0, 2.0)

    assert done
    assert engine.tally.totals["halvings"][0] == 2**halves - 1
    np.testing.assert_array_equal(engine.state.bodies["velocity"][0], (1, 2, 3))
    assert engine.state.clock["time"][0] == pytest.approx(0.01, rel=1e-14)


@settings(max_examples=20, deadline=None)
@given(
    h=st.floats(1e-4, 0.1),
    part=st.floats(1e-5, 1.5),
    factor=st.floats(4.0, 1e6),
    mass=st.floats(1e-3, 1e3),
)
def test_what_no_division_helps_is_named(h: float, part: float, factor: float, mass: float) -> None:
    """Either the energy is what it was, or the step is given up with its state, its energy and the
    body that has most of it.
    """
    done, engine = step_of(h, part * h, factor, mass)

    failure = engine.tally.failure[0]
    np.testing.assert_array_equal(engine.state.bodies["velocity"][0], (1, 2, 3))
    assert done == (part * FINEST_PART >= 1.0)
    if not done:
        assert failure["what"] == ROSE
        assert failure["body"] == 0
        assert failure["energy"] == pytest.approx(7.0 * mass * (factor**2 - 1.0), rel=1e-9)
