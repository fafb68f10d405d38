"""Kernels of collision detection that only kernels call, made callable for tests."""

from impulse_core.collision import broad
from impulse_core.jit import kernel

__all__ = ["approach_of", "find_pairs"]


@kernel
def approach_of(model, shapes, state, h, sweep, k):
    return broad.approach_of(model, shapes, state, h, sweep, k)


@kernel
def find_pairs(model, shapes, state, h, margin, sweep):
    return broad.find_pairs(model, shapes, state, h, margin, sweep)
