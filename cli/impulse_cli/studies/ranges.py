"""What is varied: ``PATH=low:high:n``, ``PATH=low:high:log:n`` or ``PATH=a,b,c``.

A path is one of ``impulse_schema.parameters``; a pattern in it names several values, which vary
together. Searches and Sobol points take any number between two bounds, so there the n is left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from impulse_cli.studies.errors import StudyError
from impulse_core import Parameter, ParameterError, find_parameters
from impulse_schema import Scene
from impulse_schema.bounds import beyond
from impulse_schema.parameters import with_values

__all__ = ["MOST_RUNS", "Range", "checked_values", "parse_range", "parse_ranges", "value_of"]

MOST_RUNS = 1_000_000
_ITEM = re.compile(r"""\[(?:'[^']*'|"[^"]*"|[^\]]*)\]|[^=\[]""")
_FORM = "write PATH=LOW:HIGH:N, PATH=LOW:HIGH:log:N or PATH=A,B,C"
_OF_WORDS = {"boolean", "choice", "text"}


@dataclass(frozen=True)
class Range:
    """The values that one path takes.

    Attributes:
        path: As it was written; its angles are in degrees where it ends in ``_deg``.
        kind: "number", "integer", "boolean", "choice" or "text".
        low: Lower bound, of the unit of the parameter; nan for a list.
        high: Upper bound.
        is_log: Whether equal ratios count the same, in place of equal differences.
        values: Those of a list or a grid; empty where only the bounds were given.
    """

    path: str
    kind: str
    low: float
    high: float
    is_log: bool
    values: tuple[Any, ...]

    @property
    def is_list(self) -> bool:
        """Whether the values were named one by one."""
        return math.isnan(self.low)

    def at(self, fraction: float) -> Any:
        """The value at a fraction of the range, from 0 to less than 1; of a list one of it."""
        if self.is_list:
            return self.values[int(fraction * len(self.values))]
        if self.is_log:
            value = self.low * math.exp(fraction * math.log(self.high / self.low))
        else:
            value = self.low + fraction * (self.high - self.low)
        value = min(max(value, self.low), self.high)
        return round(value) if self.kind == "integer" else value


def parse_ranges(scene: Scene, texts: Sequence[str]) -> list[Range]:
    """The ranges of all ``--vary``, checked against the scene.

    Raises:
        StudyError: A range is empty or not written as one, or two are of the same value.
        ParameterError: A path names nothing, or a value cannot be there.
    """
    ranges = [parse_range(scene, text) for text in texts]
    owners: dict[Any, int] = {}
    for index, each in enumerate(ranges):
        for parameter in find_parameters(scene, each.path):
            other = owners.setdefault(parameter.path, index)
            if other != index:
                both = f"{ranges[other].path} and {each.path}"
                raise StudyError(f"{parameter.text} is varied twice, by {both}.")
    return ranges


def parse_range(scene: Scene, text: str) -> Range:
    """One ``--vary``, checked against the scene; raises as ``parse_ranges`` does."""
    at = 0
    while match := _ITEM.match(text, at):
        at = match.end()
    path, given = text[:at].strip(), text[at + 1 :].strip()
    if not text[at:].startswith("=") or not path or not given:
        raise StudyError(f"'{text}' is no range; {_FORM}.")
    parameter = _one_kind(path, find_parameters(scene, path))
    kind = parameter.kind
    pieces = given.split(":")
    if kind not in _OF_WORDS and len(pieces) > 1:
        found = _between(path, kind, pieces, text)
    else:
        values = tuple(value_of(path, kind, item) for item in _items(given))
        if len({repr(value) for value in values}) < len(values):
            raise StudyError(f"{text}: a value stands twice in the list; write each once.")
        found = Range(path, kind, math.nan, math.nan, False, values)
    _refuse_values(scene, found)
    return found


def value_of(path: str, kind: str, text: str) -> Any:
    """A value of a kind as it is written in a list or a table.

    Raises:
        StudyError: It is not of the kind.
    """
    text = text.strip()
    if kind == "boolean":
        if text.lower() not in {"true", "false"}:
            raise StudyError(f"{path} is true or false, and not '{text}'.")
        return text.lower() == "true"
    if kind in _OF_WORDS:
        return text
    number = _number(path, text)
    if kind == "integer":
        if number != int(number):
            raise StudyError(f"{path} is a whole number, and not {text}.")
        return int(number)
    return number


def checked_values(scene: Scene, values: dict[str, Any]) -> None:
    """Refuse values that can never be where they are meant.

    Whether a scene is sound with all of them together, each of its runs says.

    Raises:
        ParameterError: One cannot be there.
    """
    with_values(scene, values)


def _one_kind(path: str, parameters: list[Parameter]) -> Parameter:
    kinds = {parameter.kind for parameter in parameters}
    if len(kinds) > 1:
        raise StudyError(f"{path} names values of different kinds: {', '.join(sorted(kinds))}.")
    first = parameters[0]
    if first.kind in {"numbers", "rows"}:
        raise ParameterError(f"{first.text} is a vector; vary a component, as in {path}[0].")
    return first


def _between(path: str, kind: str, pieces: list[str], text: str) -> Range:
    """A range between two bounds, with or without a number of values."""
    is_log = pieces[2:3] == ["log"]
    counts = pieces[3:] if is_log else pieces[2:]
    if len(counts) > 1:
        raise StudyError(f"'{text}' is no range; {_FORM}.")
    low, high = _number(path, pieces[0]), _number(path, pieces[1])
    if not low < high:
        raise StudyError(f"{text}: the range from {low:g} to {high:g} is empty; write it upwards.")
    if is_log and low <= 0.0:
        raise StudyError(f"{text}: a range with equal ratios (log) must begin above zero.")
    if kind == "integer" and (low != int(low) or high != int(high)):
        raise StudyError(f"{text}: {path} is a whole number, so both ends must be.")
    values: tuple[Any, ...] = ()
    if counts:
        values = _spread(low, high, is_log, _count(counts[0], text))
        if kind == "integer":
            values = tuple(dict.fromkeys(map(round, values)))
    return Range(path, kind, low, high, is_log, values)


def _spread(low: float, high: float, is_log: bool, count: int) -> tuple[float, ...]:
    import numpy as np

    return tuple((np.geomspace if is_log else np.linspace)(low, high, count).tolist())


def _count(text: str, whole: str) -> int:
    if not text.isdecimal() or not 2 <= int(text) <= MOST_RUNS:
        raise StudyError(
            f"{whole}: '{text}' is no number of values; write a whole number from 2 to {MOST_RUNS},"
            " or a single value alone."
        )
    return int(text)


def _number(path: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise StudyError(f"{path}: '{text}' is no number; {_FORM}.") from None
    if message := beyond(number, "", "any"):
        raise StudyError(f"{path}: {text} {message}.")
    return number


def _items(text: str) -> list[str]:
    """Divided at the commas that stand in no parentheses, as those of an expression do."""
    depth, items = 0, [""]
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            items.append("")
        else:
            items[-1] += letter
    return [item.strip() for item in items]


def _refuse_values(scene: Scene, found: Range) -> None:
    """Refuse what can never be there."""
    for value in found.values or (found.low, found.high):
        is_bound = not found.values and found.kind == "integer"
        checked_values(scene, {found.path: int(value) if is_bound else value})
