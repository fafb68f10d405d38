"""Point–plane: point B of body 2 stays on a plane through A with normal a, fixed in body 1. Removes
1 translation.

    C = a · (B - A) = 0                                                      (docs/algorithm.md, 19)
    row n = a; G v = d/dt of C

Source: BS06 section 3.3. The impulse acts on both bodies at B, where they touch.
"""

from __future__ import annotations

from impulse_core.algebra import Mat3, Vec3, cross, dot
from impulse_core.jit import kernel


@kernel
def point_plane_error(A, B, a):
    """d = (a · (B - A), 0, 0) [m]."""
    return Vec3(dot(a, B - A), 0.0, 0.0)


@kernel
def point_plane_rows(B, a):
    """Directions of the rows, and the points of bodies 1 and 2 where the impulse acts."""
    return Mat3(a.x, a.y, a.z, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), B, B


@kernel
def point_plane_bias(a, v1, w1, r1, v2, w2, r2):
    """Ġ v [m/s²] of the row: a · (ω2 × (ω2 × r2) + ω1 × (ω1 × r1) - 2 ω1 × (ḃ - v1)).

    r1 and r2: from the centres of mass to B (docs/algorithm.md, 25).
    """
    turn2 = cross(w2, r2)
    rate = cross(w2, turn2) + cross(w1, cross(w1, r1)) - 2.0 * cross(w1, v2 + turn2 - v1)
    return Vec3(dot(a, rate), 0.0, 0.0)
