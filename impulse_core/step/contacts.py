"""Contacts in either half of a step; nothing where ``contact`` is None.

Joints, axes and contacts are solved for together: joints by their factorised matrix, contacts by
islands, with the Delassus operator that follows from that matrix (docs/algorithm.md, section 11).
"""

from __future__ import annotations

import math

from impulse_core.algebra import ZERO3, dot, set_vec3, vec3_of
from impulse_core.collision.contacts import EXTRA, FOUND, RETURNED, WORKED
from impulse_core.contact.account import add_exchange, note_velocities
from impulse_core.contact.delassus import find_delassus
from impulse_core.contact.gauss_seidel import solve_contacts
from impulse_core.contact.give import add_give, begin_given, find_given
from impulse_core.contact.guesses import start_from
from impulse_core.contact.held import hold_at_impact, hold_until_impact
from impulse_core.contact.impulses import apply_contact_impulses, respond_joints
from impulse_core.contact.islands import OTHERS, find_islands
from impulse_core.contact.jacobian import (
    contact_velocity,
    inertia_of_solver_bodies,
    number_articulated,
    read_bodies,
)
from impulse_core.contact.passivity import account_second_half, note_what_acted, sum_of_chunks
from impulse_core.contact.residuals import position_residuals, velocity_residuals
from impulse_core.contact.restitution import (
    approach_velocities_now,
    impact_threshold,
    restitution_impulses,
)
from impulse_core.contact.sleep import put_to_rest
from impulse_core.contact.system import motion_of
from impulse_core.contact.waiting import join_closing, note_meeting
from impulse_core.forces.axes import add_axis_impulses
from impulse_core.jit import inner_kernel
from impulse_core.jit.team import share
from impulse_core.joints.constraints import angular_velocities
from impulse_core.model.status import COMPLETED, ROSE
from impulse_core.model.tasks import BEGIN_FIRST, BEGIN_SECOND, CLOSE_FIRST, CONTACTS
from impulse_core.step.accuracy import accuracy_of_ways, large_leave_too_much
from impulse_core.step.corrections import add_multipliers
from impulse_core.step.judgement import flings, judge
from impulse_core.step.passes import begin_first, begin_second, close_first
from impulse_core.step.small_islands import SHARE, is_patient, rounds_end

__all__ = [
    "add_restitution",
    "begin_contacts",
    "begin_first_half",
    "begin_jump",
    "begin_restitution",
    "begin_second_half",
    "bodies_meet",
    "check_positions",
    "check_velocities",
    "close_first_half",
    "close_jump",
    "close_second_half",
    "correct_contacts",
    "let_sleep",
    "note_motion",
]

_BEFORE_HALVES = 4  # times the rounds, in large islands: as many more as one of two halves may take


@inner_kernel
def begin_first_half(contact, model, state, h, work):
    """First guesses for a stage of length h, if they are not made yet."""
    if contact is None:
        return
    guessed = contact.contacts.guessed[0]
    contact.contacts.guessed[0] = 0.0
    if guessed == h:
        return
    motion, team = motion_of(model, state, work), contact.team
    team.number[0] = h
    share(
        team, BEGIN_FIRST, 0, contact.contacts.used[0], CONTACTS, begin_first, (contact, motion, h)
    )


@inner_kernel
def note_motion(contact, model, state, work):
    """Keep the velocities before the impulses of a half, by which the work of contacts is told."""
    if contact is None:
        return
    if len(model.loads):
        angular_velocities(model, state, work)
    note_velocities(model, state, work)


@inner_kernel
def begin_contacts(contact, model, state, first, work):
    """Find islands, and let the impulses act that contacts begin with in the first or second half,
    if not all are of small islands, which see to that themselves; False if there is no room.

    Joints are about to be corrected, or begin with their reaction to those impulses.
    """
    if contact is None:
        return True
    if not _find_islands(contact):
        return False
    if first:
        if len(model.joints) > 0:
            note_meeting(contact.contacts, contact.solver_bodies)
        hold_until_impact(contact.contacts, contact.solver_bodies)
    elif contact.time_of_impact:
        hold_at_impact(contact.contacts, contact.solver_bodies)
    begin_given(contact.contacts, contact.delassus)
    if contact.solver_bodies.counted[OTHERS] > 0:
        motion = motion_of(model, state, work)
        apply_contact_impulses(contact, motion)
    return True


@inner_kernel
def _find_islands(contact):
    """Number the contacts on jointed bodies, and find islands; False if there is no room."""
    if not number_articulated(
        contact.contacts, contact.solver_bodies, contact.delassus, contact.needed
    ):
        return False
    find_islands(contact.contacts, contact.solver_bodies)
    contact.batches.used[0], contact.batches.used[1] = 0, 0
    contact.solver_bodies.worst[0] = 0.0
    return True


