"""Position-level solve: the impulses at t that satisfy every law at t+h (docs/algorithm.md, 12).

    predict → error d(t+h) → A(t) λ = -d/h → apply → predict again

A(t) stays frozen as long as that promises to be done after two more corrections; else the Newton
matrix is built once at the present prediction. Which matrix is used changes how fast, not to what,
the iteration converges. Laws along free axes are rows of the same system, on the piece that is
active at the prediction; contacts are solved for after the joints, whose reactions follow.
"""

from __future__ import annotations

from impulse_core.algebra import vec3_of
from impulse_core.forces.axes import (
    OTHER_MATRIX,
    SAME,
    axis_errors,
    give_of_axes,
    less_give,
    predict_axes,
)
from impulse_core.free_motion.flow import turns_too_far
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel
from impulse_core.joints.constraints import angular_velocities, joint_errors
from impulse_core.joints.coupling import coupling_errors, foresee_coordinates
from impulse_core.joints.far_turns import turned_beyond_a_stage
from impulse_core.model.status import (
    COMPLETED,
    CONTRADICTS,
    LAW,
    LINE,
    NO_ROOM,
    OPEN,
    STOPPED,
    THROWN,
    TOO_FAR,
    UNSETTLED,
)
from impulse_core.observables.invariants import most_pushing
from impulse_core.solver.direct import factorise, factorise_if_stale
from impulse_core.solver.loose import (
    LARGEST_CONTRADICTION,
    any_loose,
    error_of_loose_rows,
    errors_of_held_rows,
    let_go,
    take_again,
)
from impulse_core.solver.newton import prepare_newton
from impulse_core.step.accuracy import leaves_too_much, note_correction
from impulse_core.step.contacts import (
    begin_contacts,
    check_positions,
    correct_contacts,
)
from impulse_core.step.corrections import correct_joints, leave_at_rest
from impulse_core.step.descent import PLAIN_ITERATIONS, descend
from impulse_core.step.dividing import MOST_OF_AN_ATTEMPT
from impulse_core.step.first_guess import begin_again, begin_guessed, keep_start, take_back
from impulse_core.step.judgement import name_unsettled
from impulse_core.step.small_islands import predict_and_settle
from impulse_core.step.velocities import JOINT_RATE, THOROUGHLY

__all__ = ["lines_turn_little", "solve_positions"]

MOST_CORRECTIONS = 50  # per stage; usual are 1 to 6. Reaching it is a failure.
STALLS_ALLOWED = 3  # corrections that may fail to reduce the error before the stage gives up
REGULARISATION_LADDER = (1e-8, 1e-6, 1e-4, 1e-3, 1e-2)  # E / diag(A) to try at singular poses
_LINEARISED = 1e-3  # part of the tolerance to which the linearised laws are met
_OF_THE_WAY = 0.25  # to and fro, what may be left of it without a correction
_MOST_OPEN = 0.1  # of the scene's size, by which joints are open that a guess does not mislead
_ASTRAY = 1e3  # scene's sizes by which joints are open where no descent leads back
_MISLED = -1  # by first guesses: a status of this file
_SLACK = 1e-4  # of a compliance, which changes how fast the iteration converges alone


@deferred_kernel("int64")
def solve_positions(model, structure, axes, contact, state, h, tolerance, work, tally):
    """COMPLETED with the prediction in work, or why there is none.

    Where the rank of A drops (a parallelogram lying flat), its diagonal is raised for this stage.
    The solution does not depend on the matrix that is used to iterate towards it. Where there is
    none with any, rows that nearly repeat others are let go.
    """
    attempts = 1 + len(REGULARISATION_LADDER) if structure.has_loops else 1
    keep_start(model, state, work)
    status = OPEN
    for attempt in range(attempts):
        if attempt > 0:
            begin_again(model, structure, contact, state, REGULARISATION_LADDER[attempt - 1], work)
        status = _solve(model, structure, axes, contact, state, h, tolerance, work, tally)
        if status in (COMPLETED, NO_ROOM, STOPPED, LINE, UNSETTLED):
            break
    if status == OPEN and structure.has_loops:
        begin_again(model, structure, contact, state, 0.0, work)
        if let_go(model, structure, state, work):
            factorise(model, structure, state, work)
            status = _solve(model, structure, axes, contact, state, h, tolerance, work, tally)
    if status == TOO_FAR and structure.has_loops:
        status = _too_far_by(model, structure, h, work, tally)
    work.regularisation[0] = 0.0
    if status == COMPLETED and structure.has_loops and any_loose(state):
        factorise_if_stale(model, structure, state, work)
        take_again(structure, state, work)
    return status


