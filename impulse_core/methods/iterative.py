"""Iterative solver: one joint after another until all hold (BFS05 section 4.2).

The two bodies of a joint are predicted, its error d at t+h is removed by an impulse with the
joint's own 6×6 matrix, and the next joint follows:

    (G_j M⁻¹ G_jᵀ) λ_j = -d_j(t+h)/h,   then  (G_j M⁻¹ G_jᵀ) μ_j = -G_j v   (docs/algorithm.md, 31)

This is the nonlinear Gauss-Seidel method. Joints are visited in their order and back again, so
the result is the same on every machine, and a joint is looked at again only after a body of it has
moved. Impulses start from those of the stage before. No matrix of the whole mechanism is built, so
the iteration may stop anywhere: a budget ends it, and the next step corrects what was left. Each
half of a stage makes one round at least, without which the error grows from step to step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.algebra import (
    ZERO3,
    Mat3,
    cross,
    inverse_symmetric,
    mat3_at,
    mat3_of,
    norm,
    put_mat3,
    put_vec3,
    quat_of,
    rotate,
    rotation_matrix,
    set_quat,
    set_vec3,
    similarity,
    times_transposed,
    transposed_times,
    vec3_at,
    vec3_of,
)
from impulse_core.forces.loads import kick, load_power
from impulse_core.free_motion.flow import advance, predict, turned, turns_too_far
from impulse_core.jit import inlined_kernel, inner_kernel, kernel
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    joint_directions,
    joint_errors,
    rotation_error,
    translation_error,
)
from impulse_core.joints.table import NO_PART
from impulse_core.model import Model, Structure
from impulse_core.model.copies import copy_into
from impulse_core.model.status import COMPLETED, LINE, OPEN, STOPPED, TOO_FAR
from impulse_core.observables.invariants import tally_step
from impulse_core.solver.direct import moment_rows, transposed
from impulse_core.step.dividing import halving_step, note_most
from impulse_core.step.fitting import clear
from impulse_core.step.positions import begin_with, lines_turn_little
from impulse_core.step.run import save
from impulse_core.types import Floats, Ints, by_address

__all__ = ["UNLIMITED", "Sweeps", "new_sweeps", "run_steps_in_turn"]

UNLIMITED = 2**62  # corrections
MOST_SWEEPS = 20_000  # per half of a stage. Reaching it in positions is a failure.
SWEEPS_TO_GAIN = 32  # in as many sweeps the worst error must fall, or they are given up
LEAST_GAIN = 0.999  # to this fraction
LARGEST_PULL = 0.05  # of the scene's size: most of an error that one impulse of a budget removes
POSITION_SHARE = 0.5  # of a budget; velocities get the rest and what positions leave
_EPSILON = 2.0**-52
_ROUND_OFFS = 32.0  # of the fastest joint point, below which no relative velocity can be brought


@by_address
class Sweeps(NamedTuple):
    """What the iterative solver keeps beside the workspace."""

    padding: Floats
    """1 in rows that only fill a part up to three, 0 in constraint rows, shape (m, 6)."""
    translation_inverse: Floats
    """Inverse of each joint's A over its translational rows, shape (m, 9)."""
    coupling: Floats
    """That inverse times A of translational by rotational rows, shape (m, 9)."""
    rotation_inverse: Floats
    """Inverse of the Schur complement over the rotational rows, shape (m, 9)."""
    inverse_inertia: Floats
    """J⁻¹ of each body in world axes [1/(kg m²)], shape (b, 9)."""
    half_impulse: Floats
    """Sum of the impulses of the first half of a stage, where joints are open, shape (m, 6)."""
    rough: Ints
    """1 while joints are open beyond the tolerance, shape (1,)."""
    moved: Ints
    """Number of the last correction that moved each body, shape (b,)."""
    looked: Ints
    """Number of the last correction each joint has seen, shape (m,)."""
    limit: Ints
    """Most corrections of a step, shape (1,)."""
    left: Ints
    """How many of them are left, shape (1,)."""
    path: Floats
    """Σ |γ| h of the step [s], by which stages share the limit, shape (1,)."""
    spare: Floats
    """Corrections the present stage may make after its first round, shape (1,)."""
    cut: Ints
    """1 where the limit ended a correction of this step, shape (1,)."""
    step_error: Floats
    """Largest joint error after a stage of this step [m], shape (1,)."""


