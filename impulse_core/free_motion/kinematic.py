"""Kinematic bodies: rows that move as their keyframes say, whatever pushes them.

Between two keyframes, with τ the time since the first of them (docs/algorithm.md, 36),

    C = c0 + c1 τ + c2 τ² + c3 τ³,   q = q0 ∘ exp(φ),   φ = f1 τ + f2 τ² + f3 τ³
    v = Ċ,   ω = R(q0) (φ̇ + a φ × φ̇ + b φ × (φ × φ̇)),   a = (1-cos|φ|)/|φ|²,   b = (|φ|-sin|φ|)/|φ|³

Which interval holds is chosen once per step, from the time in its middle: a step that ends on a
keyframe ends with the velocity before it, whichever way its time was rounded.
"""

from __future__ import annotations

import math

from impulse_core.algebra import (
    Vec3,
    cross,
    dot,
    put_vec3,
    quat_at,
    rotate,
    rotation_of,
    set_quat,
    set_vec3,
    vec3_of,
)
from impulse_core.jit import inner_kernel, kernel

__all__ = ["choose_intervals", "drive", "predict_kinematic"]


@kernel
def _row(rows, i, k):
    """Columns 3k … 3k+2 of row i as a vector."""
    return Vec3(rows[i, 3 * k], rows[i, 3 * k + 1], rows[i, 3 * k + 2])


@kernel
def _turning(phi, rate):
    """φ̇ + a φ × φ̇ + b φ × (φ × φ̇): the angular velocity of exp(φ), from its left."""
    y = dot(phi, phi)
    if y < 0.25:  # Maclaurin series, next terms below 1e-17
        a = 1 / 40320 - y * (1 / 3628800 - y / 479001600)
        a = 0.5 - y * (1 / 24 - y * (1 / 720 - y * a))
        b = 1 / 362880 - y * (1 / 39916800 - y / 6227020800)
        b = 1 / 6 - y * (1 / 120 - y * (1 / 5040 - y * b))
    else:
        angle = math.sqrt(y)
        a = (1.0 - math.cos(angle)) / y
        b = (angle - math.sin(angle)) / (angle * y)
    s = cross(phi, rate)
    return rate + a * s + b * cross(phi, s)


@inner_kernel
def predict_kinematic(model, state, h, work):
    """Write the poses of kinematic bodies at the time of state plus h into work."""
    paths = model.paths
    for j in range(len(state.kinematic)):
        k = state.kinematic[j].interval
        t = state.clock[0].time + h - paths.origin[k]
        C = _row(paths.position, k, 3)
        for power in range(2, -1, -1):
            C = _row(paths.position, k, power) + t * C
        f1, f2, f3 = _row(paths.turn, k, 0), _row(paths.turn, k, 1), _row(paths.turn, k, 2)
        phi = t * (f1 + t * (f2 + t * f3))
        set_vec3(work.next[model.dynamic + j].position, C)
        q = quat_at(paths.orientation, k) * rotation_of(phi)
        set_quat(work.next[model.dynamic + j].orientation, q)


@inner_kernel
def drive(model, state, time, work):
    """Set the velocities of kinematic bodies to those at this time [s]."""
    paths = model.paths
    for j in range(len(state.kinematic)):
        k = state.kinematic[j].interval
        i = model.dynamic + j
        t = time - paths.origin[k]
        c1, c2, c3 = (
            _row(paths.position, k, 1),
            _row(paths.position, k, 2),
            _row(paths.position, k, 3),
        )
        set_vec3(state.bodies[i].velocity, c1 + t * (2.0 * c2 + (3.0 * t) * c3))
        f1, f2, f3 = _row(paths.turn, k, 0), _row(paths.turn, k, 1), _row(paths.turn, k, 2)
        phi = t * (f1 + t * (f2 + t * f3))
        rate = f1 + t * (2.0 * f2 + (3.0 * t) * f3)
        w = rotate(quat_at(paths.orientation, k), _turning(phi, rate))
        set_vec3(state.kinematic[j].spin, w)
        put_vec3(work.angular_velocity, i, w)


@inner_kernel
def choose_intervals(model, state, middle):
    """Enter the intervals that hold at the time ``middle`` [s]; returns whether one is new."""
    paths = model.paths
    new = False
    for j in range(len(state.kinematic)):
        k = state.kinematic[j].interval
        while k + 1 < paths.interval[j + 1] and paths.begin[k + 1] <= middle:
            k += 1
        while k > paths.interval[j] and paths.begin[k] > middle:
            k -= 1
        new = new or k != state.kinematic[j].interval
        state.kinematic[j].interval = k
    return new


@inner_kernel
def resume_kinematic(model, state, work):
    """Make work.angular_velocity fit a state that was put back."""
    for j in range(len(state.kinematic)):
        put_vec3(work.angular_velocity, model.dynamic + j, vec3_of(state.kinematic[j].spin))
