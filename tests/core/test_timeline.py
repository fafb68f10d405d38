"""The plan of a run: steps on a grid, frames between them, cuts where loads switch."""

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from impulse_core.simulation.timeline import active_loads, frame_times, plan_timeline


def windows_of(pairs):
    return np.array(pairs, dtype=float).reshape(-1, 2)


@st.composite
def plans(draw):
    """Duration, step, fps and windows of loads, commensurable or not."""
    step = draw(st.sampled_from([0.01, 1 / 60, 0.003, 0.25]) | st.floats(1e-3, 0.5))
    duration = draw(st.integers(1, 40).map(lambda n: n * step) | st.floats(step, 60 * step))
    fps = draw(st.sampled_from([25.0, 24.0, 333.0]) | st.floats(0.1, 500.0))
    times = st.floats(0.0, 1.2 * duration) | st.integers(0, 50).map(lambda n: n * step)
    window = st.tuples(times, times | st.just(np.inf)).filter(lambda pair: pair[0] < pair[1])
    return duration, step, fps, windows_of(draw(st.lists(window, max_size=4)))


@given(plans(), st.integers(1, 100))
def test_segments_cover_the_run(plan, most):
    """Segments follow each other without a gap from 0 to the duration, exactly."""
    duration, step, fps, windows = plan
    segments = list(plan_timeline(duration, step, fps, windows, most))

    assert segments[0].start == 0.0
    assert segments[-1].end == duration
    for before, after in itertools.pairwise(segments):
        assert before.end == after.start
    for s in segments:
        assert s.start + s.count * s.length == pytest.approx(s.end, abs=1e-8 * step)
        assert 1 <= s.count <= most


@given(plans(), st.integers(1, 100))
def test_no_step_is_longer_than_asked(plan, most):
    """No step is longer than h, and none is a splinter of round-off."""
    duration, step, fps, windows = plan
    for s in plan_timeline(duration, step, fps, windows, most):
        assert s.length <= step * (1.0 + 2e-9)
        assert s.length >= 0.9e-9 * step


@given(plans(), st.integers(1, 100))
def test_every_frame_once(plan, most):
    """All frames are met in order, inside a step or at the end of a segment, each once."""
    duration, step, fps, windows = plan
    met = [0.0]
    for s in plan_timeline(duration, step, fps, windows, most):
        assert not s.frames or s.count == 1
        assert all(0.0 < offset < s.length for offset in s.frames)
        met += [s.start + offset for offset in s.frames]
        if s.frame_at_end:
            met.append(s.end)

    expected = frame_times(duration, fps, step)
    assert len(met) == len(expected)
    assert met == pytest.approx(expected, abs=2e-9 * step + 1e-12 * duration)


@given(plans(), st.integers(1, 100))
@example((0.01, 0.01, 25.0, windows_of([(1e-12, 7.9e-4)])), 1)  # begins a hair after the start
def test_loads_switch_between_segments(plan, most):
    """No load begins or ends inside a segment, and each acts exactly in its window."""
    duration, step, fps, windows = plan
    slack = 2e-9 * step
    acting = np.zeros(len(windows))
    for s in plan_timeline(duration, step, fps, windows, most):
        for switch in windows.ravel():
            assert not s.start + slack < switch < s.end - slack
        acting += active_loads(windows, s.start, s.end, step) * (s.end - s.start)

    wanted = np.clip(windows, 0.0, duration)
    assert acting == pytest.approx(wanted[:, 1] - wanted[:, 0], abs=100 * slack)


def test_cuts_do_not_shift_the_grid():
    """After a switch off the grid the plan returns to multiples of h."""
    ends = [s.end for s in plan_timeline(0.05, 0.01, 1.0, windows_of([(0.013, 0.034)]), 100)]

    assert ends == pytest.approx([0.01, 0.013, 0.02, 0.03, 0.034, 0.04, 0.05], abs=1e-15)


def test_long_runs_keep_the_grid():
    """After a hundred thousand steps of 0.1 ms times are k·h, without a sum's drift."""
    last = list(plan_timeline(10.0, 1e-4, 25.0, windows_of([]), 7))[-1]

    assert last.end == 10.0
    assert last.start == pytest.approx(10.0 - last.count * 1e-4, abs=1e-14)


@pytest.mark.parametrize(
    ("duration", "fps", "expected"),
    [
        (1.0, 4.0, [0.0, 0.25, 0.5, 0.75, 1.0]),
        (0.9, 4.0, [0.0, 0.25, 0.5, 0.75, 0.9]),
        (0.1, 1.0, [0.0, 0.1]),
    ],
)
def test_frames_lie_on_multiples_and_on_the_end(duration, fps, expected):
    """Frames are at k/fps and once more at the end of the run."""
    assert frame_times(duration, fps, 0.01).tolist() == expected


@given(plans(), st.integers(1, 100))
def test_whole_steps_know_their_place_on_the_grid(plan, most):
    """Whole steps are numbered, so that their times do not depend on how a run is divided."""
    duration, step, fps, windows = plan
    for s in plan_timeline(duration, step, fps, windows, most):
        if s.grid >= 0:
            assert s.length == step
            assert abs(s.grid * step - s.start) <= 1.1e-9 * step
        else:
            assert s.count == 1
