"""Triangles of a ground: solid behind their faces, and smooth where the surface is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from impulse_core.collision.contacts import EDGE_EDGE, LINE_POINT, PLANE_POINT
from impulse_core.collision.polyhedra import (
    box_core,
    cylinder_core,
    point_core,
    segment_core,
    triangle_core,
)
from impulse_core.collision.shapes import TRIANGLE

from .pieces import Pair, Piece, matrices, shapes_of, turn

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])
ORIGIN = np.zeros(3)
BALL = Piece(point_core(), 0.5)
CUBE = Piece(box_core((1, 1, 1)))


class Ground:
    """A body above a surface in quadrilaterals of two triangles each, heights over x or x and y."""

    def __init__(self, piece, x, z, y=(-4.0, 4.0)):
        z = np.asarray(z, dtype=float)
        z = z if z.ndim == 2 else np.tile(z[:, None], len(y))
        points = np.array([[(x[i], y[k], z[i, k]) for k in range(len(y))] for i in range(len(x))])
        corners = []
        for i, k in np.ndindex(len(x) - 1, len(y) - 1):
            a, b, c, d = points[i, k], points[i + 1, k], points[i + 1, k + 1], points[i, k + 1]
            corners += [(a, b, c), (a, c, d)]
        self.cores = [triangle_core(*corner) for corner in corners]
        self.piece = piece
        self.shapes = shapes_of(
            [piece, *(Piece(core, 0.0, TRIANGLE) for core in self.cores)],
            self._beyond([piece.core, *self.cores]),
        )
        self.pairs = [Pair(self.shapes, 0, 1 + i) for i in range(len(self.cores))]

    def _beyond(self, cores):
        edges = [
            (core, frozenset(tuple(core.vertices[v]) for v in ends))
            for core in cores
            for ends in core.edge_vertex
        ]
        beyond = np.zeros((len(edges), 3))
        for e, (core, ends) in enumerate(edges):
            for other, other_ends in edges:
                if other is not core and ends == other_ends and len(core.vertices) == 3:
                    beyond[e] = other.face_plane[0, :3]
        return beyond

    def contacts(self, C, q=UPRIGHT, reach=0.01, remembers=False):
        """Normals out of the ground, gaps, kinds and points of all triangles."""
        if not remembers:
            for pair in self.pairs:
                pair.cache[:] = -1
        normals, gaps, kinds, points = [], [], [], []
        for pair in self.pairs:
            found = pair.contacts(C, q, ORIGIN, UPRIGHT, reach)
            for i in range(len(found.gap)):
                swapped = bool(found.swapped[i])
                A = found.point1[i] if swapped else found.point2[i]
                B = C + matrices(q) @ (found.point2[i] if swapped else found.point1[i])
                if found.kind[i] == PLANE_POINT:
                    n = found.axis1[i] if swapped else -matrices(q) @ found.axis1[i]
                elif found.kind[i] == EDGE_EDGE:
                    turned = matrices(q) @ (found.axis2[i] if swapped else found.axis1[i])
                    still = found.axis1[i] if swapped else found.axis2[i]
                    n = np.cross(still, turned)  # out of the ground, whichever is first
                    n /= np.linalg.norm(n)
                else:
                    if found.kind[i] == LINE_POINT:
                        edge = found.axis1[i] if swapped else matrices(q) @ found.axis1[i]
                        tail, end = (A, B) if swapped else (B, A)
                        foot = tail + edge * (edge @ (end - tail)) / (edge @ edge)
                        A, B = (foot, B) if swapped else (A, foot)
                    n = (B - A) / np.linalg.norm(B - A)
                normals.append(n)
                gaps.append(found.gap[i])
                kinds.append(found.kind[i])
                points.append(A)
        return np.array(normals), np.array(gaps), np.array(kinds), np.array(points)


FLAT_BALL = Ground(BALL, [-4.0, -1.0, 0.0, 1.0, 4.0], np.zeros(5))
FLAT_CUBE = Ground(CUBE, [-4.0, -1.0, 0.0, 1.0, 4.0], np.zeros(5))
CELLS = np.linspace(-2.0, 2.0, 6)
TILES = {
    "cube": Ground(CUBE, CELLS, np.zeros(6), CELLS),
    "ball": Ground(BALL, CELLS, np.zeros(6), CELLS),
    "capsule": Ground(Piece(segment_core(1.0), 0.2), CELLS, np.zeros(6), CELLS),
    "rounded": Ground(Piece(box_core((0.6, 0.8, 1.0)), 0.1), CELLS, np.zeros(6), CELLS),
    "prism": Ground(Piece(cylinder_core(0.5, 1.0)), CELLS, np.zeros(6), CELLS),
}
RIDGE = Ground(BALL, [-4.0, 0.0, 4.0], [-4.0, 0.0, -4.0])
VALLEY = Ground(BALL, [-4.0, 0.0, 4.0], [2.0, 0.0, 2.0])
ROOF = Ground(CUBE, [-4.0, 0.0, 4.0], [-2.0, 0.0, -2.0])


@given(x=st.floats(-3.0, 3.0), y=st.floats(-3.0, 3.0), gap=st.floats(-0.3, 0.009))
def test_ball_on_level_triangles(x, y, gap):
    """Upright normals and the height as gap, also over edges and however deep."""
    normals, gaps, _, _ = FLAT_BALL.contacts(np.array([x, y, 0.5 + gap]))

    assert len(gaps) >= 1
    np.testing.assert_allclose(normals, np.tile([0, 0, 1], (len(gaps), 1)), atol=1e-12)
    np.testing.assert_allclose(gaps, gap, atol=1e-12)


def test_ball_below_the_surface():
    """Its centre below the ground: pushed out along the face; all of it below: not seen."""
    normals, gaps, _, _ = FLAT_BALL.contacts(np.array([0.3, 0.2, -0.4]))
    np.testing.assert_allclose(normals, [[0, 0, 1]], atol=1e-15)
    np.testing.assert_allclose(gaps, [-0.9], atol=1e-15)
    assert len(FLAT_BALL.contacts(np.array([0.3, 0.2, -0.6]))[1]) == 0


@given(
    x=st.floats(-2.0, 2.0),
    y=st.floats(-2.0, 2.0),
    yaw=st.floats(-4.0, 4.0),
    gap=st.sampled_from([-1e-3, -1e-9, 0.0, 1e-9, 1e-3]),
)
def test_cube_on_level_triangles(x, y, yaw, gap):
    """No normal but the upright one, its height as gap; the points span most of its face."""
    C, q = np.array([x, y, 0.5 + gap]), turn((0, 0, 1), yaw)
    normals, gaps, kinds, points = FLAT_CUBE.contacts(C, q)

    assert np.all(kinds == PLANE_POINT)
    np.testing.assert_allclose(normals, np.tile([0, 0, 1], (len(gaps), 1)), atol=1e-9)
    np.testing.assert_allclose(gaps, gap, atol=1e-9)
    assert ConvexHull(points[:, :2]).volume >= 0.9


@pytest.mark.parametrize("name", TILES)
@given(
    seed=st.integers(0, 2**32),
    x=st.one_of(st.sampled_from([0.0, 0.4, -0.4, 0.8]), st.floats(-0.8, 0.8)),
    y=st.one_of(st.sampled_from([0.0, 0.4, -0.4, 0.8]), st.floats(-0.8, 0.8)),
    gap=st.sampled_from([-1e-3, -1e-9, 0.0, 1e-9, 1e-3]),
)
def test_level_tiles_are_a_plane(name, seed, x, y, gap):
    """However it is turned: upright normals only, and the gap of the lowest point.

    Also over edges and corners of the tiles, where six of them meet.
    """
    ground = TILES[name]
    q = np.random.default_rng(seed).normal(size=4)
    q /= np.linalg.norm(q)
    lowest = (ground.piece.core.vertices @ matrices(q).T)[:, 2].min() - ground.piece.radius

    normals, gaps, _, _ = ground.contacts(np.array([x, y, gap - lowest]), q)

    assert len(gaps) >= 1
    np.testing.assert_allclose(normals, np.tile([0, 0, 1], (len(gaps), 1)), atol=1e-9)
    assert gaps.min() == pytest.approx(gap, abs=1e-9)


def test_a_cube_slides_over_edges_without_a_bump():
    """Along a path over five edges, a hair too deep, there is no sideways normal."""
    for x in np.linspace(-2.5, 2.5, 301):
        normals, gaps, _, _ = FLAT_CUBE.contacts(
            np.array([x, 0.1, 0.5 - 1e-5]), turn((0, 0, 1), 0.1)
        )
        np.testing.assert_allclose(normals[:, 2], 1.0, atol=1e-12)
        np.testing.assert_allclose(gaps, -1e-5, atol=1e-12)


@given(angle=st.floats(-0.78, 0.78), y=st.floats(-3.0, 3.0), gap=st.floats(-0.2, 0.009))
def test_ball_on_a_ridge(angle, y, gap):
    """Between the normals of both sides: one point, on the edge, along the line to the centre."""
    n = np.array([np.sin(angle), 0.0, np.cos(angle)])
    normals, gaps, kinds, _ = RIDGE.contacts(np.array([0.0, y, 0.0]) + n * (0.5 + gap))

    assert kinds.tolist() == [LINE_POINT]
    np.testing.assert_allclose(normals, [n], atol=1e-9)
    np.testing.assert_allclose(gaps, [gap], atol=1e-9)


@given(x=st.floats(-0.5, 0.5), y=st.floats(-3.0, 3.0), gap=st.floats(-0.3, 0.009))
def test_ball_in_a_valley(x, y, gap):
    """Only the faces push, each along its normal, by its own height; the edge does not."""
    slopes = np.array([[2.0, 0.0, 4.0], [-2.0, 0.0, 4.0]]) / np.sqrt(20.0)
    C = np.array([x, y, (0.5 + gap) * np.sqrt(20.0) / 4.0 + 0.5 * abs(x)])
    normals, gaps, _, _ = VALLEY.contacts(C)

    assert len(gaps) >= 1
    for n, found in zip(normals, gaps, strict=True):
        side = int(n[0] < 0.0)
        np.testing.assert_allclose(n, slopes[side], atol=1e-9)
        assert found == pytest.approx(slopes[side] @ C - 0.5, abs=1e-9)
    assert gaps.min() == pytest.approx(gap, abs=1e-9)


ROUGH = Ground(BALL, CELLS, 0.4 * np.random.default_rng(5).uniform(-1, 1, size=(6, 6)), CELLS)


@given(x=st.floats(-1.2, 1.2), y=st.floats(-1.2, 1.2), height=st.floats(0.01, 0.6))
@example(1.08984375, 1.09285953140834, 0.12602961639753674)  # 9e-5 behind a face that is far away
def test_ball_on_rough_ground(x, y, height):
    """The least gap is the distance of the ball's centre from the surface, less its radius.

    However edges and corners of ridges and valleys divide it among the triangles; and no normal
    leads into the ground.
    """
    surface = max(_height(core.vertices, x, y) for core in ROUGH.cores)
    C = np.array([x, y, surface + height])
    distance = min(_distance(C, core.vertices) for core in ROUGH.cores)

    normals, gaps, _, _ = ROUGH.contacts(C, reach=0.2)

    assert gaps.min() == pytest.approx(distance - 0.5, abs=1e-12)
    assert np.all(normals[:, 2] > 0.0)


def behind_faces():
    """Places over the surface where a centre is in the plane of a face: (face, x, y)."""
    found = []
    for face, core in enumerate(ROUGH.cores):
        n, offset = core.face_plane[0][:3], core.face_plane[0][3]
        for x, y in itertools.product(np.linspace(-1.2, 1.2, 25), repeat=2):
            height = (offset - n[0] * x - n[1] * y) / n[2]
            height -= max(_height(core.vertices, x, y) for core in ROUGH.cores)
            if 0.01 <= height <= 0.6:
                found.append((face, x, y))
    return found


@given(place=st.deferred(lambda: st.sampled_from(behind_faces())), behind=st.floats(1e-7, 2e-4))
def test_ball_hardly_behind_the_plane_of_a_face(place, behind):
    """Above the surface that is no depth, wherever the face is."""
    face, x, y = place
    n, offset = ROUGH.cores[face].face_plane[0][:3], ROUGH.cores[face].face_plane[0][3]
    C = np.array([x, y, (offset - behind - n[0] * x - n[1] * y) / n[2]])
    distance = min(_distance(C, core.vertices) for core in ROUGH.cores)

    _, gaps, _, _ = ROUGH.contacts(C, reach=0.2)

    assert gaps.min() == pytest.approx(distance - 0.5, abs=1e-12)


def _height(corners, x, y):
    """Height of a triangle at (x, y); -inf beside it."""
    a, b, c = corners
    matrix = np.column_stack([b - a, c - a])[:2]
    s, t = np.linalg.solve(matrix, [x - a[0], y - a[1]])
    inside = s >= -1e-12 and t >= -1e-12 and s + t <= 1 + 1e-12
    return a[2] + s * (b - a)[2] + t * (c - a)[2] if inside else -np.inf


def _distance(point, corners):
    """From a point to a triangle: to its plane over it, else to the nearest side."""
    a, b, c = corners
    n = np.cross(b - a, c - a)
    n /= np.linalg.norm(n)
    sides = [(a, b), (b, c), (c, a)]
    if all(np.cross(n, Q - P) @ (point - P) >= 0.0 for P, Q in sides):
        return abs(n @ (point - a))
    feet = [
        P + np.clip((point - P) @ (Q - P) / ((Q - P) @ (Q - P)), 0.0, 1.0) * (Q - P)
        for P, Q in sides
    ]
    return min(np.linalg.norm(point - foot) for foot in feet)


@pytest.mark.parametrize("gap", [-1e-3, -1e-9, 1e-9, 1e-3])
@pytest.mark.parametrize("remembers", [False, True])
def test_cube_on_a_roof(gap, remembers):
    """Level on the ridge it rests on its own face: upright normals at the ends of the ridge."""
    ground = Ground(CUBE, [-4.0, 0.0, 4.0], [-2.0, 0.0, -2.0])
    if remembers:
        ground.contacts(np.array([0.1, 0.2, 0.5 + 5e-3]))
    normals, gaps, _, points = ground.contacts(np.array([0.1, 0.2, 0.5 + gap]), remembers=remembers)

    np.testing.assert_allclose(normals, np.tile([0, 0, 1], (len(gaps), 1)), atol=1e-9)
    assert gaps.min() == pytest.approx(gap, abs=1e-9)
    ends = points[gaps < gap + 1e-6]
    np.testing.assert_allclose(np.sort(ends[:, 1]), [-0.3, 0.7], atol=1e-4)
