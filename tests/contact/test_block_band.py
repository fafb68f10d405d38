"""Elimination of banded matrices in blocks of six rows, against NumPy's dense solution."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core.contact.block_band import eliminate, substitute
from impulse_core.jit import kernel
from impulse_core.types import Floats


@kernel
def _solve(matrix: Floats, right: Floats, bodies: int, bandwidth: int) -> bool:
    if not eliminate(matrix, bodies, bandwidth):
        return False
    substitute(matrix, right, bodies, bandwidth)
    return True


def _stored(dense: Floats, bandwidth: int) -> Floats:
    """Row after row, each from its first column in the band to the last."""
    half = 6 * bandwidth + 5
    rows = np.zeros((len(dense), 2 * half + 1))
    for i in range(len(dense)):
        for j in range(max(i - half, 0), min(i + half + 1, len(dense))):
            rows[i, j - i + half] = dense[i, j]
    return rows.ravel()


def _matrix(bodies: int, bandwidth: int, seed: int) -> Floats:
    """Blocks that couple bodies at most so far apart, not symmetric, its diagonal the largest."""
    rng = np.random.default_rng(seed)
    size = 6 * bodies
    dense = rng.normal(size=(size, size))
    body = np.arange(size) // 6
    dense[abs(body[:, None] - body[None, :]) > bandwidth] = 0.0
    dense[rng.random((size, size)) < 0.3] = 0.0
    return dense + np.diag(2.0 * abs(dense).sum(axis=1) + 1.0)


@settings(max_examples=60, deadline=None)
@given(bodies=st.integers(1, 9), bandwidth=st.integers(0, 8), seed=st.integers(0, 2**32 - 1))
def test_the_solution_is_that_of_the_dense_system(bodies: int, bandwidth: int, seed: int) -> None:
    """Whatever reaches as far as the band, beyond the last body or not at all."""
    dense = _matrix(bodies, bandwidth, seed)
    right = np.random.default_rng(seed + 1).normal(size=6 * bodies)
    known = np.linalg.solve(dense, right)

    assert _solve(_stored(dense, bandwidth), right, bodies, bandwidth)

    assert right == pytest.approx(known, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("row", [0, 5, 6, 17])
def test_a_singular_matrix_is_told(row: int) -> None:
    """A row of zeros anywhere."""
    dense = _matrix(3, 1, 7)
    dense[row] = 0.0

    assert not _solve(_stored(dense, 1), np.ones(18), 3, 1)
