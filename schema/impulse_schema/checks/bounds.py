"""Every number of a scene lies within the bounds of its unit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Any

from impulse_schema.bounds import beyond, bounds_of
from impulse_schema.fields import FieldSpec, element_spec
from impulse_schema.models import Element
from impulse_schema.problems import Finding
from impulse_schema.source import ScenePath


def check_bounds(element: Element, path: ScenePath = ()) -> Iterator[Finding]:
    """Findings on the numbers of ``element`` and of all elements below it."""
    values = element.__dict__
    for field in _fields_with_numbers(type(element)):
        value = values.get(field.name)
        if value is None or value is field.default:
            continue
        if field.kind == "elements":
            for i, item in enumerate(value):
                yield from check_bounds(item, (*path, field.key, i))
        elif field.kind == "element":
            yield from check_bounds(value, (*path, field.key))
        else:
            yield from _check_numbers(value, field, (*path, field.key))


@cache
def _fields_with_numbers(model: type[Element]) -> tuple[FieldSpec, ...]:
    """The fields of ``model`` that are or hold numbers with bounds."""
    fields = element_spec(model).fields.values()
    return tuple(f for f in fields if f.model is not None or f.has_bounds)


def _check_numbers(value: Any, field: FieldSpec, path: ScenePath) -> Iterator[Finding]:
    """A finding on the first number that lies out of bounds."""
    if field.kind == "number":
        if message := beyond(value, field.unit, field.sign):
            yield Finding(path, "E203", f"{field.key} is {value:g} and {message}")
        return
    rows = value if field.kind == "rows" else (value,)
    if _all_within(rows, field):
        return
    for number, row in enumerate(rows, start=1):
        for x in row:
            if message := beyond(x, field.unit, field.sign):
                where = f"row {number} of {field.key}" if field.kind == "rows" else field.key
                yield Finding(path, "E203", f"a number of {where} is {x:g} and {message}")
                return


def _all_within(rows: Iterable[Iterable[float]], field: FieldSpec) -> bool:
    """Whether no number is out of bounds, at the speed of ``min`` and ``max`` where that is so."""
    least, most = bounds_of(field.unit)
    low = least if field.sign == "positive" else 0.0 if field.sign == "non-negative" else -most
    numbers = chain.from_iterable(rows)
    lowest = min(numbers, default=low)
    return low <= lowest and max(chain.from_iterable(rows), default=most) <= most
