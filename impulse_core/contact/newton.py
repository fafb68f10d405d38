"""One island at once: a generalised Newton method on the laws of all its contacts.

The law of a contact is p = P(p - ρu), P the projection onto its cone for the present normal
impulse. Where it is open, sticks or slides it is linear in p and u, and u = u0 + W p: a linear
system, of which the solution is the next iterate (Alart and Curnier 1991). It is solved over the
bodies of the island, or over its contacts if the island is articulated.
"""

from __future__ import annotations

from impulse_core.algebra import cross, dot, norm, set_vec3, vec3_at, vec3_of
from impulse_core.contact.banded import banded_push, banded_step, order_bodies
from impulse_core.contact.dense import dense_delassus, dense_push, dense_step
from impulse_core.contact.law import effective_inverse_mass, in_disc
from impulse_core.contact.newton_work import MOST_DENSE
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["IMPROVED", "SOLVED", "TOO_MANY", "solve_island"]

SOLVED, IMPROVED, TOO_MANY = 0, 1, 2

_ITERATIONS = 20
_SHRINKINGS = 6  # of a Newton step that does not help
_MOST_WORK = 4_000_000  # products in the elimination of a banded system
_EXACT = 1e-5  # of the accuracy: what the last iterations reach at little cost
_NO_NUMBER = 1e300  # residual of an iterate that has left the numbers


@inner_kernel
def solve_island(contacts, solver_bodies, delassus, work, i, accuracy):
    """Improve the impulses of the island of solver body i until its laws hold to accuracy [m/s].

    Iterates may get worse for a while, since that leads over kinks of the laws; what is stored is
    the best of them within its cones, and nothing worse than the impulses given. The velocities in
    solver_bodies and delassus belong to the impulses it begins with, and stay. Returns SOLVED or,
    where that accuracy was not reached, IMPROVED; TOO_MANY for islands left alone.
    """
    n = solver_bodies.mark[i].number
    articulated = solver_bodies.mark[i].articulated == 1
    if articulated and n > MOST_DENSE:
        return TOO_MANY
    _list_contacts(contacts, solver_bodies, work, i)
    bodies, bandwidth = 0, 0
    if articulated:
        dense_delassus(contacts, solver_bodies, delassus, work, n)
    else:
        bodies, bandwidth = order_bodies(contacts, solver_bodies, work, n)
        half = 6 * bandwidth + 5
        if 6 * bodies * (2 * half + 1) > len(work.matrix) or 6 * bodies * half * half > _MOST_WORK:
            return TOO_MANY
    _gather(contacts, solver_bodies, delassus, work, n)
    given = _residual(contacts, work, n, 0.0)
    best = worst = given
    for _ in range(_ITERATIONS):
        if worst <= _EXACT * accuracy:
            break
        if articulated:
            solved = dense_step(contacts, work, n)
        else:
            solved = banded_step(contacts, solver_bodies, work, n, bodies, bandwidth)
        if not solved:
            break
        _push(contacts, solver_bodies, work, n, bodies, articulated)
        share = 1.0
        after = _residual(contacts, work, n, share)
        if worst <= accuracy and not (after < 0.5 * worst):
            break
        for _shrinking in range(_SHRINKINGS):
            if after < worst:
                break
            share *= 0.5
            after = _residual(contacts, work, n, share)
        _go_on(work, n, share)
        worst = after
        if worst < best:
            best = worst
            _keep_iterate(work, n)
        elif worst >= _NO_NUMBER:
            break
    if best < given:
        _return_to_best(work, n)
        _cut(contacts, work, n)
        _push(contacts, solver_bodies, work, n, bodies, articulated)
        best = _residual(contacts, work, n, 1.0)
        if best < given:
            _store(contacts, work, n)
    return SOLVED if min(best, given) <= accuracy else IMPROVED


@inlined_kernel
def _list_contacts(contacts, solver_bodies, work, i):
    """List the contacts of the island of solver body i."""
    c = solver_bodies.mark[i].head
    for k in range(solver_bodies.mark[i].number):
        work.mark[k].contact = c
        c = contacts.mark[c].next


