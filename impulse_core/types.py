"""Types of arrays, records, and the named tuples that hold them.

A class of fields becomes the type of one array of structures, so that a kernel is handed one array
where it was handed one for every field, and compiles in a fraction of the time
(docs/design/records.md). In kernels ``model.axes[k].stiffness`` is a number, ``model.axes[k]`` a
reference that can be handed on, and ``model.axes.stiffness`` a view of the field; in Python the
view is ``model.axes["stiffness"]``. A tuple of arrays is handed to kernels by its address
(docs/design/by-address.md).
"""

from __future__ import annotations

import math
import os
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "PLAIN",
    "Addressed",
    "Floats",
    "Ints",
    "Records",
    "Singles",
    "by_address",
    "f8",
    "i8",
    "mat3",
    "new_blocks",
    "new_records",
    "new_zeros",
    "pair",
    "pair_i8",
    "quat",
    "record",
    "single",
    "six",
    "six_i8",
    "unsigned",
    "vec3",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Singles = NDArray[np.float32]
Records = NDArray[Any]
"""Shape (n,), of a dtype that a record class declares."""
_Declared = TypeVar("_Declared", bound=type)

# What a field may be: a number, or a few of them in a row.
f8 = float
i8 = int
pair = list[float]
pair_i8 = list[int]
vec3 = list[float]
quat = list[float]
mat3 = list[float]
six = list[float]
six_i8 = list[int]

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")  # what Numba goes by

# Of indices whose sign the compiler need not look at; NumPy makes floats of them and plain ones.
unsigned: Any = int if PLAIN else np.uint64

# Makes a number one of single precision; a sum or product with a double would be a double.
single: Any = np.float32

_LINES = 128  # bytes: two cache lines, which processors fetch together

_TYPES: dict[str, Any] = {
    "f8": np.float64,
    "i8": np.int64,
    "pair": (np.float64, 2),
    "pair_i8": (np.int64, 2),
    "vec3": (np.float64, 3),
    "quat": (np.float64, 4),
    "mat3": (np.float64, 9),
    "six": (np.float64, 6),
    "six_i8": (np.int64, 6),
}


def record(declared: type) -> type:
    """Make the annotations of a class, names of this module, its ``dtype``."""
    fields = [(name, *_field(kind)) for name, kind in declared.__annotations__.items()]
    if taken := [name for name, *_ in fields if hasattr(np.record, name)]:
        raise TypeError(f"{declared.__name__}: NumPy's records have attributes called {taken}")
    declared.dtype = np.dtype(fields, align=True)  # type: ignore[attr-defined]
    return declared


def _field(kind: str) -> tuple[Any, ...]:
    held = _TYPES[kind]
    return held if isinstance(held, tuple) else (held,)


def new_zeros(count: int, dtype: Any = np.float64) -> NDArray[Any]:
    """So many zeros that begin with a cache line, in large pages where they take megabytes: NumPy
    asks for these where it does not have memory cleared by the system. Shape (count,).
    """
    size = count * np.dtype(dtype).itemsize
    raw = np.empty(size + _LINES, np.uint8)
    skipped = -raw.ctypes.data % _LINES
    zeros = raw[skipped : skipped + size]
    zeros[...] = 0
    return zeros.view(dtype)


def new_blocks(*shape: int) -> Floats:
    """Padded blocks of zeros (algebra/padded.py), no column of which lies in two cache lines, of
    shape (..., 12).
    """
    return new_zeros(12 * math.prod(shape)).reshape(*shape, 12)


def new_records(declared: type, count: int) -> Records:
    """So many records of zeros.

    Without the compiler (NUMBA_DISABLE_JIT=1) as NumPy's kind whose records have attributes too,
    which costs each call of a compiled kernel a look at its type.
    """
    records = new_zeros(count, declared.dtype)  # type: ignore[attr-defined]
    return records.view(np.recarray) if PLAIN else records


class Addressed:
    """A named tuple that kernels are handed by its address (jit/by_address.py).

    Its fields are arrays, numbers, None, and other tuples of this kind; a kernel reads them by
    name. What kernels read of it is a table of 64-bit words, here of Couplings:

        joint: data, shape[0]    constant: data, shape[0]    …    terms: data, shape[0]
    """

    @cached_property
    def address(self) -> int:
        """Where the table lies, which lives as long as the tuple."""
        words = [word for field in cast(Any, self) for word in _words(field)]
        self._table = np.array(words or [0], dtype=np.int64)
        return int(self._table.ctypes.data)


def by_address(declared: _Declared) -> _Declared:
    """Class decorator of a named tuple: kernels are handed its instances by address."""
    if PLAIN:
        return declared
    shown = ("__module__", "__qualname__", "__doc__", "__annotations__")
    body = {name: getattr(declared, name) for name in shown}
    return cast(_Declared, type(declared.__name__, (Addressed, declared), body))


def _words(field: Any) -> list[int]:
    """What the table says of a field."""
    if field is None:
        return []
    if isinstance(field, np.ndarray):
        strides = () if field.flags.c_contiguous else field.strides
        return [field.ctypes.data, *field.shape, *strides]
    if isinstance(field, float):
        return [int(np.float64(field).view(np.int64))]
    if isinstance(field, int | np.integer):
        return [int(field)]
    return [field.address]
