"""The impulse step, its compositions, and what happens when it does not converge.

The impulse step is RATTLE on rigid bodies with the exact free motion as drift: symmetric,
symplectic, of order two, without constraint drift (docs/algorithm.md, section 3).
"""

from __future__ import annotations

from impulse_core.accuracy import correction_energy, note_correction, note_left_open
from impulse_core.algebra import (
    set_vec3,
    vec3_of,
)
from impulse_core.assembly import close_joints
from impulse_core.fitting import resume
from impulse_core.free_motion.flow import advance, predict
from impulse_core.free_motion.kinematic import choose_intervals, drive
from impulse_core.invariants import energies, tally_start, tally_step
from impulse_core.jit import inlined_kernel, inner_kernel, kernel
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    joint_errors,
    line_beyond_a_stage,
    relative_velocities,
)
from impulse_core.joints.coupling import (
    accept_coordinates,
    coupling_errors,
    foresee_coordinates,
)
from impulse_core.loads import kick, load_power
from impulse_core.model import SOFTEST, copy_into
from impulse_core.model.tally import CLOSED, LINE
from impulse_core.solver.direct import prepare, set_compliances, solve
from impulse_core.solver.newton import prepare_newton, solve_newton

MOST_CORRECTIONS = 50  # per stage; usual are 1 to 6. Reaching it is a failure.
STALLS_ALLOWED = 3  # corrections that may fail to reduce the error before the stage gives up
VELOCITY_SOLVES = 12  # most solves of a velocity correction where joints close loops
REGULARISATION_LADDER = (1e-8, 1e-6, 1e-4, 1e-3, 1e-2)  # E / diag(A) to try at singular poses
FINEST_PART = 1024  # a step is divided into at most this many; a power of two
MOST_OF_A_STAGE = 10 * FINEST_PART  # corrections after which a step is no longer divided


@inlined_kernel
def impulse_step(model, structure, state, h, tolerance, work, tally):
    """Advance a consistent state by h; False if the joints could not be satisfied."""
    work.kinematic_work[0] = 0.0
    power = load_power(model, state, work) if len(model.loads) else 0.0
    kick(model, state, 0.5 * h)
    if not correct_joints_regularised(
        joints_alone, nothing, model, structure, state, h, tolerance, work, tally
    ):
        return False
    if not lines_turn_little(model, state, work, tally):
        return False
    advance(model, state, h, work)
    accept_coordinates(model, model.coupled, state, work)
    state.clock[0].time += h
    prepare(model, structure, state, work)
    kick(model, state, 0.5 * h)
    correct_velocities(model, structure, state, h, work, tally)
    if len(model.loads):
        # symmetric quadrature of second order, so a composition raises its order as well
        tally.totals[0].work += 0.5 * h * (power + load_power(model, state, work))
    tally.totals[0].kinematic_work += work.kinematic_work[0]
    return True


@inlined_kernel
def joints_alone(model, structure, state, h, error, joint, work):  # noqa: ARG001
    """Nothing acts along free axes: the worst error and joint, and a matrix that holds."""
    return error, joint, False


@inlined_kernel
def nothing(model, work):
    """Nothing to be added up along free axes."""


@inlined_kernel
def correct_joints_regularised(
    residual, applied, model, structure, state, h, tolerance, work, tally
):
    """The joint correction, with a softer matrix where loops are singular at t.

    Where the rank drops (a parallelogram lying flat), the diagonal of A is raised for this
    stage. The solution does not depend on the matrix that is used to iterate towards it.
    """
    attempts = 1 + len(REGULARISATION_LADDER) if structure.has_loops else 1
    if attempts > 1:
        for i in range(len(model.bodies)):
            set_vec3(work.stage[i].velocity, vec3_of(state.bodies[i].velocity))
            set_vec3(work.stage[i].angular_momentum, vec3_of(state.bodies[i].angular_momentum))
    solved = False
    for attempt in range(attempts):
        if attempt > 0:
            for i in range(len(model.bodies)):
                set_vec3(state.bodies[i].velocity, vec3_of(work.stage[i].velocity))
                set_vec3(state.bodies[i].angular_momentum, vec3_of(work.stage[i].angular_momentum))
            work.kinematic_work[0] = 0.0
            work.regularisation[0] = REGULARISATION_LADDER[attempt - 1]
            prepare(model, structure, state, work)
        solved = correct_joints(
            residual, applied, model, structure, state, h, tolerance, work, tally
        )
        if solved:
            break
    work.regularisation[0] = 0.0
    return solved


