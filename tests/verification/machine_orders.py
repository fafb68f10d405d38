"""The order of a method, measured on a machine: how the error falls as the step is halved."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import impulse_core as ic
from impulse_schema import Scene

ORDER = {"imp2": 2, "imp4": 4, "imp6": 6}
DURATION = 0.64


@cache
def place(machine: Callable[[], Scene], method: str, step: float) -> Any:
    """Where the bodies of a machine are at the end [m]."""
    return ic.simulate(
        machine(), duration=DURATION, method=method, step=step, fps=1.0 / DURATION, tolerance=1e-14
    ).positions[-1]


def measured_order(machine: Callable[[], Scene], method: str, step: float) -> float:
    """From the errors at a step [s] and at half of it, beside imp10."""
    exact = place(machine, "imp10", 0.01)
    coarse = np.abs(place(machine, method, step) - exact).max()
    fine = np.abs(place(machine, method, step / 2) - exact).max()
    return float(np.log2(coarse / fine))
