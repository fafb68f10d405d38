"""Islands, the places of their bodies, and the banded system of a Newton step over them."""

from __future__ import annotations

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.algebra import Mat3, Vec3
from impulse_core.collision.contacts import (
    ACTIVE,
    ARM1,
    ARM2,
    BODY1,
    BODY2,
    FRICTION,
    NEXT,
    NORMAL,
)
from impulse_core.compile import compile_scene
from impulse_core.contact.banded import body_push, body_step, order_bodies
from impulse_core.contact.friction import law_piece, own_softness
from impulse_core.contact.islands import find_islands, island_of
from impulse_core.contact.movers import (
    HEAD,
    INVERSE_INERTIA,
    INVERSE_MASS,
    NUMBER,
    ORDER,
    PLACE,
)
from impulse_core.contact.newton_work import CHANGE, CONTACT, PUSH, RATE, TRIAL
from impulse_core.jit import kernel
from impulse_core.options import choose_options
from impulse_core.stepper import Stepper
from impulse_schema import Scene
from tests.contact.scenes import cube, scene


def after_one_step(pile: Scene):
    """Contacts, movers and Newton's scratch with the forces of one step."""
    compiled = compile_scene(pile)
    stepper = Stepper(compiled, choose_options(compiled))
    stepper.start_segment(0.0, np.zeros(0, dtype=np.int64))
    assert stepper.advance(0.01, 1, 0)
    return stepper.runner.setup


def pyramid(rows: int) -> Scene:
    """Cubes with gaps of 0.1 m, each row upon the one below."""
    bodies = [
        cube(f"c{row}-{k}", position=(1.1 * k + 0.55 * row, 0.0, 0.5 + row))
        for row in range(rows)
        for k in range(rows - row)
    ]
    return scene(*bodies)


def tower(height: int) -> Scene:
    return scene(*(cube(f"c{k}", 0.5 + k) for k in range(height)))


@kernel
def find(contacts, movers, island):
    """The island of each contact."""
    find_islands(contacts, movers)
    for c in range(contacts.used[0]):
        island[c] = island_of(contacts.mark, movers.mark, c)


@kernel
def list_island(contacts, movers, work, i):
    """Take the contacts of island i; returns how many, its bodies, and their reach."""
    c = movers.mark[i, HEAD]
    for k in range(movers.mark[i, NUMBER]):
        work.mark[k, CONTACT] = c
        c = contacts.mark[c, NEXT]
    bodies, reach = order_bodies(contacts, movers, work, movers.mark[i, NUMBER])
    return movers.mark[i, NUMBER], bodies, reach


@kernel
def newton_step(contacts, movers, work, n, bodies, reach):
    """The Newton step of an island and its push; False if the system is singular."""
    if not body_step(contacts, movers, work, n, bodies, reach):
        return False
    body_push(contacts, movers, work, n, bodies)
    return True


@kernel
def piece(row, c, n, p, u):
    """D, C and f of contact c as rows of numbers."""
    w = own_softness(row, c)
    D, B, f = law_piece(n, p, u, w, row[c, FRICTION], 0.0)
    C = B * w
    return D, C, f


def test_islands_are_what_contacts_connect():
    """Two towers on one ground are two islands; a cube across both makes them one."""
    apart = scene(*(cube(f"{x}-{k}", position=(x, 0.0, 0.5 + k)) for x in (0, 3) for k in (0, 1)))
    joined = scene(
        *(cube(f"{x}-{k}", position=(x, 0.0, 0.5 + k)) for x in (0.0, 1.5) for k in (0, 1)),
        cube("across", position=(0.75, 0.0, 2.5)),
    )
    for pile, number in ((apart, 2), (joined, 1)):
        setup = after_one_step(pile)
        island = np.zeros(int(setup.contacts.used[0]), dtype=np.int64)
        find(setup.contacts, setup.movers, island)
        assert len(np.unique(island)) == number
        counts = setup.movers.mark[np.unique(island), NUMBER]
        assert counts.sum() == setup.contacts.mark[: len(island), ACTIVE].sum()


@pytest.mark.parametrize("height", [2, 7, 20])
def test_neighbours_in_a_tower_have_neighbouring_places(height):
    """Places are a permutation of the bodies, and touching ones are next to each other."""
    setup = after_one_step(tower(height))
    find(setup.contacts, setup.movers, np.zeros(len(setup.contacts.row), dtype=np.int64))
    _, bodies, reach = list_island(setup.contacts, setup.movers, setup.newton, 0)
    order = setup.movers.mark[:bodies, ORDER]
    assert sorted(order) == list(range(height))
    assert (setup.movers.mark[order, PLACE] == np.arange(height)).all()
    assert reach == 1


