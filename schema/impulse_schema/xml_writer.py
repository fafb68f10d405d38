"""A scene as canonical XML: the same scene always gives the same bytes.

Attributes hold numbers, words and short vectors; vertices, faces, heights and the description
stand in the text of child elements. Values equal to their default are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from impulse_schema.fields import FieldSpec, element_spec
from impulse_schema.models import Element, Scene
from impulse_schema.numbers import write_number
from impulse_schema.versions import version_needed


def scene_to_xml(scene: Scene) -> bytes:
    """``scene`` as UTF-8 XML with LF line ends."""
    scene = scene.model_copy(update={"version": version_needed(scene)})
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', *_element("scene", scene, "")]
    return ("\n".join(lines) + "\n").encode()


def _element(tag: str, element: Element, indent: str) -> Iterator[str]:
    attributes = ""
    children: list[tuple[FieldSpec, Any]] = []
    for field in element_spec(type(element)).fields.values():
        value = getattr(element, field.name)
        if not field.required and value == field.default:
            continue
        if field.is_attribute:
            attributes += f' {field.key}="{_attribute(value)}"'
        else:
            children.append((field, value))
    if not children:
        yield f"{indent}<{tag}{attributes}/>"
        return
    yield f"{indent}<{tag}{attributes}>"
    for field, value in children:
        yield from _child(field, value, indent + "  ")
    yield f"{indent}</{tag}>"


def _child(field: FieldSpec, value: Any, indent: str) -> Iterator[str]:
    if field.kind == "elements":
        for item in value:
            yield from _element(field.tag, item, indent)
    elif field.kind == "element":
        yield from _element(field.tag, value, indent)
    elif field.kind == "rows":
        yield f"{indent}<{field.tag}>"
        for row in value:
            yield f"{indent}  {' '.join(_number(number) for number in row)}"
        yield f"{indent}</{field.tag}>"
    else:
        yield f"{indent}<{field.tag}>{_text(value)}</{field.tag}>"


def _attribute(value: Any) -> str:
    if isinstance(value, str):
        return _text(value).replace('"', "&quot;")
    if isinstance(value, (tuple, list)):
        return " ".join(_number(number) for number in value)
    return _number(value)


def _number(value: float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return write_number(value) if isinstance(value, float) else str(value)


def _text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
