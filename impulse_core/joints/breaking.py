"""Joints that break under too large a reaction, and how they leave the model."""

from __future__ import annotations

import math

from impulse_core.algebra import Mat3, norm, set_mat3, vec3_of
from impulse_core.jit import inner_kernel, kernel
from impulse_core.joints.coupling import release_couplings
from impulse_core.joints.table import NO_MOTOR, NO_PART

_NO_ROWS = Mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def break_joints(model, state, work, tally):
    """Take joints out that carry more than they can; returns whether any broke.

    Needs the reactions in work.
    """
    broken = False
    for j in range(len(model.joints)):
        if model.joints[j].break_force == math.inf and model.joints[j].break_torque == math.inf:
            continue
        F, T = vec3_of(work.reactions[j].force), vec3_of(work.reactions[j].torque)
        if norm(F) > model.joints[j].break_force or norm(T) > model.joints[j].break_torque:
            _take_out(model, state, work, tally, j)
            count = tally.broken[0]
            tally.broken_joint[count] = j
            tally.broken_load[count, 0] = state.time[0]
            tally.broken_load[count, 1] = norm(F)
            tally.broken_load[count, 2] = norm(T)
            tally.broken[0] = count + 1
            broken = True
    return broken


@inner_kernel
def _take_out(model, state, work, tally, j):
    """Turn joint j into one without rows; what its springs hold is lost."""
    model.joints[j].translation_part = NO_PART
    model.joints[j].rotation_part = NO_PART
    model.joints[j].break_force = math.inf
    model.joints[j].break_torque = math.inf
    for directions in (work.now, work.then):
        set_mat3(directions.joints[j].translation_rows, _NO_ROWS)
        set_mat3(directions.joints[j].rotation_rows, _NO_ROWS)
    for row in range(6):
        state.multiplier[j, row] = 0.0
        work.error[j, row] = 0.0
        work.impulse[j, row] = 0.0
        work.compliance[j, row] = 1.0
    release_couplings(model, model.coupled, work, j)
    for k in range(len(model.axes)):
        if model.axes[k].joint == j:
            stretch = state.axis_position[k] - model.axes[k].rest
            tally.dissipated[0] += 0.5 * model.axes[k].stiffness * stretch * stretch
            model.axes[k].stiffness = 0.0
            model.axes[k].damping = 0.0
            model.axes[k].friction = 0.0
            model.axes[k].lower = -math.inf
            model.axes[k].upper = math.inf
            model.axes[k].motor_kind = NO_MOTOR
