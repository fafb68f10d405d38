"""What a step could not satisfy, in words: a joint, its velocity, or a force law along its axis."""

from __future__ import annotations

import math

from impulse_core.joints.table import NO_MOTOR, ROTATION_AXIS
from impulse_core.model import Model, Tally, Workspace
from impulse_core.model.status import LAW, LAW_RATE, LINE, RATE

__all__ = ["what_failed"]


def what_failed(model: Model, work: Workspace, tally: Tally, tolerance: float) -> str:
    """The predicate of the sentence about the joint that the tally names.

    The workspace is that of the last look before the step was given up.
    """
    what, error = int(tally.failure["what"][0]), float(tally.failure["error"][0])
    if what in (LAW, LAW_RATE):
        return _law(model, work, int(work.worst_axis[0]), what)
    if what == RATE:
        return f"keeps moving by {error:.3g} m/s where it should not move at all"
    if what == LINE:
        return "turns its line too far in one step"
    return f"could not be satisfied to {tolerance:.3g} m (it stays {error:.3g} m apart)"


def _law(model: Model, work: Workspace, k: int, what: int) -> str:
    """What the law along axis k lacks, in its own unit."""
    turns = model.axes["row"][k] == ROTATION_AXIS
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
    return "friction" if law["friction"] > 0.0 else "spring"
