"""Times of calls, in room that does not grow."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from impulse_core.simulation.call_times import CallTimes

calls = st.lists(st.tuples(st.floats(1e-7, 1e3), st.integers(1, 50)), min_size=1, max_size=60)


@given(calls, st.integers(0, 60))
def test_they_say_what_all_calls_together_say(found, cut):
    """Mean and longest exactly, the median to one in a hundred; also saved on the way."""
    times = CallTimes()
    for seconds, count in found[:cut]:
        times.add(seconds, count)
    resumed = CallTimes()
    resumed.restore(json.loads(json.dumps(times.saved())))
    for seconds, count in found[cut:]:
        resumed.add(seconds, count)

    steps = np.sort(np.repeat([s for s, _ in found], [n for _, n in found]))
    assert resumed.count == len(steps)
    assert resumed.longest == steps[-1]
    np.testing.assert_allclose(resumed.mean, steps.mean(), rtol=1e-12)
    low, high = steps[(len(steps) - 1) // 2], steps[len(steps) // 2]
    assert 0.99 * low <= resumed.median <= 1.01 * high


def test_of_no_calls():
    """Nothing took any time."""
    assert (CallTimes().mean, CallTimes().median, CallTimes().longest) == (0.0, 0.0, 0.0)
