# SPDX-License-Identifier: GPL-3.0-or-later
"""From the picture to the screen: two batches, made anew only when something moved or changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import bpy
import gpu
import numpy as np
from bpy.app.handlers import persistent
from numpy.typing import ArrayLike

from ..authoring import measuring
from ..export.collect import is_animated
from . import glyphs, settings
from .picture import Picture, Singles, blamed

# How what can be hidden is drawn, and what is never hidden: depth test, width of lines [px].
PASSES = (("LESS_EQUAL", 1.0), ("NONE", 2.0))


@dataclass
class Canvas:
    """What is on the screen; ``drawn`` is what decided how it looks."""

    picture: Picture = field(default_factory=Picture)
    batches: list[gpu.types.GPUBatch] = field(default_factory=list)
    drawn: tuple[object, ...] = ()
    moved: bool = True
    contacts: Callable[[bpy.types.Scene], ArrayLike | None] | None = None
    handle: object = None


canvas = Canvas()


def show_contacts(points_now: Callable[[bpy.types.Scene], ArrayLike | None] | None) -> None:
    """Draw contact points from now on: a function that gives those of the frame that a scene
    shows, (N, 3) in Blender units, or None where it knows none. None takes them away.
    """
    canvas.contacts = points_now
    touch()


def touch() -> None:
    """Something moved: place the glyphs anew at the next redraw."""
    canvas.moved = True


def paint(context: bpy.types.Context, viewport: tuple[float, float]) -> None:
    """Draw the overlay with the current matrices; ``viewport`` is its width and height [px]."""
    if not context.scene.impulse_overlay.show:
        return
    if canvas.moved or canvas.drawn != _wanted(context.scene):
        _rebuild(context)
    shader = gpu.shader.from_builtin("POLYLINE_FLAT_COLOR")
    width = context.preferences.system.pixel_size
    depth, blend = gpu.state.depth_test_get(), gpu.state.blend_get()
    gpu.state.blend_set("ALPHA")
    for batch, (test, lines) in zip(canvas.batches, PASSES, strict=True):
        gpu.state.depth_test_set(test)
        shader.bind()
        shader.uniform_float("viewportSize", viewport)
        shader.uniform_float("lineWidth", lines * width)
        batch.draw(shader)
    gpu.state.depth_test_set(depth)
    gpu.state.blend_set(blend)


def _wanted(scene: bpy.types.Scene) -> tuple[object, ...]:
    """What decides, beside edits and motion, how the picture looks."""
    group = scene.impulse_overlay
    return (scene.name, settings.shown(group), group.size, measuring.version(), blamed(scene))


def _rebuild(context: bpy.types.Context) -> None:
    wanted = _wanted(context.scene)
    picture = canvas.picture
    if canvas.drawn != wanted:
        # Masses and issues change only some pieces; another scene, layer or size changes all.
        picture.forget(() if canvas.drawn[:3] == wanted[:3] else None)
        picture.shown, picture.size = wanted[1:3]
    solid, overlaid = picture.positions(context)
    marks = _contact_lines(context) if "contacts" in picture.shown else no_lines()
    places = np.concatenate([overlaid, marks[0]])
    colours = np.concatenate([picture.overlaid.colours, marks[1]])
    canvas.batches = [batch_of(solid, picture.solid.colours), batch_of(places, colours)]
    canvas.moved, canvas.drawn = False, wanted


def no_lines() -> tuple[Singles, Singles]:
    return np.zeros((0, 3), np.float32), np.zeros((0, 4), np.float32)


def _contact_lines(context: bpy.types.Context) -> tuple[Singles, Singles]:
    points = None if canvas.contacts is None else canvas.contacts(context.scene)
    if points is None:
        return no_lines()
    size = 0.15 * context.scene.impulse_overlay.size
    lines = glyphs.contact_marks(points, size)
    ends = lines.segments.reshape(-1, 3).astype(np.float32)
    return ends, np.repeat(lines.colours, 2, axis=0).astype(np.float32)


def batch_of(positions: Singles, colours: Singles) -> gpu.types.GPUBatch:
    """Lines between positions (V, 3) 0 and 1, 2 and 3 …, each end with its colour (V, 4)."""
    layout = gpu.types.GPUVertFormat()
    layout.attr_add(id="pos", comp_type="F32", len=3, fetch_mode="FLOAT")
    layout.attr_add(id="color", comp_type="F32", len=4, fetch_mode="FLOAT")
    buffer = gpu.types.GPUVertBuf(layout, len(positions))
    buffer.attr_fill("pos", np.ascontiguousarray(positions))
    buffer.attr_fill("color", np.ascontiguousarray(colours))
    return gpu.types.GPUBatch(type="LINES", buf=buffer)


def _draw() -> None:
    context = bpy.context
    if context.space_data.overlay.show_overlays:
        paint(context, (context.region.width, context.region.height))


@persistent
def _on_change(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Note which objects to draw anew: edited ones, not those that only move."""
    edited = []
    complete = True
    for update in depsgraph.updates:
        obj = update.id.original
        if not isinstance(obj, bpy.types.Object):
            # Pointers to objects, issues, materials and meshes may have changed.
            complete = complete and not isinstance(obj, bpy.types.Scene | bpy.types.Mesh)
        elif update.is_updated_transform and not update.is_updated_geometry:
            if not is_animated(obj):
                canvas.picture.moved(obj)
        else:
            edited.append(obj.name)
    if edited or not complete:
        canvas.picture.forget(edited)
    touch()


@persistent
def _on_frame(*_arguments: object) -> None:
    touch()


@persistent
def _on_other_file(*_arguments: object) -> None:
    canvas.picture.forget()
    touch()


HANDLERS = (
    ("depsgraph_update_post", _on_change),
    ("frame_change_post", _on_frame),
    ("undo_post", _on_other_file),
    ("redo_post", _on_other_file),
    ("load_post", _on_other_file),
)


def register() -> None:
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)
    canvas.handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    bpy.types.SpaceView3D.draw_handler_remove(canvas.handle, "WINDOW")
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).remove(handler)
    canvas.picture.forget()
    canvas.batches.clear()
