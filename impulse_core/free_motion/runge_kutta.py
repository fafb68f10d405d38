"""Rotation of any free body by one classical Runge-Kutta step (BS06, section 3).

    ω̇ = J⁻¹ (J ω × ω),  q̇ = ½ q ∘ (0, ω),  ω in the body frame             (docs/algorithm.md, 2)

Fourth order, not symmetric in time: fit for the order-2 impulse step, not for its compositions.
"""

from __future__ import annotations

from impulse_core.algebra import Quat, Vec3, normalized, rotate_back
from impulse_core.jit import kernel


@kernel
def _angular_acceleration(w, inertia, inverse_inertia):
    return Vec3(
        (inertia.y - inertia.z) * w.y * w.z * inverse_inertia.x,
        (inertia.z - inertia.x) * w.z * w.x * inverse_inertia.y,
        (inertia.x - inertia.y) * w.x * w.y * inverse_inertia.z,
    )


@kernel
def _moved(q, rate, h):
    return Quat(q.w + h * rate.w, q.x + h * rate.x, q.y + h * rate.y, q.z + h * rate.z)


@kernel
def _rate(q, w):
    """½ q ∘ (0, w)"""
    return q * Quat(0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z)


@kernel
def turn_by_runge_kutta(q, angular_momentum, inertia, inverse_inertia, h):
    """Orientation after h [s] of a free body; the angular momentum (world frame) stays."""
    body_momentum = rotate_back(q, angular_momentum)
    w1 = Vec3(
        body_momentum.x * inverse_inertia.x,
        body_momentum.y * inverse_inertia.y,
        body_momentum.z * inverse_inertia.z,
    )
    a1 = _angular_acceleration(w1, inertia, inverse_inertia)
    k1 = _rate(q, w1)
    w2 = w1 + (0.5 * h) * a1
    a2 = _angular_acceleration(w2, inertia, inverse_inertia)
    k2 = _rate(_moved(q, k1, 0.5 * h), w2)
    w3 = w1 + (0.5 * h) * a2
    a3 = _angular_acceleration(w3, inertia, inverse_inertia)
    k3 = _rate(_moved(q, k2, 0.5 * h), w3)
    w4 = w1 + h * a3
    k4 = _rate(_moved(q, k3, h), w4)
    q = _moved(q, k1, h / 6.0)
    q = _moved(q, k2, h / 3.0)
    q = _moved(q, k3, h / 3.0)
    return normalized(_moved(q, k4, h / 6.0))
