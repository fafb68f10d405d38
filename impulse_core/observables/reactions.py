"""What joints transmit: reaction forces and torques at a state.

With the forces f along the free axes given, the joints stay closed if their accelerations do:

    A λ = -Ġ v - G M⁻¹ (Q + G_aᵀ f),   F = G_Fᵀ λ + a_F f,   T = G_Tᵀ λ + a_T f
                                                                             (docs/algorithm.md, 35)

where rotors along the axes have rows of A with E = 1/a, and λ is what they give. F and T act on
body 2 at its joint point. They are as accurate as the state, whatever the length of
a step and the tolerance; the impulses of a step would be wrong by its length, and noisy by the
tolerance over its square. f is the mean over the last stage, and so is what contacts have in Q,
since limits, sticking, stiff servos and contacts have no force at a moment. Where joints repeat
each other, only their sum is determined.
"""

from __future__ import annotations

from impulse_core.algebra import (
    ZERO3,
    Vec3,
    mat3_of,
    set_vec3,
    transposed_times,
    vec3_at,
    vec3_of,
)
from impulse_core.forces.axes import rotor_compliance
from impulse_core.forces.loads import factors_at
from impulse_core.free_motion.kinematic import drive, resume_kinematic
from impulse_core.jit import inlined_kernel, kernel
from impulse_core.joints.constraints import angular_velocities, apply_impulses
from impulse_core.joints.table import COUPLING, NO_PART, ROTATION_AXIS
from impulse_core.model.copies import copy_poses, halt
from impulse_core.observables.accelerations import (
    angular_accelerations,
    apply_loads,
    joint_accelerations,
)
from impulse_core.solver.direct import factorise, prepare, set_compliances, solve

_SIDE = 1e-4  # s to either side of a state, for the accelerations of kinematic bodies


@kernel
def find_reactions(model, structure, state, contact_loads, work):
    """Reactions of all joints at a state, into work.reactions.

    contact_loads: what contacts do to each body, forces [N] and torques [N m], shape (b, 6).

    Leaves directions and factor of that state in work, and its compliances as they were.
    """
    set_compliances(model, structure, state, work)
    prepare(model, structure, state, work)
    rate = work.saved  # which means nothing between two steps
    for k in range(len(model.loads)):
        rate.loads[k].active = state.loads[k].active
    copy_poses(state.bodies, rate.bodies)
    halt(rate.bodies)
    for i in range(len(model.bodies)):
        set_vec3(work.next[i].position, ZERO3)
        set_vec3(work.stage[i].velocity, ZERO3)
    angular_velocities(model, state, work)
    t = state.clock[0].time
    factors_at(model, model.timed, state, t, t - _SIDE, work)
    apply_loads(model, rate, work)
    _add_loads(model, contact_loads, rate)
    if len(state.kinematic):
        _kinematic_accelerations(model, state, rate, work)
    for j in range(len(model.joints)):
        for row in range(6):
            work.impulse[j, row] = 0.0
    for k in range(len(model.axes)):
        work.impulse[model.axes[k].joint, model.axes[k].row] = state.axes[k].force
    apply_impulses(model, work.impulse, rate, work)
    angular_accelerations(model, state, rate, work)
    joint_accelerations(model, state, rate, work)
    _solve_constraints(model, structure, state, work)
    for k in range(len(model.axes)):
        j, row = model.axes[k].joint, model.axes[k].row
        of_rotor = work.impulse[j, row] if model.axes[k].armature > 0.0 else 0.0
        work.impulse[j, row] = state.axes[k].force + of_rotor
    for j in range(len(model.joints)):
        F, T = ZERO3, ZERO3
        p = work.impulse
        if (
            model.joints[j].translation_part != NO_PART
            and model.joints[j].translation_part != COUPLING
        ):
            rows = mat3_of(work.now.joints[j].translation_rows)
            F = transposed_times(rows, Vec3(p[j, 0], p[j, 1], p[j, 2]))
        if model.joints[j].rotation_part != NO_PART:
            rows = mat3_of(work.now.joints[j].rotation_rows)
            T = transposed_times(rows, Vec3(p[j, 3], p[j, 4], p[j, 5]))
        set_vec3(work.reactions[j].force, F)
        set_vec3(work.reactions[j].torque, T)
    for j in range(len(model.joints)):
        owner = model.joints[j].owner
        if owner != j:
            T = vec3_of(work.reactions[owner].torque) + vec3_of(work.reactions[j].torque)
            set_vec3(work.reactions[owner].torque, T)
    for c in range(len(model.couplings.joint)):
        _add_coupling(model, c, work)


@inlined_kernel
def _add_loads(model, loads, rate):
    """Add forces and torques about the centres (b, 6) to what bodies have in ``apply_loads``."""
    for i in range(model.dynamic):
        a = Vec3(loads[i, 0], loads[i, 1], loads[i, 2]) * model.bodies[i].inverse_mass
        set_vec3(rate.bodies[i].velocity, vec3_of(rate.bodies[i].velocity) + a)
        T = Vec3(loads[i, 3], loads[i, 4], loads[i, 5])
        set_vec3(rate.bodies[i].angular_momentum, vec3_of(rate.bodies[i].angular_momentum) + T)


@inlined_kernel
def _add_coupling(model, c, work):
    """What coupling c transmits acts along the axes of its terms, as a motor there would."""
    couplings = model.couplings
    for k in range(couplings.first_term[c], couplings.first_term[c + 1]):
        j = couplings.terms[k].joint
        size = couplings.terms[k].coefficient * work.impulse[couplings.joint[c], 0]
        push = size * vec3_of(work.now.terms[k].axis)
        if couplings.terms[k].row == ROTATION_AXIS:
            set_vec3(work.reactions[j].torque, vec3_of(work.reactions[j].torque) + push)
        else:
            set_vec3(work.reactions[j].force, vec3_of(work.reactions[j].force) + push)


@inlined_kernel
def _kinematic_accelerations(model, state, rate, work):
    """Accelerations of kinematic bodies into rate, angular ones into work.next.position."""
    for k in range(len(state.kinematic)):
        rate.kinematic[k].interval = state.kinematic[k].interval
    for side in (-1.0, 1.0):
        drive(model, rate, state.clock[0].time + side * _SIDE, work)
        for i in range(model.dynamic, len(model.bodies) - 1):
            share = 0.5 * side / _SIDE
            a = vec3_of(work.stage[i].velocity) + vec3_of(rate.bodies[i].velocity) * share
            set_vec3(work.stage[i].velocity, a)
            w = vec3_at(work.angular_velocity, i) * share
            set_vec3(work.next[i].position, vec3_of(work.next[i].position) + w)
    for i in range(model.dynamic, len(model.bodies) - 1):
        set_vec3(rate.bodies[i].velocity, vec3_of(work.stage[i].velocity))
    resume_kinematic(model, state, work)


@inlined_kernel
def _solve_constraints(model, structure, state, work):
    """A λ = -work.error of the constraint rows and rotors alone, with other axes free."""
    if len(model.axes):
        for k in range(len(model.axes)):
            j, row = model.axes[k].joint, model.axes[k].row
            work.compliance[j, row] = rotor_compliance(model, k)
            if model.axes[k].armature == 0.0:
                work.error[j, row] = 0.0
        factorise(model, structure, state, work)
    solve(structure, work.error, -1.0, work)
    if len(model.axes):
        set_compliances(model, structure, state, work)
        factorise(model, structure, state, work)
