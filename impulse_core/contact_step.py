"""The impulse step of scenes whose bodies can touch.

It is the step of driven_step.py with the contacts as further laws (docs/algorithm.md, section 11):
in the look-ahead they are about the gaps and ways of sliding at t+h, in the velocity correction
about the velocities there. Joints, axes and contacts are solved for together: joints by their
factorised matrix, contacts by sweeps in which jointed bodies answer through that matrix.
"""

from __future__ import annotations

from impulse_core.accuracy import correction_energy, note_correction, note_left_open
from impulse_core.algebra import ZERO3, dot, norm, set_vec3, vec3_of
from impulse_core.collision.contacts import (
    copy_impulses,
    copy_memory,
)
from impulse_core.collision.detect import detect
from impulse_core.contact.events import bears, note_events
from impulse_core.contact.impact import (
    NEWTON,
    arrive_now,
    find_arrivals,
    give_back,
    impact_threshold,
)
from impulse_core.contact.islands import find_islands
from impulse_core.contact.look_ahead import contact_errors, set_targets, velocity_errors
from impulse_core.contact.machines import joined_answers
from impulse_core.contact.meeting import (
    MOST_PARTS,
    first_try,
    half_of,
    is_short,
    leave_open,
    next_try,
    overlaps_anew,
    put_velocities_back,
    save_velocities,
    shorten,
)
from impulse_core.contact.movers import JOINTED
from impulse_core.contact.passivity import (
    account_first_half,
    account_second_half,
    energy_created,
)
from impulse_core.contact.rows import (
    apply_contact_impulses,
    contact_directions,
    contact_velocities,
    number_joined,
    read_bodies,
    respond_joints,
)
from impulse_core.contact.sleep import (
    count_rest,
    fall_asleep,
    find_still,
    freeze,
    hold,
    put_to_rest,
    thaw,
    wake_touched,
)
from impulse_core.contact.sweeps import solve_contacts
from impulse_core.contact.system import motion_of, probes_of
from impulse_core.driven_step import (
    JOINT_RATE,
    add_element_work,
    add_load_work,
    law_rates,
    note_rate,
    read_rates,
    residual_of_axes,
)
from impulse_core.fitting import resume
from impulse_core.free_motion.flow import advance, predict
from impulse_core.jit import inlined_kernel, inner_kernel, kernel
from impulse_core.joints.axes import (
    GIVE,
    OTHER_MATRIX,
    SAME,
    add_axis_impulses,
    start_velocities,
)
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    joint_directions,
    joint_errors,
)
from impulse_core.joints.coupling import (
    accept_coordinates,
    coupling_errors,
    foresee_coordinates,
)
from impulse_core.joints.elements import (
    first_half_laws,
    motor_without_target,
    second_half_laws,
)
from impulse_core.loads import kick, load_power
from impulse_core.model.tally import LAW
from impulse_core.passivity import add_exchange, note_velocities
from impulse_core.solver.direct import factorise, solve
from impulse_core.step import (
    MOST_CORRECTIONS,
    STALLS_ALLOWED,
    lines_turn_little,
    restore,
    save,
    take_steps,
)

__all__ = ["run_contact_steps"]

_VELOCITY_ROUNDS = 30  # that joints may need
_MARGIN = 2.0  # times the tolerance: how far beyond what a step can close points are wanted
_ON_CONE = 1e-9  # relative distance from the border of the cone at which a contact slides


