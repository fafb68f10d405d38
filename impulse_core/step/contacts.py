"""What contacts add to either half of a step; nothing where ``contact`` is None.

Joints, axes and contacts are solved for together: joints by their factorised matrix, contacts by
islands, in which jointed bodies answer through that matrix (docs/algorithm.md, section 11).
"""

from __future__ import annotations

from impulse_core.algebra import ZERO3, dot, norm, set_vec3, vec3_of
from impulse_core.contact.account import add_exchange, note_velocities
from impulse_core.contact.impact import NEWTON, find_arrivals, give_back, impact_threshold
from impulse_core.contact.islands import find_islands
from impulse_core.contact.look_ahead import contact_errors, velocity_errors
from impulse_core.contact.machines import joined_answers
from impulse_core.contact.meeting import leave_open
from impulse_core.contact.passivity import account_first_half, account_second_half, energy_created
from impulse_core.contact.rows import (
    apply_contact_impulses,
    contact_directions,
    contact_velocities,
    number_joined,
    read_bodies,
    respond_joints,
)
from impulse_core.contact.sleep import hold, put_to_rest
from impulse_core.contact.sweeps import solve_contacts
from impulse_core.contact.system import motion_of
from impulse_core.forces.axes import add_axis_impulses
from impulse_core.jit import inner_kernel
from impulse_core.joints.constraints import angular_velocities
from impulse_core.model.status import COMPLETED, CREATED
from impulse_core.step.corrections import add_multipliers

__all__ = [
    "begin_contacts",
    "begin_first_half",
    "begin_restitution",
    "begin_second_half",
    "close_first_half",
    "close_second_half",
    "correct_contacts",
    "let_sleep",
    "look_at_gaps",
    "look_at_velocities",
    "note_motion",
    "returns_impulse",
    "start_again",
]


@inner_kernel
def begin_first_half(contact, model, state, h, work):
    """First guesses for a stage of length h."""
    if contact is None:
        return
    contacts = contact.contacts
    row, mark = contacts.row, contacts.mark
    find_arrivals(contacts, motion_of(model, state, work), h)
    for c in range(contacts.used[0]):
        mark[c].active = 1
        set_vec3(row[c].begun, vec3_of(row[c].first))
        _start_from(row[c], row[c].first, row[c].roll_first)
    if not contact.closed[0]:
        leave_open(contacts)


@inner_kernel
def start_again(contact):
    """Go back to the first guesses, none of which has acted."""
    if contact is None:
        return
    row = contact.contacts.row
    for c in range(contact.contacts.used[0]):
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


@inner_kernel
def note_motion(contact, model, state, work):
    """Keep the velocities before the impulses of a half, by which the work of contacts is told."""
    if contact is None:
        return
    if len(model.loads):
        angular_velocities(model, state, work)
    note_velocities(model, state, work)


@inner_kernel
def begin_contacts(contact, model, state, work):
    """Find islands, and let the impulses act that contacts begin with; False if there is no room.

    Joints are about to be corrected, or begin with what answered those impulses.
    """
    if contact is None:
        return True
    if not _find_islands(contact):
        return False
    motion = motion_of(model, state, work)
    apply_contact_impulses(contact.contacts, contact.movers, contact.joined, motion)
    return True


@inner_kernel
def _find_islands(contact):
    """Number the contacts on jointed bodies, and find islands; False if there is no room."""
    if not number_joined(contact.contacts, contact.movers, contact.joined, contact.needed):
        return False
    find_islands(contact.contacts, contact.movers)
    return True


@inner_kernel
def look_at_gaps(contact, model, state, h, look, work, tally):
    """Largest violation of the laws at t+h [m], and whether they are kept as well as they should
    be or the rounds for the sake of contacts end.
    """
    if contact is None:
        return 0.0, True
    angular_velocities(model, state, work)
    violation, solved = contact_errors(
        contact.contacts,
        contact.movers,
        motion_of(model, state, work),
        h,
        contact.accuracy,
        contact.coarse,
        look == 0,
        tally.totals,
    )
    return violation, solved or look >= contact.rounds


@inner_kernel
def look_at_velocities(contact, model, state, h, look, work, tally):
    """The same of the velocities [m/s]; needs the angular ones. h is the length of the stage."""
    if contact is None:
        return 0.0, True
    violation, solved = velocity_errors(
        contact.contacts,
        contact.movers,
        motion_of(model, state, work),
        h,
        contact.accuracy / h,
        contact.coarse / h,
        look == 0,
        tally.totals,
    )
    return violation, solved or look >= contact.rounds


