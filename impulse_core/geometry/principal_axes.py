"""Principal axes of a 3x3 inertia, by Jacobi rotations from the axes it is given in."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from impulse_core.geometry.products import product

__all__ = ["principal_axes"]

Floats = NDArray[np.float64]

# An off-diagonal element below this part of the trace is round-off of the mesh integration: the
# axes count as principal already. Without it the noise of a square box would turn its axes by an
# arbitrary angle about its axis of symmetry. The moments change by less than this part.
_ALREADY_PRINCIPAL = 1e-14
_MAX_SWEEPS = 16  # a 3x3 matrix needs four or five


def principal_axes(inertia: Floats) -> tuple[Floats, Floats]:
    """Moments, shape (3,), and proper rotation, shape (3, 3), with the axes as columns.

    ``inertia = rotation @ diag(moments) @ rotation.T`` for a symmetric ``inertia``. Deterministic:
    of all orders and signs of the axes the rotation nearest to the identity (largest trace) is
    returned, so a diagonal inertia gives the identity and moments in the order of its diagonal.
    Where two moments are equal every axis in their plane is principal; Jacobi rotations of at
    most 45 degrees stay close to the given axes there too.

    Source: C. G. J. Jacobi 1846; Golub and Van Loan, Matrix Computations, section 8.5.
    """
    matrix = 0.5 * (inertia + inertia.T)
    rotation = np.eye(3)
    if _is_diagonal(matrix, _ALREADY_PRINCIPAL):
        return np.diag(matrix).copy(), rotation
    for _ in range(_MAX_SWEEPS):
        if _is_diagonal(matrix, 1e-18):
            break
        for p, q in ((0, 1), (0, 2), (1, 2)):
            turn = _jacobi_rotation(matrix.tolist(), p, q)
            matrix = product(turn.T, matrix, turn)
            matrix[p, q] = matrix[q, p] = 0.0
            rotation = product(rotation, turn)
    return _nearest_to_identity(np.diag(matrix), rotation)


def _is_diagonal(matrix: Floats, tolerance: float) -> bool:
    """Whether no element off the diagonal is more than this part of the trace."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix.tolist()
    return bool(max(abs(xy), abs(xz), abs(yz)) <= tolerance * (xx + yy + zz))


def _jacobi_rotation(matrix: list[list[float]], p: int, q: int) -> Floats:
    """The rotation in the plane (p, q), of at most 45 degrees, that makes matrix[p][q] zero."""
    turn = np.eye(3)
    if matrix[p][q] == 0.0:
        return turn
    # t = tan of the angle, the smaller root of t^2 + 2 theta t - 1 = 0.
    theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q])
    t = math.copysign(1.0, theta) / (abs(theta) + math.hypot(theta, 1.0))
    c = 1.0 / math.hypot(t, 1.0)
    turn[p, p] = turn[q, q] = c
    turn[p, q] = t * c
    turn[q, p] = -t * c
    return turn


def _nearest_to_identity(moments: Floats, axes: Floats) -> tuple[Floats, Floats]:
    """Order and signs of the axes of a proper rotation such that the trace is largest."""
    rows = axes.tolist()
    best_order, best_signs, best_trace = [0, 1, 2], [1.0, 1.0, 1.0], -math.inf
    for order in permutations(range(3)):
        diagonal = [rows[axis][column] for axis, column in enumerate(order)]
        signs = [-1.0 if value < 0.0 else 1.0 for value in diagonal]
        even = (order[1] - order[0]) % 3 == 1
        if (math.prod(signs) > 0.0) != even:  # a mirror image: turn round what costs least
            sizes = [abs(value) for value in diagonal]
            signs[sizes.index(min(sizes))] *= -1.0
        trace = sum(value * sign for value, sign in zip(diagonal, signs, strict=True))
        if trace > best_trace + 1e-12:
            best_order, best_signs, best_trace = list(order), signs, trace
    return moments[best_order], axes[:, best_order] * np.array(best_signs)
