"""Joints: what each type needs, and what it does not use."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from impulse_schema.bounds import bounds_of
from impulse_schema.checks.free_axes import check_free_axes, check_terms
from impulse_schema.checks.loads import check_two_bodies
from impulse_schema.checks.names import Names
from impulse_schema.checks.swing import check_swing
from impulse_schema.checks.vectors import angle_between, are_apart, check_not_zero
from impulse_schema.fields import element_spec
from impulse_schema.models import FREE_AXES, Joint, JointType, Scene
from impulse_schema.problems import Finding
from impulse_schema.source import ScenePath
from impulse_schema.suggest import listed

# Axes that are off by less are pulled together before the first step, like anchors.
AXIS_TOLERANCE = math.radians(2.0)

LEAST_ANGLE = math.radians(1.0)
"""Between the axes of a universal joint, or of one and the opposite of the other."""


@dataclass(frozen=True)
class Usage:
    """Which attributes of a joint its type needs, and which it may have besides."""

    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()


_BODIES = ("body1", "body2", "collide")
_FORCE = (*_BODIES, "break_force")
_TORQUE = (*_BODIES, "break_torque")
_BOTH = (*_BODIES, "break_force", "break_torque")
_ELEMENTS = ("motors", "limits", "springs", "frictions")
_ON_AXES = (*_ELEMENTS, "armature", "phase")

USAGE: dict[JointType, Usage] = {
    "ball": Usage(("anchor",), ("anchor2", *_FORCE, "damping", "axis", "axis2", "limits")),
    "hinge": Usage(("anchor", "axis"), ("anchor2", "axis2", *_BOTH, *_ON_AXES)),
    "universal": Usage(("anchor", "axis", "axis2"), ("anchor2", *_BOTH, "damping")),
    "fixed": Usage(("anchor",), ("anchor2", *_BOTH)),
    "slider": Usage(("anchor", "axis"), ("anchor2", *_BOTH, *_ON_AXES)),
    "cylindrical": Usage(("anchor", "axis"), ("anchor2", "axis2", *_BOTH, *_ON_AXES)),
    "screw": Usage(("anchor", "axis", "pitch"), ("anchor2", "axis2", *_BOTH, *_ON_AXES)),
    "point-on-line": Usage(("anchor", "axis"), ("anchor2", *_FORCE)),
    "point-on-plane": Usage(("anchor", "axis"), ("anchor2", *_FORCE)),
    "planar": Usage(("anchor", "axis"), ("anchor2", "axis2", *_BOTH)),
    "parallel-axes": Usage(("axis",), ("axis2", *_TORQUE)),
    "orientation": Usage((), _TORQUE),
    "distance": Usage(("anchor", "anchor2"), ("length", "min_length", "max_length", *_FORCE)),
    "coupling": Usage(("terms",), ("constant",)),
}
_ATTRIBUTES = (
    *("body1", "body2", "anchor", "anchor2", "axis", "axis2", "length", "min_length"),
    *("max_length", "pitch", "collide"),
    *("break_force", "break_torque", "constant", "damping", *_ON_AXES, "terms"),
)

_FIELDS = element_spec(Joint).fields


def check_joint(joint: Joint, path: ScenePath, names: Names, scene: Scene) -> Iterator[Finding]:
    """Findings on ``joint`` with its motors, limits, springs, frictions and terms."""
    yield from _check_usage(joint, path)
    if joint.type == "coupling":
        yield from check_terms(joint, path, names)
        return
    yield from check_two_bodies(joint.body1, joint.body2, path, names, "the joint")
    for key in ("axis", "axis2"):
        axis = getattr(joint, key)
        if axis is not None and key in _used(joint):
            yield from check_not_zero(axis, (*path, key))
    yield from _check_axis_pair(joint, path)
    if joint.type == "distance" and not _are_apart(joint):
        message = "anchor and anchor2 are the same point, so the distance joint has no direction"
        yield Finding((*path, "anchor2"), "E706", message, "Use a ball joint, or move one of them")
    yield from _check_pitch(joint, path)
    yield from _check_range(joint, path)
    yield from check_swing(joint, path)
    yield from check_free_axes(joint, path, scene, names)


def _are_apart(joint: Joint) -> bool:
    if joint.anchor is None or joint.anchor2 is None:
        return True  # what is missing is reported itself
    return are_apart(joint.anchor, joint.anchor2)


def _check_pitch(joint: Joint, path: ScenePath) -> Iterator[Finding]:
    least = bounds_of("m").least
    if joint.type == "screw" and joint.pitch is not None and abs(joint.pitch) < least:
        size = f"smaller than {least:g} m" if joint.pitch else "zero"
        message = f"the pitch is {size}, so the screw turns without moving along its axis"
        yield Finding((*path, "pitch"), "E714", message, "Give its metres per turn, or use a hinge")


def _check_range(joint: Joint, path: ScenePath) -> Iterator[Finding]:
    least, most = joint.min_length, joint.max_length
    for key in ("min_length", "max_length"):
        if joint.length is not None and getattr(joint, key) is not None:
            message = f"length and {key} are both given"
            yield Finding((*path, key), "E710", message, "A range has no length; leave one out")
            return
    if least is not None and most is not None and least > most:
        message = f"min_length {least:g} is greater than max_length {most:g}"
        yield Finding((*path, "min_length"), "E710", message, "Exchange them")


def angle_of_axes(joint: Joint) -> float:
    """Angle that the axes of a universal joint keep [rad]: that of the start, which is taken for a
    right one if it nearly is.
    """
    if joint.axis is None or joint.axis2 is None or not any(joint.axis) or not any(joint.axis2):
        return math.pi / 2.0
    angle = angle_between(joint.axis, joint.axis2)
    return math.pi / 2.0 if abs(angle - math.pi / 2.0) <= AXIS_TOLERANCE else angle


def _used(joint: Joint) -> tuple[str, ...]:
    usage = USAGE[joint.type]
    return usage.needed + usage.optional


def _check_usage(joint: Joint, path: ScenePath) -> Iterator[Finding]:
    needed = USAGE[joint.type].needed
    for key in needed:
        if getattr(joint, key) in (None, []):
            what = "couples no joint coordinates" if key == "terms" else f"has no {key}"
            hint = f"A {joint.type} joint needs {listed(needed)}"
            yield Finding(path, "E703", f"the {joint.type} joint {what}", hint)
    used = _used(joint)
    for key in _ATTRIBUTES:
        if key in used or getattr(joint, key) == _FIELDS[key].default:
            continue
        hint = "Leave it out"
        if key in _ON_AXES:
            hint = f"Only {listed(FREE_AXES)} joints have free axes that can be driven"
        elif key == "damping" and joint.type in FREE_AXES:
            hint = "Give it a spring with this damping"
        place = (*path, key, 0) if key in (*_ELEMENTS, "terms") else (*path, key)
        yield Finding(place, "E704", f"a {joint.type} joint does not use {key}", hint)


def _check_axis_pair(joint: Joint, path: ScenePath) -> Iterator[Finding]:
    """The axes of both bodies fit together, at least nearly."""
    axis, axis2 = joint.axis, joint.axis2
    if axis is None or axis2 is None or "axis2" not in _used(joint) or joint.type == "ball":
        return
    if not any(axis) or not any(axis2):
        return
    angle = angle_between(axis, axis2)
    degrees = f"{math.degrees(angle):.4g} degrees"
    if joint.type == "universal":
        if not LEAST_ANGLE <= angle <= math.pi - LEAST_ANGLE:
            message = f"the axes of a universal joint are nearly parallel, here {degrees} apart"
            hint = "Turn axis2 at least one degree away from axis, or use a hinge"
            yield Finding((*path, "axis2"), "E705", message, hint)
    elif angle > AXIS_TOLERANCE:
        message = f"axis and axis2 of a {joint.type} joint point the same way, here {degrees} apart"
        hint = "Leave axis2 out; axis then holds for both bodies"
        yield Finding((*path, "axis2"), "E705", message, hint)
