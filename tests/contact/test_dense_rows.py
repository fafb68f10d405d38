"""Rows of the dense system of a machine's contacts: lanes give the bits of single numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from impulse_core.contact import dense
from impulse_core.jit import kernel


@kernel
def by_lanes(matrix, to, row, factor, begin, end):
    dense._subtract_row(matrix, to, row, factor, begin, end)


@kernel
def one_by_one(matrix, to, row, factor, begin, end):
    dense._subtract_one_by_one(matrix, to, row, factor, begin, end)


@kernel
def eliminate(matrix, right, n, stride):
    return dense._eliminate(matrix, right, n, stride)


@given(st.integers(0, 2**32 - 1), st.integers(0, 5), st.integers(1, 6))
def test_lanes_have_the_bits_of_single_numbers(seed, begin, parts):
    random = np.random.default_rng(seed)
    begin, end = 4 * begin, 4 * (begin + parts)
    matrix = random.normal(size=3 * end) * 10.0 ** random.uniform(-3, 3, 3 * end)
    found = []
    for how in (by_lanes, one_by_one):
        found.append(matrix.copy())
        how(found[-1], 2 * end, end, 0.3, begin, end)

    assert found[0].tobytes() == found[1].tobytes()
    changed = (found[0] != matrix).nonzero()[0]
    assert set(changed.tolist()) <= set(range(2 * end + begin, 3 * end))
    assert len(changed) > 0


@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_systems_are_solved(seed, n):
    """As by NumPy, whatever order of rows the pivots ask for; a system without a pivot is told."""
    random = np.random.default_rng(seed)
    stride = (n + 3) // 4 * 4
    A, b = random.normal(size=(n, n)), random.normal(size=n)
    matrix, right = np.zeros((n, stride)), b.copy()
    matrix[:, :n] = A

    assert eliminate(matrix.ravel(), right, n, stride)
    assert np.abs(A @ right - b).max() <= 1e-12 * np.linalg.cond(A)
    matrix[:, :n] = A
    matrix[:, 0] = 0.0
    assert not eliminate(matrix.ravel(), b.copy(), n, stride)
