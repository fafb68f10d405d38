"""Curved shapes touch where their surfaces do, and not where the polyhedra that stand for them do.

The reference is the distance of two convex sets, found by projecting onto one and the other in
turns. Its direction also gives a lower bound, by how far both sets reach along it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from impulse_core.collision.polyhedra import (
    box_core,
    cone_core,
    cylinder_core,
    ellipsoid_core,
    point_core,
    segment_core,
)
from impulse_core.collision.shapes import CONE, CYLINDER, ELLIPSOID
from impulse_core.geometry.rotations import multiplied
from impulse_schema.models import Body, Geometry
from tests.collision.pieces import Pair, Piece, matrices, shapes_of
from tests.collision.solids import compiled, turn

NEAR = 0.02  # m between the surfaces
ROUND_OFF = 1e-9  # m: what the reference may miss


class Solid(NamedTuple):
    """A convex set: its piece, the point of it nearest to a place, and the farthest along n."""

    piece: Piece
    nearest: object
    farthest: object


def ball(radius):
    return Solid(
        Piece(point_core(), radius),
        lambda x: x * min(1.0, radius / np.linalg.norm(x)),
        lambda n: radius * n,
    )


def capsule(radius, half):
    def nearest(x):
        axis = np.array([0.0, 0.0, np.clip(x[2], -half, half)])
        return axis + (x - axis) * min(1.0, radius / np.linalg.norm(x - axis))

    return Solid(
        Piece(segment_core(2.0 * half), radius),
        nearest,
        lambda n: radius * n + [0.0, 0.0, half * np.sign(n[2])],
    )


def box(half):
    return Solid(
        Piece(box_core(2.0 * half)), lambda x: np.clip(x, -half, half), lambda n: half * np.sign(n)
    )


def cylinder(radius, half):
    def nearest(x):
        share = min(1.0, radius / np.hypot(x[0], x[1]))
        return np.array([share * x[0], share * x[1], np.clip(x[2], -half, half)])

    def farthest(n):
        across = radius / np.hypot(n[0], n[1])
        return np.array([across * n[0], across * n[1], half * np.sign(n[2])])

    core = cylinder_core(radius, 2.0 * half)
    return Solid(Piece(core, 0.0, CYLINDER, (radius, radius, half)), nearest, farthest)


def ellipsoid(half):
    def nearest(x):
        if np.sum((x / half) ** 2) <= 1.0:
            return x
        low, high = 0.0, np.linalg.norm(x) * half.max()
        for _ in range(100):
            s = 0.5 * (low + high)
            if np.sum((half * x / (half**2 + s)) ** 2) > 1.0:
                low = s
            else:
                high = s
        return half**2 * x / (half**2 + high)

    core = ellipsoid_core(half)
    return Solid(
        Piece(core, 0.0, ELLIPSOID, tuple(half)),
        nearest,
        lambda n: half**2 * n / np.linalg.norm(half * n),
    )


def cone(radius, half):
    def nearest(x):
        out = np.hypot(x[0], x[1])
        P, edge = np.array([radius, -half]), np.array([-radius, 2.0 * half])
        flat = np.array([out, x[2]])
        beyond = edge[1] * (flat - P)[0] - edge[0] * (flat - P)[1] > 0.0
        slant = P + edge * np.clip((flat - P) @ edge / (edge @ edge), 0.0, 1.0)
        base = np.array([min(out, radius), -half])
        if not beyond and x[2] >= -half:
            return x
        near = base
        if beyond and np.linalg.norm(flat - slant) < np.linalg.norm(flat - base):
            near = slant
        return np.array([*(x[:2] * (near[0] / out)), near[1]])

    def farthest(n):
        rim = np.array([*(n[:2] * (radius / np.hypot(n[0], n[1]))), -half])
        tip = np.array([0.0, 0.0, half])
        return rim if n @ rim > n @ tip else tip

    core = cone_core(radius, 2.0 * half)
    return Solid(Piece(core, 0.0, CONE, (radius, radius, half)), nearest, farthest)


def drawn(kind, rng):
    if kind == "ball":
        return ball(rng.uniform(0.1, 0.4))
    if kind == "capsule":
        return capsule(rng.uniform(0.05, 0.2), rng.uniform(0.1, 0.5))
    if kind == "box":
        return box(rng.uniform(0.1, 0.5, 3))
    if kind == "cone":
        return cone(rng.uniform(0.1, 0.4), rng.uniform(0.1, 0.5))
    if kind == "cylinder":
        return cylinder(rng.uniform(0.1, 0.4), rng.uniform(0.1, 0.5))
    return ellipsoid(rng.uniform(0.1, 0.4, 3))


class Placed(NamedTuple):
    solid: Solid
    R: np.ndarray
    q: np.ndarray

    def nearest(self, x, center):
        return center + self.R @ self.solid.nearest(self.R.T @ (x - center))

    def farthest(self, n, center):
        return n @ (center + self.R @ self.solid.farthest(self.R.T @ n))


def placed(solid, rng):
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    return Placed(solid, matrices(q), q)


def distance(first, second, center):
    """Bounds of the distance of two solids, the second at a centre, and the direction."""
    B = center
    for _ in range(20_000):
        A = first.nearest(B, np.zeros(3))
        step = second.nearest(A, center) - B
        B = B + step
        if np.linalg.norm(step) < 1e-13:
            break
    n = (B - A) / np.linalg.norm(B - A)
    low = -second.farthest(-n, center) - first.farthest(n, np.zeros(3))
    return low, np.linalg.norm(B - A), n, A


def brought_near(first, second, rng):
    """A centre of the second at which both are NEAR, the bounds of their distance there, and the
    point of the first, whose centre is the origin.
    """
    center = rng.normal(size=3)
    center *= 3.0 / np.linalg.norm(center)
    for _ in range(40):
        low, high, n, at = distance(first, second, center)
        if abs(high - NEAR) < 1e-6:
            break
        center = center - n * (high - NEAR)
    return center, low, high, at


PAIRS = [(one, other) for one in ("cylinder", "ellipsoid") for other in ("box", "ball", "capsule")]


@pytest.mark.parametrize(("one", "other"), [*PAIRS, *[pair[::-1] for pair in PAIRS]])
def test_gaps_of_drawn_solids_are_distances(one, other):
    """In either order, with whatever features they meet. Where a part of a box's face is over the
    cap of a cylinder its polygon tells, whose corners alone are on the rim.
    """
    rng = np.random.default_rng([len(one), len(other), ord(one[0])])
    exact = 0
    for _ in range(30):
        first, second = (placed(drawn(kind, rng), rng) for kind in (one, other))
        center, low, high, _ = brought_near(first, second, rng)
        shapes = shapes_of([first.solid.piece, second.solid.piece])
        found = Pair(shapes, 0, 1).contacts(np.zeros(3), first.q, center, second.q, 2.0 * NEAR)
        gap = found.gap.min()
        assert gap > low - 1e-6
        exact += low - ROUND_OFF <= gap <= high + ROUND_OFF
    assert exact >= 29


@pytest.mark.parametrize("other", ["box", "ball", "capsule"])
def test_cones_touch_with_their_bases(other):
    """Their rims are round, and their bases flat; their sides are those of a pyramid, which normals
    at the rim that are nearly those of the side may follow.
    """
    rng = np.random.default_rng([len(other), 9])
    at_base, exact = 0, 0
    for _ in range(40):
        first, second = (placed(drawn(kind, rng), rng) for kind in ("cone", other))
        center, low, high, at = brought_near(first, second, rng)
        shapes = shapes_of([first.solid.piece, second.solid.piece])
        found = Pair(shapes, 0, 1).contacts(np.zeros(3), first.q, center, second.q, 2.0 * NEAR)
        gap, (radius, _, half) = found.gap.min(), first.solid.piece.extent
        assert low - 1e-6 <= gap <= high + 0.005 * radius
        if (first.R.T @ at)[2] < -half + 1e-9:
            at_base += 1
            exact += low - ROUND_OFF <= gap <= high + ROUND_OFF
    assert at_base >= 10
    assert exact >= 0.9 * at_base


@pytest.mark.parametrize("other", ["box", "sphere"])
def test_tori_touch_with_their_circles(other):
    """Not with the rings of capsules, which are up to a hundredth of a minor radius off."""
    rng = np.random.default_rng([len(other), 10])
    exact = 0
    for _ in range(30):
        minor, size = rng.uniform(0.03, 0.1), rng.uniform(0.1, 0.4, 3)
        major = rng.uniform(1.5, 5.0) * minor
        given = {"size": tuple(size)} if other == "box" else {"radius": size[0]}
        ring = Geometry(shape="torus", major_radius=major, minor_radius=minor)
        solids = [ring, Geometry(shape=other, **given)]
        names = ("ring", "other")
        scene = compiled(
            [Body(name=n, density=1.0, geometry=[g]) for n, g in zip(names, solids, strict=True)]
        )
        turns, way = (turn(rng), turn(rng)), rng.normal(size=3)
        way /= np.linalg.norm(way)
        R = matrices(np.array(turns))

        def gaps(angles, center, R=R, major=major, minor=minor, size=size):
            """Of the ring at points of its circle from the other solid at a centre."""
            circle = major * np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=1)
            seen = (circle @ R[0].T - center) @ R[1]
            if other == "sphere":
                return np.linalg.norm(seen, axis=1) - size[0] - minor
            return np.linalg.norm(seen - np.clip(seen, -0.5 * size, 0.5 * size), axis=1) - minor

        center = 3.0 * way + R[0] @ np.array([major, 0.0, 0.0])  # not through the hole
        for _ in range(60):
            center = center - way * (_least(gaps, center) - NEAR)
        expected = _least(gaps, center)
        found = _gap_of_ring(scene, center, turns)
        assert found == pytest.approx(expected, abs=0.02 * minor)
        exact += abs(found - expected) <= ROUND_OFF
    assert exact >= 28


def _least(gaps, center):
    """The least gap, by ever closer angles about that of the last."""
    at, width = 0.0, np.pi
    for _ in range(12):
        angles = at + width * np.linspace(-1.0, 1.0, 2001)
        at, width = angles[np.argmin(gaps(angles, center))], 0.005 * width
        width = max(width, 1e-9)
    return gaps(np.array([at]), center)[0]


def _gap_of_ring(scene, center, turns):
    """The least gap of all capsules of a scene's first body and the solid of its second."""
    shapes, bodies = scene.shapes, scene.state.bodies
    places, least = (np.zeros(3), center), np.inf
    for s in range(shapes.ring_start[0], shapes.ring_start[1]):
        rows = shapes.body[1], shapes.body[s]
        q = [
            multiplied(np.array(turns[i]), bodies["orientation"][row])
            for i, row in zip((1, 0), rows, strict=True)
        ]
        found = Pair(shapes, 1, s).contacts(places[1], q[0], places[0], q[1], 2.0 * NEAR)
        least = min(least, found.gap.min(initial=np.inf))
    return least


