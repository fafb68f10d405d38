"""Between two points A of body 1 and B of body 2: coordinates of springs, not constraints.

    length: s = ‖B - A‖;  row n = (B - A)/‖B - A‖;  G v = ṡ                  (docs/algorithm.md, 9)
    offset: s = B - A;    rows n = e_x, e_y, e_z;   G v = ṡ                  (docs/algorithm.md, 8)

A spring with a rest length acts along the line. One without a rest length has no line where its
ends meet, but its force -k (B - A) needs none: it acts along three axes of the world.
"""

from __future__ import annotations

from impulse_core.algebra import ZERO3, norm
from impulse_core.jit import kernel


@kernel
def length_direction(A, B):
    """Unit vector from A to B; zero where they coincide, so that no force acts there."""
    r = B - A
    size = norm(r)
    if size > 0.0:
        return r * (1.0 / size)
    return ZERO3
