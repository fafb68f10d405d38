"""Force law of a free axis: a monotone, piecewise linear, possibly set-valued function.

All elements of an axis together give the half-impulse p along it as a non-increasing function of
one number x, the coordinate at the end of the stage or the velocity there:

    p(x) = p_b - κ_b x                            springs, dampers, explicit motors
         + min(max(p_s - κ_s x, -B_s), F_s)       servo with limited force
         ∓ F_f at x_f                             dry friction: a jump from +F_f to -F_f
         + a jump from +F_d to -B_d at x_d        velocity motor with limited force
         + ∞ below the lower bound, - ∞ above the upper one                  (docs/algorithm.md, 33)

Limits and sticking are vertical pieces, where x is given and p follows. Since x - ρ p(x) increases
strictly for every ρ > 0, the number z = x - ρ p of an iterate names exactly one piece of the law:
a step of the semismooth Newton method solves with that piece (Qi and Sun 1993).
"""

from __future__ import annotations

import math

from impulse_core.jit import inner_kernel

__all__ = ["active_piece", "has_drive", "no_force", "servo_part"]


@inner_kernel
def no_force(law):
    """Make a law zero everywhere."""
    law.lower, law.upper = -math.inf, math.inf
    law.friction_at, law.friction = 0.0, 0.0
    law.drive_at, law.drive, law.drive_back = 0.0, 0.0, 0.0
    law.servo, law.servo_slope, law.servo_bound, law.servo_back = 0.0, 0.0, 0.0, 0.0
    law.passive, law.passive_slope = 0.0, 0.0


@inner_kernel
def has_drive(law):
    """Whether there is a velocity motor."""
    return law.drive > 0.0 or law.drive_back > 0.0


@inner_kernel
def servo_part(law, x):
    """What the servo adds to p(x)."""
    return min(max(law.servo - law.servo_slope * x, -law.servo_back), law.servo_bound)


@inner_kernel
def _jump(x, at, size, back, side):
    """size, or -back beyond ``at``; there seen from the left (side -1) or the right (side 1)."""
    if x < at or (x == at and side < 0):
        return size
    return -back


@inner_kernel
def _value(law, x, side):
    """p(x), at jumps from the left (side -1) or from the right (side 1)."""
    if x < law.lower or (x == law.lower and side < 0):
        return math.inf
    if x > law.upper or (x == law.upper and side > 0):
        return -math.inf
    return (
        law.passive
        - law.passive_slope * x
        + servo_part(law, x)
        + _jump(x, law.friction_at, law.friction, law.friction, side)
        + _jump(x, law.drive_at, law.drive, law.drive_back, side)
    )


@inner_kernel
def _breakpoint(law, which):
    """Where pieces meet; NaN where the law has no such element."""
    if which == 0:
        return law.lower
    if which == 1:
        return law.upper
    if which == 2:
        return law.friction_at if law.friction > 0.0 else math.nan
    if which == 3:
        return law.drive_at if has_drive(law) else math.nan
    slope = law.servo_slope
    if not (slope > 0.0):
        return math.nan
    return (law.servo - (law.servo_bound if which == 4 else -law.servo_back)) / slope


@inner_kernel
def active_piece(law, z, rho):
    """The piece of a law on which x - ρ p(x) = z lies.

    Returns 1 and the x of a vertical piece with 0, or 0 and (p0, κ) of a linear one p0 - κ x.
    """
    right = math.inf  # nearest breakpoint at or to the right of the solution
    left = -math.inf
    for which in range(6):
        b = _breakpoint(law, which)
        if not (abs(b) < math.inf):
            continue
        if z <= b - rho * _value(law, b, 1):
            right = min(right, b)
        else:
            left = max(left, b)
    if right < math.inf:
        from_left, from_right = _value(law, right, -1), _value(law, right, 1)
        if from_left > from_right and z >= right - rho * from_left:
            return 1, right, 0.0
    if left == -math.inf:
        inside = right - max(1.0, abs(right)) if right < math.inf else 0.0
    elif right == math.inf:
        inside = left + max(1.0, abs(left))  # also beside a breakpoint as far as 1e26
    else:
        inside = 0.5 * (left + right)
    offset, slope = law.passive, law.passive_slope
    servo = law.servo - law.servo_slope * inside
    if servo > law.servo_bound:
        offset += law.servo_bound
    elif servo < -law.servo_back:
        offset -= law.servo_back
    else:
        offset += law.servo
        slope += law.servo_slope
    offset += _jump(inside, law.friction_at, law.friction, law.friction, 1)
    offset += _jump(inside, law.drive_at, law.drive, law.drive_back, 1)
    return 0, offset, slope
