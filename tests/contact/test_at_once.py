"""Islands of machines that Newton's method solves straight from the impulses they begin with."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core.contact.newton import SOLVED
from impulse_schema import Scene
from impulse_schema.models import Joint
from tests.contact.scenes import cube, scene
from tests.contact.test_islands import (
    after_steps,
    disturbed_residuals,
    find_blocks,
    improve,
    jointed_stack,
    list_island,
    residual,
    velocities,
    within_cones,
)

ACCURACY = 1e-9  # m/s, of improve


def table(legs: int, height: float, mass: float) -> Scene:
    """A top on legs that hinges hold, each with four corners on the ground."""
    bodies = [cube(f"leg-{k}", position=(1.5 * k, 0.0, 0.5)) for k in range(legs)]
    bodies.append(cube("top", position=(0.0, 0.0, 1.0 + height)))
    for body in bodies:
        body.mass = mass
    hinges = [
        Joint(
            name=f"hinge-{k}",
            type="hinge",
            body1="top",
            body2=f"leg-{k}",
            anchor=(1.5 * k, 0.0, 1.0),
            axis=(0.0, 1.0, 0.0),
        )
        for k in range(legs)
    ]
    return scene(*bodies).model_copy(update={"joints": hinges})


@settings(max_examples=25)
@given(
    legs=st.integers(1, 3),
    mass=st.floats(0.1, 100.0),
    step=st.sampled_from([0.002, 0.005, 0.01]),
    size=st.floats(1e-6, 0.03),
    seed=st.integers(0, 2**32 - 1),
)
def test_what_sticks_is_solved_at_once(legs, mass, step, size, seed):
    """Impulses are off by part of what presses the feet down, and nothing slides or lifts."""
    setup = after_steps(table(legs, 1.0, mass), 3, step)
    contacts, solver_bodies, delassus = setup.contacts, setup.solver_bodies, setup.delassus
    work = setup.own.newton
    island = int(np.argmax(solver_bodies.mark["number"]))
    n, _, _ = list_island(contacts, solver_bodies, delassus, work, island)
    rows = work.mark["contact"][:n].copy()
    find_blocks(contacts, solver_bodies, delassus, island)
    contacts.row["offset"][rows] = 0.0
    improve(contacts, solver_bodies, delassus, work, island, False)  # for the Delassus operator
    W = work.delassus[: 3 * n, : 3 * n].copy()
    normal = contacts.row["normal"][rows]
    solution = normal * mass * 9.81 * step
    off = np.random.default_rng(seed).uniform(-size, size, (n, 3)) * mass * 9.81 * step / 4.0
    contacts.row["impulse"][rows] = solution + off
    contacts.row["offset"][rows] = 0.0
    still = velocities(contacts, solver_bodies, delassus, rows)
    contacts.row["offset"][rows] = (W @ off.ravel()).reshape(n, 3) - still
    u = velocities(contacts, solver_bodies, delassus, rows)

    result, _ = improve(contacts, solver_bodies, delassus, work, island, True)

    p = contacts.row["impulse"][rows]
    u = u + (W @ (p - solution - off).ravel()).reshape(n, 3)
    assert result == SOLVED
    assert within_cones(contacts, rows, p)
    assert residual(contacts, rows, p, u) <= ACCURACY


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("scale", [1e-7, 1e-5, 1e-3, 1e-1, 1.0])
@pytest.mark.parametrize("step", [0.01, 0.003])
def test_what_is_not_is_left_as_it_was(scale, step, seed):
    """Corners ask for velocities that contradict each other. The sweeps that follow begin with the
    impulses that the velocities belong to.
    """
    before, after = disturbed_residuals(jointed_stack(), step, scale, seed, at_once=True)
    assert after in (before, 0.0) or after <= ACCURACY
