"""Arithmetic of the time, as motor targets use it: read without ever running foreign code.

An expression holds numbers, ``t``, ``pi``, ``e``, the operators ``+ - * / % **``, comparisons
with ``a if b else c``, and the functions of :data:`FUNCTIONS`. Every number is a float, so that
nothing can grow beyond 1e308.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable

from impulse_schema.suggest import did_you_mean, listed

MAX_LENGTH = 1000
MAX_DEPTH = 300  # each level is a call within a call, and Python allows a thousand of those

FUNCTIONS: dict[str, tuple[Callable[..., float], int | None]] = {
    # name: (function, number of arguments; None for one or more)
    "sin": (math.sin, 1),
    "cos": (math.cos, 1),
    "tan": (math.tan, 1),
    "asin": (math.asin, 1),
    "acos": (math.acos, 1),
    "atan": (math.atan, 1),
    "atan2": (math.atan2, 2),
    "sinh": (math.sinh, 1),
    "cosh": (math.cosh, 1),
    "tanh": (math.tanh, 1),
    "exp": (math.exp, 1),
    "log": (math.log, 1),
    "sqrt": (math.sqrt, 1),
    "abs": (abs, 1),
    "sign": (lambda x: math.copysign(1.0, x) if x else 0.0, 1),
    "floor": (lambda x: float(math.floor(x)), 1),
    "ceil": (lambda x: float(math.ceil(x)), 1),
    "radians": (math.radians, 1),
    "min": (lambda *x: min(x), None),
    "max": (lambda *x: max(x), None),
}
CONSTANTS = {"pi": math.pi, "e": math.e}

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
    ast.Pow: math.pow,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}

_Function = Callable[[float], float]


class ExpressionError(ValueError):
    """An expression that is not arithmetic of t, or has no value at some time."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Expression:
    """A function of the time ``t`` [s]; call it with a time."""

    def __init__(self, text: str, function: _Function) -> None:
        self.text = text
        self._function = function

    def __call__(self, t: float) -> float:
        """The value at ``t``; raises ExpressionError where there is no finite one."""
        try:
            value = self._function(float(t))
        except (ArithmeticError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise ExpressionError(f"'{self.text}' has no finite value at t = {t:g} s")
        return value


def parse_expression(text: str) -> Expression:
    """Read an expression such as ``0.5*sin(2*pi*t)``; raises ExpressionError."""
    if len(text) > MAX_LENGTH:
        raise ExpressionError(
            f"the expression has {len(text)} characters, the limit is {MAX_LENGTH}", "Use a curve"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python's advice on its own syntax, as for "1(2)"
        try:
            body = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            raise ExpressionError(f"'{text}' is not arithmetic") from None
        except (RecursionError, MemoryError):
            raise _too_deep() from None
    if _depth(body) > MAX_DEPTH:
        raise _too_deep()
    return Expression(text, _compile(body))


def _too_deep() -> ExpressionError:
    return ExpressionError(
        f"the expression is nested deeper than {MAX_DEPTH} levels, which is the limit",
        "Use a curve",
    )


def _depth(tree: ast.AST) -> int:
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return depth


def _compile(node: ast.expr) -> _Function:
    """A node of the syntax tree as a function of t; only what is listed here is let through."""
    match node:
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int() | float() as value):
            return _constant(value)
        case ast.Name(id="t"):
            return lambda t: t
        case ast.Name(id=name):
            if name in CONSTANTS:
                return _constant(CONSTANTS[name])
            raise ExpressionError(
                f"'{name}' is not known in an expression",
                did_you_mean(name, ["t", *CONSTANTS, *FUNCTIONS]) or _LANGUAGE,
            )
        case ast.UnaryOp(op=ast.UAdd() | ast.USub() as sign, operand=operand):
            inner = _compile(operand)
            return inner if isinstance(sign, ast.UAdd) else lambda t: -inner(t)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            a, b, combine = _compile(left), _compile(right), _BINARY[type(op)]
            return lambda t: combine(a(t), b(t))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _call(name, arguments)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            condition, then, other = _condition(test), _compile(body), _compile(orelse)
            return lambda t: then(t) if condition(t) else other(t)
    raise ExpressionError(f"'{ast.unparse(node)}' is not arithmetic of t", _LANGUAGE)


def _constant(number: float) -> _Function:
    try:
        value = float(number)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ExpressionError("the expression holds a number that is too large")
    return lambda _t: value


def _condition(node: ast.expr) -> Callable[[float], bool]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            a, b, compare = _compile(left), _compile(right), _COMPARISONS[type(op)]
            return lambda t: compare(a(t), b(t))
    raise ExpressionError(
        f"'{ast.unparse(node)}' is not a comparison", "Compare with <, <=, > or >="
    )


def _call(name: str, nodes: list[ast.expr]) -> _Function:
    if name not in FUNCTIONS:
        hint = did_you_mean(name, FUNCTIONS) or _LANGUAGE
        raise ExpressionError(f"there is no function '{name}'", hint)
    function, count = FUNCTIONS[name]
    arguments = [_compile(node) for node in nodes]
    if len(arguments) != count if count is not None else not arguments:
        wanted = f"{count} argument{'s' if count != 1 else ''}" if count else "arguments"
        raise ExpressionError(f"{name} takes {wanted}, here are {len(arguments)}")
    if count == 1:
        inner = arguments[0]
        return lambda t: function(inner(t))
    return lambda t: function(*[argument(t) for argument in arguments])


_LANGUAGE = f"Known are t, pi, e, + - * / % **, {listed(FUNCTIONS)}"
