"""Runs the program of an expression: a machine with a stack of floats.

The programs are those of impulse_schema.expressions, with a number for each operation. As there,
a value that is not finite on the way, or out of bounds at the end, is none: the result is then
NaN. What Python would answer with an exception is asked before, so that kernels run without Numba
as well.
"""

from __future__ import annotations

import math

from impulse_core.forces.signals.operations import (
    ABS,
    ACOS,
    ADD,
    ASIN,
    ATAN,
    ATAN2,
    COS,
    COSH,
    DIVIDE,
    EXP,
    FLOOR,
    GREATER,
    JUMP,
    JUMP_UNLESS,
    LESS,
    LESS_EQUAL,
    LOG,
    MAX,
    MIN,
    MODULO,
    MULTIPLY,
    NEGATE,
    NUMBER,
    POWER,
    SIGN,
    SIN,
    SINH,
    SQRT,
    SUBTRACT,
    TAN,
    TANH,
    TIME,
)
from impulse_core.jit import inner_kernel

__all__ = ["LARGEST_VALUE", "run_program", "run_program_for_rate"]

LARGEST_VALUE = 1e9
"""Of a whole expression, whatever its unit: the schema's bound of a motor's target."""

_LARGEST_EXP = 709.782712893384  # beyond, exp overflows
_LARGEST_SINH = 710.4758600739439
_WHOLE = 4503599627370496.0  # 2⁵²: from here on every float is whole


@inner_kernel
def _unary(operation, x):
    if operation == NEGATE:
        return -x
    if operation == SIN:
        return math.sin(x)
    if operation == COS:
        return math.cos(x)
    if operation == TAN:
        return math.tan(x)
    if operation == ASIN:
        return math.asin(x) if abs(x) <= 1.0 else math.nan
    if operation == ACOS:
        return math.acos(x) if abs(x) <= 1.0 else math.nan
    if operation == ATAN:
        return math.atan(x)
    if operation == SINH:
        return math.sinh(x) if abs(x) <= _LARGEST_SINH else math.nan
    if operation == COSH:
        return math.cosh(x) if abs(x) <= _LARGEST_SINH else math.nan
    if operation == TANH:
        return math.tanh(x)
    if operation == EXP:
        return math.exp(x) if x <= _LARGEST_EXP else math.nan
    if operation == LOG:
        return math.log(x) if x > 0.0 else math.nan
    if operation == SQRT:
        return math.sqrt(x) if x >= 0.0 else math.nan
    if operation == ABS:
        return abs(x)
    if operation == SIGN:
        return math.copysign(1.0, x) if x != 0.0 else 0.0
    if abs(x) >= _WHOLE:
        return x
    return float(math.floor(x)) if operation == FLOOR else float(math.ceil(x))


@inner_kernel
def _power(x, y):
    if x == 0.0:
        return (1.0 if y == 0.0 else 0.0) if y >= 0.0 else math.nan
    if x < 0.0 and abs(y) < _WHOLE and y != math.floor(y):
        return math.nan
    if y * math.log(abs(x)) > 709.79:
        return math.nan
    return math.pow(x, y)


@inner_kernel
def _binary(operation, x, y):
    if operation == ADD:
        return x + y
    if operation == SUBTRACT:
        return x - y
    if operation == MULTIPLY:
        return x * y
    if operation == DIVIDE:
        return x / y if y != 0.0 else math.nan
    if operation == MODULO:
        return x % y if y != 0.0 else math.nan
    if operation == POWER:
        return _power(x, y)
    if operation == ATAN2:
        return math.atan2(x, y)
    if operation == MIN:
        return y if y < x else x
    if operation == MAX:
        return y if y > x else x
    if operation == LESS:
        return 1.0 if x < y else 0.0
    if operation == LESS_EQUAL:
        return 1.0 if x <= y else 0.0
    if operation == GREATER:
        return 1.0 if x > y else 0.0
    return 1.0 if x >= y else 0.0


@inner_kernel
def run_program(operation, argument, start, end, stack, t):
    """The value at t of the instructions start … end-1, NaN where there is none within bounds.

    ``stack`` is scratch that holds as many values as the program needs; the arguments of jumps
    are places in ``operation``.
    """
    return _run(operation, argument, start, end, stack, None, t)


