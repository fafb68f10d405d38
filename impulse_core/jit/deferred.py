"""Kernels that are compiled, or read from disk, when a kernel first calls them.

A step is made of parts, of which a scene needs some: one whose bodies never press on each other
has no use for what solves heaps. A caller says which part it calls, with which types; the part's
address is looked up at the first call and kept beside the caller's code:

    address = cell;  if (!address) cell = address = impulse_find_kernel(part, types);  address(...)

So nothing is compiled that is never called, each part is one piece to LLVM and one file on disk,
and what two kernels call is compiled once. What a part returns is declared, since its caller is
compiled without it.
"""

from __future__ import annotations

import ctypes
import pickle
import time
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

import llvmlite.binding as ll
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_untracked
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.core.typing.templates import AbstractTemplate, signature
from numba.core.typing.typeof import typeof

from impulse_core.jit.compiling import compiling

__all__ = [
    "Calls",
    "DeferredCall",
    "MissingKernelError",
    "call_of",
    "compile_all",
    "complete",
    "known_calls",
    "note_calls",
    "raise_missing",
    "seconds_waited",
    "types_of",
]

Calls = Sequence[tuple[Any, tuple[Any, ...]]]
"""Kernels, each with arguments of the types with which it is called."""

_FIND = "impulse_find_kernel"

_known: dict[bytes, None] = {}  # calls of all kernels that were compiled or loaded so far
_failures: list[BaseException] = []
_waited = [0.0]


class MissingKernelError(RuntimeError):
    """A kernel that a kernel called could not be compiled."""


class DeferredCall:
    """What Numba takes a deferred kernel for where a kernel names it.

    Args:
        function: the kernel's function, which its module knows under its name.
        returns: the name of the Numba type that it returns; of several for a tuple.
    """

    def __init__(self, function: Any, returns: tuple[str, ...]) -> None:
        name = function.__module__, function.__qualname__
        result = _result(returns)

        class Template(AbstractTemplate):
            """A call with any arguments; a constant has the type of its value."""

            key = name

            def generic(self, args: Any, kws: Any) -> Any:
                if kws:
                    raise TypeError(f"{name[1]} takes no keywords where a kernel calls it.")
                return signature(result, *map(types.unliteral, args))

        self._numba_type_ = types.Function(Template)
        implementation = _calling(name)
        anything = (types.VarArg(types.Any),)
        cpu_target.target_context.insert_func_defn([(implementation, name, anything)])


def _result(returns: tuple[str, ...]) -> Any:
    """The type that a deferred kernel returns; None of other kernels, which nobody declares."""
    if not returns:
        return None
    each = [getattr(types, one) for one in returns]
    return each[0] if len(each) == 1 else types.Tuple(each)


def types_of(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types with which a kernel is called that gets such arguments."""
    return tuple(types.unliteral(typeof(one)) for one in arguments)


def call_of(kernel: Any, args: tuple[Any, ...]) -> bytes:
    """What names the call of a kernel with arguments of these types."""
    name = kernel.py_func.__module__, kernel.py_func.__qualname__
    return bytes(dumps((*name, _result(kernel.returns), args)))


def _calling(name: tuple[str, str]) -> Callable[..., Any]:
    """What writes a call into a kernel."""

    def write(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        key = dumps((*name, sig.return_type, sig.args))
        context.active_code_library.calls[key] = None
        convention = context.call_conv
        kind = convention.get_function_type(sig.return_type, sig.args).as_pointer()
        pointer = builder.inttoptr(_address(context, builder, key), kind)
        status, result = convention.call_function(builder, pointer, sig.return_type, sig.args, args)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return impl_ret_untracked(context, builder, sig.return_type, result)

    return write


def _address(context: Any, builder: Any, key: bytes) -> Any:
    """The kernel's address, looked up once for each place that calls it."""
    word, text = ir.IntType(64), ir.IntType(8).as_pointer()
    cell = cgutils.add_global_variable(builder.module, word, builder.module.get_unique_name("cell"))
    cell.linkage = "internal"
    cell.initializer = word(0)
    found = cgutils.alloca_once(builder, word)
    builder.store(builder.load(cell), found)
    with cgutils.if_unlikely(builder, cgutils.is_null(builder, builder.load(found))):
        find = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(word, (text, word)), _FIND
        )
        data = cgutils.global_constant(builder, "kernel", cgutils.make_bytearray(key))
        address = builder.call(find, (builder.bitcast(data, text), word(len(key))))
        with cgutils.if_unlikely(builder, cgutils.is_null(builder, address)):
            context.call_conv.return_user_exc(builder, MissingKernelError)
        builder.store(address, cell)
        builder.store(address, found)
    return builder.load(found)


def note_calls(calls: Any) -> None:
    """Remember the calls of a kernel that was compiled or loaded, for ``complete``."""
    _known.update(dict.fromkeys(calls))


def known_calls() -> list[bytes]:
    """Calls of deferred kernels by all that were compiled or loaded so far."""
    return list(_known)


def complete() -> None:
    """Compile or load all that the kernels call which were compiled or loaded so far."""
    done: set[bytes] = set()
    while wanted := [call for call in _known if call not in done]:
        compile_all(wanted)
        done.update(wanted)


def compile_all(calls: Iterable[bytes]) -> None:
    """Compile or load the kernels of these calls, in this order."""
    for call in calls:
        _find(call)


def seconds_waited() -> float:
    """Time that calls of deferred kernels have waited for them so far [s]."""
    return _waited[0]


def raise_missing() -> None:
    """Raise what kept the last kernel from being compiled."""
    if _failures:
        raise _failures.pop()


def _find(call: bytes) -> int:
    """The address of the kernel that is called."""
    module, name, declared, args = pickle.loads(call)
    dispatcher = getattr(import_module(module), name).dispatcher
    with compiling():
        dispatcher.compile(args)
    kernel = dispatcher.overloads[args]
    if declared not in (None, kernel.signature.return_type):
        raise TypeError(f"{name} returns {kernel.signature.return_type}, not {declared}.")
    return int(kernel.library.get_pointer_to_function(kernel.fndesc.llvm_func_name))


@ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)  # takes Python's lock
def _find_for_kernel(data: int, size: int) -> int:
    """The same for a kernel that calls it, 0 where there is none."""
    began = time.perf_counter()
    try:
        return _find(ctypes.string_at(data, size))
    except BaseException as error:  # C could not hand it on
        _failures.append(error)
        return 0
    finally:
        _waited[0] += time.perf_counter() - began


ll.add_symbol(_FIND, int(ctypes.cast(_find_for_kernel, ctypes.c_void_p).value or 0))
