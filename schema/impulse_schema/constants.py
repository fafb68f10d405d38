"""Numbers that expressions name: the constants of the scene, and the phase of the joint or load."""

from __future__ import annotations

import keyword
import re

from impulse_schema.expressions import CONSTANTS, FUNCTIONS
from impulse_schema.models import Joint, Load, Scene

PHASE = "phase"


def numbers_for(scene: Scene, owner: Joint | Load) -> dict[str, float]:
    """What the expressions of a joint's motors, or that of a load, may name besides the time, pi
    and e.
    """
    return {constant.name: constant.value for constant in scene.constants} | {PHASE: owner.phase}


def name_problem(name: str) -> str:
    """Why a constant cannot have a name, as in "is the time"; "" if it can."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name, flags=re.ASCII):
        return "is not a word of letters, digits and _"
    if name == "t":
        return "is the time in expressions"
    if name in CONSTANTS:
        return f"is {CONSTANTS[name]:.6g} in expressions"
    if name == PHASE:
        return "is the phase of the joint or load in expressions"
    if name in FUNCTIONS:
        return "is a function in expressions"
    return "has a meaning of its own in expressions" if keyword.iskeyword(name) else ""
