"""Padded blocks: lanes of the processor give the bits of products that are written out."""

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from impulse_core.algebra import (
    add_product_transposed,
    apply_block,
    clear_padded,
    copy_padded,
    gather_products,
    padded,
    padded_at,
    put_padded,
    scatter_products,
    set_product,
    set_product_transposed,
    subtract_product_transposed,
)
from impulse_core.jit import kernel, lanes
from impulse_core.types import new_blocks

PRODUCTS = {
    "set_product": lambda _, a, b: a @ b,
    "set_product_transposed": lambda _, a, b: a @ b.T,
    "add_product_transposed": lambda t, a, b: t + a @ b.T,
    "subtract_product_transposed": lambda t, a, b: t - a @ b.T,
}


@kernel
def by_lanes(t, x, a, b, rows):
    set_product(t, 0, a, 1, b, 2)
    set_product_transposed(t, 1, a, 1, b, 2)
    add_product_transposed(t, 2, a, 1, b, 2)
    subtract_product_transposed(t, 3, a, 1, b, 2)
    copy_padded(t, 4, a, 3)
    clear_padded(t, 5)
    apply_block(x, 0, a, 0)
    scatter_products(x, 1, a, 1, rows, 0, 3)
    gather_products(x, 5, a, 1, rows, 0, 3)


@kernel
def one_by_one(t, x, a, b, rows):
    padded._set_product(t, 0, a, 1, b, 2)
    padded._set_product_transposed(t, 1, a, 1, b, 2)
    padded._add_product_transposed(t, 2, a, 1, b, 2)
    padded._subtract_product_transposed(t, 3, a, 1, b, 2)
    padded._copy_padded(t, 4, a, 3)
    padded._clear_padded(t, 5)
    padded._apply_block(x, 0, a, 0)
    padded._scatter_products(x, 1, a, 1, rows, 0, 3)
    padded._gather_products(x, 5, a, 1, rows, 0, 3)


@kernel
def read_and_write(to, i, blocks, j):
    put_padded(to, i, padded_at(blocks, j))


def drawn_blocks(random, count):
    """Blocks of numbers of any size, and what pads them."""
    blocks = new_blocks(count)
    blocks[:] = random.normal(size=blocks.shape) * 10.0 ** random.uniform(-9, 9, blocks.shape)
    return blocks


def matrices_of(blocks):
    return blocks.reshape(-1, 3, 4)[:, :, :3].transpose(0, 2, 1)


@given(st.integers(0, 2**32 - 1))
def test_lanes_have_the_bits_of_written_out_products(seed):
    random = np.random.default_rng(seed)
    a, b = drawn_blocks(random, 4), drawn_blocks(random, 4)
    rows = random.permutation([2, 3, 4])
    found = []
    for how in (by_lanes, one_by_one):
        again = np.random.default_rng(seed)
        t, x = drawn_blocks(again, 6), again.normal(size=(6, 4))
        how(t, x, a, b, rows)
        found.append((matrices_of(t).copy(), x[:, :3].copy()))

    for one, other in zip(*found, strict=True):
        assert one.tobytes() == other.tobytes()


@given(st.integers(0, 2**32 - 1))
def test_products_are_those_of_numpy(seed):
    random = np.random.default_rng(seed)
    a, b, t = (random.uniform(-1.0, 1.0, (4, 12)) for _ in range(3))
    x = random.uniform(-1.0, 1.0, (6, 4))
    rows = random.permutation([2, 3, 4])
    before, y = matrices_of(np.vstack([t, t[:2]])).copy(), x[:, :3].copy()
    A, B = matrices_of(a), matrices_of(b)
    after = np.vstack([t, t[:2]])
    by_lanes(after, x, a, b, rows)

    for k, product in enumerate(PRODUCTS.values()):
        assert matrices_of(after)[k] == pytest.approx(product(before[k], A[1], B[2]), abs=1e-14)
    assert (matrices_of(after)[4] == A[3]).all()
    assert (matrices_of(after)[5] == 0.0).all()
    y[0] = A[0] @ y[0]
    for e, row in enumerate(rows):
        y[row] -= A[1 + e] @ y[1]
    for e, row in enumerate(rows):
        y[5] -= A[1 + e].T @ y[row]
    assert x[:, :3] == pytest.approx(y, abs=1e-13)


def test_a_block_is_three_padded_columns():
    blocks, to = np.arange(12.0).reshape(1, 12), np.full((2, 12), -1.0)
    read_and_write(to, 1, blocks, 0)

    assert to[1].tolist() == [0, 1, 2, -1, 4, 5, 6, -1, 8, 9, 10, -1]
    assert (to[0] == -1.0).all()


def test_columns_do_not_cross_cache_lines():
    assert new_blocks(3).ctypes.data % 64 == 0


def test_a_whole_column_is_multiplied_at_once():
    """What LLVM gets has products of four numbers, and none of single ones."""
    multiply = lanes.product_by_lanes(transposed=True, joined="fsub")

    @numba.njit
    def product(t, a, b):
        multiply(t, 0, a, 0, b, 0)

    product(new_blocks(1), new_blocks(1), new_blocks(1))
    (text,) = product.inspect_llvm().values()

    assert "fmul <4 x double>" in text
    assert "fmul double" not in text
