"""Arithmetic of the time, as motor targets use it: read without ever running foreign code.

An expression holds numbers, ``t``, ``pi``, ``e``, names of other numbers that are given with it,
the operators ``+ - * / % **``, comparisons with ``a if b else c``, and the functions of
:data:`FUNCTIONS`. Every number is a float, so that
nothing can grow beyond 1e308.

It is read once, into a program for a machine with a stack. The simulator's kernels run the same
program (impulse_core/forces/signals), so that they cannot disagree with what was checked here.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from impulse_schema.bounds import beyond
from impulse_schema.suggest import did_you_mean, listed

MAX_LENGTH = 1000
MAX_DEPTH = 300  # each level is a call within a call, and Python allows a thousand of those

FUNCTIONS: dict[str, int | None] = {
    # name: number of arguments; None for one or more
    "sin": 1,
    "cos": 1,
    "tan": 1,
    "asin": 1,
    "acos": 1,
    "atan": 1,
    "atan2": 2,
    "sinh": 1,
    "cosh": 1,
    "tanh": 1,
    "exp": 1,
    "log": 1,
    "sqrt": 1,
    "abs": 1,
    "sign": 1,
    "floor": 1,
    "ceil": 1,
    "radians": 1,
    "min": None,
    "max": None,
}
CONSTANTS = {"pi": math.pi, "e": math.e}

UNARY: dict[str, Callable[[float], float]] = {
    "negate": operator.neg,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
    "abs": abs,
    "sign": lambda x: math.copysign(1.0, x) if x else 0.0,
    "floor": lambda x: float(math.floor(x)),
    "ceil": lambda x: float(math.ceil(x)),
}
"""Instructions that replace the top of the stack."""

BINARY: dict[str, Callable[[float, float], float]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "modulo": operator.mod,
    "power": math.pow,
    "atan2": math.atan2,
    "min": min,
    "max": max,
    "less": lambda a, b: float(a < b),
    "less_equal": lambda a, b: float(a <= b),
    "greater": lambda a, b: float(a > b),
    "greater_equal": lambda a, b: float(a >= b),
}
"""Instructions that replace the two topmost values, the right operand on top."""

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Mod: "modulo",
    ast.Pow: "power",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
}


class Instruction(NamedTuple):
    """One step of a program.

    Besides those of UNARY and BINARY there are ``number`` (put the argument on the stack), ``time``
    (put t), ``jump`` (go on at instruction number argument) and ``jump_unless`` (take the top off
    and jump if it is zero).
    """

    operation: str
    argument: float = 0.0


class ExpressionError(ValueError):
    """An expression that is not arithmetic of t, or has no value at some time."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Expression:
    """A function of the time ``t`` [s]; call it with a time.

    Attributes:
        text: As it was written.
        program: What computes it.
        stack: Number of values the program has to keep at most.
    """

    def __init__(self, text: str, program: tuple[Instruction, ...], stack: int) -> None:
        self.text = text
        self.program = program
        self.stack = stack

    def __call__(self, t: float) -> float:
        """The value at ``t``.

        Raises ExpressionError where it, or a part of it, is not finite, or it is out of bounds.
        """
        try:
            value = _run(self.program, float(t))
        except (ArithmeticError, ValueError):
            message = f"'{self.text}' has no finite value at t = {t:g} s"
            raise ExpressionError(message) from None
        if message := beyond(value, "", "any"):
            raise ExpressionError(f"'{self.text}' is {value:g} at t = {t:g} s and {message}")
        return value


def _run(program: tuple[Instruction, ...], t: float) -> float:
    """The value of a program; raises ArithmeticError or ValueError where there is none."""
    stack: list[float] = []
    at = 0
    while at < len(program):
        operation, argument = program[at]
        at += 1
        if operation == "jump":
            at = int(argument)
            continue
        if operation == "jump_unless":
            at = at if stack.pop() else int(argument)
            continue
        if operation == "number":
            value = argument
        elif operation == "time":
            value = t
        elif operation in UNARY:
            value = UNARY[operation](stack.pop())
        else:
            right = stack.pop()
            value = BINARY[operation](stack.pop(), right)
        if not math.isfinite(value):
            raise ArithmeticError
        stack.append(value)
    return stack.pop()


