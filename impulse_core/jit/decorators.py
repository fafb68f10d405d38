"""The one place where Numba is configured: the ``kernel`` decorator and the name of its cache.

Numba's on-disk cache notices a change in a kernel's own file but not in a function the kernel
calls from another file: it would keep running the old helper. The cache folder is therefore
named by a hash of every source file of this package that kernels reach, so an edit of any of them
starts a fresh cache.
``NUMBA_DISABLE_JIT=1`` runs kernels as Python.
"""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path
from typing import Any

from impulse_core.jit.kernel_cache import KernelCache
from impulse_core.jit.kernel_folder import open_folder
from impulse_core.jit.lazy import LazyKernel
from impulse_core.jit.linking import (
    ArrayCompiler,
    EntryCompiler,
    InnerCompiler,
    KernelDispatcher,
)
from impulse_core.jit.shipped import ShippedKernels
from impulse_core.types import PLAIN

__all__ = [
    "array_kernel",
    "cache_folder",
    "deferred_kernel",
    "inlined_kernel",
    "inner_kernel",
    "kernel",
    "sources",
]

_PACKAGE = Path(__file__).parents[1]
# Rooms and files that neither hold kernels nor what kernels are made of: an edit there recompiles
# nothing.
_WITHOUT_KERNELS = (
    "checkpoints/",
    "compile/",
    "recording/",
    "simulation/",
    "analysis/description.py",
    "jit/beside.py",
    "jit/compiling.py",
    "jit/kernel_cache.py",
    "jit/kernel_folder.py",
    "jit/repeated.py",
    "jit/shipped.py",
    "jit/trusted.py",
    "methods/contact_runner.py",
    "methods/crew.py",
    "methods/paper_runners.py",
    "methods/runner_choice.py",
    "methods/runners.py",
    "methods/stiffness.py",
    "model/options.py",
    "model/snapshot.py",
)


def _source_hash() -> str:
    digest = hashlib.sha256()
    for source in sorted(_PACKAGE.rglob("*.py")):
        name = source.relative_to(_PACKAGE).as_posix()
        if name.startswith(_WITHOUT_KERNELS):
            continue
        digest.update(name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path | None:
    """Folder of the compiled kernels of exactly these sources; None if there can be none."""
    return _FOLDER


_SOURCES = _source_hash()
_FOLDER, _WHY_NONE = open_folder(_SOURCES)
_SHIPPED = ShippedKernels(_PACKAGE / "shipped_kernels", _SOURCES)


def sources() -> str:
    """Hash of all sources that kernels are made of."""
    return _SOURCES


# error_model numpy: division by zero gives inf, which the convergence checks catch, instead of
# a branch and an exception at every division. No fastmath: the same bits everywhere.
# _nrt False: kernels of a step allocate nothing, so that arrays need not be counted as they are
# passed on.
# no_cfunc_wrapper: C never calls.
_allocating: dict[str, Any] = {
    "nopython": True,
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
}
_options = {**_allocating, "_nrt": False}
_inner = {**_options, "no_cpython_wrapper": True}
_inlined = {**_options, "inline": "always"}


def array_kernel(function: Any) -> Any:
    """Compiles a function of the geometry that makes new arrays."""
    compiled = partial(_entry_point, function, _allocating, ArrayCompiler)
    return _lazy(function, compiled, compiled, _allocating)


def kernel(function: Any) -> Any:
    """Compiles a function that Python calls. What is kept on disk is its code with all it calls.
    Kernels that call it get it as if it were an inner one.
    """
    compiled = partial(_entry_point, function, _options, EntryCompiler)
    return _lazy(function, compiled, partial(_jit, function, _inner, InnerCompiler), _inner)


def deferred_kernel(*returns: str) -> Any:
    """Compiles a function that kernels and Python call when one of them first does, and keeps it
    on disk by itself (``deferred.py``).

    Args:
        returns: name of the Numba type that it returns, such as ``"float64"`` or ``"none"``; names
            of several for a tuple.
    """

    def decorated(function: Any) -> Any:
        compiled = partial(_entry_point, function, _options, EntryCompiler)
        return function if PLAIN else LazyKernel(function, compiled, compiled, _options, returns)

    return decorated


def inner_kernel(function: Any) -> Any:
    """Compiles a function that only kernels call, into each entry point that reaches it. It is not
    kept on disk, where only entry points are.
    """
    return _lazy(function, None, partial(_jit, function, _inner, InnerCompiler), _inner)


def inlined_kernel(function: Any) -> Any:
    """Writes a function into its only caller, before types are inferred. A function that gets
    another function as an argument must be one; for others it saves the passing of arguments.
    """
    return _lazy(function, None, partial(_jit, function, _inlined, InnerCompiler), _inlined)


def _lazy(function: Any, called: Any, inner: Any, options: dict[str, Any]) -> Any:
    return function if PLAIN else LazyKernel(function, called, inner, options)


def _jit(function: Any, options: dict[str, Any], compiler: Any) -> Any:
    return KernelDispatcher(function, targetoptions=options, pipeline_class=compiler)


def _entry_point(function: Any, options: dict[str, Any], compiler: Any) -> Any:
    dispatcher = _jit(function, options, compiler)
    dispatcher._cache = KernelCache(function, _FOLDER, _WHY_NONE, _SOURCES, _SHIPPED)
    return dispatcher
