# SPDX-License-Identifier: GPL-3.0-or-later
"""From a recording to keyframes, and back to how the objects were before.

Keys are written in bulk (``add`` and ``foreach_set``), linear, at the recording's own times as
fractional frames, into one action with a slot for each body. What the user edits afterwards is
never lost: poses are what ``clear`` puts back, actions with other keys are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import bpy
import numpy as np
from mathutils import Euler, Quaternion, Vector
from numpy.typing import NDArray

from .. import compat
from ..convert import (
    SHEAR_TOLERANCE,
    Floats,
    continuous,
    decimals,
    length_to_blender,
    quaternion_product,
    quaternion_to_rotation,
    rotation_to_quaternion,
    take_apart,
    time_to_frame,
)
from ..export.collect import is_identity
from ..export.keyed import MOVED, moved_by_hand

ACTION_NAME = "Impulse"
LINEAR = bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items["LINEAR"].value


class PlaybackError(Exception):
    """Nothing could be imported; the text says why."""


class Poses(Protocol):
    """The part of ``impulse_core.recording.Recording`` that is needed here."""

    times: Floats  # (F,) s
    body_names: Any  # N names
    positions: Floats  # (F, N, 3) m, origin of the object
    orientations: Floats  # (F, N, 4) body to world


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


@dataclass(frozen=True)
class Track:
    """Recorded motion of an object, in Blender units."""

    obj: bpy.types.Object
    positions: Floats  # (F, 3)
    quaternions: Floats  # (F, 4), the object's rigid axes in the world
    stretch: Floats  # (3, 3), its scale and that of its parents

    @cached_property
    def matrices(self) -> Floats:
        """World matrices (F, 4, 4) of the object."""
        matrices = np.zeros((len(self.positions), 4, 4))
        matrices[:, :3, :3] = quaternion_to_rotation(self.quaternions) @ self.stretch
        matrices[:, :3, 3] = self.positions
        matrices[:, 3, 3] = 1.0
        return matrices


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
    report = Report(frames=len(recording.times))
    found = [
        (index, scene.objects[name])
        for index, name in enumerate(recording.body_names)
        if name in scene.objects
    ]
    report.missing = [name for name in recording.body_names if name not in scene.objects]
    if not found:
        raise PlaybackError(
            "None of the recording's bodies is in this file; its first is"
            f" '{next(iter(recording.body_names), '')}'."
        )
    bpy.context.view_layer.update()
    tracks = {obj.name: _track(recording, index, obj, scene) for index, obj in found}
    channels = {
        name: _channels(track, tracks) for name, track in tracks.items() if _is_moved(track.obj)
    }
    report.kept = [name for name in tracks if name not in channels]
    start = scene.frame_start if start is None else start
    frames = time_to_frame(recording.times, start, scene.render.fps / scene.render.fps_base)
    writer = compat.ActionWriter(ACTION_NAME)
    replaced = set()
    for name, (locations, quaternions) in channels.items():
        obj = tracks[name].obj
        replaced.add(_remember(obj))
        obj.rotation_mode = "QUATERNION"
        curves = writer.bind(obj)
        write_keys(curves, "location", frames, locations)
        write_keys(curves, "rotation_quaternion", frames, quaternions)
        obj.impulse.playback.start_location = locations[0]
        obj.impulse.playback.start_quaternion = quaternions[0]
        report.imported.append(name)
    writer.finish()
    report.kept_actions = compat.remove_unused(action for action in replaced if action is not None)
    if fit_range:
        scene.frame_end = max(int(np.ceil(frames[-1] - 1e-6)), scene.frame_start)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return report


def write_keys(curves: Any, data_path: str, frames: Floats, values: Floats) -> None:
    """Write the columns of ``values`` (F, C) as linear keys at ``frames``, one curve each."""
    points = np.empty((len(frames), 2), np.float32)
    points[:, 0] = frames
    linear = np.full(len(frames), LINEAR, np.int32)
    for index, column in enumerate(values.T):
        curve = compat.new_curve(curves, data_path, index, ACTION_NAME)
        points[:, 1] = column
        curve.keyframe_points.add(len(frames))
        curve.keyframe_points.foreach_set("co", points.ravel())
        curve.keyframe_points.foreach_set("interpolation", linear)
        curve.update()


def clear(objects: Any) -> tuple[list[str], list[str]]:
    """Take imported motion away and put back what was there before.

    An object that was moved since stays where it was put, one that was given another action keeps
    it. Returns the names of the objects, and those of edited actions, which are kept.
    """
    cleared, actions = [], set()
    for obj in objects:
        memory = obj.impulse.playback
        if not memory.active:
            continue
        if (recorded := recorded_action(obj)) is not None:
            take_up_edit(obj, bpy.context.scene)
            actions.add(recorded)
            compat.assign_action(obj, memory.previous_action, memory.previous_slot)
            obj.rotation_mode = memory.previous_rotation_mode
            _restore_transform(obj)
        elif memory.previous_action is not None:
            memory.previous_action.use_fake_user = True
        memory.previous_action = None
        memory.active = False
        cleared.append(obj.name)
    return cleared, compat.remove_unused(actions)


def recorded_action(obj: bpy.types.Object) -> bpy.types.Action | None:
    """The action of an object if it was made from a recording."""
    action = obj.animation_data.action if obj.animation_data is not None else None
    return action if action is not None and compat.is_recorded(action) else None


def take_up_edit(obj: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Let a pose that the user gave an object since the import be what ``clear`` puts back.

    That is where it stands, if it was moved by hand in the frame that is shown; else what its
    keys say for the first frame, if these are no longer those that were imported.
    """
    memory = obj.impulse.playback
    if not memory.active or recorded_action(obj) is None:
        return
    if moved_by_hand(obj, scene):
        location, quaternion = obj.location.copy(), obj.matrix_basis.to_quaternion()
    else:
        location, quaternion = (Vector(v) for v in _keyed_start(obj, scene))
        quaternion = Quaternion(quaternion)
    if (location - Vector(memory.start_location)).length > MOVED * max(1.0, location.length):
        memory.previous_location = location
    # 2 sin(angle / 2) of what lies between, which is exact for small angles, unlike the angle
    turn = (
        2.0 * Vector(quaternion.rotation_difference(Quaternion(memory.start_quaternion))[1:]).length
    )
    if turn > MOVED:
        mode = memory.previous_rotation_mode
        order = mode if mode not in {"QUATERNION", "AXIS_ANGLE"} else "XYZ"
        axis, angle = quaternion.to_axis_angle()
        memory.previous_quaternion = quaternion
        memory.previous_euler = quaternion.to_euler(order, Euler(memory.previous_euler, order))
        memory.previous_axis_angle = (angle, *axis)


