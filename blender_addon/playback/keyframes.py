# SPDX-License-Identifier: GPL-3.0-or-later
"""From a recording to keyframes, and back to how the objects were before.

Keys are written in bulk (``add`` and ``foreach_set``), linear, at the recording's own times as
fractional frames, into one action with a slot for each body. What the user edits afterwards is
never lost: poses are what ``clear`` puts back, actions with other keys are kept.

An ``Import`` takes frames as they come and writes for as long as it is let, so that Blender stays
usable while a simulation goes on. Nothing of Blender is held between two calls: undo or a script
may have changed anything.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from .. import compat
from ..convert import Floats, continuous, time_to_frame
from ..export.undisturbed import put_back_transform, recorded_action, remember, take_up_edit
from . import contact_points, followers
from .curves import key_array, write_keys
from .results import Results
from .results import remove as remove_results
from .results import write as write_results
from .tracks import Plan, PlaybackError, Poses, plan_of

__all__ = [
    "ACTION_NAME",
    "Import",
    "PlaybackError",
    "Report",
    "clear",
    "import_recording",
    "kept_text",
    "key_array",
    "take_up_edit",
]

ACTION_NAME = "Impulse"
CHANNELS = (
    *(("location", index) for index in range(3)),
    *(("rotation_quaternion", index) for index in range(4)),
)
# Keys of an object are written again once there are so many times as many.
GROWTH = 1.1


@dataclass
class Report:
    """Names of the objects that were keyframed, left alone, and not found; of earlier actions that
    were edited and are kept.
    """

    imported: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    kept_actions: list[str] = field(default_factory=list)
    frames: int = 0

    def __str__(self) -> str:
        text = f"{self.frames} frames for {len(self.imported)} objects"
        if self.missing:
            shown = ", ".join(self.missing[:8]) + (" …" if len(self.missing) > 8 else "")
            text += f"; not in this file: {shown}"
        return text + kept_text(self.kept_actions)


def kept_text(actions: list[str]) -> str:
    """What to say of edited actions."""
    return f"; kept, as it was edited: {', '.join(actions)}" if actions else ""


def import_recording(
    recording: Poses,
    scene: bpy.types.Scene,
    *,
    start: float | None = None,
    fit_range: bool = True,
) -> Report:
    """Give the objects a recording names its motion as keyframes.

    Time 0 lands on frame ``start``, by default the first frame of the scene, whose last frame
    moves to the end of the recording with ``fit_range``. Scale stays, parents are allowed for.
    Kinematic and static bodies keep what they have. Raises PlaybackError where no name fits, or
    where an object cannot be keyframed.
    """
    under_way = Import(scene, start=start)
    under_way.add(recording, scene)
    under_way.write(scene)
    return under_way.finish(scene, fit_range=fit_range)


class Import:
    """A motion on its way into keyframes: ``add`` frames, ``write`` for a while, ``finish``."""

    def __init__(self, scene: bpy.types.Scene, *, start: float | None = None) -> None:
        self.start = scene.frame_start if start is None else start
        self._name = secrets.token_hex(8)  # of this import, which its actions bear
        self._plan: Plan | None = None
        self._results: Results
        self._contacts: contact_points.Points
        self._prints: compat.Fingerprints | None = None
        self._frames: list[Floats] = []
        self._keys: dict[str, list[NDArray[np.float32]]] = {}  # (F, 7) for each object
        self._last: dict[str, Floats] = {}  # quaternions of the last frame
        self._written: dict[str, int] = {}
        self._replaced: set[str] = set()  # names of actions

    @property
    def frame_count(self) -> int:
        """How many frames were added."""
        return sum(len(part) for part in self._frames)

    @property
    def last_frame(self) -> float | None:
        """The last frame that was added."""
        return float(self._frames[-1][-1]) if self.frame_count else None

    def add(self, poses: Poses, scene: bpy.types.Scene) -> None:
        """Take frames that follow those before. Raises PlaybackError."""
        if not len(poses.times):
            return
        if self._plan is None:
            self._plan = plan_of(poses.body_names, scene)
            self._plan.check(poses)
            self._results = Results(scene)
            self._contacts = contact_points.begin(scene)
            prepare(scene)
        for name, (locations, quaternions) in self._plan.channels(poses).items():
            last = self._last.get(name)
            if last is not None:
                quaternions = np.concatenate([last, quaternions])
            quaternions = continuous(quaternions)
            self._last[name] = quaternions[-1:]
            columns = np.concatenate([locations, quaternions[-len(locations) :]], axis=1)
            self._keys.setdefault(name, []).append(columns.astype(np.float32))
        self._results.add(poses)
        rate = scene.render.fps / scene.render.fps_base
        self._frames.append(time_to_frame(poses.times, self.start, rate))
        self._contacts.add(poses, self._frames[-1])

    def write(
        self, scene: bpy.types.Scene, end: float | None = None, *, everything: bool = True
    ) -> bool:
        """Write keys, those of one object at least, until then by ``time.perf_counter``; whether
        there is nothing left to write.

        Without ``everything``, objects wait until there is something worth writing.
        """
        frames = np.concatenate(self._frames) if self._frames else np.zeros(0)
        is_late = False
        # the one that is farthest behind comes first
        is_late = False
        # the one that is farthest behind comes first
        for name in sorted(self._keys, key=lambda name: self._written.get(name, 0)):
            obj = scene.objects.get(name)
            if obj is None:
                continue
            written = self._written[name] = self._count(obj)
            enough = len(frames) if everything else max(written + 1, GROWTH * written)
            if written >= len(frames) or len(frames) < enough:
                continue
            if is_late:
                return False
            self._write_object(obj, frames)
            is_late = end is not None and time.perf_counter() > end
        return True

    def written_frame(self, scene: bpy.types.Scene) -> float | None:
        """The last frame for which all objects have keys; None where there is none."""
        counts = [self._written.get(name, 0) for name in self._keys if name in scene.objects]
        if not counts or min(counts) == 0:
            return None
        return float(np.concatenate(self._frames)[min(counts) - 1])

    def _count(self, obj: bpy.types.Object) -> int:
        """How many frames an object has keys for; undo may have taken some."""
        if not self._is_bound(obj):
            return 0
        curves = self._curves(obj)
        return min((len(c.keyframe_points) for c in curves if c is not None), default=0)

    def _curves(self, obj: bpy.types.Object) -> list[bpy.types.FCurve | None]:
        """The seven curves, None for those that the user has removed."""
        known = {(curve.data_path, curve.array_index): curve for curve in compat.curves_of(obj)}
        return [known.get(channel) for channel in CHANNELS]

    def _write_object(self, obj: bpy.types.Object, frames: Floats) -> None:
        parts = self._keys[obj.name]
        if len(parts) > 1:
            parts[:] = [np.concatenate(parts)]
        is_bound = self._is_bound(obj)
        curves = self._curves(obj) if is_bound else self._bind(obj, parts[0][0])
        points = np.empty((len(frames), 2), np.float32)
        points[:, 0] = frames
        for column, curve in enumerate(curves):
            if curve is not None and len(curve.keyframe_points) <= len(frames):
                points[:, 1] = parts[0][:, column]
                write_keys(curve, points)
        self._written[obj.name] = len(frames)

    def _is_bound(self, obj: bpy.types.Object) -> bool:
        action = obj.animation_data.action if obj.animation_data is not None else None
        return action is not None and compat.import_of(action) == self._name

    def _bind(self, obj: bpy.types.Object, first: NDArray[np.float32]) -> list[Any]:
        """Give an object an action of this import; returns its seven curves."""
        replaced = _remember(obj)
        if replaced is not None:
            self._replaced.add(replaced.name)
        obj.rotation_mode = "QUATERNION"
        shared = next(self._actions(), None) if compat.has_layered_actions() else None
        curves = compat.ActionWriter(ACTION_NAME, self._name, shared).bind(obj)
        obj.impulse.playback.start_location = first[:3]
        obj.impulse.playback.start_quaternion = first[3:]
        return [compat.new_curve(curves, path, index, ACTION_NAME) for path, index in CHANNELS]

    def _actions(self) -> Iterator[bpy.types.Action]:
        return (action for action in bpy.data.actions if compat.import_of(action) == self._name)

    def settle(self, scene: bpy.types.Scene, end: float | None = None) -> bool:
        """After all keys: write results, and look what is in the actions, until then by
        ``time.perf_counter``; whether all is ready to ``finish``.
        """
        if self._prints is None:
            if self.frame_count:
                series = self._results.series() if scene.impulse.use_results else {}
                write_results(scene, series, np.concatenate(self._frames))
            made = [action.name for action in self._actions()]
            self._prints = compat.Fingerprints([*made, *self._replaced])
        return self._prints.advance(end)

    def finish(self, scene: bpy.types.Scene, *, fit_range: bool = False) -> Report:
        """Mark what was made, remove what it replaces; what was done."""
        self.settle(scene)
        assert self._prints is not None
        found = self._prints.found
        actions = list(self._actions())
        for action in actions:
            compat.mark_recorded(action, found.get(action.name, ""))
        replaced = [bpy.data.actions[name] for name in self._replaced if name in bpy.data.actions]
        kept_actions = compat.remove_unused(replaced, found)
        for action in actions:
            compat.take_name(action, ACTION_NAME)
        if fit_range and self._frames:
            fit_frame_range(scene, np.concatenate(self._frames)[-1])
        scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
        if self._plan is None:
            return Report()
        return Report(
            [name for name in self._keys if name in self._written],
            [name for name in self._plan.tracks if name not in self._plan.keyed],
            self._plan.missing,
            kept_actions,
            self.frame_count,
        )


def prepare(scene: bpy.types.Scene) -> None:
    """Note what was edited, as other frames are shown now; let the joints follow."""
    for obj in scene.objects:
        take_up_edit(obj, scene)
    followers.attach(scene)


def fit_frame_range(scene: bpy.types.Scene, frame: float) -> None:
    """Let the scene end with a frame; ``clear`` puts its last frame back."""
    memory = scene.impulse.range_memory
    if not memory.active or memory.fitted_end != scene.frame_end:
        memory.previous_end = scene.frame_end
    scene.frame_end = max(int(np.ceil(frame - 1e-6)), scene.frame_start)
    memory.active, memory.fitted_end = True, scene.frame_end


def _put_back_range(scene: bpy.types.Scene) -> None:
    memory = scene.impulse.range_memory
    if memory.active and scene.frame_end == memory.fitted_end:  # else the user has set it since
        scene.frame_end = memory.previous_end
    memory.active = False


def clear(objects: Iterable[bpy.types.Object]) -> tuple[list[str], list[str]]:
    """Take imported motion away and put back what was there before.

    An object that was moved since stays where it was put, one that was given another action keeps
    it. Returns the names of the objects, and those of edited actions, which are kept.
    """
    objects = list(objects)
    followers.detach(objects)
    remove_results(bpy.context.scene, objects)
    contact_points.forget(bpy.context.scene)
    playing = [obj for obj in objects if obj.impulse.playback.active]
    actions = {action for obj in playing if (action := take_off(obj)) is not None}
    _put_back_range(bpy.context.scene)
    return [obj.name for obj in playing], compat.remove_unused(actions)


def take_off(obj: bpy.types.Object) -> bpy.types.Action | None:
    """Put an object back to what it was before a motion was imported; the action it played."""
    memory = obj.impulse.playback
    recorded = recorded_action(obj)
    if recorded is not None:
        take_up_edit(obj, bpy.context.scene)
        compat.assign_action(obj, memory.previous_action, memory.previous_slot)
        put_back_transform(obj)
    elif memory.previous_action is not None:
        memory.previous_action.use_fake_user = True
    memory.previous_action = None
    memory.active = False
    return recorded


def put_on(obj: bpy.types.Object, action: bpy.types.Action, slot: int) -> bpy.types.Action | None:
    """Let an object play the motion of an action; the recorded action that it played before."""
    replaced = _remember(obj)
    compat.assign_action(obj, action, slot)
    obj.rotation_mode = "QUATERNION"
    memory = obj.impulse.playback
    start = {"location": [0.0] * 3, "rotation_quaternion": [1.0, 0.0, 0.0, 0.0]}
    for curve in compat.curves_of(obj):
        if curve.data_path in start and len(curve.keyframe_points):
            start[curve.data_path][curve.array_index] = curve.keyframe_points[0].co[1]
    memory.start_location = start["location"]
    memory.start_quaternion = start["rotation_quaternion"]
    return replaced


def _remember(obj: bpy.types.Object) -> bpy.types.Action | None:
    """Store what an import changes, once; returns the action of an earlier import, to remove."""
    earlier = obj.animation_data.action if obj.animation_data is not None else None
    if obj.impulse.playback.active and recorded_action(obj) is not None:
        take_up_edit(obj, bpy.context.scene)
        return earlier
    remember(obj, earlier)
    return None
