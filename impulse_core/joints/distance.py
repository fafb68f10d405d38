"""Distance: points A of body 1 and B of body 2 keep the distance l > 0. Removes 1 translation.

    C = ‖B - A‖ - l = 0                                                      (docs/algorithm.md, 9)
    row n = (B - A)/‖B - A‖

Source: joints chapter. A and B lie on one line with the impulse, so its moment about any point is
the same from either end: angular momentum is conserved to round-off.
"""

from __future__ import annotations

from impulse_core.algebra import Mat3, Vec3, cross, dot, norm, unit
from impulse_core.jit import kernel

# A line that turns by φ in a stage needs sin φ = h u / l, with u the speed across it: towards 90°
# the energy is wrong by ever more, and beyond there is no solution. Halving only where there is
# none lets the energy run away: the triple pendulum at 0.08 s gained 1e7 J in 50 s. With 0.6 rad it
# stays within the pendulum's own 60 J.
SMALLEST_COSINE = 0.825


@kernel
def distance_error(A, B, length):
    """d = (‖B - A‖ - l, 0, 0) [m]."""
    return Vec3(norm(B - A) - length, 0.0, 0.0)


@kernel
def distance_rows(A, B):
    """Directions of the rows, and the points of bodies 1 and 2 where the impulse acts."""
    n = unit(B - A)
    return Mat3(n.x, n.y, n.z, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), A, B


@kernel
def line_turned_too_far(A, B, A_next, B_next):
    """Whether the line turns by more than 0.6 rad in a stage, too far for a good step."""
    return not (dot(unit(B - A), unit(B_next - A_next)) >= SMALLEST_COSINE)


@kernel
def distance_bias(v1, w1, rA, v2, w2, rB, span):
    """Ġ v [m/s²] = n · (ω2 × (ω2 × rB) - ω1 × (ω1 × rA)) + (u² - (n · u)²)/‖B - A‖, u = ḃ - ȧ.

    Arguments as for point–point; span = B - A (docs/algorithm.md, 24).
    """
    length = norm(span)
    n = span * (1.0 / length)
    turn1, turn2 = cross(w1, rA), cross(w2, rB)
    u = v2 + turn2 - v1 - turn1
    along = dot(n, u)
    swing = (dot(u, u) - along * along) / length
    return Vec3(dot(n, cross(w2, turn2) - cross(w1, turn1)) + swing, 0.0, 0.0)
