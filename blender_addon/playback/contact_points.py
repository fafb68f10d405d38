# SPDX-License-Identifier: GPL-3.0-or-later
"""Where bodies touch in each frame of the motion that a scene plays, for drawing.

They are kept while Blender runs and not in the file: another Simulate brings them back.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.app.handlers import persistent
from numpy.typing import NDArray

from ..convert import Floats, decimals, length_to_blender

# Of scenes, by name.
_known: dict[str, Points] = {}


class Points:
    """Points of contact of frames that come in portions."""

    def __init__(self, metres: float) -> None:
        self._metres = metres  # of a Blender unit
        self._frames: list[Floats] = []
        self._rows: list[NDArray[np.int64]] = []
        self._points: list[Floats] = []
        self._count = 0

    def add(self, poses: Any, frames: Floats) -> None:
        """Take a part of a recording, whose frames have these numbers in the scene."""
        contacts = getattr(poses, "contacts", {})
        if contacts and len(contacts["frame"]):
            self._rows.append(self._count + np.asarray(contacts["frame"], dtype=np.int64))
            self._points.append(length_to_blender(np.asarray(contacts["point"]), self._metres))
        self._frames.append(frames)
        self._count += len(frames)

    def at(self, frame: float) -> Floats:
        """Points (N, 3) of the frame that is shown, in Blender units: those of the last frame of
        the recording that is not after it.
        """
        if not self._points:
            return np.zeros((0, 3))
        row = np.searchsorted(np.concatenate(self._frames), frame + 1e-6, side="right") - 1
        chosen: Floats = np.concatenate(self._points)[np.concatenate(self._rows) == row]
        return chosen


def begin(scene: bpy.types.Scene) -> Points:
    """The points of a motion that begins to come, in place of those of before."""
    _known[scene.name] = Points(decimals(scene.unit_settings.scale_length))
    return _known[scene.name]


def forget(scene: bpy.types.Scene) -> None:
    _known.pop(scene.name, None)


def shown(scene: bpy.types.Scene) -> Floats | None:
    """Points (N, 3) in the frame that a scene shows; None where it plays no motion of now."""
    points = _known.get(scene.name)
    if points is None or not any(obj.impulse.playback.active for obj in scene.objects):
        return None
    return points.at(scene.frame_current + scene.frame_subframe)


@persistent
def _forget_all(*_arguments: Any) -> None:
    """Another file is opened."""
    _known.clear()


def register() -> None:
    bpy.app.handlers.load_pre.append(_forget_all)


def unregister() -> None:
    bpy.app.handlers.load_pre.remove(_forget_all)
    _known.clear()
