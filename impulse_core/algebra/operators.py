"""Offers the operators of a named tuple class to Numba, each written once as a method.

Python calls ``Vec3.__add__`` by itself; Numba is told by ``overload`` to compile that same
function where both operand types match. Without this a ``+`` of two tuples *concatenates* them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.extending import overload

__all__ = ["is_scalar", "is_tuple_of", "offer"]

Predicate = Callable[[Any], bool]


def is_tuple_of(named_tuple: type) -> Predicate:
    """Predicate on Numba types: an instance of this named tuple class."""

    def matches(numba_type: Any) -> bool:
        return getattr(numba_type, "instance_class", None) is named_tuple

    return matches


def is_scalar(numba_type: Any) -> bool:
    """Predicate on Numba types: an integer or floating-point number."""
    return isinstance(numba_type, types.Number)


def offer(operation: Any, implementation: Callable[..., Any], *operands: Predicate) -> None:
    """Compile ``implementation`` wherever Numba meets ``operation`` on such operands."""
    if len(operands) == 1:

        @overload(operation)
        def unary(a):  # Numba compares the signature with the implementation, letter by letter
            return implementation if operands[0](a) else None

    else:

        @overload(operation)
        def binary(a, b):
            return implementation if operands[0](a) and operands[1](b) else None
