"""Whether contacts create energy in a step (impulse_core/contact/account.py)."""

from __future__ import annotations

from impulse_core.algebra import ZERO3, dot, vec3_of
from impulse_core.collision.contacts import ACTED, ALSO, BORE, EXTRA, FOUND, RETURNED, WORKED
from impulse_core.contact.account import (
    MOST_CREATED,
    begin_groups,
    excess_of_groups,
    group_of,
    join_bodies,
)
from impulse_core.contact.events import bears
from impulse_core.contact.held import add_held, held_work, holds_at_end, holds_at_start
from impulse_core.contact.jacobian import relative_angular_velocity, relative_velocity
from impulse_core.contact.residuals import accuracy_of
from impulse_core.jit import inlined_kernel, inner_kernel
from impulse_core.jit.team import share
from impulse_core.model.tasks import CLOSE_SECOND, CONTACTS

__all__ = [
    "account_first_half",
    "account_second_half",
    "close_second",
    "energy_created",
    "note_what_acted",
    "sum_of_chunks",
]


@inner_kernel
def account_first_half(contacts, solver_bodies, c, motion, h, accuracy, coarse):
    """Note the work of contact c at the start of a part of length h: on its way over the part, and
    on its velocities. Returns the latter, ½ p·(u⁻ + u⁺) [J], with that of turning.

    Bodies that come together do the work of that way as well, from their gap to none; an impact may
    return it. Penetrating bodies are pushed apart on purpose, and do no work so far.
    """
    row = contacts.row[c]
    noted = contacts.noted[c]
    noted[EXTRA], noted[RETURNED], noted[WORKED] = 0.0, 0.0, 0.0
    p, part = vec3_of(row.impulse), holds_at_start(contacts.mark[c])
    if p.x == 0.0 and p.y == 0.0 and p.z == 0.0 and part == 0.0:
        return 0.0
    u, w = _velocities(contacts, c, motion)
    work = _work(row, u, w) + held_work(row, row.begun, row.roll_first, part, u, w)
    on_way = dot(p, u + vec3_of(row.offset))
    if row.resists > 0.0:
        on_way += dot(vec3_of(row.torque), w + vec3_of(row.turn_offset))
    noted[EXTRA] = _beyond_accuracy(contacts, solver_bodies, c, on_way, accuracy, coarse)
    way = row.target - row.gap
    on_gap = dot(p, vec3_of(row.normal)) * way / h
    noted[RETURNED] = min(on_gap, 0.0)
    noted[WORKED] = work - max(on_gap, 0.0)
    return work


@inner_kernel
def account_second_half(contacts, solver_bodies, team, motion, accuracy, coarse):
    """Add the work of each contact at the end of a part, on the velocities after it and on those
    before and after it. The accuracies are those of velocities [m/s].

    What impacts do along their normals is what they return. Returns the sum of the work on both
    velocities, and whether any contact may have created energy.
    """
    team.number[0], team.number[1] = accuracy, coarse
    given, used = (contacts, solver_bodies, motion, accuracy, coarse), contacts.used[0]
    share(team, CLOSE_SECOND, 0, used, CONTACTS, close_second, given)
    return sum_of_chunks(contacts, FOUND), sum_of_chunks(contacts, ALSO) > 0.0


