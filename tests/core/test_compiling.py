"""What spares the compiler work changes nothing of what it makes, and Numba only meanwhile."""

from __future__ import annotations

import gc
import threading

import numba
import pytest
from numba.core import ir
from numba.core.types.functions import BaseFunction
from numba.extending import overload

from impulse_core.jit import compiling


def of_numba():
    return gc.get_threshold(), BaseFunction.get_call_type, ir.Inst._rec_list_vars


def test_numba_is_as_before():
    """After blocks in each other, and one that fails."""
    before = of_numba()

    with compiling():
        within = of_numba()
        with compiling():
            assert of_numba() == within
        assert of_numba() == within
    with pytest.raises(ZeroDivisionError), compiling():
        _ = 1 // 0

    assert within != before
    assert all(one != other for one, other in zip(before, within, strict=True))
    assert of_numba() == before


def test_blocks_on_two_threads():
    """The one that ends last ends it."""
    before = of_numba()
    inside, leave = threading.Event(), threading.Event()

    def other():
        with compiling():
            inside.set()
            leave.wait(10.0)

    thread = threading.Thread(target=other)
    with compiling():
        thread.start()
        assert inside.wait(10.0)
        within = of_numba()
    assert of_numba() == within
    leave.set()
    thread.join()

    assert of_numba() == before


def test_what_is_remembered_is_told_apart_by_types():
    """The same operators for integers, floats, complex numbers and tuples, twice."""

    def mixed(a, b):
        return a * b + a, abs(a - b), max(1, 2) + min(a == b, True)

    cases = [(2, 3), (2.5, 3), (2, 3.5), (1 + 2j, 3.0), (True, 2)]
    for _ in range(2):
        with compiling():
            compiled = numba.njit(mixed)
            for case in cases:
                assert compiled(*case) == mixed(*case)


def test_an_implementation_that_is_added_later_is_found():
    def weigh(x):
        raise NotImplementedError

    def weighed(x):
        return weigh(x)

    @overload(weigh)
    def of_integers(x):
        return (lambda x: x + 1) if isinstance(x, numba.types.Integer) else None

    with compiling():
        assert numba.njit(weighed)(1) == 2

        @overload(weigh)
        def of_floats(x):
            return (lambda x: 2.0 * x) if isinstance(x, numba.types.Float) else None

        assert numba.njit(weighed)(1.5) == 3.0
        assert numba.njit(weighed)(1) == 2
