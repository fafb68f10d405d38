"""Joints that break: what they transmit, and how they leave the model.

The velocity correction at the end of a stage gives half a stage's impulse μ along each row, so

    F = 2 G_Fᵀ μ / h,   T = 2 G_Tᵀ μ / h                                     (docs/algorithm.md, 35)

act on body 2 at its joint point, of second order at the end of the stage.
"""

from __future__ import annotations

import math

from impulse_core.algebra import ZERO3, Mat3, Vec3, mat3_at, norm, put_mat3, transposed_times
from impulse_core.jit import inner_kernel, kernel
from impulse_core.joints.coupling import release_couplings
from impulse_core.joints.table import NO_MOTOR, NO_PART

_NO_ROWS = Mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inner_kernel
def joint_reaction(model, state, work, j):
    """Force [N] and torque [N m] of joint j on body 2 at its joint point, world frame."""
    h = state.multiplier_step[0]
    force, torque = ZERO3, ZERO3
    if h == 0.0:
        return force, torque
    scale = 2.0 / h
    impulse = state.multiplier
    if model.translation_part[j] != NO_PART:
        p = scale * Vec3(impulse[j, 0], impulse[j, 1], impulse[j, 2])
        force = transposed_times(mat3_at(work.now.translation_rows, j), p)
    if model.rotation_part[j] != NO_PART:
        p = scale * Vec3(impulse[j, 3], impulse[j, 4], impulse[j, 5])
        torque = transposed_times(mat3_at(work.now.rotation_rows, j), p)
    return force, torque


@kernel
def joint_reactions(model, state, work, reactions):
    """Reactions of all joints into reactions (m, 6): force [N], torque [N m] on body 2."""
    for j in range(len(model.body1)):
        F, T = joint_reaction(model, state, work, j)
        reactions[j, 0], reactions[j, 1], reactions[j, 2] = F.x, F.y, F.z
        reactions[j, 3], reactions[j, 4], reactions[j, 5] = T.x, T.y, T.z


@inner_kernel
def break_joints(model, state, work, tally):
    """Take joints out that carry more than they can; returns whether any broke."""
    broken = False
    for j in range(len(model.body1)):
        if model.break_force[j] == math.inf and model.break_torque[j] == math.inf:
            continue
        F, T = joint_reaction(model, state, work, j)
        if norm(F) > model.break_force[j] or norm(T) > model.break_torque[j]:
            _take_out(model, state, work, j)
            count = tally.broken[0]
            tally.broken_joint[count] = j
            tally.broken_load[count, 0] = state.time[0]
            tally.broken_load[count, 1] = norm(F)
            tally.broken_load[count, 2] = norm(T)
            tally.broken[0] = count + 1
            broken = True
    return broken


@inner_kernel
def _take_out(model, state, work, j):
    model.translation_part[j] = NO_PART
    model.rotation_part[j] = NO_PART
    model.break_force[j] = math.inf
    model.break_torque[j] = math.inf
    for directions in (work.now, work.then):
        put_mat3(directions.translation_rows, j, _NO_ROWS)
        put_mat3(directions.rotation_rows, j, _NO_ROWS)
    for row in range(6):
        state.multiplier[j, row] = 0.0
        work.error[j, row] = 0.0
        work.impulse[j, row] = 0.0
        work.compliance[j, row] = 1.0
    release_couplings(model, work, j)
    for k in range(len(model.axis_joint)):
        if model.axis_joint[k] == j:
            model.axis_stiffness[k] = 0.0
            model.axis_damping[k] = 0.0
            model.axis_friction[k] = 0.0
            model.axis_lower[k] = -math.inf
            model.axis_upper[k] = math.inf
            model.motor_kind[k] = NO_MOTOR
