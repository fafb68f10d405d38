"""Contact points of pairs of cores: kinds, gaps, polygons, names."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from impulse_core.collision.contacts import (
    EDGE_EDGE,
    LINE_LINE,
    LINE_POINT,
    PLANE_POINT,
    POINT_POINT,
)
from impulse_core.collision.penetration import SHALLOW
from impulse_core.collision.polyhedra import (
    box_core,
    cylinder_core,
    ellipsoid_core,
    hull_core,
    point_core,
    segment_core,
    triangle_core,
)

from .pieces import Pair, Piece, closest_of_pairs, matrices, shapes_of, turn

FLUSH = 1e-5 * np.sqrt(0.75)  # by which corners of a cube may be beyond the edge of the other one
UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
ORIGIN = np.zeros(3)
CUBE, BALL, CAPSULE = (
    Piece(box_core((1, 1, 1))),
    Piece(point_core(), 0.5),
    Piece(segment_core(1), 0.2),
)
ROUNDED = Piece(box_core((0.8, 0.8, 0.8)), 0.1)


def _pair(first, second) -> Pair:
    return Pair(shapes_of([first, second]), 0, 1)


def _gap_of_row(found, i, poses, radii):
    """Gap of a row as its kind defines it, its points in the world, and the normal."""
    (C1, q1), (C2, q2) = poses[::-1] if found.swapped[i] else poses
    R1, R2 = matrices(q1), matrices(q2)
    A, B = C1 + R1 @ found.point1[i], C2 + R2 @ found.point2[i]
    a, b = R1 @ found.axis1[i], R2 @ found.axis2[i]
    if found.kind[i] == PLANE_POINT:
        return a @ (B - A) - sum(radii), A, B, a
    if found.kind[i] == EDGE_EDGE:
        n = np.cross(a, b) / np.linalg.norm(np.cross(a, b))
        return n @ (B - A) - sum(radii), A, B, n
    if found.kind[i] == LINE_POINT:
        A = A + a * (a @ (B - A)) / (a @ a)
    if found.kind[i] == LINE_LINE:
        n = np.cross(a, b)
        n /= np.linalg.norm(n)
        s, u, _ = np.linalg.solve(np.array([a, -b, n]).T, B - A)
        assert 0.0 <= s <= 1.0
        assert 0.0 <= u <= 1.0
        A, B = A + a * s, B + b * u
    between = B - A
    distance = np.linalg.norm(between)
    return distance - sum(radii), A, B, between / distance


def _check_rows(found, poses, pieces):
    """Each row's gap is that of its points, normals are unit vectors, names are different."""
    radii = [piece.radius for piece in pieces]
    assert len(set(found.feature.tolist())) == len(found.feature)
    for i in range(len(found.gap)):
        gap, *_, n = _gap_of_row(found, i, poses, radii)
        assert gap == pytest.approx(found.gap[i], abs=1e-12)
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-12)
        if found.kind[i] in (PLANE_POINT, EDGE_EDGE):
            assert np.linalg.norm(found.axis1[i]) == pytest.approx(1.0, abs=1e-12)


# ---------------------------------------------------------------------------------------
# Sharp solids
# ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("gap", [0.0, 1e-9, -1e-9, 1e-16, -1e-16, 1e-4, -1e-4])
def test_flush_cubes_touch_at_four_corners(gap):
    """Whatever the sign of the gap: four corners, the face's normal, the gap itself."""
    pair = _pair(CUBE, CUBE)
    for _ in range(3):
        found = pair.contacts(ORIGIN, UPRIGHT, (0, 0, 1 + gap), UPRIGHT, 0.01)

        assert found.kind.tolist() == [PLANE_POINT] * 4
        np.testing.assert_allclose(found.gap, gap, rtol=0.0, atol=1e-15)
        np.testing.assert_array_equal(found.axis1, np.tile([0.0, 0.0, 1.0], (4, 1)))
        corners = {tuple(np.round(p, 9)) for p in found.point2}
        assert corners == {(x, y, -0.5) for x in (-0.5, 0.5) for y in (-0.5, 0.5)}


