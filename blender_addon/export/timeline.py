# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender's timeline says over time and the file can hold: targets of motors, loads,
poses of kinematic bodies.

A property that one F-curve alone drives is read from that curve, its modifiers included. Whatever
else there is (drivers, strips, two curves, a stretched time, what carries a body) is read from the
scene itself, frame by frame and between frames.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import bpy
import numpy as np

from impulse_schema import models

from ..compat import animation_curves
from ..convert import Floats, decimals
from ..properties.schema_properties import values_of
from .collect import Tagged, is_carried
from .keyed import keyed_paths, moved_by_hand
from .sampling import SINGLE, Function, Samples, grid_of, sampled
from .timed_loads import has_factor, in_steps, timed_loads

TOLERANCE = 1e-4  # rad or m; of loads, and of targets beyond 1, of their largest
RAMP = 1e-6  # s that a jump of a curve takes which is no step
FINEST = 64  # poses of a kinematic body for a frame, at most
MOST_KEYS = 5000  # repeated ones, between which a curve is looked at more closely
JUMPED = 0.1  # of its size that the error of halved intervals still has where a body jumps

MOTOR_PATH = re.compile(r"(impulse\.joint\.motors\[.+\])\.(target|target_angle)$")
LOAD_PATH = re.compile(r"(impulse\.body\.loads\[.+\])\.(force|torque)$")

Reader = Callable[[], list[float]]


class Channel(NamedTuple):
    """A number over time: its values at frames, the frames of its keys, and what it is of: "servo",
    "load" or "".
    """

    function: Function
    keys: list[float]
    of: str


