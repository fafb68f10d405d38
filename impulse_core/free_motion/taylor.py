"""Rotation of any free body by its Taylor series, run to round-off (BFS05, equations 5 to 10).

    ω̇ = J⁻¹ (J ω × ω),  q̇ = ½ q ∘ (0, ω),  ω in the body frame             (docs/algorithm.md, 2)

Both right-hand sides are products, so the normalised coefficients x_k = x⁽ᵏ⁾/k! follow from
Cauchy products without binomials: (k+1) ω_{k+1} = J⁻¹ Σ J ω_i × ω_{k-i}. The paper's signs of
the gyroscopic term and its placing of ω left of q are slips (docs/algorithm.md).

The step is divided until the series converges geometrically with ratio below one half; it is then
summed until two terms in a row no longer change the sum. That is symmetric in time to round-off,
which the compositions of order four and higher need. The work grows with the turn, two parts for
each radian, so whoever asks for it bounds the turn first (flow.py).
"""

from __future__ import annotations

from impulse_core.algebra import Quat, Vec3, norm, normalized, rotate_back
from impulse_core.jit import kernel
from impulse_core.model import TAYLOR_ORDER

_ROUND_OFF = 1e-17  # two terms below this fraction of the sum end it
_LARGEST_TURN = 0.5  # rad per substep: about 16 terms


@kernel
def _substep(q, w, inertia, inverse_inertia, h, series):
    """Orientation and body-frame angular velocity after h, h |w| at most _LARGEST_TURN."""
    series[0, 0], series[0, 1], series[0, 2] = w.x, w.y, w.z
    series[0, 3], series[0, 4], series[0, 5], series[0, 6] = q.w, q.x, q.y, q.z
    ratio_x = (inertia.y - inertia.z) * inverse_inertia.x
    ratio_y = (inertia.z - inertia.x) * inverse_inertia.y
    ratio_z = (inertia.x - inertia.y) * inverse_inertia.z
    wx, wy, wz = w.x, w.y, w.z
    qw, qx, qy, qz = q.w, q.x, q.y, q.z
    power = 1.0
    small_terms = 0
    for k in range(TAYLOR_ORDER):
        dx, dy, dz = 0.0, 0.0, 0.0
        ew, ex, ey, ez = 0.0, 0.0, 0.0, 0.0
        for i in range(k + 1):
            ax, ay, az = series[i, 0], series[i, 1], series[i, 2]
            bx, by, bz = series[k - i, 0], series[k - i, 1], series[k - i, 2]
            cw, cx, cy, cz = series[i, 3], series[i, 4], series[i, 5], series[i, 6]
            dx += ay * bz
            dy += az * bx
            dz += ax * by
            ew -= cx * bx + cy * by + cz * bz
            ex += cw * bx + cy * bz - cz * by
            ey += cw * by + cz * bx - cx * bz
            ez += cw * bz + cx * by - cy * bx
        s = 1.0 / (k + 1)
        dx, dy, dz = dx * ratio_x * s, dy * ratio_y * s, dz * ratio_z * s
        ew, ex, ey, ez = 0.5 * ew * s, 0.5 * ex * s, 0.5 * ey * s, 0.5 * ez * s
        series[k + 1, 0], series[k + 1, 1], series[k + 1, 2] = dx, dy, dz
        series[k + 1, 3], series[k + 1, 4] = ew, ex
        series[k + 1, 5], series[k + 1, 6] = ey, ez
        power *= h
        wx, wy, wz = wx + power * dx, wy + power * dy, wz + power * dz
        qw, qx, qy, qz = qw + power * ew, qx + power * ex, qy + power * ey, qz + power * ez
        term = abs(power) * max(abs(ew), abs(ex), abs(ey), abs(ez))
        small_terms = small_terms + 1 if term < _ROUND_OFF else 0
        if small_terms == 2:
            break
    return Quat(qw, qx, qy, qz), Vec3(wx, wy, wz)


@kernel
def most_turn(angular_momentum, inverse_inertia, h):
    """Bound on the turn of a free body over h [rad]: |ω| never exceeds |L| / J_min."""
    softest = max(inverse_inertia.x, inverse_inertia.y, inverse_inertia.z)
    return norm(angular_momentum) * softest * abs(h)


@kernel
def _in_body_axes(q, angular_momentum, inverse_inertia):
    """Angular momentum and angular velocity of a body, seen from it."""
    L = rotate_back(q, angular_momentum)
    return L, Vec3(L.x * inverse_inertia.x, L.y * inverse_inertia.y, L.z * inverse_inertia.z)


@kernel
def turn_by_taylor_series(q, angular_momentum, inertia, inverse_inertia, h, series):
    """Orientation after h of a free body with any principal moments [kg m²].

    series is scratch of shape (TAYLOR_ORDER+1, 7). The angular momentum (world frame) stays as
    it is; only the orientation is advanced.
    """
    body_momentum, w = _in_body_axes(q, angular_momentum, inverse_inertia)
    parts = 1 + int(most_turn(body_momentum, inverse_inertia, h) / _LARGEST_TURN)
    part = h / parts
    for _ in range(parts):
        q, w = _substep(q, w, inertia, inverse_inertia, part, series)
        q = normalized(q)
        _, w = _in_body_axes(q, angular_momentum, inverse_inertia)
    return q
