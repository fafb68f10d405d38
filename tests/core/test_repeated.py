"""Calls of a kernel with the same objects: types are told once, but never those of others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from impulse_core.jit import deferred_kernel, kernel, repeated
from impulse_core.jit.repeated import RepeatedCall
from impulse_core.types import Floats, by_address


@by_address
class Held(NamedTuple):
    values: Floats
    less: float


@deferred_kernel("none")
def unknown(x):
    x.no_such_attribute()


@kernel
def weigh(held, factor):
    """Σ values times a factor, less a number; no kernel of a negative one can be made."""
    if factor < 0:
        unknown(factor)
    total = 0.0
    for value in held.values.flat:
        total += value
    return factor * (total - held.less)


KINDS = [np.arange(6.0), np.arange(6).reshape(2, 3), np.arange(12.0).reshape(3, 4)[:, ::2]]
held_objects = st.builds(
    Held, st.sampled_from(KINDS).map(lambda array: array + 1), st.sampled_from([0.5, 4])
)


@settings(deadline=None, max_examples=50)
@given(objects=st.lists(held_objects, min_size=1, max_size=3), order=st.lists(st.integers(0, 2)))
def test_what_it_returns_is_what_the_kernel_does(objects, order):
    """Whichever objects follow which, of whatever types."""
    call = RepeatedCall(weigh)

    for k in order:
        one = objects[k % len(objects)]
        factor = 1.0 + k
        assert call((one,), one, factor) == factor * (np.sum(one.values) - one.less)


def test_types_are_told_once_for_the_same_objects(monkeypatch):
    """And again for others that are equal to them, but not the same."""
    told = []
    real = repeated.types_of
    monkeypatch.setattr(repeated, "types_of", lambda args: told.append(args) or real(args))
    call = RepeatedCall(weigh)
    first, second = Held(np.ones(3), 0), Held(np.ones(3), 0)

    for one, times in ((first, 1), (first, 1), (second, 2), (second, 2), (first, 3)):
        assert call((one,), one, 2.0) == 6.0
        assert len(told) == times


def test_what_keeps_a_later_call_from_its_kernels_is_raised():
    """As it is at the first."""
    call, one = RepeatedCall(weigh), Held(np.ones(3), 0)
    assert call((one,), one, 1.0) == 3.0

    with pytest.raises(Exception, match="no_such_attribute"):
        call((one,), one, -1.0)
