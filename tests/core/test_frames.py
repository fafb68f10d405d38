"""What frames cost in memory, and that they are kept when there is no more."""

from __future__ import annotations

import numpy as np
import pytest

import impulse_core as ic
from impulse_core.compile import compile_scene
from impulse_core.simulation import recorder
from impulse_core.simulation.frames import GrowingRows, frame_bytes
from tests.contact.scenes import cube, scene
from tests.core.gears import gear_pair
from tests.core.scenes import chain, scene_of
from tests.determinism.runs import driven_tree

SCENES = [
    lambda: scene_of([]),
    lambda: chain(2, ["ball", "hinge"]),
    gear_pair,
    lambda: driven_tree(2),
]


@pytest.mark.parametrize("build", SCENES)
@pytest.mark.parametrize("frames", [0, 1, 3])
def test_a_frame_that_is_not_finite_ends_the_run(monkeypatch, build, frames):
    """Numbers that overflow fail the run, which keeps the frames before, none of the first."""
    observed = iter([True] * frames)
    observe = recorder.observe

    def overflowing(*state):
        kinetic, potential, linear, angular = observe(*state)
        return kinetic if next(observed, False) else np.inf, potential, linear, angular

    monkeypatch.setattr(recorder, "observe", overflowing)
    with pytest.raises(ic.SimulationError, match="finite") as caught:
        ic.simulate(build(), duration=0.1, fps=100.0)

    assert caught.value.recording.frame_count == frames
    assert not caught.value.recording.complete


def test_rows_grow():
    """Rows that are put at the end stay what they are."""
    rows = GrowingRows(3, np.int64)
    given = [np.arange(3 * n).reshape(n, 3) + n for n in (0, 1, 1500, 7, 4000)]
    for part in given:
        rows.add(part)

    assert np.array_equal(rows.used(), np.concatenate(given))


@pytest.mark.parametrize(
    "build", [lambda: chain(5, ["hinge"] * 5), gear_pair, lambda: driven_tree(2)]
)
def test_what_a_frame_takes_is_known(build):
    """The estimate that long runs are refused by covers the arrays of the recording."""
    made = build()
    compiled = compile_scene(made)

    recording = ic.simulate(made, duration=0.5, fps=200.0)

    arrays = [recording.times, recording.positions, recording.orientations]
    arrays += [a for joint in recording.joints.values() for a in joint.values()]
    arrays += [*recording.energy.values(), *recording.momentum.values()]
    taken = sum(array.nbytes for array in arrays) / recording.frame_count
    assert taken <= frame_bytes(compiled.model, len(compiled.body_names), 0) <= 6 * taken


def test_more_frames_than_memory_are_refused():
    """What does not fit is refused before anything is computed, with what to do instead."""
    with pytest.raises(ic.OptionError, match="record fewer frames per second"):
        ic.simulate(chain(2, ["ball", "hinge"]), duration=1e4, step=0.1, fps=1e5)


def test_memory_that_the_machine_does_not_give(monkeypatch):
    """The same where the limit is the machine's."""
    monkeypatch.setattr(recorder, "frame_bytes", lambda *_: 10**15)
    with pytest.raises(ic.OptionError, match="record fewer frames per second"):
        ic.simulate(chain(2, ["ball", "hinge"]), duration=0.1)


@pytest.mark.parametrize("at", [1, 30, 77])
def test_frames_are_kept_when_memory_runs_out(monkeypatch, at):
    """Contacts take memory as they come. Where there is no more, the frames so far are kept."""
    calls = []
    add = GrowingRows.add

    def add_some(rows, more):
        calls.append(len(more))
        if len(calls) == at:
            raise MemoryError
        add(rows, more)

    monkeypatch.setattr(GrowingRows, "add", add_some)
    with pytest.raises(ic.SimulationError, match="memory") as caught:
        ic.simulate(scene(cube("c")), duration=1.0, fps=50.0, contacts=True)

    recording = caught.value.recording
    assert recording.frame_count == (at - 1) // 2
    assert not recording.complete
    assert recording.events[-1]["kind"] == "failure"
    assert np.all(recording.contacts["frame"] < max(recording.frame_count, 1))
