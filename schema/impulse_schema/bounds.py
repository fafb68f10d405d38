"""Bounds of numbers: one pair for each unit, the same for every number that has it.

They keep the arithmetic of the simulator inside what a double can hold, with room to spare: a
fifth power of a length times a density (a moment of inertia, from 1e-84 to 1e57 kg m²), the square
of that, and the inverse of either neither overflow (1e308) nor lose digits as denormal numbers
(1e-308). Machines lie far inside: a hair is 1e-5 m thick, a mountain weighs 1e13 kg.

A number that has a direction (a coordinate, a velocity, a force) may be as small as it likes, as
what is added to it is not: exporters write 6e-17 where they mean 0. A size, a mass, a stiffness or
a step is divided by, so it is not smaller than the least number of its unit; where it may be zero,
that is another matter.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Sign = Literal["any", "positive", "non-negative"]


class Bounds(NamedTuple):
    """Least and largest size of the numbers of a unit."""

    least: float
    most: float


_LENGTH = Bounds(1e-15, 1e9)  # from the finest tolerance to a hundred times the Earth
_TIME = Bounds(1e-9, 1e9)  # up to 30 years
_FORCE = Bounds(1e-15, 1e18)

BOUNDS: dict[str, Bounds] = {
    "": Bounds(1e-9, 1e9),
    "m": _LENGTH,
    "rad": _LENGTH,
    "m/s": _LENGTH,
    "rad/s": _LENGTH,
    "m/s^2": _LENGTH,
    "s": _TIME,
    "ms": Bounds(1e-6, 1e12),  # the same times, written without rounding
    "1/s": _TIME,
    "kg": Bounds(1e-12, 1e15),
    "kg/m^3": Bounds(1e-9, 1e12),
    "kg m^2": Bounds(1e-42, 1e33),  # mass times the square of a length
    "N": _FORCE,
    "N m": _FORCE,
    "N/m": _FORCE,
    "N m/rad": _FORCE,
    "N s/m": _FORCE,
    "N m s/rad": _FORCE,
    "N/(m s)": _FORCE,
    "N m/(rad s)": _FORCE,
}
"""By unit; of a number without one, under ""."""


def bounds_of(unit: str) -> Bounds:
    """Bounds of a unit, or of units joined by "or", which have the same."""
    return BOUNDS[re.split(r", | or ", unit)[0]]


def beyond(value: float, unit: str, sign: Sign) -> str:
    """What ``value`` must be instead, as in "must be at most 1e+09 m"; "" if it may be that."""
    least, most = bounds_of(unit)
    behind = f" {unit}" if unit else ""
    if sign == "any":
        return "" if abs(value) <= most else f"must lie between {-most:g} and {most:g}{behind}"
    if not value <= most:
        return f"must be at most {most:g}{behind}"
    if value < least and not (value == 0.0 and sign == "non-negative"):
        zero = "zero or " if sign == "non-negative" else ""
        return f"must be {zero}at least {least:g}{behind}"
    return ""


def bounds_text(unit: str, sign: Sign) -> str:
    """The bounds of a field for its documentation, as in "1e-15 to 1e+09"."""
    least, most = bounds_of(unit)
    if sign == "any":
        return f"{-most:g} to {most:g}"
    return f"{'0 or ' if sign == 'non-negative' else ''}{least:g} to {most:g}"
