"""Fixed rotation: body 2 keeps its orientation relative to body 1. Removes 3 rotations.

    C = rotation vector of q2 ∘ Q0⁻¹ ∘ q1⁻¹ = 0,  Q0 = q1(0)⁻¹ ∘ q2(0)       (docs/algorithm.md, 10)
    rows n = e_x, e_y, e_z (world axes); G v = ω2 - ω1, hence Ġ v = 0

BS06 writes Δq without Q0, which only holds where both body frames agree at the start.
"""

from __future__ import annotations

from impulse_core.algebra import conjugate, rotation_vector
from impulse_core.jit import kernel


@kernel
def fixed_rotation_error(q1, q2, Q0):
    """Rotation vector [rad], world axes, from the wanted to the present orientation of body 2."""
    return rotation_vector(q2 * conjugate(Q0) * conjugate(q1))
