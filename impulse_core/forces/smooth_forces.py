"""Forces along free axes as functions of the time and the motion, for methods that need no law.

With the coordinate s, its rate u, the target s_T and its rate u_T (docs/algorithm.md, 71),

    f = k (r - s) - d u + f_m
    f_m = F(t)                                                     of a force motor
    f_m = P (s_T - s) + I e + D (u_T - u),  ė = s_T - s            of a servo

within the motor's largest forces; while it asks for more, a servo does not integrate. Where and
how an explicit servo is evaluated is a matter of the impulse step; here both kinds are the same.
"""

from __future__ import annotations

import math

from impulse_core.forces.signals.signals import signal_rate_inside, signal_value_inside
from impulse_core.jit import inner_kernel
from impulse_core.joints.constraints import velocity_along
from impulse_core.joints.table import FIRST_ROTATION, FORCE_MOTOR

__all__ = ["axis_rate", "motor_target", "passive_force", "servo_force"]


@inner_kernel
def axis_rate(model, k, state, work):
    """G v of the row of axis k, with the directions and angular velocities in work."""
    row = model.axes[k].row
    T, R = velocity_along(model, model.axes[k].joint, state, work)
    if row >= FIRST_ROTATION:
        return _component(R, row - FIRST_ROTATION)
    return _component(T, row)


@inner_kernel
def _component(v, i):
    return v.x if i == 0 else (v.y if i == 1 else v.z)


@inner_kernel
def passive_force(axis, s, u):
    """Force of springs and dampers."""
    return axis.stiffness * (axis.rest - s) - axis.damping * u


@inner_kernel
def motor_target(model, k, t, inside, work):
    """Target of the motor of axis k at the end or within a step, and its rate; NaN where there is
    none. ``inside`` is a time within the step [s]. The rate is zero where nothing asks for it.
    """
    axis = model.axes[k]
    value = signal_value_inside(model.signals, work.stack, axis.motor_target, t, inside)
    rate = 0.0
    if axis.motor_kind != FORCE_MOTOR:
        rate = signal_rate_inside(model.signals, work.stack, axis.motor_target, t, inside)
    return value, rate


@inner_kernel
def servo_force(axis, target, target_rate, s, u, integral):
    """Force of a servo or force motor, and how fast its error integrates; a force that is not
    finite is none. The third value is 1 where it asks for more than it has.
    """
    if axis.motor_kind == FORCE_MOTOR:
        force, error = target, 0.0
    else:
        P, I, D = axis.motor_gain[0], axis.motor_gain[1], axis.motor_gain[2]
        error = target - s
        force = P * error + I * integral + D * (target_rate - u)
    if -axis.motor_back <= force <= axis.motor_limit or not (abs(force) < math.inf):
        return force, error, 0
    return (axis.motor_limit if force > 0.0 else -axis.motor_back), 0.0, 1
