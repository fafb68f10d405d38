# SPDX-License-Identifier: GPL-3.0-or-later
"""Transforms of objects that show a live session, as they were before it and will be after."""

from __future__ import annotations

import bpy
from bpy.props import FloatVectorProperty, PointerProperty, StringProperty


class IMPULSE_PG_pose(bpy.types.PropertyGroup):
    """An object and its own transform."""

    object: PointerProperty(type=bpy.types.Object)  # type: ignore[valid-type]
    rotation_mode: StringProperty()  # type: ignore[valid-type]
    location: FloatVectorProperty(size=3)  # type: ignore[valid-type]
    rotation_euler: FloatVectorProperty(size=3)  # type: ignore[valid-type]
    rotation_quaternion: FloatVectorProperty(size=4)  # type: ignore[valid-type]
    rotation_axis_angle: FloatVectorProperty(size=4)  # type: ignore[valid-type]


CLASSES = (IMPULSE_PG_pose,)