@given(
    x=st.floats(-0.9, 0.9),
    y=st.floats(-0.9, 0.9),
    gap=st.floats(-1e-4, 1e-3),
    tilt=st.floats(-0.01, 0.01),
    noise=st.integers(0, 2**32),
)
def test_names_outlast_small_motions(x, y, gap, tilt, noise):
    """A cube that shakes a little has the same points in every step, and its corners as material.

    Shaking: 1e-7 m, less than its corners are from where they are cut off.
    """
    pair = _pair(CUBE, CUBE)
    rng = np.random.default_rng(noise)
    q = turn((1, 0, 0), tilt)
    start = pair.contacts(ORIGIN, UPRIGHT, (x, y, 1 + gap), q, 0.1)
    corners = np.array([x, y, 0]) + (CUBE.core.vertices[:4] @ matrices(q).T)
    margin = np.abs(np.abs(corners[:, :2]) - 0.5 - FLUSH).min()
    for _ in range(5):
        shaken = np.array([x, y, 1 + gap]) + 1e-7 * rng.uniform(-1, 1, 3)
        found = pair.contacts(ORIGIN, UPRIGHT, shaken, q, 0.1)

        if margin > 1e-6:
            assert found.feature.tolist() == start.feature.tolist()
            np.testing.assert_allclose(found.point2, start.point2, rtol=0.0, atol=1e-6)


@given(yaw=st.floats(-np.pi, np.pi), x=st.floats(-0.3, 0.3), y=st.floats(-0.3, 0.3))
def test_four_points_keep_the_contact_area(yaw, x, y):
    """Of the polygon of two twisted squares at most four corners stay, with most of its area."""
    pair = _pair(CUBE, CUBE)
    found = pair.contacts(ORIGIN, UPRIGHT, (x, y, 1 + 1e-9), turn((0, 0, 1), yaw), 0.01)

    assert 3 <= len(found.gap) <= 4
    polygon = _common_area(yaw, x, y)
    assert ConvexHull(found.point1[:, :2]).volume >= 0.66 * polygon
    for i in range(len(found.gap)):  # inside both faces
        assert np.abs(found.point1[i, :2]).max() <= 0.5 + 2e-5
        assert np.abs(found.point2[i, :2]).max() <= 0.5 + 2e-5


def _common_area(yaw, x, y):
    """Area of a unit square and another one, turned and moved, by cutting half-planes."""
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    c, s = np.cos(yaw), np.sin(yaw)
    polygon = [*(corners @ np.array([[c, s], [-s, c]]) + [x, y])]
    for m in ([1, 0], [-1, 0], [0, 1], [0, -1]):
        cut = []
        for P, Q in zip(polygon, polygon[1:] + polygon[:1], strict=True):
            p, q = np.dot(m, P) - 0.5, np.dot(m, Q) - 0.5
            if p <= 0:
                cut.append(P)
            if (p < 0) != (q < 0) and p != q:
                cut.append(P + (Q - P) * p / (p - q))
        polygon = cut
    P = np.array(polygon)
    Q = np.roll(P, -1, axis=0)
    return 0.5 * abs(np.sum(P[:, 0] * Q[:, 1] - P[:, 1] * Q[:, 0]))


def test_choice_of_four_does_not_flicker():
    """Two squares at 45° have eight equal corners: round-off does not change the four chosen."""
    pair = _pair(CUBE, CUBE)
    rng = np.random.default_rng(0)
    start = None
    for _ in range(50):
        q = turn((0, 0, 1) + 1e-9 * rng.normal(size=3), np.pi / 4)
        found = pair.contacts(ORIGIN, UPRIGHT, (0, 0, 1) + 1e-9 * rng.normal(size=3), q, 0.01)
        start = found.feature.tolist() if start is None else start
        assert found.feature.tolist() == start


def test_names_do_not_depend_on_whose_face_it_is():
    """A face of either cube as plane of the contact: the corners have the same names."""
    shapes = shapes_of([CUBE, CUBE])
    tilt = turn((0, 1, 0), 1e-4)
    names = []
    for poses in ((UPRIGHT, tilt), (tilt, UPRIGHT)):
        pair = Pair(shapes, 0, 1)
        found = pair.contacts(ORIGIN, poses[0], (0.3, 0.2, 1.0), poses[1], 0.01)
        names.append(sorted(found.feature.tolist()))
    assert names[0] == names[1]


