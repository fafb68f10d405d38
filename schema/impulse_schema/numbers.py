"""Numbers as XML writes them: strict reading, shortest writing.

Reading functions raise ``ValueError(message, hint)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from impulse_schema.fields import Kind


def read_number(text: str) -> float:
    """A decimal number; NaN and infinity pass here and are refused by the models."""
    try:
        value = float(text)
    except ValueError:
        raise _not_a_number(text) from None
    # float() also takes digits of other scripts and underscores, which XML does not.
    if "_" in text or not text.isascii():
        raise _not_a_number(text)
    return value


def read_numbers(text: str) -> list[float]:
    """Numbers with spaces between them."""
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = [read_number(word) for word in text.split()]
    if "_" in text or not text.isascii():
        values = [read_number(word) for word in text.split()]
    return values


def read_integer(text: str) -> int:
    """A whole number in decimal digits."""
    digits = text.strip().removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
        raise ValueError(f"'{_short(text)}' is not a whole number", "")
    return int(text)


def read_version(text: str) -> int | str:
    """A whole number, or the text ``1.2``, which is no number: 1.10 comes after 1.9."""
    major, point, minor = text.partition(".")
    digits = major + minor
    if not (major and digits.isascii() and digits.isdigit()) or (point and not minor):
        raise ValueError(f"'{_short(text)}' is not a version", 'Write version="1"')
    return text if point else read_integer(text)


def read_boolean(text: str) -> bool:
    """``true`` or ``false``."""
    try:
        return {"true": True, "false": False}[text]
    except KeyError:
        raise ValueError(f"'{_short(text)}' is neither true nor false", "") from None


def read_rows(text: str, *, whole: bool) -> list[list[float]] | list[list[int]]:
    """Rows of numbers, one row on each line; empty lines do not count."""
    rows: list[Any] = []
    for line in text.splitlines():
        words = line.split()
        if not words:
            continue
        try:
            rows.append([read_integer(w) for w in words] if whole else read_numbers(line))
        except ValueError as error:
            message, hint = error.args
            raise ValueError(f"row {len(rows) + 1}: {message}", hint) from None
    return rows


CONVERTERS: dict[Kind, Callable[[str], Any]] = {
    "number": read_number,
    "integer": read_integer,
    "version": read_version,
    "boolean": read_boolean,
    "text": str,
    "choice": str,
    "numbers": read_numbers,
}


def write_number(value: float) -> str:
    """The shortest text that reads back as the same number; ``-0.0`` keeps its sign."""
    text = repr(value)
    return text[:-2] if text.endswith(".0") and text != "-0.0" else text


def _not_a_number(text: str) -> ValueError:
    hint = ""
    if "," in text:
        hint = "Use a point in a number and spaces between numbers"
    elif text.strip().rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ°%/^²³") != text:
        hint = "Write the number alone, without a unit"
    return ValueError(f"'{_short(text)}' is not a number", hint)


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