@inner_kernel
def check_positions(contact, model, state, h, iteration, work, tally):
    """Largest violation of the laws at t+h [m], and whether they are kept as well as they should
    be or the rounds for the sake of contacts end.
    """
    if contact is None:
        return 0.0, True
    worst = contact.solver_bodies.worst[0]
    joined = _join_closing(contact, model, work)
    if contact.solver_bodies.counted[OTHERS] == 0:
        return worst, True
    angular_velocities(model, state, work)
    violation, solved = position_residuals(
        contact.contacts,
        contact.solver_bodies,
        contact.team,
        motion_of(model, state, work),
        h,
        (accuracy_of_ways(contact, h), contact.coarse * h, is_patient(tally)),
        iteration == 0 or joined,
        tally.totals,
    )
    ends = not joined and rounds_end(contact, violation, iteration, is_patient(tally))
    if ends and iteration < _BEFORE_HALVES * contact.rounds:
        ends = not large_leave_too_much(contact, violation, h)
    return max(violation, worst), solved or ends


@inner_kernel
def _join_closing(contact, model, work):
    """Let contacts that waited and are closed at the prediction join the others; whether any do.
    Small islands, which are settled, are none of theirs.
    """
    if len(model.joints) == 0:
        return False
    if not join_closing(contact.contacts, work.next):
        return False
    worst = contact.solver_bodies.worst[0]
    _find_islands(contact)
    contact.solver_bodies.worst[0] = worst
    return True


@inner_kernel
def check_velocities(contact, model, state, h, iteration, work, tally):
    """The same of the velocities [m/s]; needs the angular ones. h is the length of the stage."""
    if contact is None:
        return 0.0, True
    worst = contact.solver_bodies.worst[0]
    if contact.solver_bodies.counted[OTHERS] == 0:
        return worst, True
    violation, solved = velocity_residuals(
        contact.contacts,
        contact.solver_bodies,
        contact.team,
        motion_of(model, state, work),
        h,
        (contact.fine, contact.coarse, is_patient(tally)),
        iteration == 0,
        tally.totals,
    )
    ends = rounds_end(contact, violation * h, iteration, is_patient(tally))
    return max(violation, worst), solved or ends


@inner_kernel
def correct_contacts(contact, model, structure, state, h, new, multipliers, work, tally):
    """Correct contacts by the present velocities, then joints for what those did.

    h is the length of the stage. ``new`` says that the matrix or the contacts are new,
    ``multipliers`` that impulses of joints are added up. Where contacts created energy in the last
    attempt at a part, they are solved for with patience.
    """
    if contact is None:
        return
    contacts, solver_bodies, delassus = contact.contacts, contact.solver_bodies, contact.delassus
    if solver_bodies.counted[OTHERS] == 0:
        return
    if (new or not delassus.known[0]) and delassus.used[0] > 0:
        find_delassus(structure, contacts, solver_bodies, delassus, work.block)
        add_give(contacts, solver_bodies, delassus)
    if len(model.joints) > 0:
        angular_velocities(model, state, work)
    read_bodies(contacts, solver_bodies, delassus, motion_of(model, state, work))
    solve_contacts(
        contacts,
        solver_bodies,
        delassus,
        contact.own.newton,
        contact.batches,
        contact.team,
        contact.fine,
        contact.coarse,
        0.0 if multipliers or is_patient(tally) else SHARE / h,
        is_patient(tally),
    )
    _push(contact, model, structure, state, multipliers, work)
    find_given(contacts, delassus)


@inner_kernel
def _push(contact, model, structure, state, multipliers, work):
    """Apply the contact impulses that were found, and the reactions of joints and axes."""
    if apply_contact_impulses(contact, motion_of(model, state, work)):
        respond_joints(model, structure, contact.delassus, state, work)
        add_axis_impulses(model, work)
        if multipliers:
            add_multipliers(model, state, work)


@inner_kernel
def close_first_half(contact, model, state, h, work, tally):
    """Account for the work of the contacts, and keep their impulses."""
    if contact is None:
        return
    contacts, team = contact.contacts, contact.team
    motion, used = motion_of(model, state, work), contacts.used[0]
    add_exchange(model, state, True, work)
    team.number[0] = h
    share(team, CLOSE_FIRST, 0, used, CONTACTS, close_first, (contact, motion, h))
    tally.totals[0].dissipated -= sum_of_chunks(contacts, FOUND)


@inner_kernel
def let_sleep(contact, model, state, work):
    """Take from bodies that sleep what velocity the first half gave them."""
    if contact is None:
        return
    if contact.sleep.number[0] > 0:
        put_to_rest(model, state, contact.sleep, work)


