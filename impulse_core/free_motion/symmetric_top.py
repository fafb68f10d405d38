"""Closed-form rotation of a body with two equal moments of inertia.

With L constant in the world and e the symmetry axis in the body, L_a = L · R e is constant and
ω = L/J_t + (1/J_a - 1/J_t) L_a R e, so the body turns about two axes at constant rates:

    q(t+h) = exp(h L / J_t) ∘ q(t) ∘ exp(h (1/J_a - 1/J_t) L_a e)        (docs/algorithm.md, 3)

Exact for every h, hence symmetric in time. Symbols: J_a moment about the symmetry axis, J_t the
two equal moments, L angular momentum in the world frame.
"""

from __future__ import annotations

from impulse_core.algebra import Quat, Vec3, dot, half_angle_functions, normalized, rotation_of
from impulse_core.jit import kernel


@kernel
def _axis_in_world(q, axis):
    """R e_axis, a column of the rotation matrix."""
    if axis == 0:
        return Vec3(
            1.0 - 2.0 * (q.y * q.y + q.z * q.z),
            2.0 * (q.x * q.y + q.w * q.z),
            2.0 * (q.x * q.z - q.w * q.y),
        )
    if axis == 1:
        return Vec3(
            2.0 * (q.x * q.y - q.w * q.z),
            1.0 - 2.0 * (q.x * q.x + q.z * q.z),
            2.0 * (q.y * q.z + q.w * q.x),
        )
    return Vec3(
        2.0 * (q.x * q.z + q.w * q.y),
        2.0 * (q.y * q.z - q.w * q.x),
        1.0 - 2.0 * (q.x * q.x + q.y * q.y),
    )


@kernel
def _turned_about_axis(q, axis, angle):
    """q ∘ exp(angle e_axis / 2), written out: two components of the second factor are zero."""
    c, s = half_angle_functions(angle * angle)
    s *= angle
    if axis == 0:
        return Quat(c * q.w - s * q.x, c * q.x + s * q.w, c * q.y + s * q.z, c * q.z - s * q.y)
    if axis == 1:
        return Quat(c * q.w - s * q.y, c * q.x - s * q.z, c * q.y + s * q.w, c * q.z + s * q.x)
    return Quat(c * q.w - s * q.z, c * q.x + s * q.y, c * q.y - s * q.x, c * q.z + s * q.w)


@kernel
def turn_symmetric_top(q, angular_momentum, inverse_axial, inverse_transverse, axis, h):
    """Orientation after h of a free symmetric top; inverse moments in 1/(kg m²), h in s."""
    turned = rotation_of(angular_momentum * (h * inverse_transverse)) * q
    excess = inverse_axial - inverse_transverse
    if excess != 0.0:
        axial = dot(angular_momentum, _axis_in_world(q, axis))
        turned = _turned_about_axis(turned, axis, h * excess * axial)
    return normalized(turned)