def new_sweeps(model: Model, structure: Structure) -> Sweeps:
    """Scratch arrays that fit the model, without a limit."""
    rows, joints = len(model.bodies), len(model.joints)
    return Sweeps(
        padding=structure.joints["padding"].copy(),
        translation_inverse=np.zeros((joints, 9)),
        coupling=np.zeros((joints, 9)),
        rotation_inverse=np.zeros((joints, 9)),
        inverse_inertia=np.zeros((rows, 9)),
        half_impulse=np.zeros((joints, 6)),
        rough=np.zeros(1, dtype=np.int64),
        moved=np.zeros(rows, dtype=np.int64),
        looked=np.zeros(joints, dtype=np.int64),
        limit=np.full(1, UNLIMITED, dtype=np.int64),
        left=np.zeros(1, dtype=np.int64),
        path=np.zeros(1),
        spare=np.zeros(1),
        cut=np.zeros(1, dtype=np.int64),
        step_error=np.zeros(1),
    )


@kernel
def run_steps_in_turn(model, sweeps, state, plan, work, tally):
    """Take the steps of a plan; returns how many were completed."""
    if work.fits[0] != 1.0:
        _resume(model, sweeps, state, work)
    work.fits[0] = 1.0
    path = 0.0
    for s in range(len(plan.fractions)):
        path += abs(plan.fractions[s] * plan.length)
    for done in range(plan.steps):
        if plan.grid >= 0 and state.clock[0].progress == 0:
            state.clock[0].time = (plan.grid + done) * plan.length
        totals = tally.totals[0]
        corrections, impulses = totals.corrections, totals.impulses
        velocity_corrections = totals.velocity_corrections
        sweeps.left[0] = sweeps.limit[0]
        sweeps.path[0] = path
        sweeps.spare[0] = 0.0
        sweeps.cut[0] = 0
        sweeps.step_error[0] = 0.0
        if not halving_step(_impulse_step, save, _restore, model, sweeps, state, plan, work, tally):
            return done
        note_most(totals, corrections, velocity_corrections)
        totals.most_impulses = max(totals.most_impulses, totals.impulses - impulses)
        totals.cut_steps += sweeps.cut[0]
        totals.step_error_sum += sweeps.step_error[0]
        totals.largest_step_error = max(totals.largest_step_error, sweeps.step_error[0])
        tally_step(model, state, work, tally)
    return plan.steps


@inlined_kernel
def _impulse_step(model, sweeps, state, h, tolerance, work, tally):
    """Advance a state by h: COMPLETED, or why not."""
    power = load_power(model, state, work) if len(model.loads) else 0.0
    sweeps.spare[0] += sweeps.limit[0] * abs(h) / sweeps.path[0]
    kick(model, state, 0.5 * h)
    status = _correct_joints(model, sweeps, state, h, tolerance, work, tally)
    if status != COMPLETED:
        return status
    if not lines_turn_little(model, state, work, tally):
        return LINE
    advance(model, state, h, work)
    state.clock[0].time += h
    _prepare(model, sweeps, state, work)
    kick(model, state, 0.5 * h)
    _correct_velocities(model, sweeps, state, h, tolerance, work, tally)
    if len(model.loads):
        tally.totals[0].work += 0.5 * h * (power + load_power(model, state, work))
    return STOPPED if work.stop[0] else COMPLETED


@inner_kernel
def _restore(model, sweeps, state, work):
    """Put the saved state back, and make the workspace fit it."""
    copy_into(work.saved, state)
    _resume(model, sweeps, state, work)


@inner_kernel
def _resume(model, sweeps, state, work):
    """Make the workspace fit the state."""
    clear(model, state, work)
    _prepare(model, sweeps, state, work)
    angular_velocities(model, state, work)


