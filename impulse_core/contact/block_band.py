"""Elimination of a banded matrix in blocks of six rows, which are those of a body.

Row i holds its columns from i - half to i + half, with half = 6 β + 5 for blocks that reach as far
as β blocks to either side. Six rows are eliminated at once: a row below then takes all of them in
one pass, in which nothing waits for anything else. No pivoting: the caller's matrix is positive
definite, or near that.

Most islands are towers and rows, β = 1. Theirs is the same code with a constant in place of β.
"""

from __future__ import annotations

from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["eliminate", "half_of", "substitute"]


@inlined_kernel
def half_of(bandwidth):
    """Columns to either side of the diagonal of blocks that reach so far."""
    return 6 * bandwidth + 5


@inner_kernel
def eliminate(matrix, bodies, bandwidth):
    """Factorise the matrix into L U, in its place; False if it is singular.

    L has ones on the diagonal, in place of which are the reciprocals of U's.
    """
    if bandwidth == 1:
        return _eliminate(matrix, bodies, 1)
    return _eliminate(matrix, bodies, bandwidth)


@inner_kernel
def substitute(matrix, right, bodies, bandwidth):
    """Solve the factorised system into its right-hand side."""
    if bandwidth == 1:
        _substitute(matrix, right, bodies, 1)
    else:
        _substitute(matrix, right, bodies, bandwidth)


@inlined_kernel
def _eliminate(matrix, bodies, bandwidth):
    half = half_of(bandwidth)
    for b in range(bodies - bandwidth):
        if not _eliminate_rows(matrix, 6 * b, 6 * bandwidth, half):
            return False
    for b in range(max(bodies - bandwidth, 0), bodies):
        if not _eliminate_rows(matrix, 6 * b, 6 * (bodies - 1 - b), half):
            return False
    return True


@inlined_kernel
def _eliminate_rows(matrix, k, columns, half):
    """Eliminate six rows from k on, which reach so many columns beyond their own; False if they
    are singular.
    """
    for i in range(6):
        row = _part(matrix, k + i, k + i, 6 - i + columns, half)
        if not (abs(row[0]) > 0.0):
            return False
        row[0] = 1.0 / row[0]
        for r in range(i + 1, 6):
            below = _part(matrix, k + r, k + i, 6 - i + columns, half)
            factor = below[0] * row[0]
            for j in range(1, 6 - i + columns):
                below[j] -= factor * row[j]
            below[0] = factor
    u0 = _part(matrix, k, k, 6 + columns, half)
    u1 = _part(matrix, k + 1, k, 6 + columns, half)
    u2 = _part(matrix, k + 2, k, 6 + columns, half)
    u3 = _part(matrix, k + 3, k, 6 + columns, half)
    u4 = _part(matrix, k + 4, k, 6 + columns, half)
    u5 = _part(matrix, k + 5, k, 6 + columns, half)
    for i in range(k + 6, k + 6 + columns):
        row = _part(matrix, i, k, 6 + columns, half)
        f0 = row[0] * u0[0]
        f1 = (row[1] - f0 * u0[1]) * u1[1]
        f2 = (row[2] - f0 * u0[2] - f1 * u1[2]) * u2[2]
        f3 = (row[3] - f0 * u0[3] - f1 * u1[3] - f2 * u2[3]) * u3[3]
        f4 = (row[4] - f0 * u0[4] - f1 * u1[4] - f2 * u2[4] - f3 * u3[4]) * u4[4]
        f5 = row[5] - f0 * u0[5] - f1 * u1[5] - f2 * u2[5] - f3 * u3[5] - f4 * u4[5]
        f5 *= u5[5]
        row[0], row[1], row[2], row[3], row[4], row[5] = f0, f1, f2, f3, f4, f5
        if f0 == 0.0 and f1 == 0.0 and f2 == 0.0 and f3 == 0.0 and f4 == 0.0 and f5 == 0.0:
            continue
        for j in range(6, 6 + columns):
            row[j] -= f0 * u0[j] + f1 * u1[j] + f2 * u2[j] + f3 * u3[j] + f4 * u4[j] + f5 * u5[j]
    return True


