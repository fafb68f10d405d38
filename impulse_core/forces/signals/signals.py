"""Signals: constants, sampled curves and expressions of the time, evaluated inside kernels."""

from __future__ import annotations

from impulse_core.forces.signals.program import run_program, run_program_for_rate
from impulse_core.jit import inner_kernel
from impulse_core.model.signals import CONSTANT, EXPRESSION, LINEAR, STEP

__all__ = ["is_steady", "signal_rate_inside", "signal_value", "signal_value_inside"]

_TOWARDS = 1e-6  # how far into a step the side of a jump is looked for, as a part of it


@inner_kernel
def signal_value(signals, stack, j, t):
    """Value of signal j at time t [s]; NaN where an expression has no finite value."""
    return signal_value_inside(signals, stack, j, t, t)


@inner_kernel
def signal_value_inside(signals, stack, j, t, inside):
    """Value of signal j at an end t of a step, seen from the time ``inside`` the step [s].

    ``stack`` is scratch for expressions (Workspace.stack). Where a curve jumps at t, this is the
    value on the side of the step, whichever way t was rounded.
    """
    kind = signals.kind[j]
    if kind == CONSTANT:
        return signals.constant[j]
    if kind == EXPRESSION:
        start, end = signals.instruction[j], signals.instruction[j + 1]
        return run_program(signals.operation, signals.argument, start, end, stack, t)
    return _curve_value(signals, j, t, t + _TOWARDS * (inside - t))


@inner_kernel
def is_steady(signals, j, t):
    """Whether signal j keeps its value from time t [s] on: a constant, or a curve at its end."""
    kind = signals.kind[j]
    if kind in (CONSTANT, EXPRESSION) or signals.period[j] > 0.0:
        return kind == CONSTANT
    return t >= signals.time[signals.sample[j + 1] - 1]


@inner_kernel
def signal_rate_inside(signals, stack, j, t, inside):
    """Derivative of signal j at a time t of a step [1/s], as ``signal_value_inside``; NaN where it
    has none. Where an expression jumps or has a kink it is that of one of its sides.
    """
    kind = signals.kind[j]
    if kind == CONSTANT:
        return 0.0
    if kind == EXPRESSION:
        start, end = signals.instruction[j], signals.instruction[j + 1]
        return run_program_for_rate(
            signals.operation, signals.argument, start, end, stack, signals.depth, t
        )
    return _curve_rate(signals, j, t, t + _TOWARDS * (inside - t))


@inner_kernel
def _piece(signals, j, t, side):
    """The samples around the time ``side`` of curve j, which are one where it is constant, and the
    time t within the period they lie in.
    """
    time = signals.time
    first = signals.sample[j]
    last = signals.sample[j + 1] - 1
    if signals.period[j] > 0.0 and side >= time[first]:
        wrapped = time[first] + (side - time[first]) % signals.period[j]
        t = wrapped + (t - side)
        side = wrapped
    if side < time[first]:
        return first, first, t
    if side >= time[last]:
        return last, last, t
    a, b = first, last
    while b - a > 1:
        middle = (a + b) // 2
        if time[middle] <= side:
            a = middle
        else:
            b = middle
    if signals.kind[j] == STEP:
        return a, a, t
    return a, b, t


@inner_kernel
def _curve_value(signals, j, t, side):
    """The piece of curve j around the time ``side``, evaluated at t.

    Cubic pieces by Hermite's formula: with s = (t - t_a)/h,
    x = x_a + s (x_b - x_a) + s (1-s) ((1-s) (h ẋ_a - (x_b - x_a)) - s (h ẋ_b - (x_b - x_a))).
    """
    time, value = signals.time, signals.value
    a, b, t = _piece(signals, j, t, side)
    if a == b:
        return value[a]
    h = time[b] - time[a]
    s = (t - time[a]) / h
    rise = value[b] - value[a]
    line = value[a] + s * rise
    if signals.kind[j] == LINEAR:
        return line
    bend = (1.0 - s) * (h * signals.slope[a] - rise) - s * (h * signals.slope[b] - rise)
    return line + s * (1.0 - s) * bend


@inner_kernel
def _curve_rate(signals, j, t, side):
    """The derivative of that piece at t."""
    time, value = signals.time, signals.value
    a, b, t = _piece(signals, j, t, side)
    if a == b:
        return 0.0
    h = time[b] - time[a]
    s = (t - time[a]) / h
    rise = value[b] - value[a]
    if signals.kind[j] == LINEAR:
        return rise / h
    begin, end = h * signals.slope[a] - rise, h * signals.slope[b] - rise
    bend = (1.0 - s) * begin - s * end
    return (rise + (1.0 - 2.0 * s) * bend - s * (1.0 - s) * (begin + end)) / h
