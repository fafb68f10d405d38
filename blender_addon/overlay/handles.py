# SPDX-License-Identifier: GPL-3.0-or-later
"""The bounds of limits as points that can be dragged: where they are, and what a drag means."""

from __future__ import annotations

import math
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Matrix, Vector

from impulse_schema import models

from ..convert import take_apart
from ..export.collect import handedness
from ..export.joints import rotates
from .pieces import glyph_size


class Handle(NamedTuple):
    """A bound of a joint: number of its limit, 'lower' or 'upper', and what it bounds."""

    limit: int
    key: str
    freedom: str  # rotation, translation, swing or twist


def handles_of(joint: bpy.types.Object) -> list[Handle]:
    """The bounds of a joint that are given."""
    group = joint.impulse.joint
    free = models.FREE_AXES.get(group.type) or models.LIMITED_AXES.get(group.type, ())
    return [
        Handle(number, key, limit.freedom if limit.freedom in free else free[0])
        for number, limit in enumerate(group.limits if free else ())
        for key in ("lower", "upper")
        if getattr(limit, f"use_{key}")
    ]


def joint_frame(joint: bpy.types.Object) -> Matrix:
    """The frame of a glyph: z along the axis of the file, without scale."""
    try:
        rotation = take_apart(np.array(joint.matrix_world)).rotation
    except ValueError:
        rotation = np.eye(3)
    if not rotates(joint.impulse.joint):
        rotation = handedness(joint) * rotation
    matrix = Matrix(rotation.tolist()).to_4x4()
    matrix.translation = joint.matrix_world.translation
    return matrix


def place_of(
    handle: Handle, joint: bpy.types.Object, size: float, metres: float, value: float
) -> Vector:
    """Where a handle is in the world; ``size`` is that of the overlay, ``value`` [rad or m]."""
    reach = 1.3 * glyph_size(joint, size)
    if handle.freedom == "translation":
        local = Vector((0.6 * reach, 0.0, value / metres))
    elif handle.freedom == "swing":
        local = reach * Vector((math.sin(value), 0.0, math.cos(value)))
    else:
        local = reach * Vector((math.cos(value), math.sin(value), 0.0))
    return joint_frame(joint) @ local


def dragged(
    handle: Handle,
    joint: bpy.types.Object,
    origin: Vector,
    direction: Vector,
    metres: float,
    before: float,
) -> float:
    """The bound [rad or m] when the mouse points along a ray of the world.

    Angles go on beyond half a turn from ``before``. A ray that meets nothing changes nothing.
    """
    inverse = joint_frame(joint).inverted()
    origin, direction = inverse @ origin, inverse.to_3x3() @ direction
    if handle.freedom == "translation":
        # the point of the axis that is nearest to the ray
        across = direction.x**2 + direction.y**2
        if across < 1e-9 * direction.length_squared:
            return before
        t = -(origin.x * direction.x + origin.y * direction.y) / across
        return (origin.z + t * direction.z) * metres
    # a swing is drawn in the plane of x and z, a turn in that of x and y
    normal, first, second = (1, 2, 0) if handle.freedom == "swing" else (2, 0, 1)
    if abs(direction[normal]) < 1e-6 * direction.length:
        return before
    point = origin - origin[normal] / direction[normal] * direction
    angle = math.atan2(point[second], point[first])
    if handle.freedom == "swing":
        return abs(angle)
    return angle + 2 * math.pi * round((before - angle) / (2 * math.pi))


def allowed(handle: Handle, joint: bpy.types.Object, value: float) -> float:
    """The nearest value that the check accepts beside the other bound."""
    limit = joint.impulse.joint.limits[handle.limit]
    if handle.freedom == "swing":
        return min(max(value, math.radians(1.0)), math.radians(179.0))
    if handle.key == "lower":
        return min(value, limit.upper) if limit.use_upper else value
    return max(value, limit.lower) if limit.use_lower else value


def snapped(handle: Handle, value: float, metres: float) -> float:
    """To five degrees, or to a tenth of a unit."""
    step = 0.1 * metres if handle.freedom == "translation" else math.radians(5.0)
    return step * round(value / step)
