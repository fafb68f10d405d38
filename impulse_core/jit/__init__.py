"""How kernels are compiled, linked, kept on disk, and used where they came with a wheel."""

from impulse_core.jit import by_address as by_address  # makes it known to Numba
from impulse_core.jit.compiling import compiling
from impulse_core.jit.decorators import (
    array_kernel,
    cache_folder,
    deferred_kernel,
    inlined_kernel,
    inner_kernel,
    kernel,
    sources,
)

__all__ = [
    "array_kernel",
    "cache_folder",
    "compiling",
    "deferred_kernel",
    "inlined_kernel",
    "inner_kernel",
    "kernel",
    "sources",
]
