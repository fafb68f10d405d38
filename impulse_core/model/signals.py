"""``Signals``: the functions of time of a scene, as arrays.

Apart from the kernels, so that a scene is compiled without loading Numba.
"""

from __future__ import annotations

from typing import NamedTuple

from impulse_core.types import Floats, Ints, by_address

__all__ = ["CONSTANT", "CUBIC", "EXPRESSION", "LINEAR", "STEP", "Signals"]

CONSTANT, STEP, LINEAR, CUBIC, EXPRESSION = range(5)


@by_address
class Signals(NamedTuple):
    """All signals of a scene: s of them, with k samples and i instructions altogether."""

    kind: Ints
    """CONSTANT, STEP, LINEAR, CUBIC or EXPRESSION, shape (s,)."""
    constant: Floats
    """Value of a constant signal, shape (s,)."""
    sample: Ints
    """Samples of signal j are sample[j] … sample[j+1]-1, shape (s+1,)."""
    instruction: Ints
    """Instructions of signal j are instruction[j] … instruction[j+1]-1, shape (s+1,)."""
    period: Floats
    """Time after which a curve starts over [s], 0 if it does not, shape (s,)."""
    time: Floats
    """Times of the samples [s], ascending within a curve, shape (k,)."""
    value: Floats
    """Values at the samples, shape (k,)."""
    slope: Floats
    """Derivatives of cubic curves at the samples [1/s], shape (k,)."""
    operation: Ints
    """Operations of the instructions (signals/operations.py), shape (i,)."""
    argument: Floats
    """Their arguments, shape (i,)."""
    depth: int
    """Most values that an expression has in the making."""