@inner_kernel
def begin_second_half(contact, model, state, part, jumps, tolerance, work):
    """Directions at t+h, and which contacts are closed there, without those that meet if they do so
    in a jump; needs the angular velocities.
    """
    if contact is None:
        return
    motion, team = motion_of(model, state, work), contact.team
    inertia_of_solver_bodies(contact.solver_bodies, motion)
    team.number[0], team.number[1] = 1.0 if jumps else 0.0, tolerance
    threshold = impact_threshold(motion, part.whole, contact.accuracy)
    team.number[2] = threshold if part.at_impact else math.inf
    given = contact, motion, jumps, tolerance, team.number[2]
    share(team, BEGIN_SECOND, 0, contact.contacts.used[0], CONTACTS, begin_second, given)


@inner_kernel
def add_restitution(contact, model, state, h, work):
    """Whether contacts were hit in a stage of length h; their restitution is then added."""
    if contact is None:
        return False
    threshold = impact_threshold(motion_of(model, state, work), h, contact.accuracy)
    hit = restitution_impulses(contact.contacts, contact.solver_bodies, threshold, contact.law)
    contact.hit[0] = 1 if hit else 0
    return hit


@inner_kernel
def begin_restitution(contact, model, structure, state, work):
    """Apply the impulses of restitution, and the reactions of joints; False if there is no room."""
    if contact is None:
        return True
    if not _find_islands(contact):
        return False
    _push(contact, model, structure, state, True, work)
    return True


@inner_kernel
def close_second_half(contact, model, state, h, jumps, work, tally):
    """Account for the work of the contacts; CREATED, with their bodies, where they create energy
    against their laws, unless they jump first, ROSE where bodies were flung within the part. h is
    the length of the whole stage.
    """
    if contact is None:
        return COMPLETED
    add_exchange(model, state, False, work)
    _account_second_half(contact, model, state, work, tally)
    if flings(contact, model, state, work, tally):
        return ROSE
    return COMPLETED if jumps else judge(contact, model, h, work, tally)


@inner_kernel
def _account_second_half(contact, model, state, work, tally):
    """Account for the work of what acts at the end of a part."""
    total, suspect = account_second_half(
        contact.contacts,
        contact.solver_bodies,
        contact.team,
        motion_of(model, state, work),
        contact.fine,
        contact.coarse,
    )
    tally.totals[0].dissipated -= total
    contact.suspect[0] = 1 if suspect else 0


@inner_kernel
def bodies_meet(contact, tolerance):
    """Whether contacts that were left open in the part that ends are closed now."""
    if contact is None:
        return False
    row, mark = contact.contacts.row, contact.contacts.mark
    for c in range(contact.contacts.used[0]):
        if mark[c].impacting and row[c].gap <= tolerance:
            return True
    return False


@inner_kernel
def begin_jump(contact, model, state, begins, tolerance, work):
    """Let all contacts that are closed act from no impulse; those of the half before, which are
    forces, are kept as ``second``. Needs the angular velocities.
    """
    if contact is None:
        return
    contacts = contact.contacts
    motion = motion_of(model, state, work)
    row, mark = contacts.row, contacts.mark
    for c in range(contacts.used[0]):
        contact_velocity(contacts, c, motion)
        if begins:
            noted = contacts.noted[c]
            noted[EXTRA], noted[RETURNED], noted[WORKED] = 0.0, 0.0, 0.0
        else:
            set_vec3(row[c].second, vec3_of(row[c].impulse))
            if row[c].resists > 0.0:
                set_vec3(row[c].roll_second, vec3_of(row[c].torque))
        mark[c].active, mark[c].held = 1 if row[c].gap <= tolerance else 0, 0.0
        row[c].min_impulse = 0.0
        row[c].earlier = dot(vec3_of(row[c].normal), vec3_of(row[c].first))
        start_from(row[c], row[c].first, row[c].roll_first, 0.0)
        set_vec3(row[c].offset, ZERO3)
        if row[c].resists > 0.0:
            set_vec3(row[c].turn_offset, ZERO3)
    approach_velocities_now(contacts, motion, True)


@inner_kernel
def close_jump(contact, model, state, h, begins, work, tally):
    """Account for the work of the contacts in a jump, and add the impulses of the half before it:
    COMPLETED or CREATED.
    """
    if contact is None:
        return COMPLETED
    add_exchange(model, state, begins, work)
    _account_second_half(contact, model, state, work, tally)
    row = contact.contacts.row
    for c in range(contact.contacts.used[0]):
        set_vec3(row[c].impulse, vec3_of(row[c].impulse) + vec3_of(row[c].second))
        if row[c].resists > 0.0:
            set_vec3(row[c].torque, vec3_of(row[c].torque) + vec3_of(row[c].roll_second))
        note_what_acted(contact.contacts, c)
    return judge(contact, model, h, work, tally)