@pytest.mark.parametrize("angle", np.linspace(0.0, 0.2, 9))
def test_side_of_a_cylinder_is_round(angle):
    """A ball, a capsule along it and another cylinder are as near to it wherever they stand about
    its axis, which the sides of a prism are not.
    """
    r, R = 0.1, 0.4
    for other in (ball(r), capsule(r, 0.3), cylinder(r, 0.3)):
        shapes = shapes_of([cylinder(R, 0.2).piece, other.piece])
        center = (R + r + NEAR) * np.array([np.cos(angle), np.sin(angle), 0.0])
        q = np.array([1.0, 0.0, 0.0, 0.0])
        found = Pair(shapes, 0, 1).contacts(np.zeros(3), q, center, q, 2.0 * NEAR)
        assert found.gap == pytest.approx(NEAR, abs=1e-15)


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.31, 0.45])
def test_cylinder_lies_on_a_face_that_it_reaches_beyond(shift):
    """Wherever the ends of its side are over the face or beyond, it touches at two points, the
    stretch between which is that of the side over the face.
    """
    radius, half = 0.2, 0.3
    block = box(np.array([1.0, 0.4, 0.1]))
    shapes = shapes_of([block.piece, cylinder(radius, half).piece])
    lying = np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])
    up = np.array([1.0, 0.0, 0.0, 0.0])
    center = np.array([0.03, shift, 0.1 + radius])
    found = Pair(shapes, 0, 1).contacts(np.zeros(3), up, center, lying, 1e-3)
    assert found.gap == pytest.approx(np.zeros(2), abs=1e-15)
    ends = np.sort(found.point1[:, 1])
    flush = 1e-5  # of the smaller shape: what counts as over a face
    assert ends == pytest.approx([shift - half, min(shift + half, 0.4)], abs=flush)