@inlined_kernel
def contact_step(model, setup, state, h, tolerance, work, tally):
    """Advance a consistent state by h; False if joints or force laws could not be satisfied, or if
    contacts create energy.

    With time-of-impact stepping that is done in parts, which end where bodies meet.
    """
    for k in range(len(setup.needed)):
        if setup.needed[k] > 0:  # a part of this step had no room, so no smaller part may go on
            return False
    contacts, movers, memory, sleep = setup.contacts, setup.movers, setup.memory, setup.sleep
    tally.failure[0].energy = 0.0
    margin = _MARGIN * tolerance
    motion = motion_of(model, state, work)
    threshold = impact_threshold(motion, h, setup.accuracy)
    end = state.clock[0].time + h
    if setup.sleeps:
        find_still(model, state, sleep, h, work)
    left = h
    parts = 0
    while left > 0.0:
        recovery = setup.recovery * (left / h)
        while True:
            if setup.sleeps and not thaw(setup.shapes.body, sleep, memory, setup.needed):
                return False
            if not detect(
                model,
                setup.shapes,
                setup.sweep,
                setup.found,
                memory,
                contacts,
                state,
                sleep.still,
                left,
                margin,
                setup.needed,
            ):
                return False
            _begin_part(contacts, movers, motion, tolerance, setup.slack, recovery)
            if not setup.sleeps or not wake_touched(model, contacts, sleep, left, tolerance):
                break
        for k in range(len(model.axes)):
            work.axes[k].start = state.axes[k].position
        read_rates(model, state, work.axes.rate, work)
        power = load_power(model, state, work) if len(model.loads) else 0.0
        residual = tally.totals[0].violation
        if setup.meets:
            save_velocities(state, work)
        tried = first_try(left)
        while True:
            part = tried.part
            work.kinematic_work[0] = 0.0
            first_half_laws(model, state, part, work)
            axis = motor_without_target(model, work)
            if axis >= 0:
                tally.failure[0].joint = model.axes[axis].joint
                return False
            _begin_first_half(contacts, motion, part)
            if not tried.closed:
                leave_open(contacts)
            kick(model, state, 0.5 * part)
            if len(model.loads):
                angular_velocities(model, state, work)
            note_velocities(model, state, work)
            if not _look_ahead(model, setup, state, motion, part, tolerance, work, tally):
                if work.worst_axis[0] >= 0:
                    tally.failure[0].what = LAW
                return False
            met = False
            if not setup.meets or parts == MOST_PARTS - 1:
                break
            joints = len(model.joints)
            again, met, tried = next_try(
                contacts,
                motion,
                tried,
                left,
                h,
                joints,
                threshold,
                setup.accuracy,
                tolerance,
            )
            if not again and overlaps_anew(
                setup.shapes,
                setup.sweep,
                setup.found,
                contacts,
                motion,
                tried,
                h,
                tolerance,
            ):
                again, met, tried = True, False, half_of(tried)
            if not again:
                break
            shorten(contacts, tried.part / part)
            tally.totals[0].violation = residual
            put_velocities_back(state, work)
            angular_velocities(model, state, work)
        if not lines_turn_little(model, state, work, tally):
            return False
        angular_velocities(model, state, work)
        read_rates(model, state, work.axes.after, work)
        add_element_work(model, part, work.axes.rate, work.axes.next, work, tally)
        if len(model.loads):
            tally.totals[0].work += 0.25 * part * power
        add_load_work(model, state, part, work, tally)
        for k in range(len(model.axes)):  # the mean over the whole step
            before = state.axes[k].force if parts else 0.0
            state.axes[k].force = before + work.axes[k].impulse / h
        add_exchange(model, state, True, work)
        tally.totals[0].dissipated -= account_first_half(
            contacts, movers, motion, part, setup.accuracy, setup.coarse
        )
        _end_first_half(contacts)

        if setup.sleeps:
            hold(model, state, sleep, work)
        advance(model, state, part, work)
        if setup.sleeps:
            put_to_rest(model, state, sleep, work)
        accept_coordinates(model, model.coupled, state, work)
        state.clock[0].time = end if part == left else state.clock[0].time + part
        joint_directions(model, state.bodies, work.now)
        angular_velocities(model, state, work)
        _begin_second_half(contacts, movers, motion, tolerance)
        read_rates(model, state, work.axes.next_rate, work)
        add_load_work(model, state, part, work, tally)
        kick(model, state, 0.5 * part)
        if len(model.loads):
            angular_velocities(model, state, work)
        note_velocities(model, state, work)
        second_half_laws(model, state, part, work)
        scale = part / memory.step[0] if memory.step[0] > 0.0 else 0.0
        start_velocities(model, state, memory.multiplier, scale, work)
        if met:
            angular_velocities(model, state, work)
            arrive_now(contacts, motion)
        state.clock[0].multiplier_step = part
        hit = False
        # compression, and where contacts give back, what that does to others
        for phase in range(2):
            hit = phase == 1 and give_back(contacts, threshold, setup.law)
            if phase == 1 and not hit:
                break
            if not _correct_velocities(
                model, setup, state, motion, h, tolerance, phase, work, tally
            ):
                note_rate(model, work, tally)
                return False
        add_element_work(model, part, work.axes.next_rate, work.axes.after, work, tally)
        for k in range(len(model.axes)):
            state.axes[k].force += work.axes[k].impulse / h
        add_exchange(model, state, False, work)
        tally.totals[0].dissipated -= account_second_half(
            contacts, movers, motion, setup.accuracy / h, setup.coarse / h
        )
        created, guilty = energy_created(model, contacts, work)
        if guilty >= 0 and setup.law != NEWTON:
            tally.failure[0].energy = created
            for side in range(2):
                shape = contacts.mark[guilty].shape2 if side else contacts.mark[guilty].shape1
                tally.failure[0].bodies[side] = setup.shapes.owner[shape]
            tally.totals[0].violation = residual
            return False
        tally.totals[0].created += created
        if part < left and parts == 0:
            copy_memory(memory, setup.earlier)
            setup.divided[0], setup.divided[1] = 1, setup.events.number[0]
        note_events(contacts, memory, setup.events, state.clock[0].time)
        if setup.meets and (met or hit or is_short(part, h)):
            _keep_beginning(contacts, memory, part)
        else:
            _keep(contacts, memory, state, part)
        _count(contacts, tally.totals[0], part / h)
        add_load_work(model, state, part, work, tally)
        tally.totals[0].kinematic_work += work.kinematic_work[0]
        left = 0.0 if part == left else left - part
        parts += 1
    if setup.sleeps and count_rest(model, state, sleep, h, work):
        if sleep.frozen.used[0] + memory.used[0] > len(sleep.frozen.row):
            setup.needed[0] = sleep.frozen.used[0] + memory.used[0]
            return False
        count, lost = fall_asleep(model, contacts, movers, state, sleep, tolerance, work)
        if count > 0:
            tally.totals[0].dissipated += lost
            freeze(setup.shapes.body, sleep, memory, setup.needed)
            put_to_rest(model, state, sleep, work)
    setup.divided[0] = 0
    tally.totals[0].divisions += parts - 1
    if parts == MOST_PARTS:
        tally.totals[0].late += 1
    return True


