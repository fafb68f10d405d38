"""How fast all joints would open by the velocities alone: Ġ v, for the multiplier methods.

With d the joint errors and G v = ḋ, the joints stay closed if G v̇ + Ġ v = 0
(docs/algorithm.md, 22). Each constraint part states its own term; the rows are those along which
its impulses act.
"""

from __future__ import annotations

from impulse_core.algebra import ZERO3, Vec3, mat3_of, quat_of, rotate, vec3_of
from impulse_core.jit import inner_kernel
from impulse_core.joints.common_axis import common_axis_bias
from impulse_core.joints.constant_angle import constant_angle_bias
from impulse_core.joints.distance import distance_bias
from impulse_core.joints.point_line import point_line_bias
from impulse_core.joints.point_plane import point_plane_bias
from impulse_core.joints.point_point import point_point_bias
from impulse_core.joints.table import (
    COMMON_AXIS,
    DISTANCE,
    FIXED_ROTATION,
    POINT_LINE,
    POINT_POINT,
    SWING,
    TURNING,
)


@inner_kernel
def translation_bias(model, directions, j, state, w1, w2):
    """Ġ v of the translational rows of joint j [m/s²]; w1, w2: angular velocities, world frame."""
    i1 = model.joints[j].body1
    i2 = model.joints[j].body2
    v1 = vec3_of(state.bodies[i1].velocity)
    v2 = vec3_of(state.bodies[i2].velocity)
    part = model.joints[j].translation_part
    rows = mat3_of(directions.joints[j].translation_rows)
    r1 = vec3_of(directions.joints[j].arm1)
    r2 = vec3_of(directions.joints[j].arm2)
    if part == POINT_POINT:
        # the arms end midway between A and B; these end at A and B
        rA = rotate(quat_of(state.bodies[i1].orientation), vec3_of(model.joints[j].anchor1))
        rB = rotate(quat_of(state.bodies[i2].orientation), vec3_of(model.joints[j].anchor2))
        return point_point_bias(v1, w1, rA, v2, w2, rB)
    if part == DISTANCE:
        span = vec3_of(state.bodies[i2].position) + r2 - vec3_of(state.bodies[i1].position) - r1
        return distance_bias(v1, w1, r1, v2, w2, r2, span)
    n = Vec3(rows.xx, rows.xy, rows.xz)
    if part == POINT_LINE:
        c = Vec3(rows.yx, rows.yy, rows.yz)
        bias = point_line_bias(n, c, v1, w1, r1, v2, w2, r2)
        if not model.joints[j].has_translation_axis:
            return bias
        a = Vec3(rows.zx, rows.zy, rows.zz)  # carried by body 1, as the normal of a plane is
        return Vec3(bias.x, bias.y, point_plane_bias(a, v1, w1, r1, v2, w2, r2).x)
    return point_plane_bias(n, v1, w1, r1, v2, w2, r2)


@inner_kernel
def rotation_bias(model, directions, j, state, w1, w2):
    """Ġ v of the rotational rows of joint j [rad/s²]."""
    part = model.joints[j].rotation_part
    if part in (FIXED_ROTATION, TURNING, SWING):  # of the last two nothing is held
        return ZERO3
    if part == COMMON_AXIS:
        rows = mat3_of(directions.joints[j].rotation_rows)
        b = Vec3(rows.xx, rows.xy, rows.xz)
        c = Vec3(rows.yx, rows.yy, rows.yz)
        return common_axis_bias(b, c, w1, w2)
    axis = vec3_of(model.joints[j].axis1)
    a1 = rotate(quat_of(state.bodies[model.joints[j].body1].orientation), axis)
    a2 = rotate(
        quat_of(state.bodies[model.joints[j].body2].orientation), vec3_of(model.joints[j].axis2)
    )
    return constant_angle_bias(a1, a2, w1, w2)
