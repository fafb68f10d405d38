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

from impulse_core.algebra import (
    mat3_at,
    norm,
    put_vec3,
    quat_of,
    set_quat,
    set_vec3,
    vec3_at,
    vec3_of,
)
from impulse_core.forces.loads import kick, load_power
from impulse_core.free_motion.flow import advance, predict, turned, turns_too_far
from impulse_core.jit import inlined_kernel, inner_kernel, kernel
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    joint_error,
    joint_errors,
    velocity_along,
)
from impulse_core.joints.table import NO_PART
from impulse_core.methods.joint_rounds import (
    REFUSED,
    SATISFIED,
    SPENT,
    UNLIMITED,
    Bounds,
    in_turn,
    prepare_joints,
)
from impulse_core.model.copies import copy_into
from impulse_core.model.status import COMPLETED, LINE, OPEN, STOPPED, TOO_FAR
from impulse_core.observables.invariants import tally_step
from impulse_core.step.dividing import halving_step, note_most
from impulse_core.step.first_guess import begin_with
from impulse_core.step.fitting import clear
from impulse_core.step.positions import lines_turn_little
from impulse_core.step.run import save

__all__ = ["run_steps_in_turn"]

LARGEST_PULL = 0.05  # of the scene's size: most of an error that one impulse of a budget removes
POSITION_SHARE = 0.5  # of a budget; velocities get the rest and what positions leave
_EPSILON = 2.0**-52
_ROUND_OFFS = 32.0  # of the fastest joint point, below which no relative velocity can be brought


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
    kick(model, state, 0.5 * h, work)
    status = _correct_joints(model, sweeps, state, h, tolerance, work, tally)
    if status != COMPLETED:
        return status
    # where the budget has run out, parts of the step would need more of it
    if not sweeps.cut[0] and not lines_turn_little(model, state, work, tally):
        return LINE
    advance(model, state, h, work)
    state.clock[0].time += h
    prepare_joints(model, sweeps, state, work)
    kick(model, state, 0.5 * h, work)
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
    prepare_joints(model, sweeps, state, work)
    angular_velocities(model, state, work)


@inner_kernel
def _correct_joints(model, sweeps, state, h, tolerance, work, tally):
    """Find impulses at t that satisfy every joint at t+h (docs, 12): COMPLETED, or why not.

    The prediction is left in work, the sum of each joint's impulses in work.impulse. Where the
    budget ends the iteration the best so far is taken.
    """
    tally.failure[0].body = _begin_stage(model, sweeps, state, h, tolerance, work)
    if tally.failure[0].body >= 0:
        return TOO_FAR
    most = min(int(POSITION_SHARE * sweeps.spare[0]), sweeps.left[0])
    pull = LARGEST_PULL * model.size if sweeps.limit[0] < UNLIMITED else 1e300
    bounds = Bounds(h, tolerance, pull, 1e6, most)
    ended, made, rounds = in_turn(
        _position_error, _push_positions, model, sweeps, state, bounds, work, tally
    )
    tally.totals[0].corrections += rounds
    if ended == REFUSED:
        return TOO_FAR
    tally.totals[0].impulses += made
    _spend(sweeps, made)
    shift, turn, error, joint = joint_errors(model, work.next, work.error)
    satisfied = ended == SATISFIED or error <= tolerance
    if not satisfied and (made < most or not (error < 1e6)):
        tally.failure[0].joint = joint
        tally.failure[0].error = error
        return OPEN
    if not satisfied:
        sweeps.cut[0] = 1
    if sweeps.rough[0] or not satisfied:
        sweeps.rough[0] = 1
        _swap_halves(sweeps, work)
    sweeps.step_error[0] = max(sweeps.step_error[0], error)
    tally.totals[0].translation_error = max(tally.totals[0].translation_error, shift)
    tally.totals[0].rotation_error = max(tally.totals[0].rotation_error, turn)
    return COMPLETED


@inner_kernel
def _swap_halves(sweeps, work):
    """Let the impulses of this half and those kept of the first change places."""
    for j in range(len(sweeps.half_impulse)):
        for row in range(6):
            total = work.impulse[j, row]
            work.impulse[j, row] = sweeps.half_impulse[j, row]
            sweeps.half_impulse[j, row] = total


@inner_kernel
def _position_error(model, state, j, work):  # noqa: ARG001 - what in_turn asks for
    """Error of joint j at the prediction: of translation, of rotation, and their size [m]."""
    T, R = joint_error(model, j, work.next)
    return T, R, _size(model, j, T, R)


@inner_kernel
def _size(model, j, T, R):
    """Of the two parts of an error, in metres: rotations are weighed by body_length."""
    size = norm(T)
    if model.joints[j].rotation_part != NO_PART:
        size = max(size, norm(R) * model.joints[j].body_length)
    return size


@inner_kernel
def _push_positions(model, sweeps, state, i, impulse, torque, h, work):  # noqa: ARG001 - as above
    """Change momenta of body i and its prediction after h; False where it would turn too far."""
    v = vec3_of(state.bodies[i].velocity) + impulse * model.bodies[i].inverse_mass
    L = vec3_of(state.bodies[i].angular_momentum) + torque
    if turns_too_far(model, L, i, h, work):
        return False
    set_vec3(state.bodies[i].velocity, v)
    set_vec3(state.bodies[i].angular_momentum, L)
    half_gravity = vec3_at(model.gravity.reshape(1, 3), 0) * (0.5 * h * h)
    C = vec3_of(state.bodies[i].position)
    set_vec3(work.next[i].position, C + h * v + half_gravity)
    q = turned(model, quat_of(state.bodies[i].orientation), L, i, h, work.series)
    set_quat(work.next[i].orientation, q)
    return True


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
    slowest = max(tolerance, _ROUND_OFFS * _EPSILON * _fastest_point(model, state, work))
    most = min(int(sweeps.spare[0]), sweeps.left[0])
    bounds = Bounds(1.0, slowest, 1e300, 1e300, most)
    ended, made, rounds = in_turn(
        _velocity_error, _push_velocities, model, sweeps, state, bounds, work, tally
    )
    tally.totals[0].velocity_corrections += rounds
    if ended == SPENT:
        sweeps.cut[0] = 1
    tally.totals[0].impulses += made
    _spend(sweeps, made)
    for j in range(len(model.joints)):
        for row in range(6):
            p = work.impulse[j, row]
            if sweeps.rough[0]:  # what closes a gap is in both halves, with opposite signs
                p = 0.5 * (p + sweeps.half_impulse[j, row])
            state.joints[j].multiplier[row] = p
    state.clock[0].multiplier_step = h
    angular_velocities(model, state, work)


@inner_kernel
def _velocity_error(model, state, j, work):
    """Relative velocities along joint j: of translation, of rotation, and their size [m/s]."""
    T, R = velocity_along(model, j, state, work)
    return T, R, _size(model, j, T, R)


@inner_kernel
def _push_velocities(model, sweeps, state, i, impulse, torque, h, work):  # noqa: ARG001 - as above
    """Change momenta and angular velocity of body i; always True."""
    v = vec3_of(state.bodies[i].velocity) + impulse * model.bodies[i].inverse_mass
    w = vec3_at(work.angular_velocity, i) + mat3_at(sweeps.inverse_inertia, i) @ torque
    L = vec3_of(state.bodies[i].angular_momentum) + torque
    set_vec3(state.bodies[i].velocity, v)
    set_vec3(state.bodies[i].angular_momentum, L)
    put_vec3(work.angular_velocity, i, w)
    return True


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
