# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs: selected bodies with their solids and joints, mirrored or repeated.

What they hang on, the torso, is not copied: the joints of the copies lead to it as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Object
from mathutils import Matrix

from ..compat import curves_of
from ..convert import Floats
from ..export.collect import ancestors, body_of
from ..export.timeline import LOAD_PATH, MOTOR_PATH
from .copies import copy_list, copy_objects
from .tagging import TagError

PERIOD = "period"


class Limb(NamedTuple):
    """What is copied, in the order of names, and the bodies outside that its joints lead to."""

    objects: list[Object]
    hangs_on: list[Object]


def limb_of(context: bpy.types.Context, selected: Iterable[Object]) -> Limb:
    """The limb of a selection: its bodies, what belongs to them, and the joints and springs that
    hold them to each other and to what they hang on. Raises TagError where no body is selected.
    """
    chosen = {obj.name: obj for obj in selected if obj.impulse.kind != "NONE"}
    bodies = {name for name, obj in chosen.items() if obj.impulse.kind == "BODY"}
    if not bodies:
        raise TagError("Select the bodies of the limb first.")
    outside: dict[str, Object] = {}
    for obj in context.view_layer.objects:
        ends = ends_of(obj)
        if obj.name in chosen or any(end.name in bodies for end in ends):
            chosen |= {found.name: found for found in (obj, *_helpers(obj))}
            outside |= {end.name: end for end in ends}
        elif _belongs(obj, bodies):
            chosen[obj.name] = obj
    loose = {name: obj for name, obj in outside.items() if name not in bodies}
    for name in loose:
        chosen.pop(name, None)
    return Limb(_by_name(chosen), _by_name(loose))


def _by_name(objects: dict[str, Object]) -> list[Object]:
    return [objects[name] for name in sorted(objects)]


def ends_of(obj: Object) -> list[Object]:
    """The bodies that a joint or spring joins."""
    group = {"JOINT": obj.impulse.joint, "SPRING": obj.impulse.spring}.get(obj.impulse.kind)
    ends = () if group is None else (group.body1, group.body2)
    return [end for end in ends if end is not None]


def _helpers(obj: Object) -> Iterator[Object]:
    """Objects that give a joint or spring another anchor or axis, and are nothing themselves."""
    group = obj.impulse.joint if obj.impulse.kind == "JOINT" else obj.impulse.spring
    for key in ("anchor2", "axis2"):
        other = getattr(group, key, None)
        if other is not None and other.impulse.kind == "NONE":
            yield other


def _belongs(obj: Object, bodies: set[str]) -> bool:
    """Whether an object is part of a body: a solid of it, or what else hangs on it."""
    if obj.impulse.kind == "GEOMETRY":
        body = body_of(obj)
        return body is not None and body.name in bodies
    if obj.impulse.kind != "NONE":
        return False
    above = next((up for up in ancestors(obj) if up.impulse.kind == "BODY"), None)
    return above is not None and above.name in bodies


def centre_of(limb: Limb, name: str | None) -> Object | None:
    """What a limb is mirrored or turned about: the object of that name, else the one body that it
    hangs on; None, the world, where it hangs on none or the name is ''.
    """
    if name is None:
        if len(limb.hangs_on) > 1:
            found = ", ".join(obj.name for obj in limb.hangs_on)
            raise TagError(
                f"The selection hangs on {found}; select the whole limb, or say what to go about."
            )
        return limb.hangs_on[0] if limb.hangs_on else None
    if name and name not in bpy.data.objects:
        raise TagError(f"There is no object '{name}'.")
    return bpy.data.objects[name] if name else None


def axis_of(centre: Object | None, axis: str) -> Floats:
    """A local axis of an object in the world, or one of the world; unit length."""
    if centre is None:
        return np.eye(3)["XYZ".index(axis)]
    vector = np.array(centre.matrix_world)[:3, "XYZ".index(axis)]
    unit: Floats = vector / np.linalg.norm(vector)
    return unit


def point_of(centre: Object | None) -> Floats:
    return np.zeros(3) if centre is None else np.array(centre.matrix_world)[:3, 3]


