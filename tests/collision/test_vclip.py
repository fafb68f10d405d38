"""V-Clip and the climb out of overlaps: proven by planes and points, not by another method."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from impulse_core.collision.polyhedra import (
    box_core,
    cone_core,
    cylinder_core,
    ellipsoid_core,
    hull_core,
    point_core,
    segment_core,
    triangle_core,
)
from impulse_core.collision.vclip import OVERLAPPING, SEPARATE

from .pieces import Piece, astray, closest_of_pairs, least_of_pairs, matrices, shapes_of, turn


def _cores():
    rng = np.random.default_rng(4)
    flat = rng.normal(size=(20, 3)) * [1.0, 1.0, 0.02]
    return [
        point_core(),
        segment_core(1.0),
        triangle_core((0, 0, 0), (1, 0, 0), (0.3, 0.6, 0)),
        box_core((1.0, 2.0, 3.0)),
        box_core((1.0, 1.0, 0.1)),
        cylinder_core(0.5, 1.0),
        cone_core(0.5, 1.0),
        ellipsoid_core((1.0, 0.5, 0.3)),
        hull_core(flat),
        *(hull_core(rng.normal(size=(rng.integers(4, 40), 3))) for _ in range(40)),
    ]


CORES = _cores()
SHAPES = shapes_of([Piece(core) for core in CORES])
FLUSH = [box_core((1, 1, 1)), cylinder_core(0.5, 1.0), segment_core(1.0), cone_core(0.5, 1.0)]
FLUSH_SHAPES = shapes_of([Piece(core) for core in FLUSH])


def _random_pairs(count, seed):
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, len(CORES), size=(count, 2))
    orientation = rng.normal(size=(count, 4))
    orientation /= np.linalg.norm(orientation, axis=1)[:, None]
    translation = rng.normal(size=(count, 3)) * rng.uniform(0.3, 3.0, size=(count, 1))
    return pairs, translation, orientation


def _closest(pairs, translation, orientation, shapes=SHAPES, codes=None, kernel=closest_of_pairs):
    codes = np.full((len(pairs), 2), -1) if codes is None else codes
    result = np.zeros((len(pairs), 11))
    kernel(shapes, pairs, translation, orientation, codes, result)
    return result, codes


def _padded(cores):
    """Corners of all cores in one array; missing ones repeat the first."""
    most = max(len(core.vertices) for core in cores)
    rows = [np.resize(core.vertices, (most, 3)) for core in cores]
    for row, core in zip(rows, cores, strict=True):
        row[len(core.vertices) :] = core.vertices[0]
    return np.array(rows)


def _gaps(pairs, translation, orientation, n):
    """g(n) over all corners, for one n of each pair."""
    corners = _padded(CORES)
    first = np.einsum("pvi,pi->pv", corners[pairs[:, 0]], n).max(axis=1)
    back = np.einsum("pji,pj->pi", matrices(orientation), n)
    second = np.einsum("pvi,pi->pv", corners[pairs[:, 1]], back).min(axis=1)
    return second + np.einsum("pi,pi->p", translation, n) - first


def _outside(core, points):
    """How far points lie outside a core at most."""
    if len(core.vertices) == 1:
        return np.linalg.norm(points - core.vertices[0], axis=1).max()
    if len(core.vertices) == 2:
        P, d = core.vertices[0], core.vertices[1] - core.vertices[0]
        along = np.clip((points - P) @ d / (d @ d), 0.0, 1.0)
        return np.linalg.norm(points - P - along[:, None] * d, axis=1).max()
    planes = [*core.face_plane]
    if len(core.vertices) == 3:  # its sides
        n = core.face_plane[0, :3]
        for tail, head in zip(core.vertices, np.roll(core.vertices, -1, axis=0), strict=True):
            m = np.cross(head - tail, n)
            m /= np.linalg.norm(m)
            planes.append([*m, m @ tail])
    planes = np.array(planes)
    return (points @ planes[:, :3].T - planes[:, 3]).max()


def test_distances_of_random_pairs_are_exact():
    """A plane leaves as much between the cores as two of their points are apart: 1e-10 relative.

    Both bound the distance, from below and from above, whatever the method.
    """
    pairs, translation, orientation = _random_pairs(100_000, seed=1)

    result, _ = _closest(pairs, translation, orientation)

    state, distance = result[:, 0], result[:, 1]
    A, B, n = result[:, 2:5], result[:, 5:8], result[:, 8:11]
    apart = np.flatnonzero(state == SEPARATE)
    assert 0.3 < len(apart) / len(pairs) < 0.7
    tolerance = 1e-10 * distance[apart] + 1e-13
    gap = _gaps(pairs[apart], translation[apart], orientation[apart], n[apart])
    assert np.all(np.abs(gap - distance[apart]) <= tolerance)
    assert np.all(np.abs(np.linalg.norm(n[apart], axis=1) - 1.0) <= 1e-14)
    between = (B - A)[apart]
    assert np.all(np.abs(np.linalg.norm(between, axis=1) - distance[apart]) <= tolerance)
    in_second = np.einsum("pji,pj->pi", matrices(orientation), B - translation)
    for s, core in enumerate(CORES):
        assert _outside(core, A[apart[pairs[apart, 0] == s]]) <= 1e-13
        assert _outside(core, in_second[apart[pairs[apart, 1] == s]]) <= 1e-13


def test_pairs_said_to_overlap_have_no_separating_axis():
    """Of 400 of them no normal of a face and no direction across two edges leaves a gap."""
    pairs, translation, orientation = _random_pairs(3000, seed=2)
    result, _ = _closest(pairs, translation, orientation)
    # Cores that have an inside; of the others every pair of faces or edges would have to be apart.
    overlapping = np.flatnonzero((result[:, 0] == OVERLAPPING) & (pairs.min(axis=1) >= 3))[:400]
    assert len(overlapping) == 400

    for p in overlapping:
        assert _largest_gap(pairs[p], translation[p], orientation[p])[0] <= 1e-12


def _largest_gap(pair, translation, orientation):
    """Maximum of g over all separating axes of two solids, and the axis."""
    first, second = CORES[pair[0]], CORES[pair[1]]
    R = matrices(orientation)
    corners = second.vertices @ R.T + translation
    a = np.diff(first.vertices[first.edge_vertex], axis=1)[:, 0]
    b = np.diff(corners[second.edge_vertex], axis=1)[:, 0]
    across = np.cross(a[:, None], b[None]).reshape(-1, 3)
    length = np.linalg.norm(across, axis=1)
    across = across[length > 1e-9] / length[length > 1e-9, None]
    normals = [first.face_plane[:, :3], -second.face_plane[:, :3] @ R.T, across, -across]
    n = np.vstack(normals)
    gaps = (corners @ n.T).min(axis=0) - (first.vertices @ n.T).max(axis=0)
    best = np.argmax(gaps)
    return gaps[best], n[best]


def test_overlap_is_the_least_translation():
    """Without memory the gap of overlapping cores is the maximum over all separating axes."""
    pairs, translation, orientation = _random_pairs(3000, seed=3)
    result, _ = _closest(pairs, translation, orientation)
    small = [s for s, core in enumerate(CORES) if s >= 3 and len(core.edge_vertex) <= 200]
    chosen = (result[:, 0] == OVERLAPPING) & np.isin(pairs, small).all(axis=1)
    chosen = np.flatnonzero(chosen)[:300]
    pairs, translation, orientation = pairs[chosen], translation[chosen], orientation[chosen]

    found, _ = _closest(pairs, translation, orientation, kernel=least_of_pairs)

    for p in range(len(pairs)):
        gap, _ = _largest_gap(pairs[p], translation[p], orientation[p])
        assert found[p, 1] == pytest.approx(gap, abs=1e-12)
    gap = _gaps(pairs, translation, orientation, found[:, 8:11])
    np.testing.assert_allclose(gap, found[:, 1], rtol=0.0, atol=1e-12)


def test_moving_apart_along_the_normal_ends_an_overlap():
    """Moved by the depth along the normal the cores just touch, at the points named."""
    pairs, translation, orientation = _random_pairs(2000, seed=5)
    result, _ = _closest(pairs, translation, orientation, kernel=least_of_pairs)
    overlapping = np.flatnonzero((result[:, 1] < 0.0) & (pairs.min(axis=1) >= 3))
    pairs, translation, orientation = (x[overlapping] for x in (pairs, translation, orientation))
    gap, A, B, n = (result[overlapping][:, c] for c in (1, slice(2, 5), slice(5, 8), slice(8, 11)))

    apart, _ = _closest(pairs, translation + (1e-3 - gap[:, None]) * n, orientation)

    assert np.all(apart[:, 0] == SEPARATE)
    np.testing.assert_allclose(apart[:, 1], 1e-3, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(B - A, gap[:, None] * n, rtol=0.0, atol=1e-9)


def test_memory_does_not_change_the_answer():
    """Along coherent motions the distance is the one that a search without memory finds."""
    count, steps = 400, 60
    pairs, translation, orientation = _random_pairs(count, seed=6)
    translation *= 1.5
    rng = np.random.default_rng(7)
    velocity, spin = 0.02 * rng.normal(size=(2, count, 3))
    codes = np.full((count, 2), -1)
    for _ in range(steps):
        translation = translation + velocity
        turned = orientation + 0.5 * _product(spin, orientation)
        orientation = turned / np.linalg.norm(turned, axis=1)[:, None]

        remembered, codes = _closest(pairs, translation, orientation, codes=codes)
        fresh, _ = _closest(pairs, translation, orientation)

        assert np.array_equal(remembered[:, 0], fresh[:, 0])
        apart = fresh[:, 0] == SEPARATE
        np.testing.assert_allclose(remembered[apart, 1], fresh[apart, 1], rtol=1e-10, atol=1e-13)


def _product(omega, q):
    """(0, ω) ∘ q"""
    w, u = q[:, :1], q[:, 1:]
    dot = np.einsum("pi,pi->p", omega, u)[:, None]
    return np.hstack([-dot, w * omega + np.cross(omega, u)])


def test_aligned_boxes():
    """Faces, edges and corners flush with each other: the distance of axis-aligned boxes."""
    size = np.array([1.0, 2.0, 3.0])
    shapes = shapes_of([Piece(box_core(size)), Piece(box_core(size))])
    steps = [-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0]
    translation = size * np.array(list(itertools.product(steps, steps, steps)))
    quarter = np.array([[1.0, 0, 0, 0], turn((0, 0, 1), np.pi), turn((1, 0, 0), np.pi)])
    for q in quarter:
        orientation = np.tile(q, (len(translation), 1))
        pairs = np.tile([0, 1], (len(translation), 1))

        result, _ = _closest(pairs, translation, orientation, shapes)

        beside = np.maximum(np.abs(translation) - size, 0.0)
        distance = np.linalg.norm(beside, axis=1)
        apart = result[:, 0] == SEPARATE
        assert np.array_equal(apart, distance > 1e-9)
        np.testing.assert_allclose(result[apart, 1], distance[apart], rtol=1e-14)
        n = beside * np.sign(translation) / np.maximum(distance, 1e-9)[:, None]
        np.testing.assert_allclose(result[apart, 8:11], n[apart], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-10, 1e-9, 1e-7])
@pytest.mark.parametrize("cores", [(0, 0), (1, 1), (0, 1), (3, 3)])
def test_cores_side_by_side_need_no_fallback(cores, angle):
    """Parallel to within round-off and a little more, as bodies at rest: V-Clip ends by itself."""
    rng = np.random.default_rng(0)
    count = 2000
    translation = rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0, 1.1], size=(count, 3))
    translation[:, 2] = 1.0 + rng.choice([1e-4, 1e-3, 0.1], size=count)
    turned = np.column_stack([np.ones(count), 0.5 * angle * rng.normal(size=(count, 3))])

    lost = astray(FLUSH_SHAPES, np.tile(cores, (count, 1)), translation, turned)

    assert lost <= 1


def _uneven_plate(rng, turned, digits):
    """A plate with drawn corners, turned, and written with so many digits: its faces are uneven."""
    angles = np.sort(rng.uniform(0.0, 2.0 * np.pi, rng.integers(5, 24)))
    rim = np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(0.5, 1.5, 2)
    corners = np.vstack([np.column_stack([rim, np.full(len(rim), z)]) for z in (-0.1, 0.1)])
    return hull_core(np.round(0.05 * corners @ turned.T, digits))


@pytest.mark.parametrize("digits", [6, 7, 8, 9])
@pytest.mark.parametrize("seed", range(6))
def test_uneven_plates_side_by_side_need_no_fallback(seed, digits):
    """Hulls of meshes that were written with few digits lie along each other, as fingers do: some
    place that a walk comes to is proven to what their faces are uneven by.
    """
    rng = np.random.default_rng([seed, digits])
    turned = matrices([turn(rng.normal(size=3), rng.uniform(0.0, 3.0))])[0]
    one, other = _uneven_plate(rng, turned, digits), _uneven_plate(rng, turned, digits)
    shapes, count = shapes_of([Piece(one), Piece(other)]), 400
    shift = np.column_stack([rng.uniform(-0.05, 0.05, (count, 2)), np.zeros(count)])
    shift[:, 2] = 0.01 + 10.0 ** rng.uniform(-5.0, -1.0, count)
    rotation = np.column_stack([np.ones(count), 0.5e-9 * rng.normal(size=(count, 3))])
    translation = shift @ turned.T
    pairs, codes = np.tile((0, 1), (count, 1)), np.full((count, 2), -1)
    result = np.zeros((count, 11))

    lost = astray(shapes, pairs, translation, rotation)
    closest_of_pairs(shapes, pairs, translation, rotation, codes, result)

    assert lost <= 0.02 * count
    assert (result[:, 0] == SEPARATE).all()
    for p in range(0, count, 20):
        moved = other.vertices @ matrices(rotation[p : p + 1])[0].T + translation[p]
        exact = _distance_of_hulls(one.vertices, moved)
        assert abs(result[p, 1] - exact) <= 1e-9 + 3.0 * (one.uneven + other.uneven)


def _distance_of_hulls(one, other):
    """Of two sets of corners, by least squares over their mixtures [m]."""
    sums = 1e3 * np.array(
        [[1.0] * len(one) + [0.0] * len(other), [0.0] * len(one) + [1.0] * len(other)]
    )
    mixture, _ = nnls(np.vstack([np.hstack([one.T, -other.T]), sums]), [0.0, 0.0, 0.0, 1e3, 1e3])
    first, second = mixture[: len(one)], mixture[len(one) :]
    return np.linalg.norm(first @ one / first.sum() - second @ other / second.sum())


@settings(max_examples=300)
@given(
    angle=st.floats(-1e-7, 1e-7),
    axis=st.sampled_from([(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 2, 3)]),
    shift=st.tuples(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), st.floats(-1.5, 1.5)),
    gap=st.sampled_from([1e-9, 1e-6, 1e-3, 0.1]),
    cores=st.sampled_from([(0, 0), (0, 1), (1, 2), (2, 2), (1, 3), (3, 3)]),
)
def test_nearly_parallel_features(angle, axis, shift, gap, cores):
    """Faces and edges that are parallel to 1e-7 rad: the plane and the points still agree.

    Normals are right to 1e-11 rad, and those of close points to round-off over their distance.
    """
    translation = np.array([[shift[0], shift[1], 1.0 + gap]])
    orientation = turn(axis, angle)[None]
    result, _ = _closest(np.array([cores]), translation, orientation, FLUSH_SHAPES)
    state, distance, n = result[0, 0], result[0, 1], result[0, 8:11]
    if state == OVERLAPPING:  # tilted by more than the gap
        assert gap < 2e-7
        return
    first = FLUSH[cores[0]].vertices
    second = FLUSH[cores[1]].vertices @ matrices(orientation[0]).T + translation[0]
    gap_left = (second @ n).min() - (first @ n).max()
    assert gap_left == pytest.approx(distance, rel=1e-10, abs=4e-11 + 1e-15 / distance)