class Timeline:
    """What varies in the tagged objects and is exported as such.

    Attributes:
        exported: Names of objects with the paths of their properties that are.
    """

    def __init__(self, context: bpy.types.Context, tagged: Tagged) -> None:
        """Look at the timeline; the frame that is shown stays, and what was moved in it."""
        self._scene = context.scene
        self._scrubber = Scrubber(context)
        self._fps = self._scene.render.fps / self._scene.render.fps_base
        self._ramp = RAMP * self._fps
        self._targets: dict[tuple[str, int], Samples] = {}
        self._present: dict[tuple[str, int], float] = {}
        self._loads: dict[tuple[str, int], list[dict[str, Any]]] = {}
        self._poses: dict[str, list[tuple[float, Floats]]] = {}
        self.exported: set[tuple[str, str]] = set()
        motors = [found for obj in tagged.joints for found in self._motors(obj)]
        loads = [found for obj in tagged.bodies for found in self._load_channels(obj)]
        if tagged.shown:  # which takes no other frame than the one that is shown
            varying = [(obj, paths) for obj, _number, _channel, paths in (*motors, *loads)]
            self.exported = {(obj.name, path) for obj, paths in varying for path in paths}
            for obj, number, _channel, _paths in motors:
                self._present[obj.name, number] = obj.impulse.joint.motors[number].target
            return
        led = [obj for obj in tagged.bodies if _is_led(obj)]
        for obj in led:
            self._scrubber.watch(*_matrix(obj))
        with self._scrubber.scrubbing():
            for obj, number, channel, paths in motors:
                self._targets[obj.name, number] = self._samples(channel)
                self.exported |= {(obj.name, path) for path in paths}
            for obj, number, channels, paths in loads:
                parts = {key: self._samples(channel) for key, channel in channels.items()}
                load = obj.impulse.body.loads[number]
                if in_steps(parts) or not has_factor(load):
                    made = timed_loads(load, parts, self._scene.frame_start, self._fps)
                    self._loads[obj.name, number] = made
                    self.exported |= {(obj.name, path) for path in paths}
            self._read_poses(led)

    def target(self, obj: bpy.types.Object, motor: int) -> dict[str, Any] | None:
        """The ``target`` or ``curve`` of a motor; None where it is not from the timeline."""
        if (obj.name, motor) in self._present:
            return {"target": decimals(self._present[obj.name, motor])}
        samples = self._targets.get((obj.name, motor))
        if samples is None:
            return None
        if np.ptp(samples.values) == 0.0:
            return {"target": decimals(samples.values[0])}
        return {"curve": samples.curve(self._scene.frame_start, self._fps)}

    def loads(self, obj: bpy.types.Object, load: int) -> list[dict[str, Any]] | None:
        """What a load that changes is in the file, as ``timed_loads`` says; None where it does not
        change.
        """
        return self._loads.get((obj.name, load))

    def poses(self, obj: bpy.types.Object) -> list[tuple[float, Floats]]:
        """Times [s] and world matrices (4, 4) of a kinematic body; empty where it stands still."""
        return self._poses.get(obj.name, [])

    def _motors(self, obj: bpy.types.Object) -> Iterator[tuple[Any, int, Channel, list[str]]]:
        for number, motor in enumerate(obj.impulse.joint.motors):
            paths = _paths_of(obj, self._scene, motor, MOTOR_PATH)
            if paths and _follows_target(motor):
                yield obj, number, self._channel(obj, motor, "target", paths), paths

    def _load_channels(self, obj: bpy.types.Object) -> Iterator[tuple[Any, int, Any, list[str]]]:
        for number, load in enumerate(obj.impulse.body.loads):
            paths = _paths_of(obj, self._scene, load, LOAD_PATH)
            if paths:
                channels = {
                    (key, axis): self._channel(obj, load, key, paths, axis)
                    for key in ("force", "torque")
                    for axis in range(3)
                }
                yield obj, number, channels, paths

    def _channel(
        self,
        obj: bpy.types.Object,
        group: Any,
        key: str,
        paths: list[str],
        axis: int | None = None,
    ) -> Channel:
        """A number of a group over time; ``paths`` are those of its group that vary."""
        curves = [
            curve
            for curve in animation_curves(obj)
            if curve.data_path in paths
            and not curve.mute
            and axis in (None, curve.array_index)
            and curve.data_path.endswith((f".{key}", f".{key}_angle"))
        ]
        span = float(self._scene.frame_start), self._last_frame()
        keys = [frame for curve in curves for frame in _keys(curve, *span)]
        of = "load" if axis is not None else "servo" if group.kind == "servo" else ""
        if len(curves) == 1 and self._is_plain(obj, paths):
            return Channel(_evaluated(curves[0]), keys, of)
        reader = _number(obj, group, key, axis)
        self._scrubber.watch(*reader)
        return Channel(partial(self._scrubber.values, reader[0]), keys, of)

    def _samples(self, channel: Channel) -> Samples:
        first, last = float(self._scene.frame_start), self._last_frame()
        grid = grid_of(first, last, channel.keys)
        size = float(np.abs(channel.function(grid)).max())
        if channel.of == "load" and size > 0.0:  # which may be of any size
            made = sampled(lambda at: channel.function(at) / size, grid, TOLERANCE, self._ramp)
            return made._replace(values=size * made.values)
        tolerance = TOLERANCE * max(1.0, size)
        if channel.of == "servo":
            tolerance = max(TOLERANCE, 4.0 * SINGLE * size)
        return sampled(channel.function, grid, tolerance, self._ramp)

    def _is_plain(self, obj: bpy.types.Object, paths: list[str]) -> bool:
        """Whether the F-curve of an action says what Blender shows."""
        animation = obj.animation_data
        return (
            not any(driver.data_path in paths for driver in animation.drivers)
            and not (animation.use_nla and len(animation.nla_tracks))
            and not animation.use_tweak_mode
            and self._scene.render.frame_map_old == self._scene.render.frame_map_new
        )

    def _last_frame(self) -> float:
        """The last frame of the scene or of the simulation, whichever is later."""
        duration = values_of(self._scene.impulse.settings, models.Settings).get("duration") or 0.0
        return max(
            float(self._scene.frame_end),
            float(np.ceil(self._scene.frame_start + duration * self._fps)),
            self._scene.frame_start + 1.0,
        )

    def _read_poses(self, bodies: list[bpy.types.Object]) -> None:
        frames = np.arange(self._scene.frame_start, self._scene.frame_end + 1.0)
        for obj in bodies:
            read = partial(self._scrubber.rows, _matrix(obj)[0])
            linear = obj.impulse.body.keyframe_interpolation == "linear"
            places = _finer(read, frames) if linear and len(frames) > 1 else frames
            times = (places - self._scene.frame_start) / self._fps
            matrices = read(places).reshape(-1, 4, 4)
            self._poses[obj.name] = list(zip(times.tolist(), matrices, strict=True))


class Scrubber:
    """Reads properties and poses at any frame, by showing it; at a frame that is shown, all that is
    watched. They are found by name, as showing a frame may exchange what Blender holds.
    """

    def __init__(self, context: bpy.types.Context) -> None:
        self._context = context
        self._readers: dict[Any, Reader] = {}
        self._read: dict[float, dict[Any, list[float]]] = {}

    def watch(self, key: Any, reader: Reader) -> None:
        """Read this as well wherever a frame is shown; ``key`` tells it from others."""
        self._readers[key] = reader

    @contextmanager
    def scrubbing(self) -> Iterator[None]:
        """Put the frame back at the end, and what was moved by hand in it."""
        scene = self._context.scene
        frame, subframe = scene.frame_current, scene.frame_subframe
        moved = [
            (obj.name, obj.matrix_basis.copy())
            for obj in self._context.view_layer.objects
            if moved_by_hand(obj, scene)
        ]
        yield
        if not self._read:
            return
        scene.frame_set(frame, subframe=subframe)
        for name, matrix in moved:
            bpy.data.objects[name].matrix_basis = matrix
        self._context.view_layer.update()

    def values(self, key: Any, frames: Floats) -> Floats:
        """A number at frames (n,), shape (n,)."""
        return self.rows(key, frames)[:, 0]

    def rows(self, key: Any, frames: Floats) -> Floats:
        """Numbers at frames (n,), shape (n, m)."""
        for frame in frames.tolist():
            if frame not in self._read:
                whole = int(np.floor(frame))
                self._context.scene.frame_set(whole, subframe=frame - whole)
                self._read[frame] = {name: read() for name, read in self._readers.items()}
        return np.array([self._read[frame][key] for frame in frames.tolist()])


