# SPDX-License-Identifier: GPL-3.0-or-later
"""Units in labels: the one that holds for an axis that turns or slides, written short."""

from __future__ import annotations

import re

# What the labels of a sidebar of default width can hold beside their values.
FITS = 14
DEGREES = {"rad": "°", "rad/s": "°/s"}


def is_of_turn(unit: str) -> bool:
    """Whether a unit belongs to an axis that turns: rad, N m, N m s/rad; not m, N, N s/m."""
    return "rad" in unit or unit == "N m"


def on_axis(unit: str, rotating: bool, *, rate: bool | None = None) -> str:
    """The unit of a quantity on one axis, of those that are listed for both kinds.

    ``rate`` chooses between position and velocity where both are listed: 'rad, m, rad/s or m/s'.
    """
    choices = re.split(r", | or ", unit)
    fitting = [choice for choice in choices if is_of_turn(choice) == rotating] or choices
    if rate is not None:
        fitting = [choice for choice in fitting if choice.endswith("/s") == rate] or fitting
    return fitting[0]


def short(unit: str) -> str:
    """A unit in fewer characters: kg/m³ for kg/m^3, N·m for N m."""
    powers = unit.replace("^2", "²").replace("^3", "³")
    return powers.replace(" ", "·")


def fits(label: str) -> bool:
    """Whether a label can stand left of its value."""
    return len(label) <= FITS
