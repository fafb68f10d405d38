"""Islands of machines that Newton's method solves straight from the impulses they begin with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core.contact.newton import SOLVED
from impulse_schema import Scene
from impulse_schema.models import Joint
from tests.contact.scenes import ball, cube, scene
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

ACCURACY = 1e-9  # m/s, of improve, at once
PULL = 3e-4  # of the weight, what a foot is pulled by along its hinge
LITTLE = 2e-8  # m/s, what contacts may contradict each other by


def table(legs: int, mass: float, round_feet: bool) -> Scene:
    """A top that hinges hold on legs, each with four corners on the ground, or with one point."""
    leg = ball if round_feet else cube
    bodies = [leg(f"leg-{k}", position=(1.5 * k, 0.0, 0.5)) for k in range(legs)]
    bodies.append(cube("top", position=(0.0, 0.0, 2.0)))
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


class Attempt(NamedTuple):
    """At an island."""

    result: int
    """SOLVED, or else."""
    given: float
    """How its laws are broken before [m/s]."""
    left: float
    """The same after it."""
    changed: bool
    """Whether any impulse was."""


def attempt(
    legs: int,
    mass: float,
    step: float,
    off: float,
    seed: int,
    contradiction: float = 0.0,
    slides: float = 0.0,
) -> Attempt:
    """At a table whose feet bear more than its weight and stick, from impulses that are off by a
    part of that, where corners ask for velocities that contradict each other [m/s]. A foot seems to
    stick, and would have to bear more than its friction to do so, which lies between at that part.
    """
    setup = after_steps(table(legs, mass, slides > 0.0), 3, step)
    contacts, solver_bodies, delassus = setup.contacts, setup.solver_bodies, setup.delassus
    work, random = setup.own.newton, np.random.default_rng(seed)
    island = int(np.argmax(solver_bodies.mark["number"]))
    n, _, _ = list_island(contacts, solver_bodies, delassus, work, island)
    rows = work.mark["contact"][:n].copy()
    find_blocks(contacts, solver_bodies, delassus, island)
    contacts.row["offset"][rows] = 0.0
    improve(contacts, solver_bodies, delassus, work, island, False)  # for the Delassus operator
    W = work.delassus[: 3 * n, : 3 * n].copy()
    most = mass * 9.81 * step
    wrong = random.uniform(-off, off, (n, 3)) * most / 4.0
    given = contacts.row["normal"][rows] * most + wrong
    still = velocities(contacts, solver_bodies, delassus, rows)
    asked = random.uniform(-contradiction, contradiction, (n, 3))
    pulled = np.zeros((n, 3))
    foot = random.integers(n)
    if slides:
        pulled[foot, 1] = random.choice([-1.0, 1.0]) * PULL * most
    contacts.row["impulse"][rows] = given
    contacts.row["offset"][rows] = (W @ (wrong - pulled).ravel()).reshape(n, 3) - still + asked
    u = velocities(contacts, solver_bodies, delassus, rows)
    if slides:
        w = np.trace(contacts.row["block"][rows[foot]].reshape(3, 3)) / 3.0
        seems = np.linalg.norm((given[foot] - u[foot] / w)[:2]) / most
        assert seems < PULL
        contacts.row["friction"][rows[foot]] = seems + slides * (PULL - seems)

    result, _ = improve(contacts, solver_bodies, delassus, work, island, True)

    p = contacts.row["impulse"][rows]
    assert within_cones(contacts, rows, p)
    after = u + (W @ (p - given).ravel()).reshape(n, 3)
    before, left = residual(contacts, rows, given, u), residual(contacts, rows, p, after)
    return Attempt(result, before, left, bool((p != given).any()))


def enough(found: Attempt) -> float:
    """What may be left [m/s]: where little was given, as at rest, no more than without
    contradictions.
    """
    return max(ACCURACY, min(LITTLE, 1e-3 * found.given)) * (1.0 + 1e-6)


tables = {
    "legs": st.integers(1, 3),
    "mass": st.floats(0.1, 100.0),
    "step": st.sampled_from([0.002, 0.005, 0.01]),
    "seed": st.integers(0, 2**32 - 1),
}


@settings(max_examples=25)
@given(off=st.floats(1e-6, 0.03), **tables)
def test_what_sticks_is_solved_at_once(off, **drawn):
    """Impulses near those of a solution lead there, where nothing slides or lifts."""
    found = attempt(off=off, **drawn)
    assert found.result == SOLVED
    assert found.left <= ACCURACY


@settings(max_examples=25)
@given(off=st.floats(1e-8, 1e-6), slides=st.floats(0.05, 0.7), **tables | {"legs": st.just(2)})
def test_a_foot_that_has_to_slide_is_found_at_once(off, slides, **drawn):
    """The first step leaves more than a tenth, and leads over the kink where it begins to."""
    found = attempt(off=off, slides=slides, **drawn)
    assert found.result == SOLVED
    assert found.left <= enough(found)


@settings(max_examples=25)
@given(off=st.floats(1e-9, 0.03), contradiction=st.floats(1e-8, 1e-6), **tables)
def test_what_is_not_is_left_as_it_was(off, contradiction, **drawn):
    """The first step leaves what corners contradict each other by. The sweeps that follow begin
    with the impulses that the velocities belong to.
    """
    found = attempt(off=off, contradiction=contradiction, **drawn)
    assert found.changed == (found.result == SOLVED)
    assert found.result != SOLVED or found.left <= enough(found)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("scale", [1e-7, 1e-5, 1e-3, 1e-1, 1.0])
def test_what_contradicts_itself_is_left_as_it_was(scale, seed):
    """The same of a stack, whatever its corners ask for."""
    before, after = disturbed_residuals(jointed_stack(1), 0.01, scale, seed, at_once=True)
    assert after == before


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("scale", [1e-7, 1e-5, 1e-3, 1e-1, 1.0])
def test_what_is_found_over_motions_is_kept_where_it_is_better(scale, seed):
    """The same of one more cube, by which there are twenty contacts, which move in a few ways."""
    before, after = disturbed_residuals(jointed_stack(2), 0.01, scale, seed, at_once=True)
    assert after <= before * (1.0 + 1e-9)
