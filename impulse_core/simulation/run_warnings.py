"""What a user should know of a run beside its numbers."""

from __future__ import annotations

import math

import numpy as np

from impulse_core.contact.account import MOST_CREATED
from impulse_core.methods.contact_runner import RECOVERY
from impulse_core.simulation.engine import Engine
from impulse_core.simulation.options import finest_tolerance
from impulse_core.simulation.overlaps import held_together

__all__ = ["run_warnings"]

_LARGEST_DRIFT = 0.05  # of the energy that was moved: 2.5 % of the velocities
_LARGEST_TURN = 0.7  # rad per stage; there imp2 was seen to be wrong by 14 % in energy
_LARGEST_LEFT = 1e-4  # of the largest kinetic energy: 1 % of the velocities
_LARGEST_KICK = 1e-4  # the same, of one correction along rows that nearly repeat others
_DEEPEST = 1e-3  # of the scene's size: how far contacts may be from their laws
_STILL = 1e-6
_STUCK = 0.5  # of what bodies overlapped by at the start, that may still be there


def run_warnings(engine: Engine, moving: float) -> list[str]:
    """Sentences about the start, the step and the tolerance, and energy from nowhere.

    Args:
        engine: After the run.
        moving: The largest kinetic energy of a frame [J].
    """
    return [
        *_start_warnings(engine),
        *_turn_warnings(engine),
        *_tolerance_warnings(engine),
        *_newton_warnings(engine, moving),
        *_contact_warnings(engine),
        *_overlap_warnings(engine),
        *_balance_warnings(engine),
        *_motor_warnings(engine),
    ]


def _start_warnings(engine: Engine) -> list[str]:
    """What the start state had to be changed by, where it was more than rounding."""
    start, tolerance = engine.start, engine.tolerance
    warnings = []
    if start["joint_error_before_m"] > tolerance:
        warnings.append(
            f"joints started up to {start['joint_error_before_m']:.3g} m apart or beyond limits and"
            f" were put right; bodies moved by up to {start['max_shift_m']:.3g} m and"
            f" {start['max_turn_rad']:.3g} rad"
        )
    if start["max_velocity_change_m_s"] > 1e-6 * max(1.0, engine.compiled.size):
        warnings.append(
            "start velocities did not fit the joints and were changed by up to"
            f" {start['max_velocity_change_m_s']:.3g} m/s"
        )
    return warnings


def _turn_warnings(engine: Engine) -> list[str]:
    """Joined bodies that turn so far in a stage that the joints may close on a wrong motion."""
    longest = engine.options.step * float(np.abs(engine.fractions).max())
    turn = float(engine.tally.totals["fastest"][0]) * longest
    if len(engine.model.joints) == 0 or not (turn > _LARGEST_TURN):
        return []
    enough = engine.options.step * _LARGEST_TURN / turn
    warning = (
        f"bodies turn by up to {turn:.3g} rad within a stage of {longest:.3g} s, so the motion"
        f" may be wrong although the joints hold; a step of {enough:.2g} s or less is safe"
    )
    return [warning]


def _newton_warnings(engine: Engine, moving: float) -> list[str]:
    """Energy that impacts by Newton's law gave, which can be more than they took."""
    created = float(engine.tally.totals["created"][0])
    if engine.options.impact_law != "newton" or not (created > MOST_CREATED * moving):
        return []
    warning = (
        f"impacts by impact_law newton created {created:.3g} J, which that law can where bodies"
        " touch at several points or rub; impact_law poisson does not"
    )
    return [warning]


def _contact_warnings(engine: Engine) -> list[str]:
    """Contacts far from their laws: in a vice, or between masses too far apart to solve for. What
    overlapped at the start, and was to be pushed apart, is not.
    """
    totals, most = engine.tally.totals[0], _DEEPEST * engine.compiled.size
    overlap, violation = float(totals["deepest"]), float(totals["violation"])
    if max(overlap - engine.start.get("overlap_m", 0.0), violation) <= most:
        return []
    warning = (
        f"bodies overlapped by up to {overlap:.2g} m, and contacts broke their laws by up to"
        f" {violation:.2g} m in a step: the motion is not what bodies that touch do; use a smaller"
        " step or time_of_impact, let nothing be squeezed between bodies that cannot give way, or"
        " choose masses less far apart"
    )
    return [warning]


