"""Springs, dampers, motors, friction and limits: the force law each axis has in a stage.

- first half, at t: the impulse p depends on the coordinate x = s(t+h) the step will reach,
- second half, at t+h: it depends on the velocity u along the axis after it.

Springs and dampers are taken at the middle of the stage: symmetric and variational, so the energy
does not drift, and stable for every stiffness. What is stiff *and* damped moves by a share σ
towards the end of the stage, where σ = 1 takes a stiff motion out within one step: the first half
by the coordinate that is reached, the second by the velocity. Both halves then give half of what a
steady load needs, as the joints that carry it do. With s_σ = ½((1-σ) s + (1+σ) x),

    p = ½ h (k (r - s_σ) - d (x - s)/h)                                      in the first half
    p' = (1-σ) p + σ ½ h (k (r - x) - (d + h k) u)                          in the second half
    σ = z²/(1+z²),  z = h w (d + h k)                                       (docs/algorithm.md, 34)
"""

from __future__ import annotations

import math

from impulse_core.jit import inlined_kernel, inner_kernel
from impulse_core.joints.force_law import (
    BASE,
    BASE_SLOPE,
    DRIVE,
    DRIVE_AT,
    FRICTION,
    FRICTION_AT,
    LOWER,
    SERVO,
    SERVO_BOUND,
    SERVO_SLOPE,
    UPPER,
    no_force,
    servo_part,
)
from impulse_core.joints.table import EXPLICIT_SERVO, IMPLICIT_SERVO, NO_MOTOR, VELOCITY_MOTOR
from impulse_core.signals.signals import signal_value_inside

_RIGID = 1e100  # impulse of a motor without limit, far below the infinity of a joint limit


@inner_kernel
def _share_of_end(stiffness, damping, inverse_mass, h):
    """σ of a damped element, by the inverse mass along its axis."""
    z = h * inverse_mass * (damping + h * stiffness)
    return z * z / (1.0 + z * z)


@inlined_kernel
def first_half_laws(model, state, h, work):
    """Laws p(x) of the impulses at t; needs the velocities along the axes in work.axis_rate.

    They mean nothing if a motor has no target (``motor_without_target``).
    """
    law = work.axis_law
    for k in range(len(model.axis_joint)):
        s = state.axis_position[k]
        no_force(law, k)
        law[k, LOWER], law[k, UPPER] = model.axis_lower[k], model.axis_upper[k]
        law[k, FRICTION_AT], law[k, FRICTION] = s, 0.5 * h * model.axis_friction[k]
        _spring_law(model, k, s, h, work)
        if model.motor_kind[k] != NO_MOTOR:
            _motor_law(model, state, k, s, h, work)


@inlined_kernel
def _spring_law(model, k, s, h, work):
    stiffness, damping, rest = model.axis_stiffness[k], model.axis_damping[k], model.axis_rest[k]
    share = 0.0  # without damping the middle of the stage, which conserves the energy
    if damping > 0.0:
        share = _share_of_end(stiffness, damping, model.axis_inverse_mass[k], h)
    work.spring_share[k] = share
    force = stiffness * (rest - 0.5 * (1.0 - share) * s) + damping * s / h
    work.axis_law[k, BASE] = 0.5 * h * force
    work.axis_law[k, BASE_SLOPE] = 0.5 * h * (0.5 * stiffness * (1.0 + share) + damping / h)


@inlined_kernel
def _motor_law(model, state, k, s, h, work):
    law, t = work.axis_law, state.time[0]
    signal = model.motor_target[k]
    before = signal_value_inside(model.signals, signal, t, t + h)
    after = signal_value_inside(model.signals, signal, t + h, t)
    work.motor_from[k], work.motor_to[k] = before, after
    bound = min(0.5 * h * model.motor_limit[k], _RIGID)
    if model.motor_kind[k] == VELOCITY_MOTOR:
        law[k, DRIVE_AT], law[k, DRIVE] = s + 0.5 * h * (before + after), bound
        return
    P, I, D = model.motor_gain[k, 0], model.motor_gain[k, 1], model.motor_gain[k, 2]
    target_rate = (after - before) / h
    if model.motor_kind[k] == EXPLICIT_SERVO:
        rate = target_rate - work.axis_rate[k]
        law[k, SERVO] = 0.5 * h * (P * (before - s) + I * state.motor_integral[k] + D * rate)
        law[k, SERVO_BOUND] = 0.5 * h * model.motor_limit[k]
        return
    P += 0.5 * h * I  # of the error integrated up to the middle of the stage
    share = _share_of_end(P, D, model.axis_inverse_mass[k], h)
    work.motor_share[k] = share
    reach = 0.5 * ((1.0 - share) * (before - s) + (1.0 + share) * after)
    force = P * reach + I * state.motor_integral[k] + D * (target_rate + s / h)
    law[k, SERVO] = 0.5 * h * force
    law[k, SERVO_SLOPE] = 0.5 * h * (0.5 * P * (1.0 + share) + D / h)
    law[k, SERVO_BOUND] = bound


