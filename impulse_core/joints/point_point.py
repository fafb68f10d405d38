"""Point–point (spherical): points A of body 1 and B of body 2 coincide. Removes 3 translations.

    C = B - A = 0                                                            (docs/algorithm.md, 8)
    rows n = e_x, e_y, e_z (world axes); G v = d/dt (B - A)

Source: BS06 section 3.1. The impulse acts on both bodies at the midpoint of A and B, so linear
and angular momentum are conserved to round-off even while A and B differ by the tolerance.
"""

from __future__ import annotations

from impulse_core.algebra import IDENTITY3, cross
from impulse_core.jit import kernel


@kernel
def point_point_error(A, B):
    """d = B - A [m], world axes."""
    return B - A


@kernel
def point_point_rows(A, B):
    """Directions of the rows, and the points of bodies 1 and 2 where the impulse acts."""
    middle = 0.5 * (A + B)
    return IDENTITY3, middle, middle


@kernel
def point_point_bias(v1, w1, rA, v2, w2, rB):
    """Ġ v [m/s²] = ω2 × (ẋ - v2) - ω1 × (ẋ - v1), x midway between A and B (docs/algorithm.md, 23).

    v and w: velocities of both bodies; rA, rB: from their centres of mass to A and B.
    """
    moved = 0.5 * (v1 + cross(w1, rA) + v2 + cross(w2, rB))
    return cross(w2, moved - v2) - cross(w1, moved - v1)