@inner_kernel
def _prepare(model, sweeps, state, work):
    """Directions, inertia in world axes, and the inverse of every joint's matrix."""
    joint_directions(model, state.bodies, work.now)
    for i in range(model.dynamic):
        R = rotation_matrix(quat_of(state.bodies[i].orientation))
        put_mat3(sweeps.inverse_inertia, i, similarity(R, vec3_of(model.bodies[i].inverse_inertia)))
    zero = Mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(model.dynamic, len(model.bodies)):
        put_mat3(sweeps.inverse_inertia, i, zero)
    E = sweeps.padding
    for j in range(len(model.joints)):
        P = (
            mat3_of(work.now.joints[j].translation_rows)
            if model.joints[j].translation_part != NO_PART
            else zero
        )
        Q = (
            mat3_of(work.now.joints[j].rotation_rows)
            if model.joints[j].rotation_part != NO_PART
            else zero
        )
        T = Mat3(E[j, 0], 0.0, 0.0, 0.0, E[j, 1], 0.0, 0.0, 0.0, E[j, 2])
        C = zero
        R = Mat3(E[j, 3], 0.0, 0.0, 0.0, E[j, 4], 0.0, 0.0, 0.0, E[j, 5])
        for side in range(2):
            i = model.joints[j].body2 if side else model.joints[j].body1
            J = mat3_at(sweeps.inverse_inertia, i)
            W = moment_rows(
                vec3_of(work.now.joints[j].arm2 if side else work.now.joints[j].arm1), P
            )
            WJ = W @ J
            T = T + times_transposed(P, P) * model.bodies[i].inverse_mass + times_transposed(WJ, W)
            C = C + times_transposed(WJ, Q)
            R = R + times_transposed(Q @ J, Q)
        inverse = inverse_symmetric(T)
        coupling = inverse @ C
        put_mat3(sweeps.translation_inverse, j, inverse)
        put_mat3(sweeps.coupling, j, coupling)
        put_mat3(sweeps.rotation_inverse, j, inverse_symmetric(R - transposed(C) @ coupling))


@kernel
def _solve_joint(sweeps, j, T, R):
    """Both parts of λ with A_j λ = (T, R), by the Schur complement of the rotational rows."""
    coupling = mat3_at(sweeps.coupling, j)
    r = mat3_at(sweeps.rotation_inverse, j) @ (R - transposed_times(coupling, T))
    return mat3_at(sweeps.translation_inverse, j) @ T - coupling @ r, r


@inner_kernel
def _look_again(model, sweeps):
    """Forget what joints have seen."""
    for i in range(len(model.bodies)):
        sweeps.moved[i] = 1 if i < model.dynamic else 0
    for j in range(len(model.joints)):
        sweeps.looked[j] = 0


@inner_kernel
def _correct_joints(model, sweeps, state, h, tolerance, work, tally):
    """Find impulses at t that satisfy every joint at t+h (docs, 12): COMPLETED, or why not.

    The prediction is left in work, the sum of each joint's impulses in work.impulse. Where the
    budget ends the iteration the best so far is taken.
    """
    tally.failure[0].body = _begin_stage(model, sweeps, state, h, tolerance, work)
    if tally.failure[0].body >= 0:
        return TOO_FAR
    joints = len(model.joints)
    most = min(int(POSITION_SHARE * sweeps.spare[0]), sweeps.left[0])
    half_gravity = vec3_at(model.gravity.reshape(1, 3), 0) * (0.5 * h * h)
    _look_again(model, sweeps)
    reach = LARGEST_PULL * model.size if sweeps.limit[0] < UNLIMITED else 1e300
    made = 0
    previous = 1e300
    satisfied = False
    for sweep in range(MOST_SWEEPS):
        worst = 0.0
        for visit in range(joints):
            j = joints - 1 - visit if sweep % 2 else visit
            i1 = model.joints[j].body1
            i2 = model.joints[j].body2
            if sweeps.looked[j] >= max(sweeps.moved[i1], sweeps.moved[i2]):
                continue
            sweeps.looked[j] = made + 1
            q1 = quat_of(work.next[i1].orientation)
            q2 = quat_of(work.next[i2].orientation)
            T, R = ZERO3, ZERO3
            size = 0.0
            if model.joints[j].translation_part != NO_PART:
                A = vec3_of(work.next[i1].position) + rotate(q1, vec3_of(model.joints[j].anchor1))
                B = vec3_of(work.next[i2].position) + rotate(q2, vec3_of(model.joints[j].anchor2))
                T = translation_error(model, j, q1, A, B)
                size = norm(T)
            if model.joints[j].rotation_part != NO_PART:
                R = rotation_error(model, j, q1, q2)
                size = max(size, norm(R) * model.joints[j].body_length)
            if size <= tolerance:
                continue
            if not (size <= worst):
                worst = size
            if made >= most and sweep > 0:
                break
            share = min(1.0, reach / size) / -h
            p, l = _solve_joint(sweeps, j, share * T, share * R)
            _add(work.impulse, j, p, l)
            p = transposed_times(mat3_of(work.now.joints[j].translation_rows), p)
            l = transposed_times(mat3_of(work.now.joints[j].rotation_rows), l)
            made += 1
            for side in range(2):
                i = i2 if side else i1
                if i >= model.dynamic:
                    continue
                sign = 1.0 if side else -1.0
                arm = vec3_of(work.now.joints[j].arm2 if side else work.now.joints[j].arm1)
                v = vec3_of(state.bodies[i].velocity) + p * (sign * model.bodies[i].inverse_mass)
                L = vec3_of(state.bodies[i].angular_momentum) + sign * (cross(arm, p) + l)
                if turns_too_far(model, L, i, h, work):
                    tally.failure[0].joint, tally.failure[0].error = j, size
                    tally.failure[0].body = i
                    return TOO_FAR
                set_vec3(state.bodies[i].velocity, v)
                set_vec3(state.bodies[i].angular_momentum, L)
                C = vec3_of(state.bodies[i].position)
                set_vec3(work.next[i].position, C + h * v + half_gravity)
                q = turned(model, quat_of(state.bodies[i].orientation), L, i, h, work.series)
                set_quat(work.next[i].orientation, q)
                sweeps.moved[i] = made + 1
        if worst == 0.0:
            satisfied = True
            break
        if made >= most or not (worst < 1e6) or work.stop[0]:
            break
        tally.totals[0].corrections += 1
        if sweep % SWEEPS_TO_GAIN == 0:
            if not (worst < LEAST_GAIN * previous):
                break
            previous = worst
    tally.totals[0].impulses += made
    _spend(sweeps, made)
    shift, turn, error, joint = joint_errors(model, work.next, work.error)
    satisfied = satisfied or error <= tolerance
    if not satisfied and (made < most or not (error < 1e6)):
        tally.failure[0].joint = joint
        tally.failure[0].error = error
        return OPEN
    if not satisfied:
        sweeps.cut[0] = 1
    if sweeps.rough[0] or not satisfied:
        sweeps.rough[0] = 1
        for j in range(joints):
            for row in range(6):
                total = work.impulse[j, row]
                work.impulse[j, row] = sweeps.half_impulse[j, row]
                sweeps.half_impulse[j, row] = total
    sweeps.step_error[0] = max(sweeps.step_error[0], error)
    tally.totals[0].translation_error = max(tally.totals[0].translation_error, shift)
    tally.totals[0].rotation_error = max(tally.totals[0].rotation_error, turn)
    return COMPLETED


