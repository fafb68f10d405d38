# SPDX-License-Identifier: GPL-3.0-or-later
"""Motors, limits and springs that work as they are added: gains from what they have to move.

A servo on the inertia J is a damped oscillator, J φ'' = -p φ - d φ'. With the natural frequency f
and critical damping, p = (2 π f)² J and d = 2 (2 π f) J. J is the reduced inertia of what stands on
the two sides of the joint, 1 / J = 1 / J₁ + 1 / J₂, about its axis (of a slider the mass), and the
world has infinitely much. A side is all that still hangs together once the joint is taken out;
where a loop joins the sides all the same, it is the body alone.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Object

from impulse_schema import models

from ..convert import Floats, decimals, length_to_scene, take_apart
from ..export.scene_export import metres_of
from ..properties.pointers import is_world
from . import measuring
from .tagging import TagError

# Hz: settles in a tenth of a second; a weight at the end of a rod sags by g / (2 π f)², 1 cm.
FREQUENCY = 5.0
SPRING_FREQUENCY = 1.0  # Hz
RANGE = math.radians(45.0)
TRAVEL = 0.5  # a slider's limit, of the size of its smaller body
CONE = math.radians(60.0)


class Gains(NamedTuple):
    """Of a servo: N m/rad and N m s/rad about an axis, N/m and N s/m along one."""

    proportional: float
    derivative: float


def gains(inertia: float, frequency: float = FREQUENCY, damping: float = 1.0) -> Gains:
    """Gains that give an inertia [kg m^2 or kg] this natural frequency [Hz] and damping ratio."""
    omega = 2.0 * math.pi * frequency
    return Gains(omega**2 * inertia, 2.0 * damping * omega * inertia)


def add_motor(context: bpy.types.Context, joint: Object, kind: str) -> Any:
    """A motor that holds the start pose (servo), turns slowly (velocity), or gives no force yet."""
    free = models.FREE_AXES.get(joint.impulse.joint.type, ())
    if not free:
        raise TagError(f"A {joint.impulse.joint.type} joint has no free axis for a motor.")
    motor = joint.impulse.joint.motors.add()
    motor.kind = kind
    motor.use_target = True
    _name_axis(motor, free)
    sliding = free[0] == "translation"
    if kind == "servo":
        found = gains(inertia_of(context, joint, sliding))
        motor.proportional, motor.derivative = (rounded(gain) for gain in found)
    elif kind == "velocity":
        motor.target = 0.1 if sliding else math.pi / 2.0
    return motor


def add_limit(joint: Object, metres: float) -> Any:
    """Bounds of 45 degrees either way, of half a body's size, or a cone of 60 degrees."""
    group = joint.impulse.joint
    free = models.FREE_AXES.get(group.type) or models.LIMITED_AXES.get(group.type)
    if not free:
        raise TagError(f"A {group.type} joint has no free axis to limit.")
    limit = group.limits.add()
    limit.use_upper = True
    if free[0] == "swing":
        limit.freedom, limit.upper = "swing", CONE
        return limit
    _name_axis(limit, free)
    bound = RANGE if free[0] == "rotation" else rounded(_travel(group) * metres)
    limit.use_lower = True
    limit.lower, limit.upper = -bound, bound
    return limit


def add_spring(context: bpy.types.Context, joint: Object) -> Any:
    """A spring that swings once a second, damped to a tenth of the critical."""
    free = models.FREE_AXES.get(joint.impulse.joint.type, ())
    if not free:
        raise TagError(f"A {joint.impulse.joint.type} joint has no free axis for a spring.")
    inertia = inertia_of(context, joint, free[0] == "translation")
    found = gains(inertia, SPRING_FREQUENCY, damping=0.1)
    spring = joint.impulse.joint.springs.add()
    _name_axis(spring, free)
    spring.stiffness, spring.damping = (rounded(number) for number in found)
    return spring


def _name_axis(part: Any, free: tuple[str, ...]) -> None:
    """Let a part act on the first of several free axes."""
    if len(free) > 1:
        part.freedom = free[0]


def _travel(group: Any) -> float:
    sizes = [max(body.dimensions) for body in (group.body1, group.body2) if body is not None]
    return TRAVEL * min([size for size in sizes if size > 0.0], default=1.0)


def rounded(number: float) -> float:
    """To two digits, as a start that will be tuned."""
    return 0.0 if number == 0.0 else float(f"{number:.2g}")


def inertia_of(context: bpy.types.Context, joint: Object, sliding: bool) -> float:
    """Reduced inertia about the axis of a joint [kg m^2], or reduced mass along it [kg].

    Raises TagError where neither side has a known one.
    """
    measuring.refresh(context)
    group = joint.impulse.joint
    ends = [None if is_world(group, key) else getattr(group, key) for key in ("body1", "body2")]
    sides = [set() if end is None else _side(context, joint, end) for end in ends]
    if sides[0] & sides[1]:
        sides = [set() if end is None else {end.name} for end in ends]
    inverse = sum(_inverse_inertia(context, joint, side, sliding) for side in sides)
    if inverse <= 0.0:
        raise TagError("Neither body has a mass yet; give one a density, or choose its bodies.")
    return 1.0 / inverse


def _side(context: bpy.types.Context, joint: Object, body: Object) -> set[str]:
    """Names of the bodies that hang on one body by joints other than this one."""
    neighbours: dict[str, set[str]] = {}
    for other in context.view_layer.objects:
        if other.impulse.kind != "JOINT" or other == joint:
            continue
        pair = (other.impulse.joint.body1, other.impulse.joint.body2)
        if None not in pair and other.impulse.joint.type != "coupling":
            neighbours.setdefault(pair[0].name, set()).add(pair[1].name)
            neighbours.setdefault(pair[1].name, set()).add(pair[0].name)
    found, waiting = set(), [body.name]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += neighbours.get(name, ())
    return found


def _inverse_inertia(
    context: bpy.types.Context, joint: Object, names: set[str], sliding: bool
) -> float:
    """1 / J of a side; 0 for one that does not move or whose mass is not known."""
    bodies = [bpy.data.objects[name] for name in names]
    if not bodies or any(body.impulse.body.motion != "dynamic" for body in bodies):
        return 0.0
    metres = metres_of(context.scene)
    axis = np.array(joint.matrix_world)[:3, 2]
    axis = axis / np.linalg.norm(axis)
    anchor = length_to_scene(joint.matrix_world.translation, metres)
    total = 0.0
    for body in bodies:
        known = measuring.known(body.name)
        if known is None or known.centre is None:
            return 0.0
        total += known.mass if sliding else _about(body, known, axis, anchor, metres)
    return 1.0 / total if total > 0.0 else 0.0


def _about(
    body: Object, known: measuring.Measured, axis: Floats, anchor: Floats, metres: float
) -> float:
    """Moment of inertia of a body about an axis through a point of the world [kg m^2]."""
    placement = take_apart(np.array(body.matrix_world))
    own = placement.rotation.T @ axis
    centre = length_to_scene(placement.translation, metres) + placement.rotation @ known.centre
    arm = np.cross(axis, centre - anchor)
    return float(own @ known.inertia @ own + known.mass * (arm @ arm))


def set_density(objects: Any, density: float) -> int:
    """Give bodies a density [kg/m^3], from which their mass follows; how many there were."""
    bodies = [obj for obj in objects if obj.impulse.kind == "BODY"]
    for body in bodies:
        body.impulse.body.mass_source = "density"
        body.impulse.body.density = decimals(density)
    return len(bodies)