@inner_kernel
def _begin_part(contacts, movers, motion, tolerance, slack, recovery):
    """Directions, gaps to reach and forces at t."""
    row, mark = contacts.row, contacts.mark
    contact_directions(contacts, movers, motion)
    contact_velocities(contacts, motion)
    set_targets(contacts, tolerance, slack, recovery)
    for c in range(contacts.used[0]):
        row[c].friction = row[c].static if mark[c].sticking else row[c].kinetic
        row[c].floor = 0.0
        mark[c].meeting = 0
        if movers.mark[mark[c].body1, JOINTED] or movers.mark[mark[c].body2, JOINTED]:
            # nearer in time, as for joints
            set_vec3(row[c].first, vec3_of(row[c].second))
            set_vec3(row[c].roll_first, vec3_of(row[c].roll_second))
        else:
            # their mean is the force: what one half did to correct the other would be repeated,
            # and stacks that are not quite solved for would sway ever more
            force = 0.5 * (vec3_of(row[c].first) + vec3_of(row[c].second))
            set_vec3(row[c].first, force)
            set_vec3(row[c].second, force)


@inner_kernel
def _begin_first_half(contacts, motion, h):
    """First guesses for a part of length h."""
    row, mark = contacts.row, contacts.mark
    find_arrivals(contacts, motion, h)
    for c in range(contacts.used[0]):
        mark[c].active = 1
        set_vec3(row[c].begun, vec3_of(row[c].first))
        _start_from(row[c], row[c].first, row[c].roll_first)


@inner_kernel
def _start_from(contact, guess, turn_guess):
    """Begin with an impulse at a contact that has not acted yet, kept within its cone."""
    n, p = vec3_of(contact.normal), vec3_of(guess)
    p_n = max(0.0, dot(n, p))
    across = p - n * dot(n, p)
    size = norm(across)
    if size > contact.friction * p_n:
        across = across * (contact.friction * p_n / size)
    set_vec3(contact.impulse, n * p_n + across)
    set_vec3(contact.applied, ZERO3)
    set_vec3(contact.torque, vec3_of(turn_guess) if p_n > 0.0 else ZERO3)
    set_vec3(contact.torque_applied, ZERO3)


