"""The law of one contact: unilateral, with Coulomb's exact cone.

0 ≤ p_n - floor  ⟂  u_n ≥ 0,     ‖p_t‖ ≤ μ p_n,     p_t = -μ p_n u_t/‖u_t‖ where u_t ≠ 0
"""

from __future__ import annotations

import math

from impulse_core.algebra import ZERO3, dot, norm
from impulse_core.jit import inner_kernel

__all__ = ["contact_law", "in_disc"]

_TRIES = 3  # local iterations of a contact that slides
_SETTLED = 1e-13  # relative change at which they end


@inner_kernel
def contact_law(W, W_inverse, n, u, p, friction, floor):
    """The impulse that satisfies the law where u is the relative velocity with the impulse p.

    Exact for one contact that sticks or lifts off; one that slides is iterated, since its direction
    depends on the impulse.
    """
    w_n = dot(n, W @ n)
    if friction == 0.0:
        p_n = max(floor, dot(n, p) - dot(n, u) / w_n)
        return n * p_n
    stuck = p - W_inverse @ u
    p_n = dot(n, stuck)
    if p_n > floor:
        across = stuck - n * p_n
        if dot(across, across) <= (friction * p_n) ** 2:
            return stuck
    return slide(W, w_n, n, u, p, friction, floor)


@inner_kernel
def slide(W, w_n, n, u, p, friction, floor):
    """The impulse on the border of the cone, by projection: p_t ← P(p_t - u_t/w_t)."""
    w_t = W.xx + W.yy + W.zz - w_n
    q = p
    before = norm(p)
    for _ in range(_TRIES):
        v = u + W @ (q - p)
        q_n = max(floor, dot(n, q) - dot(n, v) / w_n)
        across = q - n * dot(n, q)
        if q_n == 0.0:
            new = ZERO3
        else:
            v = v + (W @ n) * (q_n - dot(n, q))
            across = across - (v - n * dot(n, v)) * (1.0 / w_t)
            new = n * q_n + in_disc(across, friction * q_n)
        change = new - q
        q = new
        if dot(change, change) <= (_SETTLED * (before + norm(q))) ** 2:
            break
    return q


@inner_kernel
def in_disc(a, radius):
    """a, shortened to the radius where it is longer."""
    square = dot(a, a)
    if square <= radius * radius:
        return a
    return a * (radius / math.sqrt(square))
