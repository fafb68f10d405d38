"""Elimination of a banded matrix in blocks of six rows, which are those of a body.

Row i holds its columns from i - half to i + half, with half = 6 β + 5 for blocks that reach as far
as β blocks to either side. Six rows are eliminated at once: a row below then takes all of them in
one pass, in which nothing waits for anything else. No pivoting: the caller's matrix is positive
definite, or near that.
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

    L has ones on the diagonal, U the pivots.
    """
    half = half_of(bandwidth)
    for b in range(bodies):
        columns = 6 * min(bandwidth, bodies - 1 - b)
        for i in range(6):
            row = _part(matrix, 6 * b + i, 6 * b + i, 6 - i + columns, half)
            if not (abs(row[0]) > 0.0):
                return False
            for r in range(i + 1, 6):
                below = _part(matrix, 6 * b + r, 6 * b + i, 6 - i + columns, half)
                factor = below[0] / row[0]
                for j in range(1, len(row)):
                    below[j] -= factor * row[j]
                below[0] = factor
        u0 = _part(matrix, 6 * b, 6 * b, 6 + columns, half)
        u1 = _part(matrix, 6 * b + 1, 6 * b, 6 + columns, half)
        u2 = _part(matrix, 6 * b + 2, 6 * b, 6 + columns, half)
        u3 = _part(matrix, 6 * b + 3, 6 * b, 6 + columns, half)
        u4 = _part(matrix, 6 * b + 4, 6 * b, 6 + columns, half)
        u5 = _part(matrix, 6 * b + 5, 6 * b, 6 + columns, half)
        i0, i1, i2 = 1.0 / u0[0], 1.0 / u1[1], 1.0 / u2[2]
        i3, i4, i5 = 1.0 / u3[3], 1.0 / u4[4], 1.0 / u5[5]
        for k in range(6 * b + 6, 6 * b + 6 + columns):
            row = _part(matrix, k, 6 * b, 6 + columns, half)
            f0 = row[0] * i0
            f1 = (row[1] - f0 * u0[1]) * i1
            f2 = (row[2] - f0 * u0[2] - f1 * u1[2]) * i2
            f3 = (row[3] - f0 * u0[3] - f1 * u1[3] - f2 * u2[3]) * i3
            f4 = (row[4] - f0 * u0[4] - f1 * u1[4] - f2 * u2[4] - f3 * u3[4]) * i4
            f5 = row[5] - f0 * u0[5] - f1 * u1[5] - f2 * u2[5] - f3 * u3[5] - f4 * u4[5]
            f5 *= i5
            row[0], row[1], row[2], row[3], row[4], row[5] = f0, f1, f2, f3, f4, f5
            if f0 == 0.0 and f1 == 0.0 and f2 == 0.0 and f3 == 0.0 and f4 == 0.0 and f5 == 0.0:
                continue
            for j in range(6, len(row)):
                row[j] -= (
                    f0 * u0[j] + f1 * u1[j] + f2 * u2[j] + f3 * u3[j] + f4 * u4[j] + f5 * u5[j]
                )
    return True


@inner_kernel
def substitute(matrix, right, bodies, bandwidth):
    """Solve the factorised system into its right-hand side."""
    half = half_of(bandwidth)
    for b in range(bodies):
        columns = 6 * min(bandwidth, b)
        _subtract(matrix, right, 6 * b, 6 * b - columns, columns, half)
        for i in range(1, 6):
            row = _part(matrix, 6 * b + i, 6 * b, i, half)
            for j in range(i):
                right[6 * b + i] -= row[j] * right[6 * b + j]
    for b in range(bodies - 1, -1, -1):
        columns = 6 * min(bandwidth, bodies - 1 - b)
        _subtract(matrix, right, 6 * b, 6 * b + 6, columns, half)
        for i in range(5, -1, -1):
            row = _part(matrix, 6 * b + i, 6 * b + i, 6 - i, half)
            for j in range(1, 6 - i):
                right[6 * b + i] -= row[j] * right[6 * b + i + j]
            right[6 * b + i] /= row[0]


@inlined_kernel
def _subtract(matrix, right, k, first, columns, half):
    """Subtract what is known from the six rows from k on: that of the columns from the first on."""
    a0 = _part(matrix, k, first, columns, half)
    a1 = _part(matrix, k + 1, first, columns, half)
    a2 = _part(matrix, k + 2, first, columns, half)
    a3 = _part(matrix, k + 3, first, columns, half)
    a4 = _part(matrix, k + 4, first, columns, half)
    a5 = _part(matrix, k + 5, first, columns, half)
    known = right[first : first + columns]
    x0, x1, x2 = right[k], right[k + 1], right[k + 2]
    x3, x4, x5 = right[k + 3], right[k + 4], right[k + 5]
    for j in range(len(known)):
        x0 -= a0[j] * known[j]
        x1 -= a1[j] * known[j]
        x2 -= a2[j] * known[j]
        x3 -= a3[j] * known[j]
        x4 -= a4[j] * known[j]
        x5 -= a5[j] * known[j]
    right[k], right[k + 1], right[k + 2] = x0, x1, x2
    right[k + 3], right[k + 4], right[k + 5] = x3, x4, x5


@inlined_kernel
def _part(matrix, row, column, count, half):
    """So many numbers of a row, from a column on."""
    at = row * (2 * half + 1) + column - row + half
    return matrix[at : at + count]