@inlined_kernel
def second_half_laws(model, state, h, work):
    """Accept the coordinates in work.axis_next; laws p(u) of the impulses at t+h.

    A limit bounds the velocity where it was reached in the first half. Needs the velocities along
    the axes at t in work.axis_rate, and those at t+h before loads and these impulses act in
    work.axis_next_rate.
    """
    law = work.axis_law
    for k in range(len(model.axis_joint)):
        s, x = state.axis_position[k], work.axis_next[k]
        state.axis_position[k] = x
        spring, spring_slope = _second_spring(model, k, h, work)
        lower, upper = _velocity_bounds(model, k, work)
        servo, servo_slope, bound = 0.0, 0.0, 0.0
        if model.motor_kind[k] != NO_MOTOR:
            bound = min(0.5 * h * model.motor_limit[k], _RIGID)
        if model.motor_kind[k] == IMPLICIT_SERVO:
            servo, servo_slope = _implicit_servo(model, state, k, s, h, work)
        elif model.motor_kind[k] == EXPLICIT_SERVO:
            bound = 0.5 * h * model.motor_limit[k]
            servo = _explicit_servo(model, state, k, s, h, work)
        no_force(law, k)
        law[k, LOWER], law[k, UPPER] = lower, upper
        law[k, FRICTION] = 0.5 * h * model.axis_friction[k]
        law[k, BASE], law[k, BASE_SLOPE] = spring, spring_slope
        law[k, SERVO], law[k, SERVO_SLOPE], law[k, SERVO_BOUND] = servo, servo_slope, bound
        if model.motor_kind[k] == VELOCITY_MOTOR:
            law[k, DRIVE_AT], law[k, DRIVE] = work.motor_to[k], bound


@inner_kernel
def _second_spring(model, k, h, work):
    """Impulse at no velocity, and its slope, of a spring and damper in the second half."""
    x, share = work.axis_next[k], work.spring_share[k]
    stiffness = model.axis_stiffness[k]
    first = work.axis_law[k, BASE] - work.axis_law[k, BASE_SLOPE] * x
    part = 0.5 * h * share
    slope = part * (model.axis_damping[k] + h * stiffness)
    return (1.0 - share) * first + part * stiffness * (model.axis_rest[k] - x), slope


@inner_kernel
def _implicit_servo(model, state, k, s, h, work):
    """The same of an implicit servo. It integrates unless it asks for more than it has."""
    law, x, share = work.axis_law, work.axis_next[k], work.motor_share[k]
    P, I, D = model.motor_gain[k, 0], model.motor_gain[k, 1], model.motor_gain[k, 2]
    P += 0.5 * h * I
    first = law[k, SERVO] - law[k, SERVO_SLOPE] * x
    slope = 0.5 * h * share * (D + h * P)
    force = P * (work.motor_to[k] - x) + I * state.motor_integral[k]
    second = 0.5 * h * share * force + slope * _target_rate(model, state, k, h, work)
    if abs(first) < law[k, SERVO_BOUND]:  # integrating at the bound would wind up
        error = (1.0 - share) * (work.motor_from[k] - s) + (1.0 + share) * (work.motor_to[k] - x)
        state.motor_integral[k] += 0.5 * h * error
    return (1.0 - share) * first + second, slope


@inner_kernel
def _target_rate(model, state, k, h, work):
    """Rate of a target at the end of the stage, by three of its values within it."""
    before, after = work.motor_from[k], work.motor_to[k]
    t = state.time[0] - 0.5 * h
    middle = signal_value_inside(model.signals, model.motor_target[k], t, t)
    if not (abs(middle) < math.inf):
        middle = 0.5 * (before + after)
    return (3.0 * after - 4.0 * middle + before) / h


@inner_kernel
def _explicit_servo(model, state, k, s, h, work):
    """The impulse of the second half by the error and the velocity at its start."""
    before, after, x = work.motor_from[k], work.motor_to[k], work.axis_next[k]
    P, I, D = model.motor_gain[k, 0], model.motor_gain[k, 1], model.motor_gain[k, 2]
    if abs(work.axis_law[k, SERVO]) < work.axis_law[k, SERVO_BOUND]:
        state.motor_integral[k] += 0.5 * h * (before - s + after - x)
    rate = (after - before) / h - work.axis_next_rate[k]
    return 0.5 * h * (P * (after - x) + I * state.motor_integral[k] + D * rate)


