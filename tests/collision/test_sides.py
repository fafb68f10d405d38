"""From which side two shapes overlap: a pair remembers it while that is shallow, and no longer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from impulse_core.collision.penetration import SHALLOW
from impulse_core.collision.polyhedra import box_core

from .pieces import Pair, Piece, shapes_of, turn

ORIGIN, UPRIGHT = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])


def resting(size: float) -> Pair:
    """Two cubes, of which the second lies on the first, as the pair remembers."""
    cube = Piece(box_core((size, size, size)))
    pair = Pair(shapes_of([cube, cube]), 0, 1)
    found = pair.contacts(ORIGIN, UPRIGHT, (0.0, 0.0, size), UPRIGHT, 0.01 * size)
    assert np.allclose(found.axis1, (0.0, 0.0, 1.0))
    return pair


@pytest.mark.parametrize("size", [0.05, 1.0, 20.0])
def test_a_cube_beside_the_one_it_lay_on(size):
    """It overlaps it by 0.01 mm a metre at the side, and would have to rise by 1 mm a metre."""
    pair = resting(size)
    place = (0.99999 * size, 0.0, 0.999 * size)

    found = pair.contacts(ORIGIN, UPRIGHT, place, UPRIGHT, 0.01 * size)

    assert found.gap.min() == pytest.approx(-1e-5 * size, rel=1e-6)


@given(
    side=st.floats(1e-8, 1e-4),
    above=st.floats(3e-4, 5e-3),
    along=st.floats(-0.4, 0.4),
    angle=st.floats(-1e-3, 1e-3),
    size=st.floats(0.01, 100.0),
)
def test_nor_is_it_lifted_from_other_places(side, above, along, angle, size):
    """No overlap is told that is deeper than what a pair may remember, where the least is not."""
    pair = resting(size)
    place = ((1.0 - side) * size, along * size, (1.0 - above) * size)
    reach = np.sqrt(0.75) * size

    found = pair.contacts(ORIGIN, UPRIGHT, place, turn((0, 1, 0), angle), 0.01 * size)

    least = side + 0.5 * abs(angle)  # no corner of the turned cube is farther inside
    assert found.gap.min() >= -max(SHALLOW * reach, 1.01 * least * size)