def _overlap_warnings(engine: Engine) -> list[str]:
    """Bodies that were to be pushed apart and were not, after steps enough to tell."""
    left = (1.0 - RECOVERY) ** engine.steps
    overlaps = engine.overlapping(_STUCK) if left < 0.5 * _STUCK else []
    if not overlaps:
        return []
    cost = "; as long as they do steps may be divided for it, and the energy is not balanced"
    return [held_together(overlaps) + cost]


def _balance_warnings(engine: Engine) -> list[str]:
    """Energy that the work of what acts from outside does not explain."""
    totals = engine.tally.totals[0]
    moved, drift = float(totals["moved"]), float(totals["largest_drift"])
    if not _LARGEST_DRIFT * moved + float(totals["noise"]) < drift < math.inf:
        return []
    share = drift / moved if moved else math.inf
    warning = (
        f"the energy is up to {drift:.3g} J away from what loads, motors and friction explain,"
        f" {100.0 * share:.2g} % of what was moved and up to"
        f" {float(totals['largest_increment']):.2g} J in a step; use a smaller step, a finer"
        " --tolerance or a method of higher order"
    )
    return [warning]


def _motor_warnings(engine: Engine) -> list[str]:
    """Motors at their largest force in a method that such a kink costs its order."""
    count = int(engine.tally.totals["bounded"][0])
    if not count:
        return []
    joint = engine.names.joint(int(engine.tally.totals["bounded_joint"][0]))[0]
    warning = (
        f"in {count} of {engine.steps} steps the motor of joint '{joint}' or another asked for more"
        f" than its largest force; {engine.options.method} is of order 2 where that begins or ends"
    )
    return [warning]


def _tolerance_warnings(engine: Engine) -> list[str]:
    """Joints of which the tolerance leaves, or then corrects, more than the motion bears."""
    totals = engine.tally.totals[0]
    most = float(totals["most_kinetic"])
    left = float(totals["left"])
    # corrections that follow may take it back: no jump is larger than what the energy shows
    kick = min(float(totals["kick"]), float(totals["largest_drift"]))
    warnings = []
    if left > _LARGEST_LEFT * most > _still(engine):
        joint = engine.names.joint(int(totals["left_joint"]))[0]
        wanted = float(totals["left_error"]) * math.sqrt(_LARGEST_LEFT * most / left)
        warnings.append(
            f"a tolerance of {engine.tolerance:.2g} m is coarse for steps of"
            f" {engine.options.step:.3g} s: what it leaves of joint '{joint}' and others adds up"
            f" to {math.sqrt(left / most):.2g} of the largest velocities, and smaller steps"
            f" make it worse; use {_finer(engine, wanted)}"
        )
    contradiction = float(totals["contradiction"])
    if contradiction > engine.tolerance:
        joint = engine.names.joint(int(totals["contradicting"]))[0]
        warnings.append(
            f"joint '{joint}' nearly repeats what others in its loop hold, and contradicts them: it"
            f" stays up to {contradiction:.2g} m open; give anchors and axes with more digits, or"
            " use a joint that leaves free what the others hold already"
        )
    if kick > _LARGEST_KICK * most > _still(engine):
        joint = engine.names.joint(int(totals["kick_joint"]))[0]
        wanted = engine.tolerance * math.sqrt(_LARGEST_KICK * most / kick)
        warnings.append(
            f"joint '{joint}' nearly repeats what others in its loop hold: closing a gap moved"
            f" bodies hundreds of times as far, with {kick:.2g} J, and the energy may have"
            f" jumped by as much; use {_finer(engine, wanted)},"
            " or a joint that leaves free what the others hold already"
        )
    return warnings


def _still(engine: Engine) -> float:
    """Kinetic energy [J] of a machine that does not move but for round-off: its bodies at a
    millionth of the velocity that gravity gives in a step.
    """
    speed = _STILL * float(np.linalg.norm(engine.model.gravity)) * engine.options.step
    return 0.5 * float(engine.model.bodies["mass"].sum()) * speed**2


def _finer(engine: Engine, tolerance: float) -> str:
    """The option that asks for the next power of ten below a tolerance [m]."""
    wanted = 10.0 ** math.floor(math.log10(tolerance))
    possible = 10.0 ** math.ceil(math.log10(finest_tolerance(engine.compiled)))
    if wanted >= possible:
        return f"--tolerance {wanted:.0e}"
    return f"--tolerance {possible:.0e}, the finest for this scene, and larger steps"
