"""Islands, the places of their bodies, and the banded system of a Newton step over them."""

from __future__ import annotations

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.algebra import Mat3, Vec3
from impulse_core.compile import compile_scene
from impulse_core.contact.banded import banded_push, banded_step
from impulse_core.contact.body_order import order_bodies
from impulse_core.contact.delassus import put_block
from impulse_core.contact.dense import response
from impulse_core.contact.islands import find_islands, island_of
from impulse_core.contact.jacobian import diagonal_blocks
from impulse_core.contact.law import (
    effective_inverse_mass,
    law_piece,
    sides_of_piece,
    turning_piece,
)
from impulse_core.contact.newton import SOLVED, solve_island
from impulse_core.contact.newton_rows import gather_rows, list_rows
from impulse_core.contact.pair_blocks import ANEW, GOES_ON, HELD
from impulse_core.jit import kernel
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_schema import Scene
from impulse_schema.models import Joint, Material
from tests.contact.scenes import cube, fan, scene


def after_steps(pile: Scene, count: int = 1, step: float = 0.01):
    """Contacts, solver bodies and Newton's scratch with the forces of the last of some steps."""
    compiled = compile_scene(pile)
    engine = Engine(compiled, choose_options(compiled, step=step))
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    assert engine.advance(step, count, 0)
    return engine.runner.setup


def pyramid(rows: int, *materials: Material) -> Scene:
    """Cubes with gaps of 0.1 m, each row upon the one below."""
    given = {"material": materials[0].name} if materials else {}
    bodies = [
        cube(f"c{row}-{k}", position=(1.1 * k + 0.55 * row, 0.0, 0.5 + row), **given)
        for row in range(rows)
        for k in range(rows - row)
    ]
    return scene(*bodies, materials=materials)


def tower(height: int) -> Scene:
    return scene(*(cube(f"c{k}", 0.5 + k) for k in range(height)))


@kernel
def find(contacts, solver_bodies, island):
    """The island of each contact."""
    find_islands(contacts, solver_bodies)
    for c in range(contacts.used[0]):
        island[c] = island_of(contacts.mark, solver_bodies.mark, c)


@kernel
def list_island(contacts, solver_bodies, delassus, work, i):
    """Take the contacts of island i; returns how many, its bodies, and their reach."""
    n = solver_bodies.mark["number"][i]
    items = list_rows(contacts, work, solver_bodies.mark["head"][i], n, len(work.mark))
    bodies, bandwidth = order_bodies(contacts, solver_bodies, work, n)
    gather_rows(contacts, solver_bodies, delassus, work, n, items)
    return n, bodies, bandwidth


@kernel
def find_operator(contacts, solver_bodies, delassus, work, n, items, W):
    """The Delassus operator of the rows of an island, shape (3 items, 3 items)."""
    for k in range(items):
        for m in range(items):
            block = response(contacts, solver_bodies, delassus, work, n, k, m)
            put_block(W, 3 * k, 3 * m, block)


@kernel
def newton_step(solver_bodies, work, n, items, size, proximal, agreed, begins):
    """The Newton step of an island and its push; False if the system is singular."""
    if not banded_step(solver_bodies, work, n, items, size, proximal, agreed, begins):
        return False
    banded_push(solver_bodies, work, n, items, size[0])
    return True


@kernel
def improve(contacts, solver_bodies, delassus, work, i, at_once):
    """Solve island i by Newton's method; returns whether its laws hold to 1e-7 m/s, or 1e-9 m/s
    where it is solved at once.
    """
    rough = 1e-9 if at_once else 1e-7
    return solve_island(contacts, solver_bodies, delassus, work, i, 1e-7, rough, at_once)


@kernel
def find_blocks(contacts, solver_bodies, delassus, i):
    """The diagonal block of each contact of island i."""
    diagonal_blocks(contacts, solver_bodies, delassus, i)


@kernel
def softness_of(row, c, proximal):
    """ρ⁻¹κ of contact c."""
    return proximal * effective_inverse_mass(row, c)


