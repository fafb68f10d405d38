"""What acts on the free axes of a scene's joints, as MuJoCo has it: limits, springs, dry friction,
armature, motors, couplings.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np

from impulse_core.types import Floats
from impulse_schema import numbers_for, parse_expression
from impulse_schema.models import CouplingTerm, Joint, Motor, Scene

__all__ = ["add_coupling", "add_motors", "equip", "targets"]

FAR = 1e6  # rad or m, where a limit has only one end


def _name_of(name: str, freedom: str) -> str:
    """MuJoCo's name of one of a joint's axes."""
    return f"{name}.{freedom}"


def equip(element: ET.Element, joint: Joint, name: str, freedom: str) -> None:
    """Give MuJoCo's joint of a free axis what acts on it but the motors.

    Args:
        element: MuJoCo's joint.
        joint: The scene's.
        name: Its name, also where it was given none.
        freedom: "rotation" or "translation"; what names no axis acts on the first.

    Raises:
        ValueError: Something has no counterpart.
    """
    element.set("name", _name_of(name, freedom))
    element.set("armature", repr(joint.armature if freedom == _first(joint) else 0.0))
    here = [spring for spring in joint.springs if (spring.freedom or _first(joint)) == freedom]
    stiffness = sum(spring.stiffness for spring in here)
    if stiffness:
        rest = sum(spring.stiffness * spring.rest for spring in here) / stiffness
        element.set("stiffness", repr(stiffness))
        element.set("springref", repr(rest))
    element.set("damping", repr(joint.damping + sum(spring.damping for spring in here)))
    loss = sum(f.force for f in joint.frictions if (f.freedom or _first(joint)) == freedom)
    element.set("frictionloss", repr(loss))
    for limit in joint.limits:
        if (limit.freedom or _first(joint)) != freedom:
            continue
        if limit.max_velocity is not None:
            raise ValueError("largest velocities are not exported")
        if limit.restitution:
            raise ValueError("MuJoCo's limits do not bounce")
        lower = -FAR if limit.lower is None else limit.lower
        upper = FAR if limit.upper is None else limit.upper
        element.set("limited", "true")
        element.set("range", f"{lower!r} {upper!r}")


def _first(joint: Joint) -> str:
    return "translation" if joint.type == "slider" else "rotation"


def add_motors(root: ET.Element, scene: Scene, names: list[str]) -> None:
    """Add an actuator for each motor, in the order of joints and motors.

    Raises:
        ValueError: A motor has no counterpart.
    """
    above = ET.SubElement(root, "actuator")
    for joint, name in zip(scene.joints, names, strict=True):
        for motor in joint.motors:
            axis = _name_of(name, motor.freedom or _first(joint))
            actuator = ET.SubElement(above, "general", joint=axis)
            _drive(actuator, motor)


def _drive(actuator: ET.Element, motor: Motor) -> None:
    if motor.kind == "servo" and not motor.integral:
        actuator.set("gainprm", repr(motor.proportional))
        actuator.set("biastype", "affine")
        actuator.set("biasprm", f"0 {-motor.proportional!r} {-motor.derivative!r}")
    elif motor.kind != "force":
        raise ValueError(f"{motor.kind} motors with these gains are not exported")
    if motor.max_force is not None:
        least = -motor.max_force if motor.min_force is None else motor.min_force
        actuator.set("forcelimited", "true")
        actuator.set("forcerange", f"{least!r} {motor.max_force!r}")


def targets(scene: Scene, times: Floats) -> Floats:
    """What the motors aim at, in the order of the actuators, shape (times, motors)."""
    motors = [(m, numbers_for(scene, joint)) for joint in scene.joints for m in joint.motors]
    return np.array([[_target(motor, float(t), known) for motor, known in motors] for t in times])


def _target(motor: Motor, t: float, numbers: dict[str, float]) -> float:
    if motor.expression is not None:
        return parse_expression(motor.expression, numbers)(t)
    if motor.target is None:
        raise ValueError("curves are not exported")
    return motor.target


def add_coupling(equality: ET.Element, scene: Scene, coupling: Joint) -> None:
    """Add a coupling of two coordinates, c₁ s₁ + c₂ s₂ = c₀.

    Raises:
        ValueError: It has more terms.
    """
    joints = {joint.name: joint for joint in scene.joints}
    if len(coupling.terms) > 2:
        raise ValueError("couplings of more than two joints are not exported")
    first, *rest = coupling.terms
    element = ET.SubElement(equality, "joint", joint1=_coordinate(joints, first))
    slope = 0.0
    if rest:
        element.set("joint2", _coordinate(joints, rest[0]))
        slope = -rest[0].coefficient / first.coefficient
    element.set("polycoef", f"{coupling.constant / first.coefficient!r} {slope!r} 0 0 0")


def _coordinate(joints: dict[str | None, Joint], term: CouplingTerm) -> str:
    joint = joints[term.joint]
    return _name_of(term.joint, term.freedom or _first(joint))
