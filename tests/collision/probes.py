"""Kernels of collision detection that only kernels call, made callable for tests."""

from impulse_core.collision import broad
from impulse_core.jit import kernel

__all__ = ["find_pairs"]


@kernel
def find_pairs(model, shapes, state, h, margin, sweep):
    return broad.find_pairs(model, shapes, state, h, margin, sweep)
