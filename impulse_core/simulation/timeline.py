"""When steps, frames and switches happen: the plan a simulation follows.

Steps lie on the grid k·h. A step that contains a switch (of a load or a curve) or the end of the
run is cut there. Frames lie on k/fps and never change a step: one that falls inside is reached by
a step of the same method on a copy of the state.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from impulse_core.types import Floats, Ints

__all__ = [
    "Call",
    "Segment",
    "active_loads",
    "frame_times",
    "next_call",
    "next_stop",
    "plan_timeline",
    "same_time",
    "steps_behind",
]

_SAME = 1e-9  # times closer than this fraction of a step are one


@dataclass(frozen=True)
class Segment:
    """A piece of the run between two stops.

    Attributes:
        start: Time at which it begins [s].
        length: Length of each of its steps [s].
        count: Number of steps.
        frames: Times of frames strictly inside its only step, seen from its start [s].
        frame_at_end: Whether a frame falls on its end.
        end: Time at which it ends [s].
        grid: Number of its first step on the grid, -1 if its step is not one of the grid.
        behind: Steps of the grid that are behind at its end.
    """

    start: float
    length: float
    count: int
    frames: tuple[float, ...]
    frame_at_end: bool
    end: float
    grid: int
    behind: int


def frame_times(duration: float, fps: float, step: float) -> Floats:
    """Times of all frames [s]: 0, 1/fps, …, and the end of the run."""
    count = int(np.floor(duration * fps * (1.0 + 1e-12)))
    last = duration - count / fps > _SAME * step  # the end lies between two of them
    times = np.empty(count + 1 + last)
    times[: count + 1] = np.arange(count + 1) / fps
    times[-1] = duration
    return times


def plan_timeline(
    duration: float,
    step: float,
    fps: float,
    switches: Floats,
    most_steps: int,
    begin: tuple[float, int] = (0.0, 0),
) -> Iterator[Segment]:
    """Segments of a run, in order.

    Args:
        duration: [s].
        step: [s].
        fps: [1/s].
        switches: Times at which loads or curves switch [s], any order and shape.
        most_steps: Largest number of steps in one segment.
        begin: ``end`` [s] and ``behind`` of the segment behind which the plan begins.
    """
    same = _SAME * step
    breaks = sorted({float(t) for t in switches.ravel() if same < t < duration - same})
    breaks.append(duration)
    frames = frame_times(duration, fps, step)
    now, grid = begin  # grid: steps of it behind us
    frame = int(np.searchsorted(frames, now + same, side="right"))  # the next one
    while now < duration - same:
        stop = breaks[bisect.bisect_right(breaks, now + same)]
        most = most_steps
        if frame < len(frames):
            most = min(most, max(int(np.floor((frames[frame] - now) / step + _SAME)), 1))
        length, count, end, first, grid = next_call(now, grid, step, stop, most)
        inside = []
        while frame < len(frames) and frames[frame] < end - same:
            inside.append(float(frames[frame]) - now)
            frame += 1
        at_end = frame < len(frames) and bool(frames[frame] <= end + same)
        frame += at_end
        yield Segment(now, length, count, tuple(inside), at_end, end, first, grid)
        now = end


class Call(NamedTuple):
    """Steps that one call can take."""

    length: float
    """Of each [s]."""
    steps: int
    """Their number."""
    end: float
    """Time after the last [s]."""
    first: int
    """Number of the first on the grid, -1 if its step is not one of the grid."""
    grid: int
    """Steps of the grid that are then behind."""


def next_call(now: float, grid: int, step: float, stop: float, most: int) -> Call:
    """The steps from now on, up to a stop: whole ones on the grid, or one that is cut.

    Args:
        now: [s].
        grid: Steps of the grid that are behind.
        step: Their length [s].
        stop: Time at which steps end [s], later than now; may be infinite.
        most: Largest number of steps.
    """
    same = _SAME * step
    whole = 0
    if abs(now - grid * step) <= same:
        whole = int(min(np.floor((stop - now) / step + _SAME), most))
    if whole > 0:
        end = (grid + whole) * step
        if abs(end - stop) <= same:
            end = stop
        return Call(step, whole, end, grid, grid + whole)
    next_grid = (grid + 1) * step
    end = next_grid if next_grid < stop - same else stop
    behind = grid + 1 if abs(end - next_grid) <= same else grid
    return Call(end - now, 1, end, -1, behind)


def steps_behind(now: float, step: float) -> int:
    """Steps of the grid that are behind at a time [s]."""
    return int(np.floor(now / step + _SAME))


def next_stop(breaks: list[float], now: float, step: float) -> float:
    """The first of the ascending times that is later than now, inf if none is [s]."""
    k = bisect.bisect_right(breaks, now + _SAME * step)
    return breaks[k] if k < len(breaks) else float("inf")


def active_loads(windows: Floats, start: float, end: float, step: float) -> Ints:
    """1 for every load that acts from start to end, shape (l,), to the resolution of the plan of a
    run with this step [s].
    """
    slack = _SAME * step
    active = (windows[:, 0] <= start + slack) & (windows[:, 1] >= end - slack)
    return active.astype(np.int64)


def same_time(step: float) -> float:
    """Times nearer than this are one, in a run with this step [s]."""
    return _SAME * step
