"""The heaps that `make soak` simulates for an hour, smaller and for seconds."""

import pytest

from tests.soak.heaps import among_stones, brick, dominoes, run, wall


@pytest.mark.parametrize(
    ("made", "count", "seconds"),
    [
        (brick, 5, 2.0),
        (brick, 7, 1.2),
        (wall, 60, 3.0),
        (dominoes, 30, 1.5),
        (among_stones, 24, 1.0),
    ],
)
def test_heaps_end_without_a_warning(made, count, seconds):
    run(made(count), seconds)