def _keyed_start(obj: bpy.types.Object, scene: bpy.types.Scene) -> tuple[list[float], list[float]]:
    """Location and quaternion that the keys of an object give it in the first frame."""
    memory = obj.impulse.playback
    values = {
        "location": list(memory.start_location),
        "rotation_quaternion": list(memory.start_quaternion),
    }
    for curve in compat.curves_of(obj):
        if curve.data_path in values:
            values[curve.data_path][curve.array_index] = curve.evaluate(scene.frame_start)
    return values["location"], values["rotation_quaternion"]


def _is_moved(obj: bpy.types.Object) -> bool:
    return obj.impulse.kind != "BODY" or obj.impulse.body.motion == "dynamic"


def _track(recording: Poses, index: int, obj: bpy.types.Object, scene: bpy.types.Scene) -> Track:
    try:
        stretch = take_apart(np.array(obj.matrix_world)).stretch
    except ValueError as error:
        raise PlaybackError(f"{obj.name} has a scale of zero.") from error
    metres = decimals(scene.unit_settings.scale_length)
    positions = length_to_blender(recording.positions[:, index], metres)
    return Track(obj, positions, recording.orientations[:, index], stretch)


def _channels(track: Track, tracks: dict[str, Track]) -> tuple[Floats, Floats]:
    """Locations (F, 3) and quaternions (F, 4) that give ``track`` under the object's parent."""
    obj = track.obj
    if not is_identity(obj.delta_location, obj.delta_scale, obj.delta_rotation_quaternion):
        raise PlaybackError(f"{obj.name} has delta transforms; apply them first.")
    space = _parent_space(obj, tracks)
    # The object's own matrix is rotation · diag(scale); a scale may be negative, so it is divided
    # out with its sign.
    scale = np.array(obj.scale)
    if space is None:
        turn = rotation_to_quaternion(track.stretch / scale)
        return track.positions, continuous(quaternion_product(track.quaternions, turn))
    own = np.linalg.inv(space) @ track.matrices
    rotations = own[:, :3, :3] / scale
    if np.abs(rotations[0] @ rotations[0].T - np.eye(3)).max() > SHEAR_TOLERANCE:
        raise PlaybackError(
            f"{obj.name} hangs on a parent with an uneven scale; apply that scale or clear the"
            " parent."
        )
    return own[:, :3, 3], continuous(rotation_to_quaternion(rotations))


def _parent_space(obj: bpy.types.Object, tracks: dict[str, Track]) -> Floats | None:
    """Matrices (F, 4, 4) or (1, 4, 4) from an object's own transform to the world, None for one."""
    if obj.parent is None:
        return None
    inverse = np.array(obj.matrix_parent_inverse)
    if obj.parent_type == "OBJECT":
        return _world(obj.parent, tracks) @ inverse
    # Bones and vertices: as they stand now.
    return (np.array(obj.matrix_world) @ np.linalg.inv(np.array(obj.matrix_basis)))[None]


def _world(obj: bpy.types.Object, tracks: dict[str, Track]) -> Floats:
    """World matrices (F, 4, 4) of an object, (1, 4, 4) where nothing it hangs on is recorded."""
    if obj.name in tracks:
        return tracks[obj.name].matrices
    space = _parent_space(obj, tracks)
    return np.array(obj.matrix_basis)[None] if space is None else space @ np.array(obj.matrix_basis)


def _remember(obj: bpy.types.Object) -> bpy.types.Action | None:
    """Store what an import changes, once; returns the action of an earlier import, to remove."""
    memory = obj.impulse.playback
    earlier = obj.animation_data.action if obj.animation_data is not None else None
    if memory.active and earlier is not None and compat.is_recorded(earlier):
        take_up_edit(obj, bpy.context.scene)
        return earlier
    memory.active = True
    memory.previous_action = earlier
    memory.previous_slot = 0 if earlier is None else compat.slot_handle(obj)
    memory.previous_rotation_mode = obj.rotation_mode
    memory.previous_location = obj.location
    memory.previous_euler = obj.rotation_euler
    memory.previous_quaternion = obj.rotation_quaternion
    memory.previous_axis_angle = obj.rotation_axis_angle
    return None


def _restore_transform(obj: bpy.types.Object) -> None:
    memory = obj.impulse.playback
    obj.location = memory.previous_location
    obj.rotation_euler = memory.previous_euler
    obj.rotation_quaternion = memory.previous_quaternion
    obj.rotation_axis_angle = memory.previous_axis_angle


def key_array(curve: bpy.types.FCurve) -> NDArray[np.float32]:
    """Frames and values (K, 2) of a curve's keys."""
    points = np.empty(len(curve.keyframe_points) * 2, np.float32)
    curve.keyframe_points.foreach_get("co", points)
    return points.reshape(-1, 2)
