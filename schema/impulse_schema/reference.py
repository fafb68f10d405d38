"""The reference page of the scene format, docs/scene-format.md, generated from the models."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from impulse_schema.bounds import BOUNDS
from impulse_schema.fields import ElementSpec, FieldSpec, all_elements
from impulse_schema.models import Element, Scene
from impulse_schema.numbers import write_number
from impulse_schema.suggest import either

_INTRODUCTION = """# The scene format, version 1

Generated from the models by `python -m impulse_schema.generate`; do not edit.

A scene is XML or JSON, the same model key for key. In XML, a value is an attribute, except where
the table says *text* (numbers or words between the tags, one row on a line) or names a child
element. In JSON, child elements stand in arrays under the key in the first column. Children may
stand in any order.
Units are SI; axes are right-handed with z up; quaternions are (w, x, y, z). A key marked *or _deg*
may end in `_deg` and is then read in degrees. Unknown keys are errors; [errors.md](errors.md) lists
every message. How large and how small numbers may be is [below](#bounds-of-numbers).

A file is written with the lowest version that knows all it holds: 1, 1.1 where it has a
`screw`, a `torus` or `record_clearance`, 1.2 where it has `armature`, `damping` of a joint, a
range of lengths, `max_velocity`, `min_force`, a motor that gives a force, a `<part>`, a `<use>`, a
mesh with `mirror` or a height field with `diagonal`, 1.3 where a load has a `curve` or an
`expression`. A reader refuses a version newer than its own. A bar that swings on a hinge, half a
metre from its centre:

```xml
<scene version="1" name="Pendulum">
  <settings duration="5"/>
  <material name="steel" density="7800"/>
  <body name="bar" position="0.5 0 0">
    <geometry shape="box" size="1 0.05 0.05" material="steel"/>
  </body>
  <joint name="pivot" type="hinge" body1="world" body2="bar" anchor="0 0 0" axis="0 1 0"/>
</scene>
```

What is there more than once is written once, as a part, and placed by each use. Its bodies and
joints are then called `USE.NAME`. A leg and its mirror image:

```xml
<scene version="1.2" name="Legs">
  <part name="leg">
    <body name="thigh" position="0 0 -0.2" mass="1" inertia="0.01 0.01 0.001"/>
    <body name="shank" position="0 0 -0.6" mass="1" inertia="0.01 0.01 0.001"/>
    <joint name="knee" type="hinge" body1="thigh" body2="shank" anchor="0 0 -0.4" axis="0 1 0">
      <motor kind="servo" expression="0.5*sin(3*t)" proportional="100" derivative="5"/>
    </joint>
  </part>
  <body name="trunk" mass="5" inertia="0.1 0.1 0.1"/>
  <use part="leg" name="right" position="0 -0.2 0"/>
  <use part="leg" name="left" position="0 0.2 0" mirror="y"/>
  <joint type="ball" body1="trunk" body2="right.thigh" anchor="0 -0.2 0"/>
  <joint type="ball" body1="trunk" body2="left.thigh" anchor="0 0.2 0"/>
</scene>
```
"""


def reference_page() -> str:
    """The page as Markdown."""
    return "\n".join([_INTRODUCTION, *_sections(), *_bounds()])


def _sections() -> Iterator[str]:
    tags: dict[type[Element], str] = {Scene: "scene"}
    for spec in all_elements(Scene):
        for field in spec.fields.values():
            if field.model is not None:
                tags[field.model] = field.tag
        yield f"## {_title(spec, tags[spec.model])}\n"
        yield inspect.cleandoc(spec.model.__doc__ or "").replace("``", "`") + "\n"
        yield "| Key | Holds | Unit | Default | Meaning |"
        yield "| --- | --- | --- | --- | --- |"
        for field in spec.fields.values():
            yield f"| {' | '.join(_row(field))} |"
        yield ""


def _bounds() -> Iterator[str]:
    yield "## Bounds of numbers\n"
    yield (
        "Beyond them numbers are refused, so that no product of a few of them overflows or loses"
        " digits. They are the same for all numbers of a unit, in the file and on the command line."
        " A number that has to be positive is at least the least one; one that must not be negative"
        " is that or zero; any other may be as small as it likes. What the simulator computes from"
        " them (mass and inertia from densities and shapes, vertices of scaled mesh files, values"
        " of motor expressions) has the same bounds.\n"
    )
    yield "| Unit | Least | Most |"
    yield "| --- | --- | --- |"
    for unit, (least, most) in BOUNDS.items():
        yield f"| {_shown(unit) or 'none'} | {least:g} | {most:g} |"
    yield ""


def _shown(unit: str) -> str:
    return unit.replace("^2", "²").replace("^3", "³")


def _title(spec: ElementSpec, tag: str) -> str:
    name = spec.model.__name__
    return f"`<{tag}>`" if name.lower() == tag.replace("_", "") else f"`<{tag}>` ({name})"


def _row(field: FieldSpec) -> Iterator[str]:
    yield f"`{field.key}`" + (" or _deg" if field.angle else "")
    yield _holds(field)
    yield _shown(field.unit)
    yield "**required**" if field.required else _default(field.default)
    yield field.description.replace("|", "\\|")


def _holds(field: FieldSpec) -> str:
    if field.kind == "elements":
        return f"`<{field.tag}>` elements"
    if field.kind == "element":
        return f"a `<{field.tag}>` element"
    if field.choices:
        return ", ".join(f"`{choice}`" for choice in field.choices)
    if field.kind == "numbers":
        return f"{either(field.counts)} numbers" if field.counts else "numbers"
    if field.kind == "rows":
        return f"text: rows of {'whole numbers' if field.whole else 'numbers'}"
    names = {"number": "number", "integer": "whole number", "boolean": "`true`, `false`"}
    return names.get(field.kind, "text" if field.in_text else "word")


def _default(value: Any) -> str:
    if value is None or isinstance(value, list) or not isinstance(value, (str, tuple, float, bool)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return " ".join(write_number(number) for number in value)
    return write_number(value) if isinstance(value, float) else value
