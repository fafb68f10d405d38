"""The little vector algebra that the checks need."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from impulse_schema.bounds import BOUNDS
from impulse_schema.problems import Finding
from impulse_schema.source import ScenePath

Triple = tuple[float, float, float]

# Six digits of a quaternion in a file are enough to pass; four are not.
UNIT_TOLERANCE = 1e-6


def check_unit_quaternion(q: Sequence[float], path: ScenePath) -> Iterator[Finding]:
    """A finding unless ``q`` has unit length to within UNIT_TOLERANCE."""
    length = math.hypot(*q)
    if not abs(length - 1) <= UNIT_TOLERANCE:
        if length == 0:
            hint = "Write 1 0 0 0 for no rotation"
        else:
            hint = f"Write {' '.join(f'{c / length:.9g}' for c in q)} if the direction is meant"
        yield Finding(
            path, "E208", f"the quaternion (w x y z) has length {length:.9g}, not 1", hint
        )


def check_not_zero(axis: Sequence[float], path: ScenePath) -> Iterator[Finding]:
    """A finding if ``axis`` has no direction, or is too short to tell."""
    length = math.hypot(*axis)
    if length == 0.0:
        yield Finding(path, "E209", f"{path[-1]} has length zero", "Write a direction, as 0 0 1")
    elif length < BOUNDS[""].least:
        message = f"{path[-1]} has length {length:g} and must have at least {BOUNDS[''].least:g}"
        yield Finding(path, "E209", message, "Write a direction, as 0 0 1")


def not_after(time: float, before: float) -> str:
    """What is wrong with a time [s] that is to come after another; "" if it does."""
    least = BOUNDS["s"].least
    if time <= before:
        return f"time {time:g} s does not come after {before:g} s"
    if time - before < least * (1.0 - 1e-6):  # rounding of the two
        return f"time {time:g} s comes less than {least:g} s after the one before"
    return ""


def are_apart(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether two points [m] are far enough apart to have a direction between them."""
    return math.dist(a, b) >= BOUNDS["m"].least


def angle_between(a: Triple, b: Triple) -> float:
    """Angle [rad] between two vectors, 0 to pi; any length but zero."""
    a, b = _scaled(a), _scaled(b)
    cross = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    return math.atan2(math.hypot(*cross), sum(x * y for x, y in zip(a, b, strict=True)))


def _scaled(a: Triple) -> Triple:
    """``a`` with a largest element of 1, so that products neither vanish nor overflow."""
    largest = max(abs(x) for x in a)
    return (a[0] / largest, a[1] / largest, a[2] / largest)


def is_positive_definite(tensor: Sequence[float]) -> bool:
    """Sylvester's criterion for (xx, yy, zz, xy, xz, yz)."""
    xx, yy, zz, xy, xz, yz = tensor
    minor = xx * yy - xy * xy
    determinant = zz * minor - yz * (xx * yz - xy * xz) + xz * (xy * yz - yy * xz)
    return xx > 0 and minor > 0 and determinant > 0