@inner_kernel
def _begin_stage(model, sweeps, state, h, tolerance, work):
    """Begin with the impulses of the stage before, and predict.

    Where a budget left joints open, these impulses may be so far from what is needed that they
    only feed the next error, and the energy would grow without bound. There they are used if they
    halve the error that bodies would reach without them.

    Returns -1, or a body that would turn too far for that.
    """
    for j in range(len(model.joints)):
        for row in range(6):
            work.impulse[j, row] = 0.0
    sweeps.rough[0] = 0
    alone = 0.0
    if sweeps.limit[0] < UNLIMITED:
        _, _, error, _ = joint_errors(model, state.bodies, work.error)
        if not (error <= tolerance):
            sweeps.rough[0] = 1
            for i in range(model.dynamic):
                set_vec3(work.stage[i].velocity, vec3_of(state.bodies[i].velocity))
                set_vec3(work.stage[i].angular_momentum, vec3_of(state.bodies[i].angular_momentum))
            alone, _ = _predicted_error(model, state, h, work)
    last = state.clock[0].multiplier_step
    scale = h / last if last != 0.0 else 0.0
    begin_with(model, state, state.joints.multiplier, scale, work)
    error, failed = _predicted_error(model, state, h, work)
    if sweeps.rough[0] and not (error < alone):
        for i in range(model.dynamic):
            set_vec3(state.bodies[i].velocity, vec3_of(work.stage[i].velocity))
            set_vec3(state.bodies[i].angular_momentum, vec3_of(work.stage[i].angular_momentum))
        for j in range(len(model.joints)):
            for row in range(6):
                work.impulse[j, row] = 0.0
        failed = predict(model, state, h, work)
    for j in range(len(model.joints)):
        for row in range(6):
            sweeps.half_impulse[j, row] = work.impulse[j, row]
    return failed


@inner_kernel
def _predicted_error(model, state, h, work):
    """Largest error at the prediction [m], and -1 or the body that would turn too far for one."""
    failed = predict(model, state, h, work)
    _, _, error, _ = joint_errors(model, work.next, work.error)
    return 1e300 if failed >= 0 else error, failed


@kernel
def _add(impulse, j, p, l):
    impulse[j, 0] += p.x
    impulse[j, 1] += p.y
    impulse[j, 2] += p.z
    impulse[j, 3] += l.x
    impulse[j, 4] += l.y
    impulse[j, 5] += l.z


@kernel
def _spend(sweeps, made):
    sweeps.left[0] -= made
    sweeps.spare[0] -= made


