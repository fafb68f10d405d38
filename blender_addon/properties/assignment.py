# SPDX-License-Identifier: GPL-3.0-or-later
"""From an element of a scene file to the properties of a group: ``values_of`` the other way."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import bpy

from impulse_schema.models import Element

from .schema_properties import AUTOMATIC, fields_of

Named = Callable[[str], bpy.types.Object | None]


def set_values(
    group: bpy.types.PropertyGroup,
    element: Element,
    *,
    named: Named | None = None,
    skip: Collection[str] = (),
) -> None:
    """Give ``group`` the values of ``element``; what is not given in it is switched off.

    ``named`` finds the object that a field names, None for the world. Lists and child elements are
    left to the caller, as are the fields in ``skip``.
    """
    properties = group.bl_rna.properties
    for name, _field in fields_of(group, type(element)):
        prop = properties[name]
        if name in skip or prop.type == "COLLECTION":
            continue
        value = getattr(element, name)
        if prop.type == "POINTER":
            if named is not None and prop.fixed_type.identifier == "Object":
                _point(group, name, named(value))
            continue
        if f"use_{name}" in properties:
            setattr(group, f"use_{name}", value is not None)
        if value is None:
            if prop.type == "ENUM":
                setattr(group, name, AUTOMATIC)
            elif prop.type == "STRING":
                setattr(group, name, "")
        else:
            setattr(group, name, value)


def _point(group: Any, name: str, target: bpy.types.Object | None) -> None:
    setattr(group, name, target)
    if f"{name}_is_world" in group.bl_rna.properties:
        setattr(group, f"{name}_is_world", target is None)
