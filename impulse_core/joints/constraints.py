"""All joints at once: errors at a pose, directions at a pose, impulses, relative velocities.

Conventions (docs/algorithm.md, section 4): the error d is what body 1 must do; the rows are
G = (-nᵀ, -(r1×n)ᵀ | nᵀ, (r2×n)ᵀ) for translations and (0, -nᵀ | 0, nᵀ) for rotations, so G v is
the rate of d, and multipliers λ change the momenta by Gᵀλ: minus on body 1, plus on body 2.
"""

from __future__ import annotations

from impulse_core.algebra import (
    IDENTITY3,
    ZERO3,
    Mat3,
    Vec3,
    cross,
    dot,
    mat3_of,
    norm,
    put_vec3,
    quat_of,
    rotate,
    rotate_back,
    set_mat3,
    set_vec3,
    transposed_times,
    vec3_at,
    vec3_of,
)
from impulse_core.jit import inlined_kernel, inner_kernel, kernel
from impulse_core.joints.common_axis import common_axis_error, common_axis_rows
from impulse_core.joints.constant_angle import (
    angle_rows,
    constant_angle_error,
    constant_angle_rows,
)
from impulse_core.joints.coupling import (
    apply_coupling_impulses,
    coupling_directions,
    coupling_velocities,
)
from impulse_core.joints.distance import distance_error, distance_rows
from impulse_core.joints.fixed_rotation import fixed_rotation_error
from impulse_core.joints.length import length_direction
from impulse_core.joints.point_line import point_line_error, point_line_rows
from impulse_core.joints.point_plane import point_plane_error, point_plane_rows
from impulse_core.joints.point_point import point_point_error, point_point_rows
from impulse_core.joints.swing import swing_rows
from impulse_core.joints.table import (
    COMMON_AXIS,
    COUPLING,
    DISTANCE,
    FIXED_ROTATION,
    LENGTH,
    NO_PART,
    OFFSET,
    POINT_LINE,
    POINT_PLANE,
    POINT_POINT,
    SWING,
    TURNING,
)
from impulse_core.joints.turning import turning_rows

ZERO_ROWS = Mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def _axis(joint, q):
    """Joint axis a of body 1 in the world."""
    return rotate(q, vec3_of(joint.axis1))


@kernel
def _across(joint, q):
    """Unit vectors b and c across the joint axis, fixed in body 1, in the world."""
    return rotate(q, vec3_of(joint.across_b)), rotate(q, vec3_of(joint.across_c))


@inner_kernel
def translation_error(model, j, q1, A, B):
    part = model.joints[j].translation_part
    if part == POINT_POINT:
        return point_point_error(A, B)
    if part == DISTANCE:
        return distance_error(A, B, model.joints[j].length)
    if part == POINT_LINE:
        b, c = _across(model.joints[j], q1)
        return point_line_error(A, B, b, c)
    if part == POINT_PLANE:
        return point_plane_error(A, B, _axis(model.joints[j], q1))
    return ZERO3


@inner_kernel
def translation_rows(model, j, q1, A, B):
    part = model.joints[j].translation_part
    if part == POINT_POINT:
        return point_point_rows(A, B)
    if part == DISTANCE:
        return distance_rows(A, B)
    if part == POINT_LINE:
        b, c = _across(model.joints[j], q1)
        return point_line_rows(B, b, c)
    if part == POINT_PLANE:
        return point_plane_rows(B, _axis(model.joints[j], q1))
    if part == OFFSET:
        return IDENTITY3, A, B
    return ZERO_ROWS, A, B


@inner_kernel
def _translation_axis(model, j, q1, A, B):
    """Direction of the translational axis row."""
    if model.joints[j].translation_part == LENGTH:
        return length_direction(A, B)
    if model.joints[j].translation_part == OFFSET:
        return Vec3(0.0, 0.0, 1.0)
    return _axis(model.joints[j], q1)


