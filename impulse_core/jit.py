"""The one place where Numba is configured: the ``kernel`` decorator and its cache folder.

Numba's on-disk cache notices a change in a kernel's own file but not in a function the kernel
calls from another file: it would keep running the old helper. The cache folder is therefore
named by a hash of every source file of this package that kernels reach, so an edit of any of them
starts a fresh cache.
``IMPULSE_CACHE_DIR`` moves the parent folder; ``NUMBA_DISABLE_JIT=1`` runs kernels as Python.
"""

from __future__ import annotations

import gc
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import numba

from impulse_core.linking import EntryCompiler, InnerCompiler

__all__ = [
    "array_kernel",
    "cache_folder",
    "compiling",
    "inlined_kernel",
    "inner_kernel",
    "kernel",
]

_PACKAGE = Path(__file__).parent
# Neither hold kernels nor what kernels are made of: an edit there recompiles nothing.
_WITHOUT_KERNELS = (
    "compile",
    "recording",
    "contact_runner.py",
    "description.py",
    "interrupts.py",
    "options.py",
    "recorder.py",
    "runners.py",
    "simulation.py",
    "stepper.py",
    "timeline.py",
)
_FEW_COLLECTIONS = 100_000  # new objects between two of them
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
    with suppress(FileNotFoundError):  # another process prunes at the same moment
        _prune_old_caches()

if _CACHE_USABLE:
    numba.config.CACHE_DIR = str(_CACHE)  # type: ignore[attr-defined]

# error_model numpy: division by zero gives inf, which the convergence checks catch, instead of
# a branch and an exception at every division. No fastmath: the same bits everywhere.
# _nrt False: kernels of a step allocate nothing, so that arrays need not be counted as they are
# passed on; every call with Model and Workspace would count a hundred, 25 microseconds a stage.
# no_cfunc_wrapper: C never calls; unwrapping Model, State and Workspace takes a second of
# compilation for each function that can do it.
_allocating = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
_options = {**_allocating, "_nrt": False}
_entry = {"cache": _CACHE_USABLE, "pipeline_class": EntryCompiler}

array_kernel = partial(numba.njit, **_entry, **_allocating)()
"""Compiles a function of the geometry that makes new arrays."""

kernel = partial(numba.njit, **_entry, **_options)()
"""Compiles a function that Python calls, or a small one that takes numbers and tuples."""

inner_kernel = partial(
    numba.njit, no_cpython_wrapper=True, pipeline_class=InnerCompiler, **_options
)()
"""Compiles a function that only kernels call, into each entry point that reaches it. It is not
kept on disk, where only entry points are."""

inlined_kernel = partial(numba.njit, inline="always", **_options)()
"""Writes a function into its only caller, before types are inferred. A function that gets another
function as an argument must be one; for others it saves the passing of arguments."""


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
