"""What a step could not satisfy, in words: a joint, its velocity, a force law, a contact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from impulse_core.compile import CompiledScene
from impulse_core.compile.axes import explicit_servo_hint
from impulse_core.compile.signals import load_error, target_error
from impulse_core.free_motion.flow import MORE_TURN, MOST_TURN
from impulse_core.joints.table import FIRST_ROTATION, NO_MOTOR
from impulse_core.methods.comparison import ComparisonRun
from impulse_core.model import Model, State, Workspace
from impulse_core.model.options import Options
from impulse_core.model.status import (
    CONTRADICTS,
    CREATED,
    LAW,
    LAW_RATE,
    LINE,
    NO_LOAD,
    NO_TARGET,
    RATE,
    ROSE,
    THROWN,
    TOO_FAR,
    UNSETTLED,
)
from impulse_core.simulation.names import Names
from impulse_core.simulation.overlaps import held_together

__all__ = [
    "Attempt",
    "energy_bounds",
    "failure_event",
    "what_failed",
]


@dataclass(frozen=True)
class Attempt:
    """What a step that failed has left behind: fields as in Engine, ``failure`` of its tally, and
    what ``Engine.overlapping`` says.
    """

    compiled: CompiledScene
    names: Names
    model: Model
    state: State
    work: Workspace
    failure: np.void
    tolerance: float
    comparison: ComparisonRun | None
    overlaps: list[tuple[str, str, float]]


def failure_event(attempt: Attempt, failed_at: float) -> dict[str, Any]:
    """The event that names time [s], joint and bodies, and in its message what to do about it."""
    event = _failure_event(attempt, failed_at)
    if attempt.failure["what"] in (NO_LOAD, NO_TARGET, CONTRADICTS):
        return event
    if attempt.overlaps:
        return {**event, "message": f"{event['message']}; {held_together(attempt.overlaps)}"}
    return {**event, "message": event["message"] + _squeezing_hint(attempt)}


def _failure_event(attempt: Attempt, failed_at: float) -> dict[str, Any]:
    failure, at = attempt.failure, f"at t = {failed_at:.6g} s"
    event: dict[str, Any] = {"time": failed_at, "kind": "failure"}
    if failure["what"] in (TOO_FAR, THROWN):
        row, j = int(failure["body"]), int(failure["joint"])
        name = attempt.names.body(row)
        if failure["what"] == THROWN:
            event |= {"joint": attempt.names.joint(j)[0]}
        said = _thrown(attempt, j) if failure["what"] == THROWN else _too_far(attempt, row)
        return {**event, "body1": name, "message": f"{at} body '{name}' {said}"}
    if failure["what"] in (CREATED, UNSETTLED):
        body1, body2 = (attempt.compiled.body_names[int(i)] for i in failure["bodies"])
        said = _creates(failure) if failure["what"] == CREATED else _is_not_met(failure)
        message = f"{at} the contact of '{body1}' and '{body2}' {said}"
        return {**event, "body1": body1, "body2": body2, "message": message}
    if failure["what"] == NO_LOAD:
        times = failed_at, failed_at + float(failure["part"])
        name, why = load_error(attempt.compiled.scene, times)
        return {**event, "message": f"{at} {name or 'a load'} has no factor: {why or 'not finite'}"}
    j = int(failure["joint"])
    if failure["what"] == ROSE:
        event |= {"body1": attempt.names.body(int(failure["body"]))}
        joint = {"joint": attempt.names.joint(j)[0]} if j >= 0 else {}
        return {**event, **joint, "message": f"{at} {_rises(attempt)}"}
    name, body1, body2 = attempt.names.joint(j)
    message = f"{at} {attempt.names.described(j)} {_about_joint(attempt, j, failed_at)}"
    return {**event, "joint": name, "body1": body1, "body2": body2, "message": message}


def energy_bounds(model: Model, options: Options) -> tuple[float, float]:
    """Energies [J] that a step may move without a cause.

    The first is that of all bodies at the velocity that gravity gives in a step, by which what
    rests swings between the halves, and at that by which a step takes back an error as large as
    the tolerance; and what weight does on that way. The second has a fall through the scene as
    well: steps far too long may be wrong by as much, and run on. Newton's law of impacts may
    create any.
    """
    if options.impact_law == "newton":
        return math.inf, math.inf
    gravity = float(np.linalg.norm(model.gravity))
    speed = options.tolerance / options.step + gravity * options.step
    mass = float(model.bodies["mass"].sum())
    noise = mass * (0.5 * speed**2 + gravity * options.tolerance)
    return noise, noise + mass * gravity * model.size


def _is_not_met(failure: np.void) -> str:
    """The predicate of the sentence about a contact that nothing was found for."""
    return (
        "has no impulse that meets its law together with all others, even with steps of"
        f" {float(failure['part']):.3g} s; use a smaller step"
    )


def _squeezing_hint(attempt: Attempt) -> str:
    """What to look for besides where a scene has bodies that give way to nothing."""
    moved = [
        f"'{body.name}'"
        for body in attempt.compiled.scene.bodies
        if len(body.keyframes) > 1 and any(solid.role != "visual" for solid in body.geometry)
    ]
    if not moved:
        return ""
    which = moved[0] if len(moved) == 1 else "kinematic bodies"
    return f"; or let {which} squeeze nothing against what cannot give way"


def _creates(failure: np.void) -> str:
    """The predicate of the sentence about a contact that creates energy."""
    return (
        f"creates {float(failure['energy']):.3g} J against its law, even with steps of"
        f" {float(failure['part']):.3g} s; use a smaller step or tolerance, time_of_impact, or less"
        " restitution"
    )


def _rises(attempt: Attempt) -> str:
    """The sentence about a step whose energy rises out of nowhere."""
    failure, j = attempt.failure, int(attempt.failure["joint"])
    at_joint = f" at {attempt.names.described(j)}" if j >= 0 else ""
    return (
        f"the energy rises by {float(failure['energy']):.3g} J within a step of"
        f" {float(failure['part']):.3g} s, which no load, motor or spring explains; most of it"
        f" moves body '{attempt.names.body(int(failure['body']))}'{at_joint}. Use a smaller step or"
        " a finer tolerance"
    )


def _too_far(attempt: Attempt, row: int) -> str:
    """The same of a body that turns too far in a part of a step."""
    part = float(attempt.failure["part"])
    momentum = np.linalg.norm(attempt.state.bodies["angular_momentum"][row])
    turn = float(momentum * attempt.model.bodies["inverse_inertia"][row].max() * part)
    if turn > MOST_TURN:
        return (
            f"turns by {turn:.3g} rad in steps of {part:.3g} s, the limit of bodies without an"
            f" axis of symmetry is {MOST_TURN:g} rad; use a smaller step, or a slower turn"
        )
    return (
        f"is too light for what acts on it: even in steps of {part:.3g} s it would be spun by"
        f" more than {MORE_TURN:g} rad; use a smaller step, or larger moments of inertia"
        f"{explicit_servo_hint(attempt.compiled.scene)}"
    )


def _thrown(attempt: Attempt, j: int) -> str:
    """The same of a body that joint j of a loop would spin."""
    return (
        f"is thrown by {attempt.names.described(j)} in a loop: even in steps of"
        f" {float(attempt.failure['part']):.3g} s it would be spun by more than {MORE_TURN:g} rad;"
        " either joints there nearly repeat each other, so use one that leaves free what the others"
        " hold already, or the loop is at a dead point, so start beside it, or the body is far too"
        " light for what its loop carries, so use larger moments of inertia"
    )


def _about_joint(attempt: Attempt, j: int, failed_at: float) -> str:
    """The same of joint j at a time [s]."""
    failure, finest = attempt.failure, float(attempt.failure["part"])
    scene = attempt.compiled.scene
    if failure["what"] == NO_TARGET:
        why = target_error(scene, j, failed_at + finest) or "it or its rate is not finite"
        return f"has a motor without a target: {why}"
    if attempt.comparison:
        return attempt.comparison.failure(int(failure["what"]), float(failure["error"]))
    if failure["what"] == CONTRADICTS:
        return (
            f"nearly repeats what others in its loop hold, but contradicts them by"
            f" {float(failure['error']):.3g} m: give anchors and axes with more digits, or use a"
            " joint that leaves free what the others hold already; at a dead point, start beside it"
        )
    return (
        f"{what_failed(attempt.model, attempt.work, failure, attempt.tolerance)}, even with steps"
        f" of {finest:.3g} s; use a smaller step, or see whether a body turns extremely"
        f" fast{explicit_servo_hint(scene)}"
    )


def what_failed(model: Model, work: Workspace, failure: np.void, tolerance: float) -> str:
    """The predicate of the sentence about the joint that failed.

    The workspace is that of the last look before the step was given up.
    """
    what, error = int(failure["what"]), float(failure["error"])
    if what in (LAW, LAW_RATE):
        return _law(model, work, int(work.worst_axis[0]), what)
    if what == RATE:
        return f"keeps moving by {error:.3g} m/s where it should not move at all"
    if what == LINE:
        return (
            "turns its line too far in one step, or the way in which it moves its bodies, or the "
            "direction of its swing"
        )
    return f"could not be satisfied to {tolerance:.3g} m (it stays {error:.3g} m apart)"


def _law(model: Model, work: Workspace, k: int, what: int) -> str:
    """What the law along axis k lacks, in its own unit."""
    turns = model.axes["row"][k] >= FIRST_ROTATION
    x = float((work.axes["next"] if what == LAW else work.axes["after"])[k])
    at, slope = (float(number) for number in work.axes["piece"][k])
    subject = f"is closed, but the law of its {_element(model, work, k)} is not satisfied:"
    if not work.axes["vertical"][k]:
        missing = abs(float(work.axes["impulse"][k]) - at + slope * x)
        unit = "N m s" if turns else "N s"
        return f"{subject} the impulse of half a step stays {missing:.3g} {unit} off"
    name, unit = ("angle", "rad") if turns else ("displacement", "m")
    if what == LAW_RATE:
        name, unit = "velocity", unit + "/s"
    return f"{subject} the {name} stays {abs(x - at):.3g} {unit} off"


def _element(model: Model, work: Workspace, k: int) -> str:
    """What on axis k gives the active piece of its law."""
    law, at = work.laws[k], float(work.axes["piece"][k, 0])
    if work.axes["vertical"][k]:
        if at in (law["lower"], law["upper"]) and math.isfinite(at):
            return "limit"
        if law["friction"] > 0.0 and at == law["friction_at"]:
            return "friction"
        return "motor"
    if model.axes["motor_kind"][k] != NO_MOTOR:
        return "motor"
    if law["friction"] > 0.0:
        return "friction"
    if model.axes["stiffness"][k] > 0.0:
        return "spring"
    return "damper" if model.axes["damping"][k] > 0.0 else "armature"