@kernel
def _with_axis(rows, a):
    """Constraint rows with the axis a as third row."""
    return Mat3(rows.xx, rows.xy, rows.xz, rows.yx, rows.yy, rows.yz, a.x, a.y, a.z)


@inner_kernel
def rotation_error(model, j, q1, q2):
    part = model.joints[j].rotation_part
    if part == FIXED_ROTATION:
        return fixed_rotation_error(q1, q2, quat_of(model.joints[j].relative_orientation))
    a1 = _axis(model.joints[j], q1)
    a2 = rotate(q2, vec3_of(model.joints[j].axis2))
    if part == COMMON_AXIS:
        b, c = _across(model.joints[j], q1)
        return common_axis_error(b, c, a1, a2)
    if part in (TURNING, SWING):
        return ZERO3
    return constant_angle_error(a1, a2, model.joints[j].angle)


@inner_kernel
def _rotation_rows(model, j, q1, q2):
    """Directions of the rotational rows; of free axes too, in the last rows, if there are any."""
    axes = model.joints[j].rotation_axes > 0
    part = model.joints[j].rotation_part
    if part == FIXED_ROTATION:
        return IDENTITY3
    if part == COMMON_AXIS:
        b, c = _across(model.joints[j], q1)
        rows = common_axis_rows(b, c)
        return _with_axis(rows, _axis(model.joints[j], q1)) if axes else rows
    if part == TURNING:
        return turning_rows(model, j, q1, q2)
    a1, a2 = _axis(model.joints[j], q1), rotate(q2, vec3_of(model.joints[j].axis2))
    if part == SWING:
        return swing_rows(a1, a2, rotate(q1, vec3_of(model.joints[j].across_b)))
    rows = constant_angle_rows(a1, a2)
    if not axes:
        return rows
    m1, m2 = angle_rows(a1, a2)
    return Mat3(rows.xx, rows.xy, rows.xz, m2.x, m2.y, m2.z, m1.x, m1.y, m1.z)


@inner_kernel
def joint_errors(model, poses, error):
    """Errors of all joints but couplings at these poses, written to error (m, 6).

    Returns the largest translational error [m], the largest rotational error [rad], and the
    largest of all in metres (rotations weighed by body_length) with its joint. A NaN anywhere
    makes that largest error infinite.
    """
    worst_translation = 0.0
    worst_rotation = 0.0
    worst = 0.0
    worst_joint = -1
    for j in range(len(model.joints)):
        if model.joints[j].translation_part == COUPLING:
            continue
        T, R = joint_error(model, j, poses)
        size = 0.0
        if model.joints[j].translation_part != NO_PART:
            error[j, 0], error[j, 1], error[j, 2] = T.x, T.y, T.z
            size = norm(T)
            worst_translation = max(worst_translation, size)
        if model.joints[j].rotation_part != NO_PART:
            error[j, 3], error[j, 4], error[j, 5] = R.x, R.y, R.z
            turn = norm(R)
            worst_rotation = max(worst_rotation, turn)
            size = max(size, turn * model.joints[j].body_length)
        if not (size <= worst):  # also true for NaN
            worst = size if size == size else 1e300
            worst_joint = j
    return worst_translation, worst_rotation, worst, worst_joint


@inner_kernel
def joint_error(model, j, poses):
    """Both parts of the error of joint j at these poses; zero where it has no such part."""
    joint = model.joints[j]
    q1 = quat_of(poses[joint.body1].orientation)
    T, R = ZERO3, ZERO3
    if joint.translation_part != NO_PART:
        A, B = joint_points(model, j, poses)
        T = translation_error(model, j, q1, A, B)
    if joint.rotation_part != NO_PART:
        R = rotation_error(model, j, q1, quat_of(poses[joint.body2].orientation))
    return T, R


