"""convex_hull: an outward mesh of the hull's corners."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core.geometry import (
    MassPropertiesError,
    check_mesh,
    convex_hull,
    polyhedron_mass_properties,
)

from .solids import box_mesh


@given(st.integers(0, 2**32), st.integers(4, 60))
@settings(max_examples=100, deadline=None)
def test_hull_is_a_solid_that_holds_all_points(seed, count):
    """The mesh is sound, and no point lies in front of one of its faces."""
    points = np.random.default_rng(seed).normal(size=(count, 3))

    hull = convex_hull(points)

    assert check_mesh(hull) == []
    a, b, c = (hull.vertices[hull.corners.reshape(-1, 3)[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    assert np.max(np.einsum("fi,pfi->pf", normals, points[:, None] - a)) <= 1e-12


def test_points_inside_are_dropped():
    """The hull of a box and its middle is the box."""
    hull = convex_hull([*box_mesh((1.0, 2.0, 3.0)).vertices, [0.0, 0.0, 0.0]])

    assert (len(hull.vertices), hull.face_count) == (8, 12)
    assert abs(polyhedron_mass_properties(hull).volume - 6.0) <= 1e-14


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 3, 0]], "5 points lie in one plane"),
        ([[0, 0, 0], [1, 0, 0]], "fewer than four"),
        ([], "fewer than four"),
        ([[0, 0, np.nan]] * 5, "not finite"),
    ],
)
def test_no_solid(points, message):
    """Points without a hull are an error that says why."""
    with pytest.raises(MassPropertiesError, match=message):
        convex_hull(points)