@pytest.mark.parametrize("seed", range(4))
def test_band_over_bodies_gives_the_step_of_the_dense_system_over_contacts(seed):
    """(54): Δp by (M + GᵀC⁻¹DG) Δv = GᵀC⁻¹f is that of (DW + C) Δp = f, on any pieces of the law.

    The first has entries 1e6 times as large as the masses, so that ten digits are left.
    """
    random = np.random.default_rng(seed)
    setup = after_one_step(pyramid(4))
    contacts, movers, work = setup.contacts, setup.movers, setup.newton
    find(contacts, movers, np.zeros(len(contacts.row), dtype=np.int64))
    n, bodies, reach = list_island(contacts, movers, work, 0)
    rows = work.mark[:n, CONTACT]
    normal = contacts.row[rows, NORMAL : NORMAL + 3]
    work.row[:n, TRIAL : TRIAL + 3] = normal * random.random((n, 1)) + random.normal(
        scale=0.3, size=(n, 3)
    )
    work.row[:n, RATE : RATE + 3] = random.normal(scale=0.3, size=(n, 3))

    G, inverse_mass = directions_and_masses(contacts, movers, rows, bodies)
    D, C, f = np.zeros((3 * n, 3 * n)), np.zeros((3 * n, 3 * n)), np.zeros(3 * n)
    for k, c in enumerate(rows):
        at = slice(3 * k, 3 * k + 3)
        given = (Vec3(*work.row[k, col : col + 3]) for col in (TRIAL, RATE))
        found = piece(contacts.row, c, Vec3(*normal[k]), *given)
        D[at, at], C[at, at] = (np.array(Mat3(*part)).reshape(3, 3) for part in found[:2])
        f[at] = found[2]
    W = G @ inverse_mass @ G.T
    wanted = np.linalg.solve(D @ W + C, f)

    assert newton_step(contacts, movers, work, n, bodies, reach)
    change = work.row[:n, CHANGE : CHANGE + 3].ravel()
    push = work.row[:n, PUSH : PUSH + 3].ravel()
    # what redundant contacts share is told apart by the proximal term alone
    assert np.abs((D @ W + C) @ change - f).max() <= 1e-6 * np.abs(f).max()
    assert push == pytest.approx(W @ wanted, abs=1e-6 * np.abs(W @ wanted).max())
    assert push == pytest.approx(W @ change, abs=1e-9 * np.abs(W @ change).max())


def directions_and_masses(contacts, movers, rows, bodies):
    """G (3n, 6m) and M⁻¹ (6m, 6m) of the bodies at their places."""
    G = np.zeros((3 * len(rows), 6 * bodies))
    inverse_mass = np.zeros((6 * bodies, 6 * bodies))
    for k, c in enumerate(rows):
        for body, arm, sign in ((BODY1, ARM1, -1.0), (BODY2, ARM2, 1.0)):
            i = contacts.mark[c, body]
            if movers.row[i, INVERSE_MASS] > 0.0:
                place = 6 * movers.mark[i, PLACE]
                r = contacts.row[c, arm : arm + 3]
                G[3 * k : 3 * k + 3, place : place + 3] = sign * np.eye(3)
                G[3 * k : 3 * k + 3, place + 3 : place + 6] = sign * np.cross(np.eye(3), r)
    for k in range(bodies):
        i = movers.mark[k, ORDER]
        J = movers.row[i, INVERSE_INERTIA : INVERSE_INERTIA + 9].reshape(3, 3)
        inverse_mass[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = np.eye(3) * movers.row[i, INVERSE_MASS]
        inverse_mass[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = J
    return G, inverse_mass


@pytest.mark.parametrize("step", [0.01, 0.002])
def test_laws_of_a_pile_hold_in_every_step(step):
    """A pyramid that falls 5 cm: laws of all contacts hold to 1e-8 m, impacts included."""
    pile = pyramid(5)
    for k, body in enumerate(pile.bodies[1:]):
        x, _, z = body.position
        body.position = (x, 0.01 * (k % 3), z + 0.05)
    result = ic.simulate(pile, duration=0.6, step=step)
    assert result.diagnostics["contacts"]["max"] >= 50
    assert result.diagnostics["contacts"]["max_violation_m"] <= 1e-8
