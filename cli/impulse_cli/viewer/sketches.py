"""What is drawn of joints, their limits, springs and centres of mass."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from impulse_cli.viewer.attached import Sketch
from impulse_core.geometry.rotations import rotated

if TYPE_CHECKING:
    from impulse_schema import Joint, Limit, Scene

__all__ = ["centres_of_mass", "joints", "limits", "size_of"]

Floats = NDArray[np.float64]

_AXIS = (220, 50, 60)
_SECOND_AXIS = (240, 150, 40)
_POINT = (30, 30, 40)
_ROD = (60, 60, 70)
_SPRING = (40, 140, 60)
_BOUND = (150, 60, 190)
_NEEDLE = (40, 40, 200)
_CENTRE = (20, 20, 20)
_SHARE = 0.03  # of the size of a scene that half an axis takes up
_ARC = math.radians(6)  # between two points of an arc


def size_of(scene: Scene) -> float:
    """Extent of the bodies and joints [m]; 1 where there is only a point."""
    points = [body.position for body in scene.bodies]
    points += [joint.anchor for joint in scene.joints if joint.anchor is not None]
    points += [
        tuple(np.add(body.position, side * np.array(_reach(body))))
        for body in scene.bodies
        for side in (-1, 1)
        if body.motion != "static"
    ]
    extent = float(np.ptp(np.array(points, dtype=float), axis=0).max()) if points else 0.0
    return extent or 1.0


def _reach(body: object) -> tuple[float, float, float]:
    sizes = [0.0]
    for solid in getattr(body, "geometry", []):
        sizes += [solid.radius or 0.0, (solid.height or 0.0) / 2, max(solid.size or (0.0,)) / 2]
    return (max(sizes),) * 3


def joints(scene: Scene) -> Sketch:
    """Points and axes of joints, rods of those that keep a distance, springs."""
    sketch, half = Sketch(scene), _SHARE * size_of(scene)
    for joint in scene.joints:
        if joint.anchor is None:
            continue
        first, second = np.array(joint.anchor), np.array(joint.anchor2 or joint.anchor)
        if joint.type == "distance":
            sketch.line(joint.body1, first, joint.body2, second, _ROD)
            continue
        sketch.cross(joint.body2, second, half / 4, _POINT)
        if joint.axis is not None:
            axis = half * _unit(joint.axis)
            sketch.line(joint.body1, first - axis, joint.body1, first + axis, _AXIS)
        if joint.axis2 is not None:
            axis = half * _unit(joint.axis2)
            sketch.line(joint.body2, second - axis, joint.body2, second + axis, _SECOND_AXIS)
    for spring in scene.springs:
        sketch.line(spring.body1, spring.anchor, spring.body2, spring.anchor2, _SPRING)
    return sketch


def limits(scene: Scene) -> Sketch:
    """Arcs and lines of the ranges of free axes on body 1, and needles on body 2."""
    sketch, half = Sketch(scene), _SHARE * size_of(scene)
    for joint in scene.joints:
        if joint.anchor is None or joint.axis is None:
            continue
        for limit in joint.limits:
            kind = limit.freedom or ("translation" if joint.type == "slider" else "rotation")
            if kind == "translation":
                _slide(sketch, joint, limit, half)
            elif kind == "swing":
                _cone(sketch, joint, limit, half)
            else:
                _turn(sketch, joint, limit, half)
    return sketch


def _turn(sketch: Sketch, joint: Joint, limit: Limit, half: float) -> None:
    assert joint.anchor is not None
    assert joint.axis is not None
    anchor, axis = np.array(joint.anchor), _unit(joint.axis)
    zero = 1.5 * half * _perpendicular(axis)
    bounds = [bound for bound in (limit.lower, limit.upper) if bound is not None]
    for bound in bounds:
        sketch.line(joint.body1, anchor, joint.body1, anchor + _turned(axis, bound, zero), _BOUND)
    if len(bounds) == 2:
        low, high = bounds[0], min(bounds[1], bounds[0] + 2 * math.pi)
        angles = np.linspace(low, high, max(2, math.ceil((high - low) / _ARC)))
        arc = [anchor + _turned(axis, float(angle), zero) for angle in angles]
        sketch.path(joint.body1, arc, _BOUND)
    if bounds:
        sketch.line(joint.body2, anchor, joint.body2, anchor + 0.9 * zero, _NEEDLE)


def _slide(sketch: Sketch, joint: Joint, limit: Limit, half: float) -> None:
    assert joint.anchor is not None
    assert joint.axis is not None
    anchor, axis = np.array(joint.anchor), _unit(joint.axis)
    across = half / 2 * _perpendicular(axis)
    ends = [anchor + bound * axis for bound in (limit.lower, limit.upper) if bound is not None]
    for end in ends:
        sketch.path(joint.body1, [end - across, end + across], _BOUND)
    sketch.path(joint.body1, ends, _BOUND)
    sketch.path(joint.body2, [anchor - across, anchor + across], _NEEDLE)


def _cone(sketch: Sketch, joint: Joint, limit: Limit, half: float) -> None:
    assert joint.anchor is not None
    assert joint.axis is not None
    if limit.upper is None:
        return
    anchor, axis = np.array(joint.anchor), _unit(joint.axis)
    side = _perpendicular(axis)
    slant = 1.5 * half * (math.cos(limit.upper) * axis + math.sin(limit.upper) * side)
    rim = [anchor + _turned(axis, float(a), slant) for a in np.linspace(0, 2 * math.pi, 33)]
    sketch.path(joint.body1, rim, _BOUND)
    for corner in rim[:-1:8]:
        sketch.path(joint.body1, [anchor, corner], _BOUND)
    if joint.axis2 is not None:
        tip = anchor + 1.5 * half * _unit(joint.axis2)
        sketch.path(joint.body2, [anchor, tip], _NEEDLE)


def centres_of_mass(scene: Scene, centres: Mapping[str, Sequence[float]]) -> Sketch:
    """A cross at each centre of mass, given by body in its frame [m]."""
    sketch, half = Sketch(scene), _SHARE * size_of(scene) / 2
    for body in scene.bodies:
        if body.name in centres:
            turned = rotated(np.array(body.orientation), np.array(centres[body.name]))
            sketch.cross(body.name, np.array(body.position) + turned, half, _CENTRE)
    return sketch


def _unit(vector: Sequence[float]) -> Floats:
    array = np.array(vector, dtype=float)
    unit: Floats = array / np.linalg.norm(array)
    return unit


def _perpendicular(axis: Floats) -> Floats:
    other = np.eye(3)[int(np.argmin(np.abs(axis)))]
    return _unit(np.cross(axis, other).tolist())


def _turned(axis: Floats, angle: float, vector: Floats) -> Floats:
    quaternion = np.array([math.cos(angle / 2), *(math.sin(angle / 2) * axis)])
    return rotated(quaternion, vector)
