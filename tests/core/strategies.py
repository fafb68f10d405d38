"""Hypothesis strategies of vectors, matrices and rotations."""

from __future__ import annotations

import math

from hypothesis import strategies as st

from impulse_core.algebra import Mat3, Quat, Vec3

numbers = st.floats(-1e3, 1e3, allow_subnormal=False)
vectors = st.builds(Vec3, numbers, numbers, numbers)
matrices = st.builds(Mat3, *[numbers] * 9)
quaternions = st.builds(Quat, *[numbers] * 4)


def _unit(parts: tuple[float, float, float, float]) -> Quat:
    length = math.sqrt(sum(part * part for part in parts))
    return Quat(*(part / length for part in parts))


rotations = (
    st.tuples(*[st.floats(-1.0, 1.0)] * 4)
    .filter(lambda parts: sum(part * part for part in parts) > 1e-3)
    .map(_unit)
)
"""Unit quaternions of either sign."""
