"""Rotation of free bodies: closed form, Taylor series and Runge-Kutta step."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import impulse_core as ic
from impulse_core.algebra import Quat, Vec3, conjugate, rotate, rotate_back, rotation_vector
from impulse_core.free_motion.runge_kutta import turn_by_runge_kutta
from impulse_core.free_motion.symmetric_top import turn_symmetric_top
from impulse_core.free_motion.taylor import turn_by_taylor_series
from impulse_core.geometry.rotations import quaternion_to_matrix
from impulse_core.model import TAYLOR_ORDER
from tests.core.scenes import free_body
from tests.core.strategies import rotations
from tests.references.free_body import FreeBody

START = Quat(0.5, -0.1, 0.7, math.sqrt(0.25))
SERIES = np.zeros((TAYLOR_ORDER + 1, 7))
spins = st.builds(Vec3, *[st.floats(-20.0, 20.0)] * 3)


def inverted(moments):
    return Vec3(1.0 / moments.x, 1.0 / moments.y, 1.0 / moments.z)


def momentum(q, moments, spin):
    """Angular momentum in the world of a spin in body axes."""
    return rotate(q, Vec3(moments.x * spin.x, moments.y * spin.y, moments.z * spin.z))


def angle_between(p, q):
    """Angle of the rotation from q to p [rad]."""
    turn = rotation_vector(p * conjugate(q))
    return math.sqrt(turn.x**2 + turn.y**2 + turn.z**2)


def by_taylor(q, L, moments, h):
    return turn_by_taylor_series(q, L, moments, inverted(moments), h, SERIES)


@given(
    rotations,
    spins,
    st.sampled_from([0, 1, 2]),
    st.floats(0.05, 2.0),
    st.floats(0.05, 2.0),
    st.floats(-0.3, 0.3),
)
def test_closed_form_is_the_taylor_series(q, spin, axis, axial, transverse, h):
    """For symmetric tops about any axis both flows agree to round-off, forwards and backwards."""
    moments = [transverse] * 3
    moments[axis] = min(axial, 1.99 * transverse)
    J = Vec3(*moments)
    L = momentum(q, J, spin)

    closed = turn_symmetric_top(q, L, 1.0 / moments[axis], 1.0 / transverse, axis, h)

    # every half radian the series rounds q, and with it the spin that all later parts turn by
    turned = abs(h) * math.sqrt(L.x**2 + L.y**2 + L.z**2) / min(moments)
    assert angle_between(closed, by_taylor(q, L, J, h)) <= 4e-15 * (1.0 + turned) ** 2


@pytest.mark.parametrize("h", [0.01, 0.7, -0.4, 5.0])
def test_taylor_series_is_the_exact_solution(h):
    """A body with three moments: one call of any length agrees with the Jacobi functions."""
    J = Vec3(0.7, 1.1, 1.6)
    spin = Vec3(0.4, 2.5, -0.6)
    unit = Quat(*(np.array(START) / np.linalg.norm(START)))
    exact = FreeBody(np.array(J), np.array(spin), quaternion_to_matrix(np.array(unit)))

    found = by_taylor(unit, momentum(unit, J, spin), J, h)

    error = 1e-14 * (1.0 + 20.0 * abs(h))
    assert quaternion_to_matrix(np.array(found)) == pytest.approx(exact.orientation(h), abs=error)


@given(rotations, spins, st.floats(0.001, 0.2))
def test_exact_flows_run_backwards(q, spin, h):
    """h and then -h returns to round-off, which compositions above order two need."""
    J = Vec3(0.5, 0.9, 1.2)
    L = momentum(q, J, spin)

    back = by_taylor(by_taylor(q, L, J, h), L, J, -h)

    assert angle_between(back, q) <= 5e-14


def test_runge_kutta_is_of_order_four():
    """Halving the step of the Runge-Kutta flow divides its error over one second by sixteen."""
    J, spin = Vec3(0.7, 1.1, 1.6), Vec3(0.4, 2.5, -0.6)
    q0 = Quat(*(np.array(START) / np.linalg.norm(START)))
    L = momentum(q0, J, spin)
    exact = by_taylor(q0, L, J, 1.0)

    def error(count):
        q = q0
        for _ in range(count):
            q = turn_by_runge_kutta(q, L, J, inverted(J), 1.0 / count)
        return angle_between(q, exact)

    assert math.log2(error(32) / error(64)) == pytest.approx(4.0, abs=0.2)


def test_runge_kutta_does_not_run_backwards():
    """The Runge-Kutta flow is not symmetric in time: the reason why orders above 2 refuse it."""
    J, spin = Vec3(0.7, 1.1, 1.6), Vec3(0.4, 2.5, -0.6)
    q0 = Quat(*(np.array(START) / np.linalg.norm(START)))
    L = momentum(q0, J, spin)

    there = turn_by_runge_kutta(q0, L, J, inverted(J), 0.2)
    back = turn_by_runge_kutta(there, L, J, inverted(J), -0.2)

    assert angle_between(back, q0) > 1e-8


@pytest.mark.parametrize("moments", [(1.0, 2.0, 2.5), (1.0, 1.0, 0.4), (0.4, 0.4, 0.4)])
def test_angular_momentum_is_untouched(moments):
    """Free motion leaves the angular momentum unchanged to the last bit, and keeps the energy."""
    recording = ic.simulate(free_body(moments, (0.3, -7.0, 2.0)), duration=5.0, fps=10.0)

    angular = recording.momentum["angular"]
    assert np.array_equal(angular, np.broadcast_to(angular[0], angular.shape))
    energy = recording.energy["kinetic"]
    assert energy == pytest.approx(energy[0], rel=2e-14)


def test_extreme_spin_stays_a_rotation():
    """A body that turns thousands of times a step keeps a unit quaternion."""
    J = Vec3(0.5, 0.9, 1.2)
    q0 = Quat(1.0, 0.0, 0.0, 0.0)
    L = Vec3(2e4, -3e4, 1e4)

    q = by_taylor(q0, L, J, 1.0)

    assert sum(x * x for x in q) == pytest.approx(1.0, abs=1e-15)
    before, after = rotate_back(q0, L), rotate_back(q, L)
    energy = [v.x**2 / J.x + v.y**2 / J.y + v.z**2 / J.z for v in (before, after)]
    assert energy[1] == pytest.approx(energy[0], rel=1e-10)
