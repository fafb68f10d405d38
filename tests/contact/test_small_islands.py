"""Small islands of free bodies are settled by themselves: nothing of one depends on another."""

from __future__ import annotations

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_core.contact.islands import OTHERS, SMALL
from impulse_core.contact.newton_work import MOST_BODIES
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Keyframe
from tests.contact.scenes import box, cube, drawn_pile, scene

APART = 5.0  # m, of piles that never touch


def started(made: Scene, step: float, **chosen) -> Engine:
    compiled = compile_scene(made)
    engine = Engine(compiled, choose_options(compiled, step=step, tolerance=1e-6, **chosen))
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    return engine


def after(made: Scene, step: float, most: int) -> tuple[int, dict[str, bytes]]:
    """State of each body after so many steps, or before one that is divided, or begun again with
    points that were missed, which all are; how many.
    """
    engine = started(made, step)
    names = [body.name for body in made.bodies if body.motion == "dynamic"]
    for taken in range(most):
        before = engine.state.bodies.copy()
        assert engine.advance(step, 1, taken)
        if engine.tally.totals["halvings"][0] > 0 or engine.runner.setup.again[0]:
            return taken, {name: before[i].tobytes() for i, name in enumerate(names)}
    return most, {name: engine.state.bodies[i].tobytes() for i, name in enumerate(names)}


@pytest.mark.parametrize("seed", range(8))
def test_piles_move_as_they_do_alone(seed):
    """To the last bit, while they land and while they rest."""
    random = np.random.default_rng(seed)
    step = float(random.choice([0.002, 0.004, 0.005, 0.01]))
    piles = [drawn_pile(f"{k}", (APART * k, 0.0), random, 0.0) for k in range(6)]
    together = scene(*(body for pile in piles for body in pile))
    steps, states = after(together, step, round(0.5 / step))
    assert steps * step > 0.08  # all have landed: they fall by 2 cm
    for pile in piles:
        assert after(scene(*pile), step, steps) == (
            steps,
            {body.name: states[body.name] for body in pile},
        )


@pytest.mark.parametrize("height", [MOST_BODIES, MOST_BODIES + 1])
def test_small_is_what_newton_has_room_for(height):
    """A tower of one more body is settled with all others."""
    engine = started(scene(*(cube(f"{k}", 0.5 + k) for k in range(height))), 0.005)
    assert engine.advance(0.005, 5, 0)  # before it naps
    counted = engine.runner.setup.solver_bodies.counted
    small = height <= MOST_BODIES
    assert (counted[SMALL], counted[OTHERS] > 0) == ((1, False) if small else (0, True))


@pytest.mark.parametrize("seed", range(3))
def test_work_of_what_lifts_many(seed):
    """A platform that rises with loads of their own islands does the work m g H on each."""
    random = np.random.default_rng(seed)
    masses = 30.0 ** random.uniform(size=7)
    loads = [box(f"{k}", (1.5 * k, 0.0, 0.55), float(m)) for k, m in enumerate(masses)]
    for load in loads:
        load.velocity = (0.0, 0.0, 1.0)
    platform = Body(
        name="platform",
        motion="kinematic",
        geometry=[Geometry(shape="box", size=(14.0, 2.0, 0.1))],
        keyframes=[Keyframe(time=t, position=(4.5, 0.0, t)) for t in (0.0, 0.5, 1.0)],
    )
    made = scene(*loads, platform, duration=1.0)
    energy = ic.simulate(made, step=0.005).diagnostics["energy_j"]
    wanted = 9.81 * masses.sum()
    assert energy["work_of_kinematic_bodies"] == pytest.approx(wanted, rel=1e-3)
    assert abs(energy["unexplained"]) < 1e-9 * wanted