@inlined_kernel
def correct_joints(residual, applied, model, structure, state, h, tolerance, work, tally):
    """Find impulses at t that satisfy every joint at t+h (docs/algorithm.md, 12).

    predict → error d(t+h) → A(t) λ = -d/h → apply → predict again. The prediction is left in
    work. A(t) stays frozen as long as that promises to be done after two more corrections; else
    the Newton matrix is built once at the present prediction. Which matrix is used changes how
    fast, not to what, the iteration converges.

    Elements on free axes take part by two kernels: residual adds theirs to the right-hand side and
    says whether the laws along them moved to other pieces; applied adds up their impulses.
    """
    tally.failure[0].body = -1
    if len(model.joints) == 0:
        tally.failure[0].body = predict(model, state, h, work)
        return tally.failure[0].body < 0
    foresee_coordinates(model, model.coupled, state, h, work)
    warm_start(model, state, h, work)
    previous = 1e300
    stalls = 0
    newton = False
    for correction in range(MOST_CORRECTIONS):
        tally.failure[0].body = predict(model, state, h, work)
        if tally.failure[0].body >= 0 or work.stop[0]:
            break
        shift, turn, error, joint = joint_errors(model, work.next, work.error)
        slip, coupling = coupling_errors(
            model,
            model.coupled,
            work.next,
            work.terms.near,
            work.terms.next,
            work.error,
        )
        shift = max(shift, slip)
        if slip > error:
            error, joint = slip, coupling
        gap, opened = error, joint
        error, joint, moved = residual(model, structure, state, h, error, joint, work)
        if moved:  # another piece of a force law is another problem, so count anew
            newton = False
            previous = 1e300
        tally.failure[0].joint = joint
        tally.failure[0].error = error
        if error <= tolerance:
            note_left_open(model, structure, h, error, joint, tally)
            tally.totals[0].translation_error = max(tally.totals[0].translation_error, shift)
            tally.totals[0].rotation_error = max(tally.totals[0].rotation_error, turn)
            return True
        if not (error < 0.9 * previous):
            stalls += 1
            if stalls > STALLS_ALLOWED or not (error < 1e6):
                break
        if not newton and correction > 0 and error * (error / previous) ** 2 > tolerance:
            prepare_newton(model, structure, state, h, work)
            newton = True
        previous = error
        if newton:
            solve_newton(structure, work.error, -1.0 / h, work)
        else:
            solve(structure, work.error, -1.0 / h, work)
        if correction == 0 and gap > tolerance:
            energy, owner = correction_energy(model, -1.0 / h, work)
            note_correction(model, structure, h, gap, opened, energy, owner, tally)
        apply_impulses(model, work.impulse, state, work)
        applied(model, work)
        tally.totals[0].corrections += 1
    return False


@inner_kernel
def lines_turn_little(model, state, work, tally):
    """Whether no distance joint's line turns too far in this stage; else it is named as failed."""
    joint = line_beyond_a_stage(model, state, work)
    if joint >= 0:
        tally.failure[0].joint = joint
        tally.failure[0].what = LINE
    return joint < 0


@inner_kernel
def warm_start(model, state, h, work):
    """Begin with the last velocity correction's impulses, scaled to the new stage length."""
    last = state.clock[0].multiplier_step
    scale = h / last if last != 0.0 else 0.0
    for j in range(len(model.joints)):
        for row in range(6):
            work.impulse[j, row] = scale * state.joints[j].multiplier[row]
    apply_impulses(model, work.impulse, state, work)
    for k in range(len(model.axes)):
        work.axes[k].impulse = work.impulse[model.axes[k].joint, model.axes[k].row]


@inner_kernel
def correct_velocities(model, structure, state, h, work, tally):
    """Remove relative velocities along the constraint directions: A λ = -G v (docs, 13).

    Where joints close loops, weak rows amplify round-off; the solve is repeated with the same
    factor until the residual stops falling.
    """
    angular_velocities(model, state, work)
    if len(model.joints) == 0:
        return
    previous = 1e300
    for repetition in range(VELOCITY_SOLVES if structure.has_loops else 1):
        rate = relative_velocities(model, state, work, work.error)
        if repetition > 0 and not (rate < 0.5 * previous):
            break
        previous = rate
        solve(structure, work.error, -1.0, work)
        tally.totals[0].velocity_corrections += 1
        apply_impulses(model, work.impulse, state, work)
        angular_velocities(model, state, work)
        for j in range(len(model.joints)):
            for row in range(6):
                before = state.joints[j].multiplier[row] if repetition else 0.0
                state.joints[j].multiplier[row] = before + work.impulse[j, row]
    state.clock[0].multiplier_step = h


@inner_kernel
def save(state, work):
    """Keep a copy of the state."""
    copy_into(state, work.saved)


@inner_kernel
def restore(model, structure, state, work):
    """Put the saved state back, and make the workspace fit it."""
    copy_into(work.saved, state)
    resume(model, structure, state, work)


@kernel
def longest_part(done):
    """The longest part that may follow the first ``done`` of a step: the whole, a half, …"""
    part = FINEST_PART
    while done % part:
        part //= 2
    return part


