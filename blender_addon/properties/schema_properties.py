# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender properties made from the models of ``impulse_schema``, and read back from them.

Name, description, unit, default, bounds and enum items of a property are those of the schema's
field, so the panel cannot drift from the file format. An optional field ``x`` becomes two
properties, ``use_x`` and ``x``. A scalar that is an angle on a rotating axis and a length on a
sliding one gets a twin ``x_angle``, which shows the same number in Blender's angle unit.
"""

from __future__ import annotations

import math
import types
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    StringProperty,
)
from pydantic.fields import FieldInfo

from impulse_schema.models import Element

from ..convert import decimals
from . import units
from .pointers import is_world

# Enum item that stands for "not given".
AUTOMATIC = "AUTO"


@dataclass(frozen=True)
class FieldKind:
    """What a property has to know about a field of the schema."""

    kind: str  # float, int, bool, str, enum, vector
    optional: bool
    size: int = 1
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None


def kind_of(field: FieldInfo) -> FieldKind | None:
    """Kind of a field, or None for lists and child elements, which properties cannot hold."""
    bounds = list(field.metadata)
    annotation, optional = _unwrap(field.annotation, bounds)
    limits = {"minimum": _bound(bounds, "gt", "ge"), "maximum": _bound(bounds, "lt", "le")}
    if get_origin(annotation) is Literal:
        choices = get_args(annotation)
        if all(isinstance(choice, str) for choice in choices):
            return FieldKind("enum", optional, choices=choices)
        return None
    if get_origin(annotation) is tuple:
        return FieldKind("vector", optional, size=len(get_args(annotation)), **limits)
    if annotation in (float, int, bool, str):
        return FieldKind(annotation.__name__, optional, **limits)
    return None


def _unwrap(annotation: Any, bounds: list[Any]) -> tuple[Any, bool]:
    """Annotation without ``| None`` and ``Annotated``; what Annotated said goes to ``bounds``."""
    optional = False
    while True:
        if get_origin(annotation) in (Union, types.UnionType):
            members = [member for member in get_args(annotation) if member is not types.NoneType]
            optional = optional or len(members) < len(get_args(annotation))
            annotation = members[0]
        elif get_origin(annotation) is Annotated:
            annotation, *extra = get_args(annotation)
            bounds.extend(extra)
        else:
            return annotation, optional


def _bound(metadata: Iterable[Any], *names: str) -> float | None:
    for item in metadata:
        for part in [item, *getattr(item, "metadata", ())]:
            for name in names:
                if getattr(part, name, None) is not None:
                    return float(getattr(part, name))
    return None


def label_of(name: str, field: FieldInfo) -> str:
    """Text of a field in the panel, with its unit: ``Max force [N]``."""
    label = name.strip("_").replace("_", " ").capitalize()
    unit = unit_of(field)
    return f"{label} [{units.short(unit)}]" if unit and not _depends_on_axis(unit) else label


def unit_of(field: FieldInfo) -> str:
    extra = field.json_schema_extra
    return str(extra.get("unit", "")) if isinstance(extra, dict) else ""


def is_angle_or_length(field: FieldInfo) -> bool:
    """Whether a scalar is an angle on a rotating axis and a length on a sliding one."""
    extra = field.json_schema_extra
    return isinstance(extra, dict) and bool(extra.get("angle")) and _depends_on_axis(unit_of(field))


def _depends_on_axis(unit: str) -> bool:
    """Whether a quantity has one unit on an axis that rotates and another on one that slides."""
    return " or " in unit


def properties_of(
    model: type[Element], *, skip: Iterable[str] = (), override: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Annotations of a PropertyGroup that holds the fields of ``model``.

    ``skip`` names fields that come from elsewhere (the object's transform, say); ``override``
    gives properties to use instead, or for fields that no plain property can hold.
    """
    override = override or {}
    annotations: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        if name in override:
            annotations[name] = override[name]
            continue
        if name in skip:
            continue
        kind = kind_of(field)
        if kind is None:
            raise TypeError(f"{model.__name__}.{name} needs a property of its own")
        if kind.optional and kind.kind not in ("enum", "str"):
            annotations[f"use_{name}"] = BoolProperty(
                name=f"Set {label_of(name, field).lower()}", description=field.description or ""
            )
        annotations[name] = _property(name, field, kind)
        if is_angle_or_length(field):
            annotations[f"{name}_angle"] = _angle_twin(name, field)
            if "/s" in unit_of(field):
                annotations[f"{name}_rate"] = _rate_twin(name, field)
    annotations.update({n: p for n, p in override.items() if n not in model.model_fields})
    return annotations