@inner_kernel
def joint_directions(model, poses, directions):
    """Arms and row directions of all joints at these poses, into directions."""
    coupling_directions(model, model.coupled, poses, directions)
    for j in range(len(model.joints)):
        if model.joints[j].translation_part == COUPLING:
            continue
        i1 = model.joints[j].body1
        i2 = model.joints[j].body2
        q1 = quat_of(poses[i1].orientation)
        q2 = quat_of(poses[i2].orientation)
        if model.joints[j].translation_part != NO_PART:
            C1 = vec3_of(poses[i1].position)
            C2 = vec3_of(poses[i2].position)
            A = C1 + rotate(q1, vec3_of(model.joints[j].anchor1))
            B = C2 + rotate(q2, vec3_of(model.joints[j].anchor2))
            rows, x1, x2 = translation_rows(model, j, q1, A, B)
            if model.joints[j].has_translation_axis:
                rows = _with_axis(rows, _translation_axis(model, j, q1, A, B))
            set_mat3(directions.joints[j].translation_rows, rows)
            set_vec3(directions.joints[j].arm1, x1 - C1)
            set_vec3(directions.joints[j].arm2, x2 - C2)
        if model.joints[j].rotation_part != NO_PART:
            set_mat3(directions.joints[j].rotation_rows, _rotation_rows(model, j, q1, q2))


@inner_kernel
def joint_points(model, j, poses):
    """Points A of body 1 and B of body 2 in the world."""
    i1 = model.joints[j].body1
    i2 = model.joints[j].body2
    r1 = rotate(quat_of(poses[i1].orientation), vec3_of(model.joints[j].anchor1))
    r2 = rotate(quat_of(poses[i2].orientation), vec3_of(model.joints[j].anchor2))
    return vec3_of(poses[i1].position) + r1, vec3_of(poses[i2].position) + r2


@inner_kernel
def apply_impulses(model, impulse, state, work):
    """Change the momenta by Gᵀλ with the directions in work; impulse is λ, shape (m, 6).

    What kinematic bodies do in this, λ times their own rate along the row, is added to
    work.kinematic_work (docs/algorithm.md, 37); needs their velocities in state and work.
    """
    world = len(model.bodies) - 1
    work_done = 0.0
    for j in range(len(model.joints)):
        i1 = model.joints[j].body1
        i2 = model.joints[j].body2
        L1 = vec3_of(state.bodies[i1].angular_momentum)
        L2 = vec3_of(state.bodies[i2].angular_momentum)
        if model.joints[j].translation_part != NO_PART:
            p = Vec3(impulse[j, 0], impulse[j, 1], impulse[j, 2])
            P = transposed_times(mat3_of(work.now.joints[j].translation_rows), p)
            v1 = vec3_of(state.bodies[i1].velocity) - P * model.bodies[i1].inverse_mass
            v2 = vec3_of(state.bodies[i2].velocity) + P * model.bodies[i2].inverse_mass
            set_vec3(state.bodies[i1].velocity, v1)
            set_vec3(state.bodies[i2].velocity, v2)
            L1 = L1 - cross(vec3_of(work.now.joints[j].arm1), P)
            L2 = L2 + cross(vec3_of(work.now.joints[j].arm2), P)
            if model.dynamic <= i1 < world:
                work_done += dot(
                    P, _point_velocity(state, work, i1, vec3_of(work.now.joints[j].arm1))
                )
            if model.dynamic <= i2 < world:
                work_done -= dot(
                    P, _point_velocity(state, work, i2, vec3_of(work.now.joints[j].arm2))
                )
        if model.joints[j].rotation_part != NO_PART:
            p = Vec3(impulse[j, 3], impulse[j, 4], impulse[j, 5])
            P = transposed_times(mat3_of(work.now.joints[j].rotation_rows), p)
            L1 = L1 - P
            L2 = L2 + P
            if model.dynamic <= i1 < world:
                work_done += dot(P, vec3_at(work.angular_velocity, i1))
            if model.dynamic <= i2 < world:
                work_done -= dot(P, vec3_at(work.angular_velocity, i2))
        set_vec3(state.bodies[i1].angular_momentum, L1)
        set_vec3(state.bodies[i2].angular_momentum, L2)
    work_done += apply_coupling_impulses(model, model.coupled, impulse, state, work)
    for i in range(model.dynamic, len(model.bodies)):
        set_vec3(state.bodies[i].angular_momentum, ZERO3)
    work.kinematic_work[0] += work_done