@inlined_kernel
def _go_on(work, n, share):
    """Take a share of the Newton step."""
    for k in range(n):
        for axis in range(3):
            work.row[k].trial[axis] += share * work.row[k].change[axis]
            work.row[k].rate[axis] += share * work.row[k].push[axis]


@inlined_kernel
def _push(contacts, solver_bodies, work, n, bodies, articulated):
    """Put the change of the relative velocities by that of the impulses into ``push``."""
    if articulated:
        dense_push(work, n)
    else:
        banded_push(contacts, solver_bodies, work, n, bodies)


@inner_kernel
def _gather(contacts, solver_bodies, delassus, work, n):
    """Take the impulses and relative velocities of the contacts of an island."""
    row, mark = contacts.row, contacts.mark
    for k in range(n):
        c = work.mark[k].contact
        i1, i2 = mark[c].body1, mark[c].body2
        u = vec3_of(row[c].offset)
        u = u + vec3_of(solver_bodies.row[i2].velocity) - vec3_of(solver_bodies.row[i1].velocity)
        u = u + cross(vec3_of(solver_bodies.row[i2].angular_velocity), vec3_of(row[c].arm2))
        u = u - cross(vec3_of(solver_bodies.row[i1].angular_velocity), vec3_of(row[c].arm1))
        if mark[c].delassus_row >= 0:
            u = u + vec3_at(delassus.velocity, mark[c].delassus_row)
        set_vec3(work.row[k].rate, u)
        set_vec3(work.row[k].trial, vec3_of(row[c].impulse))


@inner_kernel
def _residual(contacts, work, n, share):
    """Largest ‖p - P(p - ρu)‖/ρ [m/s] after a share of the Newton step."""
    row = contacts.row
    worst = 0.0
    for k in range(n):
        c = work.mark[k].contact
        normal = vec3_of(row[c].normal)
        p = vec3_of(work.row[k].trial)
        u = vec3_of(work.row[k].rate)
        if share > 0.0:
            p = p + share * vec3_of(work.row[k].change)
            u = u + share * vec3_of(work.row[k].push)
        w = effective_inverse_mass(row, c)
        z = p - u * (1.0 / w)
        z_n = max(dot(normal, z), row[c].min_impulse)
        across = in_disc(z - normal * dot(normal, z), row[c].friction * max(dot(normal, p), 0.0))
        size = norm(p - normal * z_n - across) * w
        if not (size <= worst):
            worst = size if size == size else _NO_NUMBER
    return worst


@inner_kernel
def _keep_iterate(work, n):
    """Keep impulses and velocities as the best so far."""
    for k in range(n):
        set_vec3(work.row[k].best_trial, vec3_of(work.row[k].trial))
        set_vec3(work.row[k].best_rate, vec3_of(work.row[k].rate))


@inner_kernel
def _return_to_best(work, n):
    """Return to the best impulses and velocities."""
    for k in range(n):
        set_vec3(work.row[k].trial, vec3_of(work.row[k].best_trial))
        set_vec3(work.row[k].rate, vec3_of(work.row[k].best_rate))


@inner_kernel
def _cut(contacts, work, n):
    """Put what brings the impulses into their cones into the change."""
    for k in range(n):
        p = vec3_of(work.row[k].trial)
        set_vec3(work.row[k].change, _in_cone(contacts.row, work.mark[k].contact, p) - p)


@inner_kernel
def _store(contacts, work, n):
    """Keep the impulses, within their cones."""
    for k in range(n):
        c = work.mark[k].contact
        p = _in_cone(contacts.row, c, vec3_of(work.row[k].trial))
        set_vec3(contacts.row[c].impulse, p)


@inner_kernel
def _in_cone(row, c, p):
    """The impulse p, cut to the cone of contact c."""
    normal = vec3_of(row[c].normal)
    p_n = max(dot(normal, p), row[c].min_impulse)
    across = p - normal * dot(normal, p)
    return normal * p_n + in_disc(across, row[c].friction * p_n)
