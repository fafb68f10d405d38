"""Coordinates of free axes: the angle of a hinge, the displacement of a slider."""

from __future__ import annotations

import math

from impulse_core.algebra import Vec3, conjugate, cross, dot, quat_of, rotate, vec3_at, vec3_of
from impulse_core.jit import inner_kernel, kernel
from impulse_core.joints.constant_angle import angle_rows
from impulse_core.joints.swing import swing_angle
from impulse_core.joints.table import CONSTANT_ANGLE, ROTATION_AXIS


@inner_kernel
def turned_angle(model, j, poses, near):
    """Angle of joint j about its axis since the start pose [rad] (docs/algorithm.md, 39).

    Of all equal angles it is the one nearest to ``near``, so that it goes on over full turns.
    """
    i1, i2 = model.joints[j].body1, model.joints[j].body2
    q1, q2 = quat_of(poses[i1].orientation), quat_of(poses[i2].orientation)
    turned = conjugate(q1) * q2 * conjugate(quat_of(model.joints[j].relative_orientation))
    a = vec3_of(model.joints[j].axis1)
    angle = 2.0 * math.atan2(dot(Vec3(turned.x, turned.y, turned.z), a), turned.w)
    return _nearest(angle, near)


@kernel
def _nearest(angle, near):
    """Of all equal angles the one nearest to ``near``."""
    turns = math.floor((near - angle) / (2.0 * math.pi) + 0.5)
    return angle + turns * (2.0 * math.pi)


@inner_kernel
def cross_angle(model, j, row, poses, near):
    """Angle since the start pose [rad] of the cross of universal joint j in the fork of body 1,
    about its axis (row 5), or of the fork of body 2 on the cross (row 4), as ``turned_angle``: of
    the other axis about this one (docs/algorithm.md, 68).
    """
    i1, i2 = model.joints[j].body1, model.joints[j].body2
    q1, q2 = quat_of(poses[i1].orientation), quat_of(poses[i2].orientation)
    Q0 = quat_of(model.joints[j].relative_orientation)
    a1, a2 = vec3_of(model.joints[j].axis1), vec3_of(model.joints[j].axis2)
    Q = conjugate(q1) * q2
    if row == ROTATION_AXIS:
        start = rotate(Q0, a2)
        return _nearest(_angle_about(a1, start, rotate(Q, a2)), near)
    start = rotate(conjugate(Q0), a1)
    return _nearest(-_angle_about(a2, start, rotate(conjugate(Q), a1)), near)


@kernel
def _angle_about(a, start, now):
    """Angle about the unit vector a from one direction to another, both beside it."""
    across = cross(a, start)
    return math.atan2(dot(now, across), dot(now, cross(across, a)))


@inner_kernel
def swing_of(model, j, poses):
    """Angle of the axes of joint j [rad] (docs/algorithm.md, 69)."""
    i1, i2 = model.joints[j].body1, model.joints[j].body2
    a1 = rotate(quat_of(poses[i1].orientation), vec3_of(model.joints[j].axis1))
    return swing_angle(a1, rotate(quat_of(poses[i2].orientation), vec3_of(model.joints[j].axis2)))


@inner_kernel
def angle_of(model, j, row, poses, near):
    """Angle of joint j about its axis in ``row``, as ``turned_angle``."""
    if model.joints[j].rotation_part == CONSTANT_ANGLE:
        return cross_angle(model, j, row, poses, near)
    return turned_angle(model, j, poses, near)


@inner_kernel
def angle_rate(model, j, row, poses, work):
    """Its rate [rad/s]; needs work.angular_velocity."""
    i1, i2 = model.joints[j].body1, model.joints[j].body2
    a = rotate(quat_of(poses[i1].orientation), vec3_of(model.joints[j].axis1))
    if model.joints[j].rotation_part == CONSTANT_ANGLE:
        a2 = rotate(quat_of(poses[i2].orientation), vec3_of(model.joints[j].axis2))
        m1, m2 = angle_rows(a, a2)
        a = m1 if row == ROTATION_AXIS else m2
    return dot(a, vec3_at(work.angular_velocity, i2) - vec3_at(work.angular_velocity, i1))


@inner_kernel
def distance_along(model, j, poses):
    """a·(B - A) of joint j [m]: the displacement along its axis from its point A."""
    i1, i2 = model.joints[j].body1, model.joints[j].body2
    q1, q2 = quat_of(poses[i1].orientation), quat_of(poses[i2].orientation)
    A = vec3_of(poses[i1].position) + rotate(q1, vec3_of(model.joints[j].anchor1))
    B = vec3_of(poses[i2].position) + rotate(q2, vec3_of(model.joints[j].anchor2))
    a = vec3_of(model.joints[j].axis1)
    return dot(rotate(q1, a), B - A)


@inner_kernel
def coordinate_rate(model, j, row, state, work):
    """ds/dt of the free axis of joint j in ``row``; needs work.angular_velocity."""
    i1, i2 = model.joints[j].body1, model.joints[j].body2
    q1, q2 = quat_of(state.bodies[i1].orientation), quat_of(state.bodies[i2].orientation)
    w1, w2 = vec3_at(work.angular_velocity, i1), vec3_at(work.angular_velocity, i2)
    a = rotate(q1, vec3_of(model.joints[j].axis1))
    if row == ROTATION_AXIS:
        return dot(a, w2 - w1)
    r2 = rotate(q2, vec3_of(model.joints[j].anchor2))
    r1 = vec3_of(state.bodies[i2].position) + r2 - vec3_of(state.bodies[i1].position)
    v1 = vec3_of(state.bodies[i1].velocity) + cross(w1, r1)
    return dot(a, vec3_of(state.bodies[i2].velocity) + cross(w2, r2) - v1)


@inner_kernel
def rotor_energy(model, k, state, work):
    """Kinetic energy of the rotor on axis k [J]; needs work.angular_velocity."""
    a = model.axes[k].armature
    if a == 0.0:
        return 0.0
    u = coordinate_rate(model, model.axes[k].joint, model.axes[k].row, state, work)
    return 0.5 * a * u * u