@inner_kernel
def sum_of_chunks(contacts, what):
    """The sum of what a pass has found of all contacts."""
    total = 0.0
    for k in range((contacts.used[0] + CONTACTS - 1) // CONTACTS):
        total += contacts.chunk[k, what]
    return total


@inner_kernel
def close_second(contacts, solver_bodies, motion, accuracy, coarse, begin, end):
    """Account for some contacts: their work, and how many of them may have created energy."""
    total, suspects = 0.0, 0.0
    for c in range(begin, end):
        row, work = contacts.row[c], 0.0
        p, part = vec3_of(row.impulse), holds_at_end(contacts.mark[c])
        if p.x != 0.0 or p.y != 0.0 or p.z != 0.0 or part > 0.0:
            work = _account_at_end(contacts, solver_bodies, c, p, motion, accuracy, coarse)
            add_held(row, row.second, row.roll_second, part)
        noted = contacts.noted[c]
        total += work
        if noted[EXTRA] > 0.0 or noted[RETURNED] > 0.0 or noted[WORKED] > 0.0:
            suspects += 1.0
        note_what_acted(contacts, c)
    chunk = contacts.chunk[begin // CONTACTS]
    chunk[FOUND], chunk[ALSO] = total, suspects


@inner_kernel
def note_what_acted(contacts, c):
    """Note whether contact c acted in a part, and the work of that."""
    row, noted = contacts.row[c], contacts.noted[c]
    p, q = vec3_of(row.first), vec3_of(row.impulse)
    noted[ACTED] = 1.0 if dot(p, p) + dot(q, q) > 0.0 else 0.0
    noted[BORE] = 1.0 if bears(contacts.row, c) else 0.0


@inner_kernel
def _account_at_end(contacts, solver_bodies, c, p, motion, accuracy, coarse):
    """Add the work of contact c, which bears the impulse p beside what is held."""
    row, part = contacts.row[c], holds_at_end(contacts.mark[c])
    u, w = _velocities(contacts, c, motion)
    work = _work(row, u, w) + held_work(row, row.second, row.roll_second, part, u, w)
    noted = contacts.noted[c]
    noted[WORKED] += work
    after = dot(p, u)
    if row.resists > 0.0:
        after += dot(vec3_of(row.torque), w)
    n = vec3_of(row.normal)
    if row.min_impulse > 0.0 or dot(n, vec3_of(row.offset)) != 0.0:
        back = dot(n, p) * dot(n, u)
        after -= back
        noted[RETURNED] += back
    noted[EXTRA] += _beyond_accuracy(contacts, solver_bodies, c, after, accuracy, coarse)
    return work


@inlined_kernel
def _velocities(contacts, c, motion):
    """u of contact c, and the relative angular velocity where it resists turning."""
    w = relative_angular_velocity(contacts, c, motion) if contacts.row[c].resists > 0.0 else ZERO3
    return relative_velocity(contacts, c, motion), w


@inlined_kernel
def _work(contact, u, w):
    """½ p·(u⁻ + u⁺) of a contact (ContactRow), and the same of what resists turning."""
    work = 0.5 * dot(vec3_of(contact.impulse), u + vec3_of(contact.before))
    if contact.resists > 0.0:
        work += 0.5 * dot(vec3_of(contact.torque), w + vec3_of(contact.turn_before))
    return work


@inlined_kernel
def _beyond_accuracy(contacts, solver_bodies, c, gained, accuracy, coarse):
    """Work of contact c [J], none if it is positive while the contact keeps its law."""
    if gained > 0.0 and contacts.row[c].lacking <= accuracy_of(
        contacts, solver_bodies, c, accuracy, coarse
    ):
        return 0.0
    return gained


@inner_kernel
def energy_created(model, contacts, h, work):
    """Energy that contacts created in a part of a step, of length h.

    Returns it [J], and the contact that created most in the group of bodies where that is
    beyond MOST_CREATED; -1 if there is no such group.
    """
    noted, mark = contacts.noted, contacts.mark
    begin_groups(model, h, work)
    joined = -1, -1  # the last two: contacts of a pair follow each other
    for c in range(contacts.used[0]):
        i, j = mark[c].body1, mark[c].body2
        if noted[c, ACTED] > 0.0 and joined != (i, j):
            join_bodies(model, i, j, work)
            joined = i, j
    for c in range(contacts.used[0]):
        i = _group(model, contacts, c, work)
        if i >= 0:
            work.account[i].created += noted[c, EXTRA]
            work.account[i].returned += noted[c, RETURNED]
            work.account[i].worked += noted[c, WORKED]
    created, group = excess_of_groups(model, MOST_CREATED, work)
    worst, most = -1, 0.0
    for c in range(contacts.used[0]):
        if group >= 0 and _group(model, contacts, c, work) == group:
            extra = max(noted[c, EXTRA] + noted[c, RETURNED], noted[c, WORKED])
            if worst < 0 or extra > most:
                worst, most = c, extra
    return created, worst


@inner_kernel
def _group(model, contacts, c, work):
    """Group of the bodies of contact c; -1 if neither is dynamic or it bore nothing."""
    if contacts.noted[c, ACTED] == 0.0:
        return -1
    i1, i2 = contacts.mark[c].body1, contacts.mark[c].body2
    if i1 < model.dynamic:
        return group_of(work, i1)
    return group_of(work, i2) if i2 < model.dynamic else -1