@inner_kernel
def _point_velocity(state, work, i, arm):
    """Velocity of the point of body i at ``arm`` from its centre."""
    return vec3_of(state.bodies[i].velocity) + cross(vec3_at(work.angular_velocity, i), arm)


@inner_kernel
def angular_velocities(model, state, work):
    """ω = R J⁻¹ Rᵀ L of every dynamic body, into work.angular_velocity (world frame)."""
    for i in range(model.dynamic):
        angular_velocity(model, state, i, work)


@inlined_kernel
def angular_velocity(model, state, i, work):
    """The same of one body."""
    q = quat_of(state.bodies[i].orientation)
    L = rotate_back(q, vec3_of(state.bodies[i].angular_momentum))
    w = Vec3(
        L.x * model.bodies[i].inverse_inertia[0],
        L.y * model.bodies[i].inverse_inertia[1],
        L.z * model.bodies[i].inverse_inertia[2],
    )
    put_vec3(work.angular_velocity, i, rotate(q, w))


@inner_kernel
def relative_velocities(model, state, work, rate):
    """G v of all joints with the directions and angular velocities in work, into rate (m, 6).

    Returns the largest rate along a constraint row that is not loose [m/s], rotations weighed by
    body_length.
    """
    fastest = 0.0
    for j in range(len(model.joints)):
        T, R = velocity_along(model, j, state, work)
        loose = state.joints[j].loose
        if model.joints[j].translation_part != NO_PART:
            rate[j, 0], rate[j, 1], rate[j, 2] = T.x, T.y, T.z
            if model.joints[j].translation_part == OFFSET:
                T = ZERO3
            elif model.joints[j].has_translation_axis:
                T = Vec3(T.x, T.y, 0.0)
            fastest = max(fastest, norm(held_part(T, loose)))
        if model.joints[j].rotation_part != NO_PART:
            rate[j, 3], rate[j, 4], rate[j, 5] = R.x, R.y, R.z
            axes = model.joints[j].rotation_axes
            if axes > 0:
                R = Vec3(R.x if axes < 3 else 0.0, R.y if axes < 2 else 0.0, 0.0)
            turning = norm(held_part(R, loose >> 3))
            fastest = max(fastest, turning * model.joints[j].body_length)
    return max(fastest, coupling_velocities(model, model.coupled, state, work, rate))


@inner_kernel
def held_part(error, loose):
    """Three rows of an error, zero where ``loose`` has a bit."""
    return Vec3(
        0.0 if loose & 1 else error.x,
        0.0 if loose & 2 else error.y,
        0.0 if loose & 4 else error.z,
    )


@inner_kernel
def velocity_along(model, j, state, work):
    """Both parts of G v of joint j with the directions and angular velocities in work; zero where
    it has no such part.
    """
    joint, now = model.joints[j], work.now.joints[j]
    i1, i2 = joint.body1, joint.body2
    w1, w2 = vec3_at(work.angular_velocity, i1), vec3_at(work.angular_velocity, i2)
    T, R = ZERO3, ZERO3
    if joint.translation_part != NO_PART:
        v1 = vec3_of(state.bodies[i1].velocity) + cross(w1, vec3_of(now.arm1))
        v2 = vec3_of(state.bodies[i2].velocity) + cross(w2, vec3_of(now.arm2))
        T = mat3_of(now.translation_rows) @ (v2 - v1)
    if joint.rotation_part != NO_PART:
        R = mat3_of(now.rotation_rows) @ (w2 - w1)
    return T, R
