"""Numbers and texts at the edges of what can be written."""

from __future__ import annotations

import math
from random import Random

EDGES = (
    0.0, 5e-324, 1e-320, 2.3e-308, 1e-200, 1e-155, 1e-100, 1e-30, 1e-16, 1e-12, 1e-9, 1e-6, 1e-3,
    0.1, 1 / 3, 0.5, 1.0, 2.0, math.pi, 9.81, 90.0, 360.0, 1e3, 1e6, 1e9, 1e12, 1e15, 2.0**53,
    1e30, 1e76, 1e100, 1e154, 1e155, 1e200, 1e300, 1.7976931348623157e308,
)  # fmt: skip

NO_NUMBERS = (
    "", " ", "nan", "inf", "-inf", "1e999", "abc", "1,5", "0x10", "1_000", "\u0663", "--1", "1e",
    "1.5.2", "+", "9" * 400, "0." + "0" * 400 + "1", "true", "None", "1 2", "1/2",
    "1\u00a0", "\ud800",
)  # fmt: skip

NAMES = (
    "", " ", "world", "a", "b", "joint-1", "body-1", "default", "A", "a ", "a b", "a/b", "../x",
    "é", "ß", "名前", "\u200b", "\u202egnp", "𝔘", "e\u0301", "\ufeff", "$\\frac{a$", "_hidden",
    "a" * 255, "a" * 256, "<b>", "&amp;", "]]>", "--", "'", '"', "{}", "{0}", "%s", "%(a)d",
    "[bold]", "[/]", "\\", "\x1b[31m", "\x00", "\x7f", "\t", "\n", "\r\n", "\x85", "\u2028",
    "\ufffe", "\ud800", "nan", "-1", "0", "true", "null", "mesh.obj", "tetra.obj", "cube.stl",
    "nan.obj", "open.ply", "missing.obj", "/dev/zero", "/etc/passwd", ".", "..", "x.obj/y.obj",
    "c" * 5000 + ".obj",
)  # fmt: skip

_FUNCTIONS = (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log",
    "sqrt", "abs", "sign", "floor", "ceil", "radians", "min", "max", "print", "__import__", "é",
)  # fmt: skip
_OPERATORS = ("+", "-", "*", "/", "%", "**", "<", "<=", ">", ">=", "==", "//", "@", " if ", ",")
_ATOMS = (
    "t", "pi", "e", "0", "1", "2", "0.5", "1e308", "1e-320", "10**400", "1j", "True", "None", "x",
    "'a'", "f'{t}'", "f\"{'\u200b'}\"", "b''", "[t]", "(t,)", "{t}", "t.real", "t[0]", "...", "1_0",
    "0x1f", "1if t else 2", "lambda: t", "(t:=1)", "*t", "ｔ", "\u00b2", "9" * 30, "1e999",
)  # fmt: skip


def number(rng: Random) -> float:
    """An edge, one beside an edge, or any number of any size."""
    chance = rng.random()
    if chance < 0.6:
        value = rng.choice(EDGES)
    elif chance < 0.7:
        value = math.nextafter(rng.choice(EDGES), rng.choice((-math.inf, math.inf)))
    else:
        value = rng.uniform(1.0, 10.0) * 10.0 ** rng.randint(-300, 300)
    return -value if rng.random() < 0.3 else value


def text(rng: Random) -> str:
    """A text that is hard to print, to compare or to keep."""
    if rng.random() < 0.8:
        return rng.choice(NAMES)
    return "".join(chr(rng.randrange(0x20, 0xD7FF)) for _ in range(rng.randint(1, 12)))


def expression(rng: Random, depth: int = 3) -> str:
    """Arithmetic of the time, more or less."""
    chance = rng.random()
    if depth == 0 or chance < 0.3:
        return rng.choice(_ATOMS[:8]) if rng.random() < 0.8 else rng.choice(_ATOMS)
    if chance < 0.6:
        left, right = expression(rng, depth - 1), expression(rng, depth - 1)
        return f"{left}{rng.choice(_OPERATORS[:6] if chance < 0.55 else _OPERATORS)}{right}"
    if chance < 0.85:
        return f"{rng.choice(_FUNCTIONS)}({expression(rng, depth - 1)})"
    if chance < 0.93:
        parts = (expression(rng, depth - 1) for _ in range(3))
        return "({} if {} > {} else 1)".format(*parts)
    if chance < 0.97:
        return f"-({expression(rng, depth - 1)})"
    count = rng.choice((10, 100, 290, 310, 999))
    return rng.choice(("(", "-", "abs(", "t+", "t if t else ", "2**", "not ")) * count + "t"


def anything(rng: Random) -> object:
    """A value of any type that a file can hold."""
    return rng.choice(
        (
            lambda: number(rng),
            lambda: rng.randint(-3, 3),
            lambda: 10 ** rng.choice((18, 19, 400, 4299)),  # more digits Python does not write
            lambda: text(rng),
            lambda: rng.choice(NO_NUMBERS),
            lambda: rng.choice((True, False, None, math.nan, math.inf, -math.inf)),
            lambda: [number(rng) for _ in range(rng.choice((0, 1, 2, 3, 4, 6, 7, 100)))],
            lambda: [[number(rng)] * rng.randint(0, 3) for _ in range(rng.randint(0, 3))],
            lambda: [anything(rng) for _ in range(rng.randint(0, 3))],
            lambda: {text(rng): anything(rng) for _ in range(rng.randint(0, 2))},
        )
    )()
