# SPDX-License-Identifier: GPL-3.0-or-later
"""What belongs to the scene as a whole: settings, materials, who touches whom.

A Blender scene that holds a machine already keeps its own; what is added to it is merged in.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import bpy

from impulse_schema import models
from impulse_schema.models import Element, Material, Scene

from ..properties.assignment import Named, set_values
from ..properties.schema_properties import values_of
from .report import ImportReport

# Of a frame, by which a duration may exceed whole frames without asking for one more.
WHOLE = 1e-6


def set_scene(view: bpy.types.Scene, scene: Scene, name: str) -> None:
    """Take over the title and the settings of a file; the scene has frames for all of its time."""
    tag = view.impulse
    tag.title = name
    tag.description = scene.description or ""
    group = tag.settings
    set_values(group, scene.settings)
    group.use_gravity = group.use_fps = True
    frames = scene.settings.duration * view.render.fps / view.render.fps_base
    view.frame_end = max(view.frame_end, view.frame_start + math.ceil(frames - WHOLE))


def keep_settings(view: bpy.types.Scene, scene: Scene, report: ImportReport) -> None:
    """Note which settings of a file are not used, as those of the Blender scene stay."""
    own = models.Settings.model_validate(values_of(view.impulse.settings, models.Settings))
    names = [
        name.replace("_", " ")
        for name in models.Settings.model_fields
        if getattr(own, name) != getattr(scene.settings, name)
    ]
    if names:
        report.notes.append(
            "This Blender scene keeps its settings; other in the file are " + ", ".join(names) + "."
        )


def add_constants(view: bpy.types.Scene, scene: Scene, report: ImportReport) -> dict[str, str]:
    """Add constants; the names that they have here, by those of the file."""
    rows = view.impulse.constants
    names = {}
    for constant in scene.constants:
        taken = {row.name: row.value for row in rows}
        name, number = constant.name, 2
        while name in taken and not _alike(taken[name], constant.value):
            name, number = f"{constant.name}_{number}", number + 1
        names[constant.name] = name
        if name not in taken:
            new = rows.add()
            new.name, new.value = name, constant.value
        if name != constant.name:
            report.notes.append(
                f"The constant {constant.name} is called {name} here, as this scene has another of"
                " its name."
            )
    return names


def renamed(expression: str, names: Mapping[str, str]) -> str:
    """An expression with the constants that it names called as they are here."""
    return re.sub(r"[^\W\d]\w*", lambda word: names.get(word[0], word[0]), expression)


def add_materials(view: bpy.types.Scene, scene: Scene, report: ImportReport) -> dict[str, str]:
    """Add materials and their pairs; the names that they have here, by those of the file."""
    rows = view.impulse.materials
    before = {row.name: row for row in rows}
    names: dict[str, str] = {}
    for material in scene.materials:
        row = before.get(material.name)
        if row is not None and _holds(row, material):
            names[material.name] = row.name
            continue
        new = rows.add()
        set_values(new, material)
        new.name = _free(material.name, {other.name for other in rows if other != new})
        names[material.name] = new.name
        if new.name != material.name:
            report.notes.append(
                f"The material {material.name} is called {new.name} here, as this scene has"
                " another of its name."
            )
        before = {row.name: row for row in rows}
    for pair in scene.material_pairs:
        new = view.impulse.material_pairs.add()
        set_values(new, pair)
        for key in ("material1", "material2"):
            setattr(new, key, names.get(getattr(pair, key), getattr(pair, key)))
    return names


def _holds(row: Any, material: Material) -> bool:
    """Whether a row has what a material says, in single precision."""
    found = Material.model_validate(values_of(row, Material))
    return all(_alike(getattr(found, key), getattr(material, key)) for key in Material.model_fields)


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= 1e-6 * max(abs(a), abs(b))
    return bool(a == b)


def _free(name: str, taken: set[str]) -> str:
    number, found = 1, name
    while found in taken:
        found = f"{name}.{number:03d}"
        number += 1
    return found


def add_filter(
    view: bpy.types.Scene, scene: Scene, named: Named, is_first: bool, report: ImportReport
) -> None:
    """Add the rules of a collision filter; its default counts in a scene without a machine."""
    tag, rules = view.impulse, scene.collision_filter
    if rules is None:
        if tag.use_collision_filter and not is_first:
            report.notes.append("The collision filter of this Blender scene holds for them too.")
        return
    if is_first:
        tag.collide_by_default = rules.default
    elif rules.default != (tag.collide_by_default or not tag.use_collision_filter):
        report.notes.append(
            "This Blender scene keeps what its collision filter says of bodies without a rule."
        )
    tag.use_collision_filter = True
    _add(tag.collision_pairs, rules.pairs, lambda row, pair: set_values(row, pair, named=named))
    _add(tag.collision_groups, rules.groups, set_values)


def _add(rows: Any, elements: list[Any], fill: Callable[[Any, Element], None]) -> None:
    for element in elements:
        fill(rows.add(), element)
