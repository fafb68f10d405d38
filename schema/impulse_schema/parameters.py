"""Numbers and choices of a scene by path, as in ``joints[knee].motors[0].proportional``.

A path names a key of the scene file, in brackets an element by its name or by its number from 0,
and of a vector one component by its number: ``settings.gravity[2]``. ``*`` and ``?`` in a name
stand for any letters, so that a pattern names several: ``joints[*-servo].motors[0].target``. A name
that holds a bracket stands in quotes: ``joints['a[1]'].damping``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from pydantic import ValidationError

from impulse_schema.checks import check_scene
from impulse_schema.checks.names import joint_names
from impulse_schema.fields import ElementSpec, FieldSpec, element_spec
from impulse_schema.models import Element, Load, Scene
from impulse_schema.problems import Problem
from impulse_schema.source import ScenePath
from impulse_schema.suggest import did_you_mean
from impulse_schema.translate import translate

__all__ = [
    "Parameter",
    "ParameterError",
    "find_parameters",
    "list_parameters",
    "new_load",
    "set_parameters",
    "with_values",
]

_STEP = re.compile(
    r"""(?P<key>[A-Za-z_]\w*)(?:\[(?:'(?P<single>[^']*)'|"(?P<double>[^"]*)"|(?P<plain>[^\]]*))\])?"""
)
_FIXED = frozenset({"name", "version", "description"})  # which other elements and people know


class ParameterError(ValueError):
    """A parameter that does not exist, or cannot have a value; the message says what to write."""


@dataclass(frozen=True)
class Parameter:
    """A value of a scene that may be changed.

    Attributes:
        text: Its path, as in ``joints[knee].motors[0].proportional``.
        path: The same in model terms, as in ``("joints", 3, "motors", 0, "proportional")``.
        value: What it is now; None where nothing is given.
        kind: "number", "integer", "boolean", "text", "choice", "numbers" or "rows".
        unit: Its unit; "" if it has none.
        description: What it is, for people.
        choices: What it may be, where only a few words may.
    """

    text: str
    path: ScenePath
    value: Any
    kind: str
    unit: str
    description: str
    choices: tuple[str | int, ...]


class _Step(NamedTuple):
    """A key, and the element or component that is meant in it."""

    key: str
    item: str | None
    quoted: bool


def find_parameters(scene: Scene, pattern: str) -> list[Parameter]:
    """The parameters of a scene that a path or a pattern names, in the order of the scene.

    Raises:
        ParameterError: There is none; the message suggests what may be meant.
    """
    return list(_found(scene, element_spec(type(scene)), _parsed(pattern), (), "", pattern))


def list_parameters(scene: Scene) -> Iterator[Parameter]:
    """Every value of a scene that may be changed, in its order."""
    yield from _listed(scene, (), "")


def set_parameters(scene: Scene, values: Mapping[str, Any]) -> Scene:
    """A copy of a scene with other values; the scene itself stays as it is.

    Args:
        scene: A scene, loaded or built; what did not change is shared with the copy.
        values: By path or pattern, of which each may name several. An angle may be given in degrees
            under its name with ``_deg``.

    Raises:
        ParameterError: A path names nothing, a value cannot be there, or the scene would be
            unsound with it.
    """
    changed = with_values(scene, values)
    if changed is not scene and (problems := check_scene(changed)):
        raise ParameterError(_why(values, problems))
    return changed


def with_values(scene: Scene, values: Mapping[str, Any]) -> Scene:
    """The same copy as of ``set_parameters``, not checked for whether it is sound as a whole.

    Raises:
        ParameterError: A path names nothing, or a value cannot be there.
    """
    changed = scene
    for pattern, value in values.items():
        steps = _parsed(pattern)
        for parameter in find_parameters(changed, pattern):
            given = _in_radians(value) if _in_degrees(steps, parameter) else value
            changed = _with_value(changed, parameter, given)
    return changed


def new_load(values: Mapping[str, Any]) -> Load:
    """A load with the keys that it has in a scene file.

    Raises:
        ParameterError: A key or a value cannot be there.
    """
    raw: dict[str, Any] = {"version": 1, "loads": [dict(values)]}
    try:
        return Scene.model_validate(raw).loads[0]
    except ValidationError as error:
        first = next(iter(translate(error.errors(), raw)))
        hint = first.hint if isinstance(first.hint, str) else first.hint()
        raise ParameterError(f"the load: {first.message}. {hint}".rstrip()) from None


