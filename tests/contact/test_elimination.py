"""Elimination of dense systems: lanes give the bits of single numbers, and factors serve again."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from impulse_core.contact import elimination
from impulse_core.contact.elimination import eliminate, room_of, solve_eliminated
from impulse_core.jit import kernel


@kernel
def subtract_by_lanes(numbers, to, row, factor, begin, end):
    elimination.subtract_row(numbers, to, row, factor, begin, end)


@kernel
def subtract_one_by_one(numbers, to, row, factor, begin, end):
    elimination._subtract_one_by_one(numbers, to, row, factor, begin, end)


@kernel
def dot_by_lanes(numbers, row, other, begin, end):
    return elimination.dot_of_rows(numbers, row, other, begin, end)


@kernel
def dot_in_order(numbers, row, other, begin, end):
    return elimination._dot_in_order(numbers, row, other, begin, end)


@kernel
def dots_by_lanes(numbers, to, row, other, apart, begin, end):
    elimination.dots_of_rows(numbers, to, row, other, apart, begin, end)


@kernel
def eliminated(numbers, pivot, n, stride):
    return eliminate(numbers, pivot, n, stride)


@kernel
def solve(numbers, pivot, right, n, stride):
    solve_eliminated(numbers, pivot, right, n, stride)


@given(st.integers(0, 2**32 - 1), st.integers(0, 5), st.integers(1, 6))
def test_lanes_have_the_bits_of_single_numbers(seed, begin, parts):
    random = np.random.default_rng(seed)
    begin, end = 4 * begin, 4 * (begin + parts)
    numbers = random.normal(size=3 * end) * 10.0 ** random.uniform(-3, 3, 3 * end)
    found = []
    for how in (subtract_by_lanes, subtract_one_by_one):
        found.append(numbers.copy())
        how(found[-1], 2 * end, end, 0.3, begin, end)

    assert found[0].tobytes() == found[1].tobytes()
    changed = (found[0] != numbers).nonzero()[0]
    assert set(changed.tolist()) <= set(range(2 * end + begin, 3 * end))
    assert len(changed) > 0
    product = dot_by_lanes(numbers, 0, end, begin, end)
    assert product == dot_in_order(numbers, 0, end, begin, end)
    rows = np.vstack((numbers[: 2 * end].reshape(2, end), random.normal(size=(4, end))))
    several = np.append(rows.ravel(), np.zeros(4))
    dots_by_lanes(several, 6 * end, end, 2 * end, end, begin, end)
    for k in range(4):
        one = dot_in_order(several, end, (2 + k) * end, begin, end)
        assert several[6 * end + k] == one
    a, b = numbers[begin:end], numbers[end + begin : 2 * end]
    assert abs(product - a @ b) <= 1e-14 * (np.abs(a) @ np.abs(b))


@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_systems_are_solved(seed, n):
    """As by NumPy, whatever order of rows the pivots ask for, with one right-hand side after the
    other, whatever was in the room before; a system without a pivot is told.
    """
    random = np.random.default_rng(seed)
    stride = (n + 3) // 4 * 4
    A = random.normal(size=(n, n))
    numbers, pivot = random.normal(size=room_of(n)), np.zeros(n, dtype=np.int64)
    numbers[: n * stride].reshape(n, stride)[:] = np.pad(A, ((0, 0), (0, stride - n)))

    assert eliminated(numbers, pivot, n, stride)
    for b in random.normal(size=(3, n)):
        right = b.copy()
        solve(numbers, pivot, right, n, stride)
        assert np.abs(A @ right - b).max() <= 1e-12 * np.linalg.cond(A)
    A[:, 0] = 0.0
    numbers[: n * stride].reshape(n, stride)[:, :n] = A
    assert not eliminated(numbers, pivot, n, stride)
