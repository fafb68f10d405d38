# SPDX-License-Identifier: GPL-3.0-or-later
"""What a joint, spring or mark looks like, as lines. NumPy only, no bpy.

A glyph stands at the anchor with its z along the axis; angles count from x. What belongs to body 1
(ring, rail, scale of the limits) and what belongs to body 2 (needle, carriage) are two pieces, as
the bodies move apart: while the machine moves, the needle points at the joint's coordinate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .lines import (
    Colour,
    Floats,
    Lines,
    X,
    Y,
    Z,
    arc,
    arrow,
    box,
    coloured,
    cross,
    dashed,
    helix,
    joined,
    path,
    perpendicular,
    turn_arrow,
)

FRAME: Colour = (0.35, 0.75, 1.0, 0.95)  # what belongs to body 1
MOVER: Colour = (1.0, 1.0, 1.0, 0.95)  # what belongs to body 2
AXIS: Colour = (0.25, 0.5, 1.0, 0.95)
LIMIT: Colour = (1.0, 0.65, 0.15, 0.95)
MOTOR: Colour = (0.35, 0.95, 0.35, 0.95)
LINK: Colour = (0.75, 0.8, 0.9, 0.45)
SPRING: Colour = (0.6, 0.95, 0.75, 0.95)
COLLIDER: Colour = (0.1, 0.85, 0.75, 0.55)
TRIGGER: Colour = (0.6, 0.6, 0.6, 0.5)
MASS: Colour = (1.0, 0.45, 0.9, 0.95)
CONTACT: Colour = (1.0, 0.9, 0.2, 1.0)
BROKEN: Colour = (1.0, 0.15, 0.15, 1.0)


@dataclass(frozen=True)
class Bound:
    """A limit: of rotation, translation, swing or twist; None where there is no bound.

    Angles in rad, lengths in the unit of the glyph.
    """

    freedom: str
    lower: float | None = None
    upper: float | None = None


@dataclass(frozen=True)
class JointLook:
    """What decides how a joint is drawn."""

    type: str
    size: float = 1.0  # radius of the glyph
    axis2: tuple[float, float, float] | None = None  # of universal and ball joints, in glyph axes
    left: bool = False  # a left-handed screw
    bounds: tuple[Bound, ...] = ()
    motors: tuple[str, ...] = ()  # rotation or translation
    broken: bool = False


def joint_glyph(look: JointLook) -> tuple[Lines, Lines]:
    """The pieces of body 1 and of body 2, in the frame of the joint."""
    fixed, moving = GLYPHS[look.type](look.size)
    if look.axis2 is not None and look.type in _SECOND:
        moving = _SECOND[look.type](look.size, np.asarray(look.axis2, float))
    if look.type == "screw" and look.left:
        fixed = replace_left(fixed)
    extras = [_bound(look, bound) for bound in look.bounds]
    extras += [coloured(_drive(freedom, look.size), MOTOR) for freedom in look.motors]
    fixed = joined([fixed, *extras])
    return (in_red(fixed), in_red(moving)) if look.broken else (fixed, moving)


def in_red(lines: Lines) -> Lines:
    return coloured(lines.segments, BROKEN)


def replace_left(lines: Lines) -> Lines:
    """The mirror image across y, which makes a left-handed thread of a right-handed one."""
    return Lines(lines.segments * np.array([1.0, -1.0, 1.0]), lines.colours)


def _axis_line(s: float, reach: float = 1.5) -> Lines:
    return coloured(arrow(-reach * s * Z, reach * s * Z, 0.25 * s), AXIS)


def _needle(s: float) -> Lines:
    return coloured([[0 * X, 1.15 * s * X]], MOVER)


def _hinge(s: float) -> tuple[Lines, Lines]:
    rings = [arc(0.3 * s, centre=h * s * Z) for h in (-0.5, 0.5)]
    bars = [[0.3 * s * d - 0.5 * s * Z, 0.3 * s * d + 0.5 * s * Z] for d in (X, Y, -X, -Y)]
    barrel = coloured(np.concatenate([*rings, bars]), FRAME)
    return joined([_axis_line(s), barrel, coloured(arc(s), FRAME)]), _needle(s)


def _slider(s: float) -> tuple[Lines, Lines]:
    rails = [[[d * 0.25 * s * X - 1.5 * s * Z, d * 0.25 * s * X + 1.5 * s * Z]] for d in (1, -1)]
    stops = [[[-0.35 * s * X + h * s * Z, 0.35 * s * X + h * s * Z]] for h in (-1.5, 1.5)]
    rail = coloured(np.concatenate([*rails, *stops]), FRAME)
    return joined([_axis_line(s, 1.9), rail]), coloured(box((0.4 * s, 0.3 * s, 0.4 * s)), MOVER)


def _cylindrical(s: float) -> tuple[Lines, Lines]:
    rings = [arc(0.35 * s, centre=h * s * Z) for h in (-1.0, 1.0)]
    bars = [[0.35 * s * d - s * Z, 0.35 * s * d + s * Z] for d in (X, Y, -X, -Y)]
    tube = coloured(np.concatenate([*rings, bars]), FRAME)
    collar = coloured(arc(0.6 * s), MOVER)
    return joined([_axis_line(s, 1.9), tube]), joined([collar, _needle(s)])


def _screw(s: float) -> tuple[Lines, Lines]:
    thread = coloured(helix(0.35 * s, 2.4 * s, 4), FRAME)
    nut = coloured(path([0.65 * s * (np.cos(a) * X + np.sin(a) * Y) for a in _corners(6)]), MOVER)
    return joined([_axis_line(s, 1.9), thread]), joined([nut, _needle(s)])


def _corners(count: int) -> Floats:
    return np.linspace(0.0, 2 * np.pi, count + 1)


def _ball(s: float) -> tuple[Lines, Lines]:
    socket = coloured(arc(0.75 * s, np.pi, 2 * np.pi, u=X, v=Z), FRAME)
    cup = coloured(arc(0.75 * s, np.pi, 2 * np.pi, u=Y, v=Z), FRAME)
    return joined([socket, cup]), _pin(s, Z)


def _pin(s: float, axis: Floats) -> Lines:
    """A ball with a pin along the axis of body 2."""
    pin = [[0 * Z, 1.3 * s * axis / np.linalg.norm(axis)]]
    return coloured(np.concatenate([_ball_wire(0.5 * s), pin]), MOVER)


def _yoke(s: float, axis: Floats, other: Floats, colour: Colour) -> Lines:
    """A fork: a half ring that carries a pin along ``axis``, open towards ``other``."""
    pin = [[-0.8 * s * axis, 0.8 * s * axis]]
    return coloured(np.concatenate([pin, arc(0.8 * s, np.pi, 2 * np.pi, u=axis, v=other)]), colour)


def _universal(s: float) -> tuple[Lines, Lines]:
    return joined([_yoke(s, Z, Y, FRAME), _axis_line(s, 1.3)]), _second_yoke(s, X)


def _second_yoke(s: float, axis: Floats) -> Lines:
    axis = axis / np.linalg.norm(axis)
    away = np.cross(Z, axis)
    away = perpendicular(axis)[0] if np.linalg.norm(away) < 1e-6 else away / np.linalg.norm(away)
    return _yoke(s, axis, -away, MOVER)


def _fixed(s: float) -> tuple[Lines, Lines]:
    cube = box((0.5 * s, 0.5 * s, 0.5 * s))
    faces = [[a, b] for a, b in (((1, 1, z), (-1, -1, z)) for z in (-1, 1))]
    faces += [[a, b] for a, b in (((1, -1, z), (-1, 1, z)) for z in (-1, 1))]
    bolts = coloured(0.5 * s * np.array(faces, float), FRAME)
    return joined([coloured(cube, FRAME), bolts]), coloured(cross(0.7 * s), MOVER)


def _diamond(s: float) -> Floats:
    return np.concatenate(
        [path([X, Y, -X, -Y, X]), path([X, Z, -X, -Z, X]), path([Y, Z, -Y, -Z, Y])]
    ) * (0.25 * s)


def _point_on_line(s: float) -> tuple[Lines, Lines]:
    line = coloured(dashed(-2.5 * s * Z, 2.5 * s * Z, 9), FRAME)
    return joined([line, _axis_line(s, 1.2)]), coloured(_diamond(s), MOVER)


def _grid(s: float) -> Lines:
    square = s * np.array([X + Y, Y - X, -X - Y, X - Y, X + Y])
    inner = [[d * s * X / 3 - s * Y, d * s * X / 3 + s * Y] for d in (-1, 1)]
    inner += [[d * s * Y / 3 - s * X, d * s * Y / 3 + s * X] for d in (-1, 1)]
    return coloured(np.concatenate([path(square), inner]), FRAME)


def _point_on_plane(s: float) -> tuple[Lines, Lines]:
    normal = coloured(arrow(0 * Z, 1.2 * s * Z, 0.25 * s), AXIS)
    return joined([_grid(s), normal]), coloured(_diamond(s), MOVER)


def _planar(s: float) -> tuple[Lines, Lines]:
    normal = coloured(arrow(0 * Z, 1.2 * s * Z, 0.25 * s), AXIS)
    ways = [arrow(-0.9 * s * d, 0.9 * s * d, 0.2 * s, side) for d, side in ((X, Y), (Y, X))]
    turn = turn_arrow(0.5 * s, 0.3, 5.0, 0.02 * s)
    return joined([_grid(s), normal]), coloured(np.concatenate([*ways, turn]), MOVER)


def _parallel_axes(s: float) -> tuple[Lines, Lines]:
    first = arrow(-0.3 * s * X - s * Z, -0.3 * s * X + s * Z, 0.25 * s)
    second = arrow(0.3 * s * X - s * Z, 0.3 * s * X + s * Z, 0.25 * s)
    return coloured(first, AXIS), coloured(second, MOVER)


def _orientation(s: float) -> tuple[Lines, Lines]:
    rings = [arc(0.8 * s, u=u, v=v) for u, v in ((X, Y), (Y, Z), (Z, X))]
    axes = [arrow(0 * d, s * d, 0.2 * s, e) for d, e in ((X, Y), (Y, Z), (Z, X))]
    return coloured(np.concatenate(rings), FRAME), coloured(np.concatenate(axes), MOVER)


def _distance(s: float) -> tuple[Lines, Lines]:
    eye = np.concatenate([arc(0.3 * s), arc(0.3 * s, u=X, v=Z)])
    return coloured(eye, FRAME), coloured(eye, MOVER)


def _coupling(s: float) -> tuple[Lines, Lines]:
    teeth = 12
    angles = np.arange(4 * teeth + 1) * (2 * np.pi / (4 * teeth))
    radii = s * np.where((np.arange(4 * teeth + 1) % 4) < 2, 0.8, 0.6)[:, None]
    rim = radii * (np.cos(angles)[:, None] * X + np.sin(angles)[:, None] * Y)
    return coloured(path(rim), FRAME), coloured(arc(0.2 * s), MOVER)


GLYPHS: dict[str, Callable[[float], tuple[Lines, Lines]]] = {
    "ball": _ball,
    "hinge": _hinge,
    "universal": _universal,
    "fixed": _fixed,
    "slider": _slider,
    "cylindrical": _cylindrical,
    "screw": _screw,
    "point-on-line": _point_on_line,
    "point-on-plane": _point_on_plane,
    "planar": _planar,
    "parallel-axes": _parallel_axes,
    "orientation": _orientation,
    "distance": _distance,
    "coupling": _coupling,
}


_SECOND = {"universal": _second_yoke, "ball": _pin}


def _bound(look: JointLook, bound: Bound) -> Lines:
    if bound.freedom == "translation":
        return coloured(_bar(look.size, bound), LIMIT)
    if bound.freedom == "swing":
        return coloured(_cone(1.2 * look.size, bound.upper or 0.0), LIMIT)
    return coloured(_sector(look.size, bound), LIMIT)


def _sector(s: float, bound: Bound) -> Floats:
    """An arc over the allowed angles with a stroke at each bound; half a turn where one is open."""
    lower = bound.upper - np.pi if bound.lower is None and bound.upper is not None else bound.lower
    lower = -np.pi if lower is None else lower
    upper = lower + np.pi if bound.upper is None else bound.upper
    # More than a turn is drawn as one.
    pieces = [arc(1.1 * s, lower, min(upper, lower + 2 * np.pi))]
    given = [a for a in (bound.lower, bound.upper) if a is not None]
    for angle in given:
        ray = np.cos(angle) * X + np.sin(angle) * Y
        pieces.append(np.array([[0.15 * s * ray, 1.25 * s * ray]]))
    return np.concatenate(pieces)


def _bar(s: float, bound: Bound) -> Floats:
    """A line beside the axis over the allowed travel, with a stop at each bound."""
    lower = -1.5 * s if bound.lower is None else bound.lower
    upper = 1.5 * s if bound.upper is None else bound.upper
    beside = 0.5 * s * X
    stops = [h for h in (bound.lower, bound.upper) if h is not None]
    pieces = [[beside + lower * Z, beside + upper * Z]]
    for h in stops:
        pieces += [[h * Z - 0.6 * s * d, h * Z + 0.6 * s * d] for d in (X, Y)]
    return np.array(pieces)


def _cone(s: float, angle: float) -> Floats:
    """The cone about z in which the axis of body 2 stays."""
    rim = arc(s * np.sin(angle), centre=s * np.cos(angle) * Z)
    sides = [[0 * Z, rim[k, 0]] for k in range(0, len(rim), max(1, len(rim) // 8))]
    return np.concatenate([rim, np.array(sides)])


def _drive(freedom: str, s: float) -> Floats:
    """The arrow of a motor: around the axis, or along it."""
    if freedom == "translation":
        return arrow(-0.5 * s * Y - 0.9 * s * Z, -0.5 * s * Y + 0.9 * s * Z, 0.35 * s)
    return turn_arrow(0.75 * s, 0.35, 5.2)


def ground_mark(s: float) -> Lines:
    """Hatching under a joint that is fixed to the world."""
    strokes = [[-0.6 * X, 0.6 * X]]
    strokes += [[x * X, (x - 0.2) * X - 0.25 * Z] for x in (-0.6, -0.2, 0.2, 0.6)]
    return coloured(s * (np.array(strokes) - 1.6 * Z), LINK)


def spring_coil(radius: float, turns: int = 8) -> Lines:
    """A coil from (0, 0, 0) to (0, 0, 1), of this radius, with straight ends."""
    coil = helix(radius, 0.7, turns) + 0.5 * Z
    ends = [[0 * Z, coil[0, 0]], [coil[-1, 1], Z]]
    return coloured(np.concatenate([coil, ends]), SPRING)


def rope(slack: bool) -> Lines:
    """The line of a distance joint from (0, 0, 0) to (0, 0, 1), dashed where it has a range."""
    return coloured(dashed(0 * Z, Z, 12) if slack else [[0 * Z, Z]], FRAME)


def mass_mark(centre: ArrayLike, size: float) -> Lines:
    """A cross with a ring at a centre of mass."""
    mark = np.concatenate([cross(size), arc(0.6 * size), arc(0.6 * size, u=X, v=Z)])
    return coloured(mark + np.asarray(centre, float), MASS)


def contact_marks(
    points: ArrayLike, size: float, forces: ArrayLike | None = None, per_newton: float = 0.0
) -> Lines:
    """A star at each contact point (N, 3), and a line along its force (N, 3) [N] if given."""
    points = np.asarray(points, float).reshape(-1, 3)
    stars = (points[:, None, None, :] + cross(0.5 * size)).reshape(-1, 2, 3)
    if forces is None or not per_newton:
        return coloured(stars, CONTACT)
    ends = points + per_newton * np.asarray(forces, float).reshape(-1, 3)
    return coloured(np.concatenate([stars, np.stack([points, ends], axis=1)]), CONTACT)


def solid_wire(shape: str, sizes: dict[str, Any]) -> Floats:
    """Edges (K, 2, 3) of a primitive about its centre, in its own axes; ``sizes`` as in the file:
    full edges, radii, height.
    """
    radius = float(sizes.get("radius", 0.0))
    half = 0.5 * float(sizes.get("height", 0.0))
    if shape == "box":
        return box(0.5 * np.asarray(sizes["size"], float), np.zeros(3))
    if shape == "ellipsoid":
        return _ball_wire(1.0) * (0.5 * np.asarray(sizes["size"], float))
    if shape == "sphere":
        return _ball_wire(radius)
    if shape == "torus":
        major, minor = float(sizes["major_radius"]), float(sizes["minor_radius"])
        rings = [arc(major + d * minor) for d in (-1, 1)]
        tubes = [arc(minor, centre=major * d, u=d, v=Z) for d in (X, Y, -X, -Y)]
        return np.concatenate([*rings, *tubes])
    base, top = arc(radius, centre=-half * Z), arc(radius, centre=half * Z)
    corners = (X, Y, -X, -Y)
    if shape == "cone":
        sides = np.array([[radius * d - half * Z, half * Z] for d in corners])
        return np.concatenate([base, sides])
    sides = np.array([[radius * d - half * Z, radius * d + half * Z] for d in corners])
    caps = [
        arc(radius, a, a + np.pi, centre=h * Z, u=u, v=Z)
        for h, a in ((half, 0.0), (-half, np.pi))
        for u in (X, Y)
    ]
    return np.concatenate([base, top, sides, *(caps if shape == "capsule" else ())])


def _ball_wire(radius: float) -> Floats:
    return np.concatenate([arc(radius, u=u, v=v) for u, v in ((X, Y), (Y, Z), (Z, X))])
