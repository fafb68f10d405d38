"""Nonlinear block Gauss-Seidel over all contacts: each in turn gets the impulse of its own law.

A contact is visited again only if one of its bodies was moved noticeably since, so that groups of
bodies that rest drop out after one look. A sweep is also a step of a conjugate gradient method,
whose direction goes on as long as changes become smaller (Silcowitz, Niebe and Erleben 2010): a
tower whose contacts stick is as ill-conditioned as the beam that it is.
"""

from __future__ import annotations

from impulse_core.algebra import (
    ZERO3,
    cross,
    dot,
    mat3_at,
    mat3_in,
    norm,
    put_vec3,
    put_vec3_in,
    vec3_at,
    vec3_in,
)
from impulse_core.collision.contacts import (
    ACTIVE,
    ARM1,
    ARM2,
    BEFORE_SWEEP,
    BLOCK,
    BLOCK_INVERSE,
    BODY1,
    BODY2,
    FLOOR,
    FRICTION,
    IMPULSE,
    JOINED,
    NEXT,
    NORMAL,
    OFFSET,
    ROLLING,
    SEARCH,
    TORQUE,
    TURN_OFFSET,
)
from impulse_core.contact.dense import IMPROVED, SOLVED, solve_dense
from impulse_core.contact.friction import contact_law, in_disc
from impulse_core.contact.islands import find_islands, island_of
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["solve_contacts"]

_FIRST_SWEEPS = 8  # before islands are solved for one by one
_LEAST_SWEEPS = 8  # more that islands of any size may take in a round
_MOST_SWEEPS = 100