@inlined_kernel
def _substitute(matrix, right, bodies, bandwidth):
    half = half_of(bandwidth)
    for b in range(min(bandwidth, bodies)):
        _substitute_forwards(matrix, right, 6 * b, 6 * b, half)
    for b in range(bandwidth, bodies):
        _substitute_forwards(matrix, right, 6 * b, 6 * bandwidth, half)
    for b in range(bodies - 1, max(bodies - bandwidth, 0) - 1, -1):
        _substitute_backwards(matrix, right, 6 * b, 6 * (bodies - 1 - b), half)
    for b in range(bodies - bandwidth - 1, -1, -1):
        _substitute_backwards(matrix, right, 6 * b, 6 * bandwidth, half)


@inlined_kernel
def _substitute_forwards(matrix, right, k, columns, half):
    """Six rows of L from k on, with so many columns before their own."""
    x0, x1, x2, x3, x4, x5 = _without_known(matrix, right, k, k - columns, columns, half)
    a = _part(matrix, k + 1, k, 6, half)
    x1 -= a[0] * x0
    a = _part(matrix, k + 2, k, 6, half)
    x2 -= a[0] * x0 + a[1] * x1
    a = _part(matrix, k + 3, k, 6, half)
    x3 -= a[0] * x0 + a[1] * x1 + a[2] * x2
    a = _part(matrix, k + 4, k, 6, half)
    x4 -= a[0] * x0 + a[1] * x1 + a[2] * x2 + a[3] * x3
    a = _part(matrix, k + 5, k, 6, half)
    x5 -= a[0] * x0 + a[1] * x1 + a[2] * x2 + a[3] * x3 + a[4] * x4
    right[k], right[k + 1], right[k + 2] = x0, x1, x2
    right[k + 3], right[k + 4], right[k + 5] = x3, x4, x5


@inlined_kernel
def _substitute_backwards(matrix, right, k, columns, half):
    """Six rows of U from k on, with so many columns after their own."""
    x0, x1, x2, x3, x4, x5 = _without_known(matrix, right, k, k + 6, columns, half)
    a = _part(matrix, k + 5, k, 6, half)
    x5 *= a[5]
    a = _part(matrix, k + 4, k, 6, half)
    x4 = (x4 - a[5] * x5) * a[4]
    a = _part(matrix, k + 3, k, 6, half)
    x3 = (x3 - (a[5] * x5 + a[4] * x4)) * a[3]
    a = _part(matrix, k + 2, k, 6, half)
    x2 = (x2 - (a[5] * x5 + a[4] * x4 + a[3] * x3)) * a[2]
    a = _part(matrix, k + 1, k, 6, half)
    x1 = (x1 - (a[5] * x5 + a[4] * x4 + a[3] * x3 + a[2] * x2)) * a[1]
    a = _part(matrix, k, k, 6, half)
    x0 = (x0 - (a[5] * x5 + a[4] * x4 + a[3] * x3 + a[2] * x2 + a[1] * x1)) * a[0]
    right[k], right[k + 1], right[k + 2] = x0, x1, x2
    right[k + 3], right[k + 4], right[k + 5] = x3, x4, x5


@inlined_kernel
def _without_known(matrix, right, k, first, columns, half):
    """The right-hand sides of six rows from k on, less what is known of so many columns from the
    first on.
    """
    a0 = _part(matrix, k, first, columns, half)
    a1 = _part(matrix, k + 1, first, columns, half)
    a2 = _part(matrix, k + 2, first, columns, half)
    a3 = _part(matrix, k + 3, first, columns, half)
    a4 = _part(matrix, k + 4, first, columns, half)
    a5 = _part(matrix, k + 5, first, columns, half)
    x0, x1, x2 = right[k], right[k + 1], right[k + 2]
    x3, x4, x5 = right[k + 3], right[k + 4], right[k + 5]
    for j in range(columns):
        known = right[first + j]
        x0 -= a0[j] * known
        x1 -= a1[j] * known
        x2 -= a2[j] * known
        x3 -= a3[j] * known
        x4 -= a4[j] * known
        x5 -= a5[j] * known
    return x0, x1, x2, x3, x4, x5


@inlined_kernel
def _part(matrix, row, column, count, half):
    """So many numbers of a row, from a column on."""
    at = row * (2 * half + 1) + column - row + half
    return matrix[at : at + count]
