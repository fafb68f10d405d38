"""Turning: constrains nothing; carries three axes about which body 2 may turn against body 1.

    rows n = e_x, e_y, e_z of the carrier; s: what φ adds up to              (docs/algorithm.md, 66)
    φ = rotation vector of Q(t)⁻¹ ∘ Q(t+h) or of Q(t+h) ∘ Q(t)⁻¹, Q = q1⁻¹ ∘ q2

The carrier is body 2, along whose principal axes the inertia is diagonal, or body 1 where body 2 is
not dynamic; the first vector is in the axes of body 2, the second in those of body 1. Seen from
the end of a stage φ is the opposite, so a law by φ is as symmetric in time as one by an angle.
The sums s are no coordinates of a pose: only laws by their change have a meaning.
"""

from __future__ import annotations

import math

from impulse_core.algebra import (
    Mat3,
    conjugate,
    dot,
    norm,
    quat_of,
    rotation_matrix,
    rotation_vector,
)
from impulse_core.jit import inner_kernel, kernel

_NO_DIRECTION = 1e-8  # rad; a whole number of turns has the axis about which the bodies turned


@inner_kernel
def turning_rows(model, j, q1, q2):
    """Directions of the rows: the axes of the carrier in the world."""
    R = rotation_matrix(q2 if model.joints[j].body2 < model.dynamic else q1)
    return Mat3(R.xx, R.yx, R.zx, R.xy, R.yy, R.zy, R.xz, R.yz, R.zz)


@inner_kernel
def turned_since(model, j, before, after, expected):
    """φ [rad] between poses, of all vectors of the same rotation that nearest to ``expected``."""
    i1, i2 = model.joints[j].body1, model.joints[j].body2
    Q = conjugate(quat_of(before[i1].orientation)) * quat_of(before[i2].orientation)
    Q_next = conjugate(quat_of(after[i1].orientation)) * quat_of(after[i2].orientation)
    turn = conjugate(Q) * Q_next if i2 < model.dynamic else Q_next * conjugate(Q)
    return _with_turns(rotation_vector(turn), expected)


@kernel
def _with_turns(v, expected):
    size, n = norm(v), expected
    if size > _NO_DIRECTION:
        n = v
    length = norm(n)
    if length <= _NO_DIRECTION:
        return v
    n = n * (1.0 / length)
    turns = math.floor((dot(expected, n) - dot(v, n)) / (2.0 * math.pi) + 0.5)
    return v + n * (turns * (2.0 * math.pi))
