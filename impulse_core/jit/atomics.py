"""Numbers that several threads read and write: what Numba has for graphics cards only.

Each is ordered as a lock is: what a thread wrote before ``store`` or ``fetch_add`` is seen by the
one that reads the number by ``load`` or ``fetch_add``. Without the compiler there is one thread.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from impulse_core.types import PLAIN

__all__ = ["LINE", "fetch_add", "give_way", "load", "pause", "prefetch", "store"]

LINE = 64  # bytes of memory that a processor reads at once
_BYTES = 8
# LLVM's names of the instruction by which a processor is told that it waits, and what it takes.
_WAITS = {
    "x86_64": ("llvm.x86.sse2.pause", ()),
    "aarch64": ("llvm.aarch64.hint", (1,)),
    "arm64": ("llvm.aarch64.hint", (1,)),
}


def _number(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Where a number of an array lies."""
    held = context.make_array(kind)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, kind, held, [index], wraparound=False)


def _load(typing: Any, array: Any, index: Any) -> Any:
    """A number of an array."""
    del typing

    def written(context: Any, builder: Any, call: Any, args: Any) -> Any:
        place = _number(context, builder, call.args[0], args[0], args[1])
        return builder.load_atomic(place, "acquire", _BYTES)

    return types.int64(array, index), written


def _store(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write a number of an array."""
    del typing

    def written(context: Any, builder: Any, call: Any, args: Any) -> Any:
        place = _number(context, builder, call.args[0], args[0], args[1])
        builder.store_atomic(args[2], place, "release", _BYTES)
        return context.get_dummy_value()

    return types.void(array, index, value), written


def _fetch_add(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Add to a number of an array; what it was before."""
    del typing

    def written(context: Any, builder: Any, call: Any, args: Any) -> Any:
        place = _number(context, builder, call.args[0], args[0], args[1])
        return builder.atomic_rmw("add", place, args[2], "acq_rel")

    return types.int64(array, index, value), written


def _prefetch(typing: Any, array: Any, index: Any, skipped: Any) -> Any:
    """Ask for the line of memory that is some bytes into an element of an array."""
    del typing

    def written(context: Any, builder: Any, call: Any, args: Any) -> Any:
        place = _number(context, builder, call.args[0], args[0], args[1])
        place = builder.bitcast(place, ir.IntType(8).as_pointer())
        place = builder.gep(place, [args[2]])
        wanted = [ir.Constant(ir.IntType(32), flag) for flag in (1, 3, 1)]  # to write, near, data
        kind = ir.FunctionType(ir.VoidType(), [place.type, *(flag.type for flag in wanted)])
        name = builder.module.declare_intrinsic("llvm.prefetch", [place.type], kind)
        builder.call(name, [place, *wanted])
        return context.get_dummy_value()

    return types.void(array, index, skipped), written


def _pause(typing: Any) -> Any:
    """Tell the processor that this thread waits for another one."""
    del typing

    def written(context: Any, builder: Any, call: Any, args: Any) -> Any:
        del call, args
        machine = builder.module.triple.partition("-")[0]
        if machine in _WAITS:
            name, numbers = _WAITS[machine]
            given = [ir.Constant(ir.IntType(32), number) for number in numbers]
            kind = ir.FunctionType(ir.VoidType(), [each.type for each in given])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, name), given)
        return context.get_dummy_value()

    return types.void(), written


def _give_way(typing: Any) -> Any:
    """Let the system run another thread on this processor, if one waits for it."""
    del typing

    def written(context: Any, builder: Any, call: Any, args: Any) -> Any:
        del call, args
        if "windows" in builder.module.triple:
            return context.get_dummy_value()
        kind = ir.FunctionType(ir.IntType(32), [])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(), written


def _plain_load(array: Any, index: int) -> int:
    return int(array[index])


def _plain_store(array: Any, index: int, value: int) -> None:
    array[index] = value


def _plain_fetch_add(array: Any, index: int, value: int) -> int:
    before = int(array[index])
    array[index] = before + value
    return before


def _do_nothing(*_args: Any) -> None:
    pass


load: Any = _plain_load if PLAIN else intrinsic(_load)
store: Any = _plain_store if PLAIN else intrinsic(_store)
fetch_add: Any = _plain_fetch_add if PLAIN else intrinsic(_fetch_add)
prefetch: Any = _do_nothing if PLAIN else intrinsic(_prefetch)
pause: Any = _do_nothing if PLAIN else intrinsic(_pause)
give_way: Any = _do_nothing if PLAIN else intrinsic(_give_way)
