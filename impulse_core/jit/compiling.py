"""What spares a compiler work that it would do again and again: looking for cyclic garbage, and for
the implementation of an operator for types that it has met before.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba.core.ir
import numba.core.types.functions

__all__ = ["compiling"]

_FEW_COLLECTIONS = 300_000  # new objects between two of them
_lock = threading.Lock()
_under_way = [0]
_thresholds: list[tuple[int, int, int]] = []
_calls: dict[tuple[Any, ...], Any] = {}
_Function: Any = numba.core.types.functions.BaseFunction
_Instruction: Any = numba.core.ir.Inst
_Variable: Any = numba.core.ir.Var
_find_call = _Function.get_call_type
_list_variables = _Instruction._rec_list_vars


@contextmanager
def compiling() -> Iterator[None]:
    """Speeds up what compiles many kernels.

    Most objects of a compiler live on, so it is looked for cycles less often. Meanwhile Numba
    remembers what calls of operators and built-in functions come to, and lists the variables of an
    instruction without asking each part for all that it could be.
    """
    with _lock:
        _under_way[0] += 1
        if _under_way[0] == 1:
            _begin()
    try:
        yield
    finally:
        with _lock:
            _under_way[0] -= 1
            if _under_way[0] == 0:
                _end()


def _begin() -> None:
    thresholds = gc.get_threshold()
    _thresholds[:] = [thresholds]
    gc.set_threshold(_FEW_COLLECTIONS, *thresholds[1:])
    _Function.get_call_type = _remembered_call
    _Instruction._rec_list_vars = _variables


def _end() -> None:
    gc.set_threshold(*_thresholds.pop())
    _Function.get_call_type = _find_call
    _Instruction._rec_list_vars = _list_variables


def _remembered_call(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """The signature of a call. What a function is known by has all its implementations in it, so
    one that is added later is found.
    """
    call = (context, function.key, tuple(args), tuple(sorted(kws.items())))
    if call not in _calls:
        _calls[call] = _find_call(function, context, args, kws)
    return _calls[call]


def _variables(instruction: Any, part: Any) -> list[Any]:
    """The variables in a part of an instruction."""
    if isinstance(part, _Variable):
        return [part]
    if isinstance(part, _Instruction):
        return list(part.list_vars())
    if isinstance(part, list | tuple):
        return [each for one in part for each in _variables(instruction, one)]
    if isinstance(part, dict):
        return [each for one in part.values() for each in _variables(instruction, one)]
    return []
