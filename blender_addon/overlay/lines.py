# SPDX-License-Identifier: GPL-3.0-or-later
"""Coloured line segments and the curves that glyphs are made of. NumPy only, no bpy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Colour = tuple[float, float, float, float]

X, Y, Z = np.eye(3)
ROUND = 20  # segments of a full circle


class Lines(NamedTuple):
    """Segments (K, 2, 3) and their colours (K, 4), red, green, blue, alpha from 0 to 1."""

    segments: Floats
    colours: Floats


def joined(parts: Iterable[Lines]) -> Lines:
    """All segments of several pieces."""
    parts = list(parts)
    if not parts:
        return Lines(np.zeros((0, 2, 3)), np.zeros((0, 4)))
    return Lines(
        np.concatenate([part.segments for part in parts]),
        np.concatenate([part.colours for part in parts]),
    )


def coloured(segments: ArrayLike, colour: Colour) -> Lines:
    """Segments (K, 2, 3) in one colour."""
    segments = np.asarray(segments, float).reshape(-1, 2, 3)
    return Lines(segments, np.tile(np.asarray(colour, float), (len(segments), 1)))


def path(points: ArrayLike) -> Floats:
    """Segments (N - 1, 2, 3) along the points (N, 3)."""
    points = np.asarray(points, float)
    return np.stack([points[:-1], points[1:]], axis=1)


def arc(
    radius: float,
    start: float = 0.0,
    end: float = 2 * np.pi,
    *,
    centre: ArrayLike = (0, 0, 0),
    u: Floats = X,
    v: Floats = Y,
) -> Floats:
    """Segments of an arc from angle ``start`` to ``end`` [rad], which counts from u to v."""
    steps = max(2, int(np.ceil(ROUND * abs(end - start) / (2 * np.pi))))
    angles = np.linspace(start, end, steps + 1)[:, None]
    return path(np.asarray(centre, float) + radius * (np.cos(angles) * u + np.sin(angles) * v))


def arrow(tail: ArrayLike, tip: ArrayLike, head: float, side: Floats = X) -> Floats:
    """A shaft and two barbs of length ``head`` that lie in the plane of ``side``."""
    tail, tip = np.asarray(tail, float), np.asarray(tip, float)
    along = (tip - tail) / max(float(np.linalg.norm(tip - tail)), 1e-12)
    barbs = [tip - head * along + s * 0.5 * head * side for s in (1.0, -1.0)]
    return np.array([[tail, tip], [tip, barbs[0]], [tip, barbs[1]]])


def turn_arrow(radius: float, start: float, end: float, height: float = 0.0) -> Floats:
    """An arc about z with a barbed end, which shows a turn."""
    around = arc(radius, start, end, centre=(0, 0, height))
    tip = around[-1, 1]
    outward = np.array([np.cos(end), np.sin(end), 0.0])
    forward = np.sign(end - start) * np.array([-np.sin(end), np.cos(end), 0.0])
    head = 0.3 * radius
    barbs = [tip - head * forward + s * 0.5 * head * outward for s in (1.0, -1.0)]
    return np.concatenate([around, [[tip, barbs[0]], [tip, barbs[1]]]])


def box(half: ArrayLike, centre: ArrayLike = (0, 0, 0)) -> Floats:
    """The twelve edges of a box of half edge lengths ``half`` (3,)."""
    half, centre = np.asarray(half, float), np.asarray(centre, float)
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    pairs = [(a, a | bit) for a in range(8) for bit in (1, 2, 4) if not a & bit]
    return centre + signs[np.array(pairs)] * half


def helix(radius: float, length: float, turns: float, *, left: bool = False) -> Floats:
    """A helix about z, from -length / 2 to length / 2, right-handed unless ``left``."""
    t = np.linspace(0.0, 1.0, max(3, int(12 * abs(turns))) + 1)
    angles = 2 * np.pi * turns * t * (-1.0 if left else 1.0)
    points = [radius * np.cos(angles), radius * np.sin(angles), length * (t - 0.5)]
    return path(np.stack(points, axis=1))


def dashed(start: ArrayLike, end: ArrayLike, dashes: int = 7) -> Floats:
    """A dashed line."""
    ends = np.linspace(0.0, 1.0, 2 * dashes).reshape(-1, 2, 1)
    start, end = np.asarray(start, float), np.asarray(end, float)
    return start + ends * (end - start)


def cross(size: float) -> Floats:
    """Three lines of half length ``size`` along the axes."""
    return np.stack([-size * np.eye(3), size * np.eye(3)], axis=1)


def perpendicular(axis: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors u, v with u × v along ``axis``."""
    axis = axis / np.linalg.norm(axis)
    helper = X if abs(axis[0]) < 0.7 else Y
    u = np.cross(helper, axis)
    u /= np.linalg.norm(u)
    return u, np.cross(axis, u)
