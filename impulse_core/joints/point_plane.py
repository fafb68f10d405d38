"""Point–plane: point B of body 2 stays on a plane through A with normal a, fixed in body 1. Removes
1 translation.

    C = a · (B - A) = 0                                                      (docs/algorithm.md, 19)
    row n = a; G v = d/dt of C

Source: BS06 section 3.3. The impulse acts on both bodies at B, where they touch.
"""

from __future__ import annotations

from impulse_core.algebra import Mat3, Vec3, dot
from impulse_core.jit import kernel


@kernel
def point_plane_error(A, B, a):
    """d = (a · (B - A), 0, 0) [m]."""
    return Vec3(dot(a, B - A), 0.0, 0.0)


@kernel
def point_plane_rows(B, a):
    """Directions of the rows, and the points of bodies 1 and 2 where the impulse acts."""
    return Mat3(a.x, a.y, a.z, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), B, B
