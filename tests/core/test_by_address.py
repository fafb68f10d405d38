"""Named tuples that kernels are handed by address: what a kernel reads is what the tuple holds."""

from __future__ import annotations

import gc
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from impulse_core.jit import inner_kernel, kernel
from impulse_core.model import Load
from impulse_core.types import Floats, Ints, Records, by_address, new_records


@by_address
class Inner(NamedTuple):
    counts: Ints
    loads: Records


@by_address
class Outer(NamedTuple):
    number: int
    table: Floats
    inner: Inner
    missing: int | None
    size: float
    flag: bool
    cube: Floats
    none: None


@kernel
def read(outer):
    """Everything that the tuple holds, as numbers."""
    table, cube, inner, missing = 0.0, 0.0, 0.0, -1
    for i in range(outer.table.shape[0]):
        for j in range(outer.table.shape[1]):
            table += outer.table[i, j] * (1 + i + 7 * j)
    for i in range(outer.cube.shape[0]):
        for row in outer.cube[i]:
            for value in row:
                cube = 0.5 * cube + value
    for k in range(len(outer.inner.counts)):
        inner += outer.inner.counts[k]
    for load in outer.inner.loads:
        inner += load["force"][1] * load["body"]
    if outer.missing is not None:
        missing = outer.missing
    flag = 1 if outer.flag else 0
    return outer.number, table, inner, missing, outer.size, flag, cube


@kernel
def write(outer, value):
    """Into an array and a record."""
    outer.table[-1, -1] = value
    outer.inner.loads[-1].force[2] = value
    return outer.table.size, outer.table[1:, 0].sum()


whole = st.integers(-(2**50), 2**50)
small = st.floats(-1e6, 1e6)


def floats(draw: Any, dimensions: int) -> Floats:
    """An array in one of NumPy's layouts."""
    shape = draw(arrays.array_shapes(min_dims=dimensions, max_dims=dimensions, max_side=4))
    held = draw(arrays.arrays(np.float64, shape, elements=small))
    layout = draw(st.sampled_from(["C", "F", "reversed", "part"]))
    if layout == "reversed":
        return held[::-1]
    if layout == "part":
        return np.repeat(held, 3, axis=-1)[..., ::3]
    return np.array(held, order=layout)


@st.composite
def tuples(draw: st.DrawFn) -> Any:
    counts = draw(arrays.arrays(np.int64, st.integers(0, 5), elements=st.integers(-99, 99)))
    loads = new_records(Load, draw(st.integers(1, 4)))
    loads["force"] = draw(arrays.arrays(np.float64, loads["force"].shape, elements=small))
    loads["body"] = np.arange(len(loads)) + draw(st.integers(0, 9))
    return Outer(
        number=draw(whole),
        table=floats(draw, 2),
        inner=Inner(counts, loads),
        missing=draw(st.none() | whole),
        size=draw(st.floats(allow_nan=False)),
        flag=draw(st.booleans()),
        cube=floats(draw, 3),
        none=None,
    )


@settings(max_examples=60, deadline=None)
@given(tuples())
def test_a_kernel_reads_what_python_reads(outer: Any) -> None:
    """Numbers, truth values, None, arrays of any layout, records, and a tuple within the tuple."""
    assert read(outer) == read.py_func(outer)


def test_a_kernel_writes_to_the_arrays_themselves() -> None:
    outer = Outer(
        1, np.ones((3, 2)), Inner(np.zeros(1, int), new_records(Load, 2)), None, 0.0, True,
        np.zeros((1, 1, 1)), None,
    )  # fmt: skip
    assert write(outer, 5.0) == (6, 2.0)
    assert outer.table[2, 1] == outer.inner.loads[1]["force"][2] == 5.0


def test_another_array_in_a_copy_is_another_table() -> None:
    """_replace and _make keep the kind of tuple, and each of them its own table."""
    inner = Inner(np.array([3]), new_records(Load, 0))
    outer = Outer(7, np.zeros((1, 1)), inner, None, 0.0, False, np.zeros((1, 1, 1)), None)
    before = outer.address
    changed = outer._replace(inner=inner._replace(counts=np.array([4, 5])), number=8)
    gc.collect()
    assert (read(changed)[0], read(changed)[2]) == (8, 9.0)
    assert (read(outer)[0], read(outer)[2]) == (7, 3.0)
    assert outer.address == before != changed.address


def test_an_inner_kernel_is_refused_from_python() -> None:
    """It has no entry for Python: a call would end the process."""

    @inner_kernel
    def inner(number):
        return number

    with pytest.raises(TypeError, match="inner is a kernel that only kernels call"):
        inner(1)


def test_a_field_that_there_is_not() -> None:
    """Numba's own message names the field; nothing is read from beside the table."""

    @kernel
    def reads_more(inner):
        return inner.beyond

    with pytest.raises(Exception, match="beyond"):
        reads_more(Inner(np.zeros(1, int), new_records(Load, 0)))
