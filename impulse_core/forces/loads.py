"""Loads: forces and torques, entered as half an impulse at either end of a stage.

    m Δv = h/2 F,   ΔL = h/2 (τ + r × F)                                     (docs/algorithm.md, 7)

with F and τ at the pose and the time of that end, before the velocity correction at the far end. A
load in body axes therefore stays symmetric in time, and so does one that changes. Which loads act
is constant during a step: steps are cut where a load begins or ends, and where its curve breaks.
"""

from __future__ import annotations

import math

from impulse_core.algebra import cross, dot, quat_of, rotate, set_vec3, vec3_at, vec3_of
from impulse_core.forces.signals.signals import signal_value_inside
from impulse_core.jit import inner_kernel

__all__ = ["factors_at", "kick", "load_power"]


@inner_kernel
def factors_at(model, timed, state, t, inside, work):
    """Write the factors of the active loads at the time t [s] into work.load_factor, where a curve
    jumps those on the side of the time ``inside`` the step [s]; False if one is not finite.

    ``timed`` is Model.timed.
    """
    finite = True
    if timed is not None:
        for k in range(len(model.loads)):
            signal = model.loads[k].signal
            if signal >= 0 and state.loads[k].active:
                factor = signal_value_inside(model.signals, work.stack, signal, t, inside)
                finite = finite and abs(factor) < math.inf
                work.load_factor[k] = factor
    return finite


@inner_kernel
def _load_in_world(model, state, work, k):
    """Force, torque about the point of attack, and that point relative to the centre of mass; needs
    work.load_factor.
    """
    i = model.loads[k].body
    q = quat_of(state.bodies[i].orientation)
    factor = work.load_factor[k] if model.loads[k].signal >= 0 else 1.0
    F = factor * vec3_of(model.loads[k].force)
    T = factor * vec3_of(model.loads[k].torque)
    if model.loads[k].in_body_axes:
        axes = q * quat_of(model.loads[k].axes)
        F = rotate(axes, F)
        T = rotate(axes, T)
    return F, T, rotate(q, vec3_of(model.loads[k].point))


@inner_kernel
def kick(model, state, h, work):
    """Apply all active loads for the time h."""
    for k in range(len(model.loads)):
        if state.loads[k].active:
            F, T, r = _load_in_world(model, state, work, k)
            _push(model, state, model.loads[k].body, h * F, h * (T + cross(r, F)))
            other = model.loads[k].reaction
            if other < model.dynamic:
                x = vec3_of(state.bodies[model.loads[k].body].position) + r
                arm = x - vec3_of(state.bodies[other].position)
                _push(model, state, other, -h * F, -h * (T + cross(arm, F)))


@inner_kernel
def _push(model, state, i, impulse, angular_impulse):
    set_vec3(
        state.bodies[i].velocity,
        vec3_of(state.bodies[i].velocity) + impulse * model.bodies[i].inverse_mass,
    )
    L = vec3_of(state.bodies[i].angular_momentum)
    set_vec3(state.bodies[i].angular_momentum, L + angular_impulse)


@inner_kernel
def load_power(model, state, work):
    """Power of the active loads [W]; needs work.angular_velocity at the present state."""
    power = 0.0
    for k in range(len(model.loads)):
        if state.loads[k].active:
            F, T, r = _load_in_world(model, state, work, k)
            i = model.loads[k].body
            w = vec3_at(work.angular_velocity, i)
            power += dot(F, vec3_of(state.bodies[i].velocity) + cross(w, r)) + dot(T, w)
            other = model.loads[k].reaction
            if other < model.dynamic:
                arm = vec3_of(state.bodies[i].position) + r - vec3_of(state.bodies[other].position)
                w = vec3_at(work.angular_velocity, other)
                power -= dot(F, vec3_of(state.bodies[other].velocity) + cross(w, arm)) + dot(T, w)
    return power