@inner_kernel
def _correct_velocities(model, sweeps, state, h, tolerance, work, tally):
    """Remove relative velocities along the constraint directions (docs, 13).

    Begins with the impulses of the stage's first half, which differ from those of the second by
    O(h). What a redundant joint cannot remove, or the budget does not reach, stays.
    """
    apply_impulses(model, work.impulse, state, work)
    angular_velocities(model, state, work)
    joints = len(model.joints)
    slowest = max(tolerance, _ROUND_OFFS * _EPSILON * _fastest_point(model, state, work))
    most = min(int(sweeps.spare[0]), sweeps.left[0])
    _look_again(model, sweeps)
    made = 0
    previous = 1e300
    for sweep in range(MOST_SWEEPS):
        worst = 0.0
        for visit in range(joints):
            j = joints - 1 - visit if sweep % 2 else visit
            i1 = model.joints[j].body1
            i2 = model.joints[j].body2
            if sweeps.looked[j] >= max(sweeps.moved[i1], sweeps.moved[i2]):
                continue
            sweeps.looked[j] = made + 1
            w1 = vec3_at(work.angular_velocity, i1)
            w2 = vec3_at(work.angular_velocity, i2)
            T, R = ZERO3, ZERO3
            size = 0.0
            if model.joints[j].translation_part != NO_PART:
                v1 = vec3_of(state.bodies[i1].velocity) + cross(
                    w1, vec3_of(work.now.joints[j].arm1)
                )
                v2 = vec3_of(state.bodies[i2].velocity) + cross(
                    w2, vec3_of(work.now.joints[j].arm2)
                )
                T = mat3_of(work.now.joints[j].translation_rows) @ (v2 - v1)
                size = norm(T)
            if model.joints[j].rotation_part != NO_PART:
                R = mat3_of(work.now.joints[j].rotation_rows) @ (w2 - w1)
                size = max(size, norm(R) * model.joints[j].body_length)
            if size <= slowest:
                continue
            if not (size <= worst):
                worst = size
            if made >= most and sweep > 0:
                break
            p, l = _solve_joint(sweeps, j, -T, -R)
            _add(work.impulse, j, p, l)
            p = transposed_times(mat3_of(work.now.joints[j].translation_rows), p)
            l = transposed_times(mat3_of(work.now.joints[j].rotation_rows), l)
            made += 1
            for side in range(2):
                i = i2 if side else i1
                if i >= model.dynamic:
                    continue
                sign = 1.0 if side else -1.0
                arm = vec3_of(work.now.joints[j].arm2 if side else work.now.joints[j].arm1)
                change = sign * (cross(arm, p) + l)
                v = vec3_of(state.bodies[i].velocity) + p * (sign * model.bodies[i].inverse_mass)
                w = vec3_at(work.angular_velocity, i) + mat3_at(sweeps.inverse_inertia, i) @ change
                set_vec3(state.bodies[i].velocity, v)
                set_vec3(
                    state.bodies[i].angular_momentum,
                    vec3_of(state.bodies[i].angular_momentum) + change,
                )
                put_vec3(work.angular_velocity, i, w)
                sweeps.moved[i] = made + 1
        if worst == 0.0 or work.stop[0]:
            break
        if made >= most:
            sweeps.cut[0] = 1
            break
        tally.totals[0].velocity_corrections += 1
        if sweep % SWEEPS_TO_GAIN == 0:
            if not (worst < LEAST_GAIN * previous):
                break
            previous = worst
    tally.totals[0].impulses += made
    _spend(sweeps, made)
    for j in range(joints):
        for row in range(6):
            p = work.impulse[j, row]
            if sweeps.rough[0]:  # what closes a gap is in both halves, with opposite signs
                p = 0.5 * (p + sweeps.half_impulse[j, row])
            state.joints[j].multiplier[row] = p
    state.clock[0].multiplier_step = h
    angular_velocities(model, state, work)


@inner_kernel
def _fastest_point(model, state, work):
    """Largest speed among bodies and joint points [m/s]; needs the angular velocities."""
    fastest = 0.0
    for j in range(len(model.joints)):
        for side in range(2):
            i = model.joints[j].body2 if side else model.joints[j].body1
            arm = vec3_of(work.now.joints[j].arm2 if side else work.now.joints[j].arm1)
            w = vec3_at(work.angular_velocity, i)
            fastest = max(fastest, norm(vec3_of(state.bodies[i].velocity)))
            fastest = max(fastest, norm(w) * max(norm(arm), model.joints[j].body_length))
    return fastest