@inlined_kernel
def _velocity_bounds(model, k, work):
    """Bounds of the velocity at t+h: a limit reached in this stage stops or reflects it.

    What is reflected is the velocity at t, before loads act: that of a joint which rests on its
    limit is zero, wherever within the tolerance it rests, and that of one which arrives is not,
    even if it is at the limit already.
    """
    lower, upper = -math.inf, math.inf
    if work.axis_vertical[k]:
        at = work.axis_piece[k, 0]
        bounce = -model.axis_restitution[k] * work.axis_rate[k]
        if model.axis_lower[k] == model.axis_upper[k]:  # there is no way to bounce
            bounce = 0.0
        if at == model.axis_upper[k]:
            upper = min(bounce, 0.0)
        if at == model.axis_lower[k]:
            lower = max(bounce, 0.0)
    return lower, upper


@inner_kernel
def motor_without_target(model, work):
    """The first axis whose motor has no finite target at an end of the stage; -1 if none."""
    for k in range(len(model.axis_joint)):
        finite = abs(work.motor_from[k]) < math.inf and abs(work.motor_to[k]) < math.inf
        if model.motor_kind[k] != NO_MOTOR and not finite:
            return k
    return -1


@inner_kernel
def spring_energy(model, state):
    """Potential energy of all springs [J]: Σ ½ k (s - r)²."""
    energy = 0.0
    for k in range(len(model.axis_joint)):
        stretch = state.axis_position[k] - model.axis_rest[k]
        energy += 0.5 * model.axis_stiffness[k] * stretch * stretch
    return energy


@inlined_kernel
def element_work(model, h, before, after, at, work):
    """Work of the motors, and what dampers, friction and limits dissipate, in half a stage [J].

    All impulses of a half act at once and together change the kinetic energy by Σ p ½(u⁻ + u⁺),
    exactly. Each is given its own term of the sum, and so are the loads: with u⁻ before any of
    them, what opposes a load at a steady velocity does the opposite work.

    Args:
        h: Length of the stage [s].
        before, after: u⁻ and u⁺ along the axes, shapes (k,).
        at: Arguments of the laws in work.axis_law, shape (k,).
    """
    motors, dissipated = 0.0, 0.0
    law = work.axis_law
    for k in range(len(model.axis_joint)):
        u = 0.5 * (before[k] + after[k])
        spring = law[k, BASE] - law[k, BASE_SLOPE] * at[k]
        stiffness, middle = model.axis_stiffness[k], 0.5 * (work.axis_start[k] + work.axis_next[k])
        if model.axis_damping[k] > 0.0:
            # shared unevenly between the halves, so what the spring stores is taken from its ends
            stored = stiffness * (middle - model.axis_rest[k])
            stored *= work.axis_next[k] - work.axis_start[k]
            dissipated -= spring * u + 0.5 * stored
        else:
            conservative = 0.5 * h * stiffness * (model.axis_rest[k] - middle)
            dissipated -= (spring - conservative) * u
        motor = _motor_impulse(k, at[k], spring, work)
        motors += motor * u
        dissipated -= (work.axis_impulse[k] - spring - motor) * u  # friction and limits
    return motors, dissipated


@inner_kernel
def _motor_impulse(k, x, spring, work):
    """The motor's part of the impulse along axis k, by its law at x and that of the others."""
    law = work.axis_law
    servo = servo_part(law, k, x)
    rest = work.axis_impulse[k] - spring - servo  # velocity motor, friction and limits
    vertical, at = work.axis_vertical[k] == 1, work.axis_piece[k, 0]
    if law[k, DRIVE] == 0.0:
        if servo != 0.0 and not vertical and law[k, FRICTION] == 0.0:
            return servo + rest  # how far the servo's law is met
        return servo
    drive = _side(x, law[k, DRIVE_AT], law[k, DRIVE])
    friction = _side(x, law[k, FRICTION_AT], law[k, FRICTION])
    if not vertical or (at == law[k, DRIVE_AT] and at != law[k, FRICTION_AT]):
        return rest - friction
    if at == law[k, DRIVE_AT]:  # both hold, each by its strength
        return rest * (law[k, DRIVE] / (law[k, DRIVE] + law[k, FRICTION]))
    return drive if law[k, DRIVE] < _RIGID else 0.0  # rigid against rigid: the limit holds


@inner_kernel
def _side(x, at, size):
    """The impulse of a jump of ∓size at ``at`` for x beside it."""
    return size if x < at else -size
