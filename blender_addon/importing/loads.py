# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads, and F-curves of those that change over time.

The export writes a keyed load as one load for each number that changes, and one for those that do
not (timed_loads.py); here they become one load again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np

from impulse_schema.models import Curve, Load

from .. import compat
from ..convert import Floats, time_to_frame
from ..export.sampling import spline_slopes
from ..export.timed_loads import KEYS
from ..properties.assignment import set_values
from .joints import set_curve
from .report import ImportReport
from .scene_settings import renamed

Channel = tuple[str, int]
INTERPOLATION = {"step": "CONSTANT", "linear": "LINEAR", "cubic": "BEZIER"}


class _Made:
    """A load in Blender: the first of the file that it is, and the curves of its numbers."""

    def __init__(self, load: Load) -> None:
        self.load = load
        self.numbers = _numbers(load)
        self.curves: dict[Channel, tuple[float, Curve]] = {}

    def takes(self, load: Load) -> bool:
        """Whether a load of the file is a part of this one."""
        numbers = _numbers(load)
        return (
            (self.load.curve is not None or load.curve is not None)
            and _can_be_keyed(self.load)
            and _can_be_keyed(load)
            and _frame(self.load) == _frame(load)
            and (self.load.point == load.point or not _pushes(self.numbers) or not _pushes(numbers))
            and not numbers.keys() & self.numbers.keys()
        )

    def add(self, load: Load) -> None:
        """Take a load of the file as a part of this one."""
        numbers = _numbers(load)
        if _pushes(numbers) and not _pushes(self.numbers):
            self.load = self.load.model_copy(update={"point": load.point})
        self.numbers |= numbers
        if load.curve is not None and _can_be_keyed(load):
            self.curves |= {channel: (size, load.curve) for channel, size in numbers.items()}


def make_loads(
    scene: bpy.types.Scene,
    loads: list[Load],
    objects: Mapping[str, bpy.types.Object],
    constants: Mapping[str, str],
    report: ImportReport,
) -> None:
    """Give bodies the loads of a file; ``constants`` are the names that expressions have to use, by
    those of the file.
    """
    made: dict[str, list[_Made]] = {}
    for load in loads:
        own = made.setdefault(load.body, [])
        if not own or not own[-1].takes(load):
            own.append(_Made(load))
        own[-1].add(load)
    keyed = [body for body, own in made.items() if any(item.curves for item in own)]
    writer = compat.ActionWriter("Loads") if keyed else None
    for body, own in made.items():
        for item in own:
            _add(objects[body].impulse.body.loads.add(), item, objects, constants)
        if writer is not None and body in keyed:
            _key(scene, objects[body], own, writer.bind(objects[body]))
    if keyed:
        names = ", ".join(objects[body].name for body in keyed)
        report.notes.append(
            f"Loads of {names} that change over time are F-curves here, of which the export takes"
            " samples."
        )


def _add(
    group: Any,
    item: _Made,
    objects: Mapping[str, bpy.types.Object],
    constants: Mapping[str, str],
) -> None:
    set_values(group, item.load, named=objects.get)
    group.expression = renamed(group.expression, constants)
    for (key, axis), size in item.numbers.items():
        getattr(group, key)[axis] = size
    if item.load.curve is not None and not _can_be_keyed(item.load):
        group.use_curve = True
        set_curve(group.curve, item.load.curve)


def _key(scene: bpy.types.Scene, obj: bpy.types.Object, own: list[_Made], curves: Any) -> None:
    """Key the loads of an object; time 0 is the scene's first frame."""
    fps = scene.render.fps / scene.render.fps_base
    for number, item in enumerate(own):
        for (key, axis), (size, curve) in item.curves.items():
            path = f"impulse.body.loads[{number}].{key}"
            made = compat.new_curve(curves, path, axis, "Loads")
            frames = time_to_frame(np.array(curve.times), scene.frame_start, fps)
            fill(made, frames, size * np.array(curve.values), curve.interpolation)
            vector = getattr(obj.impulse.body.loads[number], key)
            vector[axis] = made.evaluate(scene.frame_current)


def fill(curve: bpy.types.FCurve, frames: Floats, values: Floats, interpolation: str) -> None:
    """Give an F-curve keys between which it is the curve of the file: a cubic piece by Hermite's
    formula is one by Bézier's, its handles a third of the way along the slopes.
    """
    places = frames.astype(np.float32)
    for k in range(len(places) - 2, -1, -1):  # single precision may not tell two frames apart
        places[k] = min(places[k], np.nextafter(places[k + 1], np.float32(-np.inf)))
    points = curve.keyframe_points
    points.add(len(places))
    slopes = spline_slopes(frames, values) if interpolation == "cubic" else np.zeros(len(places))
    gaps = np.diff(frames) / 3.0
    for k, point in enumerate(points):
        point.co = (places[k], values[k])
        point.interpolation = INTERPOLATION[interpolation]
        before, after = gaps[max(k - 1, 0)], gaps[min(k, len(gaps) - 1)]
        point.handle_left_type = point.handle_right_type = "FREE"
        point.handle_left = (frames[k] - before, values[k] - slopes[k] * before)
        point.handle_right = (frames[k] + after, values[k] + slopes[k] * after)
    # no update of the curve: it would put handles elsewhere


def _numbers(load: Load) -> dict[Channel, float]:
    """The numbers of a load that are not zero."""
    return {
        (key, axis): value
        for key in KEYS
        for axis, value in enumerate(getattr(load, key))
        if value != 0.0
    }


def _pushes(numbers: Mapping[Channel, float]) -> bool:
    return any(key == "force" for key, _ in numbers)


def _can_be_keyed(load: Load) -> bool:
    """Whether keys can say what a load does: it is constant, or follows a curve that ends."""
    return load.expression is None and (load.curve is None or not load.curve.repeat)


def _frame(load: Load) -> tuple[Any, ...]:
    """What parts of one load have in common."""
    return load.name, load.axes, load.reaction_body, load.from_, load.until