@inner_kernel
def _solve(model, structure, axes, contact, state, h, tolerance, work, tally):
    """The same with one matrix, from first guesses unless they mislead."""
    status = _iterate(model, structure, axes, contact, state, h, tolerance, True, work, tally)
    if status == _MISLED:
        take_back(model, contact, state, work)
        status = _iterate(model, structure, axes, contact, state, h, tolerance, False, work, tally)
    return status


@inner_kernel
def _begin(model, contact, state, h, guessed, work):
    """Begin with first guesses, or with none; False if there is no room for contacts."""
    foresee_coordinates(model, model.coupled, state, h, work)
    begin_guessed(model, contact, state, h, guessed, work)
    return begin_contacts(contact, model, state, True, work)


@inner_kernel
def _iterate(model, structure, axes, contact, state, h, tolerance, guessed, work, tally):
    """The same from first guesses, or from none; _MISLED by guesses that lead nowhere."""
    failure, totals = tally.failure[0], tally.totals[0]
    if not _begin(model, contact, state, h, guessed, work):
        return NO_ROOM
    give, most = give_of_axes(structure, contact), totals.corrections + MOST_OF_AN_ATTEMPT
    previous, before, stalls, newton = 1e300, 1e300, 0, False
    descended, descents, rounds = False, 0, 0
    enough = _enough_of_a_guess(model, contact, state, h, tolerance, work)
    for correction in range(MOST_CORRECTIONS):
        first, drops = correction == 0, correction == 0 and guessed and not structure.has_loops
        failure.body = predict_and_settle(contact, model, state, h, first, work, tally)
        if work.stop[0]:
            return STOPPED
        if failure.body >= 0:
            return _MISLED if drops else TOO_FAR
        shift, turn, gap, opened = _closing_errors(model, structure, state, work)
        error, failure.joint, moved, astray, less = _law_errors(
            model, axes, contact, state, h, give, first, previous, tolerance, gap, opened, work
        )
        newton, give = newton and not moved and less == give, less
        if drops and not (error <= _MOST_OPEN * model.size):
            return _MISLED
        failure.error = error
        if astray >= 0:
            failure.joint = astray
            return LINE
        violation, kept = check_positions(contact, model, state, h, rounds, work, tally)
        if kept and error <= (enough if first else _well(tolerance, error < 0.5 * previous, work)):
            state.clock[0].corrected = 0 if first else 2 if state.clock[0].corrected == 1 else 1
            return _accept(model, structure, contact, state, h, shift, turn, violation, work, tally)
        previous = 1e300 if moved else previous  # another piece of a law is another problem
        if not (error < 0.9 * previous) and not (error <= tolerance):
            stalls += 1
            if stalls > STALLS_ALLOWED or not (error < 1e6):
                break
        # where an axis carries far more than its two bodies, its give is soft: the law stalls
        sure = correction >= PLAIN_ITERATIONS or (stalls > 0 and work.worst_axis[0] >= 0)
        if not newton and correction > 0 and _converges_slowly(error, previous, tolerance):
            prepare_newton(model, structure, state, h, work)
            newton = True
        previous = error
        if axes is not None and sure:
            descended = _descends_now(moved, descended, work)
            if descended:
                if totals.corrections >= most or _goes_astray(model, error, before, descents):
                    break
                rounds = rounds if descents else 1  # of contacts: anew, in turns with descents
                anew = gap > tolerance or descents == 0
                descents, before = descents + 1, error
                totals.corrections += _descend(model, structure, state, h, tolerance, anew, work)
                continue
        new = first or moved or not work.factored[0]
        correct_joints(model, structure, state, -1.0 / h, newton, work)
        if first and gap > tolerance and work.worst_axis[0] < 0:  # no limit is hit
            note_correction(model, structure, h, gap, opened, work, tally)
        correct_contacts(contact, model, structure, state, h, new, False, work, tally)
        totals.corrections += 1
        rounds += 1
    return _what_is_left(axes, contact, tolerance, work, tally)


