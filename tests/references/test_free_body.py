"""The free-body reference against an independent integration of Euler's equations."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.references.free_body import FreeBody
from tests.references.rigid_ode import free_body_rate, matrix_of

CASES = {
    "near the intermediate axis, ascending": ((1.0, 2.0, 3.0), (0.1, 3.0, 0.05)),
    "near the intermediate axis, descending": ((3.0, 2.0, 1.0), (0.1, 3.0, 0.05)),
    "about the largest moment": ((1.0, 2.0, 3.0), (0.4, -0.3, 2.0)),
    "about the smallest moment, backwards": ((1.0, 2.0, 3.0), (-2.0, 0.3, 0.2)),
    "descending, about the smallest": ((0.9, 0.5, 0.3), (0.1, 0.5, -2.5)),
    "descending, about the largest": ((0.9, 0.5, 0.3), (-2.0, 0.5, 0.25)),
}


@pytest.mark.parametrize("case", CASES)
def test_agrees_with_an_integration_of_eulers_equations(case):
    """Angular velocity and attitude agree with DOP853 at 1e-13 over ten seconds."""
    moments, spin = (np.array(numbers) for numbers in CASES[case])
    q0 = np.array([0.5, -0.1, 0.7, 0.3])
    q0 /= np.linalg.norm(q0)
    reference = FreeBody(moments, spin, matrix_of(q0))

    found = solve_ivp(
        lambda _, s: free_body_rate(moments, s),
        (0.0, 10.0),
        np.concatenate([q0, spin]),
        method="DOP853",
        t_eval=[0.0, 1.7, 10.0],
        rtol=1e-13,
        atol=1e-14,
    )

    for t, state in zip(found.t, found.y.T, strict=True):
        assert reference.angular_velocity(t) == pytest.approx(state[4:], abs=2e-10)
        assert reference.orientation(t) == pytest.approx(matrix_of(state[:4]), abs=2e-10)
