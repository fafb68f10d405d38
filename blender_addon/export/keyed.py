# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties that change over time in Blender while the scene file holds one value of them.

F-curves (of the action and of strips) and drivers on what is exported are reported by name, but
for what goes with its changes into the file (timeline.py). Curves that never change do no harm.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any

import bpy
import numpy as np

from ..compat import animation_curves, curves_of
from ..issues import Defect, Issue
from .collect import Tagged, ancestors

# What an object's pose consists of.
CHANNELS = ("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle")
PLACE = (*CHANNELS, *(f"delta_{name}" for name in CHANNELS[:3]))
SCALE = ("scale", "delta_scale")
# A curve that varies by less, relative to its size, holds still.
STILL = 1e-6
# Where between two keys, as a part of their distance, a curve is looked at.
BETWEEN = (0.17, 0.37, 0.5, 0.71, 0.93)
# Of its size, or rad, beyond what single precision does to a number: then it was changed.
MOVED = 1e-5
MOTION_HINT = "take its keys off, or make the body kinematic"
VALUE_HINT = "the file holds one value; take the keys or the driver off"
FACTOR_HINT = (
    "a load with an expression or a curve changes in steps besides; clear that, or give its keys"
    " constant interpolation (T)"
)
UNUSED_HINT = "the motor follows its expression or curve; clear that, or take the keys off"


def report_keyed(
    tagged: Tagged, scene: bpy.types.Scene, exported: Collection[tuple[str, str]] = ()
) -> None:
    """Report what is keyed or driven and not exported as such.

    ``exported`` holds names of objects with the paths of their properties that are.
    """
    names = ["impulse."]
    if not scene.impulse.settings.use_gravity:
        names.append("gravity")
    for path in keyed_paths(scene, scene, tuple(names)):
        message = f"{label(scene, path)} of the scene is keyed or driven; {VALUE_HINT}."
        tagged.issues.append(Issue(message, code="B121", detail=path))
    solids = [obj for found in tagged.geometry.values() for obj in found]
    for obj in tagged.bodies:
        _report(tagged, scene, obj, _motion_paths(obj), exported)
        if obj.impulse.body.own_geometry:
            solids.append(obj)
    for obj in solids:
        _report_mesh(tagged, scene, obj)
    parts = [*tagged.joints, *tagged.springs, *solids]
    anchors = [_pointers(obj) for obj in (*tagged.joints, *tagged.springs)]
    for obj in {o.name: o for o in (*parts, *(o for found in anchors for o in found))}.values():
        if obj.impulse.kind != "BODY":
            _report(tagged, scene, obj, (*PLACE, *SCALE), exported)
        if obj.impulse.kind != "BODY" or obj.impulse.body.motion == "static":
            _report_parents(tagged, scene, obj)


def keyed_paths(
    owner: bpy.types.ID, scene: bpy.types.Scene, prefixes: tuple[str, ...]
) -> Iterator[str]:
    """Paths of properties of a data block that vary, of those that begin with a prefix."""
    found = {}
    for curve in animation_curves(owner):
        if curve.data_path.startswith(prefixes) and not curve.mute and varies(curve, scene):
            found[curve.data_path] = True
    animation = owner.animation_data
    for driver in () if animation is None else animation.drivers:
        if driver.data_path.startswith(prefixes) and not driver.mute:
            found[driver.data_path] = True
    for path in found:
        try:
            owner.path_resolve(path)
        except ValueError:  # what it was for is gone, and it does nothing
            continue
        yield path


def varies(curve: bpy.types.FCurve, scene: bpy.types.Scene) -> bool:
    """Whether an F-curve has more than one value: in the scene's frames, at its keys or between."""
    frames = {float(frame) for frame in range(scene.frame_start, scene.frame_end + 1)}
    keys = [key.co[0] for key in curve.keyframe_points]
    frames |= {*keys, *(a + part * (b - a) for a, b in pairwise(keys) for part in BETWEEN)}
    values = np.array([curve.evaluate(frame) for frame in frames])
    return bool(np.ptp(values) > STILL * max(1.0, np.abs(values).max()))


def label(owner: bpy.types.ID, path: str) -> str:
    """Name of a property as the panel shows it, with its path."""
    group, _, key = path.rpartition(".")
    holder: Any = owner.path_resolve(group) if group else owner
    prop = holder.bl_rna.properties.get(key)
    return path if prop is None else f"{prop.name} ({path})"


def moved_by_hand(obj: bpy.types.Object, scene: bpy.types.Scene) -> bool:
    """Whether an object was moved away from where its keys put it in the frame that is shown."""
    frame = scene.frame_current + scene.frame_subframe
    for curve in curves_of(obj):
        if curve.data_path not in CHANNELS or curve.mute:
            continue
        value = getattr(obj, curve.data_path)[curve.array_index]
        keyed = curve.evaluate(frame)
        if abs(value - keyed) > MOVED * max(1.0, abs(keyed)):
            return True
    return False


def _motion_paths(obj: bpy.types.Object) -> tuple[str, ...]:
    """What may not vary in a body: everything but the motion of a kinematic one."""
    return SCALE if obj.impulse.body.motion == "kinematic" else (*PLACE, *SCALE)


def _report(
    tagged: Tagged,
    scene: bpy.types.Scene,
    obj: bpy.types.Object,
    motion: tuple[str, ...],
    exported: Collection[tuple[str, str]],
) -> None:
    for path in keyed_paths(obj, scene, ("impulse.", *motion)):
        if (obj.name, path) not in exported:
            text = f"has {label(obj, path)} keyed or driven; {_hint(obj, path)}"
            code = "B122" if obj.impulse.kind == "BODY" and path in PLACE else "B121"
            tagged.report(obj, Defect(text, code, detail=path))


def _hint(obj: bpy.types.Object, path: str) -> str:
    if obj.impulse.kind == "BODY" and path in PLACE:
        return MOTION_HINT
    if path.startswith("impulse.body.loads[") and path.endswith((".force", ".torque")):
        return FACTOR_HINT
    if path.startswith("impulse.joint.motors[") and path.endswith((".target", ".target_angle")):
        return UNUSED_HINT
    return VALUE_HINT


def _report_mesh(tagged: Tagged, scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
    """Report meshes that change their shape."""
    data = obj.data
    shape_keys = getattr(data, "shape_keys", None)
    for owner, prefixes in ((obj, ("modifiers[",)), (data, ("",)), (shape_keys, ("",))):
        for path in () if owner is None else keyed_paths(owner, scene, prefixes):
            text = f"has a shape that changes: {path} is keyed or driven; {VALUE_HINT}"
            tagged.report(obj, Defect(text, "B121", detail=path))


def _report_parents(tagged: Tagged, scene: bpy.types.Scene, obj: bpy.types.Object) -> None:
    for parent in ancestors(obj):
        if parent.impulse.kind == "BODY":
            return
        for path in keyed_paths(parent, scene, (*PLACE, *SCALE)):
            text = (
                f"hangs on {parent.name}, whose {label(parent, path)} is keyed or driven; take the"
                " keys off, or clear the parent and keep the transform (Alt P)"
            )
            tagged.report(obj, Defect(text, "B123", parent.name, path))


def _pointers(obj: bpy.types.Object) -> Iterator[bpy.types.Object]:
    """Objects whose place is exported with a joint or spring."""
    group = obj.impulse.joint if obj.impulse.kind == "JOINT" else obj.impulse.spring
    for key in ("anchor2", "axis2"):
        other = getattr(group, key, None)
        if other is not None:
            yield other