def enum_items(choices: Iterable[str], description: str = "") -> list[tuple[str, str, str]]:
    """Enum items of the choices of a Literal; identifiers are the file's own words."""
    return [
        (choice, choice.replace("-", " ").replace("_", " ").capitalize(), description)
        for choice in choices
    ]


def _property(name: str, field: FieldInfo, kind: FieldKind) -> Any:
    common: dict[str, Any] = {
        "name": label_of(name, field),
        "description": (field.description or "").rstrip("."),
    }
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    bounds = {}
    if kind.minimum is not None:
        bounds["min"] = kind.minimum
    if kind.maximum is not None:
        bounds["max"] = kind.maximum
    if kind.kind == "enum":
        items = enum_items(kind.choices, common["description"])
        if kind.optional:
            items.insert(0, (AUTOMATIC, "Automatic", "Not given in the file"))
        return EnumProperty(items=items, default=default or items[0][0], **common)
    if kind.kind == "vector":
        fallback = (0.0,) * kind.size if kind.minimum is None else (1.0,) * kind.size
        return FloatVectorProperty(
            size=kind.size,
            default=default or fallback,
            subtype="XYZ" if kind.size == 3 else "NONE",
            precision=3,
            **common,
            **bounds,
        )
    if kind.kind == "bool":
        return BoolProperty(default=bool(default), **common)
    if kind.kind == "int":
        return IntProperty(default=default or 0, **common, **bounds)
    if kind.kind == "str":
        return StringProperty(default=default or "", **common)
    fallback = 1.0 if kind.optional and kind.minimum is not None else 0.0
    value = fallback if default is None else default
    return FloatProperty(default=value, precision=3, step=1, **common, **bounds)


def _angle_twin(name: str, field: FieldInfo) -> Any:
    def read(self: Any) -> float:
        return getattr(self, name)

    def write(self: Any, value: float) -> None:
        setattr(self, name, value)

    return FloatProperty(
        name=label_of(name, field),
        description=(field.description or "").rstrip("."),
        subtype="ANGLE",
        get=read,
        set=write,
    )


def _rate_twin(name: str, field: FieldInfo) -> Any:
    """The same number in degrees a second, which Blender has no unit for."""

    def read(self: Any) -> float:
        return math.degrees(getattr(self, name))

    def write(self: Any, value: float) -> None:
        setattr(self, name, math.radians(value))

    return FloatProperty(
        name=f"{label_of(name, field)} [°/s]",
        description=(field.description or "").rstrip("."),
        precision=2,
        step=100,
        get=read,
        set=write,
    )


def fields_of(
    group: bpy.types.PropertyGroup, model: type[Element]
) -> Iterator[tuple[str, FieldInfo]]:
    """Fields of ``model`` which ``group`` holds, in the schema's order."""
    # Every group also has a built-in name, which counts only where the schema has one.
    names = type(group).__annotations__
    return ((name, field) for name, field in model.model_fields.items() if name in names)


