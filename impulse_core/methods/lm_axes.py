"""Free axes in the multiplier methods: forces, rotors and velocity motors as rows of the system.

Every axis is a row of A already. With the force f along it, and a, the inertia of its rotor, that
row of (28) becomes                                                      (docs/algorithm.md, 71, 72)

    E λ = E f                        of a force alone: λ = f, with a compliance E beyond all others
    (A λ)_k + E λ = -s̈₀ + E f        with a rotor, which takes -a s̈ of λ: E = 1/a
    (A λ)_k = u̇_T - s̈₀               of a velocity motor: λ is what the motor has to give

where s̈₀ is what (Ġ v + G M⁻¹ Q) has in that row. So one solve gives accelerations and forces.
"""

from __future__ import annotations

import math

import numpy as np

from impulse_core.forces.axes import axis_position
from impulse_core.forces.smooth_forces import axis_rate, motor_target, passive_force, servo_force
from impulse_core.jit import inner_kernel
from impulse_core.joints.table import NO_MOTOR, VELOCITY_MOTOR
from impulse_core.model import Model
from impulse_core.model.status import COMPLETED, LIMIT, NO_TARGET, WEAK
from impulse_core.types import Floats

__all__ = [
    "accept_axes",
    "add_axis_rows",
    "axis_powers",
    "begin_rates",
    "compliances",
    "drive_work",
    "level_rows",
    "rate_rows",
]

_FREE = 1e30
"""Compliance of an axis without a rotor, relative to its inverse mass: so large that what its row
leaves of the solution is far below round-off."""
_ROUNDING = 1e-9  # of a bound, by which it may be passed


def compliances(model: Model) -> Floats:
    """E of each axis, shape (a,)."""
    inertia, driven = model.axes["armature"], model.axes["motor_kind"] == VELOCITY_MOTOR
    free = _FREE * model.axes["inverse_mass"]
    with np.errstate(divide="ignore"):
        found: Floats = np.where(driven, 0.0, np.where(inertia > 0.0, 1.0 / inertia, free))
    return found


@inner_kernel
def add_axis_rows(model, stages, s, t, inside, work):
    """Rows of all axes at stage s of a step, into work.error, which holds Ġ v + G M⁻¹ Q; rates of
    their coordinates and integrals into stages.axes. COMPLETED, or NO_TARGET with the axis in
    work.worst_axis.

    Args:
        t: Time of the stage [s].
        inside: A time within the step [s].
    """
    stage, status = stages.stage, COMPLETED
    for k in range(len(model.axes)):
        axis, at, slope = model.axes[k], work.axes[k], stages.axes.slopes[s, k]
        u = axis_rate(model, k, stage, work)
        x = axis_position(model, k, stage.bodies, stage.axes[k].position)
        at.rate, at.next = u, x
        slope.position, slope.motor_integral = u, 0.0
        at.spring = passive_force(axis, x, u)
        at.impulse = 0.0
        if axis.motor_kind != NO_MOTOR:
            at.motor_from, at.motor_to = motor_target(model, k, t, inside, work)
            if axis.motor_kind != VELOCITY_MOTOR:
                force, error, bounded = servo_force(
                    axis, at.motor_from, at.motor_to, x, u, stage.axes[k].motor_integral
                )
                at.impulse, slope.motor_integral = force, error
                if bounded:
                    stages.bounded[0] = k
            if not (abs(at.motor_from) < math.inf and abs(at.motor_to) < math.inf):
                work.worst_axis[0], status = k, NO_TARGET
        _add_row(axis, at, work)
    return status


@inner_kernel
def _add_row(axis, at, work):
    j, row = axis.joint, axis.row
    if axis.motor_kind == VELOCITY_MOTOR:
        work.error[j, row] -= at.motor_to
        return
    of_motion = work.error[j, row] if axis.armature > 0.0 else 0.0
    work.error[j, row] = of_motion - work.compliance[j, row] * (at.spring + at.impulse)


@inner_kernel
def axis_powers(model, work):
    """Powers of motors and dampers [W], with the solution in work.impulse; what velocity motors
    give into work.axes.impulse.
    """
    motors, dampers = 0.0, 0.0
    for k in range(len(model.axes)):
        axis, at = model.axes[k], work.axes[k]
        if axis.motor_kind == VELOCITY_MOTOR:
            of_row = work.impulse[axis.joint, axis.row]
            at.impulse = of_row - at.spring + axis.armature * at.motor_to
        motors += at.impulse * at.rate
        dampers += axis.damping * at.rate * at.rate
    return motors, dampers


@inner_kernel
def accept_axes(model, stages, work):
    """Coordinates and forces at the end of a step, whose rows and solution are in work, into the
    state of the stage: COMPLETED, or why the method must not go on, with the axis in
    work.worst_axis.
    """
    status = COMPLETED
    for k in range(len(model.axes)):
        axis, at, state = model.axes[k], work.axes[k], stages.stage.axes[k]
        state.position = at.next
        state.force = at.spring + at.impulse
        slack = stages.tolerance / axis.length + _ROUNDING * abs(at.next)
        inside = axis.lower - slack <= at.next <= axis.upper + slack
        if not inside or abs(at.rate) > (1.0 + _ROUNDING) * axis.speed:
            work.worst_axis[0], status = k, LIMIT
        if axis.motor_kind == VELOCITY_MOTOR and not (
            -axis.motor_back <= at.impulse <= axis.motor_limit
        ):
            work.worst_axis[0], status = k, WEAK
    return status


@inner_kernel
def level_rows(model, error):
    """Let a correction leave the axes to themselves: no error in their rows of error (m, 6)."""
    for k in range(len(model.axes)):
        error[model.axes[k].joint, model.axes[k].row] = 0.0


@inner_kernel
def begin_rates(model, state, t, inside, work):
    """Before a correction of velocities: rates of the axes into work.axes.rate, and the targets of
    velocity motors; needs the angular velocities and directions.
    """
    for k in range(len(model.axes)):
        at = work.axes[k]
        at.rate = axis_rate(model, k, state, work)
        at.impulse = 0.0
        if model.axes[k].motor_kind == VELOCITY_MOTOR:
            at.motor_from, _ = motor_target(model, k, t, inside, work)


@inner_kernel
def rate_rows(model, work):
    """Rows of the axes in a correction of velocities, into work.error, which holds G v: of rotors
    Δu + p/a, of velocity motors u - u_T. Returns the largest of the latter [m/s] and its axis.
    """
    worst, worst_axis = 0.0, -1
    for k in range(len(model.axes)):
        axis, at = model.axes[k], work.axes[k]
        j, row = axis.joint, axis.row
        at.after = work.error[j, row]
        if axis.motor_kind == VELOCITY_MOTOR:
            work.error[j, row] = at.after - at.motor_from
            size = abs(work.error[j, row]) * axis.length
            if not (size <= worst):
                worst, worst_axis = (size if size == size else 1e300), k
        elif axis.armature > 0.0:
            work.error[j, row] = at.after - at.rate + at.impulse / axis.armature
        else:
            work.error[j, row] = 0.0
    return worst, worst_axis


@inner_kernel
def drive_work(model, work):
    """Work of the velocity motors in a correction of velocities [J], whose impulses are in
    work.axes.impulse: half of its impulse times the sum of the rates before and after.
    """
    done = 0.0
    for k in range(len(model.axes)):
        axis, at = model.axes[k], work.axes[k]
        if axis.motor_kind == VELOCITY_MOTOR:
            impulse = at.impulse + axis.armature * (at.after - at.rate)
            done += 0.5 * impulse * (at.rate + at.after)
    return done
