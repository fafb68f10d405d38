"""Common axis: axis a1 of body 1 and axis a2 of body 2 are parallel. Removes 2 rotations.

    C = P (a1 × a2) = 0 and a1 · a2 > 0,  P = (bᵀ; cᵀ),  b, c ⟂ a1 fixed in body 1
    rows n = b, c; G v = P (ω2 - ω1)                                         (docs/algorithm.md, 11)

Source: BS06 section 3.4. a1 × a2 also vanishes when the axes are opposed; that root is refused by
an error that no correction can mend, so that the step is halved instead.
"""

from __future__ import annotations

from impulse_core.algebra import Mat3, Vec3, cross, dot
from impulse_core.jit import kernel

_OPPOSED = 1e6  # rad, far beyond every tolerance


@kernel
def common_axis_error(b, c, a1, a2):
    """d = (b · (a1 × a2), c · (a1 × a2), 0) [rad for small angles]."""
    if dot(a1, a2) <= 0.0:
        return Vec3(_OPPOSED, _OPPOSED, 0.0)
    s = cross(a1, a2)
    return Vec3(dot(b, s), dot(c, s), 0.0)


@kernel
def common_axis_rows(b, c):
    """Directions of the rows."""
    return Mat3(b.x, b.y, b.z, c.x, c.y, c.z, 0.0, 0.0, 0.0)


@kernel
def common_axis_bias(b, c, w1, w2):
    """Ġ v [rad/s²] = P (ω2 × ω1): b and c turn with body 1 (docs/algorithm.md, 26)."""
    s = cross(w2, w1)
    return Vec3(dot(b, s), dot(c, s), 0.0)
