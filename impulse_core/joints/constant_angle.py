"""Constant angle: axis a1 of body 1 and axis a2 of body 2 keep the angle φ0. Removes 1 rotation.

    C = φ - φ0 = 0,  φ = atan2(‖a1 × a2‖, a1 · a2)                           (docs/algorithm.md, 20)
    row n = a1 × a2 normalised; G v = n · (ω2 - ω1)

A cross that carries both axes turns by θ1 about a1 in body 1, and body 2 by θ2 about a2 on it,

    ω2 - ω1 = θ̇1 a1 + θ̇2 a2,  θ̇1 = m1 · (ω2 - ω1)                      (docs/algorithm.md, 68)
    m1 = (a1 - c a2)/(1 - c²),  c = a1 · a2

and m2 likewise. What acts along θ1 has the row m1, along θ2 the row m2: with n they are the dual
basis of a1, a2, n, so a torque along one does no work on the other.

Source: BS06 section 3.5, there with φ0 = 90° only (the universal joint, regular in every pose). The
direction vanishes with the angle, so φ0 within one degree of 0 or π is refused: common axis then.
"""

from __future__ import annotations

import math

from impulse_core.algebra import Mat3, Vec3, cross, dot, norm, unit
from impulse_core.jit import kernel


@kernel
def constant_angle_error(a1, a2, angle):
    """d = (φ - φ0, 0, 0) [rad]."""
    return Vec3(math.atan2(norm(cross(a1, a2)), dot(a1, a2)) - angle, 0.0, 0.0)


@kernel
def constant_angle_rows(a1, a2):
    """Directions of the rows."""
    n = unit(cross(a1, a2))
    return Mat3(n.x, n.y, n.z, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def angle_rows(a1, a2):
    """m1 and m2."""
    c = dot(a1, a2)
    share = 1.0 / (1.0 - c * c)
    return (a1 - c * a2) * share, (a2 - c * a1) * share


@kernel
def constant_angle_bias(a1, a2, w1, w2):
    """Ġ v [rad/s²] = ṅ · (ω2 - ω1), n = s/‖s‖, s = a1 × a2 (docs/algorithm.md, 27)."""
    s = cross(a1, a2)
    length = norm(s)
    n = s * (1.0 / length)
    turned = cross(cross(w1, a1), a2) + cross(a1, cross(w2, a2))
    rate = (turned - n * dot(n, turned)) * (1.0 / length)
    return Vec3(dot(rate, w2 - w1), 0.0, 0.0)
