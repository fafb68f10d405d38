"""Accelerations that bodies would have without joints, and how fast those would open the joints."""

from __future__ import annotations

from impulse_core.algebra import (
    ZERO3,
    Vec3,
    cross,
    dot,
    mat3_of,
    quat_of,
    rotate,
    rotate_back,
    set_vec3,
    vec3_at,
    vec3_of,
)
from impulse_core.forces.loads import kick
from impulse_core.jit import inner_kernel
from impulse_core.joints.biases import rotation_bias, translation_bias
from impulse_core.joints.point_plane import point_plane_bias
from impulse_core.joints.table import COUPLING, NO_PART, ROTATION_AXIS


@inner_kernel
def apply_loads(model, rate, work):
    """Velocities of rate become g + F/m, its angular momenta the torques τ of the loads.

    The poses of rate must be those of the present state, and the factors in work its own.
    """
    g = Vec3(model.gravity[0], model.gravity[1], model.gravity[2])
    for i in range(len(model.bodies)):
        set_vec3(rate.bodies[i].velocity, g if i < model.dynamic else ZERO3)
        set_vec3(rate.bodies[i].angular_momentum, ZERO3)
    kick(model, rate, 1.0, work)


@inner_kernel
def angular_accelerations(model, state, rate, work):
    """R J⁻¹ Rᵀ (τ - ω × L) into work.next.position, with the torques τ in rate.

    Needs work.angular_velocity.
    """
    for i in range(model.dynamic):
        q = quat_of(state.bodies[i].orientation)
        L = vec3_of(state.bodies[i].angular_momentum)
        w = vec3_at(work.angular_velocity, i)
        M = rotate_back(q, vec3_of(rate.bodies[i].angular_momentum) - cross(w, L))
        spin = Vec3(
            M.x * model.bodies[i].inverse_inertia[0],
            M.y * model.bodies[i].inverse_inertia[1],
            M.z * model.bodies[i].inverse_inertia[2],
        )
        set_vec3(work.next[i].position, rotate(q, spin))


@inner_kernel
def _turning(work, i):
    """Angular velocity and angular acceleration of body i."""
    return vec3_at(work.angular_velocity, i), vec3_of(work.next[i].position)


@inner_kernel
def joint_accelerations(model, state, rate, work):
    """Ġ v + G M⁻¹ Q of all joints, couplings too, into work.error (m, 6).

    Needs the accelerations in rate, the angular ones in work.next.position, work.angular_velocity
    and the directions in work.now.
    """
    now = work.now
    for j in range(len(model.joints)):
        i1, i2 = model.joints[j].body1, model.joints[j].body2
        w1, spin1 = _turning(work, i1)
        w2, spin2 = _turning(work, i2)
        if model.joints[j].translation_part == COUPLING:
            continue
        if model.joints[j].translation_part != NO_PART:
            a1 = vec3_of(rate.bodies[i1].velocity) + cross(spin1, vec3_of(now.joints[j].arm1))
            a2 = vec3_of(rate.bodies[i2].velocity) + cross(spin2, vec3_of(now.joints[j].arm2))
            a = mat3_of(now.joints[j].translation_rows) @ (a2 - a1)
            a = a + translation_bias(model, now, j, state, w1, w2)
            work.error[j, 0], work.error[j, 1], work.error[j, 2] = a.x, a.y, a.z
        if model.joints[j].rotation_part != NO_PART:
            a = mat3_of(now.joints[j].rotation_rows) @ (spin2 - spin1)
            a = a + rotation_bias(model, now, j, state, w1, w2)
            work.error[j, 3], work.error[j, 4], work.error[j, 5] = a.x, a.y, a.z
    _coupling_accelerations(model, state, rate, work)


@inner_kernel
def _coupling_accelerations(model, state, rate, work):
    """Rows of couplings: the sum over their terms. An axis is carried by body 1 of its joint."""
    couplings = model.couplings
    for c in range(len(couplings.joint)):
        total = 0.0
        for k in range(couplings.first_term[c], couplings.first_term[c + 1]):
            j = couplings.terms[k].joint
            i1, i2 = model.joints[j].body1, model.joints[j].body2
            w1, spin1 = _turning(work, i1)
            w2, spin2 = _turning(work, i2)
            n = vec3_of(work.now.terms[k].axis)
            if couplings.terms[k].row == ROTATION_AXIS:
                a = dot(n, spin2 - spin1) + dot(cross(w1, n), w2 - w1)
            else:
                r1 = vec3_of(work.now.terms[k].arm1)
                r2 = vec3_of(work.now.terms[k].arm2)
                v1 = vec3_of(state.bodies[i1].velocity)
                v2 = vec3_of(state.bodies[i2].velocity)
                a1 = vec3_of(rate.bodies[i1].velocity) + cross(spin1, r1)
                a2 = vec3_of(rate.bodies[i2].velocity) + cross(spin2, r2)
                a = dot(n, a2 - a1) + point_plane_bias(n, v1, w1, r1, v2, w2, r2).x
            total += couplings.terms[k].coefficient * a
        j = couplings.joint[c]
        work.error[j, 0], work.error[j, 1], work.error[j, 2] = total, 0.0, 0.0
