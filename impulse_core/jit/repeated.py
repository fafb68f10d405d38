"""Calls of a kernel again and again with the same objects.

At each call Numba's dispatcher tells the types of all arguments anew. Of Model, State and Workspace
it looks at every field of every array, which takes it longer than a step of a small machine takes,
and holds Python's lock meanwhile. But the types of an object do not change.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any

from impulse_core.jit.deferred import MissingKernelError, raise_missing, types_of
from impulse_core.types import PLAIN

__all__ = ["RepeatedCall"]


class RepeatedCall:
    """A kernel, which looks at types where it is called with other objects than before.

    Args:
        kernel: one that Python calls.
    """

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._same: tuple[Any, ...] = ()
        self._entry: Callable[..., Any] | None = None

    def __call__(self, same: tuple[Any, ...], *arguments: Any) -> Any:
        """Call the kernel with arguments whose types are those of before as long as ``same`` are
        the objects of before.
        """
        if self._entry is not None and all(map(is_, self._same, same)):
            try:
                return self._entry(*arguments)
            except MissingKernelError:
                raise_missing()
                raise
        result = self._kernel(*arguments)
        if not PLAIN:
            compiled = self._kernel.dispatcher.overloads[types_of(arguments)]
            self._same, self._entry = same, compiled.entry_point
        return result
