"""How long steps may be for what is stiff along free axes, by the methods that have such a limit.

With W, the inverse masses along all axes with the machine behind them, and k and d, the stiffness
and damping of what acts there, the gains of servos among them (docs/algorithm.md, 73):

    |γ| h λ(W (d + |γ| h k)) ≤ 1             where a composition goes backwards by γh
    h max(λ(W d), √λ(W k)) ≤ 6 or 2.7        in an explicit step of order 8 or 4

where λ is the largest eigenvalue. W is that of the start pose, and looked for only where the
inverse masses of two bodies alone, which are larger, do not answer the question.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from impulse_core.compile import CompiledScene
from impulse_core.joints.table import EXPLICIT_SERVO, IMPLICIT_SERVO
from impulse_core.methods.imp import ORDERS, stage_fractions
from impulse_core.methods.tableaus import MULTIPLIER_METHODS
from impulse_core.model import Model
from impulse_core.types import Floats

__all__ = ["too_stiff_axis"]

_RADIUS = {4: 2.7, 8: 6.0}  # of the region of stability, by the order
_HALVINGS = 12  # of the range in which the longest step is


def too_stiff_axis(compiled: CompiledScene, method: str, step: float) -> tuple[int, float] | None:
    """The axis that is too stiff for steps of this length [s], and the longest that would do; None
    if none is.
    """
    part = _part_of_limit(compiled.model, method)
    if part is None:
        return None
    alone = np.diag(compiled.model.axes["inverse_mass"])
    if _trace(alone, *part(step)) <= 1.0:
        return None
    from impulse_core.analysis.numerical_damping import inverse_masses

    masses = inverse_masses(compiled)
    value, axis = _largest(masses, *part(step))
    if not (value > 1.0):
        return None
    # it falls with the step, or with its square
    longest, too_long = step / value, step / math.sqrt(value)
    for _ in range(_HALVINGS):
        middle = math.sqrt(longest * too_long)
        if _largest(masses, *part(middle))[0] > 1.0:
            too_long = middle
        else:
            longest = middle
    return axis, longest


def _part_of_limit(model: Model, method: str) -> Callable[[float], tuple[Floats, Floats]] | None:
    """For steps of a length, two vectors (a,) x with λ(W x) ≤ 1 for what is not too stiff; None
    where nothing can be.
    """
    k, d = _gains(model)
    if method in MULTIPLIER_METHODS:
        radius = _RADIUS[MULTIPLIER_METHODS[method].order]
        return lambda h: (h * d / radius, (h / radius) ** 2 * k)
    if ORDERS.get(method, 2) == 2:
        return None
    backwards = -float(stage_fractions(method).min())
    k = np.where(d > 0.0, k, 0.0)  # undamped springs may be as stiff as they like

    def part(h: float) -> tuple[Floats, Floats]:
        x = backwards * h
        return x * (d + x * k), np.zeros_like(d)

    return part


def _gains(model: Model) -> tuple[Floats, Floats]:
    """Stiffness and damping of every axis, shapes (a,)."""
    axes = model.axes
    servo = np.isin(axes["motor_kind"], (IMPLICIT_SERVO, EXPLICIT_SERVO))
    gain = np.where(servo[:, None], axes["motor_gain"], 0.0)
    return axes["stiffness"] + gain[:, 0], axes["damping"] + gain[:, 2]


def _trace(masses: Floats, *weights: Floats) -> float:
    """A bound of ``_largest``."""
    return max(float(np.diagonal(masses) @ weight) for weight in weights)


def _largest(masses: Floats, *weights: Floats) -> tuple[float, int]:
    """The largest eigenvalue of W x for any of the vectors, and the axis that has most of it."""
    found = (0.0, 0)
    for weight in weights:
        root = np.sqrt(weight)
        values, vectors = np.linalg.eigh(root[:, None] * masses * root)
        if len(values) and not (values[-1] <= found[0]):
            found = float(values[-1]), int(np.argmax(np.abs(vectors[:, -1])))
    return found if math.isfinite(found[0]) else (math.inf, 0)
