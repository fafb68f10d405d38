"""Scenes as the plain data of their JSON: changed with the schema in mind, written as XML or JSON.

The changes ask the models which keys there are and what they hold (impulse_schema.fields), so a
new element or attribute is tried without a change here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from impulse_schema.fields import ElementSpec, FieldSpec, all_elements, element_spec
from impulse_schema.models import Scene
from tests.fuzz import odd

Raw = dict[str, Any]

_REFERENCES = {
    "body": "bodies", "body1": "bodies", "body2": "bodies", "reaction_body": "bodies",
    "material": "materials", "material1": "materials", "material2": "materials",
    "mesh": "meshes", "joint": "joints",
}  # fmt: skip


class Node(NamedTuple):
    """An element, and what the schema says of it."""

    raw: Raw
    spec: ElementSpec


def copied(value: Any) -> Any:
    """A deep copy of plain data; several times as fast as copy.deepcopy."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item) for item in value]
    return value


def nodes(raw: Raw, spec: ElementSpec | None = None) -> Iterator[Node]:
    """All elements of a scene that are where the schema has elements."""
    spec = spec or element_spec(Scene)
    yield Node(raw, spec)
    for field in spec.fields.values():
        if field.model is None:
            continue
        value = raw.get(field.key)
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, dict):
                yield from nodes(child, element_spec(field.model))


# --------------------------------------------------------------------------------------
# Changes
# --------------------------------------------------------------------------------------


def changed(rng: Random, scene: Raw, times: int | None = None, *, gently: bool = False) -> Raw:
    """A copy of ``scene`` after a few changes.

    Args:
        rng: Where chance comes from.
        scene: Is left as it is.
        times: How many changes; a few if None.
        gently: Only such changes after which the scene may still be right.
    """
    scene = copied(scene)
    changes = _GENTLE if gently else _ALL
    for _ in range(times or rng.choice((1, 1, 1, 2, 2, 3, 5))):
        node = rng.choice(list(nodes(scene)))
        rng.choice(changes)(rng, scene, node)
    return scene


def _set_plausible(rng: Random, scene: Raw, node: Node) -> None:
    field = rng.choice(list(node.spec.fields.values()))
    if rng.random() < 0.2 and field.angle:
        node.raw.pop(field.key, None)
        node.raw[f"{field.key}_deg"] = rng.choice((0, 30.0, 90, -180, 360.0, 1e6))
        return
    node.raw[field.key] = plausible(rng, field, scene)


def _set_edge(rng: Random, scene: Raw, node: Node) -> None:
    """A number where a number belongs, but one at the edge."""
    fields = [f for f in node.spec.fields.values() if f.kind in ("number", "numbers", "rows")]
    there = [f for f in fields if f.key in node.raw] or fields
    if not there:
        return
    field = rng.choice(there if rng.random() < 0.8 else fields)
    node.raw[field.key] = _with_edge(rng, field, node.raw.get(field.key))


def _with_edge(rng: Random, field: FieldSpec, old: Any) -> Any:
    if field.kind == "number":
        return odd.number(rng)
    if isinstance(old, list) and old and rng.random() < 0.8:
        new = copied(old)
        at = rng.randrange(len(new))
        if isinstance(new[at], list) and new[at]:
            new[at][rng.randrange(len(new[at]))] = _edge(rng, field)
        else:
            new[at] = _edge(rng, field)
        return new
    if field.kind == "numbers":
        count = rng.choice(field.counts or (2, 3, 5))
        if rng.random() < 0.5:
            return [odd.number(rng)] * count
        return [odd.number(rng) for _ in range(count)]
    return [[_edge(rng, field) for _ in range(3)] for _ in range(rng.randint(1, 4))]


def _edge(rng: Random, field: FieldSpec) -> float | int:
    return rng.choice((0, 1, 2, 3, -1, 7, 10**9, 2**63)) if field.whole else odd.number(rng)


def _scale(rng: Random, scene: Raw, node: Node) -> None:
    """A number by powers of ten larger or smaller."""
    numbers = [k for k, value in node.raw.items() if _is_number(value) or _is_vector(value)]
    if not numbers:
        return
    key = rng.choice(numbers)
    factor = rng.choice((-1.0, 0.0, 0.5, 2.0)) if rng.random() < 0.4 else 10.0 ** rng.randint(-9, 9)
    value = node.raw[key]
    node.raw[key] = value * factor if _is_number(value) else [item * factor for item in value]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