@kernel
def piece(row, c, n, p, u, proximal, held):
    """D, C and f of contact c as rows of numbers; sticking where it is held and bears."""
    w = effective_inverse_mass(row, c)
    found = law_piece(n, p, u, w, row["friction"][c], 0.0, proximal, held)
    D, B = sides_of_piece(found)
    return D, B * w, found.right


@kernel
def turning(row, c, n, t, turn, w, p_n, proximal):
    """A, w B, w C and f of what resists turning at contact c as rows of numbers."""
    A, B, C, f = turning_piece(n, t, turn, w, row["rolling"][c], row["torsion"][c], p_n, proximal)
    return A, B * w, C * w, f


def test_islands_are_what_contacts_connect():
    """Two towers on one ground are two islands; a cube across both makes them one."""
    apart = scene(*(cube(f"{x}-{k}", position=(x, 0.0, 0.5 + k)) for x in (0, 3) for k in (0, 1)))
    connected = scene(
        *(cube(f"{x}-{k}", position=(x, 0.0, 0.5 + k)) for x in (0.0, 1.5) for k in (0, 1)),
        cube("across", position=(0.75, 0.0, 2.5)),
    )
    for pile, number in ((apart, 2), (connected, 1)):
        setup = after_steps(pile)
        island = np.zeros(int(setup.contacts.used[0]), dtype=np.int64)
        find(setup.contacts, setup.solver_bodies, island)
        assert len(np.unique(island)) == number
        counts = setup.solver_bodies.mark["number"][np.unique(island)]
        assert counts.sum() == setup.contacts.mark["active"][: len(island)].sum()


@pytest.mark.parametrize("height", [2, 7, 20])
def test_neighbours_in_a_tower_have_neighbouring_places(height):
    """Places are a permutation of the bodies, and touching ones are next to each other."""
    setup = after_steps(tower(height))
    find(setup.contacts, setup.solver_bodies, np.zeros(len(setup.contacts.row), dtype=np.int64))
    _, bodies, bandwidth = list_island(
        setup.contacts, setup.solver_bodies, setup.delassus, setup.own.newton, 0
    )
    order = setup.own.newton.order[:bodies]
    assert sorted(order) == list(range(height))
    assert (setup.solver_bodies.mark["place"][order] == np.arange(height)).all()
    assert bandwidth == 1


