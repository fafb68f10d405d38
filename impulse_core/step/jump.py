"""The jump of all velocities at the moment of an impact: where axes reach limits, or bodies that
joints hold meet.

Parts of a stage end at impacts. The velocities there are first found as if nothing met, so that
nothing moves along joints any more, and then jump at once,

    u⁺ = -e u⁻                                                             (docs/algorithm.md, 67)

with impulses of the joints, of rotors, of limits and contacts on which others rest, and of motors
without a largest force. What has a largest force has no impulse at a moment. The impact does the
work Σ p ½(u⁻ + u⁺), which is zero for e = 1, and that of the joints is none: with forces and impact
in one half, their impulses would do work on what the half before had left.
"""

from __future__ import annotations

from impulse_core.algebra import norm, vec3_at
from impulse_core.contact.time_of_impact import FINEST_JOINTED
from impulse_core.forces.force_elements import impact_law, impact_work
from impulse_core.jit import deferred_kernel, inner_kernel
from impulse_core.joints.constraints import angular_velocities
from impulse_core.model.status import COMPLETED
from impulse_core.step.contacts import begin_jump, bodies_meet, close_jump, note_motion
from impulse_core.step.velocities import JOINT_RATE, solve_velocities
from impulse_core.step.work import add_forces, read_rates

__all__ = ["ACCURACY", "jump", "slow"]

_SURE = 1e-2  # of what a step may leave: what a bounce loses of its speed is lost for good
ACCURACY = 1e-4  # of the tolerance, to which an axis is at its limit when it bounces


@inner_kernel
def slow(model, h, tolerance):
    """Velocity below which what is at a limit rests there [m/s]: gravity brings back what leaves as
    slowly within a step.
    """
    g = norm(vec3_at(model.gravity.reshape(1, 3), 0))
    return max(0.5 * g * h, ACCURACY * tolerance / h)


@deferred_kernel("int64", "boolean")
def jump(model, structure, contact, state, h, begins, tolerance, work, tally):
    """Reflect the velocities of axes that are at a limit, or would be within the least part of a
    stage of length h, and of bodies that meet. ``begins`` says that a part is about to begin.

    Returns COMPLETED or which law is not satisfied, and whether anything jumped. The impulses are
    no forces with which the next part could begin.
    """
    angular_velocities(model, state, work)
    read_rates(model, state, work.axes.after, work)
    at_limit = _impact_laws(model, state, h, tolerance, work)
    if not at_limit and (begins or not bodies_meet(contact, tolerance)):
        return COMPLETED, False
    note_motion(contact, model, state, work)
    begin_jump(contact, model, state, begins, tolerance, work)
    for j in range(len(model.joints)):
        for row in range(6):
            work.kept_multiplier[j, row] = state.joints[j].multiplier[row]
            state.joints[j].multiplier[row] = 0.0
    work.kinematic_work[0] = 0.0
    enough = _SURE * JOINT_RATE * tolerance / h
    status = solve_velocities(model, structure, contact, state, h, tolerance, enough, work, tally)
    totals = tally.totals[0]
    motors, dissipated = impact_work(model, work)
    totals.motor_work += motors
    totals.dissipated += dissipated
    add_forces(model, state, False, h, work)
    if status == COMPLETED:
        status = close_jump(contact, model, state, h, begins, work, tally)
    totals.kinematic_work += work.kinematic_work[0]
    for j in range(len(model.joints)):
        for row in range(6):
            state.joints[j].multiplier[row] = work.kept_multiplier[j, row]
    return status, True


@inner_kernel
def _impact_laws(model, state, h, tolerance, work):
    """Laws p(u) of an impact, with the velocities before it in next_rate; whether an axis is at a
    limit that it meets.
    """
    resting, accuracy = slow(model, h, tolerance), ACCURACY * tolerance
    impact = False
    for k in range(len(model.axes)):
        axis, stage, law = model.axes[k], work.axes[k], work.laws[k]
        x, u = state.axes[k].position, stage.after
        stage.next_rate, stage.impulse, stage.begun = u, 0.0, 0.0
        impact_law(model, k, work)
        if work.resting[axis.joint] or not axis.lower < axis.upper:
            continue
        reach = max(accuracy, FINEST_JOINTED * h * abs(u) * axis.length)
        fast = abs(u) * axis.length > resting
        for side in (1, -1):
            gap = (x - axis.lower if side > 0 else axis.upper - x) * axis.length
            if fast and side * u < 0.0 and gap <= reach:
                bound = -axis.restitution * u
                impact = True
            elif not fast and gap <= tolerance:
                bound = 0.0
            else:
                continue
            if side > 0:
                law.lower = bound
            else:
                law.upper = bound
    return impact
