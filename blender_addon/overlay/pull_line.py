# SPDX-License-Identifier: GPL-3.0-or-later
"""The line from a body to where the mouse pulls it."""

from __future__ import annotations

from typing import Any

import bpy
import gpu
from gpu_extras.batch import batch_for_shader

from ..running.going import Going

COLOUR = (1.0, 0.55, 0.1, 1.0)
WIDTH = 2.0  # pixels


class Drawing:
    """What Blender calls when it draws."""

    handle: Any = None


def draw() -> None:
    """In a 3D view, in coordinates of the world."""
    session = Going.session()
    points = None if session is None else session.line()
    if points is None:
        return
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    gpu.state.line_width_set(WIDTH)
    shader.uniform_float("color", COLOUR)
    batch_for_shader(shader, "LINES", {"pos": points.tolist()}).draw(shader)
    gpu.state.line_width_set(1.0)


def register() -> None:
    if not bpy.app.background:
        space = bpy.types.SpaceView3D
        Drawing.handle = space.draw_handler_add(draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    if Drawing.handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(Drawing.handle, "WINDOW")
        Drawing.handle = None