@inlined_kernel
def _look_ahead(model, setup, state, motion, h, tolerance, work, tally):
    """Find impulses at t after which joints are closed and contacts keep their law at t+h.

    Joints must come within the tolerance; contacts are improved until they are as accurate as they
    should be, or the rounds end.
    """
    contacts, movers, joined = setup.contacts, setup.movers, setup.joined
    has_joints = len(model.joints) > 0
    if has_joints:
        foresee_coordinates(model, model.coupled, state, h, work)
        _start_joints(model, setup.memory, state, h, work)
    previous = 1e300
    stalls = 0
    if not number_joined(contacts, movers, joined, setup.needed):
        return False
    find_islands(contacts, movers)
    # impulses of joints and axes begin with what answered those of the contacts
    apply_contact_impulses(contacts, movers, joined, motion)
    for correction in range(MOST_CORRECTIONS):
        tally.failure[0].body = predict(model, state, h, work)
        if tally.failure[0].body >= 0 or work.stop[0]:
            break
        error, joint, moved, shift, turn = 0.0, 0, False, 0.0, 0.0
        gap, opened = 0.0, 0
        if has_joints:
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
            error, joint, moved = residual_of_axes(
                model, setup.structure, GIVE, state, h, error, joint, work
            )
            tally.failure[0].joint = joint
            tally.failure[0].error = error
        angular_velocities(model, state, work)
        worst, solved = contact_errors(
            contacts,
            movers,
            motion,
            h,
            setup.accuracy,
            setup.coarse,
            correction == 0,
            tally.totals,
        )
        if error <= tolerance and (solved or correction >= setup.rounds):
            if has_joints:
                note_left_open(model, setup.structure, h, error, joint, tally)
            tally.totals[0].translation_error = max(tally.totals[0].translation_error, shift)
            tally.totals[0].rotation_error = max(tally.totals[0].rotation_error, turn)
            tally.totals[0].violation = max(tally.totals[0].violation, worst)
            return True
        if moved:
            previous = 1e300
        if not (error < 0.9 * previous) and not (error <= tolerance):
            stalls += 1
            if stalls > STALLS_ALLOWED or not (error < 1e6):
                break
        previous = error
        energy, owner = _update_contacts(
            model,
            setup.structure,
            contacts,
            movers,
            joined,
            state,
            motion,
            setup.newton,
            -1.0 / h,
            moved or correction == 0,
            setup.accuracy / h,
            setup.coarse / h,
            work,
        )
        if correction == 0 and gap > tolerance:
            note_correction(model, setup.structure, h, gap, opened, energy, owner, tally)
        tally.totals[0].corrections += 1
    return False


@inner_kernel
def _start_joints(model, memory, state, h, work):
    """Begin with the impulses of joints and axes in the second half of the last step."""
    scale = h / memory.step[0] if memory.step[0] > 0.0 else 0.0
    for j in range(len(model.joints)):
        for row in range(6):
            work.impulse[j, row] = scale * memory.multiplier[j, row]
            state.joints[j].multiplier[row] = work.impulse[j, row]
    apply_impulses(model, work.impulse, state, work)
    for k in range(len(model.axes)):
        work.axes[k].impulse = work.impulse[model.axes[k].joint, model.axes[k].row]


@inner_kernel
def _update_contacts(
    model,
    structure,
    contacts,
    movers,
    joined,
    state,
    motion,
    newton,
    scale,
    new,
    accuracy,
    coarse,
    work,
):
    """Correct joints by their errors in work, then contacts, then joints for what those did.

    scale is that of the joints' errors, new says that the matrix or the contacts are new. Returns
    the energy of the joints' correction [J] and the joint that has most of it.
    """
    energy, owner = 0.0, 0
    if new and joined.used[0] > 0:
        joined_answers(structure, contacts, movers, joined, work.block)
    if len(model.joints) > 0:
        solve(structure, work.error, scale, work)
        energy, owner = correction_energy(model, scale, work)
        apply_impulses(model, work.impulse, state, work)
        _take(model, state, work)
        angular_velocities(model, state, work)
    read_bodies(contacts, movers, joined, motion)
    solve_contacts(contacts, movers, joined, newton, accuracy, coarse)
    _push_contacts(model, structure, contacts, movers, joined, state, motion, work)
    return energy, owner