def test_brick_beyond_an_edge():
    """A tilted brick whose lowest corners overhang touches with its face, at the edge below it."""
    pair = _pair(CUBE, CUBE)
    found = pair.contacts(ORIGIN, UPRIGHT, (0.7, 0, 1), turn((0, 1, 0), 1e-4), 0.01)

    assert len(found.gap) == 4
    np.testing.assert_allclose(np.sort(found.point1[:, 0]), [0.2, 0.2, 0.5, 0.5], atol=1e-4)
    _check_rows(found, [(ORIGIN, UPRIGHT), ((0.7, 0, 1), turn((0, 1, 0), 1e-4))], [CUBE, CUBE])


@pytest.mark.parametrize("gap", [-0.01, -1e-9, 1e-9, 0.01])
def test_crossing_edges(gap):
    """Two cubes standing on edges that cross: one point, and the normal across both."""
    pair = _pair(CUBE, CUBE)
    q1, q2 = turn((0, 1, 0), np.pi / 4), turn((1, 0, 0), np.pi / 4)
    C2 = np.array([0.1, 0.2, np.sqrt(2) + gap])
    for _ in range(3):
        found = pair.contacts(ORIGIN, q1, C2, q2, 0.02)

        assert found.kind.tolist() == [EDGE_EDGE]
        assert found.gap[0] == pytest.approx(gap, abs=1e-14)
        _, A, _, n = _gap_of_row(found, 0, [(ORIGIN, q1), (C2, q2)], [0.0])
        np.testing.assert_allclose(n, [0, 0, 1], atol=1e-7)
        np.testing.assert_allclose(A, [0, 0.2, np.sqrt(0.5)], atol=1e-7)


@given(
    yaw=st.floats(-np.pi, np.pi),
    tilt=st.floats(0.01, 0.05),
    about=st.floats(-np.pi, np.pi),
    x=st.floats(-0.6, 0.6),
    y=st.floats(-0.6, 0.6),
    seed=st.integers(0, 2**32),
)
def test_crossings_of_tilted_faces_follow_the_bodies(yaw, tilt, about, x, y, seed):
    """Where edges of faces that are not parallel press on each other, the gap that a row tells at
    other poses is that found there. A plane through one of them misses the other by the way it
    slides times the tilt.
    """
    rng = np.random.default_rng(seed)
    leaning = turn((np.cos(about), np.sin(about), 0.0), tilt)
    q = _product(leaning, turn((0, 0, 1), yaw))
    top = np.abs(matrices(q)[2]).sum() / 2
    before = (np.array([x, y, 0.5 + top + rng.uniform(-2e-3, 1e-3)]), q)
    found = _pair(CUBE, CUBE).contacts(ORIGIN, UPRIGHT, *before, 0.05)
    crossing = {found.feature[i]: i for i in np.flatnonzero(found.kind == EDGE_EDGE)}

    after = (before[0] + rng.uniform(-5e-3, 5e-3, 3), _unit(q + rng.uniform(-2e-3, 2e-3, 4)))
    there = _pair(CUBE, CUBE).contacts(ORIGIN, UPRIGHT, *after, 0.05)

    for kind, name, gap in zip(there.kind, there.feature, there.gap, strict=True):
        if kind == EDGE_EDGE and name in crossing:
            told, *_ = _gap_of_row(found, crossing[name], [(ORIGIN, UPRIGHT), after], [0.0])
            assert told == pytest.approx(gap, abs=1e-12)


def test_two_tilted_cubes_cross():
    """The point that is deepest is one where edges cross, and has their normal."""
    q = _product(turn((1, 1, 0), 0.02), turn((0, 0, 1), 0.5))
    found = _pair(CUBE, CUBE).contacts(ORIGIN, UPRIGHT, (0.3, 0.6, 0.98), q, 0.05)
    deepest = int(np.argmin(found.gap))

    assert found.kind[deepest] == EDGE_EDGE
    gap, _, _, n = _gap_of_row(
        found, deepest, [(ORIGIN, UPRIGHT), (np.array([0.3, 0.6, 0.98]), q)], [0.0]
    )
    assert gap == pytest.approx(found.gap[deepest], abs=1e-12)
    assert 1e-3 < np.hypot(n[0], n[1]) < 0.05


