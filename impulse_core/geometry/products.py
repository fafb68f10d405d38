"""Products of small vectors and matrices, with the same bits on every machine.

NumPy's ``@``, ``dot`` and ``linalg`` call a library that takes other instructions on other
processors, and rounds otherwise. What a simulation begins with must not depend on that: these add
one product after another.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["dot", "length", "product", "solved", "total"]

Floats = NDArray[np.float64]


def product(first: ArrayLike, *others: ArrayLike) -> Floats:
    """The product of matrices (…, m, k) and (…, k, n), and so on from the left; a vector (k,) may
    be the first or the last.
    """
    return reduce(_times, others, np.asarray(first, dtype=np.float64))


def _times(a: Floats, b: ArrayLike) -> Floats:
    b = np.asarray(b, dtype=np.float64)
    rows, columns = "k" if a.ndim == 1 else "ik", "k" if b.ndim == 1 else "kj"
    left = rows.removesuffix("k") + columns.removeprefix("k")
    found: Floats = np.einsum(f"...{rows},...{columns}->...{left}", a, b)
    return found


def dot(a: Sequence[float] | Floats, b: Sequence[float] | Floats) -> float:
    """The scalar product of two vectors."""
    return total(float(x) * float(y) for x, y in zip(a, b, strict=True))


def total(numbers: Iterable[float]) -> float:
    """Their sum from the first to the last, which ``sum`` rounds otherwise from Python 3.12 on."""
    return reduce(operator.add, numbers, 0.0)


def length(v: Sequence[float] | Floats) -> float:
    """The Euclidean norm of a vector."""
    return math.sqrt(dot(v, v))


def solved(matrix: Floats, right_side: Floats, *, least: float = 0.0) -> Floats:
    """x with A x = b, by elimination with the largest pivot that is left, for A of shape (n, n) and
    b of shape (n,) or (n, k).

    Where no pivot is above ``least`` times the largest element, the unknowns that are left are
    zero: one solution of many, if there is any.
    """
    n = len(matrix)
    a = np.concatenate([matrix, np.reshape(right_side, (n, -1))], axis=1, dtype=np.float64)
    floor = least * float(np.abs(matrix).max(initial=0.0))
    row_of: dict[int, int] = {}
    for done in range(n):
        left = np.abs(a[done:, :n])
        left[:, list(row_of)] = -1.0
        row, column = divmod(int(np.argmax(left)), n)
        if not left[row, column] > floor:
            break
        a[[done, done + row]] = a[[done + row, done]]
        a[done] /= a[done, column]
        others = np.arange(n) != done
        a[others] -= a[others, column, None] * a[done]
        row_of[column] = done
    x = np.zeros_like(a[:, n:])
    for column, row in row_of.items():
        x[column] = a[row, n:]
    return x.reshape(np.shape(right_side))