def _why(values: Mapping[str, Any], problems: Sequence[Problem]) -> str:
    """A sentence on values with which a scene is unsound."""
    what = ", ".join(f"{path} = {value}" for path, value in values.items())
    first = problems[0]
    hint = f" {first.hint}." if first.hint else ""
    return f"{what}: {first.message}.{hint}"


def _parsed(text: str) -> list[_Step]:
    """The steps of a path."""
    steps, at = [], 0
    while match := _STEP.match(text, at):
        names = match.group("single"), match.group("double")
        quoted = next((name for name in names if name is not None), None)
        item = match.group("plain") if quoted is None else quoted
        steps.append(_Step(match.group("key"), item, quoted is not None))
        at = match.end()
        if at == len(text):
            return steps
        if text[at] != ".":
            break
        at += 1
    raise ParameterError(
        f"'{text}' is no path of a parameter from its letter {at + 1} on; write it as"
        " joints[knee].motors[0].proportional or settings.gravity[2]."
    )


def _found(
    element: Element, spec: ElementSpec, steps: list[_Step], path: ScenePath, text: str, whole: str
) -> Iterator[Parameter]:
    """The parameters below an element that the steps name."""
    (key, item, quoted), rest = steps[0], steps[1:]
    field = spec.fields.get(key) or spec.attributes.get(key)
    if field is None:
        hint = did_you_mean(key, [*spec.fields])
        raise ParameterError(f"there is no '{key}' at {text or 'the scene'}. {hint}".rstrip())
    here, value = f"{text}.{field.key}".lstrip("."), getattr(element, field.name)
    if field.kind == "elements":
        if item is None or not rest:
            raise ParameterError(
                f"{here} is a list; write {here}[{_first_name(element, field)}] and what of it."
            )
        for number in _numbers(element, field, item, quoted, here):
            of_item = f"{here}[{_label(element, field, number)}]"
            of_model = _spec(value[number])
            yield from _found(
                value[number], of_model, rest, (*path, field.name, number), of_item, whole
            )
    elif field.kind == "element":
        if value is None or not rest or item is not None:
            known = ", ".join(element_spec(field.model).fields) if field.model else ""
            missing = f"{here} is not in the scene" if value is None else f"write {here}.KEY"
            raise ParameterError(f"'{whole}' names no value: {missing}; KEY is one of {known}.")
        yield from _found(value, _spec(value), rest, (*path, field.name), here, whole)
    else:
        yield _value(field, value, item, rest, (*path, field.name), here)


def _spec(element: Element) -> ElementSpec:
    return element_spec(type(element))


def _value(
    field: FieldSpec, value: Any, item: str | None, rest: list[_Step], path: ScenePath, here: str
) -> Parameter:
    """A value, or a component of one."""
    if rest:
        raise ParameterError(f"{here} is a value, which has no '{rest[0].key}'.")
    if field.name in _FIXED:
        raise ParameterError(f"{here} cannot be changed: others know the element by it.")
    if item is None:
        return _parameter(here, path, value, field, field.kind)
    if field.kind != "numbers" or value is None:
        raise ParameterError(f"{here} is no vector with numbers; leave [{item}] out.")
    if not (item.isdecimal() and int(item) < len(value)):
        raise ParameterError(f"{here} has the components 0 to {len(value) - 1}, and no [{item}].")
    number = int(item)
    return _parameter(f"{here}[{number}]", (*path, number), value[number], field, "number")


def _parameter(text: str, path: ScenePath, value: Any, field: FieldSpec, kind: str) -> Parameter:
    return Parameter(text, path, value, kind, field.unit, field.description, field.choices)


def _names(element: Element, field: FieldSpec) -> list[str | None]:
    """Names of the items of a list; None of those that have none."""
    if field.key == "joints":
        return list(joint_names(element))  # type: ignore[arg-type]
    return [getattr(item, "name", None) for item in getattr(element, field.name)]