@pytest.mark.parametrize(
    ("proximal", "agreed", "begins"),
    [(1e-6, False, GOES_ON), (1e-4, True, GOES_ON), (1e-4, False, ANEW), (1e-4, False, HELD)],
)
@pytest.mark.parametrize("seed", range(4))
def test_band_over_bodies_gives_the_step_of_the_dense_system_over_contacts(
    seed, proximal, agreed, begins
):
    """(54): Δp by (M + GᵀC⁻¹DG) Δv = GᵀC⁻¹f is that of (DW + C) Δp = f, on any pieces of the law,
    and (77) that of (DW + C) Δp' = (DW + C - ρ⁻¹κ) Δp. One that begins anew weighs p + Δp of those
    that stick by κ in place of Δp, (81), or of all that bear, which then stick.

    The first has entries 1e6 times as large as the masses, so that ten digits are left.
    """
    random = np.random.default_rng(seed)
    setup = after_steps(pyramid(4))
    contacts, solver_bodies, work = setup.contacts, setup.solver_bodies, setup.own.newton
    find(contacts, solver_bodies, np.zeros(len(contacts.row), dtype=np.int64))
    n, bodies, bandwidth = list_island(contacts, solver_bodies, setup.delassus, work, 0)
    rows = work.mark["contact"][:n]
    normal = contacts.row["normal"][rows]
    work.row["trial"][:n] = normal * random.random((n, 1)) + random.normal(scale=0.3, size=(n, 3))
    work.row["rate"][:n] = random.normal(scale=0.3, size=(n, 3))

    G, inverse_mass = directions_and_masses(contacts, solver_bodies, rows, work.order[:bodies])
    D, C, f = np.zeros((3 * n, 3 * n)), np.zeros((3 * n, 3 * n)), np.zeros(3 * n)
    for k, c in enumerate(rows):
        at = slice(3 * k, 3 * k + 3)
        given = (Vec3(*work.row[k][name]) for name in ("trial", "rate"))
        found = piece(contacts.row, c, Vec3(*normal[k]), *given, proximal, begins == HELD)
        D[at, at], C[at, at] = (np.array(Mat3(*part)).reshape(3, 3) for part in found[:2])
        f[at] = found[2]
        if begins != GOES_ON and (D[at, at] == np.eye(3)).all():
            f[at] -= softness_of(contacts.row, c, proximal) * work.row[k]["trial"]
    W = G @ inverse_mass @ G.T
    wanted = np.linalg.solve(D @ W + C, f)
    if agreed:
        softness = np.repeat([softness_of(contacts.row, c, proximal) for c in rows], 3)
        f = f - softness * wanted
        wanted = np.linalg.solve(D @ W + C, f)

    size = bodies, bandwidth
    assert newton_step(solver_bodies, work, n, n, size, proximal, agreed, begins)
    change = work.row["change"][:n].ravel()
    push = work.row["push"][:n].ravel()
    # what redundant contacts share is told apart by the proximal term alone
    assert np.abs((D @ W + C) @ change - f).max() <= 1e-6 * np.abs(f).max()
    assert push == pytest.approx(W @ wanted, abs=1e-6 * np.abs(W @ wanted).max())
    assert push == pytest.approx(W @ change, abs=1e-9 * np.abs(W @ change).max())


@pytest.mark.parametrize(("rolling", "torsion"), [(0.02, 0.0), (0.0, 0.02), (0.02, 0.03)])
@pytest.mark.parametrize("seed", range(4))
def test_band_over_bodies_solves_for_what_resists_turning(seed, rolling, torsion):
    """The same with torques, A Δω + w (B Δt + C Δp) = f on any pieces of their law, in the rows
    after those of the contacts.
    """
    random, proximal = np.random.default_rng(seed), 1e-4
    felt = Material(name="felt", rolling_friction=rolling, torsional_friction=torsion)
    setup = after_steps(pyramid(3, felt))
    contacts, solver_bodies, work = setup.contacts, setup.solver_bodies, setup.own.newton
    find(contacts, solver_bodies, np.zeros(len(contacts.row), dtype=np.int64))
    n, bodies, bandwidth = list_island(contacts, solver_bodies, setup.delassus, work, 0)
    rows = work.mark["contact"][:n]
    assert (work.mark["contact"][n : 2 * n] == rows).all()
    normal = contacts.row["normal"][rows]
    work.row["trial"][:n] = normal * random.random((n, 1)) + random.normal(scale=0.3, size=(n, 3))
    work.row["trial"][n : 2 * n] = random.normal(scale=0.01, size=(n, 3))
    work.row["rate"][: 2 * n] = random.normal(scale=0.3, size=(2 * n, 3))
    work.row["inverse"][n : 2 * n] = random.uniform(3.0, 12.0, n)

    G, inverse_mass = directions_and_masses(contacts, solver_bodies, rows, work.order[:bodies])
    turns = np.zeros_like(G)  # Δω = H Δv: the angular velocities that arms are multiplied by
    for k, c in enumerate(rows):
        for body, sign in (("body1", -1.0), ("body2", 1.0)):
            i = contacts.mark[c][body]
            if solver_bodies.row["inverse_mass"][i] > 0.0:
                place = 6 * solver_bodies.mark["place"][i]
                turns[3 * k : 3 * k + 3, place + 3 : place + 6] += sign * np.eye(3)
    G = np.vstack((G, turns))
    D, C, f = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    for k, c in enumerate(rows):
        at, below = slice(3 * k, 3 * k + 3), slice(3 * (n + k), 3 * (n + k) + 3)
        given = [Vec3(*work.row[k][name]) for name in ("trial", "rate")]
        found = piece(contacts.row, c, Vec3(*normal[k]), *given, proximal, False)
        D[at, at], C[at, at] = (np.array(Mat3(*part)).reshape(3, 3) for part in found[:2])
        f[at] = found[2]
        p_n = max(float(normal[k] @ work.row[k]["trial"]), 0.0)
        given = [Vec3(*work.row[n + k][name]) for name in ("trial", "rate")]
        w = float(work.row["inverse"][n + k])
        found = turning(contacts.row, c, Vec3(*normal[k]), *given, w, p_n, proximal)
        D[below, below], C[below, below], C[below, at] = (
            np.array(Mat3(*part)).reshape(3, 3) for part in found[:3]
        )
        f[below] = found[3]
    W = G @ inverse_mass @ G.T
    wanted = np.linalg.solve(D @ W + C, f)

    size = bodies, bandwidth
    assert newton_step(solver_bodies, work, n, 2 * n, size, proximal, False, GOES_ON)
    change, push = work.row["change"][: 2 * n].ravel(), work.row["push"][: 2 * n].ravel()
    assert change == pytest.approx(wanted, abs=1e-8 * np.abs(wanted).max())
    assert push == pytest.approx(W @ change, abs=1e-9 * np.abs(W @ change).max())


