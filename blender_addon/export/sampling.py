# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of the frame as the fewest samples of a curve that stay within a tolerance. No bpy.

A function is looked at on a grid and between, as finely as it takes, until what lies between two
samples is a straight line, a jump, or noise. What was seen then becomes a curve of the file:
``step`` where it jumps and else holds still, ``linear`` where few straight pieces do, ``cubic``
where a spline needs far fewer samples (and has no kinks, at which the simulator ends a step).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..convert import Floats, decimals

Function = Callable[[Floats], Floats]
"""Values at frames, both of shape (n,)."""

SMALLEST = 2.0**-12
"""Frames within which a change is taken for a jump; single precision tells frames apart to here."""

PIECES = 16
"""Into how many pieces the time between two keys is divided at least before anything is seen."""

SINGLE = 4e-7
"""What a number in single precision is not sure of, relative to its size."""


class Samples(NamedTuple):
    """A curve: ``interpolation`` as in the file, frames and values of shape (n,)."""

    interpolation: str
    frames: Floats
    values: Floats

    def curve(self, start: float, fps: float) -> dict[str, Any]:
        """The curve of the file, with its times [s] counted from the frame ``start``."""
        times = np.round((self.frames - start) / fps, 9)
        return {
            "times": (times + 0.0).tolist(),
            "values": decimals(self.values),
            "interpolation": self.interpolation,
        }


class Seen(NamedTuple):
    """What was seen of a function: frames in their order, values, and after which of them it
    jumps (numbers of frames).
    """

    frames: Floats
    values: Floats
    jumps: Floats


