"""Motion, events and report of a run do not depend on its frame rate, nor on how much room there
was for contacts at first.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import impulse_core as ic
from impulse_core.collision import sweep
from impulse_core.contact import events
from impulse_core.methods import contact_runner
from tests.contact.scenes import ball, cube, scene
from tests.determinism.runs import busy_ground, driven_tree, outcome, swinging_loop, tumbling_stack

RATES = (2.0, 37.0, 100.0, 333.0, 1000.0)
SOLVERS = [
    ("imp2", "direct"),
    ("imp4", "direct"),
    ("lm4", "direct"),
    ("lmbs4", "direct"),
    ("lmvd8", "direct"),
    ("imp2", "sle"),
    ("imp2", "iterative"),
]


def same_at_all_rates(run, rates=RATES) -> ic.Recording:
    """Run at these rates, and see that nothing but the frames differs; the last recording."""
    recordings = [run(fps=fps) for fps in rates]
    for recording in recordings[1:]:
        assert outcome(recording) == outcome(recordings[0])
    return recordings[-1]


def test_cubes_that_tumble_do_not_remember_frames():
    """What pairs of shapes remember of their closest features is not changed by frames."""
    recording = same_at_all_rates(partial(ic.simulate, tumbling_stack(1, 6), duration=1.0))

    assert recording.diagnostics["contacts"]["mean"] > 4.0


@given(st.integers(0, 2**32), st.integers(1, 5), st.sampled_from([0.004, 0.01, 1 / 60]))
@settings(max_examples=6)
def test_stacks(seed, count, step):
    """Any stack that tumbles moves and reports the same at every frame rate."""
    stack = tumbling_stack(seed, count, step=step)

    same_at_all_rates(partial(ic.simulate, stack, duration=0.6))


@given(st.integers(0, 2**32), st.integers(2, 6), st.floats(1.0, 700.0), st.booleans())
@settings(max_examples=10)
def test_driven_trees(seed, count, fps, divided):
    """The compliances of the axes' laws are those of the last step, not of the last frame, also
    where steps are divided at limits.
    """
    tree = driven_tree(seed, count, time_of_impact=divided)
    run = partial(ic.simulate, tree, duration=0.4, step=0.01)

    same_at_all_rates(run, (2.5, fps, 100.0))


@pytest.mark.parametrize(("method", "solver"), SOLVERS)
def test_every_method_and_solver(method, solver):
    """A loop in which rows repeat others moves the same whatever the frames, by every method."""
    run = partial(ic.simulate, swinging_loop(), method=method, solver=solver)

    same_at_all_rates(partial(run, duration=0.5))


@pytest.mark.parametrize("sleeping", [False, True])
@pytest.mark.parametrize("time_of_impact", [False, True])
def test_machine_among_bodies_that_touch(sleeping, time_of_impact):
    """The same with all that acts at once, events and counted contacts included."""
    busy = busy_ground(sleeping=sleeping, time_of_impact=time_of_impact)

    recording = same_at_all_rates(partial(ic.simulate, busy, duration=1.5), (1.0, 30.0, 333.0))

    assert len(recording.events) > 5


def narrow(monkeypatch) -> None:
    """Begin with next to no room for contacts, those of machines, pairs and events."""
    monkeypatch.setattr(contact_runner, "_ROWS", 1)
    monkeypatch.setattr(contact_runner, "_ROWS_PER_SHAPE", 0)
    monkeypatch.setattr(contact_runner, "_ARTICULATED_ROWS", 1)
    monkeypatch.setattr(contact_runner, "new_sweep", partial(sweep.new_sweep, pairs=1))
    monkeypatch.setattr(
        contact_runner,
        "new_contact_events",
        lambda room=1: events.new_contact_events(room),
    )


def wide(monkeypatch) -> None:
    """Begin with more room than is ever used."""
    monkeypatch.setattr(contact_runner, "_ROWS", 500)
    monkeypatch.setattr(contact_runner, "_ARTICULATED_ROWS", 50)
    monkeypatch.setattr(contact_runner, "new_sweep", partial(sweep.new_sweep, pairs=1000))


def at_any_room(monkeypatch, run) -> ic.Recording:
    """Run with the usual room, more, and next to none; the same must come of it."""
    usual = run()
    for choose in (wide, narrow):
        with monkeypatch.context() as patch:
            choose(patch)
            assert outcome(run()) == outcome(usual)
    return usual


def test_a_step_that_runs_out_of_room_is_tried_again_as_if_nothing_had_been(monkeypatch):
    """The second try of a step begins with what contacts and pairs remembered before the first."""
    stack = tumbling_stack(2, 6)

    recording = at_any_room(monkeypatch, partial(ic.simulate, stack, duration=1.0, fps=5.0))

    assert recording.diagnostics["contacts"]["max"] > 8


@pytest.mark.parametrize("fps", [2.0, 333.0])
@pytest.mark.parametrize("seed", range(3))
def test_room_changes_nothing(monkeypatch, seed, fps):
    """Nor of sleepers, meetings, machines and joints that break, with and without frames inside."""
    rng = np.random.default_rng(seed)
    busy = busy_ground(sleeping=True, time_of_impact=bool(seed % 2))
    busy.bodies += [
        ball(f"shot-{k}", (-8.0 - 2 * k, 0.2, 1.0), velocity=(*rng.uniform(4, 9, 1), 0.0, 2.0))
        for k in range(3)
    ]

    at_any_room(monkeypatch, partial(ic.simulate, busy, duration=1.5, fps=fps))


def test_no_event_is_lost_between_sparse_frames():
    """Touches and lift-offs are all told, however many there are between two frames."""
    bouncing = scene(*(cube(f"c{k}", position=(3.0 * k, 0.0, 0.7)) for k in range(20)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            contact_runner, "new_contact_events", lambda room=4: events.new_contact_events(room)
        )
        recording = ic.simulate(bouncing, duration=0.5, fps=2.0)

    assert sum(event["kind"] == "touch" for event in recording.events) >= 20
