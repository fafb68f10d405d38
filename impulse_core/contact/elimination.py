"""Gaussian elimination of dense systems of some dozens of rows, by lanes of the processor.

A system of n rows, each of which begins a ``stride`` after the one before, a multiple of the lanes,
stands at the beginning of an array of numbers. Behind it the factors of the elimination are kept,
column after column, and two vectors. Parts of rows are a multiple of the lanes long, so that some
of their numbers are eliminated already: a remainder of single numbers takes longer than all others.
"""

from __future__ import annotations

from impulse_core.jit import inlined_kernel, inner_kernel, lanes

__all__ = [
    "dot_of_rows",
    "dots_of_rows",
    "eliminate",
    "room_of",
    "solve_eliminated",
    "stride_of",
    "subtract_row",
]


@inlined_kernel
def stride_of(n):
    """From one of n rows to the next."""
    return (n + lanes.LANES - 1) // lanes.LANES * lanes.LANES


def room_of(n: int) -> int:
    """Numbers that a system of n rows needs, with its factors and vectors."""
    return int((2 * n + 2) * (n + lanes.LANES))


@inner_kernel
def _subtract_one_by_one(numbers, to, row, factor, begin, end):
    for j in range(begin, end):
        numbers[to + j] -= factor * numbers[row + j]


@inner_kernel
def _dot_in_order(numbers, row, other, begin, end):
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for j in range(begin, end, lanes.LANES):
        a += numbers[row + j] * numbers[other + j]
        b += numbers[row + j + 1] * numbers[other + j + 1]
        c += numbers[row + j + 2] * numbers[other + j + 2]
        d += numbers[row + j + 3] * numbers[other + j + 3]
    return (a + b) + (c + d)


@inner_kernel
def _dots_in_order(numbers, to, row, other, apart, begin, end):
    for k in range(lanes.LANES):
        numbers[to + k] = _dot_in_order(numbers, row, other + k * apart, begin, end)


# Of parts of rows, a multiple of the lanes of the processor long: subtract one from another, their
# product, and those of one with four others.
subtract_row = lanes.subtract_row_by_lanes if lanes.AT_HAND else _subtract_one_by_one
dot_of_rows = lanes.dot_by_lanes if lanes.AT_HAND else _dot_in_order
dots_of_rows = lanes.dots_by_lanes if lanes.AT_HAND else _dots_in_order


@inner_kernel
def eliminate(numbers, pivot, n, stride):
    """Bring the system of n rows into the form L U with partial pivoting; False if it is singular.

    In place of each pivot its inverse is kept.
    """
    for k in range(n):
        begin, row, factors = k // lanes.LANES * lanes.LANES, k * stride, (n + k) * stride
        pivot[k] = k + _largest_of_column(numbers, row + k, n - k, stride)
        _exchange(numbers, k, pivot[k], n, stride)
        if not (abs(numbers[row + k]) > 0.0):
            return False
        for j in range(begin, k + 1):
            numbers[factors + j] = 0.0
        inverse = 1.0 / numbers[row + k]
        for i in range(k + 1, n):
            factor = numbers[i * stride + k] * inverse
            numbers[factors + i] = factor
            subtract_row(numbers, i * stride, row, factor, begin, stride)
        numbers[row + k] = inverse
    return True


@inlined_kernel
def _largest_of_column(numbers, at, n, stride):
    """Which of n numbers, a stride apart, is the largest."""
    best, largest = 0, abs(numbers[at])
    for i in range(1, n):
        size = abs(numbers[at + i * stride])
        if size > largest:
            best, largest = i, size
    return best


@inlined_kernel
def _exchange(numbers, k, other, n, stride):
    """Exchange row k with another below, and their factors in the columns before."""
    if other == k:
        return
    for j in range(k // lanes.LANES * lanes.LANES, stride):
        a, b = k * stride + j, other * stride + j
        numbers[a], numbers[b] = numbers[b], numbers[a]
    for column in range(n, n + k):
        a, b = column * stride + k, column * stride + other
        numbers[a], numbers[b] = numbers[b], numbers[a]


@inner_kernel
def solve_eliminated(numbers, pivot, right, n, stride):
    """Solve a system that is eliminated into its right-hand side."""
    y, x = 2 * n * stride, (2 * n + 1) * stride
    for i in range(n):
        numbers[y + i] = right[i]
    for k in range(n):
        a, b = y + k, y + pivot[k]
        numbers[a], numbers[b] = numbers[b], numbers[a]
    for k in range(n - 1):
        begin = (k + 1) // lanes.LANES * lanes.LANES
        subtract_row(numbers, y, (n + k) * stride, numbers[y + k], begin, stride)
    for j in range(stride):
        numbers[x + j] = 0.0
    for k in range(n - 1, -1, -1):
        begin = (k + 1) // lanes.LANES * lanes.LANES
        known = dot_of_rows(numbers, k * stride, x, begin, stride)
        right[k] = (numbers[y + k] - known) * numbers[k * stride + k]
        numbers[x + k] = right[k]