def directions_and_masses(contacts, solver_bodies, rows, order):
    """G (3n, 6m) and M⁻¹ (6m, 6m) of the bodies in an order, at their places."""
    G = np.zeros((3 * len(rows), 6 * len(order)))
    inverse_mass = np.zeros((6 * len(order), 6 * len(order)))
    for k, c in enumerate(rows):
        for body, arm, sign in (("body1", "arm1", -1.0), ("body2", "arm2", 1.0)):
            i = contacts.mark[c][body]
            if solver_bodies.row["inverse_mass"][i] > 0.0:
                place = 6 * solver_bodies.mark["place"][i]
                r = contacts.row[c][arm]
                G[3 * k : 3 * k + 3, place : place + 3] = sign * np.eye(3)
                G[3 * k : 3 * k + 3, place + 3 : place + 6] = sign * np.cross(r, np.eye(3))
    for k, i in enumerate(order):
        J = solver_bodies.row[i]["inverse_inertia"].reshape(3, 3)
        inverse_mass[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = (
            np.eye(3) * solver_bodies.row["inverse_mass"][i]
        )
        inverse_mass[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = J
    return G, inverse_mass


def wall(rows: int) -> Scene:
    """Cubes in a running bond."""
    return scene(
        *(
            cube(f"c{row}-{k}", position=(k + 0.5 * (row % 2), 0.0, 0.5 + row))
            for row in range(rows)
            for k in range(rows)
        )
    )


def jointed_stack(upon: int = 2) -> Scene:
    """Two cubes that a hinge holds side by side, with as many as two more upon them."""
    places = ((0.0, 0.5), (1.0, 0.5), (0.5, 1.5), (0.5, 2.5))[: 2 + upon]
    pile = scene(*(cube(f"c{x}-{z}", position=(x, 0.0, z)) for x, z in places))
    hinge = Joint(
        name="hinge",
        type="hinge",
        body1="c0.0-0.5",
        body2="c1.0-0.5",
        anchor=(0.5, 0.0, 0.5),
        axis=(0.0, 1.0, 0.0),
    )
    return pile.model_copy(update={"joints": [hinge]})


def disturbed_residuals(
    pile: Scene, step: float, scale: float, seed: int, at_once: bool = False
) -> tuple[float, float]:
    """How far the laws of an island are broken before and after Newton's method [m/s], where its
    contacts ask for velocities that contradict each other.
    """
    setup = after_steps(pile, 3, step)
    contacts, solver_bodies, delassus, work = (
        setup.contacts,
        setup.solver_bodies,
        setup.delassus,
        setup.own.newton,
    )
    island = int(np.argmax(solver_bodies.mark["number"][:] * (solver_bodies.mark["head"][:] >= 0)))
    n, bodies, _ = list_island(contacts, solver_bodies, delassus, work, island)
    rows = work.mark["contact"][:n].copy()
    find_blocks(contacts, solver_bodies, delassus, island)
    random = np.random.default_rng(seed)
    contacts.row["offset"][rows] = random.normal(scale=scale, size=(n, 3))
    p, u = (
        contacts.row["impulse"][rows],
        velocities(contacts, solver_bodies, delassus, rows),
    )
    before = residual(contacts, rows, p, u)

    result, _ = improve(contacts, solver_bodies, delassus, work, island, at_once)

    change = (contacts.row["impulse"][rows] - p).ravel()
    if (contacts.mark["delassus_row"][rows] >= 0).any():
        W = np.zeros((3 * n, 3 * n))
        find_operator(contacts, solver_bodies, delassus, work, n, n, W)
        push = W @ change
    else:
        order = work.order[:bodies]
        G, inverse_mass = directions_and_masses(contacts, solver_bodies, rows, order)
        push = G @ (inverse_mass @ (G.T @ change))
    p, u = contacts.row["impulse"][rows], u + push.reshape(n, 3)
    assert within_cones(contacts, rows, p)
    by_motions = solver_bodies.mark["spare"][island] >= n > 16
    assert result == SOLVED or not at_once or by_motions or not change.any()
    return before, residual(contacts, rows, p, u)


def velocities(contacts, solver_bodies, delassus, rows):
    """u of each contact, shape (n, 3)."""
    row, mark = contacts.row[rows], contacts.mark[rows]
    u = row["offset"].copy()
    for body, arm, sign in (("body1", "arm1", -1.0), ("body2", "arm2", 1.0)):
        solver_body = solver_bodies.row[mark[body]]
        angular_velocity = solver_body["angular_velocity"]
        u += sign * solver_body["velocity"]
        u += sign * np.cross(angular_velocity, row[arm])
    articulated = mark["delassus_row"] >= 0
    u[articulated] += delassus.velocity[mark["delassus_row"][articulated]]
    return u


def residual(contacts, rows, p, u):
    """max ‖p - P(p - ρu)‖/ρ [m/s], the residual of (45)."""
    worst = 0.0
    for c, impulse, velocity in zip(rows, p, u, strict=True):
        row = contacts.row[c]
        n, w = row["normal"], np.trace(row["block"].reshape(3, 3)) / 3.0
        z = impulse - velocity / w
        across = z - n * (n @ z)
        size, radius = np.linalg.norm(across), row["friction"] * max(n @ impulse, 0.0)
        if size > radius:
            across *= radius / size
        projected = n * max(n @ z, row["min_impulse"]) + across
        worst = max(worst, float(np.linalg.norm(impulse - projected)) * w)
    return worst


def within_cones(contacts, rows, p):
    """Whether impulses keep to their cones, to round-off."""
    n = contacts.row["normal"][rows]
    p_n = np.einsum("ck,ck->c", n, p)
    across = np.linalg.norm(p - n * p_n[:, None], axis=1)
    return bool((across <= contacts.row["friction"][rows] * p_n * (1.0 + 1e-9) + 1e-15).all())


@pytest.mark.parametrize("scale", [1e-4, 1e-2])
def test_what_fallen_dominoes_store_is_no_worse_than_what_was_given(scale):
    """Sticking faces contradict each other: most Newton steps make it worse, and are not kept."""
    before, after = disturbed_residuals(fan(4), 0.005, scale, seed=0)
    assert before > 0.0
    assert after <= before * (1.0 + 1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scale", [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize(
    ("pile", "step"),
    [
        (fan(7, pitch=0.012, height=0.03, friction=0.8), 0.002),
        (fan(15, thickness=0.002, density=300.0), 0.01),
        (wall(3), 0.01),
        (pyramid(4), 0.003),
        (jointed_stack(), 0.01),
    ],
    ids=["fan", "long-fan", "wall", "pyramid", "machine"],
)
def test_newtons_method_never_stores_what_is_worse(pile, step, scale, seed):
    """The residual after solve_island is at most that before, on bodies and on machines."""
    before, after = disturbed_residuals(pile, step, scale, seed)
    assert after <= before * (1.0 + 1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("blow", [0.03, 0.3])
@pytest.mark.parametrize("height", [1, 3, 8, 14])
def test_what_corners_of_a_face_hold_each_other_with_goes(height, blow, seed):
    """Each of four corners presses outwards, or inwards, with up to .95 of what friction bears,
    which moves nothing. The tower is struck from below: Newton's method solves for it, and little
    of that is left. Were it to stay, corners slide and stick by turns.
    """
    setup = after_steps(tower(height), 3)
    contacts, solver_bodies, delassus = setup.contacts, setup.solver_bodies, setup.delassus
    n, bodies, _ = list_island(contacts, solver_bodies, delassus, setup.own.newton, 0)
    rows = setup.own.newton.mark["contact"][:n].copy()
    find_blocks(contacts, solver_bodies, delassus, 0)
    random = np.random.default_rng(seed)
    normal = contacts.row["normal"][rows]
    held = np.zeros((n, 3))
    for face in np.arange(n).reshape(-1, 4):
        arms = contacts.row["arm2"][rows[face]]
        outwards = arms - arms.mean(axis=0)
        outwards /= np.linalg.norm(outwards, axis=1)[:, None]
        p_n = np.einsum("ck,ck->c", normal[face], contacts.row["impulse"][rows[face]]).mean()
        most = contacts.row["friction"][rows[face]][0] * p_n
        held[face] = normal[face] * p_n + outwards * random.uniform(-0.95, 0.95) * most
    contacts.row["impulse"][rows] = held
    contacts.row["offset"][rows] = -normal * blow
    u = velocities(contacts, solver_bodies, delassus, rows)

    result, _ = improve(contacts, solver_bodies, delassus, setup.own.newton, 0, False)

    p = contacts.row["impulse"][rows]
    G, inverse_mass = directions_and_masses(
        contacts, solver_bodies, rows, setup.own.newton.order[:bodies]
    )
    u = u + (G @ (inverse_mass @ (G.T @ (p - held).ravel()))).reshape(n, 3)
    p_n = np.einsum("ck,ck->c", normal, p)
    across = np.linalg.norm(p - normal * p_n[:, None], axis=1)
    assert result == SOLVED
    assert residual(contacts, rows, p, u) <= 1e-7
    assert (across <= 0.1 * contacts.row["friction"][rows] * p_n).all()


@pytest.mark.parametrize(("count", "step"), [(140, 0.005), (140, 0.01)])
def test_energy_of_fallen_dominoes_falls(count, step):
    """A row of more than 800 contacts that settles gains none in any step, but for the millionth
    that contacts may create.
    """
    energy = ic.simulate(fan(count), duration=0.1, step=step, fps=1.0 / step).energy["total"]
    assert np.diff(energy).max() <= 1e-6 * energy[0]


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


def test_nothing_of_islands_is_left_from_the_half_before():
    """What was found of islands is found anew, whatever stood there."""
    setup = after_steps(pyramid(3), 40)
    mark, island = setup.solver_bodies.mark, np.zeros(setup.contacts.used[0], dtype=np.int64)
    names = ["island", "head", "number", "articulated", "unsolved", "contradictory", "too_many"]
    names.append("batches")
    find(setup.contacts, setup.solver_bodies, island)
    found = mark[names].copy()

    for name in names:
        mark[name] = 3
    find(setup.contacts, setup.solver_bodies, island)

    np.testing.assert_array_equal(mark[names], found)
