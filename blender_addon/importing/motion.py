# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyframes of kinematic bodies as F-curves."""

from __future__ import annotations

import math

import bpy
import numpy as np

from impulse_schema.models import Body

from .. import compat
from ..convert import (
    Floats,
    continuous,
    length_to_blender,
    quaternion_product,
    time_to_frame,
)
from .report import ImportReport

# Largest turn from one key to the next [rad]: Blender interpolates the components of a quaternion,
# which is at most 1e-6 rad off then.
TURN = 0.04
LINEAR = bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items["LINEAR"].value


def animate(
    scene: bpy.types.Scene,
    moving: list[tuple[Body, bpy.types.Object]],
    metres: float,
    report: ImportReport,
) -> None:
    """Give kinematic bodies the motion of their keyframes; time 0 is the scene's first frame."""
    if not moving:
        return
    writer = compat.ActionWriter("Keyframes")
    fps = scene.render.fps / scene.render.fps_base
    last = 0.0
    for body, obj in moving:
        times, places, turned = _poses(body, fps)
        frames = time_to_frame(times, scene.frame_start, fps)
        last = max(last, float(frames[-1]))
        curves = writer.bind(obj)
        for path, values in (
            ("location", length_to_blender(places, metres)),
            ("rotation_quaternion", continuous(turned)),
        ):
            for index in range(values.shape[1]):
                curve = compat.new_curve(curves, path, index, "Keyframes")
                _fill(curve, frames, values[:, index])
        obj.location = length_to_blender(places[0], metres)
        obj.rotation_quaternion = turned[0]
        if body.keyframe_interpolation == "cubic":
            report.notes.append(
                f"The splines between the keyframes of {body.name} became keys at every frame."
            )
    report.notes.append(
        "Keyframes of "
        + ", ".join(obj.name for _, obj in moving)
        + " are F-curves here, of which the export takes samples."
    )
    if last > scene.frame_end:
        scene.frame_end = math.ceil(last)
        report.notes.append(f"The scene now ends at frame {scene.frame_end}, as the keyframes do.")


def _fill(curve: bpy.types.FCurve, frames: Floats, values: Floats) -> None:
    points = curve.keyframe_points
    points.add(len(frames))
    points.foreach_set("co", np.column_stack([frames, values]).astype(np.float32).ravel())
    points.foreach_set("interpolation", np.full(len(frames), LINEAR, np.int32))
    curve.update()


def _poses(body: Body, fps: float) -> tuple[Floats, Floats, Floats]:
    """Times [s], positions [m] and quaternions of keys between which all is even."""
    times = np.array([key.time for key in body.keyframes], float)
    places = np.array([key.position for key in body.keyframes], float)
    turned = continuous(np.array([key.orientation for key in body.keyframes], float))
    if len(times) == 1:
        return times, places, turned
    if body.keyframe_interpolation == "cubic":
        dense = _with_frames(times, fps)
        turned = spline(times, turned, dense)
        turned /= np.linalg.norm(turned, axis=1, keepdims=True)
        return dense, spline(times, places, dense), turned
    dense = _divided(times, turned)
    moved = np.column_stack([np.interp(dense, times, column) for column in places.T])
    return dense, moved, _evenly_turned(times, turned, dense)


def _with_frames(times: Floats, fps: float) -> Floats:
    first, last = times[0] * fps, times[-1] * fps
    frames = np.arange(math.ceil(first), math.floor(last) + 1) / fps
    merged = np.unique(np.concatenate([times, frames]))
    return merged[np.concatenate([[True], np.diff(merged) > 1e-9])]


def _divided(times: Floats, turned: Floats) -> Floats:
    """The times and as many between as no step turns by more than TURN."""
    cosines = np.clip(np.abs(np.einsum("fi,fi->f", turned[1:], turned[:-1])), 0.0, 1.0)
    parts = np.maximum(1, np.ceil(2.0 * np.arccos(cosines) / TURN)).astype(int)
    found = [
        np.linspace(a, b, count, endpoint=False)
        for a, b, count in zip(times[:-1], times[1:], parts, strict=True)
    ]
    return np.concatenate([*found, times[-1:]])


def _evenly_turned(times: Floats, turned: Floats, at: Floats) -> Floats:
    """Quaternions at some times, turning at an even rate from one key to the next."""
    k = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    fraction = (at - times[k]) / (times[k + 1] - times[k])
    start = turned[k]
    step = quaternion_product(start * [1.0, -1.0, -1.0, -1.0], turned[k + 1])
    sine = np.linalg.norm(step[:, 1:], axis=1)
    half = np.arctan2(sine, step[:, 0]) * fraction
    axis = step[:, 1:] / np.where(sine > 0, sine, 1.0)[:, None]
    return quaternion_product(start, np.column_stack([np.cos(half), np.sin(half)[:, None] * axis]))


def spline(times: Floats, values: Floats, at: Floats) -> Floats:
    """Cubic splines (n, m) through values (k, m), level at both ends."""
    steps = np.diff(times)
    slopes = np.zeros_like(values)
    if len(times) > 2:
        s = 1.0 / steps
        matrix = np.diag(2.0 * (s[:-1] + s[1:]))
        matrix += np.diag(s[1:-1], 1) + np.diag(s[1:-1], -1)
        rates = np.diff(values, axis=0) * (s**2)[:, None]
        slopes[1:-1] = np.linalg.solve(matrix, 3.0 * (rates[:-1] + rates[1:]))
    k = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    h = steps[k][:, None]
    u = ((at - times[k]) / steps[k])[:, None]
    return (
        (1 + 2 * u) * (1 - u) ** 2 * values[k]
        + u * (1 - u) ** 2 * h * slopes[k]
        + u**2 * (3 - 2 * u) * values[k + 1]
        + u**2 * (u - 1) * h * slopes[k + 1]
    )
