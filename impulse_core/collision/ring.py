"""The ring of capsules that stands for a torus where it does not meet a plane.

The axis of each capsule is a side of a regular polygon. With the angle x = pi / 2n and the radius
R of the torus' circle, the corners of n sides stand rho = R / cos²x from its middle, R tan²x
outside the circle, and the middles of its sides as far inside it. Surfaces at the distance r from
the polygon and from the circle are nowhere further apart than these two are: R tan²x.
"""

from __future__ import annotations

import math

import numpy as np

from impulse_core.types import Floats

__all__ = ["DEVIATION", "MOST_SIDES", "ring_deviation", "ring_places", "ring_radius", "ring_sides"]

DEVIATION = 0.01  # most of it, as a part of the minor radius
MOST_SIDES = 256  # of a ring: for R up to 265 r


def ring_sides(major_radius: float, minor_radius: float) -> int:
    """Least number of capsules with R tan²x <= DEVIATION r: 16 for a torus almost without a hole,
    then about 15.7 √(R / r).
    """
    angle = math.atan(math.sqrt(DEVIATION * minor_radius / major_radius))
    return math.ceil(0.5 * math.pi / angle)


def ring_radius(major_radius: float, sides: int) -> float:
    """Distance rho of the polygon's corners from its middle [m]."""
    return major_radius / math.cos(0.5 * math.pi / sides) ** 2


def ring_deviation(major_radius: float, sides: int) -> float:
    """Largest distance of the ring's surface from that of the torus, inside and outside [m]."""
    return major_radius * math.tan(0.5 * math.pi / sides) ** 2


def ring_places(major_radius: float, sides: int) -> tuple[float, Floats, Floats]:
    """Length of the capsules' axes [m], their middles (n, 3) [m] and the quaternions (n, 4) that
    turn z along them, in the axes of the torus.
    """
    corners = ring_radius(major_radius, sides)
    length = 2.0 * corners * math.sin(math.pi / sides)
    angles = ((2.0 * np.arange(sides) + 1.0) * (math.pi / sides)).tolist()
    cosines = np.array([math.cos(angle) for angle in angles])
    sines = np.array([math.sin(angle) for angle in angles])
    inner = corners * math.cos(math.pi / sides)
    middles = inner * np.column_stack([cosines, sines, np.zeros(sides)])
    # z is turned by a quarter about the way from the middle, x̂ cos + ŷ sin: to x̂ sin - ŷ cos
    half = math.sqrt(0.5)
    turns = np.column_stack([np.full(sides, half), half * cosines, half * sines, np.zeros(sides)])
    return length, middles, turns