def values_of(group: bpy.types.PropertyGroup, model: type[Element]) -> dict[str, Any]:
    """What the user set in ``group``, as keyword arguments for ``model``.

    Fields left out are those not set; a pointer to an object gives its name, or 'world'.
    Collections are left to the caller.
    """
    values: dict[str, Any] = {}
    for name, kind, is_required, switch in _readers(type(group), model):
        if kind == "COLLECTION" or (switch and not getattr(group, switch)):
            continue
        value = getattr(group, name)
        if kind == "POINTER":
            if value is None or isinstance(value, bpy.types.Object):
                of_world = value is None or is_world(group, name)
                values[name] = "world" if of_world else value.name
        elif kind == "ENUM":
            if value != AUTOMATIC:
                values[name] = value
        elif kind == "STRING":
            if value or is_required:
                values[name] = value
        elif kind == "FLOAT":
            number = decimals(value)
            values[name] = tuple(number) if isinstance(number, list) else number
        else:
            values[name] = value
    return values


@cache
def _readers(
    group: type[bpy.types.PropertyGroup], model: type[Element]
) -> list[tuple[str, str, bool, str]]:
    """Of each field of ``model`` in a class of groups: name, kind of property, whether the schema
    needs it, and the property that switches it on, or ''.
    """
    names = group.__annotations__
    return [
        (
            name,
            group.bl_rna.properties[name].type,
            field.is_required(),
            f"use_{name}" if f"use_{name}" in names else "",
        )
        for name, field in model.model_fields.items()
        if name in names
    ]


def draw_fields(
    layout: bpy.types.UILayout,
    group: bpy.types.PropertyGroup,
    model: type[Element],
    *,
    names: Iterable[str] | None = None,
    skip: Iterable[str] = (),
    rotating: bool = False,
    rates: bool | None = None,
) -> None:
    """Draw the fields of ``model`` that ``group`` holds (or those of ``names``, without ``skip``).

    ``rotating`` chooses the units of an axis that turns, with angles in Blender's angle unit and
    velocities in degrees a second; ``rates`` says whether what may be a position or a velocity is
    the latter. Optional fields get a check box.
    """
    wanted = None if names is None else set(names)
    properties = group.bl_rna.properties
    for name, field in fields_of(group, model):
        if (wanted is not None and name not in wanted) or name in skip:
            continue
        if not _has_widget(properties[name]):
            continue
        if f"{name}_is_world" in properties:
            draw_end(layout, group, name)
            continue
        shown, label = _shown(name, field, rotating, rates)
        if f"use_{name}" not in properties:
            place = layout if units.fits(label) else row_for(layout, label)
            place.prop(group, shown, text=label)
            continue
        row = row_for(layout, label)
        row.prop(group, f"use_{name}", text="")
        value = row.row()
        value.active = getattr(group, f"use_{name}")
        value.prop(group, shown, text="" if units.fits(label) else label)


def row_for(layout: bpy.types.UILayout, label: str) -> bpy.types.UILayout:
    """A row for a property: a label that does not fit beside the value stands within its field."""
    if units.fits(label):
        return layout.row(heading=label)
    row = layout.row()
    row.use_property_split = False
    return row


def _shown(name: str, field: FieldInfo, rotating: bool, rates: bool | None) -> tuple[str, str]:
    """The property that shows a field on an axis, and its label with the unit."""
    label, unit = label_of(name, field), unit_of(field)
    if not _depends_on_axis(unit):
        return name, label
    here = units.on_axis(unit, rotating, rate=rates)
    if rotating and is_angle_or_length(field):
        twin = "rate" if here == "rad/s" else "angle"
        return f"{name}_{twin}", f"{label} [°/s]" if twin == "rate" else label
    return name, f"{label} [{units.short(here)}]"


def draw_end(layout: bpy.types.UILayout, group: bpy.types.PropertyGroup, name: str) -> None:
    """Draw an end of a joint: a body, or the world."""
    split = layout.split(factor=0.25)
    split.use_property_split = False
    split.label(text=group.bl_rna.properties[name].name)
    row = split.row(align=True)
    body = row.row(align=True)
    body.active = not is_world(group, name)
    body.prop(group, name, text="")
    row.prop(group, f"{name}_is_world", toggle=True)


def _has_widget(prop: bpy.types.Property) -> bool:
    """Whether one row of the panel can show a property: no collection, no group within a group."""
    if prop.type == "POINTER":
        return prop.fixed_type.identifier == "Object"
    return prop.type != "COLLECTION"
