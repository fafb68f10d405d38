"""Force laws of free axes: the active piece is the inverse of x - ρ p(x), for every law."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from impulse_core.forces import force_law as fl
from impulse_core.jit import kernel
from impulse_core.model.workspace import ForceLaw
from impulse_core.types import new_records


@kernel
def active_piece(law, z, rho):
    return fl.active_piece(law[0], z, rho)


@kernel
def no_force(law):
    fl.no_force(law[0])


def values(limit):
    return st.floats(-limit, limit, allow_subnormal=False)


sizes = st.sampled_from([0.0, 1e-3, 0.5, 1.0, 30.0, 1e100])
slopes = st.sampled_from([0.0, 1e-6, 0.3, 2.0, 1e4, 1e9])


@st.composite
def laws(draw):
    """Any law: limits in order or absent, jumps and slopes of any size or none."""
    law = new_records(ForceLaw, 1)
    lower, upper = sorted((draw(values(2.0)), draw(values(2.0))))
    law[0]["lower"] = lower if draw(st.booleans()) else -math.inf
    law[0]["upper"] = upper if draw(st.booleans()) else math.inf
    law[0]["friction_at"], law[0]["friction"] = draw(values(2.0)), draw(sizes)
    law[0]["drive_at"], law[0]["drive"] = draw(values(2.0)), draw(sizes)
    law[0]["drive_back"] = draw(sizes)
    law[0]["servo"], law[0]["servo_slope"] = draw(values(10.0)), draw(slopes)
    law[0]["servo_bound"], law[0]["servo_back"] = draw(sizes), draw(sizes)
    law[0]["passive"], law[0]["passive_slope"] = draw(values(10.0)), draw(slopes)
    return law


def jump(x, at, size, back):
    """Interval of values of a jump from size to -back, shape (2,): smallest and largest."""
    if x < at:
        return np.array([size, size])
    if x > at:
        return np.array([-back, -back])
    return np.array([-back, size])


def force(law, x):
    """The set p(x) as an interval, from the formula and not from the code."""
    r = law[0]
    p = np.full(2, r["passive"] - r["passive_slope"] * x)
    p += np.clip(r["servo"] - r["servo_slope"] * x, -r["servo_back"], r["servo_bound"])
    p += jump(x, r["friction_at"], r["friction"], r["friction"])
    p += jump(x, r["drive_at"], r["drive"], r["drive_back"])
    if x <= r["lower"]:
        p[1] = math.inf
    if x >= r["upper"]:
        p[0] = -math.inf
    return p


@given(laws(), values(50.0), st.sampled_from([1e-4, 0.02, 1.0, 40.0]))
@example(new_records(ForceLaw, 1), 0.0, 1.0)
def test_active_piece_is_the_inverse(law, z, rho):
    """The x and p it stands for satisfy x - ρ p = z with p in p(x), to rounding."""
    vertical, first, slope = active_piece(law, z, rho)

    if vertical:
        x = first
        p = (x - z) / rho
    else:
        x = (z + rho * first) / (1.0 + rho * slope)
        p = first - slope * x

    lowest, highest = force(law, x)
    terms = [abs(t) for t in law[0].item() if abs(t) < math.inf]
    near = 1e-13 * (max(terms) * (1.0 + abs(x)) + abs(z) / rho)
    # rounding of x moves p by the slope, and may put x beside the breakpoint it should be on
    shift = 1e-13 * (1.0 + abs(x) + abs(z))
    near += (slope + law[0]["passive_slope"] + law[0]["servo_slope"]) * shift
    around = [force(law, x - shift), force(law, x + shift)]
    assert min(lowest, around[1][0]) - near <= p <= max(highest, around[0][1]) + near
    assert law[0]["lower"] - shift <= x <= law[0]["upper"] + shift


def test_no_force():
    """Without elements every x is free: p = 0, no slope."""
    law = new_records(ForceLaw, 1)
    for name in law.dtype.names:
        law[name] = 1.0

    no_force(law)

    assert active_piece(law, 0.7, 1.0) == (0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("z", "expected"),
    [
        (-1.5, (0, 0.4, 0.0)),  # slips to the left of x_f = 0
        (-0.3, (1, 0.0, 0.0)),  # sticks: |x - z| < ρ F
        (0.3, (1, 0.0, 0.0)),
        (1.5, (0, -0.4, 0.0)),
    ],
)
def test_friction(z, expected):
    """Dry friction of 0.4 N s at x = 0, by hand."""
    law = new_records(ForceLaw, 1)
    no_force(law)
    law[0]["friction"] = 0.4

    assert active_piece(law, z, 1.0) == expected


@pytest.mark.parametrize("slope", [0.0, 1e-22, 1e-14, 1e-3])
def test_servo_far_from_its_target_gives_its_largest_force(slope):
    """However little its force depends on x, and however far away it therefore would give less."""
    law = new_records(ForceLaw, 1)
    no_force(law)
    law[0]["servo"], law[0]["servo_slope"] = 5e4, slope
    law[0]["servo_bound"] = law[0]["servo_back"] = 1e3

    assert active_piece(law, 0.0, 1.0) == (0, 1e3, 0.0)
    law[0]["servo"] = -5e4
    assert active_piece(law, 0.0, 1.0) == (0, -1e3, 0.0)


def test_limit_wins_over_a_motor():
    """A motor without limit beyond a joint limit: the joint stays at its limit."""
    law = new_records(ForceLaw, 1)
    no_force(law)
    law[0]["upper"] = 0.5
    law[0]["drive_at"], law[0]["drive"], law[0]["drive_back"] = 1.0, 1e100, 1e100

    assert active_piece(law, 0.9, 1.0) == (1, 0.5, 0.0)