def about(point: Floats, linear: Floats) -> Floats:
    """The transform (4, 4) that does ``linear`` (3, 3) about a point."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = linear, point - linear @ point
    return matrix


def mirror_limb(
    context: bpy.types.Context, limb: Limb, axis: str, centre: Object | None, phase: float
) -> list[Object]:
    """The mirror image of a limb across the plane through ``centre`` at right angles to one of its
    axes; ``phase`` is added to that of its motors and loads. Returns the copies.

    Names change sides, as Blender flips them (.L and .R, left and right).
    """
    for obj in limb.objects:
        flipped = bpy.utils.flip_name(obj.name)
        if flipped != obj.name and flipped in bpy.data.objects:
            raise TagError(f"{flipped} is there already; delete or rename it first.")
    normal = axis_of(centre, axis)
    mirror = about(point_of(centre), np.eye(3) - 2.0 * np.outer(normal, normal))
    return _copy_limb(context, limb, mirror, phase, lambda obj: bpy.utils.flip_name(obj.name))


def repeat_limb(
    context: bpy.types.Context, limb: Limb, steps: Sequence[Floats], phase: float
) -> list[Object]:
    """Copies of a limb under each transform (4, 4) of ``steps``, each with ``phase`` more than the
    one before.
    """
    return [
        copy
        for number, step in enumerate(steps, start=1)
        for copy in _copy_limb(context, limb, step, number * phase, lambda obj: obj.name)
    ]


def shifts(count: int, offset: Sequence[float]) -> list[Floats]:
    """The transforms of all but the first of ``count`` copies in a line."""
    steps = [np.eye(4) for _ in range(1, count)]
    for number, step in enumerate(steps, start=1):
        step[:3, 3] = number * np.array(offset)
    return steps


def turns(count: int, angle: float, axis: str, centre: Object | None) -> list[Floats]:
    """The transforms of all but the first of ``count`` copies around an object."""
    line = axis_of(centre, axis)
    return [
        about(point_of(centre), np.array(Matrix.Rotation(number * angle, 3, line.tolist())))
        for number in range(1, count)
    ]


def _copy_limb(
    context: bpy.types.Context,
    limb: Limb,
    transform: Floats,
    phase: float,
    name_of: Callable[[Object], str],
) -> list[Object]:
    frames = _frames_of(context.scene, limb, phase)
    made = copy_objects(limb.objects, transform, name_of)
    for copy in made.values():
        for timed in _timed(copy):
            timed.phase = _wrapped(timed.phase + phase)
        _shift_keys(copy, frames)
    _copy_pairs(context.scene, made)
    return list(made.values())


def set_phase(joint: Object, phase: float) -> None:
    """Set the phase of a joint, as a part of the period from 0 to 1."""
    joint.impulse.joint.phase = _wrapped(phase)


def _wrapped(phase: float) -> float:
    return round(phase % 1.0, 6) % 1.0


def _timed(obj: Object) -> list[Any]:
    """What has a phase: a joint with motors, the loads of a body."""
    if obj.impulse.kind == "JOINT":
        return [obj.impulse.joint] if len(obj.impulse.joint.motors) else []
    return list(obj.impulse.body.loads) if obj.impulse.kind == "BODY" else []


def period_of(scene: bpy.types.Scene) -> float:
    """The constant ``period`` of a scene [s], 0 if there is none."""
    return next((c.value for c in scene.impulse.constants if c.name == PERIOD), 0.0)


def _frames_of(scene: bpy.types.Scene, limb: Limb, phase: float) -> float:
    """How many frames keys of motors and loads are shifted for a phase."""
    keyed = [obj.name for obj in limb.objects if _timed_curves(obj)]
    if phase == 0.0 or not keyed:
        return 0.0
    if period_of(scene) <= 0.0:
        raise TagError(
            f"{keyed[0]} has a motor or a load with keys, and nothing says how long a phase lasts;"
            f" add the constant '{PERIOD}' [s] to the scene."
        )
    return phase * period_of(scene) * scene.render.fps / scene.render.fps_base


def _timed_curves(obj: Object) -> list[bpy.types.FCurve]:
    return [
        curve
        for curve in curves_of(obj)
        if MOTOR_PATH.match(curve.data_path) or LOAD_PATH.match(curve.data_path)
    ]


def _shift_keys(obj: Object, frames: float) -> None:
    """Let keys of motors and loads come earlier, as a phase lets the time of an expression."""
    for curve in _timed_curves(obj) if frames else ():
        for key in curve.keyframe_points:
            key.co[0] -= frames
            key.handle_left[0] -= frames
            key.handle_right[0] -= frames
        curve.update()


def _copy_pairs(scene: bpy.types.Scene, made: dict[str, Object]) -> None:
    """Rules for pairs of bodies hold for their copies."""
    for pair in list(scene.impulse.collision_pairs):
        ends = [getattr(pair, key) for key in ("body1", "body2")]
        if not any(end is not None and end.name in made for end in ends):
            continue
        collide = pair.collide
        new = scene.impulse.collision_pairs.add()
        new.collide = collide
        for key, end in zip(("body1", "body2"), ends, strict=True):
            setattr(new, key, None if end is None else made.get(end.name, end))


def stem(name: str) -> str:
    """What names have in common that differ by their side and number: that of ``hip.L.001`` is
    that of ``hip.R``.
    """
    plain = re.sub(r"\.\d{3,}$", "", name)
    return min(plain, bpy.utils.flip_name(plain))


def alike(context: bpy.types.Context, joint: Object) -> list[Object]:
    """The other joints of a joint's type whose names differ by side and number alone."""
    return [
        obj
        for obj in context.view_layer.objects
        if obj != joint
        and obj.impulse.kind == "JOINT"
        and obj.impulse.joint.type == joint.impulse.joint.type
        and stem(obj.name) == stem(joint.name)
    ]


def copy_motors(joint: Object, others: Iterable[Object]) -> int:
    """Give other joints the motors of one, each keeping its phase; how many got them. Raises
    TagError for a joint of another type.
    """
    others = [obj for obj in others if obj.impulse.kind == "JOINT" and obj != joint]
    for obj in others:
        if obj.impulse.joint.type != joint.impulse.joint.type:
            raise TagError(
                f"{obj.name} is a {obj.impulse.joint.type} joint, {joint.name} a"
                f" {joint.impulse.joint.type} joint; select joints of one type."
            )
    for obj in others:
        copy_list(joint.impulse.joint.motors, obj.impulse.joint.motors)
    return len(others)
