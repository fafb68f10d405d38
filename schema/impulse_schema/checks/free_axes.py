"""What acts on the free axes of joints: motors, limits, springs, friction, couplings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from impulse_schema.bounds import bounds_of
from impulse_schema.checks.names import Names
from impulse_schema.checks.signals import check_signals
from impulse_schema.models import (
    FREE_AXES,
    LIMITED_AXES,
    TIED_AXES,
    Freedom,
    Friction,
    Joint,
    JointType,
    Limit,
    LimitedFreedom,
    Motor,
    Scene,
    Spring,
)
from impulse_schema.models.element import AngleElement, angle_fields
from impulse_schema.problems import Finding
from impulse_schema.source import ScenePath
from impulse_schema.suggest import either, listed

_Part = Motor | Limit | Spring | Friction


def check_free_axes(joint: Joint, path: ScenePath, scene: Scene, names: Names) -> Iterator[Finding]:
    """Findings on the motors, limits, springs and frictions of ``joint``."""
    limited = LIMITED_AXES.get(joint.type, ())
    free = FREE_AXES.get(joint.type, limited)
    if not free:
        return  # that there are any is reported as an attribute the type does not use
    parts: dict[str, Sequence[_Part]] = {
        "motors": joint.motors,
        "limits": joint.limits,
        "springs": joint.springs,
        "frictions": joint.frictions,
    }
    for key, items in parts.items():
        if limited and key != "limits":
            continue  # likewise
        taken: set[LimitedFreedom] = set()
        for i, item in enumerate(items):
            place = (*path, key, i)
            yield from _check_freedom(item.freedom, free, joint.type, place)
            axis = item.freedom or free[0]
            tied = joint.type in TIED_AXES and key == "motors" and bool(taken)
            if (axis in taken or tied) and key != "springs":
                which = (
                    f"{axis} of this joint"
                    if axis in taken
                    else f"{joint.type}, whose axes move together,"
                )
                message = f"the {which} has {_article(key)} already"
                yield Finding(place, "E708", message, "Keep one of them")
            taken.add(axis)
            if isinstance(item, AngleElement):
                yield from _check_degrees(item, axis, place, scene)
            yield from _check_item(item, place, names)


def _article(key: str) -> str:
    return {"motors": "a motor", "limits": "a limit", "frictions": "a friction"}[key]


def _check_freedom(
    freedom: LimitedFreedom | None,
    free: Sequence[LimitedFreedom],
    joint_type: JointType,
    path: ScenePath,
) -> Iterator[Finding]:
    if freedom is None and len(free) > 1 and joint_type not in TIED_AXES:
        message = f"a {joint_type} joint has two free axes, and none is named"
        yield Finding(path, "E708", message, f'Write freedom="{free[0]}" or freedom="{free[1]}"')
    elif freedom is not None and freedom not in free:
        message = f"a {joint_type} joint has no free {freedom}"
        hint = f"Its free axis is a {' or a '.join(free)}"
        yield Finding((*path, "freedom"), "E708", message, hint)


def _check_degrees(
    item: AngleElement, axis: LimitedFreedom, path: ScenePath, scene: Scene
) -> Iterator[Finding]:
    """Neither a length nor a force is given in degrees. Only the file still knows how a number was
    written.
    """
    force = isinstance(item, Motor) and item.kind == "force"
    if scene._source is None or (axis != "translation" and not force):
        return
    for name in angle_fields(type(item)):
        if name in item.model_fields_set and scene._source.has((*path, f"{name}_deg")):
            other, unit = "axis is a translation", "metres"
            if force:
                other, unit = "motor gives a force", "N m" if axis == "rotation" else "N"
            message = f"{name}_deg is an angle, and this {other}"
            yield Finding((*path, f"{name}_deg"), "E107", message, f"Write {name}, in {unit}")


def _check_item(item: _Part, path: ScenePath, names: Names) -> Iterator[Finding]:
    if isinstance(item, Motor):
        yield from _check_motor(item, path, names)
    elif isinstance(item, Limit):
        yield from _check_limit(item, path)
    elif isinstance(item, Spring) and item.stiffness == 0 and item.damping == 0:
        message = "the spring has neither stiffness nor damping"
        yield Finding(path, "E805", message, "Give one of them")


def _check_limit(limit: Limit, path: ScenePath) -> Iterator[Finding]:
    if limit.lower is None and limit.upper is None and limit.max_velocity is None:
        message = "the limit has neither lower nor upper nor max_velocity"
        yield Finding(path, "E710", message, "Give one of them")
    elif limit.lower is not None and limit.upper is not None and limit.lower > limit.upper:
        message = f"lower {limit.lower:g} is greater than upper {limit.upper:g}"
        yield Finding((*path, "lower"), "E710", message, "Exchange them")


def _check_motor(motor: Motor, path: ScenePath, names: Names) -> Iterator[Finding]:
    targets = [key for key in ("target", "curve", "expression") if getattr(motor, key) is not None]
    if len(targets) != 1:
        given = f"{either(targets).replace(' or ', ' and ')} are given" if targets else "is given"
        message = f"a motor has one target, here {given if targets else 'none ' + given}"
        yield Finding(path, "E709", message, "Give one of target, curve and expression")
    gains = [k for k in ("proportional", "derivative", "integral") if getattr(motor, k)]
    if motor.kind == "servo" and not gains:
        hint = "Give proportional and derivative"
        yield Finding(path, "E709", "the servo has no gains, so it does nothing", hint)
    yield from _check_force(motor, path)
    if motor.kind != "servo":
        for key in [*gains, *(["explicit"] if motor.explicit else [])]:
            message = f"a {motor.kind} motor does not use {key}"
            hint = 'Write kind="servo" or leave it out'
            yield Finding((*path, key), "E704", message, hint)
    yield from check_signals(motor, path, names, "0.5*sin(2*pi*t)")


def _check_force(motor: Motor, path: ScenePath) -> Iterator[Finding]:
    least, most = motor.min_force, motor.max_force
    if least is not None and least > 0:
        message = f"min_force is {least:g}, so the motor could not let go"
        yield Finding((*path, "min_force"), "E709", message, "Write zero or a negative force")
    elif least is not None and most is None:
        message = "min_force is given without max_force"
        yield Finding((*path, "min_force"), "E709", message, "Give max_force, which may be zero")
    elif most == 0 and not least:
        message = "the motor has no force in either direction"
        yield Finding((*path, "max_force"), "E709", message, "Leave it out, or give it a force")


def check_terms(coupling: Joint, path: ScenePath, names: Names) -> Iterator[Finding]:
    """Findings on the joint coordinates that ``coupling`` relates."""
    seen: set[tuple[str, Freedom | None]] = set()
    for i, term in enumerate(coupling.terms):
        place = (*path, "terms", i)
        if abs(term.coefficient) < (least := bounds_of("").least):
            size = f"smaller than {least:g}" if term.coefficient else "zero"
            message = f"the coefficient is {size}, so the term does nothing"
            yield Finding((*place, "coefficient"), "E713", message, "Leave the term out")
        yield from names.check_joint(term.joint, (*place, "joint"))
        joint = names.joints.get(term.joint)
        if joint is None:
            continue
        free = FREE_AXES.get(joint.type, ())
        if not free:
            message = f"the {joint.type} joint '{term.joint}' has no coordinate to couple"
            hint = f"Couple {listed(FREE_AXES)} joints"
            yield Finding((*place, "joint"), "E713", message, hint)
            continue
        yield from _check_freedom(term.freedom, free, joint.type, place)
        coordinate = (term.joint, term.freedom or free[0])
        if coordinate in seen:
            message = f"the {coordinate[1]} of '{term.joint}' is in this coupling already"
            yield Finding(place, "E713", message, "Add the coefficients")
        seen.add(coordinate)
