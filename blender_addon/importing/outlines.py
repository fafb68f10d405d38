# SPDX-License-Identifier: GPL-3.0-or-later
"""Points and faces of the solids of a scene, such that fitting the shape finds the same measures.

All lengths in metres, in the frame of the solid; faces counter-clockwise seen from outside. No bpy
in here.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from impulse_schema.models import Geometry

from ..convert import Floats

SEGMENTS = 32  # around an axis; a multiple of four, so that points lie on both other axes
RINGS = 16  # from pole to pole; even, so that points lie on the equator


class Outline(NamedTuple):
    """A closed surface, or a sheet of a plane and a height field."""

    points: Floats  # (V, 3)
    faces: list[list[int]]
    smooth: bool = False


def outline_of(solid: Geometry, plane: float) -> Outline:
    """The surface of a solid that is no mesh; ``plane`` is the edge of what stands for a plane."""
    if solid.shape == "box":
        return _box(np.array(solid.size))
    if solid.shape == "sphere":
        return _ball(np.full(3, solid.radius), 0.0)
    if solid.shape == "ellipsoid":
        return _ball(np.array(solid.size) / 2, 0.0)
    if solid.shape == "capsule":
        return _ball(np.full(3, solid.radius), solid.height or 0.0)
    if solid.shape == "torus":
        return _torus(solid.major_radius or 0.0, solid.minor_radius or 0.0)
    if solid.shape == "plane":
        return _grid(np.array([plane, plane]), np.zeros((2, 2)))
    if solid.shape == "height_field":
        return _grid(np.array(solid.size)[:2], np.array(solid.heights))
    radius, half = solid.radius or 0.0, (solid.height or 0.0) / 2
    top = 0.0 if solid.shape == "cone" else radius
    return _revolved([(radius, -half), (top, half)])


def _box(size: Floats) -> Outline:
    signs = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    faces = [[0, 1, 3, 2], [2, 3, 7, 6], [6, 7, 5, 4], [4, 5, 1, 0], [2, 6, 4, 0], [7, 3, 1, 5]]
    return Outline(signs * size, faces)


def _ball(half: Floats, cylinder: float) -> Outline:
    """An ellipsoid of these half axes, cut at its equator and pulled apart along z."""
    angles = np.pi * (np.arange(RINGS + 1) / RINGS - 0.5)
    rings = [(float(np.cos(a)), float(np.sin(a))) for a in angles]
    rings[0], rings[-1] = (0.0, -1.0), (0.0, 1.0)
    rings[RINGS // 2] = (1.0, 0.0)
    lift = np.repeat([-cylinder / 2, cylinder / 2], RINGS // 2 + 1)
    if cylinder:
        rings.insert(RINGS // 2, rings[RINGS // 2])
    else:
        lift = np.zeros(RINGS + 1)
    surface = _revolved(rings)
    counts = [1 if ring[0] == 0 else SEGMENTS for ring in rings]
    points = surface.points * half
    points[:, 2] += np.repeat(lift, counts)
    return Outline(points, surface.faces, smooth=True)


def _revolved(profile: list[tuple[float, float]]) -> Outline:
    """A profile of (distance from the axis, height), upwards, turned about z.

    Ends on the axis become a point, others are closed by a polygon.
    """
    circle = _circle(SEGMENTS)
    points: list[Floats] = []
    rings: list[list[int]] = []
    count = 0
    for radius, height in profile:
        ring = circle * radius if radius else np.zeros((1, 2))
        points.append(np.column_stack([ring, np.full(len(ring), height)]))
        rings.append(list(range(count, count + len(ring))))
        count += len(ring)
    faces = [] if len(rings[0]) == 1 else [rings[0][::-1]]
    for low, high in pairwise(rings):
        faces += _band(low, high)
    if len(rings[-1]) > 1:
        faces.append(rings[-1])
    return Outline(np.concatenate(points), faces)


def _band(low: list[int], high: list[int]) -> list[list[int]]:
    faces = []
    for i in range(SEGMENTS):
        k = (i + 1) % SEGMENTS
        if len(low) == 1:
            faces.append([low[0], high[k], high[i]])
        elif len(high) == 1:
            faces.append([low[i], low[k], high[0]])
        else:
            faces.append([low[i], low[k], high[k], high[i]])
    return faces


def _circle(count: int) -> Floats:
    """Points on the unit circle (count, 2), those on the axes exactly."""
    angles = 2 * np.pi * np.arange(count) / count
    points = np.column_stack([np.cos(angles), np.sin(angles)])
    return np.where(np.abs(points) < 1e-15, 0.0, points)


def _torus(major: float, minor: float) -> Outline:
    around, across = _circle(SEGMENTS), _circle(RINGS)
    distance = major + minor * across[:, 0]
    points = np.empty((SEGMENTS, RINGS, 3))
    points[..., :2] = around[:, None, :] * distance[None, :, None]
    points[..., 2] = minor * across[:, 1]
    number = np.arange(SEGMENTS * RINGS).reshape(SEGMENTS, RINGS)
    after, above = np.roll(number, -1, axis=0), np.roll(number, -1, axis=1)
    both = np.roll(after, -1, axis=1)
    faces = np.stack([number, after, both, above], axis=-1).reshape(-1, 4)
    return Outline(points.reshape(-1, 3), faces.tolist(), smooth=True)


def _grid(size: Floats, heights: Floats) -> Outline:
    """A sheet over x and y; the first row of heights lies at -y."""
    rows, columns = heights.shape
    x = np.linspace(-0.5, 0.5, columns) * size[0]
    y = np.linspace(-0.5, 0.5, rows) * size[1]
    points = np.empty((rows, columns, 3))
    points[..., 0], points[..., 1], points[..., 2] = x, y[:, None], heights
    number = np.arange(rows * columns).reshape(rows, columns)
    corners = (number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1])
    faces = np.stack(corners, axis=-1).reshape(-1, 4)
    return Outline(points.reshape(-1, 3), faces.tolist())
