# SPDX-License-Identifier: GPL-3.0-or-later
"""What motors aim at over time, to be shown before anything is simulated."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Object

from impulse_schema import ExpressionError, parse_expression
from impulse_schema.constants import PHASE

from ..compat import curves_of
from ..convert import Floats
from ..export.sampling import spline_values

PLACES = 241
"""Frames at which targets are looked at."""


def target_values(scene: bpy.types.Scene, joint: Object, number: int) -> Floats | None:
    """The target of a motor of a joint over the frames of the scene, shape (n, 2): frames and
    values; None if its expression or curve cannot be read, or never has a value.

    A target that a driver or strips give is shown as its number in this frame.
    """
    motor = joint.impulse.joint.motors[number]
    frames = np.linspace(scene.frame_start, max(scene.frame_end, scene.frame_start + 1), PLACES)
    times = (frames - scene.frame_start) * scene.render.fps_base / scene.render.fps
    if motor.use_curve:
        values = _of_curve(motor.curve, times)
    elif motor.expression:
        values = _of_expression(scene, joint, motor.expression, times)
    else:
        values = _of_keys(joint, motor, frames)
    if values is None or not np.isfinite(values).any():
        return None
    known = np.isfinite(values)
    return np.stack([frames[known], np.round(values[known], 9)], axis=1)


def numbers_of(scene: bpy.types.Scene, joint: Object) -> dict[str, float]:
    """What the expressions of a joint's motors may name, from the panels."""
    constants = {row.name: float(row.value) for row in scene.impulse.constants}
    return constants | {PHASE: float(joint.impulse.joint.phase)}


def _of_expression(
    scene: bpy.types.Scene, joint: Object, text: str, times: Floats
) -> Floats | None:
    try:
        value = parse_expression(text, numbers_of(scene, joint))
    except ExpressionError:
        return None
    found = np.full(len(times), np.nan)
    for number, time in enumerate(times.tolist()):
        try:
            found[number] = value(time)
        except ExpressionError:  # no value at this time
            continue
    return found


def _of_curve(curve: Any, times: Floats) -> Floats | None:
    at = np.array([sample.time for sample in curve.samples])
    values = np.array([sample.value for sample in curve.samples])
    if len(at) < 2 or np.any(np.diff(at) <= 0.0):
        return None
    if curve.repeat:
        times = at[0] + np.where(times < at[0], 0.0, (times - at[0]) % (at[-1] - at[0]))
    if curve.interpolation == "step":
        return values[np.clip(np.searchsorted(at, times, side="right") - 1, 0, None)]
    if curve.interpolation == "cubic":
        return spline_values(at, values, np.clip(times, at[0], at[-1]))
    return np.interp(times, at, values)


def _of_keys(joint: Object, motor: Any, frames: Floats) -> Floats:
    path = motor.path_from_id("target")
    for curve in curves_of(joint):
        if curve.data_path in (path, f"{path}_angle") and not curve.mute:
            return np.array([curve.evaluate(frame) for frame in frames.tolist()])
    return np.full(len(frames), motor.target)
