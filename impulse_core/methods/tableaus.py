"""Coefficients of the explicit Runge-Kutta methods, and which method uses which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from impulse_core.types import Floats

__all__ = ["MULTIPLIER_METHODS", "MultiplierMethod", "tableau"]


@dataclass(frozen=True)
class MultiplierMethod:
    """A method that integrates accelerations with Lagrange multipliers.

    Attributes:
        order: Of the error at the end of a run.
        baumgarte: Whether accelerations pull open joints together.
        corrects_velocities: Whether impulses make the velocities fit the joints after each step.
        corrects_positions: Whether the poses are projected onto the joints after each step.
    """

    order: int
    baumgarte: bool = False
    corrects_velocities: bool = False
    corrects_positions: bool = False


MULTIPLIER_METHODS = {
    "lm4": MultiplierMethod(4),
    "lmbs4": MultiplierMethod(4, baumgarte=True),
    "lmv4": MultiplierMethod(4, corrects_velocities=True),
    "lmvd4": MultiplierMethod(4, corrects_velocities=True, corrects_positions=True),
    "lmvd8": MultiplierMethod(8, corrects_velocities=True, corrects_positions=True),
}


def tableau(order: int) -> tuple[Floats, Floats, Floats]:
    """Coefficients a (s, s), weights b (s,) and nodes c (s,) of order 4 or 8.

    Order 4 is the classical Runge-Kutta method, order 8 the main formula of the pair of Dormand
    and Prince with twelve stages (Hairer, Nørsett and Wanner 1993, II.5), as SciPy holds it.
    """
    if order == 4:
        a = np.diag([0.5, 0.5, 1.0], -1)
        return a, np.array([1.0, 2.0, 2.0, 1.0]) / 6.0, np.array([0.0, 0.5, 0.5, 1.0])
    from scipy.integrate import DOP853

    stages = DOP853.n_stages
    return (
        np.array(DOP853.A[:stages, :stages]),
        np.array(DOP853.B[:stages]),
        np.array(DOP853.C[:stages]),
    )