@inlined_kernel
def _goes_astray(model, error, before, descents):
    """Whether descents lead away from the laws: what they leave [m] is far more than the scene is
    large, and more than before the last one, so that the linear problem tells nothing here.
    """
    return descents > 0 and error > _ASTRAY * model.size and not (error < before)


@inlined_kernel
def _well(tolerance, falls, work):
    """What a correction may leave [m]: the tolerance; at rest less, as long as errors fall."""
    return THOROUGHLY * JOINT_RATE * tolerance if work.still[0] and falls else tolerance


@inlined_kernel
def _enough_of_a_guess(model, contact, state, h, tolerance, work):
    """What the impulses of the last stage may leave without a correction [m]: less than the
    tolerance where jointed bodies move to and fro, faster than any moves on, and too far to nap,
    and at rest where none touch.

    A first half that pushes a machine at rest by δ too much is followed by a second one that takes
    δ back, and by a stage that begins with the latter. Nothing in a symmetric method dampens that,
    so it would go on for ever below the tolerance, and no machine would come to rest. Once it is
    corrected both halves agree.
    """
    if contact is None:
        if not work.still[0]:
            return tolerance
        enough = _OF_THE_WAY * JOINT_RATE * tolerance
        return THOROUGHLY * enough if state.clock[0].corrected == 1 else enough
    sleep, fastest, strayed = contact.sleep, 0.0, 0.0
    for j in range(len(model.joints)):
        for i in (model.joints[j].body1, model.joints[j].body2):
            if not sleep.asleep[i]:
                fastest = max(fastest, sleep.speed[i])
                strayed = max(strayed, sleep.strayed[i])
    if strayed <= h * max(fastest, contact.fine):
        return tolerance
    return min(tolerance, _OF_THE_WAY * strayed)


@inner_kernel
def _what_is_left(axes, contact, tolerance, work, tally):
    """What of a half is not met: OPEN, LAW, or UNSETTLED where joints and axes are met and contacts
    are not, the worst of which is named.
    """
    if tally.failure[0].error <= tolerance:
        name_unsettled(contact, tally)
        return UNSETTLED
    return LAW if axes is not None and work.worst_axis[0] >= 0 else OPEN


@inner_kernel
def _too_far_by(model, structure, h, work, tally):
    """THROWN where the body would not turn too far without the joints, and what pushes it most is a
    joint of a loop, which is named; else TOO_FAR.
    """
    failure = tally.failure[0]
    if turns_too_far(
        model, vec3_of(work.stage[failure.body].angular_momentum), failure.body, h, work
    ):
        return TOO_FAR
    failure.joint = most_pushing(model, work.impulse, failure.body)
    if failure.joint < 0 or not _in_a_loop(structure, failure.joint):
        return TOO_FAR
    return THROWN


@inner_kernel
def _in_a_loop(structure, joint):
    node = structure.joints[joint].translation_node
    if node < 0:
        node = structure.joints[joint].rotation_node
    return node >= 0 and structure.pivot_floor[node, 0] > 0.0


@inner_kernel
def _accept(model, structure, contact, state, h, shift, turn, violation, work, tally):
    """COMPLETED with these errors (translational, rotational, of contacts), UNSETTLED or
    CONTRADICTS.
    """
    totals = tally.totals[0]
    if leaves_too_much(contact, violation, h, 1.0):
        name_unsettled(contact, tally)
        return UNSETTLED
    totals.violation = max(totals.violation, violation)
    if structure.has_loops and not _contradictions_are_small(model, state, work, tally):
        return CONTRADICTS
    totals.translation_error = max(totals.translation_error, shift)
    totals.rotation_error = max(totals.rotation_error, turn)
    return COMPLETED


