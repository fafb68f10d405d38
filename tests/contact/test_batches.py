"""Large islands in batches: no lane moves another's body, and the laws hold as they should."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from impulse_core.compile import compile_scene
from impulse_core.contact.batches import LANES
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import choose_options
from impulse_schema import Scene
from impulse_schema.models import Joint
from tests.contact.scenes import ball, box, bricks, scene, wall

ROOT = Path(__file__).resolve().parents[2]
EPSILON = 2.0**-52
LEFT = 3.0  # tolerances: rounds for what large islands lack go on above 1.8, six times at most
LEFT_OF_HIGH = 12.0  # of what six rounds do not meet: walls of four seeds have 1 to 10 in any step
OVERLAP = 3e-4  # m, of bricks of a metre; what heaps are allowed at rest
MOVED = 0.01  # m


def started(pile: Scene, step: float) -> Engine:
    compiled = compile_scene(pile)
    engine = Engine(compiled, choose_options(compiled, step=step))
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    return engine


@pytest.mark.parametrize(
    ("length", "height", "seed", "step"), [(16, 10, 1, 0.01), (30, 8, 2, 0.004), (9, 26, 3, 0.002)]
)
def test_a_wall_stands_in_batches(length, height, seed, step):
    """In every step that is solved in batches each contact of the island is in one lane, and no two
    lanes of a batch move one body. In the end laws are met as well as large islands do it,
    and each brick is where it was, though a high wall may sway.
    """
    engine, seen = started(wall(length, height, seed), step), 0
    bodies = engine.state.bodies[: engine.model.dynamic]
    began = bodies["position"].copy()
    for taken in range(round(0.6 / step)):
        engine.tally.totals["violation"] = 0.0
        engine.tally.totals["deepest"] = 0.0
        assert engine.advance(step, 1, taken)
        seen += lanes_are_right(engine.runner.setup)

    assert seen > 3
    left = LEFT if height <= 10 else LEFT_OF_HIGH
    assert engine.tally.totals["violation"][0] <= left * engine.options.tolerance
    assert engine.tally.totals["deepest"][0] <= OVERLAP
    assert np.abs(bodies["position"] - began).max() <= MOVED


GRAVITY, RADIUS, LENGTH = 9.81, 0.5, 2.0  # m/s², m


def with_pendulums(pile: Scene, masses: list[float]) -> Scene:
    """Balls on rods, each of which presses on one brick of the second row right below its pivot, so
    that friction there has no arm about it.
    """
    for k, mass in enumerate(masses):
        x, z = 1.01 * (2 * k + 1) + 0.25, 1.5
        hung = ball(f"ball-{k}", (x, -0.5 - RADIUS, z))
        pile.bodies.append(hung.model_copy(update={"mass": mass}))
        pivot = (x, -0.5, z + LENGTH)
        joint = Joint(
            name=f"pin-{k}", type="hinge", body2=hung.name, anchor=pivot, axis=(1.0, 0.0, 0.0)
        )
        pile.joints.append(joint)
    return pile


@pytest.mark.parametrize(
    ("length", "height", "masses", "step"),
    [
        (14, 8, [2.0], 0.01),
        (9, 9, [1.0, 3.0, 2.0], 0.002),
        (30, 8, [4.0, 0.5], 0.004),
        (16, 10, [0.1, 1.0, 5.0, 2.0], 0.005),
    ],
)
def test_pendulums_lean_on_a_wall_in_batches(length, height, masses, step):
    """Contacts on jointed bodies are in no lane; each bears what the balance of torques about its
    pivot says, m g r / l, but for what the wall still sways.
    """
    pile = with_pendulums(wall(length, height, 7), masses)
    engine, seen = started(pile, step), 0
    for taken in range(round(0.8 / step)):
        engine.tally.totals["violation"] = 0.0
        assert engine.advance(step, 1, taken)
        seen += lanes_are_right(engine.runner.setup)

    assert seen > 3
    assert engine.tally.totals["violation"][0] <= LEFT * engine.options.tolerance
    bodies = engine.state.bodies[: engine.model.dynamic]
    assert np.abs(bodies["velocity"]).max() < 0.01
    contacts = engine.runner.setup.contacts
    used = contacts.used[0]
    for k, mass in enumerate(masses):
        row = engine.compiled.body_row[engine.compiled.body_names.index(f"ball-{k}")]
        touch = contacts.mark["body1"][:used] == row
        touch |= contacts.mark["body2"][:used] == row
        normal = contacts.row["normal"][:used][touch]
        forces = (contacts.row["first"] + contacts.row["impulse"])[:used][touch] / step
        pressed = abs(np.sum(normal * forces))
        assert pressed == pytest.approx(mass * GRAVITY * RADIUS / LENGTH, rel=5e-3)


def lanes_are_right(setup) -> bool:
    """Whether the last half step was solved in batches, which are then looked at: who is in them,
    that no two lanes move one body, and that the bodies of a lane are those of its contacts.
    """
    bodies, batches = setup.solver_bodies, setup.batches
    count, points = batches.used
    if count == 0:
        return False
    islands = np.flatnonzero((bodies.mark["head"] >= 0) & (bodies.mark["batches"] > 0))
    assert bodies.mark["batches"][islands].sum() == count
    lanes = batches.contact[: LANES * points]
    listed = [c for island in islands for c in contacts_of(setup, island)]
    free = [c for c in listed if setup.contacts.mark["delassus_row"][c] < 0]
    assert sorted(lanes[lanes >= 0]) == sorted(free)
    mass = np.append(bodies.row["inverse_mass"], 0.0)  # and nothing
    for batch in batches.body[: 2 * LANES * count].reshape(-1, 2 * LANES):
        moved = batch[mass[batch] > 0.0]
        assert len(set(moved)) == len(moved)
    first, second = setup.contacts.mark["body1"], setup.contacts.mark["body2"]
    for k in range(count):
        pair = batches.body[2 * LANES * k : 2 * LANES * (k + 1)].reshape(2, LANES)
        for q in range(batches.start[k], batches.start[k + 1]):
            for lane, c in enumerate(batches.contact[LANES * q : LANES * (q + 1)]):
                if c >= 0:
                    for row, body in ((pair[0, lane], first[c]), (pair[1, lane], second[c])):
                        assert row == (body if mass[body] > 0.0 else len(mass) - 1)
    return True


def contacts_of(setup, island: int) -> list[int]:
    found, c = [], int(setup.solver_bodies.mark["head"][island])
    while c >= 0:
        found.append(c)
        c = int(setup.contacts.mark["next"][c])
    return found


@pytest.mark.parametrize(
    ("side", "gap", "mass", "step", "seed"),
    [
        (4, 0.002, 600.0, 0.01, 2),
        (5, 0.0025, 3.0, 0.005, 31),
        (6, 0.004, 40.0, 0.01, 32),
        (7, 0.001, 1.0, 0.005, 33),
    ],
)
def test_points_of_a_pair_that_lie_on_either_body(side, gap, mass, step, seed):
    """A second look may find points of a pair on the faces of the other body. They are lanes of
    their own: in one lane they would push each other's bodies, and sweeps would grow without bound.
    """
    engine, seen = started(bricks(side, gap, mass, turned=seed), step), 0
    for taken in range(round(0.4 / step)):
        assert engine.advance(step, 1, taken)
        if lanes_are_right(engine.runner.setup):
            seen += either_way(engine.runner.setup.contacts)

    assert seen > 0
    assert engine.tally.totals["deepest"][0] <= OVERLAP


def either_way(contacts) -> bool:
    """Whether a pair has points of which one body is the first, and others of which it is not."""
    mark = contacts.mark[: contacts.used[0]]
    same = mark["pair"][1:] == mark["pair"][:-1]
    return bool(np.any(same & (mark["body1"][1:] != mark["body1"][:-1])))


@pytest.mark.parametrize(("side", "step", "seed"), [(6, 0.01, 4), (7, 0.006, 5), (8, 0.004, 6)])
def test_impulses_of_batches_lie_in_their_cones(side, step, seed):
    """Sweeps are in single precision; the impulses that they lead to are cut in double. Those of
    contacts that were held until an impact have what acted before as well.
    """
    engine, seen = started(bricks(side, 0.003, 30.0, turned=seed), step), 0
    for taken in range(round(0.3 / step)):
        assert engine.advance(step, 1, taken)
        setup = engine.runner.setup
        if not lanes_are_right(setup):
            continue
        seen += 1
        lanes = setup.batches.contact[: LANES * setup.batches.used[1]]
        lanes = lanes[lanes >= 0]
        row = setup.contacts.row[lanes[setup.contacts.mark["held"][lanes] == 0.0]]
        pressed = np.einsum("ck,ck->c", row["normal"], row["impulse"])
        across = row["impulse"] - pressed[:, None] * row["normal"]
        room = row["friction"] * pressed - np.linalg.norm(across, axis=1)
        size = np.linalg.norm(row["impulse"], axis=1)
        assert np.all(pressed >= -4.0 * EPSILON * size)
        assert np.all(room >= -4.0 * EPSILON * size)
    assert seen > 3


@pytest.mark.parametrize("scale", [2.0**-49, 2.0**-7, 2.0**40])
def test_the_unit_of_mass_does_not_matter(scale):
    """Heaps of grains and of mountains move alike, to the last bit: no number leaves the range of
    single precision.
    """
    moved, seen = [], 0
    for mass in (600.0, 600.0 * scale):
        engine = started(bricks(6, 0.003, mass, turned=8), 0.008)
        for taken in range(25):
            assert engine.advance(0.008, 1, taken)
            seen += lanes_are_right(engine.runner.setup)
        bodies = engine.state.bodies
        moved.append(bodies["position"].tobytes() + bodies["velocity"].tobytes())
    assert moved[0] == moved[1]
    assert seen > 6


def test_what_batches_are_not_worth_is_solved_without():
    """All cubes bear one plate, so that no two of its contacts may be changed at once."""
    cubes = [box(f"cube-{k}", (1.5 * (k % 16), 1.5 * (k // 16), 0.5), 10.0) for k in range(256)]
    plate = box("plate", (11.25, 11.25, 1.05), 500.0, size=(25.0, 25.0, 0.1))
    engine, left_out = started(scene(*cubes, plate), 0.01), False
    marks = engine.runner.setup.solver_bodies.mark
    for taken in range(20):
        assert engine.advance(0.01, 1, taken)
        left_out |= -1 in marks["batches"][marks["head"] >= 0]

    assert left_out
    assert np.abs(engine.state.bodies["velocity"][: engine.model.dynamic]).max() < 1e-3


def test_the_same_bits_on_every_processor(tmp_path):
    """With vectors as wide as here, with the narrowest of this kind of processor, and as plain
    Python; packed where it is compiled.
    """
    widest = run(tmp_path / "widest")
    narrowest = run(tmp_path / "narrowest", NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")
    plain = run(tmp_path / "plain", NUMBA_DISABLE_JIT="1")

    assert widest[0] == narrowest[0] == plain[0]
    assert int(widest[1]) > 20  # a contact multiplies some eighty times
    assert int(narrowest[1]) > 20


def run(cache: Path, **environment: str) -> list[str]:
    printed = subprocess.run(
        [sys.executable, "-m", "tests.contact.batch_bits"],
        cwd=ROOT,
        env={**os.environ, "IMPULSE_CACHE_DIR": str(cache), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return printed.stdout.split()
