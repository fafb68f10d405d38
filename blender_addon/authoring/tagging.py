# SPDX-License-Identifier: GPL-3.0-or-later
"""Tagging as plain functions; the operators only read their arguments and call these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import bpy
from bpy.types import Object

from ..properties.pointers import set_ends

# Kinds of object that have faces, or can have them.
SOLID_TYPES = ("MESH", "CURVE", "SURFACE", "META", "FONT")


# What is in a scene beside its things.
NO_BODIES = ("CAMERA", "LIGHT", "LIGHT_PROBE", "SPEAKER")


class TagError(Exception):
    """The objects cannot be tagged so; the text says why."""


def bodies_among(objects: Sequence[Object]) -> tuple[list[Object], list[str]]:
    """Those of selected objects that can be meant as bodies, and what the others are, in words.

    Of several, those that are joints, springs or geometry already are not meant.
    """
    bodies, others = [], []
    for obj in objects:
        kind = obj.impulse.kind
        if obj.type in NO_BODIES:
            others.append(f"{obj.name} ({obj.type.lower().replace('_', ' ')})")
        elif kind not in ("NONE", "BODY") and len(objects) > 1:
            others.append(f"{obj.name} ({kind.lower()})")
        else:
            bodies.append(obj)
    if not bodies:
        raise TagError(f"Nothing here can be a body: {', '.join(others)}.")
    return bodies, others


def tag_bodies(
    objects: Iterable[Object],
    *,
    shape: str | None = None,
    **given: Any,
) -> None:
    """Make objects bodies; those with faces become their own first solid.

    ``given`` are properties of the body: motion, mass_source, density, mass. What is not given
    stays as it is, so that a body that is tagged once more keeps all it has.
    """
    for obj in objects:
        if obj.impulse.kind != "BODY":
            obj.impulse.kind = "BODY"
            obj.impulse.body.own_geometry = obj.type in SOLID_TYPES
        assign(obj.impulse.body, given)
        if shape is not None:
            obj.impulse.geometry.shape = shape


def assign(group: Any, values: dict[str, Any]) -> None:
    """Set properties of a group by name."""
    for key, value in values.items():
        setattr(group, key, value)


def tag_geometry(objects: Iterable[Object], body: Object | None, **given: Any) -> None:
    """Make objects solids of ``body``; without one, of the body they have, or of their nearest
    parent body.

    ``given`` are properties of the solid: role, shape. What is not given stays as it is.
    """
    objects = list(objects)
    if body is not None and body.impulse.kind != "BODY":
        raise TagError(f"{body.name} is not tagged as a body; tag it first.")
    for obj in objects:
        if obj.type not in SOLID_TYPES:
            raise TagError(f"{obj.name} has no faces and cannot be geometry.")
        _check_unheld(obj)
    for obj in objects:
        obj.impulse.kind = "GEOMETRY"
        if body is not None:
            obj.impulse.geometry.body = body
        assign(obj.impulse.geometry, given)


def tag_joint(
    obj: Object,
    kind: str,
    body1: Object | None,
    body2: Object | None,
    *,
    anchor2: Object | None = None,
) -> None:
    """Make ``obj`` a joint at its origin about its local z; None is the world."""
    _check_joint(obj, kind, body1, body2)
    _check_unheld(obj)
    obj.impulse.kind = "JOINT"
    obj.impulse.joint.type = kind
    set_ends(obj.impulse.joint, {"body1": body1, "body2": body2, "anchor2": anchor2})


def change_joint(obj: Object, kind: str, ends: dict[str, Object | None]) -> None:
    """Give a joint another type, or other objects for ``body1``, ``body2`` and ``anchor2``; what
    is not in ``ends`` stays as it is.
    """
    joint = obj.impulse.joint
    bodies = (ends.get(key, getattr(joint, key)) for key in ("body1", "body2"))
    _check_joint(obj, kind, *bodies)
    joint.type = kind
    set_ends(joint, ends)


def _check_joint(obj: Object, kind: str, body1: Object | None, body2: Object | None) -> None:
    if body1 is None and body2 is None and kind != "coupling":
        raise TagError("A joint needs a body on at least one side.")
    if body1 is not None and body1 == body2:
        raise TagError(f"{body1.name} cannot be joined to itself; give two different bodies.")
    for body in (body1, body2):
        if body is not None and body.impulse.kind != "BODY":
            raise TagError(f"{body.name} is not tagged as a body; tag it first.")
    if obj in (body1, body2):
        raise TagError("A body cannot be its own joint; use an Empty at the joint's place.")


def tag_spring(obj: Object, ends: dict[str, Object | None], **given: Any) -> None:
    """Make ``obj`` one end of a spring whose other end is the origin of ``anchor2``.

    ``ends`` are ``body1``, ``body2`` (None is the world) and ``anchor2``; ``given`` are properties
    of the spring: stiffness, damping. Of a spring, what is not given stays as it is.
    """
    if obj.impulse.kind != "SPRING":
        _check_unheld(obj)
        obj.impulse.kind = "SPRING"
        ends = {"body1": None, "body2": None, "anchor2": None, **ends}
    set_ends(obj.impulse.spring, ends)
    assign(obj.impulse.spring, given)


def _check_unheld(obj: Object) -> None:
    """A body that joints or springs hold stays one: they would have nothing to hold."""
    if obj.impulse.kind != "BODY":
        return
    groups = {"JOINT": "joint", "SPRING": "spring"}
    for other in bpy.data.objects:
        group = getattr(other.impulse, groups.get(other.impulse.kind, ""), None)
        if group is not None and obj in (group.body1, group.body2):
            raise TagError(
                f"{obj.name} is a body that {other.name} joins; clear its tag, or give"
                f" {other.name} another body first."
            )


def clear_tags(objects: Iterable[Object]) -> int:
    """Take all tags off objects, with everything set in them; how many had one."""
    count = 0
    for obj in objects:
        if obj.impulse.kind == "NONE":
            continue
        count += 1
        for key in ("body", "geometry", "joint", "spring"):
            reset(getattr(obj.impulse, key))
        obj.impulse.kind = "NONE"
    return count


def reset(group: Any) -> None:
    """Put every property of a group back to its default."""
    for key, prop in group.bl_rna.properties.items():
        if prop.type == "COLLECTION":
            getattr(group, key).clear()
        elif key != "rna_type":
            group.property_unset(key)
