"""A torque-free rigid body by Jacobi functions.

Euler's equations J ω̇ = Jω × ω in principal axes. With J1 < J2 < J3 and L² > 2T J2 (else 1 and 3
change places), τ counting from a moment at which ω2 = 0:

    ω1 = a1 cn τ,  ω2 = a2 sn τ,  ω3 = a3 dn τ
    a1² = (2T J3 - L²)/(J1 (J3 - J1)),  a2² = (2T J3 - L²)/(J2 (J3 - J2)),
    a3² = (L² - 2T J1)/(J3 (J3 - J1))
    τ = t sqrt((J3 - J2)(L² - 2T J1)/(J1 J2 J3)),
    k² = (J2 - J1)(2T J3 - L²)/((J3 - J2)(L² - 2T J1))

The attitude is R = R0' Rz(ψ) Rx(θ) Rz(φ) in a frame whose z axis is L: θ and φ are read from L in
body axes, and the precession is a quadrature, ψ̇ = L (2T - L3²/J3)/(L² - L3²).
Source: Landau and Lifshitz, Mechanics, §37.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ellipj, ellipkinc

__all__ = ["FreeBody"]

Floats = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


class FreeBody:
    """Motion of a body with three different principal moments.

    Args:
        moments: J1, J2, J3 [kg m²], ascending or descending, shape (3,).
        angular_velocity: At t = 0 in body axes [rad/s], shape (3,).
        orientation: Body to world at t = 0, rotation matrix, shape (3, 3).
    """

    def __init__(self, moments: Floats, angular_velocity: Floats, orientation: Floats) -> None:
        J, w = np.asarray(moments, dtype=float), np.asarray(angular_velocity, dtype=float)
        self._moments = J
        self._twice_energy = float(J @ w**2)
        self._momentum = float(np.linalg.norm(J * w))
        ascending = J[0] < J[1] < J[2]
        assert ascending or J[0] > J[1] > J[2]
        about_largest = self._momentum**2 > self._twice_energy * J[1]
        self._first, self._third = (0, 2) if about_largest == ascending else (2, 0)
        J1, J2, J3 = J[self._first], J[1], J[self._third]
        outer = self._twice_energy * J3 - self._momentum**2
        inner = self._momentum**2 - self._twice_energy * J1
        self._amplitude = (
            math.sqrt(outer / (J1 * (J3 - J1))),
            math.sqrt(outer / (J2 * (J3 - J2))),
            math.sqrt(inner / (J3 * (J3 - J1))),
        )
        self._rate = math.sqrt((J3 - J2) * inner / (J1 * J2 * J3))
        self._parameter = (J2 - J1) * outer / ((J3 - J2) * inner)
        # J2 ω̇2 = (J3 - J1) ω3 ω1 must grow with sn, and dn never changes the sign of ω3.
        self._sign3 = math.copysign(1.0, w[self._third])
        self._sign1 = self._sign3 * math.copysign(1.0, J[2] - J[0])
        start = math.atan2(
            w[1] / self._amplitude[1], self._sign1 * w[self._first] / self._amplitude[0]
        )
        self._start = float(ellipkinc(start, self._parameter))
        self._align = np.asarray(orientation) @ self._attitude(0.0, 0.0).T

    def angular_velocity(self, t: float) -> Floats:
        """In body axes [rad/s], shape (3,)."""
        sn, cn, dn, _ = ellipj(self._start + self._rate * t, self._parameter)
        w = np.empty(3)
        w[self._first] = self._sign1 * self._amplitude[0] * cn
        w[1] = self._amplitude[1] * sn
        w[self._third] = self._sign3 * self._amplitude[2] * dn
        return w

    def orientation(self, t: float) -> Floats:
        """Body to world, rotation matrix, shape (3, 3)."""
        return self._align @ self._attitude(t, self._precession(t))

    def _precession(self, t: float) -> float:
        """∫ ψ̇ dt by Gauss-Legendre on panels shorter than an eighth of a radian of τ."""
        panels = max(1, math.ceil(abs(t) * self._rate * 8.0))
        edges = np.linspace(0.0, t, panels + 1)
        half = 0.5 * (edges[1:] - edges[:-1])
        times = (0.5 * (edges[1:] + edges[:-1]))[:, None] + half[:, None] * _NODES
        _, _, dn, _ = ellipj(self._start + self._rate * times, self._parameter)
        J3 = self._moments[self._third]
        L3 = (J3 * self._amplitude[2] * dn) ** 2
        rate = self._momentum * (self._twice_energy - L3 / J3) / (self._momentum**2 - L3)
        return float(half @ (rate @ _WEIGHTS))

    def _attitude(self, t: float, precession: float) -> Floats:
        """Body axes seen from a frame whose z axis is the angular momentum.

        Axes (1, 2, 3) of the formulas, or (2, 3, 1) …, whichever keeps the polar axis third.
        """
        L = self._moments * self.angular_velocity(t)
        cyclic = np.roll(np.arange(3), 2 - self._third)  # proper, so turning stays turning
        direction = L[cyclic] / np.linalg.norm(L)
        polar = math.atan2(math.hypot(direction[0], direction[1]), direction[2])
        spin = math.atan2(direction[0], direction[1])
        turned = _about_z(precession) @ _about_x(polar) @ _about_z(spin)
        attitude = np.empty((3, 3))
        attitude[:, cyclic] = turned
        return attitude


def _about_z(angle: float) -> Floats:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _about_x(angle: float) -> Floats:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