def _label(element: Element, field: FieldSpec, number: int) -> str:
    """How a path names an item: by its name, where it is the only one called so."""
    names = _names(element, field)
    name = names[number]
    if name is None or names.count(name) > 1:
        return str(number)
    if "[" in name or "]" in name or any(letter in name for letter in "*?'"):
        return f'"{name}"' if '"' not in name else str(number)
    return name


def _first_name(element: Element, field: FieldSpec) -> str:
    return _label(element, field, 0) if getattr(element, field.name) else "0"


def _numbers(element: Element, field: FieldSpec, item: str, quoted: bool, here: str) -> list[int]:
    """Numbers of the items of a list that a name, a number or a pattern means."""
    names = _names(element, field)
    if item in names:
        return [names.index(item)]
    if not quoted and item.isdecimal() and int(item) < len(names):
        return [int(item)]
    found = [
        number
        for number, name in enumerate(names)
        if not quoted and fnmatchcase(str(number) if name is None else name, _pattern(item))
    ]
    if not found:
        known = [name for name in names if name is not None]
        count = f"{here} has {len(names)}" if names else f"the scene has no {here}"
        hint = did_you_mean(item, known) or f"{count}."
        raise ParameterError(f"there is no {here}[{item}]. {hint}")
    return found


def _pattern(item: str) -> str:
    """Brackets within a name are letters as others are."""
    return item.replace("[", "[[]")


def _in_degrees(steps: list[_Step], parameter: Parameter) -> bool:
    key = next(step for step in reversed(parameter.path) if isinstance(step, str))
    return steps[-1].key == f"{key}_deg"


def _in_radians(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(map(_in_radians, value))
    return math.radians(value) if isinstance(value, (int, float)) else value


def _with_value(scene: Scene, parameter: Parameter, value: Any) -> Scene:
    """The scene with copies of what holds the value, and all else shared."""
    path = list(parameter.path)
    if isinstance(path[-1], int):  # a component
        number = path.pop()
        assert isinstance(number, int)
        vector: Any = scene
        for step in path:
            vector = vector[step] if isinstance(step, int) else getattr(vector, step)
        value = (*vector[:number], value, *vector[number + 1 :])
    changed = scene.model_copy()
    holder: Any = changed
    for step, following in zip(path[:-1], [*path[1:-1], None], strict=True):
        if isinstance(step, int):
            continue
        held = getattr(holder, step)
        if isinstance(held, list):
            assert isinstance(following, int)
            copies = [*held]
            copies[following] = held[following].model_copy()
            holder.__dict__[step] = copies
            holder = copies[following]
        else:
            holder.__dict__[step] = held.model_copy()
            holder = holder.__dict__[step]
    try:
        setattr(holder, str(path[-1]), value)
    except ValidationError as error:
        raise ParameterError(_refusal(error, parameter, tuple(path))) from None
    return changed


def _refusal(error: ValidationError, parameter: Parameter, path: ScenePath) -> str:
    """Why a value cannot be there, in a sentence."""
    errors = error.errors()
    for each in errors:  # which name the field from the element on
        each["loc"] = (*path[:-1], *each["loc"])
    raw: Any = errors[0]["input"]
    for step in reversed(path):
        raw = {step: raw} if isinstance(step, str) else [*[{}] * step, raw]
    finding = next(iter(translate(errors, raw)))
    hint = finding.hint if isinstance(finding.hint, str) else finding.hint()
    tail = f" {hint}." if hint and not hint.endswith((".", "?")) else f" {hint}".rstrip()
    return f"{parameter.text}: {finding.message}.{tail}"


def _listed(element: Element, path: ScenePath, text: str) -> Iterator[Parameter]:
    for field in element_spec(type(element)).fields.values():
        value, here = getattr(element, field.name), f"{text}.{field.key}".lstrip(".")
        if field.kind == "elements":
            for number, item in enumerate(value):
                label = _label(element, field, number)
                yield from _listed(item, (*path, field.name, number), f"{here}[{label}]")
        elif field.kind == "element":
            if value is not None:
                yield from _listed(value, (*path, field.name), here)
        elif field.name not in _FIXED:
            yield _parameter(here, (*path, field.name), value, field, field.kind)