def sampled(function: Function, grid: Floats, tolerance: float, ramp: float) -> Samples:
    """The curve of a function between the first and the last frame of ``grid``.

    Args:
        function: What is to be sampled; where it jumps it has the value after the jump.
        grid: Frames at which it is looked at first, ascending: its keys must be among them.
        tolerance: What the interpolated curve may be away from it at most.
        ramp: How long a jump takes [frames] where the curve is not a step everywhere.
    """
    seen = look(function, grid, tolerance / 2.0)
    noise = SINGLE * max(1.0, float(np.abs(seen.values).max()))
    pieces = _pieces(seen)
    if all(np.ptp(values) <= noise for _, values in pieces):
        frames = np.array([frames[0] for frames, _ in pieces] + [seen.frames[-1]])
        values = np.array([values[0] for _, values in pieces] + [seen.values[-1]])
        return Samples("step", *_without_repeats(frames, values))
    linear = _joined([_simplified(*piece, tolerance / 2.0, noise) for piece in pieces], ramp)
    if len(pieces) == 1:
        cubic = _spline(seen, tolerance / 2.0, most=len(linear.frames) // 2)
        if cubic is not None:
            return cubic
    return linear


def grid_of(first: float, last: float, keys: Iterable[float]) -> Floats:
    """Where to look first: all frames, and between each two keys PIECES places at least."""
    inside = sorted({first, last, *(key for key in keys if first < key < last)})
    places = {*inside, *np.arange(np.ceil(first), last).tolist()}
    for start, end in pairwise(inside):
        if end - start < PIECES:
            places |= set(np.linspace(start, end, PIECES + 1)[1:-1].tolist())
    found = np.array(sorted(places))
    return found[np.append(np.diff(found) > SMALLEST, True)]  # of two at once the latter


def look(function: Function, grid: Floats, tolerance: float) -> Seen:
    """A function on a grid and between, until it is straight between what was seen."""
    frames, values, jumps = [grid], [function(grid)], []
    left, right = grid[:-1], grid[1:]
    low, high = values[0][:-1], values[0][1:]
    while len(left):
        parts = np.array([0.25, 0.5, 0.75])[:, None]
        between = left + parts * (right - left)
        found = function(between.ravel()).reshape(between.shape)
        frames.append(between.ravel())
        values.append(found.ravel())
        bent = np.abs(found - (low + parts * (high - low))).max(axis=0) > tolerance
        small = right - left <= SMALLEST
        ends = bent & small
        jumps += right[ends & _jumps(function, left, right, low, high, tolerance)].tolist()
        more = bent & ~small
        middle, value = between[1, more], found[1, more]
        left, right = np.append(left[more], middle), np.append(middle, right[more])
        low, high = np.append(low[more], value), np.append(value, high[more])
    every, places = np.unique(np.concatenate(frames), return_index=True)
    all_values = np.concatenate(values)[places]
    return Seen(every, all_values, np.searchsorted(every, np.unique(jumps)))


def _jumps(
    function: Function, left: Floats, right: Floats, low: Floats, high: Floats, tolerance: float
) -> Any:
    """Which of the shortest intervals change by more than a steep kink would: than what lies before
    and behind them.
    """
    width = right - left
    before, after = np.abs(low - function(left - width)), np.abs(function(right + width) - high)
    return np.abs(high - low) > 2.0 * (before + after) + tolerance


def _pieces(seen: Seen) -> list[tuple[Floats, Floats]]:
    """Frames and values from jump to jump; a piece begins where a jump ends.

    What lies within a jump is left out: the piece before it goes on as it was.
    """
    pieces = []
    bounds = [0, *(int(jump) for jump in seen.jumps), len(seen.frames)]
    for start, end in pairwise(bounds):
        inside = np.arange(start, end)
        if end < len(seen.frames):
            inside = inside[seen.frames[inside] < seen.frames[end] - 1.5 * SMALLEST]
        if start > 0 and len(inside) == 0:
            inside = np.array([start])
        if len(inside):
            pieces.append((seen.frames[inside], seen.values[inside]))
    return pieces


def _joined(pieces: list[tuple[Floats, Floats]], ramp: float) -> Samples:
    """One curve of pieces: each but the last goes on until just before the next begins."""
    frames, values = [pieces[0][0]], [pieces[0][1]]
    for (_, before), (after, value) in pairwise(pieces):
        frames += [np.array([after[0] - ramp]), after]
        values += [before[-1:], value]
    return Samples("linear", np.concatenate(frames), np.concatenate(values))


def _without_repeats(frames: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Samples of a step without those in between that change nothing."""
    kept = np.append(True, frames[1:] > frames[:-1])
    kept[1:-1] &= values[1:-1] != values[:-2]
    return frames[kept], values[kept]


def _simplified(
    frames: Floats, values: Floats, tolerance: float, noise: float
) -> tuple[Floats, Floats]:
    """Those samples that straight lines between them need to stay near the others: exactly, but
    for noise, if that leaves few, else within the tolerance (Douglas and Peucker's algorithm).
    """
    exact = _corners(frames, values, noise)
    if exact.sum() <= max(PIECES, len(frames) // 20):
        return frames[exact], values[exact]
    kept = _corners(frames, values, tolerance)
    return frames[kept], values[kept]


def _corners(frames: Floats, values: Floats, tolerance: float) -> Any:
    kept = np.zeros(len(frames), dtype=bool)
    kept[[0, -1]] = True
    todo = [(0, len(frames) - 1)]
    while todo:
        start, end = todo.pop()
        if end - start < 2:
            continue
        inside = slice(start + 1, end)
        slope = (values[end] - values[start]) / (frames[end] - frames[start])
        away = np.abs(values[inside] - values[start] - slope * (frames[inside] - frames[start]))
        farthest = int(away.argmax())
        if away[farthest] > tolerance:
            kept[start + 1 + farthest] = True
            todo += [(start, start + 1 + farthest), (start + 1 + farthest, end)]
    return kept


def _spline(seen: Seen, tolerance: float, most: int) -> Samples | None:
    """The spline that stays near what was seen, and near straight lines between that; None if it
    takes more than ``most`` samples.
    """
    knots = np.linspace(seen.frames[0], seen.frames[-1], PIECES)
    while len(knots) <= most:
        values = np.interp(knots, seen.frames, seen.values)
        gaps = np.diff(knots)
        if gaps.min() < SMALLEST / 8.0:  # it does not bend as sharply as that
            return None
        between = knots[:-1] + np.array([0.25, 0.5, 0.75])[:, None] * gaps
        at = np.unique(np.concatenate([seen.frames, between.ravel()]))
        away = np.abs(spline_values(knots, values, at) - np.interp(at, seen.frames, seen.values))
        bent = np.unique(np.searchsorted(knots, at[away > tolerance], side="right") - 1)
        bent = bent[bent < len(gaps)]
        if not len(bent):
            return Samples("cubic", knots, values)
        knots = np.sort(np.append(knots, between[1, bent]))
    return None


def spline_values(knots: Floats, values: Floats, at: Floats) -> Floats:
    """The spline of the file format with these samples, at frames between the first and last."""
    slopes = spline_slopes(knots, values)
    k = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, len(knots) - 2)
    h = knots[k + 1] - knots[k]
    s = (at - knots[k]) / h
    result: Floats = (
        (1 + 2 * s) * (1 - s) ** 2 * values[k]
        + s * (1 - s) ** 2 * h * slopes[k]
        + s**2 * (3 - 2 * s) * values[k + 1]
        + s**2 * (s - 1) * h * slopes[k + 1]
    )
    return result


def spline_slopes(knots: Floats, values: Floats) -> Floats:
    """Slopes at the samples: the second derivative is continuous, both ends are level.

    h[i] m[i-1] + 2 (h[i-1] + h[i]) m[i] + h[i-1] m[i+1] = 3 (h[i] d[i-1] + h[i-1] d[i]), with the
    distances h of the samples and their differences d = Δv / h, from the first down, then back up.
    """
    h, d = np.diff(knots), np.diff(values) / np.diff(knots)
    count = len(knots)
    slopes, share = np.zeros(count), np.zeros(count)
    for i in range(1, count - 1):
        pivot = 2.0 * (h[i - 1] + h[i]) - h[i] * share[i - 1]
        share[i] = h[i - 1] / pivot
        right = 3.0 * (h[i] * d[i - 1] + h[i - 1] * d[i])
        slopes[i] = (right - h[i] * slopes[i - 1]) / pivot
    for i in range(count - 2, 0, -1):
        slopes[i] -= share[i] * slopes[i + 1]
    return slopes