def _is_vector(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_number(item) for item in value)


def _set_odd(rng: Random, scene: Raw, node: Node) -> None:
    key = rng.choice(list(node.spec.fields))
    if rng.random() < 0.7 and node.raw:
        key = rng.choice(list(node.raw))
    node.raw[key] = odd.anything(rng)


def _set_text(rng: Random, scene: Raw, node: Node) -> None:
    texts = [f.key for f in node.spec.fields.values() if f.kind == "text"]
    if not texts:
        return
    key = rng.choice(texts)
    node.raw[key] = odd.expression(rng) if key == "expression" else odd.text(rng)


def _set_unknown(rng: Random, scene: Raw, node: Node) -> None:
    """A key that belongs to another element, or to none."""
    spec = rng.choice(_specs())
    key = rng.choice(list(spec.fields))
    if rng.random() < 0.5:
        key = key[:-1] + rng.choice("xs ") if rng.random() < 0.5 else odd.text(rng)
    node.raw[key] = odd.anything(rng)


def _remove(rng: Random, scene: Raw, node: Node) -> None:
    if node.raw:
        del node.raw[rng.choice(list(node.raw))]


def _add_child(rng: Random, scene: Raw, node: Node) -> None:
    fields = [f for f in node.spec.fields.values() if f.model is not None]
    if fields:
        field = rng.choice(fields)
        _add(node.raw, field, plausible_element(rng, field, scene))


def _add(raw: Raw, field: FieldSpec, child: Raw) -> None:
    if field.kind == "element":
        raw[field.key] = child
    elif isinstance(raw.get(field.key), list):
        raw[field.key].append(child)
    else:
        raw[field.key] = [child]


def _change_list(rng: Random, scene: Raw, node: Node) -> None:
    """Leave out, repeat or swap parts of a list."""
    lists = [value for value in node.raw.values() if isinstance(value, list) and value]
    if not lists:
        return
    items = rng.choice(lists)
    at, other = rng.randrange(len(items)), rng.randrange(len(items))
    change = rng.random()
    if change < 0.35:
        del items[at]
    elif change < 0.7:
        items.insert(other, copied(items[at]))
    else:
        items[at], items[other] = items[other], items[at]


def _transplant(rng: Random, scene: Raw, node: Node) -> None:
    """Give an element the content of another of the scene."""
    source = rng.choice(list(nodes(scene)))
    if source.raw is scene:
        return
    keys = list(source.raw)
    for key in rng.sample(keys, min(len(keys), rng.randint(1, 3))):
        node.raw[key] = copied(source.raw[key])


def _refer(rng: Random, scene: Raw, node: Node) -> None:
    """Refer to another part of the scene."""
    keys = [field.key for field in node.spec.fields.values() if field.name in _REFERENCES]
    if keys:
        key = rng.choice(keys)
        node.raw[key] = _reference(rng, key, scene)


def _nest(rng: Random, scene: Raw, node: Node) -> None:
    """Something deep, or much of something."""
    key = rng.choice(list(node.spec.fields))
    depth = rng.choice((10, 100, 400))  # Python's recursion limit is 1000
    value: Any = rng.choice((1, "x", {}))
    if rng.random() < 0.5:
        for _ in range(depth):
            value = {key: value} if rng.random() < 0.5 else [value]
        node.raw[key] = value
    else:
        node.raw[key] = [copied(value) for _ in range(depth)]


_GENTLE = (
    *[_set_plausible] * 4,
    *[_set_edge] * 4,
    *[_scale] * 6,
    *[_add_child] * 3,
    *[_change_list] * 2,
    *[_refer] * 2,
    _remove,
)
_ALL = (
    *_GENTLE,
    *[_set_edge] * 4,
    *[_set_odd] * 3,
    *[_set_text] * 3,
    _set_unknown,
    _transplant,
    _nest,
)


# --------------------------------------------------------------------------------------
# What the schema asks for
# --------------------------------------------------------------------------------------


@cache
def _specs() -> list[ElementSpec]:
    return list(all_elements(Scene))


