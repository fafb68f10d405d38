"""The simple pendulum by elliptic functions.

    θ″ = -(g/l) sin θ,   θ(0) = θ0, θ′(0) = 0
    θ(t) = 2 asin(k cd(ωt, k)),   k = sin(θ0/2),  ω = sqrt(g/l),   T = 4 K(k)/ω

θ is measured from the hanging position; cd = cn/dn. Source: Landau and Lifshitz, Mechanics, §11;
NIST Handbook of Mathematical Functions, 22.19(i).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ellipj, ellipk

__all__ = ["PUBLISHED", "period", "position"]

PUBLISHED = [
    (1.0, 0.986291751131875, -0.165010853125541),
    (10.0, -0.275087462576117, -0.961419205099125),
]
"""Benchmark A01: time [s] and place (x, y) [m] of the bob that starts at (-1, 0)."""


def period(amplitude: float, length: float = 1.0, g: float = 9.81) -> float:
    """Time of one full swing [s]; amplitude [rad], length [m], g [m/s²]."""
    return 4.0 * float(ellipk(math.sin(amplitude / 2.0) ** 2)) / math.sqrt(g / length)


def position(
    t: ArrayLike, start_angle: float, length: float = 1.0, g: float = 9.81
) -> NDArray[np.float64]:
    """Place (x, y) of the bob [m] at times t [s], y upwards, shape (…, 2)."""
    k = math.sin(start_angle / 2.0)
    _, cn, dn, _ = ellipj(math.sqrt(g / length) * np.asarray(t, dtype=float), k * k)
    half_sine = k * cn / dn  # sin(θ/2)
    cosine = 1.0 - 2.0 * half_sine**2
    sine = 2.0 * half_sine * np.sqrt(1.0 - half_sine**2)
    return length * np.stack([sine, -cosine], axis=-1)
