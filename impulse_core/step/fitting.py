"""Makes the workspace fit a state that was replaced."""

from __future__ import annotations

from impulse_core.algebra import (
    NO_ROWS,
    ZERO3,
    put_vec3,
    quat_of,
    set_mat3,
    set_quat,
    set_vec3,
    vec3_of,
)
from impulse_core.free_motion.kinematic import resume_kinematic
from impulse_core.jit import inner_kernel
from impulse_core.joints.constraints import angular_velocities
from impulse_core.solver.direct import prepare, set_compliances

__all__ = ["clear", "resume"]


@inner_kernel
def resume(model, structure, state, work):
    """Make directions, factor and angular velocities those of the state, whatever work holds."""
    clear(model, state, work)
    set_compliances(model, structure, state, work)
    prepare(model, structure, state, work)
    angular_velocities(model, state, work)
    resume_kinematic(model, state, work)


@inner_kernel
def clear(model, state, work):
    """Set what no step writes, but many read: the world, and rows that a joint does not have."""
    for i in range(len(model.bodies)):
        set_vec3(work.next[i].position, vec3_of(state.bodies[i].position))
        set_quat(work.next[i].orientation, quat_of(state.bodies[i].orientation))
        put_vec3(work.angular_velocity, i, ZERO3)
    for j in range(len(model.joints)):
        work.resting[j] = 0
        for directions in (work.now, work.then):
            set_vec3(directions.joints[j].arm1, ZERO3)
            set_vec3(directions.joints[j].arm2, ZERO3)
            set_mat3(directions.joints[j].translation_rows, NO_ROWS)
            set_mat3(directions.joints[j].rotation_rows, NO_ROWS)
        for row in range(6):
            work.error[j, row] = 0.0
            work.impulse[j, row] = 0.0
    work.regularisation[0] = 0.0
    work.kinematic_work[0] = 0.0