def _evaluated(curve: bpy.types.FCurve) -> Callable[[Floats], Floats]:
    """An F-curve, modifiers and all, as a function of frames (n,)."""
    return lambda frames: np.array([curve.evaluate(frame) for frame in frames.tolist()])


def _keys(curve: bpy.types.FCurve, first: float, last: float) -> list[float]:
    """Frames of the keys of an F-curve, also of those that a modifier repeats within a span."""
    keys = [point.co[0] for point in curve.keyframe_points]
    cycles = any(modifier.type == "CYCLES" and not modifier.mute for modifier in curve.modifiers)
    period = keys[-1] - keys[0] if keys else 0.0
    if not cycles or period <= 0.0:
        return keys
    turns = range(math.floor((first - keys[-1]) / period), math.ceil((last - keys[0]) / period) + 1)
    if len(turns) * len(keys) > MOST_KEYS:
        return keys
    return [key + turn * period for turn in turns for key in keys]


def _number(obj: bpy.types.Object, group: Any, key: str, axis: int | None) -> tuple[Any, Reader]:
    """Reads a number of a group, or one of a vector of it."""
    path = group.path_from_id(key)

    def read() -> list[float]:
        value = bpy.data.objects[obj.name].path_resolve(path)
        return [value if axis is None else value[axis]]

    return (obj.name, path, axis), read


def _matrix(obj: bpy.types.Object) -> tuple[Any, Reader]:
    """Reads where an object stands: its world matrix, row by row."""
    name = obj.name
    return name, lambda: np.array(bpy.data.objects[name].matrix_world).ravel().tolist()


def _is_led(body: bpy.types.Object) -> bool:
    return body.impulse.body.motion == "kinematic" and is_carried(body)


def _follows_target(motor: Any) -> bool:
    """Whether the target of a motor is its number: chosen, or nothing else is."""
    return bool(motor.use_target or not (motor.expression or motor.use_curve))


def _paths_of(
    obj: bpy.types.Object, scene: bpy.types.Scene, group: Any, pattern: re.Pattern[str]
) -> list[str]:
    """Paths of the properties of a group that vary and match a pattern."""
    found = []
    for path in keyed_paths(obj, scene, ("impulse.",)):
        match = pattern.match(path)
        if match and obj.path_resolve(match[1]) == group:
            found.append(path)
    return found


def _finer(read: Callable[[Floats], Floats], frames: Floats) -> Floats:
    """Frames, and as many places between each two as keep poses between them near the motion.

    A body that jumps does so within a frame: to be quicker would only throw what it meets.
    """
    left, right, step = frames[:-1], frames[1:], 1
    first = np.zeros(0)
    chosen = [frames]
    while len(left):
        count = len(left)
        ends = np.linspace(left, right, 2 * step + 1)  # (2 step + 1, count)
        rows = read(ends.ravel()).reshape(2 * step + 1, count, 4, 4)
        away = np.max([_distance(*rows[i : i + 3]) for i in range(0, 2 * step, 2)], axis=0)
        first = away if step == 1 else first
        done = away <= TOLERANCE
        if step == FINEST:
            done |= away < JUMPED * first
        chosen += [ends[::2, done].ravel()]
        left, right, first = left[~done], right[~done], first[~done]
        if step == FINEST:
            break
        step *= 2
    return np.unique(np.concatenate(chosen))


def _distance(before: Floats, middle: Floats, after: Floats) -> Floats:
    """How far poses (n, 4, 4) are from the middle of those around them: m or rad, whichever is
    more.

    The middle of two rotations is the rotation nearest to their sum; for what is rotated little
    against it, half of the skew part of the product is the angle.
    """
    scale = np.linalg.norm(middle[:, :3, :3], axis=1)[:, None, :]
    scale = np.maximum(scale, 1e-30)
    start, centre, end = (rows[:, :3, :3] / scale for rows in (before, middle, after))
    u, _, vt = np.linalg.svd(start + end)
    turned = np.swapaxes(u @ vt, 1, 2) @ centre
    skew = (turned - np.swapaxes(turned, 1, 2)) / 2.0
    angle = np.linalg.norm(skew, axis=(1, 2)) / np.sqrt(2.0)
    moved = np.linalg.norm(middle[:, :3, 3] - 0.5 * (before[:, :3, 3] + after[:, :3, 3]), axis=1)
    size = SINGLE * np.abs(middle[:, :3, 3]).max(axis=1)
    result: Floats = np.maximum(np.maximum(angle, moved) - size, 0.0)
    return result
