"""Swing: constrains nothing; carries the two axes of a ball joint whose turning is limited.

    swing φ = atan2(‖a1 × a2‖, a1 · a2),       row n = a1 × a2 normalised
    twist ψ: what is left of the turn once a1 is swung into a2 the shortest way, about a1
             row m = (a1 + a2)/(1 + a1 · a2)                                 (docs/algorithm.md, 69)

Rows are derivatives: φ̇ = n · (ω2 - ω1), ψ̇ = m · (ω2 - ω1). The direction n means nothing where
the axes are one, and ψ nothing where they are opposed: swings are limited to 1 to 179 degrees.
"""

from __future__ import annotations

import math

from impulse_core.algebra import (
    Mat3,
    Vec3,
    conjugate,
    cross,
    dot,
    norm,
    quat_of,
    rotate,
    vec3_of,
)
from impulse_core.jit import inner_kernel, kernel
from impulse_core.joints.distance import SMALLEST_COSINE

_ONE = 1e-12  # ‖a1 × a2‖ of axes that are one
_OPPOSED = 1e-9  # 1 + a1 · a2 of axes that are opposed


@kernel
def swing_angle(a1, a2):
    """φ [rad], 0 to π."""
    return math.atan2(norm(cross(a1, a2)), dot(a1, a2))


@kernel
def swing_rows(a1, a2, across):
    """Directions of the rows: none, n and m; ``across`` is a unit vector across a1."""
    n = cross(a1, a2)
    size = norm(n)
    n = n * (1.0 / size) if size > _ONE else across
    m = (a1 + a2) * (1.0 / max(1.0 + dot(a1, a2), _OPPOSED))
    return Mat3(0.0, 0.0, 0.0, n.x, n.y, n.z, m.x, m.y, m.z)


@inner_kernel
def swung_elsewhere(model, j, before, after):
    """Whether the direction of a swing turns too far in body 1 from one set of poses to another, as
    that of a line may (distance.py): it turns round where the axes meet in between.
    """
    return not (dot(_direction(model, j, before), _direction(model, j, after)) >= SMALLEST_COSINE)


@inner_kernel
def _direction(model, j, poses):
    """n of joint j, frame of body 1."""
    joint = model.joints[j]
    Q = conjugate(quat_of(poses[joint.body1].orientation)) * quat_of(poses[joint.body2].orientation)
    a2 = rotate(Q, vec3_of(joint.axis2))
    rows = swing_rows(vec3_of(joint.axis1), a2, vec3_of(joint.across_b))
    return Vec3(rows.yx, rows.yy, rows.yz)
