# SPDX-License-Identifier: GPL-3.0-or-later
"""Where glyphs stand: matrices that follow the motion, for all glyphs at once.

A joint stands still while the machine moves, so its glyph is carried by its bodies: with N(t) the
world matrix of a body, the matrix of a glyph is N(t) N(start)⁻¹ J(start), J that of the joint. The
start is the first frame of the scene, read from the memory of an import or from the keys.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion

from .. import compat
from ..convert import Floats
from ..export.collect import is_animated


class Place(NamedTuple):
    """A frame: that of an object, carried by a body, with the origin of another object.

    ``carrier`` '' is the world; one that is the object itself means the object as it stands.
    """

    obj: str
    carrier: str
    origin: str = ""

    @staticmethod
    def of(name: str) -> Place:
        return Place(name, name)


class Span(NamedTuple):
    """A frame whose z reaches from the origin of one place to that of another."""

    first: Place
    second: Place


class Starts:
    """Objects of a view layer, their numbers, and their world matrices in the first frame."""

    def __init__(self, scene: bpy.types.Scene, objects: dict[str, bpy.types.Object]) -> None:
        self.rows = {name: row for row, name in enumerate(objects)}
        self.objects = objects
        self._scene = scene
        self._known: dict[str, Matrix] = {}
        self._still: dict[str, bool] = {}

    def is_still(self, name: str) -> bool:
        """Whether an object, if it is there, and all that it hangs on stay where they are."""
        if name not in self._still:
            self._still[name] = True  # should it hang on itself
            obj = self.objects.get(name)
            self._still[name] = obj is None or (
                not is_animated(obj) and all(self.is_still(other.name) for other in carriers(obj))
            )
        return self._still[name]

    def __getitem__(self, name: str) -> Matrix:
        if name not in self._known:
            obj = self.objects.get(name) or bpy.data.objects[name]
            self._known[name] = self._matrix(obj)
        return self._known[name]

    def _matrix(self, obj: bpy.types.Object) -> Matrix:
        if self.is_still(obj.name):
            return obj.matrix_world.copy()
        own = start_basis(obj, self._scene) if is_animated(obj) else obj.matrix_basis
        if obj.parent is not None and obj.parent_type == "OBJECT":
            own = self[obj.parent.name] @ obj.matrix_parent_inverse @ own
        elif obj.parent is not None:
            own = obj.matrix_world @ obj.matrix_basis.inverted_safe() @ own
        for constraint in held_by(obj):
            own = self[constraint.target.name] @ constraint.inverse_matrix @ own
        return own


def held_by(obj: bpy.types.Object) -> list[bpy.types.Constraint]:
    """The Child Of constraints of an object, by which joints follow their bodies at playback."""
    return [
        constraint
        for constraint in obj.constraints
        if constraint.type == "CHILD_OF" and not constraint.mute and constraint.target is not None
    ]


def carriers(obj: bpy.types.Object) -> list[bpy.types.Object]:
    """The objects that an object hangs on."""
    parents = [] if obj.parent is None else [obj.parent]
    return parents + [constraint.target for constraint in held_by(obj)]


def start_basis(obj: bpy.types.Object, scene: bpy.types.Scene) -> Matrix:
    """What an animated object's own transform is in the first frame."""
    memory = obj.impulse.playback
    if memory.active:
        turn = Quaternion(memory.start_quaternion)
        return Matrix.LocRotScale(memory.start_location, turn, obj.scale)
    turn_path = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        obj.rotation_mode, "rotation_euler"
    )
    values = {path: list(getattr(obj, path)) for path in ("location", turn_path, "scale")}
    for curve in compat.animation_curves(obj):
        if curve.data_path in values:
            values[curve.data_path][curve.array_index] = curve.evaluate(scene.frame_start)
    turn = values[turn_path]
    if turn_path == "rotation_euler":
        rotation = Euler(turn, obj.rotation_mode).to_quaternion()
    elif turn_path == "rotation_quaternion":
        rotation = Quaternion(turn).normalized()
    else:
        rotation = Quaternion(turn[1:], turn[0])
    return Matrix.LocRotScale(values["location"], rotation, values["scale"])


IDENTITY = np.eye(4)


@dataclass
class Frames:
    """Numbers the places of a picture and knows where they are now."""

    count: int = 0  # objects of the view layer that the rows below refer to
    index: dict[Place | Span, int] = field(default_factory=dict)
    _rows: list[int] = field(default_factory=list)  # of the object to start from, -1 the world
    _offsets: list[Floats] = field(default_factory=list)
    _origins: list[tuple[int, int]] = field(default_factory=list)
    _spans: list[tuple[int, int, int]] = field(default_factory=list)

    def number(self, place: Place | Span, starts: Starts) -> int:
        """The number of a frame, a new one where it is not known yet."""
        if place in self.index:
            return self.index[place]
        row, offset, origin = -1, IDENTITY, None
        if isinstance(place, Span):
            ends = [self.number(end, starts) for end in place]
            self._spans.append((len(self._rows), ends[0], ends[1]))
        elif all(starts.is_still(name) for name in place):
            # Nothing moves but by hand: the place is where its object stands.
            row = starts.rows[place.obj]
            origin = starts.rows[place.origin] if place.origin else None
        elif place.obj == place.carrier:
            row = starts.rows[place.obj]
        else:
            row = starts.rows.get(place.carrier, -1)
            offset = _offset(place, starts)
        if origin is not None:
            self._origins.append((len(self._rows), origin))
        self._rows.append(row)
        self._offsets.append(offset)
        self.index[place] = len(self._rows) - 1
        return self.index[place]

    def matrices(self, worlds: Floats) -> Floats:
        """World matrices (F, 4, 4) of all frames, ``worlds`` (N, 4, 4) being those of objects."""
        if not self._rows:
            return np.zeros((0, 4, 4))
        still = np.concatenate([worlds, IDENTITY[None]])  # the last row is the world, number -1
        found = still[self._rows] @ np.array(self._offsets)
        for frame, row in self._origins:
            found[frame, :3, 3] = worlds[row, :3, 3]
        for frame, first, second in self._spans:
            found[frame] = span_matrix(found[first, :3, 3], found[second, :3, 3])
        return found


def _offset(place: Place, starts: Starts) -> Floats:
    """From a place to its carrier, which does not change while the machine moves."""
    matrix = starts[place.obj].copy()
    if place.origin:
        matrix.translation = starts[place.origin].translation
    if place.carrier:
        matrix = starts[place.carrier].inverted_safe() @ matrix
    return np.array(matrix)


def span_matrix(first: Floats, second: Floats) -> Floats:
    """Matrix whose z reaches from one point (3,) to another, x and y of unit length."""
    matrix = np.eye(4)
    z = second - first
    length = np.linalg.norm(z)
    matrix[:3, 3] = first
    matrix[:3, 2] = z
    if length > 0:
        helper = np.eye(3)[0 if abs(z[0]) < 0.7 * length else 1]
        x = np.cross(helper, z / length)
        matrix[:3, 0] = x / np.linalg.norm(x)
        matrix[:3, 1] = np.cross(z / length, matrix[:3, 0])
    return matrix


def world_matrices(objects: bpy.types.bpy_prop_collection) -> Floats:
    """World matrices (N, 4, 4) of all objects of a view layer, in their order."""
    flat = np.empty(16 * len(objects), np.float32)
    objects.foreach_get("matrix_world", flat)
    return flat.reshape(-1, 4, 4).transpose(0, 2, 1).astype(float)
