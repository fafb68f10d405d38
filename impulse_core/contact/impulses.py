"""Impulses at contacts: what of them is new acts on bodies, and on those that joints hold."""

from __future__ import annotations

from impulse_core.algebra import ZERO3, cross, dot, put_vec3, set_vec3, vec3_at, vec3_of
from impulse_core.jit import inlined_kernel, inner_kernel
from impulse_core.joints.constraints import (
    angular_velocities,
    apply_impulses,
    relative_velocities,
)
from impulse_core.model.copies import copy_poses, halt
from impulse_core.solver.direct import solve

__all__ = [
    "act_at",
    "apply_contact_impulses",
    "new_impulse",
    "respond_joints",
]


@inlined_kernel
def new_impulse(row):
    """What of the impulse of a contact (ContactRow) has not acted yet [N s]; it counts as applied
    from now on.
    """
    p = vec3_of(row.impulse) - vec3_of(row.applied)
    if p.x != 0.0 or p.y != 0.0 or p.z != 0.0:
        set_vec3(row.applied, vec3_of(row.impulse))
    return p


@inner_kernel
def apply_contact_impulses(contacts, solver_bodies, delassus, motion):
    """Let what of the impulses has not acted yet act on the bodies.

    Returns whether any of it acts on jointed bodies, in the probe as well; work of kinematic
    bodies, p times their own velocity, is added to the kinematic work.
    """
    any_articulated = False
    if delassus.used[0] > 0:
        _rest(delassus, motion)
    for c in range(contacts.used[0]):
        p = new_impulse(contacts.row[c])
        if contacts.mark[c].delassus_row >= 0:
            acts = _act_on_probe(contacts, solver_bodies, delassus, motion, c, p)
            any_articulated = acts or any_articulated
        act_at(contacts, c, motion, p)
    return any_articulated


@inlined_kernel
def act_at(contacts, c, motion, p):
    """Let a new impulse p of contact c, and what is new of its torque, act on its bodies."""
    row, mark = contacts.row[c], contacts.mark[c]
    if row.resists > 0.0:
        t = vec3_of(row.torque) - vec3_of(row.torque_applied)
        set_vec3(row.torque_applied, vec3_of(row.torque))
        _turn_bodies(contacts, motion.states, motion.dynamic, c, t)
        _add_turning_work(contacts, motion, c, t)
    if p.x != 0.0 or p.y != 0.0 or p.z != 0.0:
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
def _act_on_probe(contacts, solver_bodies, delassus, motion, c, p):
    """Let it act on the jointed bodies of the probe; whether there is any of it."""
    row, acts = contacts.row[c], False
    if row.resists > 0.0:
        t = vec3_of(row.torque) - vec3_of(row.torque_applied)
        if t.x != 0.0 or t.y != 0.0 or t.z != 0.0:
            _turn_bodies(contacts, delassus.probe.bodies, motion.dynamic, c, t)
            acts = True
    if p.x != 0.0 or p.y != 0.0 or p.z != 0.0:
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
