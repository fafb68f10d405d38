"""The one place where Numba is configured: the ``kernel`` decorator and its cache folder.

Numba's on-disk cache notices a change in a kernel's own file but not in a function the kernel
calls from another file: it would keep running the old helper. The cache folder is therefore
named by a hash of every source file of this package, so any edit starts a fresh cache.
``IMPULSE_CACHE_DIR`` moves the parent folder; ``NUMBA_DISABLE_JIT=1`` runs kernels as Python.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from functools import partial
from pathlib import Path

import numba

__all__ = ["array_kernel", "cache_folder", "inlined_kernel", "inner_kernel", "kernel"]

_PACKAGE = Path(__file__).parent
_WITHOUT_KERNELS = ("compile", "recording")  # folders that neither hold kernels nor their constants
_KEPT_CACHES = 3  # folders of other sources that are kept, so that switching branches stays warm


def _cache_root() -> Path:
    if chosen := os.environ.get("IMPULSE_CACHE_DIR"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "impulse" / "kernels"


def _source_hash() -> str:
    digest = hashlib.sha256()
    for source in sorted(_PACKAGE.rglob("*.py")):
        if source.relative_to(_PACKAGE).parts[0] in _WITHOUT_KERNELS:
            continue
        digest.update(source.relative_to(_PACKAGE).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Folder that holds the compiled kernels of exactly these sources."""
    return _cache_root() / _source_hash()


def _prune_old_caches() -> None:
    others = [folder for folder in _CACHE.parent.iterdir() if folder != _CACHE]
    others.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in others[_KEPT_CACHES:]:
        shutil.rmtree(folder, ignore_errors=True)


_CACHE = cache_folder()
try:
    _CACHE.mkdir(parents=True, exist_ok=True)
    _CACHE_USABLE = os.access(_CACHE, os.W_OK)
except OSError:
    _CACHE_USABLE = False  # read-only home: compile in memory, every time
if _CACHE_USABLE:
    with contextlib.suppress(FileNotFoundError):  # another process prunes at the same moment
        _prune_old_caches()

if _CACHE_USABLE:
    numba.config.CACHE_DIR = str(_CACHE)  # type: ignore[attr-defined]

# error_model numpy: division by zero gives inf, which the convergence checks catch, instead of
# a branch and an exception at every division. No fastmath: the same bits everywhere.
# _nrt False: kernels of a step allocate nothing, so that arrays need not be counted as they are
# passed on; every call with Model and Workspace would count a hundred, 25 microseconds a stage.
_allocating = {"cache": _CACHE_USABLE, "nogil": True, "error_model": "numpy"}
_options = {**_allocating, "_nrt": False}

array_kernel = partial(numba.njit, **_allocating)()
"""Compiles a function of the geometry that makes new arrays."""

kernel = partial(numba.njit, **_options)()
"""Compiles a function that Python calls, or a small one that takes numbers and tuples."""

inner_kernel = partial(numba.njit, no_cpython_wrapper=True, no_cfunc_wrapper=True, **_options)()
"""Compiles a function that only kernels call. Unwrapping Model, State and Workspace from Python
takes a second of compilation for each function that can do it, so only entry points can."""

inlined_kernel = partial(numba.njit, inline="always", **_options)()
"""Compiles a function into its only caller. LLVM optimises every function again together with all
it calls, so each level of large functions called once would cost seconds and gain nothing."""