@inner_kernel
def correct_contacts(contact, model, structure, state, h, new, multipliers, work):
    """Correct contacts by the present velocities, then joints for what those did.

    The accuracy is that of ways in a stage of length h. ``new`` says that the matrix or the
    contacts are new, ``multipliers`` that impulses of joints are added up.
    """
    if contact is None:
        return
    contacts, movers, joined = contact.contacts, contact.movers, contact.joined
    if new and joined.used[0] > 0:
        joined_answers(structure, contacts, movers, joined, work.block)
    if len(model.joints) > 0:
        angular_velocities(model, state, work)
    read_bodies(contacts, movers, joined, motion_of(model, state, work))
    solve_contacts(
        contacts, movers, joined, contact.newton, contact.accuracy / h, contact.coarse / h
    )
    _push(contact, model, structure, state, multipliers, work)


@inner_kernel
def _push(contact, model, structure, state, multipliers, work):
    """Apply the contact impulses that were found, and let joints and axes answer."""
    contacts, movers, joined = contact.contacts, contact.movers, contact.joined
    if apply_contact_impulses(contacts, movers, joined, motion_of(model, state, work)):
        respond_joints(model, structure, joined, state, work)
        add_axis_impulses(model, work)
        if multipliers:
            add_multipliers(model, state, work)


@inner_kernel
def close_first_half(contact, model, state, h, work, tally):
    """Account for the work of the contacts, and keep their impulses."""
    if contact is None:
        return
    contacts = contact.contacts
    add_exchange(model, state, True, work)
    tally.totals[0].dissipated -= account_first_half(
        contacts,
        contact.movers,
        motion_of(model, state, work),
        h,
        contact.accuracy,
        contact.coarse,
    )
    row = contacts.row
    for c in range(contacts.used[0]):
        n, p = vec3_of(row[c].normal), vec3_of(row[c].impulse)
        row[c].earlier = max(0.0, dot(n, vec3_of(row[c].first)))
        row[c].earlier += max(0.0, dot(n, vec3_of(row[c].second)))
        set_vec3(row[c].first, p)
        set_vec3(row[c].roll_first, vec3_of(row[c].torque))


@inner_kernel
def let_sleep(contact, model, state, before, work):
    """Keep bodies that sleep where they are, before and after all others move on."""
    if contact is None:
        return
    if contact.sleeps:
        if before:
            hold(model, state, contact.sleep, work)
        else:
            put_to_rest(model, state, contact.sleep, work)


@inner_kernel
def begin_second_half(contact, model, state, tolerance, work):
    """Directions at t+h, and which contacts are closed there; needs the angular velocities."""
    if contact is None:
        return
    contacts = contact.contacts
    motion = motion_of(model, state, work)
    row, mark = contacts.row, contacts.mark
    contact_directions(contacts, contact.movers, motion)
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


@inner_kernel
def returns_impulse(contact, model, state, h, work):
    """Whether contacts were hit in a stage of length h and give back, which is then added."""
    if contact is None:
        return False
    threshold = impact_threshold(motion_of(model, state, work), h, contact.accuracy)
    hit = give_back(contact.contacts, threshold, contact.law)
    contact.hit[0] = 1 if hit else 0
    return hit


@inner_kernel
def begin_restitution(contact, model, structure, state, work):
    """Let what contacts give back act, and joints answer it; False if there is no room."""
    if contact is None:
        return True
    if not _find_islands(contact):
        return False
    _push(contact, model, structure, state, True, work)
    return True


@inner_kernel
def close_second_half(contact, model, state, h, work, tally):
    """Account for the work of the contacts; CREATED, with their bodies, where they create energy
    against their laws. h is the length of the whole stage.
    """
    if contact is None:
        return COMPLETED
    contacts = contact.contacts
    add_exchange(model, state, False, work)
    tally.totals[0].dissipated -= account_second_half(
        contacts,
        contact.movers,
        motion_of(model, state, work),
        contact.accuracy / h,
        contact.coarse / h,
    )
    created, guilty = energy_created(model, contacts, work)
    if guilty >= 0 and contact.law != NEWTON:
        failure, mark = tally.failure[0], contacts.mark[guilty]
        failure.energy = created
        failure.bodies[0] = contact.shapes.owner[mark.shape1]
        failure.bodies[1] = contact.shapes.owner[mark.shape2]
        return CREATED
    tally.totals[0].created += created
    return COMPLETED
