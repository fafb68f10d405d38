"""What pydantic found wrong with the plain data of a scene, in sentences for its author."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from pydantic_core import ErrorDetails

from impulse_schema.fields import ElementSpec, FieldSpec, element_spec
from impulse_schema.models import Scene
from impulse_schema.problems import Finding, Hint
from impulse_schema.source import ScenePath
from impulse_schema.suggest import did_you_mean, either


def translate(errors: Iterable[ErrorDetails], raw: dict[str, Any]) -> Iterator[Finding]:
    """One finding for each field that pydantic refused, whatever the number of its complaints."""
    seen = set()
    for error in errors:
        path, spec, field = _leaf(error["loc"])
        if path not in seen:
            seen.add(path)
            yield _finding(error, path, spec, field, raw)


def _leaf(location: tuple[str | int, ...]) -> tuple[ScenePath, ElementSpec, FieldSpec | None]:
    """The field that ``location`` lies in: its path, its element and itself.

    The field is None where the location is an element, or names no field at all.
    """
    spec = element_spec(Scene)
    path: ScenePath = ()
    steps = list(location)
    while steps:
        step = steps.pop(0)
        path = (*path, step)
        field = spec.fields.get(str(step))
        if field is None or field.model is None:
            return path, spec, field
        if field.kind == "elements":
            if not steps:
                return path, spec, field
            path = (*path, steps.pop(0))
        spec = element_spec(field.model)
    return path, spec, None


def _finding(
    error: ErrorDetails,
    path: ScenePath,
    spec: ElementSpec,
    field: FieldSpec | None,
    raw: dict[str, Any],
) -> Finding:
    kind = error["type"]
    if kind == "missing" and field is not None and len(path) == len(error["loc"]):
        return _missing(path, spec, field)
    if kind == "extra_forbidden":
        return _unknown(path, spec)
    if kind == "angle_given_twice":
        name = error["ctx"]["field"]
        message = f"{name} and {name}_deg are both given"
        return Finding((*path, name), "E106", message, "Keep one of them")
    if field is None:
        return Finding(path, "E201", f"here should be {_element_name(spec)}, an object", "")
    if field.kind == "elements":
        return Finding(path, "E201", f"{field.key} takes an array of objects", "")
    value = _value(raw, path)
    if field.kind in ("numbers", "rows"):
        return _numbers(error, path, field, value)
    code, message, hint = _scalar(error, field, value)
    return Finding(path, code, f"{field.key} {message}", hint)


def _missing(path: ScenePath, spec: ElementSpec, field: FieldSpec) -> Finding:
    if field.key == "name":
        hint = "Give it a name of its own"
    elif field.choices:
        hint = f"Write {either(field.choices)}"
    else:
        hint = f"Meant is: {field.description}"
    return Finding(path, "E103", f"{field.key} is missing; {_element_name(spec)} has one", hint)


def _unknown(path: ScenePath, spec: ElementSpec) -> Finding:
    name = str(path[-1])
    known = [*spec.fields, *(key for key in spec.attributes if key not in spec.fields)]
    children = {field.tag: field.key for field in spec.fields.values()}
    hint: Hint = f"In JSON it is '{children.get(name)}'"
    if name not in children:
        hint = partial(did_you_mean, name, known)
    return Finding(path, "E102", f"{_element_name(spec)} has no key '{name}'", hint)


def _element_name(spec: ElementSpec) -> str:
    name = spec.model.__name__
    words = "".join(f" {c.lower()}" if c.isupper() else c for c in name).strip()
    return f"{'an' if words[0] in 'aeiou' and words != 'use' else 'a'} {words}"


def _scalar(error: ErrorDetails, field: FieldSpec, value: Any) -> tuple[str, str, Hint]:
    """Code, the rest of the sentence that began with the field's name, and hint."""
    kind, context = error["type"], error.get("ctx", {})
    bad = error["input"]
    unit = f" {field.unit}" if field.unit else ""
    if kind == "literal_error":
        if isinstance(bad, str):
            choices = [str(choice) for choice in field.choices]
            return (
                "E205",
                f"cannot be '{_short(bad)}'",
                lambda: did_you_mean(bad, choices) or f"Write one of {either(choices)}",
            )
        written = [json.dumps(choice) for choice in field.choices]
        return "E205", f"cannot be {_shown(bad)}", f"Write {either(written)}"
    if kind == "finite_number" or (isinstance(bad, float) and not math.isfinite(bad)):
        return "E202", f"is {_shown(bad)}", "Write a finite number"
    if kind in ("greater_than", "greater_than_equal", "less_than", "less_than_equal"):
        bound = {
            "greater_than": "greater than",
            "greater_than_equal": "at least",
            "less_than": "less than",
            "less_than_equal": "at most",
        }[kind]
        limit = next(iter(context.values()))
        return "E203", f"is {_shown(bad)}{unit} and must be {bound} {limit:g}", ""
    if kind in ("float_type", "float_parsing"):
        return "E201", f"takes a number, here is {_shown(bad)}", _number_hint(bad)
    if kind.startswith("int_"):
        return "E210", f"takes a whole number, here is {_shown(bad)}", ""
    if kind == "bool_type":
        return "E206", f"is true or false, here is {_shown(bad)}", ""
    if kind == "string_type":
        return "E207", f"takes a text, here is {_shown(bad)}", "Write it in double quotes"
    if kind == "string_too_short":
        return "E207", "is empty", ""
    if kind == "string_too_long":
        return "E207", f"is longer than {context['max_length']} characters", ""
    if kind in ("string_pattern_mismatch", "string_unicode"):
        return "E207", f"holds a character that a file cannot carry: {value!a}", ""
    return "E201", f"is not valid: {error['msg']}", ""


