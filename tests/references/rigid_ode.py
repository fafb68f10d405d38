"""Right-hand sides of rigid-body motion for SciPy's integrators, written apart from the simulator.

States hold a quaternion (w, x, y, z), body to world, and the angular velocity in body axes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["free_body_rate", "heavy_top_rate", "matrix_of"]

Floats = NDArray[np.float64]


def matrix_of(q: Floats) -> Floats:
    """Rotation matrix of a quaternion of any length, shape (3, 3)."""
    w, x, y, z = np.asarray(q) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def free_body_rate(moments: Floats, state: Floats, torque: Floats | None = None) -> Floats:
    """q̇ = ½ q ∘ (0, ω), J ω̇ = τ + Jω × ω; torque in body axes [N m], shape (3,)."""
    w, x, y, z = state[:4]
    a, b, c = state[4:]
    turning = 0.5 * np.array(
        [
            -x * a - y * b - z * c,
            w * a + y * c - z * b,
            w * b + z * a - x * c,
            w * c + x * b - y * a,
        ]
    )
    moment = np.cross(moments * state[4:], state[4:])
    if torque is not None:
        moment = moment + torque
    return np.concatenate([turning, moment / moments])


def heavy_top_rate(
    mass: float, center: Floats, moments: Floats, gravity: Floats, state: Floats
) -> Floats:
    """A top on a fixed point: moments about that point, centre of mass in body axes [m]."""
    torque = np.cross(center, mass * (matrix_of(state[:4]).T @ gravity))
    return free_body_rate(moments, state, torque)
