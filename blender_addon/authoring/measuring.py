# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses kept at hand for panels and the overlay, measured anew shortly after an edit.

Panels and overlays only read what is here. A change of a body marks it; a timer measures what is
marked once the edits pause. Without a window there are no timers: ``refresh`` is the way then.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import bpy
from bpy.app.handlers import persistent

from ..export.collect import body_of, is_animated
from .masses import Measured, measure

# Seconds without an edit before bodies are measured.
PAUSE = 0.3
# Meshes of more vertices are measured only when asked for (``refresh``), as that takes a moment.
AUTOMATIC = 200_000
# Bodies measured in one go, so that the window stays responsive.
CHUNK = 20


@dataclass
class Store:
    """What was measured, by name of the body; what has changed since; how often it was measured."""

    known: dict[str, Measured] = field(default_factory=dict)
    stale: set[str] = field(default_factory=set)
    version: int = 0
    total: tuple[float, int] = (0.0, 0)
    total_of: tuple[int, int] = (-1, 0)  # the version, and the number of objects, that it is of


_store = Store()


def known(name: str) -> Measured | None:
    """What a body weighed when it was last measured."""
    return _store.known.get(name)


def version() -> int:
    """A number that grows when something is measured."""
    return _store.version


def is_current(name: str) -> bool:
    """Whether that is what it weighs now; asks for a measurement if not."""
    if name in _store.known and name not in _store.stale:
        return True
    _store.stale.add(name)
    _schedule()
    return False


def total(context: bpy.types.Context) -> tuple[float, int]:
    """Mass of the bodies that were last measured [kg], and how many of them have one."""
    state = (_store.version, len(context.view_layer.objects))
    if _store.total_of != state:
        bodies = [_store.known.get(body.name) for body in dynamic_bodies(context)]
        masses = [found.mass for found in bodies if found is not None and found.mass > 0.0]
        _store.total, _store.total_of = (sum(masses), len(masses)), state
    return _store.total


def dynamic_bodies(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The bodies of the view layer that have a mass."""
    return [
        obj
        for obj in context.view_layer.objects
        if obj.impulse.kind == "BODY" and obj.impulse.body.motion == "dynamic"
    ]


def refresh(context: bpy.types.Context, names: Iterable[str] | None = None) -> None:
    """Measure the bodies of these names, by default all of them."""
    wanted = None if names is None else set(names)
    bodies = [b for b in dynamic_bodies(context) if wanted is None or b.name in wanted]
    if wanted is None:
        _store.known.clear()
        _store.stale.clear()
    _store.known.update(measure(context, bodies))
    _store.version += 1
    _store.stale.difference_update(wanted or ())


def forget() -> None:
    """Forget everything, as after undo or another file."""
    _store.known.clear()
    _store.stale.clear()
    _store.version += 1


def _schedule() -> None:
    if bpy.app.timers.is_registered(_measure_later):
        bpy.app.timers.unregister(_measure_later)
    bpy.app.timers.register(_measure_later, first_interval=PAUSE)


def _measure_later() -> float | None:
    """Measure some of what is marked, and let the views show it; the seconds until the next."""
    context = bpy.context
    if context.mode != "OBJECT" or context.view_layer is None:
        return PAUSE
    here = {obj.name for obj in dynamic_bodies(context) if _is_small(obj)}
    _store.stale.intersection_update(here)
    refresh(context, sorted(_store.stale)[:CHUNK])
    if _store.stale:
        return 0.001
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
    return None


def _is_small(obj: bpy.types.Object) -> bool:
    return len(getattr(obj.data, "vertices", ())) <= AUTOMATIC


@persistent
def _on_change(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Mark the bodies that an edit may have changed; motion alone changes no mass."""
    changed = set()
    for update in depsgraph.updates:
        obj = update.id.original
        if not isinstance(obj, bpy.types.Object) or obj.impulse.kind not in ("BODY", "GEOMETRY"):
            continue
        moved_only = update.is_updated_transform and not update.is_updated_geometry
        if moved_only and is_animated(obj):
            continue
        body = obj if obj.impulse.kind == "BODY" else body_of(obj)
        if body is not None:
            changed.add(body.name)
    changed &= _store.known.keys()
    if changed:
        _store.stale.update(changed)
        _schedule()


@persistent
def _on_load(*_arguments: object) -> None:
    forget()


HANDLERS = (
    ("depsgraph_update_post", _on_change),
    ("undo_post", _on_load),
    ("redo_post", _on_load),
    ("load_post", _on_load),
)


def register() -> None:
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).remove(handler)
    if bpy.app.timers.is_registered(_measure_later):
        bpy.app.timers.unregister(_measure_later)
    forget()