def _product(q, r):
    w, v = q[0], np.asarray(q[1:])
    return np.array(
        [w * r[0] - v @ r[1:], *(w * np.asarray(r[1:]) + r[0] * v + np.cross(v, r[1:]))]
    )


@pytest.mark.parametrize("gap", [-0.01, -1e-9, 1e-9, 0.01])
def test_corner_on_a_face(gap):
    """A cube on its corner: one point, normal of the face; also where it is the first one."""
    standing = turn((1, -1, 0), np.arctan(np.sqrt(2.0)))
    height = 0.5 + np.sqrt(0.75) + gap
    for above in (False, True):
        pair = _pair(CUBE, CUBE)
        poses = [(ORIGIN, UPRIGHT), (np.array([0.1, 0.2, height]), standing)]
        if above:
            poses.reverse()
        found = pair.contacts(*poses[0], *poses[1], 0.05)

        assert found.swapped.tolist() == [int(above)]
        assert found.gap[0] == pytest.approx(gap, abs=1e-14)
        np.testing.assert_allclose(found.axis1[0], [0, 0, 1], atol=1e-15)
        _check_rows(found, poses, [CUBE, CUBE])


def test_points_out_of_reach_are_left_out():
    """Of a tilted cube only the corners below the reach are points; none beyond it."""
    pair = _pair(CUBE, CUBE)
    q = turn((0, 1, 0), 0.3)
    low = 0.5 + 0.5 * (np.cos(0.3) + np.sin(0.3))

    assert len(pair.contacts(ORIGIN, UPRIGHT, (0, 0, low + 0.01), q, 0.02).gap) == 2
    assert len(pair.contacts(ORIGIN, UPRIGHT, (0, 0, low + 0.03), q, 0.02).gap) == 0
    assert len(pair.contacts(ORIGIN, UPRIGHT, (0, 0, low + 0.01), q, 0.02).gap) == 2


# ---------------------------------------------------------------------------------------
# Rounded ones
# ---------------------------------------------------------------------------------------


@given(
    direction=st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda d: np.linalg.norm(d) > 0.1),
    gap=st.floats(-0.3, 0.1),
)
def test_balls(direction, gap):
    """Two balls: the distance of their centres."""
    pair = _pair(BALL, BALL)
    C2 = np.array(direction) / np.linalg.norm(direction) * (1.0 + gap)

    found = pair.contacts(ORIGIN, UPRIGHT, C2, UPRIGHT, 0.2)

    assert found.kind.tolist() == [POINT_POINT]
    assert found.gap[0] == pytest.approx(gap, abs=1e-15)


@given(point=st.tuples(*[st.floats(-1.2, 1.2)] * 3))
def test_ball_on_a_cube(point):
    """Face, edge or corner as the nearest point of the cube says; the name is the ball's."""
    pair = _pair(CUBE, BALL)
    point = np.array(point)
    nearest = np.clip(point, -0.5, 0.5)
    distance = np.linalg.norm(point - nearest)
    found = pair.contacts(ORIGIN, UPRIGHT, point, UPRIGHT, 0.2)
    if distance > 0.7:
        assert len(found.gap) == 0
        return
    assert len(found.gap) == 1
    if distance < 1e-6:  # inside, or too close for a direction of its own
        assert found.kind[0] == PLANE_POINT
        assert found.gap[0] == pytest.approx(np.abs(point).max() - 1.0, abs=1e-6)
        return
    kinds = {1: PLANE_POINT, 2: LINE_POINT, 3: POINT_POINT}
    # Straight above an edge or a corner the features are equally near.
    outside, level = np.count_nonzero(np.abs(point) > 0.5), np.count_nonzero(np.abs(point) == 0.5)
    assert found.kind[0] in {kinds[i] for i in range(outside, outside + level + 1)}
    assert found.gap[0] == pytest.approx(distance - 0.5, abs=1e-12)
    assert found.feature[0] == 4 * 8 + 1
    *_, n = _gap_of_row(found, 0, [(ORIGIN, UPRIGHT), (point, UPRIGHT)], [0.5])
    np.testing.assert_allclose(n, (point - nearest) / distance, atol=1e-7)