def parse_expression(text: str, numbers: Mapping[str, float] = MappingProxyType({})) -> Expression:
    """Read an expression such as ``0.5*sin(2*pi*t)``; raises ExpressionError.

    ``numbers`` are what it may name besides: those that :func:`numbers_for` gives a joint.
    """
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
    writer = _Writer(text.strip(), numbers)
    writer.value(body)
    return Expression(text, tuple(writer.program), writer.most)


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


class _Writer:
    """Writes the program of a syntax tree; only what is listed here is let through."""

    def __init__(self, text: str, numbers: Mapping[str, float]) -> None:
        self._text = text
        self._numbers = {**numbers, **CONSTANTS}
        self.program: list[Instruction] = []
        self.most = 0  # values on the stack at once
        self._height = 0

    def value(self, node: ast.expr) -> None:
        """Write what leaves the value of ``node`` on the stack."""
        match node:
            case ast.Constant(value=bool()):
                pass
            case ast.Constant(value=int() | float() as number):
                return self._number(number)
            case ast.Name(id="t"):
                return self._put("time")
            case ast.Name(id=name):
                if name in self._numbers:
                    return self._number(self._numbers[name])
                raise ExpressionError(
                    f"'{name}' is not known in an expression",
                    did_you_mean(name, ["t", *self._numbers, *FUNCTIONS]) or _LANGUAGE,
                )
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.value(operand)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                self.value(operand)
                return self._write("negate")
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return self._pair(left, right, _OPERATORS[type(op)])
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(name, arguments)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._choice(test, body, orelse)
        raise ExpressionError(f"'{self._as_written(node)}' is not arithmetic of t", _LANGUAGE)

    def _as_written(self, node: ast.expr) -> str:
        """The text of a part. Python could not print every part back: some exist in source only."""
        return ast.get_source_segment(self._text, node) or self._text

    def _write(self, operation: str, argument: float = 0.0) -> None:
        self.program.append(Instruction(operation, argument))

    def _put(self, operation: str, argument: float = 0.0) -> None:
        self._write(operation, argument)
        self._height += 1
        self.most = max(self.most, self._height)

    def _number(self, number: float) -> None:
        try:
            value = float(number)
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            raise ExpressionError("the expression holds a number that is too large")
        self._put("number", value)

    def _combine(self, operation: str) -> None:
        self._write(operation)
        self._height -= 1

    def _pair(self, left: ast.expr, right: ast.expr, operation: str) -> None:
        self.value(left)
        self.value(right)
        self._combine(operation)

    def _call(self, name: str, arguments: list[ast.expr]) -> None:
        if name not in FUNCTIONS:
            hint = did_you_mean(name, FUNCTIONS) or _LANGUAGE
            raise ExpressionError(f"there is no function '{name}'", hint)
        count = FUNCTIONS[name]
        if len(arguments) != count if count is not None else not arguments:
            wanted = f"{count} argument{'s' if count != 1 else ''}" if count else "arguments"
            raise ExpressionError(f"{name} takes {wanted}, here are {len(arguments)}")
        self.value(arguments[0])
        for argument in arguments[1:]:
            self.value(argument)
            self._combine(name)
        if name == "radians":
            self._number(math.pi / 180.0)
            self._combine("multiply")
        elif count == 1:
            self._write(name)

    def _choice(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> None:
        """Only the branch that is taken is computed: the other may have no value."""
        match test:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
                self._pair(left, right, _COMPARISONS[type(op)])
            case _:
                raise ExpressionError(
                    f"'{self._as_written(test)}' is not a comparison", "Compare with <, <=, > or >="
                )
        self._height -= 1
        to_other = self._jump("jump_unless")
        self.value(body)
        to_end = self._jump("jump")
        self._land(to_other)
        self._height -= 1
        self.value(orelse)
        self._land(to_end)

    def _jump(self, operation: str) -> int:
        self._write(operation)
        return len(self.program) - 1

    def _land(self, jump: int) -> None:
        self.program[jump] = self.program[jump]._replace(argument=float(len(self.program)))


_LANGUAGE = f"Known are t, pi, e, + - * / % **, {listed(FUNCTIONS)}"