@inner_kernel
def _push_contacts(model, structure, contacts, movers, joined, state, motion, work):
    """Apply the contact impulses that were found, and let joints and axes answer."""
    if apply_contact_impulses(contacts, movers, joined, motion):
        probe, probe_work = probes_of(joined, state, work)
        respond_joints(model, structure, joined, state, probe, probe_work, work)
        _take(model, state, work)


@inner_kernel
def _take(model, state, work):
    """Add the solution in work.impulse to the impulses of axes and joints in this half."""
    add_axis_impulses(model, work)
    for j in range(len(model.joints)):
        for row in range(6):
            state.joints[j].multiplier[row] += work.impulse[j, row]


@inner_kernel
def _end_first_half(contacts):
    """Keep the impulses."""
    row = contacts.row
    for c in range(contacts.used[0]):
        n, p = vec3_of(row[c].normal), vec3_of(row[c].impulse)
        row[c].earlier = max(0.0, dot(n, vec3_of(row[c].first)))
        row[c].earlier += max(0.0, dot(n, vec3_of(row[c].second)))
        set_vec3(row[c].first, p)
        set_vec3(row[c].roll_first, vec3_of(row[c].torque))


@inner_kernel
def _sticks(n, p, friction):
    """Whether an impulse is strictly inside its cone."""
    p_n = dot(n, p)
    return p_n > 0.0 and norm(p - n * p_n) < friction * p_n * (1.0 - _ON_CONE)


@inner_kernel
def _begin_second_half(contacts, movers, motion, tolerance):
    """Directions at t+h, and which contacts are closed there; needs the angular velocities."""
    row, mark = contacts.row, contacts.mark
    contact_directions(contacts, movers, motion)
    contact_velocities(contacts, motion)
    for c in range(contacts.used[0]):
        p = vec3_of(row[c].first)
        pressed = p.x != 0.0 or p.y != 0.0 or p.z != 0.0
        mark[c].active = 1 if pressed or row[c].gap <= tolerance else 0
        set_vec3(row[c].offset, ZERO3)
        set_vec3(row[c].turn_offset, ZERO3)
        _start_from(row[c], row[c].second, row[c].roll_second)
        if not mark[c].active:
            set_vec3(row[c].impulse, ZERO3)
            set_vec3(row[c].torque, ZERO3)


@inlined_kernel
def _correct_velocities(model, setup, state, motion, h, tolerance, phase, work, tally):
    """Find impulses at t+h after which joints do not move and contacts keep their law.

    Begins with the impulses of joints and axes, which have been applied, and those of the contacts,
    which act before any law is looked at; in phase 1, where contacts give back, joints answer them.
    False if the joints or the force laws of the axes are not satisfied in the end.
    """
    contacts, movers, joined = setup.contacts, setup.movers, setup.joined
    accuracy, coarse = setup.accuracy / h, setup.coarse / h
    has_joints = len(model.joints) > 0
    previous = 1e300
    if not number_joined(contacts, movers, joined, setup.needed):
        return False
    find_islands(contacts, movers)
    if phase == 0:
        apply_contact_impulses(contacts, movers, joined, motion)
    else:
        _push_contacts(
            model,
            setup.structure,
            contacts,
            movers,
            joined,
            state,
            motion,
            work,
        )
    worst = 0.0
    rate = 0.0
    change = SAME
    for solves in range(_VELOCITY_ROUNDS):
        if work.stop[0]:
            return False
        angular_velocities(model, state, work)
        if has_joints:
            rate, change = law_rates(model, state, GIVE, work)
            if solves == 0 or change == OTHER_MATRIX:
                factorise(model, setup.structure, state, work)
        worst, solved = velocity_errors(
            contacts, movers, motion, h, accuracy, coarse, solves == 0, tally.totals
        )
        met = rate * h <= JOINT_RATE * tolerance
        if not met and change == SAME:  # as well as it can be
            met = not (rate < 0.5 * previous)
        done = solved or solves >= setup.rounds
        if (solves > 0 or not has_joints) and met and done:
            tally.totals[0].violation = max(tally.totals[0].violation, worst * h)
            return True
        if solves == _VELOCITY_ROUNDS - 1:
            break
        previous = rate
        _update_contacts(
            model,
            setup.structure,
            contacts,
            movers,
            joined,
            state,
            motion,
            setup.newton,
            -1.0,
            solves == 0 or change == OTHER_MATRIX,
            accuracy,
            coarse,
            work,
        )
        tally.totals[0].velocity_corrections += 1
    tally.totals[0].violation = max(tally.totals[0].violation, worst * h)
    return not has_joints or rate * h <= tolerance


