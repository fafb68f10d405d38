"""Impulses at contacts: what of them is new acts on bodies, and on those that joints hold."""

from __future__ import annotations

from impulse_core.algebra import ZERO3, cross, dot, put_vec3, set_vec3, vec3_at, vec3_of
from impulse_core.collision.contacts import FOUND
from impulse_core.jit import inlined_kernel, inner_kernel
from impulse_core.jit.team import is_shared, share
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    relative_velocities,
)
from impulse_core.model.copies import copy_poses, halt
from impulse_core.model.tasks import ACT, CONTACTS, GATHER
from impulse_core.solver.direct import solve

__all__ = [
    "act_at",
    "act_on_bodies",
    "apply_contact_impulses",
    "gather_pushes",
    "new_impulse",
    "respond_joints",
]


@inlined_kernel
def new_impulse(row):
    """What of the impulse of a contact (ContactRow) has not acted yet [N s]; it counts as applied
    from now on.
    """
    p = vec3_of(row.impulse) - vec3_of(row.applied)
    if p != ZERO3:
        set_vec3(row.applied, vec3_of(row.impulse))
    return p


@inlined_kernel
def _new_torque(row):
    """What of the torque impulse of a contact (ContactRow) has not acted yet [N m s]."""
    if row.resists > 0.0:
        return vec3_of(row.torque) - vec3_of(row.torque_applied)
    return ZERO3


@inner_kernel
def apply_contact_impulses(contact, motion):
    """Let what of the impulses has not acted yet act on the bodies.

    Returns whether any of it acts on jointed bodies, in the probe as well; work of kinematic
    bodies, p times their own velocity, is added to the kinematic work.
    """
    contacts, team, used = contact.contacts, contact.team, contact.contacts.used[0]
    any_articulated = _act_on_probe(contact, motion)
    any_kinematic = motion.dynamic < len(motion.bodies) - 1
    if any_kinematic or not is_shared(team, used, CONTACTS):  # their work is added up in order
        for c in range(used):
            act_at(contacts, c, motion, new_impulse(contacts.row[c]))
        return any_articulated
    share(team, GATHER, 0, used, CONTACTS, gather_pushes, (contacts,))
    bodies = (motion.dynamic + team.threads - 1) // team.threads
    share(team, ACT, 0, motion.dynamic, bodies, act_on_bodies, (contacts, motion))
    return any_articulated


