"""Shapes on planes against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from impulse_core.collision.contacts import PLANE_ELLIPSOID, PLANE_POINT, PLANE_RIM
from impulse_core.collision.polyhedra import (
    box_core,
    cone_core,
    cylinder_core,
    ellipsoid_core,
    empty_core,
    hull_core,
    point_core,
    segment_core,
)
from impulse_core.collision.shapes import CONE, CYLINDER, ELLIPSOID, PLANE, TORUS

from .pieces import Pair, Piece, matrices, shapes_of, turn

GROUND = Piece(empty_core(), 0.0, PLANE)
AXES = (0.5, 0.4, 0.3)
ROUND = Piece(cylinder_core(0.5, 1.2), 0.0, CYLINDER, (0.5, 0.5, 0.6))
TIP = Piece(cone_core(0.5, 1.2), 0.0, CONE, (0.5, 0.5, 0.6))
EGG = Piece(ellipsoid_core(AXES), 0.0, ELLIPSOID, AXES)
CUBE = Piece(box_core((1, 1, 1)))
CLOUD = Piece(hull_core(np.random.default_rng(3).normal(size=(80, 3))))
PIECES = [
    GROUND,
    CUBE,
    Piece(point_core(), 0.5),
    Piece(segment_core(1), 0.2),
    ROUND,
    TIP,
    EGG,
    CLOUD,
]
SHAPES = shapes_of([*PIECES, GROUND])
UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
ORIGIN = np.zeros(3)


def _orientation(seed):
    q = np.random.default_rng(seed).normal(size=4)
    return q / np.linalg.norm(q)


quaternions = st.integers(0, 2**32).map(_orientation)


def _lowest(piece, q, n=(0, 0, 1)):
    """Height of a shape's lowest point over its centre."""
    m = matrices(q).T @ np.asarray(n, dtype=float)
    if piece.kind == ELLIPSOID:
        return -np.linalg.norm(np.multiply(AXES, m))
    r, h = piece.extent[0], piece.extent[2]
    across = np.hypot(m[0], m[1])
    if piece.kind == CYLINDER:
        return -r * across - h * abs(m[2])
    if piece.kind == CONE:
        return min(-h * m[2] - r * across, h * m[2])
    return (piece.core.vertices @ m).min() - piece.radius


@given(
    number=st.integers(1, 7),
    q=quaternions,
    tilt=quaternions,
    gap=st.floats(-0.1, 0.09),
    behind=st.booleans(),
)
def test_gap_over_a_plane(number, q, tilt, gap, behind):
    """The least gap is that of the shape's lowest point, on planes that stand anyhow.

    Except on rims parallel to 1e-3 rad, which four of their points stand for: r (1 - cos 45°) 1e-3.
    """
    piece = PIECES[number]
    n = matrices(tilt)[:, 2]
    place = np.array([3.0, -2.0, 1.0])
    C = place + n * (gap - _lowest(piece, q, n)) + np.cross(n, [0.3, 0.1, 0.2])
    if behind:  # the plane as second shape
        found = Pair(SHAPES, number, 8).contacts(C, q, place, tilt, 0.1)
    else:
        found = Pair(SHAPES, 0, number).contacts(place, tilt, C, q, 0.1)

    assert found.gap.min() == pytest.approx(gap, abs=1e-12)
    assert np.all(found.gap <= 0.1 + 1e-12)
    assert np.all(found.swapped == behind)
    np.testing.assert_allclose(found.axis1, np.tile([0.0, 0.0, 1.0], (len(found.gap), 1)))
    np.testing.assert_allclose(found.point1[:, 2], 0.0, atol=1e-12)
    for i in np.flatnonzero(found.kind == PLANE_POINT):
        B = C + matrices(q) @ found.point2[i]
        assert n @ (B - place) - piece.radius == pytest.approx(found.gap[i], abs=1e-12)
        above = place + matrices(tilt) @ found.point1[i]
        np.testing.assert_allclose(B - above, n * (n @ (B - place)), atol=1e-12)


def test_cube_at_rest():
    """Four corners with the names of its vertices, whichever way the round-off falls."""
    pair = Pair(SHAPES, 0, 1)
    for gap in (1e-9, -1e-9, 1e-16, 0.0):
        found = pair.contacts(ORIGIN, UPRIGHT, (0, 0, 0.5 + gap), UPRIGHT, 0.01)
        assert found.feature.tolist() == [4 * v + 1 for v in range(4)]
        np.testing.assert_allclose(found.gap, gap, atol=1e-15)


def test_ellipsoid_touches_at_one_point():
    """Its row names the centre; its support is a matter of the pose."""
    found = Pair(SHAPES, 0, 6).contacts(ORIGIN, UPRIGHT, (1, 2, 0.301), UPRIGHT, 0.01)

    assert found.kind.tolist() == [PLANE_ELLIPSOID]
    np.testing.assert_array_equal(found.point2, np.zeros((1, 3)))
    assert found.gap[0] == pytest.approx(0.001, abs=1e-15)


def test_lying_cylinder_touches_with_both_rims():
    """Two rims with its radius and axis."""
    found = Pair(SHAPES, 0, 4).contacts(
        ORIGIN, UPRIGHT, (0, 0, 0.5), turn((1, 0, 0), 1.5707963), 0.01
    )

    assert found.kind.tolist() == [PLANE_RIM] * 2
    assert found.rim.tolist() == [0.5, 0.5]
    np.testing.assert_allclose(np.abs(found.axis2), [[0, 0, 1]] * 2)
    np.testing.assert_allclose(np.sort(found.point2[:, 2]), [-0.6, 0.6])


