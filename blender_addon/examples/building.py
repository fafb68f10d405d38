# SPDX-License-Identifier: GPL-3.0-or-later
"""The few words in which the examples are written: a box, a rod, a ball, a joint, a motor.

Lengths in metres, angles in radians, places from the 3D cursor. Everything made is tagged, so that
the sidebar shows it as if it had been made by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Object

from impulse_schema.models import Geometry

from ..authoring import tagging
from ..convert import length_to_blender
from ..export.scene_export import metres_of
from ..importing.colours import Painter
from ..importing.objects import frame_along
from ..importing.outlines import outline_of
from ..importing.solids import new_mesh

Point = Sequence[float]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class Builder:
    """Makes the objects of an example, in a collection of its own."""

    def __init__(self, context: bpy.types.Context, name: str) -> None:
        self.collection = bpy.data.collections.new(name)
        context.scene.collection.children.link(self.collection)
        self._metres = metres_of(context.scene)
        self._painter = Painter()
        self._origin = np.array(context.scene.cursor.location)

    def box(self, name: str, size: Point, at: Point, **body: Any) -> Object:
        """A body: a box of these edges, along the axes, around a point."""
        return self._body(name, Geometry(shape="box", size=tuple(size)), at, body)

    def bar(self, name: str, start: Point, end: Point, thickness: float, **body: Any) -> Object:
        """A body: a square bar from one point to another; its origin is its middle."""
        way = np.subtract(end, start)
        size = (thickness, thickness, float(np.linalg.norm(way)))
        middle = np.add(start, end) / 2
        return self._body(name, Geometry(shape="box", size=size), middle, body, along=way)

    def cylinder(
        self, name: str, radius: float, height: float, at: Point, axis: Point, **body: Any
    ) -> Object:
        """A body: a cylinder around a point, along an axis."""
        solid = Geometry(shape="cylinder", radius=radius, height=height)
        return self._body(name, solid, at, body, along=axis)

    def ball(self, name: str, radius: float, at: Point, of: Object) -> Object:
        """A solid that touches things, of a body that is there."""
        solid = Geometry(shape="sphere", radius=radius)
        obj = self._object(name, solid, at)
        self._painter.paint(obj.data, of.name, is_static=False)
        bpy.context.view_layer.update()
        obj.parent = of
        obj.matrix_parent_inverse = of.matrix_world.inverted()
        tagging.tag_geometry([obj], of, shape="sphere")
        return obj

    def ground(self, at: Point = (0.0, 0.0, 0.0), size: float = 10.0) -> Object:
        """A body that stays: all below a height; the square that shows it has this edge."""
        solid = Geometry(shape="plane")
        return self._body("Ground", solid, at, {"motion": "static"}, plane=size)

    def joint(
        self,
        name: str,
        kind: str,
        body1: Object | None,
        body2: Object,
        at: Point,
        axis: Point = Y,
    ) -> Object:
        """A joint at a point about, or along, an axis; None is the world."""
        empty = self._object(name, None, at, along=axis)
        empty.empty_display_type = "SINGLE_ARROW"
        empty.empty_display_size = float(length_to_blender(0.15, self._metres))
        tagging.tag_joint(empty, kind, body1, body2)
        return empty

    def _body(
        self,
        name: str,
        solid: Geometry,
        at: Point,
        body: dict[str, Any],
        along: Point = Z,
        plane: float = 0.0,
    ) -> Object:
        obj = self._object(name, solid, at, along, plane)
        self._painter.paint(obj.data, name, is_static=body.get("motion") == "static")
        if "density" in body:
            body = {"mass_source": "density", **body}
        tagging.tag_bodies([obj], shape=solid.shape, **body)
        return obj

    def _object(
        self,
        name: str,
        solid: Geometry | None,
        at: Point,
        along: Point = Z,
        plane: float = 0.0,
    ) -> Object:
        data = None if solid is None else new_mesh(name, outline_of(solid, plane), self._metres)
        obj = bpy.data.objects.new(name, data)
        obj.rotation_mode = "QUATERNION"
        obj.location = self._origin + length_to_blender(at, self._metres)
        obj.rotation_quaternion = frame_along(along)
        self.collection.objects.link(obj)
        return obj


def add_motor(joint: Object, kind: str, **values: Any) -> None:
    """A motor of a joint: ``target`` or ``expression``, gains of a servo, ``max_force``."""
    motor = joint.impulse.joint.motors.add()
    motor.kind = kind
    for key, value in values.items():
        setattr(motor, key, value)
        if f"use_{key}" in motor.bl_rna.properties:
            setattr(motor, f"use_{key}", True)


def add_limit(joint: Object, lower: float, upper: float) -> None:
    """Bounds of a joint's coordinate, which is zero as it stands."""
    limit = joint.impulse.joint.limits.add()
    limit.use_lower = limit.use_upper = True
    limit.lower, limit.upper = lower, upper