def plausible(rng: Random, field: FieldSpec, scene: Raw) -> Any:
    """A value as the schema asks for."""
    if field.model is not None:
        children = [plausible_element(rng, field, scene) for _ in range(rng.randint(0, 2))]
        return children if field.kind == "elements" else plausible_element(rng, field, scene)
    if field.choices:
        return rng.choice(field.choices)
    if field.kind == "boolean":
        return rng.random() < 0.5
    if field.kind == "text":
        return _plausible_text(rng, field, scene)
    if field.kind == "number":
        return _plausible_number(rng)
    if field.kind == "numbers":
        numbers = [_plausible_number(rng) for _ in range(rng.choice(field.counts or (2, 3, 5)))]
        return sorted(numbers) if field.name == "times" else _unit(field, numbers)
    width = rng.choice(field.counts or (3, 4))
    item = (lambda: rng.randint(0, 7)) if field.whole else (lambda: _plausible_number(rng))
    return [[item() for _ in range(width)] for _ in range(rng.randint(2, 6))]


def plausible_element(rng: Random, field: FieldSpec, scene: Raw) -> Raw:
    """An element with what it needs and some of what it may have."""
    assert field.model is not None
    fields = element_spec(field.model).fields.values()
    return {f.key: plausible(rng, f, scene) for f in fields if f.required or rng.random() < 0.25}


def _plausible_number(rng: Random) -> float:
    if rng.random() < 0.3:
        return rng.choice((0.0, 1.0, -1.0, 2.0, 0.5, 0.01))
    return float(f"{rng.choice((1, 1, 1, -1)) * 10 ** rng.uniform(-3, 3):.3g}")


def _unit(field: FieldSpec, numbers: list[float]) -> list[float]:
    if field.name != "orientation":
        return numbers
    length = math.hypot(*numbers)
    return [item / length for item in numbers] if length else [1.0, 0.0, 0.0, 0.0]


def _plausible_text(rng: Random, field: FieldSpec, scene: Raw) -> str:
    if field.name in _REFERENCES:
        return _reference(rng, field.name, scene)
    if field.name == "expression":
        return odd.expression(rng, 2)
    if field.name == "file":
        return rng.choice(("tetra.obj", "cube.stl", "open.ply", "nan.obj"))
    return rng.choice(("a", "b", "c", "group", "é"))


def _reference(rng: Random, key: str, scene: Raw) -> str:
    value = scene.get(_REFERENCES[key])
    named = (
        [item.get("name") for item in value if isinstance(item, dict)]
        if isinstance(value, list)
        else []
    )
    names = [name for name in named if isinstance(name, str)]
    return rng.choice([*names, *names, "world", "missing"])


# --------------------------------------------------------------------------------------
# Writing, whatever it is
# --------------------------------------------------------------------------------------


def as_json(scene: Raw, indent: int | None = None, *, ascii_only: bool = True) -> bytes:
    """JSON, with NaN and infinity where they are."""
    text = json.dumps(scene, indent=indent, ensure_ascii=ascii_only)
    return text.encode("utf-8", "surrogatepass")


def as_xml(scene: Raw) -> bytes:
    """XML; what the schema does not know becomes attributes and elements by its kind."""
    parts: list[str] = []
    _write_element(parts, "scene", scene, element_spec(Scene))
    return "".join(parts).encode("utf-8", "surrogatepass")


def _write_element(parts: list[str], tag: str, raw: Raw, spec: ElementSpec | None) -> None:
    children: list[tuple[str, Any, FieldSpec | None]] = []
    parts.append(f"<{tag}")
    for key, value in raw.items():
        field = spec.fields.get(key) if spec else None
        if _is_child(value, field):
            children.append((field.tag if field else key, value, field))
        else:
            parts.append(f' {key}="{_attribute(_plain(value))}"')
    if not children:
        parts.append("/>\n")
        return
    parts.append(">\n")
    for child_tag, value, field in children:
        _write_child(parts, child_tag, value, field)
    parts.append(f"</{tag}>\n")


def _is_child(value: Any, field: FieldSpec | None) -> bool:
    if isinstance(value, dict):
        return True
    if field is not None:
        return not field.is_attribute
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def _write_child(parts: list[str], tag: str, value: Any, field: FieldSpec | None) -> None:
    spec = element_spec(field.model) if field and field.model else None
    if field is not None and field.in_text:
        rows = value if isinstance(value, list) else [value]
        text = "\n".join(_plain(row) for row in rows)
        parts.append(f"<{tag}>{escape(text)}</{tag}>\n")
        return
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            _write_element(parts, tag, item, spec)
        else:
            parts.append(f"<{tag}>{escape(_plain(item))}</{tag}>\n")


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(_plain(item) for item in value)
    return str(value)


def _attribute(text: str) -> str:
    return escape(text, {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
