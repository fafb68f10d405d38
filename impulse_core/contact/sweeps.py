"""Nonlinear block Gauss-Seidel over the contacts of an island: each in turn gets the impulse of its
own law.

A contact is visited again only if one of its bodies was moved noticeably since. A sweep is also a
step of a conjugate gradient method, whose direction goes on as long as changes become smaller
(Silcowitz, Niebe and Erleben 2010): a tower whose contacts stick is as ill-conditioned as the beam
that it is. Islands that a few sweeps do not solve are solved by Newton's method where that is
cheap.
"""

from __future__ import annotations

from impulse_core.algebra import (
    ZERO3,
    cross,
    dot,
    mat3_of,
    norm,
    put_vec3,
    set_vec3,
    transposed_times,
    vec3_at,
    vec3_of,
)
from impulse_core.contact.friction import contact_law, in_disc
from impulse_core.contact.islands import is_large
from impulse_core.contact.machines import answer_block
from impulse_core.contact.movers import push_mover
from impulse_core.contact.newton import IMPROVED, SOLVED, TOO_MANY, solve_island
from impulse_core.contact.rows import contact_answers
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["solve_contacts"]

_FIRST_SWEEPS = 8  # before an island is solved for by Newton's method
_MOST_SWEEPS = 100
_MOST_OF_LARGE = 20
_CALM = 0.3  # of the accuracy, the change of a velocity that counts as none
_ENOUGH = 0.03  # of the changes in the first sweep, what large islands are left with


@inner_kernel
def solve_contacts(contacts, movers, joined, newton, accuracy, coarse):
    """Find the impulses of all unsolved islands for the velocities of the movers.

    The laws are to hold to accuracy [m/s], those of large islands to a coarse one.
    """
    world = len(movers.mark) - 1
    for i in range(world):
        movers.mark[i].stirred = -1
    for i in range(world):
        if movers.mark[i].unsolved == 0:
            continue
        contact_answers(contacts, movers, joined, i)
        large = is_large(movers.mark, i)
        calm = _CALM * (coarse if large else accuracy)
        sweeps, first, quiet = _sweep(contacts, movers, joined, i, calm, 1, _FIRST_SWEEPS)
        if quiet and large:
            continue
        result = solve_island(contacts, movers, joined, newton, i, accuracy)
        if result == SOLVED:
            continue
        if result == IMPROVED:
            _answer_changes(contacts, movers, joined, i)
        most = _MOST_SWEEPS
        if large and result == TOO_MANY:
            calm = max(calm, _ENOUGH * first)
            most = _MOST_OF_LARGE
        _sweep(contacts, movers, joined, i, calm, sweeps + 1, most)


@inner_kernel
def _answer_changes(contacts, movers, joined, i):
    """Let the bodies of an island answer the changes of its impulses since the last sweep."""
    c = movers.mark[i].head
    while c >= 0:
        p = vec3_of(contacts.row[c].impulse) - vec3_of(contacts.row[c].before_sweep)
        _answer_all(contacts.row, contacts.mark, movers, joined, c, p)
        c = contacts.mark[c].next


@inner_kernel
def _sweep(contacts, movers, joined, i, calm, first, last):
    """Sweeps number ``first`` to ``last`` at most over the island of mover i.

    Returns the number of the last one, the largest change of a velocity in the first [m/s], and
    whether there was none above ``calm`` in the last. ``before_sweep`` is left with the impulses
    that the velocities of the movers answer to.
    """
    row, mark, mover = contacts.row, contacts.mark, movers.mark
    world = len(mover) - 1
    mover[world].stirred = -1
    before, most = 0.0, 0.0
    quiet = False
    sweep = first - 1
    while sweep < last and not quiet:
        sweep += 1
        largest, change = 0.0, 0.0
        c = mover[i].head
        while c >= 0:
            if sweep == first:
                set_vec3(row[c].search, ZERO3)
            set_vec3(row[c].before_sweep, vec3_of(row[c].impulse))
            m1, m2 = mover[mark[c].body1].mover, mover[mark[c].body2].mover
            stirred = max(mover[m1].stirred, mover[m2].stirred)
            if stirred >= sweep - 1 or (sweep == first and mark[c].violated):
                changed = _visit(row, mark, movers, joined, c)
                largest = max(largest, changed)
                if changed > calm:
                    mover[m1].stirred = sweep
                    mover[m2].stirred = sweep
                    mover[world].stirred = -1
                d = vec3_of(row[c].impulse) - vec3_of(row[c].before_sweep)
                change += dot(d, d)
            c = mark[c].next
        quiet = largest <= calm
        if sweep == first:
            most = largest
        if not quiet and sweep < last:
            beta = change / before if before > change else 0.0
            _go_on(contacts, movers, joined, i, beta, sweep)
        before = change
    c = mover[i].head
    while c >= 0:
        set_vec3(row[c].before_sweep, vec3_of(row[c].impulse))
        c = mark[c].next
    return sweep, most, quiet


