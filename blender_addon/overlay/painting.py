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
from .picture import Picture, Sheet, Singles, blamed

# Width of the lines that are never hidden [px], and up to how many of their ends they are as
# wide: many wide lines take too long.
WIDTH = 2.0
MOST_WIDE = 20_000


@dataclass
class Canvas:
    """What is on the screen; ``drawn`` is what decided how it looks."""

    picture: Picture = field(default_factory=Picture)
    solid: list[gpu.types.GPUBatch] = field(default_factory=list)
    overlaid: list[gpu.types.GPUBatch] = field(default_factory=list)
    wide: bool = True
    sheets: tuple[Sheet, ...] = ()
    colours: tuple[gpu.types.GPUVertBuf, ...] = ()
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
    depth, blend = gpu.state.depth_test_get(), gpu.state.blend_get()
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    thin = gpu.shader.from_builtin("FLAT_COLOR")
    _draw_batches(canvas.solid, thin)
    gpu.state.depth_test_set("NONE")
    shader = gpu.shader.from_builtin("POLYLINE_FLAT_COLOR") if canvas.wide else thin
    shader.bind()
    if canvas.wide:
        shader.uniform_float("viewportSize", viewport)
        shader.uniform_float("lineWidth", WIDTH * context.preferences.system.pixel_size)
    _draw_batches(canvas.overlaid, shader)
    gpu.state.depth_test_set(depth)
    gpu.state.blend_set(blend)


def _draw_batches(batches: list[gpu.types.GPUBatch], shader: gpu.types.GPUShader) -> None:
    shader.bind()
    for batch in batches:
        batch.draw(shader)


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
    places = picture.positions(context)
    sheets = (picture.solid, picture.overlaid)
    if canvas.sheets != sheets:
        canvas.sheets = sheets
        canvas.colours = tuple(filled("color", sheet.colours) for sheet in sheets)
    canvas.wide = len(places[1]) <= MOST_WIDE
    canvas.solid, canvas.overlaid = (
        [batch_of(*pair)] if len(pair[0]) else []
        for pair in zip(places, canvas.colours, strict=True)
    )
    if "contacts" in picture.shown:
        canvas.overlaid += _contact_batches(context)
    canvas.moved, canvas.drawn = False, wanted


def _contact_batches(context: bpy.types.Context) -> list[gpu.types.GPUBatch]:
    points = None if canvas.contacts is None else canvas.contacts(context.scene)
    if points is None or not len(points):
        return []
    lines = glyphs.contact_marks(points, 0.15 * context.scene.impulse_overlay.size)
    ends = lines.segments.reshape(-1, 3).astype(np.float32)
    colours = np.repeat(lines.colours, 2, axis=0).astype(np.float32)
    return [batch_of(ends, filled("color", colours))]


def batch_of(positions: Singles, colours: gpu.types.GPUVertBuf) -> gpu.types.GPUBatch:
    """Lines between positions (V, 3) 0 and 1, 2 and 3 …, with the colours of their ends."""
    batch = gpu.types.GPUBatch(type="LINES", buf=filled("pos", positions))
    batch.vertbuf_add(colours)
    return batch


def filled(name: str, values: Singles) -> gpu.types.GPUVertBuf:
    """A buffer of one attribute, values (V, 3) or (V, 4)."""
    layout = gpu.types.GPUVertFormat()
    layout.attr_add(id=name, comp_type="F32", len=values.shape[1], fetch_mode="FLOAT")
    buffer = gpu.types.GPUVertBuf(layout, len(values))
    buffer.attr_fill(name, np.ascontiguousarray(values))
    return buffer


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
    canvas.solid.clear()
    canvas.overlaid.clear()