def test_ball_deep_inside():
    """A ball whose centre is within a cube is pushed out of the nearest face."""
    pair = _pair(CUBE, BALL)
    found = pair.contacts(ORIGIN, UPRIGHT, (0.1, -0.4, 0.2), UPRIGHT, 0.1)

    assert found.kind.tolist() == [PLANE_POINT]
    np.testing.assert_allclose(found.axis1[0], [0, -1, 0], atol=1e-12)
    assert found.gap[0] == pytest.approx(-0.6, abs=1e-12)


@pytest.mark.parametrize("shift", [0.0, 0.3])
def test_capsule_lying_on_a_cube(shift):
    """Its two ends, or where it leaves the face."""
    pair = _pair(CUBE, CAPSULE)
    q = turn((0, 1, 0), np.pi / 2)
    found = pair.contacts(ORIGIN, UPRIGHT, (shift, 0, 0.7), q, 0.01)

    assert found.kind.tolist() == [PLANE_POINT] * 2
    np.testing.assert_allclose(found.gap, 0.0, atol=1e-15)
    np.testing.assert_allclose(
        np.sort(found.point1[:, 0]), [-0.5 + shift, 0.5], rtol=0.0, atol=2e-5
    )


@pytest.mark.parametrize(("angle", "points"), [(0.0, 2), (1e-4, 2), (0.02, 3), (0.5, 1)])
def test_capsules_side_by_side(angle, points):
    """Parallel ones touch at two ends, crossing ones where they cross, nearly parallel at all."""
    pair = _pair(CAPSULE, CAPSULE)
    poses = [(ORIGIN, UPRIGHT), (np.array([0.401, 0, 0.3]), turn((1, 0, 0), angle))]
    found = pair.contacts(*poses[0], *poses[1], 0.05)

    assert len(found.gap) == points
    assert (found.kind == LINE_LINE).any() == (points != 2)
    assert found.gap.min() == pytest.approx(0.001, abs=1e-6)
    _check_rows(found, poses, [CAPSULE, CAPSULE])


def test_capsules_end_to_end():
    """In line they touch as balls do."""
    pair = _pair(CAPSULE, CAPSULE)
    found = pair.contacts(ORIGIN, UPRIGHT, (0, 0, 1.41), UPRIGHT, 0.05)

    assert found.kind.tolist() == [POINT_POINT]
    assert found.gap[0] == pytest.approx(0.01, abs=1e-15)


def test_rounded_cubes():
    """Faces touch at four corners of the cores, edges along a line, corners as balls."""
    pair = _pair(ROUNDED, ROUNDED)
    on_face = pair.contacts(ORIGIN, UPRIGHT, (0, 0, 1.001), UPRIGHT, 0.01)
    assert on_face.kind.tolist() == [PLANE_POINT] * 4
    np.testing.assert_allclose(on_face.gap, 0.001, atol=1e-15)

    s = 0.8 + 0.2 / np.sqrt(2.0)
    at_edge = pair.contacts(ORIGIN, UPRIGHT, (0, s, s), UPRIGHT, 0.01)
    assert at_edge.kind.tolist() == [LINE_POINT] * 2
    np.testing.assert_allclose(at_edge.gap, 0.0, atol=1e-15)

    s = 0.8 + 0.2 / np.sqrt(3.0)
    at_corner = pair.contacts(ORIGIN, UPRIGHT, (s, s, s), UPRIGHT, 0.01)
    assert at_corner.kind.tolist() == [POINT_POINT]
    np.testing.assert_allclose(at_corner.gap, 0.0, atol=1e-15)


# ---------------------------------------------------------------------------------------
# Everything against everything
# ---------------------------------------------------------------------------------------

_RNG = np.random.default_rng(11)
PIECES = [
    CUBE,
    BALL,
    CAPSULE,
    ROUNDED,
    Piece(cylinder_core(0.5, 1.0)),
    Piece(ellipsoid_core((0.6, 0.4, 0.3))),
    Piece(box_core((2.0, 2.0, 0.1))),
    Piece(triangle_core((-1, -1, 0), (1, -1, 0), (0, 1, 0)), 0.05),
    *(Piece(hull_core(0.5 * _RNG.normal(size=(n, 3))), 0.05 * (n % 2)) for n in (4, 9, 20, 41)),
]
ALL = shapes_of(PIECES)


