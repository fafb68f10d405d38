"""The pendulum reference against published numbers and an independent integration."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.references.pendulum import PUBLISHED, period, position


@pytest.mark.parametrize(
    ("degrees", "published"), [(10.0, 2.00989262729860), (90.0, 2.36784194757623)]
)
def test_periods_of_the_papers(degrees, published):
    """T10 and T90 of the comparison papers come out to their printed digits."""
    assert period(math.radians(degrees)) == pytest.approx(published, abs=2e-14)


@pytest.mark.parametrize(("t", "x", "y"), PUBLISHED)
def test_published_positions(t, x, y):
    """The benchmark A01 comes out to its printed digits, up to round-off of θ at t = 10 s."""
    assert position(t, -math.pi / 2.0) == pytest.approx([x, y], abs=1e-13)


@pytest.mark.parametrize("start", [0.2, -1.5, 3.0])
@pytest.mark.parametrize("length", [0.25, 1.0])
def test_agrees_with_an_integration_of_the_equation_of_motion(start, length):
    """θ″ = -(g/l) sin θ integrated by DOP853 at 1e-13 gives the same path."""
    times = np.linspace(0.0, 5.0, 23)
    found = solve_ivp(
        lambda _, s: [s[1], -(9.81 / length) * math.sin(s[0])],
        (0.0, 5.0),
        [start, 0.0],
        method="DOP853",
        t_eval=times,
        rtol=1e-13,
        atol=1e-14,
    )
    path = length * np.stack([np.sin(found.y[0]), -np.cos(found.y[0])], axis=-1)

    assert position(times, start, length) == pytest.approx(path, abs=1e-10)
