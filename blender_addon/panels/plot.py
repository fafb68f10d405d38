# SPDX-License-Identifier: GPL-3.0-or-later
"""A small plot in the 3D view: results of the active object, or the energy, and the frame shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import blf
import bpy
import gpu
import numpy as np
from numpy.typing import NDArray

from .. import compat
from ..playback.curves import key_array
from ..playback.results import PATHS, QUANTITIES
from .targets import targets_of

SIZE = (340, 150)  # pixels at a scale of 1
MARGIN, GAP = 16, 8
COLOURS = (
    (0.95, 0.35, 0.35, 1.0),
    (0.45, 0.80, 0.35, 1.0),
    (0.40, 0.60, 1.00, 1.0),
)
BACKGROUND, FRAME, NOW = (0.05, 0.05, 0.05, 0.75), (0.5, 0.5, 0.5, 0.8), (1.0, 0.8, 0.2, 0.9)

Points = NDArray[np.float64]


@dataclass(frozen=True)
class Chart:
    """Curves of one quantity (K, 2), frames and values, and what it is."""

    title: str
    unit: str
    names: list[str]
    curves: list[Points]

    def limits(self) -> tuple[float, float, float, float]:
        """First and last frame, least and largest value, never the same."""
        points = np.concatenate(self.curves)
        (left, low), (right, high) = points.min(axis=0), points.max(axis=0)
        half = max((high - low) / 2, 1e-6 * max(abs(high), abs(low)), 1e-9)
        middle = (high + low) / 2
        return left, max(right, left + 1), middle - half, middle + half


def owner_of(context: bpy.types.Context) -> bpy.types.ID:
    """What results are shown of: the active object, if it has any, else the scene."""
    obj = context.object
    return obj if obj is not None and any(name in obj for name in QUANTITIES) else context.scene


def charts_of(owner: bpy.types.ID) -> list[Chart]:
    """What there is to plot of an object or the scene; energies share a chart."""
    found: dict[str, list[Any]] = {}
    for curve in compat.curves_of(owner):
        if curve.data_path in PATHS and len(curve.keyframe_points):
            found.setdefault(curve.data_path[2:-2], []).append(curve)
    charts = []
    energy = [(prop, curves) for prop, curves in found.items() if QUANTITIES[prop][1] == "J"]
    if energy:
        names = [QUANTITIES[prop][0].partition(" ")[0] for prop, _ in energy]
        curves = [key_array(curves[0]).astype(float) for _, curves in energy]
        charts.append(Chart("Energy", "J", names, curves))
    for prop, curves in found.items():
        label, unit = QUANTITIES[prop]
        if unit != "J":
            names = list("xyz") if len(curves) == 3 else [""]
            curves = sorted(curves, key=lambda curve: curve.array_index)
            charts.append(Chart(label, unit, names, [key_array(c).astype(float) for c in curves]))
    return charts


def line_of(points: Points, limits: tuple[float, ...], box: tuple[float, ...]) -> Points:
    """A curve in the pixels of a box (x, y, width, height); at most two points a pixel.

    Where there are more keys, the least and the largest of each pixel are kept.
    """
    left, right, low, high = limits
    x = (points[:, 0] - left) / (right - left) * box[2]
    y = (points[:, 1] - low) / (high - low) * box[3]
    if len(x) > 2 * box[2]:
        edges = np.flatnonzero(np.diff(np.floor(x), prepend=-1.0))
        columns = x[edges]
        x = np.repeat(columns, 2)
        y = np.stack([np.minimum.reduceat(y, edges), np.maximum.reduceat(y, edges)], 1).ravel()
    return np.stack([x + box[0], y + box[1]], axis=1)


def draw() -> None:
    """What the 3D view calls after each drawing of its own."""
    context = bpy.context
    if context.region is not None:
        draw_charts(charts_shown(context), context.scene, context.preferences.system.ui_scale)


def charts_shown(context: bpy.types.Context) -> list[Chart]:
    """What the panels ask for: targets of motors, results."""
    tag = context.scene.impulse
    charts = [
        Chart("Target", unit, [name for name, _ in curves], [points for _, points in curves])
        for unit, curves in (targets_of(context) if tag.show_targets else ())
    ]
    return charts + (charts_of(owner_of(context)) if tag.show_plot else [])


def draw_charts(charts: list[Chart], scene: bpy.types.Scene, scale: float = 1.0) -> None:
    """Draw charts one above the other, from the lower left corner of what is drawn into."""
    if not charts:
        return
    gpu.state.depth_test_set("NONE")
    width, height = (number * scale for number in SIZE)
    y = MARGIN * scale
    frame = scene.frame_current + scene.frame_subframe
    for chart in charts:
        _draw_chart(chart, (MARGIN * scale, y, width, height), frame, scale)
        y += height + GAP * scale
    gpu.state.blend_set("NONE")


def _draw_chart(chart: Chart, box: tuple[float, ...], frame: float, scale: float) -> None:
    x, y, width, height = box
    gpu.state.blend_set("ALPHA")  # text ends it
    _fill(box, BACKGROUND)
    room = 18 * scale
    inner = (x + room / 2, y + room, width - room, height - 2.4 * room)
    limits = chart.limits()
    for points, colour in zip(chart.curves, COLOURS, strict=False):
        _lines(line_of(points, limits, inner), colour, 1.5 * scale)
    at = inner[0] + (frame - limits[0]) / (limits[1] - limits[0]) * inner[2]
    if inner[0] <= at <= inner[0] + inner[2]:
        _lines(np.array([(at, inner[1]), (at, inner[1] + inner[3])]), NOW, 2 * scale)
    _lines(_outline(inner), FRAME, scale)
    size = 11 * scale
    title = f"{chart.title} [{chart.unit}]"
    place = inner[0] + 1.5 * size
    place += _text(title, (inner[0], y + height - room), size, (1, 1, 1, 1))
    _text(f"{limits[2]:.4g} … {limits[3]:.4g}", (inner[0], y + 5 * scale), size, FRAME)
    for name, points, colour in zip(chart.names, chart.curves, COLOURS, strict=False):
        now = float(np.interp(frame, points[:, 0], points[:, 1]))
        place += size
        place += _text(f"{name} {now:.4g}".strip(), (place, y + height - room), size, colour)


def _outline(box: tuple[float, ...]) -> Points:
    x, y, width, height = box
    corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)]
    return np.array(corners)


def _fill(box: tuple[float, ...], colour: tuple[float, ...]) -> None:
    corners = _outline(box)[[0, 1, 3, 2]]
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    shader.uniform_float("color", colour)
    _batch("TRI_STRIP", corners).draw(shader)


def _lines(points: Points, colour: tuple[float, ...], width: float) -> None:
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    view = gpu.state.viewport_get()
    shader.uniform_float("viewportSize", view[2:])
    shader.uniform_float("lineWidth", width)
    shader.uniform_float("color", colour)
    _batch("LINE_STRIP", points).draw(shader)


def _batch(kind: str, points: Points) -> Any:
    """Points in the plane, ready to be drawn."""
    layout = gpu.types.GPUVertFormat()
    layout.attr_add(id="pos", comp_type="F32", len=3, fetch_mode="FLOAT")
    buffer = gpu.types.GPUVertBuf(layout, len(points))
    flat = np.column_stack([points, np.zeros(len(points))])
    buffer.attr_fill("pos", np.ascontiguousarray(flat, np.float32))
    return gpu.types.GPUBatch(type=kind, buf=buffer)


def _text(text: str, place: tuple[float, float], size: float, colour: tuple[float, ...]) -> float:
    """Write a text; its width in pixels."""
    blf.size(0, size)
    blf.color(0, *colour)
    blf.position(0, *place, 0)
    blf.draw(0, text)
    return float(blf.dimensions(0, text)[0])


class Handler:
    """What Blender gave for the drawing function, to take it off again."""

    handle: Any = None


def register() -> None:
    Handler.handle = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_PIXEL")


def unregister() -> None:
    bpy.types.SpaceView3D.draw_handler_remove(Handler.handle, "WINDOW")
    Handler.handle = None
