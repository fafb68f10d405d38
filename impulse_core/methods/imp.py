"""imp2 … imp10: the impulse step and its symmetric compositions.

A symmetric step of order 2, taken with lengths γ₁h, γ₂h, …, γ_s h where γ is palindromic and the
low-order error terms cancel, is a symmetric step of higher order (docs/algorithm.md, 16).

- order 4: Suzuki 1990, five stages
- order 6, 8: Kahan and Li 1997, nine and seventeen stages
- order 10: Sofroniou and Spaletta 2005, thirty-five stages

The tests check the moment conditions to 1e-20 and measure the order: a digit lost in copying
shows only there.
"""

from __future__ import annotations

import numpy as np

from impulse_core.types import Floats

__all__ = ["COMPOSITIONS", "ORDERS", "default_tolerance", "stage_fractions"]

_ORDER_6 = (
    "0.39216144400731413927925056",
    "0.33259913678935943859974864",
    "-0.70624617255763935980996482",
    "0.08221359629355080023149045",
    "0.79854399093482996339895035",
)
_ORDER_8 = (
    "0.13020248308889008087881763",
    "0.56116298177510838456196441",
    "-0.38947496264484728640807860",
    "0.15884190655515560089621075",
    "-0.39590389413323757733623154",
    "0.18453964097831570709183254",
    "0.25837438768632204729397911",
    "0.29501172360931029887096624",
    "-0.60550853383003451169892108",
)
_ORDER_10 = (
    "0.07879572252168641926390768",
    "0.31309610341510852776481247",
    "0.02791838323507806610952027",
    "-0.22959284159390709415121340",
    "0.13096206107716486317465686",
    "-0.26973340565451071434460973",
    "0.07497334315589143566613711",
    "0.11199342399981020488957508",
    "0.36613344954622675119314812",
    "-0.39910563013603589787862981",
    "0.10308739852747107731580277",
    "0.41143087395589023782070412",
    "-0.00486636058313526176219566",
    "-0.39203335370863990644808194",
    "0.05194250296244964703718290",
    "0.05066509075992449633587434",
    "0.04967437063972987905456880",
    "0.04931773575959453791768001",
)

COMPOSITIONS = {"imp6": _ORDER_6, "imp8": _ORDER_8, "imp10": _ORDER_10}
"""First half and centre of the stage fractions as decimal text."""

ORDERS = {"imp2": 2, "imp4": 4, "imp6": 6, "imp8": 8, "imp10": 10}

_DEFAULT_TOLERANCE = {2: 1e-6, 4: 1e-9, 6: 1e-12, 8: 1e-12, 10: 1e-14}
"""Of a scene of one metre and steps of 10 ms, by order: a composition's order lives only above it.
At 1e-12 m the energy error of imp10 is that of the tolerance, twenty times what it can reach."""
_REFERENCE_STEP = 0.01  # s
_FINEST_DEFAULT = 1e-14  # of the scene's size: that of imp10 at the reference step


def default_tolerance(order: int, step: float, size: float) -> float:
    """Joint tolerance [m] of a method for steps [s] in a scene of this size [m].

    What an accepted error ε leaves to the velocities is ε/h, while the method's own error there is
    of h^p: with ε ~ h^(p+1) a smaller step is never worse (docs/algorithm.md, 17). Longer steps get
    no coarser tolerance.
    """
    shorter = min(1.0, step / _REFERENCE_STEP)
    return max(_DEFAULT_TOLERANCE[order] * shorter ** (order + 1), _FINEST_DEFAULT) * size


def stage_fractions(method: str) -> Floats:
    """Stage lengths γ of a method as fractions of the step, palindromic, summing to one."""
    if method == "imp2":
        return np.array([1.0])
    if method == "imp4":
        outer = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
        half = [outer, outer, 1.0 - 4.0 * outer]
    else:
        half = [float(text) for text in COMPOSITIONS[method]]
    return np.array(half + half[-2::-1])
