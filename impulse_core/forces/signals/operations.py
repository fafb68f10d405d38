"""Numbers of the operations that the program of an expression is made of (program.py runs it).

Apart from the kernels, so that a scene is compiled without loading Numba.
"""

__all__ = [
    "ABS",
    "ACOS",
    "ADD",
    "ASIN",
    "ATAN",
    "ATAN2",
    "CEIL",
    "COS",
    "COSH",
    "DIVIDE",
    "EXP",
    "FLOOR",
    "GREATER",
    "GREATER_EQUAL",
    "JUMP",
    "JUMP_UNLESS",
    "LESS",
    "LESS_EQUAL",
    "LOG",
    "MAX",
    "MIN",
    "MODULO",
    "MULTIPLY",
    "NEGATE",
    "NUMBER",
    "OPERATIONS",
    "POWER",
    "SIGN",
    "SIN",
    "SINH",
    "SQRT",
    "SUBTRACT",
    "TAN",
    "TANH",
    "TIME",
]

(
    NUMBER, TIME, JUMP, JUMP_UNLESS,
    NEGATE, SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, TANH, EXP, LOG, SQRT, ABS, SIGN, FLOOR,
    CEIL,
    ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO, POWER, ATAN2, MIN, MAX,
    LESS, LESS_EQUAL, GREATER, GREATER_EQUAL,
) = range(34)  # fmt: skip

_NAMES = [
    "number", "time", "jump", "jump_unless",
    "negate", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log",
    "sqrt", "abs", "sign", "floor", "ceil",
    "add", "subtract", "multiply", "divide", "modulo", "power", "atan2", "min", "max",
    "less", "less_equal", "greater", "greater_equal",
]  # fmt: skip
OPERATIONS = {name: code for code, name in enumerate(_NAMES)}
"""Number of every operation: first those without operand, then those with one, then with two."""
