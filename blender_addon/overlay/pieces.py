# SPDX-License-Identifier: GPL-3.0-or-later
"""From a tagged object to the lines that show it, in frames that follow the motion."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from impulse_schema import models

from ..convert import Floats, length_to_blender, take_apart
from ..export.collect import handedness
from ..export.joints import rotates, used_fields
from ..properties.pointers import is_world, pointer_problems
from . import glyphs
from .frames import Place, Span
from .lines import Lines
from .wires import collider_wire


@dataclass(frozen=True)
class Part:
    """Lines in one frame. Solid parts are hidden behind what is before them, others never."""

    place: Place | Span
    lines: Lines
    layer: str  # joints, colliders or masses
    solid: bool = False


@dataclass(frozen=True)
class Link:
    """A line between two frames, at points (3,) given in each."""

    places: tuple[Place, Place]
    points: tuple[Floats, Floats]
    colour: glyphs.Colour


@dataclass
class Piece:
    """All that is drawn for an object; ``needs`` are the objects whose frames it uses."""

    parts: list[Part] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)

    def needs(self) -> set[str]:
        places = [end for link in self.links for end in link.places]
        for part in self.parts:
            places += part.place if isinstance(part.place, Span) else [part.place]
        return {name for place in places for name in place if name}


ORIGIN = np.zeros(3)


def is_broken(obj: bpy.types.Object, names: set[str]) -> bool:
    """Whether a joint or spring lacks something that it needs."""
    kind = obj.impulse.kind
    if kind == "JOINT":
        group = obj.impulse.joint
        used = used_fields(group.type)
        bad_terms = any(
            term.joint is None or any(pointer_problems(term, names))
            for term in (group.terms if "terms" in used else ())
        )
        needs = {"anchor2"} if group.type == "distance" else set()
        return bad_terms or _is_missing(group, used, needs, names)
    if kind == "SPRING":
        return _is_missing(obj.impulse.spring, {"body1", "body2", "anchor2"}, {"anchor2"}, names)
    return False


def _is_missing(group: Any, used: set[str], needs: set[str], names: set[str]) -> bool:
    empty = any(getattr(group, key) is None for key in needs)
    return empty or any(pointer_problems(group, names, used))


def piece_of(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    broken: bool,
    size: float,
    centre: Floats | None,
) -> Piece:
    """What is drawn for an object; ``centre`` (3,) [m] is the centre of mass of a body, if known,
    in its rigid axes.
    """
    kind = obj.impulse.kind
    if kind == "JOINT":
        return _joint_piece(context, obj, broken, size)
    if kind == "SPRING":
        return _spring_piece(obj, broken, size)
    return _solid_piece(context, obj, centre)


def unstretched(obj: bpy.types.Object, points: Floats) -> Floats:
    """Points (..., 3) in the rigid axes of an object, in its own axes, which its scale stretches.

    Without a scale there are no rigid axes; the points stay as they are.
    """
    try:
        stretch = take_apart(np.array(obj.matrix_world)).stretch
    except ValueError:
        return points
    return points @ np.linalg.inv(stretch).T


def glyph_size(obj: bpy.types.Object, size: float) -> float:
    """Radius of a glyph in Blender units: the display size of an Empty times ``size``."""
    return size * (obj.empty_display_size if obj.type == "EMPTY" else 0.3)


def _upright(obj: bpy.types.Object, lines: Lines) -> Lines:
    """Lines in the frame of a joint, in the axes of its object.

    The rigid axes of a mirrored object are opposite to its own. Its axis of rotation is that of
    the rigid axes, its axis of translation its own (export/joints.py).
    """
    turned = obj.impulse.kind != "JOINT" or rotates(obj.impulse.joint)
    sign = 1.0 if turned else handedness(obj)
    return Lines(unstretched(obj, sign * lines.segments), lines.colours)


def carrier_of(group: Any, key: str) -> str:
    """Name of the body of an end, '' for the world and for none."""
    body = getattr(group, key)
    return "" if body is None or is_world(group, key) else body.name


def _joint_piece(
    context: bpy.types.Context, obj: bpy.types.Object, broken: bool, size: float
) -> Piece:
    group = obj.impulse.joint
    scale = glyph_size(obj, size)
    used = used_fields(group.type)
    bodies = [carrier_of(group, key) if key in used else "" for key in ("body1", "body2")]
    origin = group.anchor2.name if "anchor2" in used and group.anchor2 is not None else ""
    places = (Place(obj.name, bodies[0]), Place(obj.name, bodies[1], origin))
    fixed, moving = glyphs.joint_glyph(look_of(context, obj, broken, scale))
    piece = Piece(
        [
            Part(places[0], _upright(obj, fixed), "joints"),
            Part(places[1], _upright(obj, moving), "joints"),
        ]
    )
    colour = glyphs.BROKEN if broken else glyphs.LINK
    for place, body, key in zip(places, bodies, ("body1", "body2"), strict=True):
        if body:
            middle = middle_of(bpy.data.objects[body])
            piece.links.append(Link((place, Place.of(body)), (ORIGIN, middle), colour))
        elif key in used and is_world(group, key):
            mark = _upright(obj, glyphs.ground_mark(scale))
            piece.parts.append(Part(place, mark, "joints"))
    if group.type == "distance" and origin:
        rope = glyphs.rope(group.use_min_length or group.use_max_length)
        rope = glyphs.in_red(rope) if broken else rope
        piece.parts.append(Part(Span(*places), rope, "joints"))
    for term in group.terms if "terms" in used else ():
        if term.joint is not None:
            other = Place(term.joint.name, carrier_of(term.joint.impulse.joint, "body1"))
            piece.links.append(Link((places[0], other), (ORIGIN, ORIGIN), glyphs.MOTOR))
    return piece


def look_of(
    context: bpy.types.Context, obj: bpy.types.Object, broken: bool, scale: float
) -> glyphs.JointLook:
    """What decides how the glyph of a joint looks; lengths in Blender units."""
    group = obj.impulse.joint
    metres = context.scene.unit_settings.scale_length
    free = models.FREE_AXES.get(group.type, ())
    limited = free or models.LIMITED_AXES.get(group.type, ())
    bounds = [_bound(item, limited, metres) for item in (group.limits if limited else ())]
    motors = [_freedom(item, free) for item in (group.motors if free else ())]
    return glyphs.JointLook(
        type=group.type,
        size=scale,
        axis2=_second_axis(obj),
        left=(group.pitch * handedness(obj)) < 0,
        bounds=tuple(bound for bound in bounds if bound is not None),
        motors=tuple(motors),
        broken=broken,
    )


def _freedom(item: Any, free: tuple[str, ...]) -> str:
    return item.freedom if item.freedom in free else free[0]


def _bound(item: Any, free: tuple[str, ...], metres: float) -> glyphs.Bound | None:
    freedom = _freedom(item, free)
    unit = metres if freedom == "translation" else 1.0
    lower = item.lower / unit if item.use_lower else None
    upper = item.upper / unit if item.use_upper else None
    return None if lower is None and upper is None else glyphs.Bound(freedom, lower, upper)


def _second_axis(obj: bpy.types.Object) -> tuple[float, float, float] | None:
    """Direction of Axis 2 in the rigid axes of a joint."""
    other = obj.impulse.joint.axis2
    if other is None:
        return None
    try:
        own = take_apart(np.array(obj.matrix_world)).rotation
    except ValueError:
        return None
    axis = own.T @ np.array(other.matrix_world)[:3, 2]
    return None if not np.any(axis) else (float(axis[0]), float(axis[1]), float(axis[2]))


def _spring_piece(obj: bpy.types.Object, broken: bool, size: float) -> Piece:
    group = obj.impulse.spring
    scale = glyph_size(obj, size)
    place = Place(obj.name, carrier_of(group, "body1"))
    if group.anchor2 is None:
        coil = Lines(scale * glyphs.spring_coil(0.3).segments, glyphs.spring_coil(0.3).colours)
        return Piece([Part(place, _upright(obj, glyphs.in_red(coil)), "joints")])
    coil = glyphs.spring_coil(0.35 * scale)
    coil = glyphs.in_red(coil) if broken else coil
    other = Place(group.anchor2.name, carrier_of(group, "body2"))
    piece = Piece([Part(Span(place, other), coil, "joints")])
    for end, key in ((place, "body1"), (other, "body2")):
        if name := carrier_of(group, key):
            middle = middle_of(bpy.data.objects[name])
            piece.links.append(Link((end, Place.of(name)), (ORIGIN, middle), glyphs.LINK))
    return piece


def middle_of(obj: bpy.types.Object) -> Floats:
    """Middle of an object's bounds (3,), in its own axes; of an Empty its origin."""
    if obj.type == "EMPTY":
        return np.zeros(3)
    return np.array(sum((Vector(corner) for corner in obj.bound_box), Vector())) / 8.0


def _solid_piece(context: bpy.types.Context, obj: bpy.types.Object, centre: Floats | None) -> Piece:
    piece = Piece()
    place = Place.of(obj.name)
    is_body = obj.impulse.kind == "BODY"
    if (obj.impulse.body.own_geometry or not is_body) and obj.impulse.geometry.role != "visual":
        wire = collider_wire(context, obj)
        if len(wire):
            lines = glyphs.coloured(wire, glyphs.COLLIDER)
            piece.parts.append(Part(place, lines, "colliders", solid=True))
    if centre is not None:
        metres = context.scene.unit_settings.scale_length
        reach = 0.12 * max(*obj.dimensions, 1e-3) if obj.type != "EMPTY" else 0.1
        mark = glyphs.mass_mark(length_to_blender(centre, metres), reach)
        lines = Lines(unstretched(obj, mark.segments), mark.colours)
        piece.parts.append(Part(place, lines, "masses"))
    return piece
