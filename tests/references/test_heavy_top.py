"""The heavy top's published numbers against an independent integration."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.references import heavy_top as top
from tests.references.rigid_ode import heavy_top_rate, matrix_of


def test_published_place_of_the_centre_of_mass():
    """Euler's equations about the fixed point, by DOP853, give the printed place at 1 s."""
    center = np.array(top.CENTER)
    moments = np.array(top.INERTIA) + top.MASS * np.array([1.0, 0.0, 1.0])
    found = solve_ivp(
        lambda _, s: heavy_top_rate(top.MASS, center, moments, np.array(top.GRAVITY), s),
        (0.0, 1.0),
        np.array([1.0, 0.0, 0.0, 0.0, *top.ANGULAR_VELOCITY]),
        method="DOP853",
        rtol=1e-13,
        atol=1e-13,
    )

    assert matrix_of(found.y[:4, -1]) @ center == pytest.approx(top.CENTER_AT_1_S, abs=1e-10)


def test_published_energy():
    """Half of ω · J ω, J about the fixed point, is the printed energy."""
    moments = np.array(top.INERTIA) + top.MASS * np.array([1.0, 0.0, 1.0])

    energy = 0.5 * moments @ np.array(top.ANGULAR_VELOCITY) ** 2

    assert energy == pytest.approx(top.ENERGY, rel=1e-14)
