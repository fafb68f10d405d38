"""The heaps that `make soak` simulates for an hour, smaller and for seconds."""

import pytest

from tests.soak.heaps import heaps, run


@pytest.mark.parametrize(("name", "seconds"), [("brick", 1.5), ("dominoes", 1.5), ("machine", 1.0)])
def test_heaps_end_without_a_warning(name, seconds):
    run(heaps(edge=5, stones=40, row=30, strewn=24)[name], seconds)