def _numbers(error: ErrorDetails, path: ScenePath, field: FieldSpec, value: Any) -> Finding:
    counts = either(field.counts) if field.counts else "several"
    noun = "whole numbers" if field.whole else "numbers"
    key = field.key
    if field.kind == "numbers":
        if not isinstance(value, (list, tuple)):
            return Finding(path, "E201", f"{key} takes {counts} {noun}, here is {_shown(value)}")
        if field.counts and len(value) not in field.counts:
            return Finding(path, "E204", f"{key} takes {counts} {noun}, here {_are(len(value))}")
        if error["type"] == "too_short":
            least = error["ctx"]["min_length"]
            return Finding(
                path, "E204", f"{key} takes {least} {noun} or more, here {_are(len(value))}"
            )
        code, message, hint = _scalar(error, field, value)
        return Finding(path, code, f"a number of {key} {message}", hint)
    row_number = next((step for step in error["loc"][len(path) :] if isinstance(step, int)), None)
    if row_number is None:
        return Finding(path, "E201", f"{key} takes rows of {noun}, here is {_shown(value)}")
    row = value[row_number]
    where = f"row {row_number + 1} of {key}"
    if not isinstance(row, (list, tuple)):
        return Finding(path, "E201", f"{where} takes {counts} {noun}, here is {_shown(row)}")
    if field.counts and len(row) not in field.counts:
        return Finding(path, "E204", f"{where} takes {counts} {noun}, here {_are(len(row))}")
    if error["type"] == "too_short":
        least = error["ctx"]["min_length"]
        message = f"{where} takes {least} {noun} or more, here {_are(len(row))}"
        return Finding(path, "E204", message)
    code, message, hint = _scalar(error, field, row)
    return Finding(path, code, f"a number in {where} {message}", hint)


def _number_hint(bad: Any) -> str:
    if isinstance(bad, str):
        try:
            float(bad)
        except ValueError:
            return ""
        return "Write it without quotes"
    return ""


def _value(raw: Any, path: ScenePath) -> Any:
    """What ``raw`` holds at ``path``, also where it is written in degrees."""
    for step in path:
        if isinstance(raw, dict):
            raw = raw[step] if step in raw else raw.get(f"{step}_deg")
        elif isinstance(raw, list) and isinstance(step, int) and step < len(raw):
            raw = raw[step]
        else:
            return None
    return raw


def _shown(value: Any) -> str:
    """``value`` as a JSON author would write it, not too long."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text '{_short(value)}'"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, (list, tuple)):
        return "an array"
    if isinstance(value, float):
        return {"inf": "infinite", "-inf": "infinite", "nan": "not a number (NaN)"}.get(
            repr(value), f"{value:.15g}"
        )
    return _short(str(value)) if abs(value) < 10**30 else "a very large number"


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count}" if count else "are none"