@given(st.integers(0, 2**32))
def test_rows_of_random_pairs(seed):
    """Whatever touches: rows are consistent, and the nearest point is the distance of the cores."""
    rng = np.random.default_rng(seed)
    for _ in range(40):
        s1, s2 = sorted(rng.choice(len(PIECES), size=2, replace=False))
        _check_contacts(Pair(ALL, s1, s2), _random_poses(rng))


@given(st.integers(0, 2**32))
def test_rows_along_motions(seed):
    """The same where pairs remember: they turn, come closer, overlap and part again."""
    rng = np.random.default_rng(seed)
    for _ in range(3):
        s1, s2 = sorted(rng.choice(len(PIECES), size=2, replace=False))
        pair = Pair(ALL, s1, s2)
        (C1, q1), (C2, q2) = _random_poses(rng)
        spin, drift = 0.05 * rng.normal(size=3), 0.02 * rng.normal(size=3)
        for step in range(50):
            q2 = _unit(q2 + 0.5 * np.concatenate([[-spin @ q2[1:]], q2[0] * spin]))
            C2 = C2 + (drift if step < 25 else -drift)
            _check_contacts(pair, [(C1, q1), (C2, q2)])


@pytest.mark.parametrize("where", ["position", "orientation"])
def test_a_broken_pose_does_no_harm(where):
    """Numbers that are none give no points, and the pair works again afterwards."""
    broken = np.full(3, np.nan) if where == "position" else np.array([0.0, 0.0, 1.0])
    q = np.full(4, np.nan) if where == "orientation" else UPRIGHT
    for s2 in range(1, len(PIECES)):
        pair = Pair(ALL, 0, s2)
        for _ in range(2):
            assert len(pair.contacts(ORIGIN, UPRIGHT, broken, q, 0.1).gap) == 0
        _check_contacts(pair, [(ORIGIN, UPRIGHT), (np.array([0.3, 0.2, 0.9]), UPRIGHT)])


def _random_poses(rng):
    C1, away = rng.normal(size=(2, 3))
    C2 = C1 + _unit(away) * rng.uniform(0.2, 1.5)
    return [(C1, _unit(rng.normal(size=4))), (C2, _unit(rng.normal(size=4)))]


def _check_contacts(pair, poses, reach=0.1):
    """Rows are consistent, and the least gap is that of the surfaces.

    Where a face stands for the features its normal is at most 0.06 rad off, and corners may be
    beyond its edge by 1e-5 of the smaller shape. A pair also keeps to the side where it overlapped
    by less than 0.02 %.
    """
    s1, s2 = pair.first, pair.second
    found = pair.contacts(*poses[0], *poses[1], reach)
    rounding = PIECES[s1].radius + PIECES[s2].radius
    size = min(ALL.reach[s1], ALL.reach[s2])

    _check_rows(found, poses, [PIECES[s1], PIECES[s2]])
    least = found.gap.min(initial=np.inf) + rounding
    state, distance = _distance(s1, s2, poses)
    if state != 0:
        assert least < 2e-5 * size
        return
    most = distance / np.cos(0.06) + 2e-5 * size
    if most < reach + rounding:
        assert least <= most
    if least < distance - 2e-5 * size:
        assert 0.0 > least >= -SHALLOW * size


def _unit(v):
    return v / np.linalg.norm(v)


def _distance(s1, s2, poses):
    (C1, q1), (C2, q2) = poses
    inverse = q1 * [1, -1, -1, -1]
    w, u = inverse[0], inverse[1:]
    q = np.concatenate([[w * q2[0] - u @ q2[1:]], w * q2[1:] + q2[0] * u + np.cross(u, q2[1:])])
    result = np.zeros((1, 11))
    t = matrices(q1).T @ (C2 - C1)
    closest_of_pairs(ALL, np.array([[s1, s2]]), t[None], q[None], np.full((1, 2), -1), result)
    return result[0, 0], result[0, 1]