@inlined_kernel
def halving_step(stage, save, restore, model, system, state, h, fractions, tolerance, work, tally):
    """One step of the method: stages of lengths γh. Where one of them does not converge, the
    whole step again in halves, quarters, …

    Always the composed step is halved, never a single stage: a composition of unequal parts
    would lose its order. False at the floor h / FINEST_PART, or where a stage fails after
    MOST_OF_A_STAGE corrections for each stage of the method, with the state before the failure.
    False also once work.stop is set; the next call then goes on where this one stopped.

    stage, save and restore are functions of a solver, and system is what it keeps beside the
    workspace; those of a solver written in Python make this one run as Python.
    """
    done = state.clock[0].progress
    state.clock[0].progress = 0
    part = longest_part(done)
    most = corrections_so_far(tally) + MOST_OF_A_STAGE * len(fractions)
    while done < FINEST_PART:
        save(state, work)
        works = (
            tally.totals[0].work,
            tally.totals[0].kinematic_work,
            tally.totals[0].motor_work,
            tally.totals[0].dissipated,
        )
        created = tally.totals[0].created
        length = h if part == FINEST_PART else h * (part / FINEST_PART)
        reached = True
        tally.failure[0].what = CLOSED
        for s in range(len(fractions)):
            if not stage(model, system, state, fractions[s] * length, tolerance, work, tally):
                reached = False
                break
        if reached:
            done += part
            part = longest_part(done)
            continue
        restore(model, system, state, work)
        (
            tally.totals[0].work,
            tally.totals[0].kinematic_work,
            tally.totals[0].motor_work,
            tally.totals[0].dissipated,
        ) = works
        tally.totals[0].created = created
        if work.stop[0]:
            state.clock[0].progress = done
            return False
        if part == 1 or corrections_so_far(tally) > most:
            tally.failure[0].begin = h * (done / FINEST_PART)
            tally.failure[0].part = length
            return False
        part //= 2
        tally.totals[0].halvings += 1
    return True


@kernel
def corrections_so_far(tally):
    """Corrections of joints and of velocities since the start."""
    return tally.totals[0].corrections + tally.totals[0].velocity_corrections


@kernel
def begin(model, structure, state, tolerance, work, tally):
    """Make the first state consistent: close the joints, then correct the velocities once.

    Returns the largest joint error before and after [m], rotations weighed by body length, and
    the joint that has it after.
    """
    drive(model, state, state.clock[0].time, work)
    before, after, joint = close_joints(model, structure, state, tolerance, work)
    prepare(model, structure, state, work)
    correct_velocities(model, structure, state, 1.0, work, tally)
    state.clock[0].multiplier_step = 0.0
    tally.totals[0].velocity_corrections = 0  # of steps only
    tally_start(model, state, work, tally)
    return before, after, joint


@kernel
def pass_keyframes(model, structure, state, h, work, tally):
    """Before a step of length h: let kinematic bodies take up the motion that holds in it.

    At a keyframe their velocity may jump, and that of the others with it. The joint correction
    would find the same motion, but an impulse does its work at the mean of both velocities, which
    is the change of the kinetic energy (docs/algorithm.md, 37). Steps end at keyframes, so this is
    only called between calls of run_steps, and only compiled for scenes with kinematic bodies.
    """
    if not choose_intervals(model, state, state.clock[0].time + 0.5 * h):
        return
    if work.fits[0] != 1.0:
        resume(model, structure, state, work)
    before, _ = energies(model, state, work)
    drive(model, state, state.clock[0].time, work)
    for k in range(len(model.axes)):
        state.axes[k].compliance = SOFTEST * model.axes[k].inverse_mass
    set_compliances(model, structure, state, work)
    prepare(model, structure, state, work)
    correct_velocities(model, structure, state, 1.0, work, tally)
    state.clock[0].multiplier_step = 0.0
    after, _ = energies(model, state, work)
    tally.totals[0].kinematic_work += after - before


@inlined_kernel
def take_steps(
    stage,
    save,
    restore,
    resume,
    model,
    system,
    state,
    h,
    count,
    grid,
    fractions,
    tolerance,
    work,
    tally,
):
    """Take count steps of length h in stages of a kind; returns how many were completed.

    stage, save, restore and system are those of halving_step.

    The first is step number grid on the grid k·h, so that its time does not depend on how the
    steps are shared out to calls; a negative grid means that state.time is right as it is.
    """
    if work.fits[0] != 1.0:
        resume(model, system, state, work)
    work.fits[0] = 1.0
    for done in range(count):
        if grid >= 0 and state.clock[0].progress == 0:
            state.clock[0].time = (grid + done) * h
        before = tally.totals[0].corrections
        velocity_before = tally.totals[0].velocity_corrections
        if not halving_step(
            stage,
            save,
            restore,
            model,
            system,
            state,
            h,
            fractions,
            tolerance,
            work,
            tally,
        ):
            return done
        totals = tally.totals[0]
        totals.most_corrections = max(totals.most_corrections, totals.corrections - before)
        more = totals.velocity_corrections - velocity_before
        totals.most_velocity_corrections = max(totals.most_velocity_corrections, more)
        tally_step(model, state, work, tally)
    return count


@kernel
def run_steps(model, structure, state, h, count, grid, fractions, tolerance, work, tally):
    """take_steps with the impulse step of bare joints."""
    return take_steps(
        impulse_step,
        save,
        restore,
        resume,
        model,
        structure,
        state,
        h,
        count,
        grid,
        fractions,
        tolerance,
        work,
        tally,
    )
