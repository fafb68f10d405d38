# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of issues kept up to date while the user works, without the simulator.

Blender tells of objects that move, change their mesh, come or go (``depsgraph_update_post``), not
of tags that are edited in a panel: those of the active object and the settings of the scene are
compared from time to time. Once nothing has changed for a while, the scene is checked anew where
*Live* is on; else the list says that it is out of date. Nothing here holds an object.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import bpy
from bpy.app.handlers import persistent

from .listing import look_again

# Seconds between looks, and the shortest rest after a change before the scene is checked.
TICK = 0.25
REST = 0.4
# A check rests this many times as long as the last one took, so that slow ones are rare.
RESTS = 4.0
# Tags that change without the user, or that say what was found.
OWN = {"rna_type", "name", "playback", "issues", "issue_index", "checked", "stale"}
OWN |= {"progress", "progress_text", "live_check", "poses", "poses_attached", "poses_frame"}


class Watch:
    """When something changed last, what the tags were then, and how long a check takes; ``edits``
    counts changes.
    """

    changed: float | None = None
    edits = 0
    took = 0.0
    tags: tuple[str, Any] | None = None

    @classmethod
    def settle(cls, context: bpy.types.Context) -> None:
        """Take everything as it is now for checked."""
        context.view_layer.update()
        cls.changed, cls.tags = None, tags_of(context)


@persistent
def noticed(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Blender evaluated something anew; note the time if it is something of ours."""
    if any(_concerns(update) for update in depsgraph.updates):
        Watch.changed = time.monotonic()
        Watch.edits += 1


@persistent
def undone(*_arguments: Any) -> None:
    """Undo and redo exchange what Blender holds."""
    Watch.edits += 1


def _concerns(update: bpy.types.DepsgraphUpdate) -> bool:
    """Whether an update is of more than what is selected or shown: of a tagged object or a mesh,
    or of the objects that there are.
    """
    block = update.id
    if isinstance(block, bpy.types.Object):
        return bool(block.impulse.kind != "NONE")
    if isinstance(block, bpy.types.Scene):
        return bool(update.is_updated_transform)
    return isinstance(block, (bpy.types.Collection, bpy.types.Mesh, bpy.types.Action))


def tags_of(context: bpy.types.Context) -> tuple[str, Any]:
    """What the panels can edit: the active object by name with its tags, and the scene's."""
    scene, obj = context.scene, context.view_layer.objects.active
    physical = (tuple(scene.gravity), scene.use_gravity, scene.unit_settings.scale_length)
    frames = (scene.frame_start, scene.frame_end, scene.render.fps, scene.render.fps_base)
    own = None if obj is None else tuple(plain(obj.impulse))
    return ("" if obj is None else obj.name), (own, tuple(plain(scene.impulse)), physical, frames)


def plain(group: bpy.types.PropertyGroup) -> Iterator[Any]:
    """The values of a group and of what it holds, in the order of its properties."""
    for key, prop in group.bl_rna.properties.items():
        if key in OWN:
            continue
        value = getattr(group, key)
        if prop.type == "COLLECTION":
            yield tuple(tuple(plain(item)) for item in value)
        elif isinstance(value, bpy.types.PropertyGroup):
            yield tuple(plain(value))
        elif isinstance(value, bpy.types.ID):
            yield value.name
        else:
            yield value if prop.type != "FLOAT" or not prop.is_array else tuple(value)


def look() -> float:
    """A look at whether something changed, and at the scene where it has rested since; the time to
    the next look [s].
    """
    context = bpy.context
    if context.scene is None or not _is_ours(context.scene):
        return TICK
    name, values = tags_of(context)
    if Watch.tags is not None and Watch.tags[0] == name and Watch.tags[1] != values:
        Watch.changed = time.monotonic()
    Watch.tags = name, values
    rest = max(REST, RESTS * Watch.took)
    if Watch.changed is not None and time.monotonic() - Watch.changed >= rest and _is_free(context):
        Watch.changed = None
        take_up(context)
    return TICK


def _is_ours(scene: bpy.types.Scene) -> bool:
    """Whether there is something to keep up to date: a list, or bodies that wait for one."""
    tag = scene.impulse
    waiting = tag.live_check and any(obj.impulse.kind == "BODY" for obj in scene.objects)
    return bool(tag.checked or waiting)


def _is_free(context: bpy.types.Context) -> bool:
    """Whether the user is in the middle of nothing that a check would disturb."""
    playing = context.screen is not None and context.screen.is_animation_playing
    return context.mode == "OBJECT" and not playing and not context.scene.impulse.progress_text


def take_up(context: bpy.types.Context) -> None:
    """Check a scene that changed, or say that the list is out of date."""
    tag = context.scene.impulse
    if not tag.live_check:
        tag.stale = bool(tag.checked)
        _redraw(context)
        return
    start = time.perf_counter()
    look_again(context, shown=True)
    Watch.took = time.perf_counter() - start
    _redraw(context)


def _redraw(context: bpy.types.Context) -> None:
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def register() -> None:
    bpy.app.handlers.depsgraph_update_post.append(noticed)
    bpy.app.handlers.undo_post.append(undone)
    bpy.app.handlers.redo_post.append(undone)
    bpy.app.timers.register(look, first_interval=TICK, persistent=True)


def unregister() -> None:
    if bpy.app.timers.is_registered(look):
        bpy.app.timers.unregister(look)
    bpy.app.handlers.depsgraph_update_post.remove(noticed)
    bpy.app.handlers.undo_post.remove(undone)
    bpy.app.handlers.redo_post.remove(undone)
