"""Types of arrays, and records: what belongs to one axis, joint or body, field by field.

A class of fields becomes the type of one array of structures, so that a kernel is handed one array
where it was handed one for every field, and compiles in a fraction of the time
(docs/design/records.md). In kernels ``model.axes[k].stiffness`` is a number, ``model.axes[k]`` a
reference that can be handed on, and ``model.axes.stiffness`` a view of the field; in Python the
view is ``model.axes["stiffness"]``.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Floats",
    "Ints",
    "Records",
    "f8",
    "i8",
    "mat3",
    "new_records",
    "pair",
    "pair_i8",
    "quat",
    "record",
    "six",
    "six_i8",
    "vec3",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Records = NDArray[Any]
"""Shape (n,), of a dtype that a record class declares."""

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


def new_records(declared: type, count: int) -> Records:
    """So many records of zeros.

    Without the compiler (NUMBA_DISABLE_JIT=1) as NumPy's kind whose records have attributes too,
    which costs each call of a compiled kernel a look at its type.
    """
    records = np.zeros(count, dtype=declared.dtype)  # type: ignore[attr-defined]
    return records.view(np.recarray) if PLAIN else records
