# SPDX-License-Identifier: GPL-3.0-or-later
"""The solid that a shape tag stands for: boxes, spheres … fitted to the points of a mesh."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ..convert import SINGLE_NOISE, Floats, tidy
from .meshes import Polygons, signed_volume

# Shapes that take a mesh of the scene.
MESH_SHAPES = ("mesh", "convex_hull")
# Scales of the two axes across a round solid may differ by this much, relatively.
ROUND_TOLERANCE = 1e-4
# A fitted solid this much larger than its mesh is reported.
LOOSE_FIT = 1.25
# Round solids lie along their z axis, which is the object's unless along another the solid is this
# much smaller. Columns of a turn are the solid's axes in those of the object.
CLEARLY_SMALLER = 0.99
TURNS = tuple(np.roll(np.eye(3), shift, axis=0) for shift in (0, 1, 2))
UPSIDE_DOWN = np.diag([1.0, -1.0, -1.0])


class ShapeError(Exception):
    """The shape does not suit the object; the text says why and what to do."""

    def __init__(self, text: str, code: str = "B137") -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class Fit:
    """A primitive: its centre and axes in the frame of the points, and its sizes in their unit."""

    centre: Floats  # (3,)
    sizes: dict[str, Any] = field(default_factory=dict)  # size, radius, … as in the file
    volume: float = 0.0
    turn: Floats = field(default_factory=lambda: np.eye(3))  # (3, 3), from its axes

    def placed(self, points: Floats) -> Floats:
        """Points (…, 3) in the axes of the primitive, about its centre, in the frame of the points
        that it was fitted to.
        """
        placed: Floats = self.centre + points @ self.turn.T
        return placed


def fit_shape(shape: str, polygons: Polygons, stretch: Floats) -> Fit:
    """Fit ``shape`` to a mesh. Points in the object's rigid axes, scale applied.

    ``stretch`` is the object's scale as a 3x3 matrix; a round solid cannot have an uneven one.
    Raises ShapeError.
    """
    low, high = polygons.vertices.min(axis=0), polygons.vertices.max(axis=0)
    noise = SINGLE_NOISE * float(np.abs(polygons.vertices).max())
    centre, extent = tidy((low + high) / 2, noise), tidy(high - low, noise)
    arms = polygons.vertices - centre
    scales = np.linalg.norm(stretch, axis=0)
    if shape == "box":
        if extent.min() <= 0:
            raise ShapeError("is flat and cannot be a box; use the shape mesh or plane")
        return Fit(centre, {"size": extent}, float(np.prod(extent)))
    if shape == "ellipsoid":
        if extent.min() <= 0:
            raise ShapeError("is flat and cannot be an ellipsoid; use the shape mesh or plane")
        outside = float(np.linalg.norm(2 * arms / extent, axis=1).max())
        size = tidy(extent * max(outside, 1.0), noise)
        return Fit(centre, {"size": size}, math.pi / 6 * float(np.prod(size)))
    if shape == "sphere":
        _require_even(scales, shape)
        radius = float(tidy(np.linalg.norm(arms, axis=1).max(), noise))
        return Fit(centre, {"radius": radius}, 4 / 3 * math.pi * radius**3)
    if shape in ROUND:
        return _fit_round(shape, polygons, scales, noise)
    raise NotImplementedError(f"no {shape} is fitted to a mesh")


def _fit_round(shape: str, polygons: Polygons, scales: Floats, noise: float) -> Fit:
    """The smallest of the solids along the three axes of the object."""
    fits: list[Fit] = []
    failures: list[ShapeError] = []
    for turn in TURNS:
        try:
            fit = ROUND[shape](polygons.vertices @ turn, noise)
        except ShapeError as error:
            failures.append(error)
            continue
        turn = turn @ fit.turn
        fits.append(replace(fit, centre=turn @ fit.turn.T @ fit.centre, turn=turn))
    if not fits:
        raise failures[0]
    best = min(fits, key=lambda fit: fit.volume)
    along_z = next((fit for fit in fits if abs(fit.turn[2, 2]) > 0.5), None)
    if along_z is not None and best.volume > CLEARLY_SMALLER * along_z.volume:
        best = along_z
    across = np.abs(best.turn[:, 2]) < 0.5
    _require_even(scales[across], shape)
    return best


def _fit_straight(shape: str, points: Floats, noise: float) -> Fit:
    """A cylinder, a capsule or a cone along z around the middle of the points."""
    low, high = points.min(axis=0), points.max(axis=0)
    centre, extent = tidy((low + high) / 2, noise), tidy(high - low, noise)
    arms = points - centre
    from_axis = np.linalg.norm(arms[:, :2], axis=1)
    radius, height = float(tidy(from_axis.max(), noise)), float(extent[2])
    if radius <= 0 or height <= 0:
        raise ShapeError(f"is flat and cannot be a {shape}")
    turn = np.eye(3)
    if shape == "capsule":
        height -= 2 * radius
        if height <= 0:
            raise ShapeError(
                "is longer along none of its axes than it is wide, so it is no capsule; use a"
                " sphere"
            )
        volume = math.pi * radius**2 * (height + 4 / 3 * radius)
    else:
        volume = math.pi * radius**2 * height
    if shape == "cone":
        volume /= 3
        # the apex is where points are nearer to the axis
        top, bottom = from_axis[arms[:, 2] > 0].max(), from_axis[arms[:, 2] < 0].max()
        turn = UPSIDE_DOWN if top > bottom + noise else turn
    return Fit(centre, {"radius": radius, "height": height}, volume, turn)


def _fit_torus(points: Floats, noise: float) -> Fit:
    """The torus along z around the mean of the points that fits them best, as thick as to hold all.

    The mean, and not the middle of their box, which with an odd number of segments is beside it. A
    point at the distance s from the axis lies on it where s² + z² = 2 R s + (r² - R²), which is
    linear in R and r² - R².
    """
    centre = tidy(points.mean(axis=0), noise)
    arms = points - centre
    s, z = np.linalg.norm(arms[:, :2], axis=1), arms[:, 2]
    hollow = "has no hole along any of its axes, so it is no torus; use the shape mesh"
    if np.ptp(s) <= max(noise, SINGLE_NOISE * float(s.max())):
        raise ShapeError(hollow)
    rows = np.column_stack([2 * s, np.ones_like(s)])
    major = float(np.linalg.lstsq(rows, s * s + z * z, rcond=None)[0][0])
    minor = float(np.hypot(s - major, z).max())
    if not 0 < minor < major:
        raise ShapeError(hollow)
    sizes = {"major_radius": float(tidy(major, noise)), "minor_radius": float(tidy(minor, noise))}
    return Fit(centre, sizes, 2 * math.pi**2 * major * minor**2)


ROUND = {
    "torus": _fit_torus,
    **{shape: partial(_fit_straight, shape) for shape in ("cylinder", "capsule", "cone")},
}


def _require_even(scales: Floats, shape: str) -> None:
    if scales.max() - scales.min() > ROUND_TOLERANCE * scales.max():
        text = " x ".join(f"{scale:.4g}" for scale in scales)
        raise ShapeError(
            f"has an uneven scale ({text}) across a {shape}; scale it evenly or use the shape mesh"
        )


def looseness(fit: Fit, polygons: Polygons) -> float:
    """Volume of the fitted solid over that of the mesh; 1 where the mesh encloses none."""
    volume = abs(signed_volume(polygons))
    return fit.volume / volume if volume > 0 else 1.0


def height_field(polygons: Polygons) -> tuple[Floats, list[list[float]], Floats]:
    """Size, rows of heights and centre of a mesh whose points form an even grid over x and y.

    Heights count from the centre's z, which is the object's own. Raises ShapeError.
    """
    x, y, z = polygons.vertices.T
    columns, rows = _grid_lines(x), _grid_lines(y)
    if len(columns) * len(rows) != len(x) or min(len(columns), len(rows)) < 2:
        raise ShapeError("is no height field: its points must form an even grid over local x and y")
    order = np.lexsort(
        (np.searchsorted(columns, x - _slack(x)), np.searchsorted(rows, y - _slack(y)))
    )
    heights = z[order].reshape(len(rows), len(columns))
    centre = np.array([(columns[0] + columns[-1]) / 2, (rows[0] + rows[-1]) / 2, 0.0])
    extent_z = float(heights.max() - heights.min()) or 1.0
    size = np.array([columns[-1] - columns[0], rows[-1] - rows[0], extent_z])
    return size, heights.tolist(), centre


def _slack(values: Floats) -> float:
    return 1e-5 * float(np.ptp(values))


def _grid_lines(values: Floats) -> Floats:
    """Distinct coordinates of a grid; raises ShapeError where they are not evenly spaced."""
    ordered = np.sort(values)
    lines = ordered[np.concatenate([[True], np.diff(ordered) > _slack(values)])]
    gaps = np.diff(lines)
    if len(gaps) == 0 or np.ptp(gaps) > 1e-4 * gaps.max():
        raise ShapeError("is no height field: its points are not evenly spaced over local x and y")
    return lines
