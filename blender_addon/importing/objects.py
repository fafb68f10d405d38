# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects with a pose, in the collection of an import."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ..convert import Floats, length_to_blender, rotation_to_quaternion
from .report import ImportReport


class Maker:
    """Makes objects in a collection of their own; ``metres`` is the length of a Blender unit."""

    def __init__(self, scene: bpy.types.Scene, name: str, metres: float, size: float) -> None:
        """``size`` [m] is that of the usual body, for the size of Empties."""
        self.collection = bpy.data.collections.new(name)
        scene.collection.children.link(self.collection)
        self.metres = metres
        self._empty_size = float(length_to_blender(0.08 * size, metres))

    def make(
        self,
        name: str,
        data: bpy.types.Mesh | None,
        position: ArrayLike,
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        parent: bpy.types.Object | None = None,
    ) -> bpy.types.Object:
        """An object at a pose [m], of its parent if it has one; without data an Empty.

        Blender changes a name that is taken or too long.
        """
        obj = bpy.data.objects.new(name, data)
        obj.rotation_mode = "QUATERNION"
        obj.location = length_to_blender(position, self.metres)
        obj.rotation_quaternion = np.asarray(orientation, float)
        obj.parent = parent
        if data is None:
            obj.empty_display_type = "PLAIN_AXES"
            obj.empty_display_size = self._empty_size
        self.collection.objects.link(obj)
        return obj

    def make_named(
        self, kind: str, name: str, other: str, report: ImportReport, *pose: ArrayLike
    ) -> bpy.types.Object:
        """An Empty that is to have a name of the file; called ``other`` where that is taken."""
        first = name if name not in bpy.data.objects else other
        obj = self.make(first, None, *pose)
        note_name(kind, name, obj, report)
        return obj


def note_name(kind: str, name: str, obj: bpy.types.Object, report: ImportReport) -> None:
    """Note that an object could not get the name it has in the file."""
    if obj.name != name:
        report.notes.append(f"The {kind} {name} is called {obj.name} here, as its name was taken.")


def select_machine(context: bpy.types.Context, collection: bpy.types.Collection) -> None:
    """Select what was made, but for what stands still, with a body that moves as the active one."""
    for obj in context.selected_objects:
        obj.select_set(False)
    bodies = [obj for obj in collection.objects if obj.impulse.kind == "BODY"]
    still = {obj.name for obj in bodies if obj.impulse.body.motion == "static"}
    for obj in collection.objects:
        up = obj if obj.parent is None else obj.parent
        obj.select_set(up.name not in still)
    moving = [obj for obj in bodies if obj.name not in still]
    context.view_layer.objects.active = (moving or bodies or [None])[0]


def frame_along(axis: Sequence[float], second: Sequence[float] | None = None) -> Floats:
    """Quaternion (w, x, y, z) of a frame whose z is along ``axis`` and whose x is in the plane of
    it and ``second``, if that is given and not along it.
    """
    z = np.asarray(axis, float) / np.linalg.norm(axis)
    given = None if second is None else np.asarray(second, float)
    x = np.zeros(3) if given is None else given - (given @ z) * z
    if np.linalg.norm(x) < 1e-9:
        # The world axis farthest from z.
        x = np.eye(3)[int(np.argmin(np.abs(z)))]
        x -= (x @ z) * z
    x /= np.linalg.norm(x)
    return rotation_to_quaternion(np.column_stack([x, np.cross(z, x), z]))