@inner_kernel
def run_program_for_rate(operation, argument, start, end, stack, depth, t):
    """Its derivative at t, by the rules of differentiation at every instruction; NaN as before, and
    where it has none. ``stack`` holds twice as much, the derivatives from ``depth`` on.
    """
    value = _run(operation, argument, start, end, stack, depth, t)
    return stack[depth] if abs(value) < math.inf else math.nan


@inner_kernel
def _run(operation, argument, start, end, stack, depth, t):
    """The value at t; its derivative into stack[depth], if depth is not None."""
    height = 0
    at = start
    while at < end:
        code = operation[at]
        a = argument[at]
        at += 1
        if code == JUMP:
            at = int(a)
            continue
        if code == JUMP_UNLESS:
            height -= 1
            if stack[height] == 0.0:
                at = int(a)
            continue
        if code == NUMBER:
            value = a
        elif code == TIME:
            value = t
        elif code < ADD:
            height -= 1
            value = _unary(code, stack[height])
        else:
            height -= 2
            value = _binary(code, stack[height], stack[height + 1])
        if not (abs(value) < math.inf):
            return math.nan
        if depth is not None:
            stack[depth + height] = _rate(code, stack, height, depth, value)
        stack[height] = value
        height += 1
    return stack[0] if abs(stack[0]) <= LARGEST_VALUE else math.nan


@inner_kernel
def _rate(operation, stack, place, depth, value):
    """Derivative of what an operation makes of the operands from ``place`` on."""
    if operation == NUMBER:
        return 0.0
    if operation == TIME:
        return 1.0
    x, dx = stack[place], stack[depth + place]
    if operation < ADD:
        return _chain(_unary_slope(operation, x, value), dx)
    y, dy = stack[place + 1], stack[depth + place + 1]
    if operation in (MIN, MAX):
        return dx if value == x else dy
    if operation == POWER:
        return _power_rate(x, dx, y, dy, value)
    if operation == DIVIDE:
        return (dx - value * dy) / y
    if operation == ATAN2:
        square = x * x + y * y
        return (dx * y - x * dy) / square if square > 0.0 else math.nan
    if operation == ADD:
        return dx + dy
    if operation == SUBTRACT:
        return dx - dy
    if operation == MULTIPLY:
        return dx * y + x * dy
    if operation == MODULO:
        return dx - math.floor(x / y) * dy
    return 0.0  # of a comparison


@inner_kernel
def _chain(slope, rate):
    """slope · rate, where what does not change has no rate however steep the slope is."""
    return slope * rate if rate != 0.0 else 0.0


@inner_kernel
def _unary_slope(operation, x, value):
    """Derivative of an operation by its operand; NaN where it is not finite."""
    if operation == NEGATE:
        return -1.0
    if operation == SIN:
        return math.cos(x)
    if operation == COS:
        return -math.sin(x)
    if operation == TAN:
        return 1.0 + value * value
    if operation in (ASIN, ACOS):
        if abs(x) >= 1.0:
            return math.nan
        slope = 1.0 / math.sqrt((1.0 - x) * (1.0 + x))
        return slope if operation == ASIN else -slope
    if operation == ATAN:
        return 1.0 / (1.0 + x * x)
    if operation == SINH:
        return math.sqrt(1.0 + value * value)
    if operation == COSH:
        return math.sinh(x)
    if operation == TANH:
        return 1.0 - value * value
    if operation == EXP:
        return value
    if operation == LOG:
        return 1.0 / x
    if operation == SQRT:
        return 0.5 / value if value > 0.0 else math.nan
    if operation == ABS:
        return -1.0 if x < 0.0 else 1.0
    return 0.0  # of sign, floor and ceil


@inner_kernel
def _power_rate(x, dx, y, dy, value):
    """Derivative of x^y; NaN where it is not finite."""
    by_base = y * _power(x, y - 1.0) if y != 0.0 else 0.0
    by_exponent = 0.0
    if dy != 0.0:
        by_exponent = value * math.log(x) if x > 0.0 else math.nan
    return _chain(by_base, dx) + _chain(by_exponent, dy)
