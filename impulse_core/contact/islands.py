"""Islands: solver bodies connected by active contacts, whose impulses depend on each other."""

from __future__ import annotations

import math

from impulse_core.contact.newton_work import MOST_BODIES
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["OTHERS", "SMALL", "find_islands", "is_large", "is_small", "island_of", "root_of"]

SMALL, OTHERS = 0, 1  # of what is counted: small islands, contacts of all others

_LARGE = 800  # contacts


@inner_kernel
def find_islands(contacts, solver_bodies):
    """Join the solver bodies of active contacts, and chain the contacts and bodies of each island
    in order.

    What nothing moves connects nothing.
    """
    mark, solver_body = contacts.mark, solver_bodies.mark
    world = len(solver_body) - 1
    for i in range(world + 1):
        solver_body[i].island = i
        solver_body[i].head, solver_body[i].first_body = -1, -1
        solver_body[i].number, solver_body[i].bodies = 0, 0
        solver_body[i].meets = math.inf
        solver_body[i].articulated = 0
        solver_body[i].small = 0
        solver_body[i].stirred, solver_body[i].place = -1, -1
        solver_body[i].unsolved = 0
        solver_body[i].contradictory = 0
        solver_body[i].too_many = 0
        solver_body[i].batches = 0
    joined = -1, -1  # the last two: contacts of a pair follow each other
    for c in range(contacts.used[0]):
        i, j = mark[c].body1, mark[c].body2
        if not mark[c].active or joined == (i, j):
            continue
        joined = i, j
        a, b = solver_body[i].articulation, solver_body[j].articulation
        if world not in (a, b):
            a, b = _root(solver_body, a), _root(solver_body, b)
            solver_body[max(a, b)].island = min(a, b)
    for i in range(world, -1, -1):
        k = solver_body[i].island = _root(solver_body, i)
        solver_body[i].next_body = solver_body[k].first_body
        solver_body[k].first_body = i
        solver_body[k].bodies += 1
    _chain_contacts(contacts, solver_body)
    _list_small(solver_bodies)


@inner_kernel
def _chain_contacts(contacts, solver_body):
    """Chain the active contacts of each island in order. Those that follow each other are mostly of
    one: what is told of that is put down where another begins.
    """
    mark, island = contacts.mark, len(solver_body) - 1
    head, number, meets, articulated = -1, 0, math.inf, 0
    for c in range(contacts.used[0] - 1, -1, -1):
        if not mark[c].active:
            continue
        i = island_of(mark, solver_body, c)
        if i != island:
            _put_chain(solver_body[island], head, number, meets, articulated)
            island, body = i, solver_body[i]
            head, number = body.head, body.number
            meets, articulated = body.meets, body.articulated
        mark[c].next = head
        head = c
        number += 1
        meets = min(meets, mark[c].meets)
        if mark[c].delassus_row >= 0:
            articulated = 1
    _put_chain(solver_body[island], head, number, meets, articulated)


@inlined_kernel
def _put_chain(body, head, number, meets, articulated):
    """Put down the contacts of an island with the solver body that stands for it."""
    body.head, body.number, body.meets, body.articulated = head, number, meets, articulated


@inner_kernel
def _list_small(solver_bodies):
    """List the islands of so few free bodies that Newton's method surely has room for them."""
    solver_body, count = solver_bodies.mark, solver_bodies.counted
    count[SMALL], count[OTHERS] = 0, 0
    for i in range(len(solver_body) - 1):
        body = solver_body[i]
        if body.head < 0:
            continue
        if body.articulated or body.bodies > MOST_BODIES or is_large(solver_body, i):
            count[OTHERS] += body.number
        else:
            body.small = 1
            solver_bodies.small[count[SMALL]] = i
            count[SMALL] += 1


@inner_kernel
def is_large(solver_body, i):
    """Whether the island that solver body i stands for is to be solved to the coarse accuracy: it
    has many contacts, or too many for Newton's method.
    """
    return solver_body[i].number > _LARGE or solver_body[i].too_many == 1


@inlined_kernel
def is_small(solver_body, i):
    """Whether body i is one of a small island."""
    return solver_body[solver_body[solver_body[i].articulation].island].small == 1


@inner_kernel
def island_of(mark, solver_body, c):
    """Mover that stands for the island of contact c."""
    a = solver_body[mark[c].body1].articulation
    if a == len(solver_body) - 1:
        a = solver_body[mark[c].body2].articulation
    return solver_body[a].island


@inner_kernel
def root_of(solver_bodies, i):
    """Mover that stands for the island of body i."""
    return solver_bodies.mark[solver_bodies.mark[i].articulation].island


@inner_kernel
def _root(solver_body, i):
    """The solver body that stands for that of i; paths are halved on the way."""
    while solver_body[i].island != i:
        solver_body[i].island = solver_body[solver_body[i].island].island
        i = solver_body[i].island
    return i