@inner_kernel
def gather_pushes(contacts, begin, end):
    """Put down what is new of the impulses of some contacts, and what that does to their bodies."""
    pushes = begin
    for c in range(begin, end):
        row, mark = contacts.row[c], contacts.mark[c]
        p, turn = new_impulse(row), _new_torque(row)
        if p == ZERO3 and turn == ZERO3:
            continue
        if turn != ZERO3:
            set_vec3(row.torque_applied, vec3_of(row.torque))
        push = contacts.push[pushes]
        push.body1, push.body2 = mark.body1, mark.body2
        set_vec3(push.impulse, p)
        set_vec3(push.turn, turn)
        set_vec3(push.torque1, cross(vec3_of(row.arm1), -p))
        set_vec3(push.torque2, cross(vec3_of(row.arm2), p))
        pushes += 1
    contacts.chunk[begin // CONTACTS, FOUND] = pushes - begin


@inner_kernel
def act_on_bodies(contacts, motion, begin, end):
    """Let what was put down act on some of the bodies, in the order of the contacts."""
    states, bodies = motion.states, motion.bodies
    for at in range(0, contacts.used[0], CONTACTS):
        for k in range(at, at + int(contacts.chunk[at // CONTACTS, FOUND])):
            push = contacts.push[k]
            i1, i2, p, turn = push.body1, push.body2, vec3_of(push.impulse), vec3_of(push.turn)
            if begin <= i1 < end:
                _act_on(states[i1], bodies[i1].inverse_mass, -turn, -p, vec3_of(push.torque1))
            if begin <= i2 < end:
                _act_on(states[i2], bodies[i2].inverse_mass, turn, p, vec3_of(push.torque2))


@inlined_kernel
def _act_on(body, inverse_mass, turn, p, torque):
    """Let a torque impulse act on a body (BodyState), and then an impulse p, as one contact after
    the other would: what is zero does nothing, not even to the sign of a zero.
    """
    if turn != ZERO3:
        set_vec3(body.angular_momentum, vec3_of(body.angular_momentum) + turn)
    if p != ZERO3:
        _push(body, inverse_mass, p, torque)


@inlined_kernel
def act_at(contacts, c, motion, p):
    """Let a new impulse p of contact c, and what is new of its torque, act on its bodies."""
    row, mark = contacts.row[c], contacts.mark[c]
    t = _new_torque(row)
    if t != ZERO3:
        set_vec3(row.torque_applied, vec3_of(row.torque))
        _turn_bodies(contacts, motion.states, motion.dynamic, c, t)
        _add_turning_work(contacts, motion, c, t)
    if p != ZERO3:
        _act(motion, mark.body1, -p, vec3_of(row.arm1))
        _act(motion, mark.body2, p, vec3_of(row.arm2))


@inner_kernel
def _rest(delassus, motion):
    """Let the bodies of the probe rest where they are."""
    bodies = delassus.probe.bodies
    copy_poses(motion.states, bodies)
    halt(bodies)
    for i in range(len(bodies)):
        put_vec3(delassus.probe_work.angular_velocity, i, ZERO3)


@inner_kernel
def _push_probe(contacts, solver_bodies, delassus, motion, c, p):
    """Let the impulse p act at contact c on the jointed bodies of the probe."""
    i1, i2 = contacts.mark[c].body1, contacts.mark[c].body2
    bodies = delassus.probe.bodies
    if solver_bodies.mark[i1].jointed:
        torque = cross(vec3_of(contacts.row[c].arm1), -p)
        _push(bodies[i1], motion.bodies[i1].inverse_mass, -p, torque)
    if solver_bodies.mark[i2].jointed:
        torque = cross(vec3_of(contacts.row[c].arm2), p)
        _push(bodies[i2], motion.bodies[i2].inverse_mass, p, torque)


@inner_kernel
def _push(body, inverse_mass, p, torque):
    """Let the impulse p act on a body (BodyState), with its torque about the centre."""
    set_vec3(body.velocity, vec3_of(body.velocity) + p * inverse_mass)
    set_vec3(body.angular_momentum, vec3_of(body.angular_momentum) + torque)


@inner_kernel
def _act_on_probe(contact, motion):
    """Let new impulses at contacts with jointed bodies act on those bodies in the probe, which rest
    there; whether there are any.
    """
    contacts, solver_bodies, delassus = contact.contacts, contact.solver_bodies, contact.delassus
    acts = False
    if delassus.used[0] > 0:
        _rest(delassus, motion)
    for k in range(delassus.used[0]):
        c = delassus.contact[k]
        row = contacts.row[c]
        p, t = vec3_of(row.impulse) - vec3_of(row.applied), _new_torque(row)
        if t != ZERO3:
            _turn_bodies(contacts, delassus.probe.bodies, motion.dynamic, c, t)
            acts = True
        if p != ZERO3:
            _push_probe(contacts, solver_bodies, delassus, motion, c, p)
            acts = True
    return acts


@inlined_kernel
def _act(motion, i, p, arm):
    """Let an impulse p act on body i, at the end of an arm from its centre."""
    if i < motion.dynamic:
        _push(motion.states[i], motion.bodies[i].inverse_mass, p, cross(arm, p))
    elif i < len(motion.bodies) - 1:
        v = vec3_of(motion.states[i].velocity) + cross(vec3_at(motion.angular_velocity, i), arm)
        motion.kinematic_work[0] -= dot(p, v)


@inner_kernel
def _add_turning_work(contacts, motion, c, t):
    """Add what kinematic bodies do with the torque impulse t at contact c to the kinematic work."""
    i1, i2, world = contacts.mark[c].body1, contacts.mark[c].body2, len(motion.bodies) - 1
    if motion.dynamic <= i1 < world:
        motion.kinematic_work[0] += dot(t, vec3_at(motion.angular_velocity, i1))
    if motion.dynamic <= i2 < world:
        motion.kinematic_work[0] -= dot(t, vec3_at(motion.angular_velocity, i2))


@inner_kernel
def _turn_bodies(contacts, bodies, dynamic, c, t):
    """Let the torque impulse t at contact c act on its bodies."""
    i1, i2 = contacts.mark[c].body1, contacts.mark[c].body2
    if i1 < dynamic:
        set_vec3(bodies[i1].angular_momentum, vec3_of(bodies[i1].angular_momentum) - t)
    if i2 < dynamic:
        set_vec3(bodies[i2].angular_momentum, vec3_of(bodies[i2].angular_momentum) + t)


@inlined_kernel
def respond_joints(model, structure, delassus, state, work):
    """Let the joints answer the contact impulses that just acted; λ is left in work.impulse."""
    angular_velocities(model, delassus.probe, delassus.probe_work)
    relative_velocities(model, delassus.probe, delassus.probe_work, delassus.probe_rate)
    solve(structure, delassus.probe_rate, -1.0, work)
    apply_impulses(model, work.impulse, state, work)
