"""Stage fractions of imp4 to imp10: the decimal digits and the order conditions."""

from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np
import pytest

from impulse_core.methods.imp import COMPOSITIONS, ORDERS, stage_fractions

STAGES = {"imp2": 1, "imp4": 5, "imp6": 9, "imp8": 17, "imp10": 35}


def exact_fractions(method):
    """All stages as exact fractions of the decimal text; imp4 to 40 digits."""
    if method == "imp4":
        getcontext().prec = 40
        outer = Fraction(1 / (4 - Decimal(4) ** (Decimal(1) / 3)))
        half = [outer, outer, 1 - 4 * outer]
    else:
        half = [Fraction(text) for text in COMPOSITIONS[method]]
    return half + half[-2::-1]


@pytest.mark.parametrize("method", ["imp4", "imp6", "imp8", "imp10"])
def test_moment_conditions(method):
    """Σγ = 1 and Σγ³ = Σγ⁵ = … = 0 up to the order, to 1e-20, in exact arithmetic.

    Necessary but not sufficient: the measured orders in tests/verification do the rest.
    """
    gammas = exact_fractions(method)

    assert abs(sum(gammas) - 1) < Fraction(1, 10**20)
    for power in range(3, ORDERS[method], 2):
        assert abs(sum(gamma**power for gamma in gammas)) < Fraction(1, 10**20)


@pytest.mark.parametrize("method", ORDERS)
def test_floats_are_the_nearest_to_the_text(method):
    """The float stages are palindromic, as many as published, and the nearest to the decimals."""
    found = stage_fractions(method)

    assert found.tolist() == found[::-1].tolist()
    assert len(found) == STAGES[method]
    assert found.sum() == pytest.approx(1.0, abs=1e-15)
    if method != "imp2":
        exact = np.array([float(gamma) for gamma in exact_fractions(method)])
        assert found == pytest.approx(exact, abs=3e-16)
