"""Threads share the steps of large heaps, and no bit depends on how many there are."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core
from impulse_core.compile import compile_scene
from impulse_core.contact.batches import LANES
from impulse_core.contact.system import new_island_work
from impulse_core.free_motion.flow import MOST_TURN
from impulse_core.jit import inner_kernel, kernel
from impulse_core.jit.team import new_team, note_done, share, take, waits_for_task
from impulse_core.methods import crew
from impulse_core.methods.crew import Crew
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import OptionError, choose_options
from impulse_core.step.dividing import FINEST_PART
from impulse_schema import Scene
from impulse_schema.models import Body, Geometry, Joint
from tests.contact.scenes import ball, box, bricks, drawn_piles, scene, wall

COUNT = 1  # of a task: how often each item was done
ITEMS = 5000


@inner_kernel
def do_items(count, first, last):  # type: ignore[no-untyped-def]
    for k in range(first, last):
        count[k] += 1


@kernel
def count_items(team, count, first, last, size):  # type: ignore[no-untyped-def]
    """As the thread that takes steps."""
    share(team, COUNT, first, last, size, do_items, (count,))


@kernel
def serve_items(team, count, thread):  # type: ignore[no-untyped-def]
    """As another one."""
    while waits_for_task(team):
        while True:
            first, last, _ = take(team, thread)
            if first == last:
                break
            do_items(count, first, last)
            note_done(team)
    return thread


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 5),
    st.lists(
        st.tuples(st.integers(0, ITEMS), st.integers(0, ITEMS), st.integers(1, 700)), max_size=40
    ),
)
def test_each_item_of_a_task_is_done_once(threads, tasks):
    team, count = new_team(threads), np.zeros(ITEMS, dtype=np.int64)
    expected = np.zeros_like(count)
    team.open[0] = 1
    others = [
        threading.Thread(target=serve_items, args=(team, count, k)) for k in range(1, threads)
    ]
    for each in others:
        each.start()
    for one, other, size in tasks:
        first, last = min(one, other), max(one, other)
        expected[first:last] += 1
        count_items(team, count, first, last, size)
        np.testing.assert_array_equal(count, expected)
    team.open[0] = 0
    for each in others:
        each.join()


def drawn_heap(seed: int, count: int) -> Scene:
    """Boxes, balls and cylinders that fall upon each other."""
    random = np.random.default_rng(seed)
    side = round((count / 3) ** 0.5)
    bodies = []
    for k in range(count):
        x, y, z = random.uniform(0.3, 0.5, 3)
        shape = random.choice(
            [
                Geometry(shape="box", size=(2 * x, 2 * y, 2 * z)),
                Geometry(shape="box", size=(2 * x, 2 * y, 2 * z)),
                Geometry(shape="sphere", radius=x),
                Geometry(shape="cylinder", radius=x, height=2 * z),
            ]
        )
        place = (1.01 * (k % side), 1.01 * (k // side % side), 0.5 + 1.01 * (k // side**2))
        mass = float(random.uniform(0.5, 5.0))
        bodies.append(
            Body(
                name=f"piece-{k}", mass=mass, position=place, velocity=(0, 0, -2), geometry=[shape]
            )
        )
    return scene(*bodies)


def swinging(pile: Scene) -> Scene:
    """With a ball on a rod that swings into it."""
    pile.bodies.append(ball("wrecker", (8.0, -3.0, 5.0), velocity=(0.0, 12.0, 0.0)))
    pile.joints.append(
        Joint(name="rope", type="hinge", body2="wrecker", anchor=(8.0, -3.0, 12.0), axis=(1, 0, 0))
    )
    return pile


def digests(made: Scene, threads: int, step: float, steps: int, **chosen) -> tuple[list[str], int]:
    """Of the state after every tenth step, and the most contacts of one."""
    compiled = compile_scene(made)
    engine = Engine(compiled, choose_options(compiled, step=step, threads=threads, **chosen))
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    found, most = [], 0
    for taken in range(steps):
        assert engine.advance(step, 1, taken)
        most = max(most, int(engine.runner.setup.contacts.used[0]))
        if taken % 10 == 9:
            found.append(engine.digest())
    return found, most


HEAPS = {
    "wall": (lambda: wall(24, 14, 5), 0.005, 40, {}),
    "heap": (lambda: drawn_heap(1, 300), 0.005, 40, {}),
    "finer heap": (lambda: drawn_heap(7, 800), 0.002, 60, {}),
    "wall and pendulum": (lambda: swinging(wall(20, 16, 3)), 0.004, 60, {}),
    "piles": (lambda: drawn_piles(120, 4), 0.005, 60, {}),
    "time of impact": (lambda: wall(24, 14, 9), 0.005, 20, {"time_of_impact": True}),
}


@pytest.mark.parametrize("name", HEAPS)
def test_no_bit_depends_on_the_number_of_threads(name):
    """More threads than processors as well, which hold each other up, in the smallest of them."""
    make, step, steps, chosen = HEAPS[name]
    alone, most = digests(make(), 1, step, steps, **chosen)
    assert most > 600  # more than from which on threads share them
    for threads in (2, 3) if name == "time of impact" else (2,):
        assert digests(make(), threads, step, steps, **chosen)[0] == alone


@pytest.mark.parametrize(
    ("make", "step", "threads"),
    [
        (lambda: wall(31, 12, 8), 0.004, 3),
        (lambda: wall(14, 30, 9), 0.006, 4),
        (lambda: swinging(wall(26, 15, 4)), 0.005, 5),
    ],
)
def test_no_bit_depends_on_more_threads_than_processors(make, step, threads):
    """Those that the system holds up have shares that others wait for, or take."""
    alone, most = digests(make(), 1, step, 20)
    assert most > 600
    assert digests(make(), threads, step, 20)[0] == alone


@pytest.mark.parametrize(("length", "height", "threads"), [(24, 14, 2), (31, 20, 3), (17, 40, 4)])
def test_a_batch_waits_for_those_before_it_that_move_its_bodies(length, height, threads):
    """Those of its own share are before it, and it waits for those of others. Each batch of an
    island is in one share.
    """
    compiled = compile_scene(wall(length, height, 5))
    engine = Engine(compiled, choose_options(compiled, step=0.005, threads=threads))
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    assert engine.advance(0.005, 30, 0)
    setup = engine.runner.setup
    batches, used = setup.batches, setup.batches.used[0]
    bounds = batches.bounds[0]
    assert bounds[0] == 0
    assert bounds[-1] == used
    assert (np.diff(bounds) > 0).all()
    share = np.searchsorted(bounds, np.arange(used), side="right") - 1
    level = batches.level[batches.group[LANES * batches.counted[:used]]]
    before, others = {}, 0
    for k in np.argsort(level, kind="stable"):
        for body in batches.body[2 * LANES * k : 2 * LANES * (k + 1)]:
            if body == len(setup.solver_bodies.row):
                continue
            mover = before.get(body, k)
            assert mover == k or level[mover] < level[k]
            if share[mover] == share[k]:
                assert mover <= k
            else:
                assert batches.awaits[k, share[mover]] > mover
                others += 1
            before[body] = k
    assert others > 0


def test_threads_are_used():
    """Another thread does some of what is shared."""
    made = wall(24, 14, 5)
    compiled = compile_scene(made)
    engine = Engine(compiled, choose_options(compiled, step=0.005, threads=2))
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    assert engine.advance(0.005, 20, 0)  # finds contacts
    assert engine.advance(0.005, 20, 20)
    team = engine.runner.setup.team
    assert team.done[0] > 0  # chunks: how many depends on what else the processors do


def started(made: Scene, step: float, threads: int) -> Engine:
    compiled = compile_scene(made)
    engine = Engine(compiled, choose_options(compiled, step=step, threads=threads))
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    return engine


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_first_that_spins_too_fast_is_named(seed, threads):
    """Of two in a wall that has fallen, whoever predicts them."""
    random, step = np.random.default_rng(seed), 0.02
    made = wall(24, 14, 5)
    for k, place in enumerate(sorted(random.choice(len(made.bodies), 2, replace=False))):
        top = Body(name=f"top-{k}", mass=1.0, inertia=(1.0, 2.0, 2.5), position=(0.0, 50.0, 50.0))
        made.bodies.insert(int(place), top)
    engine = started(made, step, threads)
    assert engine.advance(step, 10, 0)
    assert int(engine.runner.setup.contacts.used[0]) > 500  # more than from which on they share
    for k in range(2):
        row = engine.compiled.body_row[engine.compiled.body_names.index(f"top-{k}")]
        spin = 1.1 * FINEST_PART * MOST_TURN / step
        engine.state.bodies["angular_momentum"][row] = (spin, 0.0, 0.0)
    assert not engine.advance(step, 1, 10)
    assert "body 'top-0' turns by" in engine.failure(0.0, step)["message"]


def test_a_thread_that_fails_ends_the_run(monkeypatch):
    def failing(*_args):
        raise MemoryError("no room")

    made = wall(24, 14, 5)
    compiled = compile_scene(made)
    engine = Engine(compiled, choose_options(compiled, step=0.005, threads=2))
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    assert engine.advance(0.005, 5, 0)
    monkeypatch.setattr(crew, "serve", failing)
    with pytest.raises(MemoryError, match="no room"):
        engine.advance(0.005, 5, 5)


def test_threads_end_where_steps_fail():
    """The context ends whatever happens in it, and all can be used again."""
    made = wall(24, 14, 5)
    compiled = compile_scene(made)
    engine = Engine(compiled, choose_options(compiled, step=0.005, threads=2))
    engine.start_segment(0.0, np.zeros(0, dtype=np.int64))
    setup, work = engine.runner.setup, engine.work
    helpers = Crew(2)
    for _ in range(3):
        began = time.perf_counter()
        with (
            pytest.raises(RuntimeError),
            helpers.serving(engine.model, setup, engine.state, work),
        ):
            raise RuntimeError
        assert time.perf_counter() - began < 10.0
        assert setup.team.open[0] == 0


def drawn_bricks(seed: int) -> tuple[Scene, float]:
    """Some hundred cubes that fall, some of which turn, and a step [s]."""
    random = np.random.default_rng(seed)
    side, gap = int(random.integers(6, 9)), float(random.uniform(0.01, 0.04))
    mass, step = float(10.0 ** random.uniform(-1.0, 2.0)), float(random.uniform(0.006, 0.012))
    return bricks(side, gap, mass, turned=seed), step


@pytest.mark.parametrize(
    ("made", "step"), [(wall(24, 14, 5), 0.005), *map(drawn_bricks, range(200, 204))]
)
def test_threads_keep_their_room(made, step, monkeypatch):
    """They make it once, and anew where there is to be more of it. It was made anew for each call,
    which took a third of the time of those of one step.
    """
    rooms = []

    def noting(*sizes):
        rooms.append(new_island_work(*sizes))
        return rooms[-1]

    monkeypatch.setattr(crew, "new_island_work", noting)
    engine = started(made, step, 2)
    sizes = set()
    for taken in range(12):
        assert engine.advance(step, 1, taken)
        sizes.add(len(engine.runner.setup.contacts.row))
        own = engine.runner.setup.own.newton
        for room in rooms[-2:]:
            assert len(room.newton.row) == len(own.row)
            assert len(room.newton.right) == len(own.right)
    assert len(rooms) == 2 * len(sizes)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True])
def test_numbers_of_threads_that_cannot_be(threads):
    with pytest.raises(OptionError, match=r"threads is .*; it must be a whole number, at least 1"):
        impulse_core.simulate(scene(box("a", (0.0, 0.0, 0.0), 1.0)), threads=threads)


@pytest.mark.parametrize(
    ("made", "step"),
    [(bricks(7, 0.02, 1.0, turned=1), 0.01), *map(drawn_bricks, range(100, 104))],
)
def test_a_thread_alone_sweeps_all_shares(made, step):
    """While there are few contacts a thread is alone with heaps that are planned for two: it takes
    the share of the other where its own has to wait. Once it left that undone, and half of a sweep.
    """
    alone, shared = (started(made, step, threads) for threads in (1, 2))
    planned = False
    for taken in range(30):
        few = int(shared.runner.setup.contacts.used[0]) < 500
        assert alone.advance(step, 1, taken)
        assert shared.advance(step, 1, taken)
        assert alone.digest() == shared.digest()
        _, first, last = shared.runner.setup.batches.bounds.T
        planned = planned or (few and bool((first < last).any()))
    assert planned  # for two, though one was alone