@pytest.mark.parametrize("number", [4, 5])
def test_standing_on_a_rim(number):
    """Upright four fixed points of the base, the same whatever the round-off; tilted its rim."""
    pair = Pair(SHAPES, 0, number)
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = turn(rng.normal(size=3) * [1, 1, 0], 1e-9)
        found = pair.contacts(ORIGIN, UPRIGHT, (0, 0, 0.6), q, 0.01)
        assert found.kind.tolist() == [PLANE_POINT] * 4
        assert found.feature.tolist() == [4, 5, 6, 7]
        np.testing.assert_allclose(np.linalg.norm(found.point2[:, :2], axis=1), 0.5)
        np.testing.assert_allclose(found.gap, 0.0, atol=1e-9)

    found = pair.contacts(ORIGIN, UPRIGHT, (0, 0, 0.6 + 0.5 * 0.01), turn((1, 0, 0), 0.01), 0.02)
    assert sorted(found.kind.tolist()) == [PLANE_POINT] * 4 + [PLANE_RIM]
    found = pair.contacts(ORIGIN, UPRIGHT, (0, 0, 0.73), turn((1, 0, 0), 0.3), 0.02)
    assert found.kind.tolist() == [PLANE_RIM]


@given(q=quaternions, tilt=quaternions, gap=st.floats(-0.1, 0.09), behind=st.booleans())
def test_gap_of_a_torus_over_a_plane(q, tilt, gap, behind):
    """Its lowest point is R sin θ + r below its middle, with θ between its axis and the normal."""
    ring = Piece(empty_core(), 0.1, TORUS, (0.5, 0.501, 0.0))
    shapes = shapes_of([GROUND, ring, GROUND])
    n = matrices(tilt)[:, 2]
    sine = np.linalg.norm(np.cross(matrices(q)[:, 2], n))
    place = np.array([3.0, -2.0, 1.0])
    C = place + n * (gap + 0.5 * sine + 0.1) + np.cross(n, [0.3, 0.1, 0.2])
    if behind:
        found = Pair(shapes, 1, 2).contacts(C, q, place, tilt, 0.1)
    else:
        found = Pair(shapes, 0, 1).contacts(place, tilt, C, q, 0.1)

    nearly_flat = 0.5 * (1 - np.sqrt(0.5)) * 1e-3  # where four points stand for it
    assert found.gap.min() == pytest.approx(gap, abs=nearly_flat if sine < 1e-3 else 1e-12)
    if sine > 0.02:
        assert found.kind.tolist().count(PLANE_RIM) == 1
        all_comes_down = gap + 1.0 * sine <= 0.1
        assert len(found.kind) == (5 if all_comes_down else 1)
        assert found.rim[0] == 0.5


def test_a_torus_lies_on_four_points():
    """Flat on a plane it has four points of its circle, the same whatever the round-off."""
    shapes = shapes_of([GROUND, Piece(empty_core(), 0.1, TORUS, (0.5, 0.501, 0.0))])
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = turn(rng.normal(size=3) * [1, 1, 0], 1e-9)
        found = Pair(shapes, 0, 1).contacts(ORIGIN, UPRIGHT, (0, 0, 0.1), q, 0.01)
        assert found.kind.tolist() == [PLANE_POINT] * 4
        assert found.feature.tolist() == [4, 5, 6, 7]
        np.testing.assert_allclose(np.linalg.norm(found.point2, axis=1), 0.5)
        np.testing.assert_allclose(found.gap, 0.0, atol=1e-9)


def test_lying_cone():
    """Its apex and its rim."""
    q = turn((1, 0, 0), np.pi / 2 + np.arctan(0.5 / 1.2))
    height = -_lowest(TIP, q)
    found = Pair(SHAPES, 0, 5).contacts(ORIGIN, UPRIGHT, (0, 0, height), q, 0.01)

    assert found.kind.tolist() == [PLANE_RIM, PLANE_POINT]
    np.testing.assert_allclose(found.gap, 0.0, atol=1e-12)
    np.testing.assert_array_equal(found.point2[1], [0, 0, 0.6])


def test_large_hull_rolls_over_its_lowest_corners():
    """Along a motion the climb from the corner before finds the lowest one."""
    pair = Pair(SHAPES, 0, 7)
    for angle in np.linspace(0.0, 6.0, 200):
        q = turn((1, 2, 3), angle)
        found = pair.contacts(ORIGIN, UPRIGHT, (0, 0, 0.01 - _lowest(CLOUD, q)), q, 0.05)
        assert found.gap.min() == pytest.approx(0.01, abs=1e-13)


def test_prism_on_its_end_keeps_four_corners():
    """Of the 32 corners of its end four span two thirds of the area, the same in every step."""
    shapes = shapes_of([GROUND, Piece(cylinder_core(0.5, 1.0))])
    pair = Pair(shapes, 0, 1)
    rng = np.random.default_rng(0)
    names = set()
    for _ in range(10):
        q = turn(rng.normal(size=3), 1e-9)
        found = pair.contacts(ORIGIN, UPRIGHT, (0, 0, 0.5), q, 0.01)
        names.add(frozenset(found.feature.tolist()))
        P = found.point2[:, :2]
    assert len(names) == 1
    angles = np.sort(np.arctan2(P[:, 1], P[:, 0]))
    area = 0.5 * 0.25 * np.sin(np.diff(np.append(angles, angles[0] + 2 * np.pi))).sum()
    assert area >= 0.6 * np.pi * 0.25
