"""Distance: points A of body 1 and B of body 2 keep the distance l > 0. Removes 1 translation.

    C = ‖B - A‖ - l = 0                                                      (docs/algorithm.md, 9)
    row n = (B - A)/‖B - A‖

Source: joints chapter. A and B lie on one line with the impulse, so its moment about any point is
the same from either end: angular momentum is conserved to round-off.
"""

from __future__ import annotations

from impulse_core.algebra import Mat3, Vec3, norm, unit
from impulse_core.jit import kernel


@kernel
def distance_error(A, B, length):
    """d = (‖B - A‖ - l, 0, 0) [m]."""
    return Vec3(norm(B - A) - length, 0.0, 0.0)


@kernel
def distance_rows(A, B):
    """Directions of the rows, and the points of bodies 1 and 2 where the impulse acts."""
    n = unit(B - A)
    return Mat3(n.x, n.y, n.z, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), A, B
