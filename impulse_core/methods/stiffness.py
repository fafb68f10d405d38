"""How long steps may be for what is stiff along free axes, by the methods that have such a limit.

With w, the inverse mass along an axis of its two bodies alone, k and d, the stiffness and damping
of all that acts there, the gains of a servo among them (docs/algorithm.md, 70):

    |γ| h w (d + |γ| h k) ≤ 1           in a stage of a composition that goes backwards by γh
    h max(w d, √(w k)) ≤ 6              in an explicit step of order 8, and about 2.7 of order 4
"""

from __future__ import annotations

import numpy as np

from impulse_core.joints.table import EXPLICIT_SERVO, IMPLICIT_SERVO
from impulse_core.model import Model
from impulse_core.types import Floats

__all__ = ["longest_explicit_step", "longest_steps"]

_EXPLICIT = {4: 2.7, 8: 6.0}  # radius of the region of stability, by the order


def _gains(model: Model) -> tuple[Floats, Floats]:
    """Stiffness and damping of every axis, shapes (a,)."""
    axes = model.axes
    servo = np.isin(axes["motor_kind"], (IMPLICIT_SERVO, EXPLICIT_SERVO))
    gain = np.where(servo[:, None], axes["motor_gain"], 0.0)
    return axes["stiffness"] + gain[:, 0], axes["damping"] + gain[:, 2]


def longest_steps(model: Model, fractions: Floats) -> Floats:
    """The longest step of a composition for what is damped along each axis [s], shape (a,)."""
    backwards = -min(float(fractions.min()), 0.0)
    k, d = _gains(model)
    w = model.axes["inverse_mass"]
    with np.errstate(divide="ignore", invalid="ignore"):
        # of w (d x + k x²) = 1 without a difference of like numbers
        x = 2.0 / (w * d + np.sqrt((w * d) ** 2 + 4.0 * w * k))
        longest: Floats = np.where(d > 0.0, x / backwards, np.inf)
    return longest


def longest_explicit_step(model: Model, order: int) -> float:
    """The longest stable step of an explicit formula of an order [s], inf if there is none."""
    k, d = _gains(model)
    w = model.axes["inverse_mass"]
    fastest = float(np.maximum(w * d, np.sqrt(w * k)).max(initial=0.0))
    return _EXPLICIT[order] / fastest if fastest > 0.0 else np.inf
