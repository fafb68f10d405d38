"""Rows of points on rounded edges: the gap is the distance of the edges, wherever they go."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from impulse_core.collision.contacts import LINE_LINE, LINE_POINT, new_contacts
from impulse_core.collision.geometry import contact_geometry
from impulse_core.jit import kernel
from impulse_core.model.state import BodyState
from impulse_core.types import new_records

from .pieces import matrices, turn

SAMPLES = 2001


@kernel
def geometry(contacts, poses, result):
    """Points and gap of the first contact into the rows of result."""
    _, A, B, gap = contact_geometry(contacts, 0, poses)
    result[0, 0], result[0, 1], result[0, 2] = A.x, A.y, A.z
    result[1, 0], result[1, 1], result[1, 2] = B.x, B.y, B.z
    result[2, 0] = gap


def row_of(kind: int, tail1, edge1, tail2, edge2, q):
    """Points and distance of two edges, of which the second body is turned by q."""
    contacts, poses = new_contacts(1), new_records(BodyState, 2)
    contacts.mark["kind"], contacts.mark["body2"] = kind, 1
    for name, value in zip(
        ("point1", "axis1", "point2", "axis2"), (tail1, edge1, tail2, edge2), strict=True
    ):
        contacts.row[name] = value
    poses["orientation"] = [(1.0, 0.0, 0.0, 0.0), q]
    result = np.zeros((3, 3))
    geometry(contacts, poses, result)
    return result[0], result[1], float(result[2, 0])


def distance(tail1, edge1, tail2, edge2) -> float:
    """Of two segments, by many points of the first."""
    points = tail1 + np.linspace(0.0, 1.0, SAMPLES)[:, None] * edge1
    square = edge2 @ edge2
    along = np.clip((points - tail2) @ edge2 / square, 0.0, 1.0) if square else np.zeros(SAMPLES)
    return float(np.linalg.norm(points - tail2 - along[:, None] * edge2, axis=1).min())


def test_a_crossing_of_edges_side_by_side_does_not_run_off():
    """Their lines cross a hundred edges away after a turn by a twentieth of a degree."""
    edge = np.array([1.0, 0.0, 0.0])
    other = np.array([1.0, 1e-3, 0.0])
    q = turn((0, 0, 1), -9e-4)
    A, B, gap = row_of(LINE_LINE, (-0.5, 0, 0), edge, np.array([-0.5, 0.01, 0.2]), other, q)

    assert np.abs(A).max() <= 0.5 + 1e-9
    assert np.abs(B).max() <= 0.51
    assert gap == pytest.approx(0.2, abs=1e-3)


@given(seed=st.integers(0, 10**9), parallel=st.sampled_from([1.0, 1e-2, 1e-4, 1e-7]))
def test_gaps_are_those_of_segments(seed, parallel):
    """Edges of any length and turn, nearly parallel ones among them; an edge and a point."""
    rng = np.random.default_rng(seed)
    edge1 = rng.uniform(-1, 1, 3)
    edge2 = edge1 * rng.uniform(0.2, 2.0) + parallel * rng.uniform(-1, 1, 3)
    tail1, tail2 = rng.uniform(-1, 1, 3), rng.uniform((-1, -1, 0.5), (1, 1, 2.5))
    q = turn(rng.uniform(-1, 1, 3), rng.uniform(-0.3, 0.3) * parallel)
    R = matrices(q)
    size = np.linalg.norm(edge1) / SAMPLES
    A, B, gap = row_of(LINE_LINE, tail1, edge1, tail2, edge2, q)
    assert gap == pytest.approx(distance(tail1, edge1, R @ tail2, R @ edge2), abs=size)
    assert distance(A, np.zeros(3), tail1, edge1) <= 1e-9
    assert distance(B, np.zeros(3), R @ tail2, R @ edge2) <= 1e-9

    A, B, gap = row_of(LINE_POINT, tail1, edge1, tail2, np.zeros(3), q)
    assert gap == pytest.approx(distance(tail1, edge1, R @ tail2, np.zeros(3)), abs=size)
    assert distance(A, np.zeros(3), tail1, edge1) <= 1e-9
    np.testing.assert_allclose(B, R @ tail2, atol=1e-12)
