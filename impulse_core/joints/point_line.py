"""Point–line: point B of body 2 stays on a line through A along a, fixed in body 1. Removes 2
translations.

    C = P (B - A) = 0,  P = (bᵀ; cᵀ),  b, c ⟂ a fixed in body 1              (docs/algorithm.md, 18)
    rows n = b, c; G v = P d/dt (B - A) seen from body 1

Source: BS06 section 3.2. The impulse acts on both bodies at B, where they touch: the moment arm of
body 1 reaches to B, not to A, which is what carries the line with its body.
"""

from __future__ import annotations

from impulse_core.algebra import Mat3, Vec3, cross, dot
from impulse_core.jit import kernel


@kernel
def point_line_error(A, B, b, c):
    """d = (b · (B - A), c · (B - A), 0) [m]."""
    r = B - A
    return Vec3(dot(b, r), dot(c, r), 0.0)


@kernel
def point_line_rows(B, b, c):
    """Directions of the rows, and the points of bodies 1 and 2 where the impulse acts."""
    return Mat3(b.x, b.y, b.z, c.x, c.y, c.z, 0.0, 0.0, 0.0), B, B


@kernel
def point_line_bias(b, c, v1, w1, r1, v2, w2, r2):
    """Ġ v [m/s²] of both rows: P (ω2 × (ω2 × r2) + ω1 × (ω1 × r1) - 2 ω1 × (ḃ - v1)).

    r1 and r2: from the centres of mass to B (docs/algorithm.md, 25).
    """
    turn2 = cross(w2, r2)
    a = cross(w2, turn2) + cross(w1, cross(w1, r1)) - 2.0 * cross(w1, v2 + turn2 - v1)
    return Vec3(dot(b, a), dot(c, a), 0.0)
