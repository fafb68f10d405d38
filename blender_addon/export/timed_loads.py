# SPDX-License-Identifier: GPL-3.0-or-later
"""A load that the timeline changes as loads of the file: constant ones one after the other, or ones
that follow curves.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..convert import decimals
from .sampling import Samples

Parts = dict[tuple[str, int], Samples]
"""Force and torque over time, by key and axis."""
KEYS = ("force", "torque")


def has_factor(load: Any) -> bool:
    """Whether the numbers of a load are multiplied by a function of time."""
    return bool(load.use_curve or load.expression)


def timed_loads(load: Any, parts: Parts, start: int, fps: float) -> list[dict[str, Any]]:
    """What of a load the timeline says: dicts of ``force``, ``torque``, ``from``, ``until`` and
    ``curve``, which may lack. ``start`` is the frame of time 0.
    """
    if in_steps(parts):
        return _windows(load, parts, start, fps)
    return _curves(load, parts, start, fps)


def in_steps(parts: Parts) -> bool:
    """Whether all of a load changes in steps, if at all."""
    return all(samples.interpolation == "step" for samples in parts.values())


def _windows(load: Any, parts: Parts, start: int, fps: float) -> list[dict[str, Any]]:
    """A load from change to change, within its own window."""
    begin, end = load.from_, load.until if load.use_until else np.inf
    changes = {frame for samples in parts.values() for frame in samples.frames[1:-1].tolist()}
    times = [round((frame - start) / fps, 9) for frame in sorted(changes)]
    bounds = [begin, *(time for time in times if begin < time < end), end]
    windows = []
    for since, until in pairwise(bounds):
        place = start + since * fps + 1e-6
        vectors = {
            key: tuple(decimals([_step_at(parts[key, axis], place) for axis in range(3)]))
            for key in KEYS
        }
        if any(any(vector) for vector in vectors.values()):
            limit = {"until": until} if np.isfinite(until) else {}
            windows.append({**vectors, "from": since, **limit})
    return windows


def _curves(load: Any, parts: Parts, start: int, fps: float) -> list[dict[str, Any]]:
    """What holds still as a load, and a load of 1 N or 1 N m that follows its curve for each
    number that does not.
    """
    window = {"from": load.from_, **({"until": load.until} if load.use_until else {})}
    vectors = {key: [0.0, 0.0, 0.0] for key in KEYS}
    found = []
    for (key, axis), samples in parts.items():
        if np.ptp(samples.values) == 0.0:
            vectors[key][axis] = decimals(samples.values[0])
            continue
        one = dict.fromkeys(KEYS, (0.0, 0.0, 0.0))
        one[key] = tuple(float(k == axis) for k in range(3))
        found.append({**one, **window, "curve": samples.curve(start, fps)})
    if any(any(vector) for vector in vectors.values()):
        found.insert(0, {key: tuple(vector) for key, vector in vectors.items()} | window)
    return found


def _step_at(samples: Samples, frame: float) -> float:
    """The value of a step at a frame."""
    number = int(np.searchsorted(samples.frames, frame, side="right")) - 1
    return float(samples.values[max(number, 0)])
