"""How kernels are handed a tuple by its address (``Addressed`` in types.py).

Numba takes a tuple apart: a function that is handed Model, State and Workspace has some
350 arguments, seven for each array, and so has each function that it calls. By address each of
the three is one argument. A kernel loads from the tuple's table what it needs of an array, data and
shape. The table never changes, and the loads say so (``invariant.load``), so that LLVM moves them
out of loops.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.core.typing.typeof import typeof, typeof_impl
from numba.extending import NativeValue, register_model, unbox

from impulse_core.types import Addressed

__all__ = ["ByAddress"]

_WORD = ir.IntType(64)  # an entry of a table


@typeof_impl.register(Addressed)
def _typeof(value: Any, context: Any) -> ByAddress:
    del context
    kinds = tuple((name, typeof(held)) for name, held in zip(value._fields, value, strict=True))
    return ByAddress(type(value).__qualname__, kinds)


class ByAddress(types.Type):
    """Numba's type of such a tuple: the types of its fields."""

    def __init__(self, name: str, kinds: tuple[tuple[str, Any], ...]) -> None:
        self.kinds = dict(kinds)
        self.places = {}
        place = 0
        for field, kind in kinds:
            self.places[field] = place
            place += _count(kind)
        digest = hashlib.sha256(repr(kinds).encode()).hexdigest()[:16]
        super().__init__(name=f"{name}_{digest}")  # short, as it is part of names of functions


def _count(kind: Any) -> int:
    """Entries that a field takes."""
    if isinstance(kind, types.NoneType):
        return 0
    if isinstance(kind, types.Array):
        return 1 + kind.ndim * (1 if kind.layout == "C" else 2)
    return 1


@register_model(ByAddress)
class _Model(models.PrimitiveModel):
    """How it is handed on: by the address of the table."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _WORD.as_pointer())


@unbox(ByAddress)
def _unboxed(kind: Any, value: Any, c: Any) -> NativeValue:
    del kind
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_ulonglong(number)
    c.pyapi.decref(number)
    return NativeValue(
        c.builder.inttoptr(address, _WORD.as_pointer()), is_error=c.pyapi.c_api_error()
    )


@infer_getattr
class _Fields(AttributeTemplate):
    """Types of what is read from a tuple."""

    key = ByAddress

    def generic_resolve(self, kind: ByAddress, field: str) -> Any:  # type: ignore[override]
        return kind.kinds.get(field)


@lower_getattr_generic(ByAddress)
def _read_field(context: Any, builder: Any, owner: ByAddress, table: Any, field: str) -> Any:
    kind, place = owner.kinds[field], owner.places[field]

    def word(number: int, of_type: Any) -> Any:
        entry = builder.gep(table, [ir.Constant(_WORD, place + number)], inbounds=True)
        if of_type is not _WORD:
            entry = builder.bitcast(entry, of_type.as_pointer())
        loaded = builder.load(entry)
        loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
        return loaded

    if isinstance(kind, types.NoneType):
        return context.get_dummy_value()
    if isinstance(kind, types.Array):
        return _array(context, builder, kind, word)
    if isinstance(kind, types.Boolean):
        return cgutils.is_not_null(builder, word(0, _WORD))
    return word(0, context.get_value_type(kind))


def _array(context: Any, builder: Any, kind: Any, word: Any) -> Any:
    """Numba's structure of an array."""
    size = ir.Constant(_WORD, _size(context, kind.dtype))
    shape = [word(1 + axis, _WORD) for axis in range(kind.ndim)]
    items = shape[0] if shape else ir.Constant(_WORD, 1)
    for extent in shape[1:]:
        items = builder.mul(items, extent)
    if kind.layout == "C":
        strides = [size]
        for extent in shape[:0:-1]:
            strides.insert(0, builder.mul(strides[0], extent))
    else:
        strides = [word(1 + kind.ndim + axis, _WORD) for axis in range(kind.ndim)]
    model = context.data_model_manager[kind]
    made = ir.Constant(model.get_value_type(), None)  # no owner, whose uses would be counted

    def put(name: str, value: Any, *axis: int) -> None:
        nonlocal made
        made = builder.insert_value(made, value, [model.get_field_position(name), *axis])

    put("nitems", items)
    put("itemsize", size)
    put("data", word(0, context.get_data_type(kind.dtype).as_pointer()))
    for axis in range(kind.ndim):
        put("shape", shape[axis], axis)
        put("strides", strides[axis], axis)
    return made


@cache
def _size(context: Any, kind: Any) -> int:
    """Bytes of an entry of an array."""
    return int(context.get_abi_sizeof(context.get_data_type(kind)))