@inner_kernel
def solve_contacts(contacts, movers, joined, dense, accuracy, visits):
    """Find the impulses for the velocities of the movers.

    A few sweeps over all contacts, then islands of few contacts by the dense Newton method, then
    more sweeps over the others, with about so many visits of single contacts. accuracy is the
    change of a relative velocity [m/s] below which a contact counts as at rest.
    """
    world = len(movers.stirred) - 1
    for i in range(world):
        movers.unsolved[i] = 1
        movers.stirred[i] = 0
        movers.island[i] = i
    movers.stirred[world] = -1
    sweeps, calm = _sweep(contacts, movers, joined, accuracy, 1, _FIRST_SWEEPS)
    if calm:
        return
    if not _solve_small_islands(contacts, movers, joined, dense, accuracy, sweeps):
        most = sweeps + min(max(_LEAST_SWEEPS, visits // max(contacts.used[0], 1)), _MOST_SWEEPS)
        _sweep(contacts, movers, joined, accuracy, sweeps + 1, most)


@inner_kernel
def _solve_small_islands(contacts, movers, joined, dense, accuracy, sweep):
    """Solve for islands that are not at rest after a sweep; returns whether all were solved."""
    mark = contacts.mark
    find_islands(contacts, movers)
    for c in range(contacts.used[0]):
        if mark[c, ACTIVE]:
            m1, m2 = movers.mover[mark[c, BODY1]], movers.mover[mark[c, BODY2]]
            if movers.stirred[m1] >= sweep or movers.stirred[m2] >= sweep:
                movers.unsolved[island_of(mark, movers, c)] = 1
    all_solved = True
    for i in range(len(movers.island)):
        if movers.unsolved[i]:
            c = movers.first_contact[i]
            result = solve_dense(contacts, movers, joined, dense, c, accuracy)
            if result == SOLVED:
                movers.unsolved[i] = 0
                continue
            all_solved = False
            while result == IMPROVED and c >= 0:
                p = vec3_in(contacts.row, c, IMPULSE) - vec3_in(contacts.row, c, BEFORE_SWEEP)
                _answer_all(contacts.row, mark, movers, joined, c, p)
                c = mark[c, NEXT]
    return all_solved


@inner_kernel
def _sweep(contacts, movers, joined, accuracy, first, last):
    """Sweeps number ``first`` to ``last`` at most over contacts of unsolved islands.

    Returns the number of the last one, and whether nothing moved in it.
    """
    mark = contacts.mark
    world = len(movers.stirred) - 1
    before = 0.0
    calm = False
    sweep = first - 1
    while sweep < last and not calm:
        sweep += 1
        calm = True
        change = 0.0
        for c in range(contacts.used[0]):
            if not mark[c, ACTIVE] or not movers.unsolved[island_of(mark, movers, c)]:
                continue
            if sweep == first:
                put_vec3_in(contacts.row, c, SEARCH, ZERO3)
            m1, m2 = movers.mover[mark[c, BODY1]], movers.mover[mark[c, BODY2]]
            put_vec3_in(contacts.row, c, BEFORE_SWEEP, vec3_in(contacts.row, c, IMPULSE))
            if movers.stirred[m1] < sweep - 1 and movers.stirred[m2] < sweep - 1:
                continue
            if _visit(contacts.row, mark, movers, joined, c) > accuracy:
                movers.stirred[m1] = sweep
                movers.stirred[m2] = sweep
                movers.stirred[world] = -1
                calm = False
            d = vec3_in(contacts.row, c, IMPULSE) - vec3_in(contacts.row, c, BEFORE_SWEEP)
            change += dot(d, d)
        if not calm and sweep < last:
            beta = change / before if before > change else 0.0
            _go_on(contacts, movers, joined, beta, sweep)
        before = change
    return sweep, calm


@inner_kernel
def _go_on(contacts, movers, joined, beta, sweep):
    """Go on by β in the direction of the sweeps before, s ← β s + Δp; 0 begins a new direction."""
    row, mark = contacts.row, contacts.mark
    for c in range(contacts.used[0]):
        if not mark[c, ACTIVE] or not movers.unsolved[island_of(mark, movers, c)]:
            continue
        s = vec3_in(row, c, SEARCH) * beta
        p = vec3_in(row, c, IMPULSE)
        put_vec3_in(row, c, SEARCH, s + p - vec3_in(row, c, BEFORE_SWEEP))
        if s.x != 0.0 or s.y != 0.0 or s.z != 0.0:
            put_vec3_in(row, c, IMPULSE, p + s)
            _answer_all(row, mark, movers, joined, c, s)
            movers.stirred[movers.mover[mark[c, BODY1]]] = sweep
            movers.stirred[movers.mover[mark[c, BODY2]]] = sweep
    movers.stirred[len(movers.stirred) - 1] = -1


@inlined_kernel
def _visit(row, mark, movers, joined, c):
    """Give contact c the impulse of its law; returns by how much its velocity changed [m/s]."""
    i1, i2, k = mark[c, BODY1], mark[c, BODY2], mark[c, JOINED]
    n, r1, r2 = vec3_in(row, c, NORMAL), vec3_in(row, c, ARM1), vec3_in(row, c, ARM2)
    u = vec3_in(row, c, OFFSET) + vec3_at(movers.velocity, i2) - vec3_at(movers.velocity, i1)
    u = u + cross(vec3_at(movers.spin, i2), r2) - cross(vec3_at(movers.spin, i1), r1)
    if k >= 0:
        u = u + vec3_at(joined.velocity, k)
    p = vec3_in(row, c, IMPULSE)
    floor = row[c, FLOOR]
    bears = p.x != 0.0 or p.y != 0.0 or p.z != 0.0 or dot(n, u) < 0.0 or floor > 0.0
    if not bears:
        return 0.0
    W = mat3_in(row, c, BLOCK)
    new = contact_law(W, mat3_in(row, c, BLOCK_INVERSE), n, u, p, row[c, FRICTION], floor)
    change = new - p
    put_vec3_in(row, c, IMPULSE, new)
    _answer_all(row, mark, movers, joined, c, change)
    if row[c, ROLLING] > 0.0:
        _resist_rolling(row, movers, c, i1, i2, n, dot(n, new))
    return norm(W @ change)


@inlined_kernel
def _answer_all(row, mark, movers, joined, c, p):
    """Let the bodies of contact c answer a change p of its impulse."""
    i1, i2 = mark[c, BODY1], mark[c, BODY2]
    if movers.inverse_mass[i1] > 0.0:
        _answer(movers, i1, -p, vec3_in(row, c, ARM1))
    if movers.inverse_mass[i2] > 0.0:
        _answer(movers, i2, p, vec3_in(row, c, ARM2))
    if mark[c, JOINED] >= 0:
        _answer_joined(joined, mark[c, JOINED], p)


@inlined_kernel
def _answer(movers, i, p, arm):
    """Let body i, that no joint holds, answer the impulse p at ``arm``."""
    put_vec3(movers.velocity, i, vec3_at(movers.velocity, i) + p * movers.inverse_mass[i])
    spin = vec3_at(movers.spin, i) + mat3_at(movers.inverse_inertia, i) @ cross(arm, p)
    put_vec3(movers.spin, i, spin)


@inlined_kernel
def _answer_joined(joined, k, p):
    """Let jointed bodies answer the impulse p at joined contact k, at all of their contacts."""
    for m in range(joined.used[0]):
        for axis in range(3):
            a = joined.answer[3 * m + axis, 3 * k] * p.x
            a += joined.answer[3 * m + axis, 3 * k + 1] * p.y
            a += joined.answer[3 * m + axis, 3 * k + 2] * p.z
            joined.velocity[m, axis] += a


@inlined_kernel
def _resist_rolling(row, movers, c, i1, i2, n, p_n):
    """Rolling resistance: a torque against the relative turning across the normal, at most
    lever arm × p_n; of bodies that no joint holds.
    """
    J1, J2 = mat3_at(movers.inverse_inertia, i1), mat3_at(movers.inverse_inertia, i2)
    softness = max(J1.xx + J1.yy + J1.zz + J2.xx + J2.yy + J2.zz, 1e-300)
    w = vec3_in(row, c, TURN_OFFSET) + vec3_at(movers.spin, i2) - vec3_at(movers.spin, i1)
    w = w - n * dot(n, w)
    t = vec3_in(row, c, TORQUE)
    new = in_disc(t - w * (1.0 / softness), row[c, ROLLING] * p_n)
    put_vec3_in(row, c, TORQUE, new)
    change = new - t
    put_vec3(movers.spin, i1, vec3_at(movers.spin, i1) - J1 @ change)
    put_vec3(movers.spin, i2, vec3_at(movers.spin, i2) + J2 @ change)
