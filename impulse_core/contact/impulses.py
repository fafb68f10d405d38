"""Impulses at contacts: what of them is new acts on bodies, and on those that joints hold."""

from __future__ import annotations

from typing import NamedTuple

from impulse_core.algebra import ZERO3, Vec3, cross, dot, put_vec3, set_vec3, vec3_at, vec3_of
from impulse_core.jit import inlined_kernel, inner_kernel
from impulse_core.jit.team import is_shared, share
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    relative_velocities,
)
from impulse_core.model.copies import copy_poses, halt
from impulse_core.model.tasks import APPLY, CONTACTS
from impulse_core.solver.direct import solve

__all__ = [
    "act_at",
    "apply_contact_impulses",
    "new_impulse",
    "note_new_impulses",
    "respond_joints",
]


class NewImpulse(NamedTuple):
    """What of the impulse of a contact has not acted yet."""

    impulse: Vec3
    """[N s], on body 2."""
    torque1: Vec3
    """Its torque about the centre of body 1, whose impulse is the opposite one [N m s]."""
    torque2: Vec3
    """The same of body 2."""
    resists: bool
    """Whether the contact resists turning."""


@inlined_kernel
def new_impulse(row):
    """The NewImpulse of a contact (ContactRow), which counts as applied from now on."""
    p = vec3_of(row.impulse) - vec3_of(row.applied)
    if p.x == 0.0 and p.y == 0.0 and p.z == 0.0:
        return NewImpulse(p, ZERO3, ZERO3, row.resists > 0.0)
    set_vec3(row.applied, vec3_of(row.impulse))
    torque1, torque2 = cross(vec3_of(row.arm1), -p), cross(vec3_of(row.arm2), p)
    return NewImpulse(p, torque1, torque2, row.resists > 0.0)


@inner_kernel
def apply_contact_impulses(contacts, solver_bodies, delassus, team, motion):
    """Let what of the impulses has not acted yet act on the bodies.

    Returns whether any of it acts on jointed bodies, in the probe as well; work of kinematic
    bodies, p times their own velocity, is added to the kinematic work.
    """
    any_articulated = False
    if delassus.used[0] > 0:
        _rest(delassus, motion)
    shared = is_shared(team, contacts.used[0], CONTACTS)
    if shared:
        share(team, APPLY, 0, contacts.used[0], CONTACTS, note_new_impulses, (contacts,))
    for c in range(contacts.used[0]):
        new = _noted(contacts.noted[c]) if shared else new_impulse(contacts.row[c])
        if contacts.mark[c].delassus_row >= 0:
            acts = _act_on_probe(contacts, solver_bodies, delassus, motion, c, new)
            any_articulated = acts or any_articulated
        act_at(contacts, c, motion, new)
    return any_articulated


@inner_kernel
def note_new_impulses(contacts, begin, end):
    """Note the NewImpulse of some contacts, over what passes before this one have found."""
    for c in range(begin, end):
        new, noted = new_impulse(contacts.row[c]), contacts.noted[c]
        noted[0], noted[1], noted[2] = new.impulse.x, new.impulse.y, new.impulse.z
        noted[3] = 1.0 if new.resists else 0.0
        noted[4], noted[5], noted[6] = new.torque1.x, new.torque1.y, new.torque1.z
        noted[7], noted[8], noted[9] = new.torque2.x, new.torque2.y, new.torque2.z


@inlined_kernel
def _noted(noted):
    """The NewImpulse that was noted of a contact."""
    p, torque1 = Vec3(noted[0], noted[1], noted[2]), Vec3(noted[4], noted[5], noted[6])
    return NewImpulse(p, torque1, Vec3(noted[7], noted[8], noted[9]), noted[3] > 0.0)


@inlined_kernel
def act_at(contacts, c, motion, new):
    """Let what is new of the impulse of contact c act on its bodies."""
    row, mark, p = contacts.row[c], contacts.mark[c], new.impulse
    if new.resists:
        t = vec3_of(row.torque) - vec3_of(row.torque_applied)
        set_vec3(row.torque_applied, vec3_of(row.torque))
        _turn_bodies(contacts, motion.states, motion.dynamic, c, t)
        _add_turning_work(contacts, motion, c, t)
    if p.x != 0.0 or p.y != 0.0 or p.z != 0.0:
        _act(motion, mark.body1, -p, new.torque1, vec3_of(row.arm1))
        _act(motion, mark.body2, p, new.torque2, vec3_of(row.arm2))


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
def _act_on_probe(contacts, solver_bodies, delassus, motion, c, new):
    """Let it act on the jointed bodies of the probe; whether there is any of it."""
    row, acts, p = contacts.row[c], False, new.impulse
    if new.resists:
        t = vec3_of(row.torque) - vec3_of(row.torque_applied)
        if t.x != 0.0 or t.y != 0.0 or t.z != 0.0:
            _turn_bodies(contacts, delassus.probe.bodies, motion.dynamic, c, t)
            acts = True
    if p.x != 0.0 or p.y != 0.0 or p.z != 0.0:
        _push_probe(contacts, solver_bodies, delassus, motion, c, p)
        acts = True
    return acts


@inlined_kernel
def _act(motion, i, p, torque, arm):
    """Let an impulse p act on body i, with its torque about the centre and the arm of that."""
    if i < motion.dynamic:
        _push(motion.states[i], motion.bodies[i].inverse_mass, p, torque)
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