@inner_kernel
def _go_on(contacts, movers, joined, i, beta, sweep):
    """Go on by β in the direction of the sweeps before, s ← β s + Δp; 0 begins a new direction."""
    row, mark, mover = contacts.row, contacts.mark, movers.mark
    c = mover[i].head
    while c >= 0:
        s = vec3_of(row[c].search) * beta
        p = vec3_of(row[c].impulse)
        set_vec3(row[c].search, s + p - vec3_of(row[c].before_sweep))
        if s.x != 0.0 or s.y != 0.0 or s.z != 0.0:
            set_vec3(row[c].impulse, p + s)
            _answer_all(row, mark, movers, joined, c, s)
            mover[mover[mark[c].body1].mover].stirred = sweep
            mover[mover[mark[c].body2].mover].stirred = sweep
        c = mark[c].next
    mover[len(mover) - 1].stirred = -1


@inlined_kernel
def _visit(row, mark, movers, joined, c):
    """Give contact c the impulse of its law; returns by how much its velocity changed [m/s]."""
    i1, i2, k = mark[c].body1, mark[c].body2, mark[c].joined
    n, r1, r2 = vec3_of(row[c].normal), vec3_of(row[c].arm1), vec3_of(row[c].arm2)
    u = vec3_of(row[c].offset)
    u = u + vec3_of(movers.row[i2].velocity) - vec3_of(movers.row[i1].velocity)
    u = u + cross(vec3_of(movers.row[i2].spin), r2) - cross(vec3_of(movers.row[i1].spin), r1)
    if k >= 0:
        u = u + vec3_at(joined.velocity, k)
    p = vec3_of(row[c].impulse)
    floor = row[c].floor
    bears = p.x != 0.0 or p.y != 0.0 or p.z != 0.0 or dot(n, u) < 0.0 or floor > 0.0
    if not bears:
        return 0.0
    W, W_inverse = mat3_of(row[c].block), mat3_of(row[c].block_inverse)
    new, moved = contact_law(W, W_inverse, n, u, p, row[c].friction, floor)
    set_vec3(row[c].impulse, new)
    _answer_all(row, mark, movers, joined, c, new - p)
    if row[c].rolling > 0.0:
        _resist_rolling(row, mark, movers, joined, c, dot(n, new))
    return norm(moved)


@inlined_kernel
def _answer_all(row, mark, movers, joined, c, p):
    """Let the bodies of contact c answer a change p of its impulse."""
    i1, i2 = mark[c].body1, mark[c].body2
    if movers.row[i1].inverse_mass > 0.0:
        push_mover(movers.row[i1], -p, vec3_of(row[c].arm1))
    if movers.row[i2].inverse_mass > 0.0:
        push_mover(movers.row[i2], p, vec3_of(row[c].arm2))
    if mark[c].joined >= 0:
        _answer_joined(joined, mark[c].joined, p)


@inlined_kernel
def _answer_joined(joined, k, p):
    """Let jointed bodies answer the impulse p at joined contact k, at all of their contacts."""
    for m in range(joined.used[0]):
        for axis in range(3):
            a = joined.answer[3 * m + axis, 3 * k] * p.x
            a += joined.answer[3 * m + axis, 3 * k + 1] * p.y
            a += joined.answer[3 * m + axis, 3 * k + 2] * p.z
            joined.velocity[m, axis] += a
    if joined.rolls[0]:
        for m in range(joined.used[0]):
            C = answer_block(joined.spin_answer, 3 * m, 3 * k)
            put_vec3(joined.spin, m, vec3_at(joined.spin, m) + C @ p)


@inlined_kernel
def _resist_rolling(row, mark, movers, joined, c, p_n):
    """Rolling resistance: a torque against the relative turning across the normal, at most
    lever arm × p_n.
    """
    i1, i2, k, n = mark[c].body1, mark[c].body2, mark[c].joined, vec3_of(row[c].normal)
    bodies = movers.row
    J1, J2 = mat3_of(bodies[i1].inverse_inertia), mat3_of(bodies[i2].inverse_inertia)
    softness = max(J1.xx + J1.yy + J1.zz + J2.xx + J2.yy + J2.zz, 1e-300)
    w = vec3_of(row[c].turn_offset) + vec3_of(bodies[i2].spin) - vec3_of(bodies[i1].spin)
    if k >= 0:
        T = answer_block(joined.turn_answer, 3 * k, 3 * k)
        softness += T.xx + T.yy + T.zz
        w = w + vec3_at(joined.spin, k)
    w = w - n * dot(n, w)
    t = vec3_of(row[c].torque)
    new = in_disc(t - w * (1.0 / softness), row[c].rolling * p_n)
    set_vec3(row[c].torque, new)
    change = new - t
    set_vec3(bodies[i1].spin, vec3_of(bodies[i1].spin) - J1 @ change)
    set_vec3(bodies[i2].spin, vec3_of(bodies[i2].spin) + J2 @ change)
    if k >= 0:
        _answer_turn(joined, k, change)


@inlined_kernel
def _answer_turn(joined, k, t):
    """Let jointed bodies answer the torque impulse t at joined contact k."""
    for m in range(joined.used[0]):
        C = answer_block(joined.spin_answer, 3 * k, 3 * m)
        put_vec3(joined.velocity, m, vec3_at(joined.velocity, m) + transposed_times(C, t))
        T = answer_block(joined.turn_answer, 3 * m, 3 * k)
        put_vec3(joined.spin, m, vec3_at(joined.spin, m) + T @ t)
