"""Contacts on jointed bodies in an island of batches: each is visited alone, after these.

An impulse at one of them moves the others through the joints, by the Delassus operator
(delassus.py), and bodies that no joint holds in the velocities of the batches. They take part in
the momentum of the sweeps (batch_sweeps.py) like all others.
"""

from __future__ import annotations

import math

from impulse_core.algebra import Vec3, cross, dot, mat3_of, set_vec3, vec3_at, vec3_of
from impulse_core.contact.batches import LANES
from impulse_core.contact.delassus import push_articulated
from impulse_core.contact.islands import island_of
from impulse_core.contact.jacobian import diagonal_block
from impulse_core.contact.law import JOINTED_TIMES, contact_law, effective_inverse_mass
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["begin_articulated", "extrapolate_articulated", "visit_articulated"]


@inner_kernel
def begin_articulated(contacts, solver_bodies, delassus, i):
    """Find W of the contacts on jointed bodies of the island of solver body i, and begin without
    momentum.
    """
    for k in range(delassus.used[0]):
        c = delassus.contact[k]
        if island_of(contacts.mark, solver_bodies.mark, c) == i:
            diagonal_block(contacts, solver_bodies, delassus, c)
            set_vec3(contacts.row[c].before_sweep, vec3_of(contacts.row[c].impulse))


@inner_kernel
def visit_articulated(contacts, solver_bodies, delassus, velocity, i):
    """Give each of them the impulse of its law; Σ w Δp² [J], and the largest change of a velocity
    [m/s].

    ``velocity`` has the changes of the velocities of all bodies, a row of sixteen numbers each.
    """
    row, mark = contacts.row, contacts.mark
    total, largest = 0.0, 0.0
    for k in range(delassus.used[0]):
        c = delassus.contact[k]
        if island_of(mark, solver_bodies.mark, c) != i:
            continue
        n, p = vec3_of(row[c].normal), vec3_of(row[c].impulse)
        u = _relative_velocity(row[c], mark[c], solver_bodies.row, velocity)
        u = u + vec3_at(delassus.velocity, k)
        W, W_inverse = mat3_of(row[c].block), mat3_of(row[c].block_inverse)
        floor = row[c].min_impulse
        new, moved = contact_law(W, W_inverse, n, u, p, row[c].friction, floor, JOINTED_TIMES)
        set_vec3(row[c].impulse, new)
        d = new - p
        push_articulated(delassus, k, d)
        _push(velocity, solver_bodies.row, mark[c].body1, -d, vec3_of(row[c].arm1))
        _push(velocity, solver_bodies.row, mark[c].body2, d, vec3_of(row[c].arm2))
        total += effective_inverse_mass(row, c) * dot(d, d)
        largest = max(largest, dot(moved, moved))
    return total, math.sqrt(largest)


@inner_kernel
def extrapolate_articulated(contacts, solver_bodies, delassus, i, beta):
    """Go on by β of the way since the sweep before, p ← p + β (p - p_before). The velocities of
    the batches go on by themselves.
    """
    row = contacts.row
    for k in range(delassus.used[0]):
        c = delassus.contact[k]
        if island_of(contacts.mark, solver_bodies.mark, c) == i:
            p = vec3_of(row[c].impulse)
            d = (p - vec3_of(row[c].before_sweep)) * beta
            set_vec3(row[c].before_sweep, p)
            set_vec3(row[c].impulse, p + d)
            push_articulated(delassus, k, d)


@inlined_kernel
def _relative_velocity(row, mark, bodies, velocity):
    """Of a contact, by bodies that no joint holds, with the changes of their velocities."""
    u = vec3_of(row.offset)
    v1, w1 = _velocities(bodies, velocity, mark.body1)
    v2, w2 = _velocities(bodies, velocity, mark.body2)
    return u + v2 - v1 + cross(w2, vec3_of(row.arm2)) - cross(w1, vec3_of(row.arm1))


@inlined_kernel
def _velocities(bodies, velocity, b):
    """Velocity and angular velocity of body b."""
    at = LANES * b
    v = Vec3(velocity[at], velocity[at + 1], velocity[at + 2])
    w = Vec3(velocity[at + 3], velocity[at + 4], velocity[at + 5])
    return v + vec3_of(bodies[b].velocity), w + vec3_of(bodies[b].angular_velocity)


@inlined_kernel
def _push(velocity, bodies, b, p, arm):
    """Apply the impulse p to body b at ``arm`` from its centre, unless a joint holds it."""
    if bodies[b].inverse_mass == 0.0:
        return
    at = LANES * b
    v = p * bodies[b].inverse_mass
    w = mat3_of(bodies[b].inverse_inertia) @ cross(arm, p)
    velocity[at] += v.x
    velocity[at + 1] += v.y
    velocity[at + 2] += v.z
    velocity[at + 3] += w.x
    velocity[at + 4] += w.y
    velocity[at + 5] += w.z
