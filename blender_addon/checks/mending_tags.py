# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixes that change what objects are to Impulse: tags, ends of joints, rules."""

from __future__ import annotations

import re
from typing import Any

import bpy
from bpy.types import Context, Object

from ..authoring import tagging
from ..issues import Issue
from ..properties.pointers import set_ends


def link_of(obj: Object) -> Any:
    """The joint or spring that an object is, else None."""
    return {"JOINT": obj.impulse.joint, "SPRING": obj.impulse.spring}.get(obj.impulse.kind)


def is_link(obj: Object, _issue: Issue) -> bool:
    return link_of(obj) is not None


def is_free_end(obj: Object, issue: Issue) -> bool:
    """Whether the end an issue is about can be the world: the other end is a body then."""
    link = link_of(obj)
    if link is None or issue.detail not in ("body1", "body2"):
        return False
    other = getattr(link, "body2" if issue.detail == "body1" else "body1")
    return other is not None and other.impulse.kind == "BODY"


def to_world(_context: Context, obj: Object, issue: Issue) -> None:
    set_ends(link_of(obj), {issue.detail: None})


def lacks_body(_obj: Object, issue: Issue) -> bool:
    other = bpy.data.objects.get(issue.other)
    return issue.detail.startswith("body") and other is not None and other.impulse.kind == "NONE"


def tag_other(_context: Context, _obj: Object, issue: Issue) -> None:
    tagging.tag_bodies([bpy.data.objects[issue.other]])


def delete_link(_context: Context, obj: Object, _issue: Issue) -> None:
    """Delete a joint's Empty; of an object that is more than that, the tag only."""
    if obj.type == "EMPTY" and not obj.children:
        bpy.data.objects.remove(obj)
    else:
        tagging.clear_tags([obj])


def untag(_context: Context, obj: Object, _issue: Issue) -> None:
    tagging.clear_tags([obj])


def has_bad_name(obj: Object, _issue: Issue) -> bool:
    return obj.name == "world" or not obj.name.isprintable()


def rename(_context: Context, obj: Object, _issue: Issue) -> None:
    """Give an object a name that a file can carry and that does not mean the ground."""
    name = "".join(letter if letter.isprintable() else " " for letter in obj.name)
    obj.name = "world body" if name == "world" else re.sub(" +", " ", name).strip() or "unnamed"


def is_moving_body(obj: Object, _issue: Issue) -> bool:
    return obj.impulse.kind == "BODY" and obj.impulse.body.motion == "dynamic"


def make_static(_context: Context, obj: Object, _issue: Issue) -> None:
    obj.impulse.body.motion = "static"


def make_kinematic(_context: Context, obj: Object, _issue: Issue) -> None:
    obj.impulse.body.motion = "kinematic"


def use_hull(_context: Context, obj: Object, _issue: Issue) -> None:
    obj.impulse.geometry.shape = "convex_hull"


def is_static_hull(obj: Object, _issue: Issue) -> bool:
    body = obj.impulse.body
    return (
        obj.impulse.kind == "BODY"
        and body.motion == "static"
        and obj.impulse.geometry.shape == "convex_hull"
    )


def use_faces(_context: Context, obj: Object, _issue: Issue) -> None:
    obj.impulse.geometry.shape = "mesh"


def use_plane(_context: Context, obj: Object, _issue: Issue) -> None:
    obj.impulse.geometry.shape = "plane"
    if obj.impulse.kind == "BODY":
        obj.impulse.body.motion = "static"


def are_bodies(obj: Object, issue: Issue) -> bool:
    other = bpy.data.objects.get(issue.other)
    return other is not None and obj.impulse.kind == other.impulse.kind == "BODY"


def exclude_pair(context: Context, obj: Object, issue: Issue) -> None:
    """Deny two bodies to touch, by the rule that there is for them or by a new one."""
    tag, other = context.scene.impulse, bpy.data.objects[issue.other]
    rules = (r for r in tag.collision_pairs if {r.body1, r.body2} == {obj, other})
    rule = next(rules, None) or tag.collision_pairs.add()
    set_ends(rule, {"body1": obj, "body2": other})
    rule.collide = False
    tag.use_collision_filter = True


def can_assemble(_obj: Object, issue: Issue) -> bool:
    return "assemble" in issue.hint


def assemble(context: Context, _obj: Object, _issue: Issue) -> None:
    context.scene.impulse.settings.assemble = "joints"