@inner_kernel
def _descends_now(moved, descended, work):
    """Whether a descent comes next: in turns with plain corrections, unless a law that is not met
    asks for another piece. Where all are met, joints are open by round-off, which another descent
    would not mend.
    """
    if work.worst_axis[0] >= 0:
        return moved or not descended
    return moved and not descended


@inner_kernel
def _descend(model, structure, state, h, tolerance, anew, work):
    """Meet the laws as they would be if coordinates changed as they do in the matrix, with contacts
    as they are; the next prediction tells by how much that was wrong. Returns the number of steps.
    """
    for k in range(len(model.axes)):
        work.axes[k].at = work.axes[k].next
    angular_velocities(model, state, work)
    return descend(model, structure, state, h, _LINEARISED * tolerance, anew, False, work)


@inner_kernel
def _converges_slowly(error, previous, tolerance):
    """Whether two more corrections, each as good as the last, leave more than the tolerance."""
    return error > tolerance and previous > 0.0 and error * (error / previous) ** 2 > tolerance


@inner_kernel
def _contradictions_are_small(model, state, work, tally):
    """Whether the error that loose rows are left with is small; else its joint has failed."""
    error, joint = error_of_loose_rows(model, work.error, state)
    totals, failure = tally.totals[0], tally.failure[0]
    if error > totals.contradiction:
        totals.contradiction, totals.contradicting = error, joint
    if error <= LARGEST_CONTRADICTION * model.size:
        return True
    failure.joint, failure.error = joint, error
    return False


@inner_kernel
def _closing_errors(model, structure, state, work):
    """Errors of joints and couplings at the prediction, into work.error: the largest translational
    [m] and rotational one [rad], the largest of all that are held [m], and its joint.
    """
    shift, turn, error, joint = joint_errors(model, work.next, work.error)
    slip, coupling = coupling_errors(
        model, model.coupled, work.next, work.terms.near, work.terms.next, work.error
    )
    if structure.has_loops and error < 1e300:
        error, joint = errors_of_held_rows(model, work.error, state)
    if slip > error:
        error, joint = slip, coupling
    leave_at_rest(model, work)
    return max(shift, slip), turn, error, joint


@inner_kernel
def _law_errors(
    model, axes, contact, state, h, give, first, previous, tolerance, error, joint, work
):
    """Add the rows of the axes to work.error: the worst error and joint of all rows, and the axis
    in work.worst_axis if it is the error of a law.

    The factor is stale where the active piece of a law has another compliance. Returns whether
    any law is on another piece, the joint of a swing that goes astray (``predict_axes``), and what
    vertical pieces give: less where bodies touch and the last round, from ``previous``, gained
    little.
    """
    work.worst_axis[0] = -1
    if axes is None:
        return error, joint, False, -1, give
    astray = predict_axes(model, state, h, work)
    residual, axis, change = axis_errors(
        model, state, work.axes.next, h, _SLACK, give, first, work, work.error
    )
    sticks = contact is not None and change == SAME and not (residual <= error)
    less = less_give(give, residual, previous, tolerance) if sticks else give
    if less < give:
        residual, axis, _ = axis_errors(
            model, state, work.axes.next, h, _SLACK, less, False, work, work.error
        )
    if change == OTHER_MATRIX or less < give:
        work.factored[0] = 0
    if not (residual <= error):
        work.worst_axis[0] = axis
        return residual, model.axes[axis].joint, change != SAME, astray, less
    return error, joint, change != SAME, astray, less


@inner_kernel
def lines_turn_little(model, state, work, tally):
    """Whether no joint's line or rows turn too far in this stage; else it is named as failed."""
    joint = turned_beyond_a_stage(model, state, work)
    if joint >= 0:
        tally.failure[0].joint = joint
    return joint < 0
