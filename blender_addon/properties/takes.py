# SPDX-License-Identifier: GPL-3.0-or-later
"""Named takes: motions that are kept, as actions and the objects they belong to."""

from __future__ import annotations

import bpy
from bpy.props import CollectionProperty, IntProperty, PointerProperty


class IMPULSE_PG_take_part(bpy.types.PropertyGroup):
    """An object, the action of its motion, and the handle of the action's slot."""

    object: PointerProperty(type=bpy.types.Object)  # type: ignore[valid-type]
    action: PointerProperty(type=bpy.types.Action)  # type: ignore[valid-type]
    slot: IntProperty()  # type: ignore[valid-type]


class IMPULSE_PG_take(bpy.types.PropertyGroup):
    """A motion that is kept under its name."""

    parts: CollectionProperty(type=IMPULSE_PG_take_part)  # type: ignore[valid-type]


CLASSES = (IMPULSE_PG_take_part, IMPULSE_PG_take)
