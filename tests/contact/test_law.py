"""The law of one contact, and of a few at once, for any answers of the bodies."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core.algebra import Mat3, Vec3, inverse
from impulse_core.contact.law import contact_law
from impulse_core.contact.violations import law_violation
from impulse_core.jit import kernel


@kernel
def repeated_law(W, W_inverse, n, u, friction):
    """The impulse at which the law comes to rest, from none, and the velocity after it."""
    p = Vec3(0.0, 0.0, 0.0)
    for _ in range(400):
        p, _ = contact_law(W, W_inverse, n, u + W @ p, p, friction, 0.0, 1)
    return p, u + W @ p


number = st.floats(-1.0, 1.0)
vector = st.tuples(number, number, number)


@given(
    rows=st.tuples(vector, vector, vector), u=vector, normal=vector, friction=st.floats(0.0, 1.5)
)
@settings(deadline=None, max_examples=300)
def test_impulse_satisfies_coulombs_law(rows, u, normal, friction):
    """p_n ≥ 0, u_n ≥ 0, p_n u_n = 0; inside its cone it sticks, on the border it opposes."""
    G = np.array(rows)
    W = G @ G.T + 0.5 * np.eye(3)
    n = np.array(normal) + np.array((0.0, 0.0, 1.5))
    n /= np.linalg.norm(n)
    answer = Mat3(*W.ravel())
    found = repeated_law(answer, inverse(answer), Vec3(*n), Vec3(*map(float, u)), friction)
    p, after = (np.array(v) for v in found)
    p_n, u_n = n @ p, n @ after
    across, slip = p - p_n * n, after - u_n * n
    assert p_n >= 0.0
    assert u_n >= -1e-9
    assert abs(p_n * u_n) <= 1e-9
    assert np.linalg.norm(across) <= friction * p_n * (1.0 + 1e-9) + 1e-12
    if np.linalg.norm(slip) > 1e-6 and p_n > 1e-6:
        opposite = across + friction * p_n * slip / np.linalg.norm(slip)
        assert np.linalg.norm(opposite) <= 1e-5


@kernel
def violation_of(n, p, lacking, slid, friction, scale):
    return law_violation(n, p, lacking, slid, friction, 0.0, scale)


positive = st.floats(1e-3, 10.0)


@given(positive, positive, positive, positive, st.floats(1e-12, 1.0), st.floats(0.0, 6.28))
@settings(deadline=None, max_examples=300)
def test_a_law_is_broken_by_what_is_missing(p_n, slid, friction, scale, missing, angle):
    """An impulse of friction that opposes the sliding, less a part: by what that part would do, or
    by the sliding, whichever is less. Where nothing is missing nothing is broken.
    """
    d = Vec3(float(np.cos(angle)), float(np.sin(angle)), 0.0)
    n, most = Vec3(0.0, 0.0, 1.0), friction * p_n
    p = n * p_n + d * (-most * (1.0 - missing))

    broken = violation_of(n, p, 0.0, d * slid, friction, scale)

    assert abs(broken - min(slid, missing * most * scale)) <= 1e-12 * most * scale