@inner_kernel
def _keep(contacts, memory, state, h):
    """Remember for the next step what contacts are left with."""
    _keep_marks(contacts, memory, h)
    row = contacts.row
    for j in range(len(state.joints)):
        for k in range(6):
            memory.multiplier[j, k] = state.joints[j].multiplier[k]
    for c in range(contacts.used[0]):
        set_vec3(row[c].second, vec3_of(row[c].impulse))
        set_vec3(row[c].roll_second, vec3_of(row[c].torque))
        copy_impulses(row[c], memory.row[c], 1.0)


@inner_kernel
def _keep_beginning(contacts, memory, h):
    """Remember the forces with which a part of a step began that has impacts, which are no forces,
    or is too short to tell them.
    """
    scale = h / memory.step[0] if memory.step[0] > 0.0 else 0.0
    _keep_marks(contacts, memory, h)
    row = contacts.row
    for j in range(len(memory.multiplier)):
        for k in range(6):
            memory.multiplier[j, k] *= scale
    for c in range(contacts.used[0]):
        set_vec3(memory.row[c].first, vec3_of(row[c].begun))
        set_vec3(memory.row[c].second, vec3_of(row[c].second))
        set_vec3(memory.row[c].roll_first, vec3_of(row[c].roll_second))
        set_vec3(memory.row[c].roll_second, vec3_of(row[c].roll_second))


@inner_kernel
def _keep_marks(contacts, memory, h):
    """Remember which contacts there were, and which of them stuck or bore an impulse."""
    row, mark = contacts.row, contacts.mark
    memory.step[0] = h
    memory.used[0] = contacts.used[0]
    for c in range(contacts.used[0]):
        n, p = vec3_of(row[c].normal), vec3_of(row[c].impulse)
        memory.mark[c].pair = mark[c].pair
        memory.mark[c].feature = mark[c].feature
        memory.mark[c].sticking = 1 if _sticks(n, p, row[c].friction) else 0
        memory.mark[c].bore = 1 if bears(row, c) else 0


@inner_kernel
def _count(contacts, totals, share):
    """Add the contacts that bear an impulse in a share of a step to the totals, and the deepest
    overlap of all.
    """
    row = contacts.row
    bearing = 0
    for c in range(contacts.used[0]):
        if dot(vec3_of(row[c].first), vec3_of(row[c].normal)) > 0.0:
            bearing += 1
        totals.deepest = max(totals.deepest, -row[c].gap)
    totals.bearing += bearing * share
    totals.most_bearing = max(totals.most_bearing, bearing)


@kernel
def run_contact_steps(model, setup, state, h, count, grid, fractions, tolerance, work, tally):
    """take_steps with the contact step."""
    return take_steps(
        contact_step,
        save,
        _restore,
        _resume,
        model,
        setup,
        state,
        h,
        count,
        grid,
        fractions,
        tolerance,
        work,
        tally,
    )


@inlined_kernel
def _restore(model, setup, state, work):
    """Put the saved state back; what contacts remember is replaced at the end of a step only, or of
    the parts into which meetings divide it.
    """
    if setup.divided[0]:
        copy_memory(setup.earlier, setup.memory)
        setup.events.number[0] = min(setup.events.number[0], setup.divided[1])
        setup.divided[0] = 0
    restore(model, setup.structure, state, work)


@inlined_kernel
def _resume(model, setup, state, work):
    """Make the workspace fit a state that was put back."""
    resume(model, setup.structure, state, work)
