"""``Paths``: how kinematic bodies move (kinematic.py has the equation).

Apart from the kernels, so that a scene is compiled without loading Numba.
"""

from __future__ import annotations

from typing import NamedTuple

from impulse_core.types import Floats, Ints, by_address

__all__ = ["Paths"]


@by_address
class Paths(NamedTuple):
    """Motion of the k kinematic bodies, in i intervals altogether."""

    interval: Ints
    """Intervals of body j are interval[j] … interval[j+1]-1, shape (k+1,)."""
    begin: Floats
    """Time at which each interval begins [s], -inf for the first of a body, shape (i,)."""
    origin: Floats
    """Time at which its τ is zero [s], shape (i,)."""
    position: Floats
    """c0, c1, c2, c3 [m/s^0 … m/s^3], shape (i, 12), world frame."""
    orientation: Floats
    """q0, shape (i, 4)."""
    turn: Floats
    """f1, f2, f3 [rad/s … rad/s^3], shape (i, 9), frame of q0."""
