"""Axis arrays of the Model: what acts on the free axes of joints, and springs between points."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from impulse_core.compile.axis_mass import BodyRows, inverse_mass_along
from impulse_core.compile.expansion import rows_of_swings
from impulse_core.compile.joints import RANGE_ROUNDING, JointRows, has_range
from impulse_core.compile.problems import BAD_JOINT, ProblemList
from impulse_core.compile.signals import SignalList
from impulse_core.geometry.products import length
from impulse_core.joints.table import (
    AXIS_ROWS,
    DAMPED_ROWS,
    EXPLICIT_SERVO,
    FIRST_ROTATION,
    FORCE_MOTOR,
    IMPLICIT_SERVO,
    NO_MOTOR,
    OFFSET,
    ROTATION_AXIS,
    SECOND_ROTATION_AXIS,
    TRANSLATION_AXIS,
    VELOCITY_MOTOR,
)
from impulse_core.model import Axis, CountedAngle
from impulse_core.types import Records, new_records
from impulse_schema import Scene, joint_names, numbers_for
from impulse_schema.checks.vectors import angle_between
from impulse_schema.models import FREE_AXES, LIMITED_AXES, Freedom, Joint, LimitedFreedom, Motor

__all__ = ["FREE_AXES", "LIMITED_AXES", "axis_fields", "dissipation", "explicit_servo_hint"]

_ELEMENTS = ("motors", "limits", "springs", "frictions")
# What an _Axis adds up, under the names of the record.
_NUMBERS = (
    *("joint", "row", "offset", "inverse_mass", "length", "stiffness", "damping", "rest"),
    *("friction", "lower", "upper", "restitution", "speed", "armature"),
)


@dataclass
class _Axis:
    """One axis and the sum of what acts on it; fields as in Model."""

    joint: int
    row: int
    offset: float
    inverse_mass: float
    length: float
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    friction: float = 0.0
    lower: float = -np.inf
    upper: float = np.inf
    restitution: float = 0.0
    speed: float = np.inf
    armature: float = 0.0
    motor: Motor | None = None
    numbers: dict[str, float] = field(default_factory=dict)
    """What the expression of the motor may name."""

    def add_rotor(self, inertia: float) -> None:
        """Let a rotor move with the coordinate."""
        self.armature = inertia
        self.inverse_mass /= 1.0 + inertia * self.inverse_mass

    def add_spring(self, stiffness: float, damping: float, rest: float) -> None:
        """Put a spring beside those there are: k = Σ kᵢ, r = Σ kᵢ rᵢ / k."""
        total = self.stiffness + stiffness
        if total > 0.0:
            self.rest = (self.stiffness * self.rest + stiffness * rest) / total
        self.stiffness = total
        self.damping += damping


def axis_fields(
    scene: Scene,
    joints: JointRows,
    bodies: BodyRows,
    problems: ProblemList,
    signals: SignalList,
) -> dict[str, Any]:
    """The axes of Model and ``counted``, by its names; targets of motors are added to ``signals``.

    Args:
        scene: Its joints come first in ``joints``, its springs after them.
        joints: The joints, which are told whether they carry axes.
        bodies: Start of the body rows.
        problems: Where axes that no number can describe are reported.
        signals: Functions of time.
    """
    names = joint_names(scene)
    axes: list[_Axis] = []
    counted: list[tuple[int, int]] = []
    for j, joint in enumerate(scene.joints):
        for freedom in FREE_AXES.get(joint.type, ()):
            if _rotor(joint, freedom) or any(_of(joint, key, freedom) for key in _ELEMENTS):
                axis = _axis(j, AXIS_ROWS[freedom], joints, bodies)
                if not math.isfinite(axis.inverse_mass):
                    problems.add(
                        ("joints", j),
                        BAD_JOINT,
                        f"joint '{names[j]}': no double holds what its {freedom} moves; masses and"
                        " distances differ too much",
                        "Look at the positions and masses of its bodies",
                    )
                _add_elements(axis, scene, joint, freedom)
                axes.append(axis)
            elif freedom == "rotation":
                counted.append((j, AXIS_ROWS[freedom]))
        if joint.damping > 0.0:
            for row in DAMPED_ROWS.get(joint.type, ()):
                axis = _axis(j, row, joints, bodies)
                axis.damping = joint.damping
                axes.append(axis)
        elif joint.type == "universal":
            counted += [(j, ROTATION_AXIS), (j, SECOND_ROTATION_AXIS)]
        if has_range(joint):
            axes.append(_range(joint, _axis(j, TRANSLATION_AXIS, joints, bodies)))
    for j, row in rows_of_swings(scene).items():
        for limited in LIMITED_AXES["ball"]:
            axis = _axis(row, AXIS_ROWS[limited], joints, bodies)
            _add_limits(axis, scene.joints[j], limited)
            axes.append(axis)
    for number, spring in enumerate(scene.springs):
        j = len(scene.joints) + number
        start = length(np.subtract(spring.anchor2, spring.anchor))
        rest = start if spring.rest_length is None else spring.rest_length
        rows = range(3) if joints.records["translation_part"][j] == OFFSET else [TRANSLATION_AXIS]
        for row in rows:
            axis = _axis(j, row, joints, bodies)
            axis.add_spring(spring.stiffness, spring.damping, rest)
            axes.append(axis)
    return {"axes": _records(axes, joints, signals), "counted": _angles(counted)}


def _angles(counted: list[tuple[int, int]]) -> Records:
    angles = new_records(CountedAngle, len(counted))
    for record, angle in zip(angles, counted, strict=True):
        record["joint"], record["row"] = angle
    return angles


def _range(joint: Joint, axis: _Axis) -> _Axis:
    """The axis of a range of lengths, which ends where it starts if that is beyond by rounding.
    What is farther beyond is refused, or pulled back by assembly.
    """
    start = math.dist(joint.anchor or (), joint.anchor2 or ())
    if joint.min_length is not None:
        axis.lower = _end_of_range(joint.min_length, start)
    if joint.max_length is not None:
        axis.upper = _end_of_range(joint.max_length, start)
    return axis


def _end_of_range(length: float, start: float) -> float:
    return start if abs(start - length) <= RANGE_ROUNDING * length else length


def _of(joint: Joint, key: str, freedom: LimitedFreedom) -> list[Any]:
    """The elements of one kind that act on one free axis."""
    default = FREE_AXES.get(joint.type, (None,))[0]
    return [item for item in getattr(joint, key) if (item.freedom or default) == freedom]


def _rotor(joint: Joint, freedom: Freedom) -> float:
    """Inertia of the rotor on one free axis; 0 if it has none."""
    return joint.armature if freedom == FREE_AXES[joint.type][0] else 0.0


def _axis(j: int, row: int, joints: JointRows, bodies: BodyRows) -> _Axis:
    inverse_mass = inverse_mass_along(j, row, joints, bodies)
    if row >= FIRST_ROTATION:
        return _Axis(j, row, 0.0, inverse_mass, joints.records["body_length"][j])
    return _Axis(j, row, joints.start_offset[j], inverse_mass, 1.0)


def _add_elements(axis: _Axis, scene: Scene, joint: Joint, freedom: Freedom) -> None:
    if rotor := _rotor(joint, freedom):
        axis.add_rotor(rotor)
    for spring in _of(joint, "springs", freedom):
        axis.add_spring(spring.stiffness, spring.damping, spring.rest)
    for friction in _of(joint, "frictions", freedom):
        axis.friction += friction.force
    _add_limits(axis, joint, freedom)
    for motor in _of(joint, "motors", freedom):
        axis.motor, axis.numbers = motor, numbers_for(scene, joint)


def _add_limits(axis: _Axis, joint: Joint, freedom: LimitedFreedom) -> None:
    """Bounds of the coordinate and of its velocity; a swing may start beyond by rounding."""
    start = _start(joint, freedom)
    for limit in _of(joint, "limits", freedom):
        axis.lower = -np.inf if limit.lower is None else limit.lower
        axis.upper = np.inf if limit.upper is None else limit.upper
        if start != 0.0:
            axis.upper = _end_of_range(axis.upper, start)
        axis.restitution = limit.restitution
        axis.speed = np.inf if limit.max_velocity is None else limit.max_velocity


def _start(joint: Joint, freedom: LimitedFreedom) -> float:
    """Coordinate at the start pose: zero, but of a swing the angle of the axes."""
    if freedom != "swing" or joint.axis is None or joint.axis2 is None:
        return 0.0
    return angle_between(joint.axis, joint.axis2)


def check_limits(scene: Scene, problems: ProblemList) -> None:
    """Report limits that exclude the start pose."""
    for j, (joint, name) in enumerate(zip(scene.joints, joint_names(scene), strict=True)):
        for freedom in (*FREE_AXES.get(joint.type, ()), *LIMITED_AXES.get(joint.type, ())):
            _check_limits(joint, j, name, freedom, problems)


def _check_limits(
    joint: Joint, j: int, name: str, freedom: LimitedFreedom, problems: ProblemList
) -> None:
    start = _start(joint, freedom)
    where = f"{start:.6g}" if start else "zero"
    slack = RANGE_ROUNDING * start
    for k, limit in enumerate(joint.limits):
        if limit not in _of(joint, "limits", freedom):
            continue
        for key, bound, beyond in (
            ("lower", limit.lower, limit.lower is not None and limit.lower > start),
            ("upper", limit.upper, limit.upper is not None and limit.upper < start - slack),
        ):
            if beyond:
                problems.add(
                    ("joints", j, "limits", k, key),
                    BAD_JOINT,
                    f"joint '{name}': the start pose, where the {freedom} is {where}, lies beyond"
                    f" the {key} limit {bound:g}",
                    f"{_counts_from(freedom)}, or set assemble to joints, which moves the bodies"
                    " until they fit",
                )


def _counts_from(freedom: LimitedFreedom) -> str:
    if freedom == "swing":
        return "A swing is the angle between axis and axis2; turn them towards each other"
    return "Limits count from the start pose; let them include zero"


def _records(axes: list[_Axis], joints: JointRows, signals: SignalList) -> Records:
    for axis in axes:
        if axis.row >= FIRST_ROTATION:
            joints.records["rotation_axes"][axis.joint] += 1
        elif axis.row == TRANSLATION_AXIS:
            joints.records["has_translation_axis"][axis.joint] = 1
    records = new_records(Axis, len(axes))
    for row, axis in zip(records, axes, strict=True):
        for key in _NUMBERS:
            row[key] = getattr(axis, key)
        row["inverse_mass_behind"] = axis.inverse_mass
        motor = axis.motor
        row["motor_kind"], row["motor_limit"], row["motor_back"] = _kind(motor), np.inf, np.inf
        if motor is not None:
            row["motor_gain"] = motor.proportional, motor.integral, motor.derivative
            if motor.max_force is not None:
                row["motor_limit"] = row["motor_back"] = motor.max_force
            if motor.min_force is not None:
                row["motor_back"] = -motor.min_force
            row["motor_target"] = signals.add(motor, axis.numbers)
    return records


def _kind(motor: Motor | None) -> int:
    if motor is None:
        return NO_MOTOR
    if motor.kind == "velocity":
        return VELOCITY_MOTOR
    if motor.kind == "force":
        return FORCE_MOTOR
    return EXPLICIT_SERVO if motor.explicit else IMPLICIT_SERVO


def dissipation(scene: Scene) -> str:
    """What in the scene has no smooth law or no symmetric one, "" if nothing has.

    Compositions of order above two take stages backwards in time, where dry friction and limits
    would do the opposite of what they do.
    """
    for joint, name in zip(scene.joints, joint_names(scene), strict=True):
        if joint.limits:
            return f"the limit of joint '{name}'"
        if joint.frictions:
            return f"the friction of joint '{name}'"
        if has_range(joint):
            return f"the range of joint '{name}'"
        for motor in joint.motors:
            if motor.kind == "servo" and motor.explicit:
                return f"the explicit servo of joint '{name}'"
            if motor.kind == "velocity" and (motor.max_force, motor.min_force) != (None, None):
                return f"the largest force of the velocity motor of joint '{name}'"
    return ""


def explicit_servo_hint(scene: Scene) -> str:
    """The first explicit servo as what may be to blame for a motion that grows; "" if none."""
    for joint, name in zip(scene.joints, joint_names(scene), strict=True):
        if any(motor.explicit and motor.kind == "servo" for motor in joint.motors):
            return (
                f"; the explicit servo of joint '{name}' may be too stiff for the step: lower its"
                " gains, or leave explicit out"
            )
    return ""


def _spring_name(name: str | None, number: int) -> str:
    return f"spring '{name}'" if name else f"spring {number}"
