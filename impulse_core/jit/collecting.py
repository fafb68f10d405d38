"""Garbage while kernels are compiled."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["compiling"]

_FEW_COLLECTIONS = 100_000  # new objects between two of them


@contextmanager
def compiling() -> Iterator[None]:
    """Speeds up what compiles many kernels by looking for cyclic garbage less often.

    Most objects of a compiler live on, and to look through them again and again for cycles would
    take a fifth of the time.
    """
    thresholds = gc.get_threshold()
    gc.set_threshold(_FEW_COLLECTIONS, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
