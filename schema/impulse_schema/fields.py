"""The fields of the models as the codecs, the schema generators and the messages see them.

Everything here is read off the models; nothing is stated twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt
from pydantic.fields import FieldInfo

from impulse_schema.bounds import Sign
from impulse_schema.models import Element

Kind = Literal[
    "number",
    "integer",
    "boolean",
    "text",
    "choice",
    "version",
    "numbers",
    "rows",
    "element",
    "elements",
]


@dataclass(frozen=True)
class FieldSpec:
    """One field: its key in the file, what it holds and how XML writes it."""

    key: str  # as in JSON, and as the XML attribute
    name: str  # as in Python
    kind: Kind
    in_text: bool  # XML writes it as the text of a child element
    tag: str  # of the child elements, where there are any
    required: bool
    default: Any
    angle: bool
    unit: str
    sign: Sign
    description: str
    model: type[Element] | None  # of an element or elements
    choices: tuple[str | int, ...]
    counts: tuple[int, ...]  # allowed numbers in a vector or row; () for any
    whole: bool  # its numbers are integers

    @property
    def is_attribute(self) -> bool:
        return self.kind not in ("element", "elements") and not self.in_text

    @property
    def has_bounds(self) -> bool:
        """Whether it is a number, or numbers, that the bounds of a unit hold for."""
        return self.kind in ("number", "numbers", "rows") and not self.whole


@dataclass(frozen=True)
class ElementSpec:
    """All fields of an element, in the order in which they are written."""

    model: type[Element]
    fields: dict[str, FieldSpec]

    @cached_property
    def attributes(self) -> dict[str, FieldSpec]:
        """XML attribute (or JSON key of a plain value) to field, ``_deg`` twins included."""
        found = {}
        for field in self.fields.values():
            if field.is_attribute:
                found[field.key] = field
                if field.angle:
                    found[f"{field.key}_deg"] = field
        return found

    @cached_property
    def children(self) -> dict[str, FieldSpec]:
        """XML tag of a child element to field."""
        return {field.tag: field for field in self.fields.values() if not field.is_attribute}


@cache
def element_spec(model: type[Element]) -> ElementSpec:
    """What the fields of ``model`` are."""
    specs = [_field_spec(name, info) for name, info in model.model_fields.items()]
    return ElementSpec(model, {spec.key: spec for spec in specs})


def all_elements(root: type[Element]) -> Iterator[ElementSpec]:
    """The specs of ``root`` and of everything below it, each once, parents first."""
    seen: dict[type[Element], None] = {root: None}
    waiting = [root]
    while waiting:
        spec = element_spec(waiting.pop(0))
        yield spec
        for field in spec.fields.values():
            if field.model is not None and field.model not in seen:
                seen[field.model] = None
                waiting.append(field.model)


def _field_spec(name: str, info: FieldInfo) -> FieldSpec:
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    types = list(_alternatives(info.annotation))
    key = info.alias or name
    first = types[0]
    model = next((m for t in types if (m := _model_of(t)) is not None), None)
    return FieldSpec(
        key=key,
        name=name,
        kind=_kind(first),
        in_text=bool(extra.get("xml_text")),
        tag=str(extra.get("xml_tag", key)),
        required=info.is_required(),
        default=None if info.is_required() else info.get_default(call_default_factory=True),
        angle=bool(extra.get("angle")),
        unit=str(extra.get("unit", "")),
        sign=_sign(info),
        description=info.description or "",
        model=model,
        choices=get_args(first) if get_origin(first) is Literal else (),
        counts=_counts(types),
        whole=_innermost(first) is int,
    )


def _kind(annotation: Any) -> Kind:
    if get_origin(annotation) is Literal:
        words = sum(isinstance(choice, str) for choice in get_args(annotation))
        return "choice" if words == len(get_args(annotation)) else "version"
    if get_origin(annotation) in (list, tuple):
        item = _plain(get_args(annotation)[0])
        if _model_of(item) is not None:
            return "elements"
        return "rows" if get_origin(item) in (list, tuple) else "numbers"
    if _model_of(annotation) is not None:
        return "element"
    plain: dict[Any, Kind] = {float: "number", int: "integer", bool: "boolean", str: "text"}
    return plain[annotation]


def _sign(info: FieldInfo) -> Sign:
    constraints = [*info.metadata, *_constraints(info.annotation)]
    if any(isinstance(c, Gt) and c.gt == 0 for c in constraints):
        return "positive"
    return "non-negative" if any(isinstance(c, Ge) and c.ge == 0 for c in constraints) else "any"


def _constraints(annotation: Any) -> Iterator[Any]:
    """What is said of the numbers in ``annotation`` at any depth."""
    if get_origin(annotation) is Annotated:
        for item in get_args(annotation)[1:]:
            yield from getattr(item, "metadata", [item])
    if get_origin(annotation) is not Literal:
        for part in get_args(annotation):
            yield from _constraints(part)


def _alternatives(annotation: Any) -> Iterator[Any]:
    """The types of a union, without None and without constraints."""
    annotation = _plain(annotation)
    if get_origin(annotation) in (Union, UnionType):
        for item in get_args(annotation):
            yield from _alternatives(item)
    elif annotation is not NoneType:
        yield annotation


def _plain(annotation: Any) -> Any:
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    return annotation


def _innermost(annotation: Any) -> Any:
    annotation = _plain(annotation)
    while get_origin(annotation) in (list, tuple):
        annotation = _plain(get_args(annotation)[0])
    return annotation


def _model_of(annotation: Any) -> type[Element] | None:
    inner = _innermost(annotation)
    return inner if isinstance(inner, type) and issubclass(inner, Element) else None


def _counts(types: list[Any]) -> tuple[int, ...]:
    """Lengths of the tuples among ``types``, or of the tuples that ``types`` are lists of."""
    if get_origin(types[0]) is list:
        types = [_plain(get_args(types[0])[0])]
    return tuple(len(get_args(t)) for t in types if get_origin(t) is tuple)
