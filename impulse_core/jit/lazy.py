"""Functions whose compilers are set up when they are needed.

There are hundreds of kernels, of which a run calls a few that come compiled from disk. Numba's
dispatchers take a third of a millisecond each to make.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any

from impulse_core.jit.deferred import DeferredCall, MissingKernelError, raise_missing

__all__ = ["LazyKernel"]


class LazyKernel:
    """A function with one compiler for calls from Python and one for calls from kernels.

    Args:
        function: what is compiled.
        called: makes the dispatcher that Python calls; None if only kernels call.
        inner: makes the one that kernels call.
        options: those of Numba, where its inlining looks for them.
        returns: the names of the types that it returns, if it is compiled only when it is called;
            none if what calls it is compiled with it.
    """

    def __init__(
        self,
        function: Any,
        called: Callable[[], Any] | None,
        inner: Callable[[], Any],
        options: dict[str, Any],
        returns: tuple[str, ...] = (),
    ) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self.targetoptions = options
        self._make_called = called or self._refuse
        self._make_inner = inner
        self.returns = returns

    def __call__(self, *args: Any) -> Any:
        try:
            return self.dispatcher(*args)
        except MissingKernelError:
            raise_missing()
            raise

    @cached_property
    def dispatcher(self) -> Any:
        """What Python calls."""
        return self._make_called()

    def _refuse(self) -> Any:
        raise TypeError(f"{self.py_func.__name__} is a kernel that only kernels call.")

    @cached_property
    def _inner(self) -> Any:
        if self.returns:
            return DeferredCall(self.py_func, self.returns)
        return self.dispatcher if self._make_inner is self._make_called else self._make_inner()

    @property
    def _numba_type_(self) -> Any:
        """What Numba takes the function for where a kernel names it."""
        return self._inner._numba_type_
