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

A rotor of inertia a is a body of its own with the one coordinate s, which it shares: it moves on
with the momentum π that it has, and gives what keeps it at s,

    p = π - a (x - s)/h,  π = a u(t)                                        in the first half
    p' = π - p - a u                                                        in the second (65)
"""

from __future__ import annotations

import math

from impulse_core.forces.force_law import has_drive, no_force, servo_part
from impulse_core.forces.signals.signals import signal_value_inside
from impulse_core.jit import inlined_kernel, inner_kernel
from impulse_core.joints.table import (
    EXPLICIT_SERVO,
    FORCE_MOTOR,
    IMPLICIT_SERVO,
    NO_MOTOR,
    VELOCITY_MOTOR,
)

RIGID = 1e100  # impulse of a motor without limit, far below the infinity of a joint limit


@inner_kernel
def _share_of_end(stiffness, damping, inverse_mass, h):
    """σ of a damped element, by the inverse mass along its axis."""
    z = h * inverse_mass * (damping + h * stiffness)
    return z * z / (1.0 + z * z)


@inlined_kernel
def first_half_laws(model, state, h, work):
    """Laws p(x) of the impulses at t; needs the velocities along the axes in work.axes.rate.

    They mean nothing if a motor has no target (``motor_without_target``).
    """
    for k in range(len(model.axes)):
        axis, law, s = model.axes[k], work.laws[k], state.axes[k].position
        if work.resting[axis.joint]:
            _let_rest(work.axes[k], law)
            continue
        no_force(law)
        way = abs(h) * axis.speed
        law.lower, law.upper = s - way, s + way
        if not work.axes[k].open:
            law.lower = max(axis.lower, min(s - way, axis.upper))
            law.upper = min(axis.upper, max(s + way, axis.lower))
        law.friction_at, law.friction = s, 0.5 * h * axis.friction
        _spring_law(model, k, s, h, work)
        work.axes[k].rotor_momentum = axis.armature * work.axes[k].rate
        _set_rotor(work.axes[k], s, axis.armature / h)
        _add_passive(law, work.axes[k])
        if axis.motor_kind != NO_MOTOR:
            _motor_law(model, state, k, s, h, work)


@inlined_kernel
def _let_rest(stage, law):
    """Let nothing act along an axis."""
    no_force(law)
    stage.spring, stage.spring_slope, stage.rotor, stage.rotor_slope = 0.0, 0.0, 0.0, 0.0
    stage.rotor_momentum, stage.rotor_impulse = 0.0, 0.0
    stage.motor_from, stage.motor_to = 0.0, 0.0


@inlined_kernel
def _spring_law(model, k, s, h, work):
    axis, stage = model.axes[k], work.axes[k]
    stiffness, damping, rest = axis.stiffness, axis.damping, axis.rest
    share = 0.0  # without damping the middle of the stage, which conserves the energy
    if damping > 0.0 and not axis.symmetric:
        share = _share_of_end(stiffness, damping, axis.inverse_mass, h)
    stage.spring_share = share
    force = stiffness * (rest - 0.5 * (1.0 - share) * s) + damping * s / h
    stage.spring = 0.5 * h * force
    stage.spring_slope = 0.5 * h * (0.5 * stiffness * (1.0 + share) + damping / h)


@inlined_kernel
def _set_rotor(stage, at, slope):
    """The rotor gives all its momentum if x stays ``at``, and slope less for each metre beyond."""
    stage.rotor, stage.rotor_slope = stage.rotor_momentum + slope * at, slope


@inlined_kernel
def _add_passive(law, stage):
    law.passive = stage.spring + stage.rotor
    law.passive_slope = stage.spring_slope + stage.rotor_slope


@inlined_kernel
def _motor_law(model, state, k, s, h, work):
    axis, stage, law = model.axes[k], work.axes[k], work.laws[k]
    t = state.clock[0].time
    signal = axis.motor_target
    before = signal_value_inside(model.signals, work.stack, signal, t, t + h)
    after = signal_value_inside(model.signals, work.stack, signal, t + h, t)
    stage.motor_from, stage.motor_to = before, after
    if axis.motor_kind == VELOCITY_MOTOR:
        most = abs(h) * axis.speed
        way = min(max(0.5 * h * (before + after), -most), most)
        law.drive_at = s + way
        _bound_drive(axis, law, h)
        return
    _bound_servo(axis, law, h)
    if axis.motor_kind == FORCE_MOTOR:
        law.servo = 0.5 * h * before
        return
    P, I, D = axis.motor_gain[0], axis.motor_gain[1], axis.motor_gain[2]
    target_rate = (after - before) / h
    if axis.motor_kind == EXPLICIT_SERVO:
        rate = target_rate - stage.rate
        law.servo = 0.5 * h * (P * (before - s) + I * state.axes[k].motor_integral + D * rate)
        return
    P += 0.5 * h * I  # of the error integrated up to the middle of the stage
    share = 0.0 if axis.symmetric else _share_of_end(P, D, axis.inverse_mass, h)
    stage.motor_share = share
    target = 0.5 * ((1.0 - share) * (before - s) + (1.0 + share) * after)
    force = P * target + I * state.axes[k].motor_integral + D * (target_rate + s / h)
    law.servo = 0.5 * h * force
    law.servo_slope = 0.5 * h * (0.5 * P * (1.0 + share) + D / h)


@inlined_kernel
def _bound_drive(axis, law, h):
    law.drive = min(0.5 * abs(h) * axis.motor_limit, RIGID)
    law.drive_back = min(0.5 * abs(h) * axis.motor_back, RIGID)


@inlined_kernel
def _bound_servo(axis, law, h):
    most = math.inf if axis.motor_kind == EXPLICIT_SERVO else RIGID  # it diverges, and is told of
    law.servo_bound = min(0.5 * abs(h) * axis.motor_limit, most)
    law.servo_back = min(0.5 * abs(h) * axis.motor_back, most)


@inlined_kernel
def second_half_laws(model, state, h, work):
    """Accept the coordinates in work.axes.next; laws p(u) of the impulses at t+h.

    A limit bounds the velocity where it was reached in the first half. Needs the velocities along
    the axes at t in work.axes.rate, and those at t+h before loads and these impulses act in
    work.axes.next_rate.
    """
    for k in range(len(model.axes)):
        axis, stage, law = model.axes[k], work.axes[k], work.laws[k]
        s, x = state.axes[k].position, stage.next
        if work.resting[axis.joint]:
            _let_rest(stage, law)
            continue
        state.axes[k].position = x
        _second_spring(model, k, h, work)
        _set_rotor(stage, 0.0, axis.armature)
        lower, upper = _velocity_bounds(model, k, work)
        servo, servo_slope = 0.0, 0.0
        if axis.motor_kind == IMPLICIT_SERVO:
            servo, servo_slope = _implicit_servo(model, state, k, s, h, work)
        elif axis.motor_kind == FORCE_MOTOR:
            servo = 0.5 * h * stage.motor_to
        elif axis.motor_kind == EXPLICIT_SERVO:
            servo = _explicit_servo(model, state, k, s, h, work)
        no_force(law)
        law.lower, law.upper = lower, upper
        law.friction = 0.5 * h * axis.friction
        _add_passive(law, stage)
        law.servo, law.servo_slope = servo, servo_slope
        if axis.motor_kind == VELOCITY_MOTOR:
            law.drive_at = min(max(stage.motor_to, -axis.speed), axis.speed)
            _bound_drive(axis, law, h)
        elif axis.motor_kind != NO_MOTOR:
            _bound_servo(axis, law, h)


@inner_kernel
def _second_spring(model, k, h, work):
    """Impulse at no velocity, and its slope, of a spring and damper in the second half."""
    axis, stage = model.axes[k], work.axes[k]
    x, share = stage.next, stage.spring_share
    stiffness = axis.stiffness
    first = stage.spring - stage.spring_slope * x
    part = 0.5 * h * share
    stage.spring = (1.0 - share) * first + part * stiffness * (axis.rest - x)
    stage.spring_slope = part * (axis.damping + h * stiffness)


@inner_kernel
def _implicit_servo(model, state, k, s, h, work):
    """The same of an implicit servo. It integrates unless it asks for more than it has."""
    axis, stage, law = model.axes[k], work.axes[k], work.laws[k]
    x, share = stage.next, stage.motor_share
    P, I, D = axis.motor_gain[0], axis.motor_gain[1], axis.motor_gain[2]
    P += 0.5 * h * I
    first = law.servo - law.servo_slope * x
    slope = 0.5 * h * share * (D + h * P)
    force = P * (stage.motor_to - x) + I * state.axes[k].motor_integral
    second = 0.5 * h * share * force + slope * _target_rate(model, state, k, h, work)
    if -law.servo_back < first < law.servo_bound:  # integrating at the bound would wind up
        error = (1.0 - share) * (stage.motor_from - s) + (1.0 + share) * (stage.motor_to - x)
        state.axes[k].motor_integral += 0.5 * h * error
    return (1.0 - share) * first + second, slope


@inner_kernel
def _target_rate(model, state, k, h, work):
    """Rate of a target at the end of the stage, by three of its values within it."""
    before, after = work.axes[k].motor_from, work.axes[k].motor_to
    t = state.clock[0].time - 0.5 * h
    middle = signal_value_inside(model.signals, work.stack, model.axes[k].motor_target, t, t)
    if not (abs(middle) < math.inf):
        middle = 0.5 * (before + after)
    return (3.0 * after - 4.0 * middle + before) / h


@inner_kernel
def _explicit_servo(model, state, k, s, h, work):
    """The impulse of the second half by the error and the velocity at its start."""
    axis, stage, law = model.axes[k], work.axes[k], work.laws[k]
    before, after, x = stage.motor_from, stage.motor_to, stage.next
    P, I, D = axis.motor_gain[0], axis.motor_gain[1], axis.motor_gain[2]
    if -law.servo_back < law.servo < law.servo_bound:
        state.axes[k].motor_integral += 0.5 * h * (before - s + after - x)
    rate = (after - before) / h - stage.next_rate
    return 0.5 * h * (P * (after - x) + I * state.axes[k].motor_integral + D * rate)


@inlined_kernel
def _velocity_bounds(model, k, work):
    """Bounds of the velocity at t+h: a limit reached in this stage stops or reflects it, unless it
    is left open.

    What is reflected is the velocity at t, before loads act: that of a joint which rests on its
    limit is zero, wherever within the tolerance it rests, and that of one which arrives is not,
    even if it is at the limit already.
    """
    axis, stage = model.axes[k], work.axes[k]
    lower, upper = -axis.speed, axis.speed
    if stage.vertical and not stage.open:
        at = stage.piece[0]
        bounce = -axis.restitution * stage.rate
        if axis.lower == axis.upper:  # there is no way to bounce
            bounce = 0.0
        if at == axis.upper:
            upper = min(bounce, 0.0)
        if at == axis.lower:
            lower = max(bounce, 0.0)
    return lower, upper


@inner_kernel
def motor_without_target(model, work):
    """The first axis whose motor has no finite target at an end of the stage; -1 if none."""
    for k in range(len(model.axes)):
        stage = work.axes[k]
        finite = abs(stage.motor_from) < math.inf and abs(stage.motor_to) < math.inf
        if model.axes[k].motor_kind != NO_MOTOR and not finite:
            return k
    return -1


@inlined_kernel
def element_work(model, h, before, after, at, work):
    """Work of the motors, and what dampers, friction and limits dissipate, in half a stage [J].

    All impulses of a half act at once and together change the kinetic energy by Σ p ½(u⁻ + u⁺),
    exactly. Each is given its own term of the sum, and so are the loads: with u⁻ before any of
    them, what opposes a load at a steady velocity does the opposite work.

    Rotors give what the law leaves over, so that no momentum is lost; they keep the energy that
    their momentum says, and have no part in this work.

    Args:
        h: Length of the stage [s].
        before, after: u⁻ and u⁺ along the axes, shapes (k,).
        at: Arguments of the laws in work.laws, shape (k,).
    """
    motors, dissipated = 0.0, 0.0
    for k in range(len(model.axes)):
        axis, stage = model.axes[k], work.axes[k]
        if work.resting[axis.joint]:
            continue
        u = 0.5 * (before[k] + after[k])
        spring = stage.spring - stage.spring_slope * at[k]
        rotor = _settle_rotor(axis, stage, at[k])
        stiffness, middle = axis.stiffness, 0.5 * (stage.start + stage.next)
        if axis.damping > 0.0:
            # shared unevenly between the halves, so what the spring stores is taken from its ends
            stored = stiffness * (middle - axis.rest)
            stored *= stage.next - stage.start
            dissipated -= spring * u + 0.5 * stored
        else:
            conservative = 0.5 * h * stiffness * (axis.rest - middle)
            dissipated -= (spring - conservative) * u
        motor = _motor_impulse(k, at[k], spring + rotor, work)
        motors += motor * u
        dissipated -= (stage.impulse - rotor - spring - motor) * u  # friction and limits
    return motors, dissipated


@inner_kernel
def impact_law(model, k, work):
    """Law of axis k in an impact, but for limits: only its rotor acts, and a motor without a
    largest force. Needs the velocity before it in work.axes.next_rate.
    """
    axis, stage, law = model.axes[k], work.axes[k], work.laws[k]
    u = stage.next_rate
    if work.resting[axis.joint]:
        _let_rest(stage, law)
        return
    no_force(law)
    stage.spring, stage.spring_slope = 0.0, 0.0
    stage.rotor_momentum = axis.armature * u
    _set_rotor(stage, 0.0, axis.armature)
    _add_passive(law, stage)
    if axis.motor_kind == VELOCITY_MOTOR:
        law.drive_at = u
        law.drive = RIGID if axis.motor_limit == math.inf else 0.0
        law.drive_back = RIGID if axis.motor_back == math.inf else 0.0


@inner_kernel
def impact_work(model, work):
    """Work of the motors, and what limits dissipate, in an impact [J]."""
    motors, dissipated = 0.0, 0.0
    for k in range(len(model.axes)):
        axis, stage, law = model.axes[k], work.axes[k], work.laws[k]
        rotor = _settle_rotor(axis, stage, stage.after)
        done = 0.5 * (stage.impulse - rotor) * (stage.next_rate + stage.after)
        if stage.vertical and has_drive(law) and stage.piece[0] == law.drive_at:
            motors += done
        else:
            dissipated -= done
    return motors, dissipated


@inlined_kernel
def _settle_rotor(axis, stage, x):
    """Impulse of the rotor in this half, in which the law was met at x."""
    impulse = stage.rotor - stage.rotor_slope * x
    if axis.armature > 0.0 and not stage.vertical:
        impulse += stage.impulse - (stage.piece[0] - stage.piece[1] * x)
    stage.rotor_momentum -= impulse
    stage.rotor_impulse = impulse
    return impulse


@inner_kernel
def _motor_impulse(k, x, passive, work):
    """The motor's part of the impulse along axis k, by its law at x, beside ``passive`` of springs
    and rotor.
    """
    stage, law = work.axes[k], work.laws[k]
    servo = servo_part(law, x)
    rest = stage.impulse - passive - servo  # velocity motor, friction and limits
    vertical, at = stage.vertical == 1, stage.piece[0]
    if not has_drive(law):
        if servo != 0.0 and not vertical and law.friction == 0.0:
            return servo + rest  # how far the servo's law is met
        return servo
    drive = _side(x, law.drive_at, law.drive, law.drive_back)
    friction = _side(x, law.friction_at, law.friction, law.friction)
    if not vertical:
        return rest - friction
    if at == law.drive_at:  # which may be the largest speed, too
        share = rest - friction if at != law.friction_at else _shared(law, rest)
        return min(max(share, -law.drive_back), law.drive)
    return drive if abs(drive) < RIGID else 0.0  # rigid against rigid: the limit holds


@inner_kernel
def _shared(law, rest):
    """What a velocity motor has of the impulse that holds an axis together with friction, each by
    its strength.
    """
    if law.drive + law.drive_back >= RIGID:
        return rest
    middle, half = 0.5 * (law.drive - law.drive_back), 0.5 * (law.drive + law.drive_back)
    return middle + (rest - middle) * (half / (half + law.friction))


@inner_kernel
def _side(x, at, size, back):
    """The impulse of a jump from size to -back at ``at`` for x beside it."""
    return size if x < at else -back
