"""A scene as canonical JSON: the same scene always gives the same text.

Keys and nesting are those of the models, a vector or row stands on one line, and values equal to
their default are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from impulse_schema.fields import FieldSpec, element_spec
from impulse_schema.models import Element, Scene
from impulse_schema.numbers import write_number
from impulse_schema.versions import version_needed


def scene_to_json(scene: Scene) -> str:
    """``scene`` as JSON text with LF line ends."""
    scene = scene.model_copy(update={"version": version_needed(scene)})
    return _element(scene, "") + "\n"


def _element(element: Element, indent: str) -> str:
    inner = indent + "  "
    members = []
    for field in element_spec(type(element)).fields.values():
        value = getattr(element, field.name)
        if field.required or value != field.default:
            members.append(f'"{field.key}": {_value(field, value, inner)}')
    return _bracketed("{", members, "}", indent)


def _value(field: FieldSpec, value: Any, indent: str) -> str:
    if field.kind == "elements":
        return _bracketed("[", [_element(item, indent + "  ") for item in value], "]", indent)
    if field.kind == "element":
        return _element(value, indent)
    if field.kind == "rows":
        return _bracketed("[", [_row(row) for row in value], "]", indent)
    return _row(value) if field.kind == "numbers" else _scalar(value)


def _row(numbers: Iterable[float]) -> str:
    return f"[{', '.join(_scalar(number) for number in numbers)}]"


def _scalar(value: Any) -> str:
    if isinstance(value, float):
        return write_number(value)
    return json.dumps(value, ensure_ascii=False)


def _bracketed(opening: str, items: list[str], closing: str, indent: str) -> str:
    if not items:
        return opening + closing
    inner = f",\n{indent}  ".join(items)
    return f"{opening}\n{indent}  {inner}\n{indent}{closing}"
