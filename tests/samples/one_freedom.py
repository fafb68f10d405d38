"""Exact motion of a mechanism with one degree of freedom, from its poses alone.

The poses of all bodies are known functions of one coordinate s. With second moments Σ about the
centres of mass in body axes, T = ½ M(s) s'² where

    M(s) = Σ m |dx/ds|² + tr(dR/ds Σ dR/dsᵀ),

and Lagrange's equation is M s'' = -½ M' s'² - V'. Everything that depends on s is interpolated by
Chebyshev polynomials, which for smooth functions are exact to round-off, and so are the derivatives
but for a few digits. No joint and no constraint is named: this shares nothing with the simulator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.polynomial.chebyshev import chebder, chebpts1, chebval, chebvander
from scipy.integrate import solve_ivp

Pose = Callable[[float], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class OneFreedom:
    """A mechanism with one degree of freedom.

    Attributes:
        masses: Of the bodies [kg], shape (n,).
        second_moments: Σ of the bodies [kg m²], about their centres of mass, shape (n, 3, 3).
        pose: Coordinate s → centres of mass [m], shape (n, 3), and rotations, shape (n, 3, 3).
        potential: Coordinate s → potential energy [J].
        domain: Smallest and largest coordinate.
        degree: Of the Chebyshev polynomials.
        periodic: Whether the coordinate starts over at the end of its domain.
    """

    masses: np.ndarray
    second_moments: np.ndarray
    pose: Pose
    potential: Callable[[float], float]
    domain: tuple[float, float]
    degree: int
    periodic: bool = False

    def motion(self, start: float, speed: float, times: np.ndarray) -> np.ndarray:
        """The coordinate at each time, shape (F,), from a coordinate and its rate at time 0."""
        inertia, potential = self._mass_and_potential()
        inertia_slope, potential_slope = inertia.deriv(), potential.deriv()
        low, high = self.domain

        def rate(_: float, y: np.ndarray) -> tuple[float, float]:
            s = low + (y[0] - low) % (high - low) if self.periodic else y[0]
            force = -0.5 * inertia_slope(s) * y[1] ** 2 - potential_slope(s)
            return y[1], force / inertia(s)

        solution = solve_ivp(
            rate, (0.0, times[-1]), (start, speed), "DOP853", times, rtol=1e-13, atol=1e-13
        )
        assert self.periodic or (low <= solution.y[0].min() and solution.y[0].max() <= high)
        return solution.y[0]

    def _mass_and_potential(self) -> tuple[Chebyshev, Chebyshev]:
        low, high = self.domain
        points = chebpts1(2 * self.degree)
        nodes = low + (high - low) * (points + 1) / 2
        poses = [self.pose(s) for s in nodes]
        positions = self._slopes(points, np.array([x for x, _ in poses]))
        rotations = self._slopes(points, np.array([R for _, R in poses]))
        inertia = np.einsum("b,sbi,sbi->s", self.masses, positions, positions)
        inertia += np.einsum("sbik,bkl,sbil->s", rotations, self.second_moments, rotations)
        potential = np.array([self.potential(s) for s in nodes])
        return (
            Chebyshev(self._coefficients(points, inertia), self.domain),
            Chebyshev(self._coefficients(points, potential), self.domain),
        )

    def _coefficients(self, points: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Of the Chebyshev series through the values, by discrete orthogonality."""
        series = 2 / len(points) * chebvander(points, self.degree).T @ values
        series[0] /= 2
        return series

    def _slopes(self, points: np.ndarray, values: np.ndarray) -> np.ndarray:
        series = self._coefficients(points, values.reshape(len(points), -1))
        low, high = self.domain
        return 2 / (high - low) * chebval(points, chebder(series)).T.reshape(values.shape)


def second_moments(inertia: np.ndarray) -> np.ndarray:
    """Σ of a body from its principal moments of inertia, J = tr(Σ) 1 - Σ, shape (3, 3)."""
    return np.diag(0.5 * np.sum(inertia) - np.asarray(inertia))


def about_y(angle: float) -> np.ndarray:
    """Rotation about y that turns x towards z, upwards, shape (3, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
