"""Products of 3×3 blocks and vectors by lanes of the processor, which works on four numbers at
once: what LLVM does not make of written-out products, since Numba leaves its vectoriser of straight
code off.

A padded block is twelve numbers: the three columns of a matrix, and a fourth number after each,
which counts for nothing. So a column is read, multiplied and written at once. Products are added
up in the order in which 3×3 matrices are multiplied elsewhere (algebra/padded.py), and have the
same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

from impulse_core.types import PLAIN

__all__ = [
    "AT_HAND",
    "LANES",
    "apply_by_lanes",
    "clear_by_lanes",
    "copy_by_lanes",
    "dot_by_lanes",
    "dots_by_lanes",
    "gather_by_lanes",
    "product_by_lanes",
    "scatter_by_lanes",
    "subtract_row_by_lanes",
]

AT_HAND = not PLAIN and not config.BOUNDSCHECK  # type: ignore[attr-defined]
"""Whether there is a compiler, and one that need not check each index."""

LANES = 4  # that a processor works on at once
_COLUMNS = (0, 1, 2)
_COLUMN = ir.VectorType(ir.DoubleType(), LANES)
_INDEX = ir.IntType(32)  # that of a number of a column
_BYTES = 8  # of a number, to which a column is aligned


def _start(context: Any, builder: Any, kind: Any, blocks: Any, index: Any) -> Any:
    """Where a block of an array of shape (n, 12) begins, or a vector of one of shape (n, 4)."""
    held = context.make_array(kind)(context, builder, blocks)
    first = context.get_constant(types.intp, 0)
    return cgutils.get_item_pointer(context, builder, kind, held, [index, first], wraparound=False)


def _number(builder: Any, start: Any, k: int) -> Any:
    """Where the k-th number of a block lies."""
    return builder.gep(start, [ir.Constant(ir.IntType(64), k)])


def _column(builder: Any, start: Any, c: int) -> Any:
    """Where a column of a block lies."""
    return builder.bitcast(_number(builder, start, LANES * c), _COLUMN.as_pointer())


def _read(builder: Any, start: Any, c: int) -> Any:
    read = builder.load(_column(builder, start, c))
    read.align = _BYTES
    return read


def _write(builder: Any, column: Any, start: Any, c: int) -> None:
    builder.store(column, _column(builder, start, c)).align = _BYTES


def _in_all_lanes(builder: Any, number: Any) -> Any:
    none = ir.Constant(_COLUMN, ir.Undefined)
    one = builder.insert_element(none, number, ir.Constant(_INDEX, 0))
    first = ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES)
    return builder.shuffle_vector(one, none, first)


def _times_vector(builder: Any, block: Any, vector: Any) -> Any:
    """A x of the block A and the vector x."""
    total = None
    for c in _COLUMNS:
        factor = _in_all_lanes(builder, builder.load(_number(builder, vector, c)))
        term = builder.fmul(_read(builder, block, c), factor)
        total = term if total is None else builder.fadd(total, term)
    return total


def _product(builder: Any, left: Any, right: Any, transposed: bool) -> list[Any]:
    """Columns of A B, or of A Bᵀ, of the blocks A and B."""
    columns = [_read(builder, left, k) for k in _COLUMNS]
    product = []
    for c in _COLUMNS:
        total = None
        for k in _COLUMNS:
            place = LANES * k + c if transposed else LANES * c + k
            factor = _in_all_lanes(builder, builder.load(_number(builder, right, place)))
            term = builder.fmul(columns[k], factor)
            total = term if total is None else builder.fadd(total, term)
        product.append(total)
    return product


def product_by_lanes(*, transposed: bool, joined: str = "") -> Any:
    """A function of kernels, (to, i, left, j, right, k), that makes block i of ``to`` the product
    A B or A Bᵀ of block j of ``left`` and block k of ``right``, all of shape (n, 12), or joins it
    to what is there: ``joined`` is an instruction of LLVM.
    """

    def typed(typing: Any, to: Any, i: Any, left: Any, j: Any, right: Any, k: Any) -> Any:
        del typing

        def written(context: Any, builder: Any, call: Any, args: Any) -> Any:
            starts = [
                _start(context, builder, call.args[m], args[m], args[m + 1]) for m in (0, 2, 4)
            ]
            product = _product(builder, starts[1], starts[2], transposed)
            if joined:
                join = getattr(builder, joined)
                product = [join(_read(builder, starts[0], c), product[c]) for c in _COLUMNS]
            for c in _COLUMNS:
                _write(builder, product[c], starts[0], c)
            return context.get_dummy_value()

        return types.void(to, i, left, j, right, k), written

    return intrinsic(typed)


def _copy(typing: Any, to: Any, i: Any, blocks: Any, j: Any) -> Any:
    """Make block i of ``to`` the same as block j of ``blocks``, both of shape (n, 12)."""
    del typing

    def written(context: Any, builder: Any, call: Any, args: Any) -> Any:
        target, source = (
            _start(context, builder, call.args[m], args[m], args[m + 1]) for m in (0, 2)
        )
        for c in _COLUMNS:
            _write(builder, _read(builder, source, c), target, c)
        return context.get_dummy_value()

    return types.void(to, i, blocks, j), written


def _clear(typing: Any, blocks: Any, i: Any) -> Any:
    """Make block i of an array of shape (n, 12) zero."""
    del typing

    def written(context: Any, builder: Any, call: Any, args: Any) -> Any:
        start = _start(context, builder, call.args[0], args[0], args[1])
        for c in _COLUMNS:
            _write(builder, ir.Constant(_COLUMN, None), start, c)
        return context.get_dummy_value()

    return types.void(blocks, i), written


def _apply(typing: Any, x: Any, i: Any, blocks: Any, j: Any) -> Any:
    """x_i = A_j x_i of vectors (n, 4) and blocks (m, 12)."""
    del typing

    def written(context: Any, builder: Any, call: Any, args: Any) -> Any:
        vector, block = (
            _start(context, builder, call.args[m], args[m], args[m + 1]) for m in (0, 2)
        )
        _write(builder, _times_vector(builder, block, vector), vector, 0)
        return context.get_dummy_value()

    return types.void(x, i, blocks, j), written


def _scatter(
    typing: Any, x: Any, i: Any, blocks: Any, offset: Any, rows: Any, first: Any, end: Any
) -> Any:
    """x_r -= A_(offset + e) x_i with r = rows[e], for all e from first to end."""
    del typing

    def written(context: Any, builder: Any, call: Any, args: Any) -> Any:
        own = _start(context, builder, call.args[0], args[0], args[1])
        with _each(context, builder, call, args) as (block, other):
            change = _times_vector(builder, block, own)
            _write(builder, builder.fsub(_read(builder, other, 0), change), other, 0)
        return context.get_dummy_value()

    return types.void(x, i, blocks, offset, rows, first, end), written


def _gather(
    typing: Any, x: Any, i: Any, blocks: Any, offset: Any, rows: Any, first: Any, end: Any
) -> Any:
    """x_i -= Σ Aᵀ_(offset + e) x_r with r = rows[e], over all e from first to end. What each number
    of a column adds is summed over all e first.
    """
    del typing

    def written(context: Any, builder: Any, call: Any, args: Any) -> Any:
        own = _start(context, builder, call.args[0], args[0], args[1])
        zero = ir.Constant(_COLUMN, None)
        totals = [cgutils.alloca_once_value(builder, zero) for _ in _COLUMNS]
        with _each(context, builder, call, args) as (block, other):
            vector = _read(builder, other, 0)
            for c in _COLUMNS:
                term = builder.fmul(_read(builder, block, c), vector)
                builder.store(builder.fadd(builder.load(totals[c]), term), totals[c])
        change = zero
        for c in _COLUMNS:
            total = builder.load(totals[c])
            lanes = [builder.extract_element(total, ir.Constant(_INDEX, k)) for k in _COLUMNS]
            number = builder.fadd(builder.fadd(lanes[0], lanes[1]), lanes[2])
            change = builder.insert_element(change, number, ir.Constant(_INDEX, c))
        _write(builder, builder.fsub(_read(builder, own, 0), change), own, 0)
        return context.get_dummy_value()

    return types.void(x, i, blocks, offset, rows, first, end), written


def _rows(context: Any, builder: Any, call: Any, args: Any, starts: tuple[int, ...]) -> list[Any]:
    """Where parts of rows begin in an array of shape (n,), the first argument."""
    kind, held = call.args[0], context.make_array(call.args[0])(context, builder, args[0])
    return [
        cgutils.get_item_pointer(context, builder, kind, held, [args[m]], wraparound=False)
        for m in starts
    ]


def _subtract_row(
    typing: Any, numbers: Any, to: Any, row: Any, factor: Any, begin: Any, end: Any
) -> Any:
    """numbers[to + j] -= factor * numbers[row + j] for all j from begin to end, a multiple of four
    numbers, of an array of shape (n,).
    """
    del typing

    def written(context: Any, builder: Any, call: Any, args: Any) -> Any:
        target, source = _rows(context, builder, call, args, (1, 2))
        factors = _in_all_lanes(builder, args[3])
        four = context.get_constant(types.intp, LANES)
        with cgutils.for_range_slice(builder, args[4], args[5], four, args[4].type) as (j, _):
            here, there = (builder.gep(start, [j]) for start in (target, source))
            change = builder.fmul(factors, _read(builder, there, 0))
            _write(builder, builder.fsub(_read(builder, here, 0), change), here, 0)
        return context.get_dummy_value()

    return types.void(numbers, to, row, factor, begin, end), written


def _dot(typing: Any, numbers: Any, row: Any, other: Any, begin: Any, end: Any) -> Any:
    """The sum of numbers[row + j] * numbers[other + j] over all j from begin to end, a multiple of
    four numbers, first of each lane.
    """
    del typing

    def written(context: Any, builder: Any, call: Any, args: Any) -> Any:
        starts = _rows(context, builder, call, args, (1, 2))
        total = cgutils.alloca_once_value(builder, ir.Constant(_COLUMN, None))
        four = context.get_constant(types.intp, LANES)
        with cgutils.for_range_slice(builder, args[3], args[4], four, args[3].type) as (j, _):
            one, two = (_read(builder, builder.gep(start, [j]), 0) for start in starts)
            builder.store(builder.fadd(builder.load(total), builder.fmul(one, two)), total)
        return _sum_of_lanes(builder, builder.load(total))

    return types.float64(numbers, row, other, begin, end), written


def _dots(
    typing: Any, numbers: Any, to: Any, row: Any, other: Any, apart: Any, begin: Any, end: Any
) -> Any:
    """The same products of a row and four others, each so far from the one before, into four
    numbers from ``to`` on.
    """
    del typing

    def written(context: Any, builder: Any, call: Any, args: Any) -> Any:
        target, one, other = _rows(context, builder, call, args, (1, 2, 3))
        steps = [builder.mul(args[4], ir.Constant(args[4].type, k)) for k in range(LANES)]
        others = [builder.gep(other, [step]) for step in steps]
        zero = ir.Constant(_COLUMN, None)
        totals = [cgutils.alloca_once_value(builder, zero) for _ in others]
        four = context.get_constant(types.intp, LANES)
        with cgutils.for_range_slice(builder, args[5], args[6], four, args[5].type) as (j, _):
            own = _read(builder, builder.gep(one, [j]), 0)
            for start, total in zip(others, totals, strict=True):
                term = builder.fmul(own, _read(builder, builder.gep(start, [j]), 0))
                builder.store(builder.fadd(builder.load(total), term), total)
        for k, total in enumerate(totals):
            builder.store(_sum_of_lanes(builder, builder.load(total)), _number(builder, target, k))
        return context.get_dummy_value()

    return types.void(numbers, to, row, other, apart, begin, end), written


def _sum_of_lanes(builder: Any, sums: Any) -> Any:
    a, b, c, d = (builder.extract_element(sums, ir.Constant(_INDEX, k)) for k in range(LANES))
    return builder.fadd(builder.fadd(a, b), builder.fadd(c, d))


@contextmanager
def _each(context: Any, builder: Any, call: Any, args: Any) -> Iterator[tuple[Any, Any]]:
    """Where the e-th block, after the offset, and the vector x_rows[e] begin, for each e."""
    x, _, blocks, offset, rows, first, end = args
    kinds = call.args
    length = builder.sub(end, first)
    held = context.make_array(kinds[4])(context, builder, rows)
    with cgutils.for_range(builder, length) as loop:
        e = builder.add(first, loop.index)
        place = cgutils.get_item_pointer(context, builder, kinds[4], held, [e], wraparound=False)
        block = _start(context, builder, kinds[2], blocks, builder.add(offset, e))
        yield block, _start(context, builder, kinds[0], x, builder.load(place))


apply_by_lanes: Any = intrinsic(_apply)
subtract_row_by_lanes: Any = intrinsic(_subtract_row)
dot_by_lanes: Any = intrinsic(_dot)
dots_by_lanes: Any = intrinsic(_dots)
scatter_by_lanes: Any = intrinsic(_scatter)
gather_by_lanes: Any = intrinsic(_gather)
copy_by_lanes: Any = intrinsic(_copy)
clear_by_lanes: Any = intrinsic(_clear)
