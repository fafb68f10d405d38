"""Products and solutions of small matrices, against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from impulse_core.geometry.products import dot, length, product, solved, total

SHAPES = [
    ((3, 4), (4, 2)),
    ((5, 3, 4), (4, 2)),
    ((5, 3, 4), (5, 4, 2)),
    ((3, 4), (4,)),
    ((4,), (4, 2)),
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_products_are_those_of_numpy(shapes):
    a, b = (np.random.default_rng(1).normal(size=shape) for shape in shapes)

    assert product(a, b) == pytest.approx(a @ b, rel=1e-14, abs=1e-14)


def test_several_factors_and_vectors():
    a, b, c = np.random.default_rng(2).normal(size=(3, 3, 3))

    assert product(a, b, c) == pytest.approx(a @ b @ c, abs=1e-13)
    assert dot(a[0], b[0]) == pytest.approx(a[0] @ b[0])
    assert length(a[0]) == pytest.approx(np.linalg.norm(a[0]))


def test_sums_go_from_the_first_to_the_last():
    """In every Python: from 3.12 on ``sum`` would find the one between the large numbers."""
    assert dot([1e16, 1.0, -1e16], [1.0, 1.0, 1.0]) == 0.0
    assert total([1e16, 1.0, -1e16]) == 0.0


@given(seed=st.integers(0, 10**6), n=st.integers(1, 6), columns=st.integers(0, 3))
def test_what_is_solved_solves(seed, n, columns):
    """A x = b, for one right side or several."""
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(n, n)), rng.normal(size=(n, columns) if columns else n)
    kept = A.copy()

    x = solved(A, b)

    assert x.shape == b.shape
    assert np.array_equal(A, kept)
    scale = np.linalg.cond(A) * np.abs(x).max(initial=0.0)
    assert A @ x == pytest.approx(b, abs=1e-13 * (1.0 + scale))


@given(seed=st.integers(0, 10**6), n=st.integers(1, 6), rank=st.integers(0, 6))
def test_one_solution_of_many(seed, n, rank):
    """Where A is singular and b is in its range, one x is found; b A⁻ b is the same for all."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, min(n, rank)))
    A = root @ root.T
    b = A @ rng.normal(size=n)

    x = solved(A, b, least=1e-12)

    assert A @ x == pytest.approx(b, abs=1e-5 * (1.0 + np.abs(b).max()))
    assert dot(b, x) == pytest.approx(b @ np.linalg.pinv(A, rcond=1e-12) @ b, rel=1e-4, abs=1e-6)
