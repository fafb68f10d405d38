# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaits: when each leg does what all do, by where it stands.

A phase is the part of the period by which a leg is ahead. Legs of one side follow each other from
the rear to the front, each a lag after the one behind it; the sides are half a period apart. With
m legs on a side the lag is 1/2 (tripod; with four legs a trot), 1/m (ripple) or 1/(2 m) (wave).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import bpy
import numpy as np
from bpy.types import Object

from ..convert import Floats
from .limbs import PERIOD, axis_of, ends_of, point_of, set_phase
from .tagging import TagError

GAITS = [
    ("tripod", "Tripod", "Every second leg at once, left and right in turn; a trot of four legs"),
    ("ripple", "Ripple", "One leg of a side after the other, all in one period"),
    ("wave", "Wave", "One leg of all after the other, all in one period"),
]


class Leg(NamedTuple):
    """Joints with motors that move together, and where they are [Blender units]."""

    joints: list[Object]
    place: Floats


def phases(gait: str, places: Sequence[Sequence[float]]) -> list[float]:
    """The phase of each leg, from 0 to 1.

    Args:
        gait: tripod, ripple or wave.
        places: How far ahead and to the left of the middle each leg stands, shape (n, 2).
    """
    sides = [left > 0.0 for _, left in places]
    most = max(sides.count(True), sides.count(False))
    lag = {"tripod": 0.5, "ripple": 1.0 / most, "wave": 0.5 / most}[gait]
    found = []
    for (ahead, _), side in zip(places, sides, strict=True):
        beside = [x for (x, _), other in zip(places, sides, strict=True) if other == side]
        row = sum(x < ahead - 1e-6 for x in beside)
        found.append((0.5 * side - lag * row) % 1.0)
    return found


def legs_of(context: bpy.types.Context, selected: Iterable[Object], torso: Object) -> list[Leg]:
    """The legs that selected joints and bodies belong to: what hangs together without the torso."""
    joints = [obj for obj in context.view_layer.objects if len(ends_of(obj)) > 0]
    groups = _Groups()
    for joint in joints:
        moving = [end.name for end in ends_of(joint) if _moves(end) and end != torso]
        groups.join([joint.name, *moving])
    chosen = {groups.of(obj.name) for obj in selected if obj.name in groups and obj != torso}
    legs: dict[str, list[Object]] = {}
    for joint in joints:
        if joint.impulse.kind == "JOINT" and len(joint.impulse.joint.motors):
            legs.setdefault(groups.of(joint.name), []).append(joint)
    return [
        Leg(found, np.mean([np.array(obj.matrix_world)[:3, 3] for obj in found], axis=0))
        for name, found in sorted(legs.items())
        if name in chosen
    ]


def _moves(body: Object) -> bool:
    return bool(body.impulse.body.motion == "dynamic")


def torso_of(context: bpy.types.Context) -> Object:
    """The body that most joints lead to. Raises TagError where there is no joint."""
    counts: dict[str, int] = {}
    for obj in context.view_layer.objects:
        for end in ends_of(obj):
            if _moves(end):
                counts[end.name] = counts.get(end.name, 0) + 1
    if not counts:
        raise TagError("There are no joints between bodies, so there are no legs.")
    return bpy.data.objects[max(sorted(counts), key=lambda name: counts[name])]


def set_gait(
    context: bpy.types.Context,
    gait: str,
    selected: Iterable[Object],
    *,
    torso: Object,
    forward: str = "X",
    period: float | None = None,
    expression: str = "",
) -> list[Leg]:
    """Give the joints of the selected legs the phases of a gait; returns the legs.

    Joints of one leg keep what their phases differ by: the first by name gets that of the leg.

    Args:
        context: Where the legs are.
        gait: tripod, ripple or wave.
        selected: Joints or bodies of the legs.
        torso: What the legs hang on; its axes say what is ahead, and its z what is up.
        forward: X, Y, -X or -Y: the axis of the torso that points ahead.
        period: What to set the constant ``period`` to [s]; None leaves it, or makes it 1.
        expression: For motors that have no target yet.
    """
    legs = legs_of(context, selected, torso)
    if len(legs) < 2:
        raise TagError("Select the joints of at least two legs that have motors.")
    sign = -1.0 if forward.startswith("-") else 1.0
    ahead = sign * axis_of(torso, forward[-1])
    left = np.cross(axis_of(torso, "Z"), ahead)
    places = [((leg.place - point_of(torso)) @ ahead, (leg.place - point_of(torso)) @ left)
              for leg in legs]  # fmt: skip
    for leg, phase in zip(legs, phases(gait, places), strict=True):
        first = leg.joints[0].impulse.joint.phase
        for joint in leg.joints:
            set_phase(joint, phase + joint.impulse.joint.phase - first)
            for motor in joint.impulse.joint.motors if expression else ():
                if not (motor.use_target or motor.use_curve or motor.expression):
                    motor.expression = expression
    set_constant(context.scene, PERIOD, period, default=1.0)
    return legs


def set_constant(scene: bpy.types.Scene, name: str, value: float | None, *, default: float) -> None:
    """Set a constant of the scene; without a value, one that is missing gets a default."""
    constants = scene.impulse.constants
    found = next((constant for constant in constants if constant.name == name), None)
    if found is None:
        found = constants.add()
        found.name, found.value = name, default
    if value is not None:
        found.value = value


class _Groups:
    """Names that hang together."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._above

    def of(self, name: str) -> str:
        """The name that stands for a group."""
        while self._above.setdefault(name, name) != name:
            name = self._above[name]
        return name

    def join(self, names: Iterable[str]) -> None:
        """Let names be of one group."""
        first, *others = [self.of(name) for name in names]
        for other in others:
            self._above[max(first, other)] = min(first, other)
            first = min(first, other)
