"""The iterate of Newton's method for an island: impulses and velocities of its contacts, a step
from there, what breaks their laws, and the best iterate so far.
"""

from __future__ import annotations

import math

from impulse_core.algebra import dot, norm, set_vec3, vec3_of
from impulse_core.contact.law import in_disc, within_arms
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = [
    "NO_NUMBER",
    "cut",
    "go_on",
    "keep_iterate",
    "residual",
    "return_to_best",
    "shorten",
    "store",
]

NO_NUMBER = 1e300  # residual of an iterate that has left the numbers
_SHRINKINGS = 6  # of a Newton step that does not help


@inner_kernel
def residual(work, n, items, share):
    """Largest ‖p - P(p - ρu)‖/ρ [m/s] after a share of the Newton step; turning counts as the way
    at the arm at which a force would move the contact as much.
    """
    worst = 0.0
    for k in range(n):
        row = work.row[k]
        normal, w = vec3_of(row.normal), row.inverse
        p, u = _after(row, share)
        z = p - u * (1.0 / w)
        z_n = max(dot(normal, z), row.min_impulse)
        across = in_disc(z - normal * dot(normal, z), row.friction * max(dot(normal, p), 0.0))
        size = norm(p - normal * z_n - across) * w
        if not (size <= worst):
            worst = size if size == size else NO_NUMBER
    for k in range(n, items):
        row, contact = work.row[k], work.row[work.mark[k].place]
        normal, w = vec3_of(row.normal), row.inverse
        p, _ = _after(contact, share)
        t, turn = _after(row, share)
        z = t - turn * (1.0 / w)
        p_n = max(dot(normal, p), 0.0)
        z = within_arms(normal, z, row.rolling * p_n, row.torsion * p_n)
        size = norm(t - z) * math.sqrt(w * contact.inverse)
        if not (size <= worst):
            worst = size if size == size else NO_NUMBER
    return worst


@inlined_kernel
def _after(row, share):
    """Impulse and velocity of a row after a share of the Newton step, of which 0 reads nothing."""
    p, u = vec3_of(row.trial), vec3_of(row.rate)
    if share > 0.0:
        p, u = p + share * vec3_of(row.change), u + share * vec3_of(row.push)
    return p, u


@inlined_kernel
def go_on(work, n, share):
    """Take a share of the Newton step."""
    for k in range(n):
        for axis in range(3):
            work.row[k].trial[axis] += share * work.row[k].change[axis]
            work.row[k].rate[axis] += share * work.row[k].push[axis]


@inlined_kernel
def shorten(work, n, items, before, after):
    """Halve a Newton step until it leaves less than ``before``: its share, and what it leaves."""
    share = 1.0
    for _shrinking in range(_SHRINKINGS):
        if after < before:
            break
        share *= 0.5
        after = residual(work, n, items, share)
    return share, after


@inner_kernel
def keep_iterate(work, n):
    """Keep impulses and velocities as the best so far."""
    for k in range(n):
        set_vec3(work.row[k].best_trial, vec3_of(work.row[k].trial))
        set_vec3(work.row[k].best_rate, vec3_of(work.row[k].rate))


@inner_kernel
def return_to_best(work, n):
    """Return to the best impulses and velocities."""
    for k in range(n):
        set_vec3(work.row[k].trial, vec3_of(work.row[k].best_trial))
        set_vec3(work.row[k].rate, vec3_of(work.row[k].best_rate))


@inner_kernel
def cut(work, n, items):
    """Put what brings the impulses into their cones into the change; whether there is any of it."""
    any_cut = False
    for k in range(items):
        row = work.row[k]
        p = vec3_of(row.trial)
        if k < n:
            change = _in_cone(row, p) - p
        else:
            contact = work.row[work.mark[k].place]
            force = vec3_of(contact.trial) + vec3_of(contact.change)
            change = _within_turning(row, p, force) - p
        set_vec3(row.change, change)
        any_cut = any_cut or change.x != 0.0 or change.y != 0.0 or change.z != 0.0
    return any_cut


@inner_kernel
def store(contacts, work, n, items):
    """Keep the impulses, within their cones."""
    for k in range(items):
        c, row = work.mark[k].contact, work.row[k]
        p = vec3_of(row.trial)
        if k < n:
            set_vec3(contacts.row[c].impulse, _in_cone(row, p))
        else:
            t = _within_turning(row, p, vec3_of(contacts.row[c].impulse))
            set_vec3(contacts.row[c].torque, t)


@inlined_kernel
def _within_turning(row, t, p):
    """The torque impulse t of a row, cut to what it may be with the impulse p."""
    normal = vec3_of(row.normal)
    p_n = max(dot(normal, p), 0.0)
    return within_arms(normal, t, row.rolling * p_n, row.torsion * p_n)


@inlined_kernel
def _in_cone(row, p):
    """The impulse p, cut to the cone of a row."""
    normal = vec3_of(row.normal)
    p_n = max(dot(normal, p), row.min_impulse)
    across = p - normal * dot(normal, p)
    return normal * p_n + in_disc(across, row.friction * p_n)
