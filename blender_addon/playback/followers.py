# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints, springs and solids follow their bodies at playback, by a constraint and without keys.

So what users key on a joint (the target of its motor) stays in the joint's own action, and where
they move it to is where it is in the first frame.
"""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..export.collect import ancestors
from ..export.start import start_frame
from ..export.undisturbed import FOLLOWS, following_constraints, without_motion


def attach(scene: bpy.types.Scene) -> None:
    """Let joints, springs, the Empties at their other ends, and solids follow their bodies.

    The offset is that of the first frame, without imported motion.
    """
    detach(scene.objects)
    wanted = followers(scene)
    if not wanted:
        return
    with start_frame(scene), without_motion(scene):
        inverses = {body: body.matrix_world.inverted_safe() for body in wanted.values()}
    for obj, body in wanted.items():
        constraint = obj.constraints.new("CHILD_OF")
        constraint.name = FOLLOWS
        constraint.target = body
        constraint.inverse_matrix = inverses[body]
        constraint.show_expanded = False


def detach(objects: Iterable[bpy.types.Object]) -> None:
    """Leave what follows a body where it is in the first frame."""
    for obj in objects:
        for constraint in following_constraints(obj):
            obj.constraints.remove(constraint)


def followers(scene: bpy.types.Scene) -> dict[bpy.types.Object, bpy.types.Object]:
    """Which objects follow which body.

    Not those that hang on a body or on another that follows, nor those on which a body hangs.
    """
    found: dict[bpy.types.Object, bpy.types.Object] = {}
    for obj in scene.objects:
        if obj.impulse.kind == "GEOMETRY":
            _add(found, obj, obj.impulse.geometry.body)
        elif obj.impulse.kind in {"JOINT", "SPRING"}:
            group = obj.impulse.joint if obj.impulse.kind == "JOINT" else obj.impulse.spring
            _add(found, obj, group.body1)
            for key in ("anchor2", "axis2"):
                other = getattr(group, key, None)
                if other is not None and other.impulse.kind == "NONE":
                    _add(found, other, group.body2)
    present = set(scene.objects)
    bodies = [obj for obj in scene.objects if obj.impulse.kind == "BODY"]
    carriers = {parent for body in bodies for parent in ancestors(body)}
    moving = {*bodies, *found}
    return {
        obj: body
        for obj, body in found.items()
        if obj in present
        and body in present
        and obj not in carriers
        and not any(parent in moving for parent in ancestors(obj))
    }


def _add(
    found: dict[bpy.types.Object, bpy.types.Object],
    obj: bpy.types.Object,
    body: bpy.types.Object | None,
) -> None:
    if body is None or body.impulse.kind != "BODY" or body.impulse.body.motion == "static":
        return
    found.setdefault(obj, body)
