"""Islands: groups of movers that active contacts connect, whose impulses depend on each other."""

from __future__ import annotations

from impulse_core.collision.contacts import ACTIVE, BODY1, BODY2, NEXT
from impulse_core.jit import inner_kernel

__all__ = ["find_islands", "island_of", "root_of"]


@inner_kernel
def find_islands(contacts, movers):
    """Join the movers of all active contacts, and chain the contacts of each island in order.

    What nothing moves connects nothing.
    """
    mark = contacts.mark
    world = len(movers.island) - 1
    for i in range(world + 1):
        movers.island[i] = i
        movers.first_contact[i] = -1
        movers.unsolved[i] = 0
    for c in range(contacts.used[0]):
        if not mark[c, ACTIVE]:
            continue
        a, b = movers.mover[mark[c, BODY1]], movers.mover[mark[c, BODY2]]
        if world not in (a, b):
            a, b = _root(movers.island, a), _root(movers.island, b)
            movers.island[max(a, b)] = min(a, b)
    for c in range(contacts.used[0] - 1, -1, -1):
        if mark[c, ACTIVE]:
            i = island_of(mark, movers, c)
            mark[c, NEXT] = movers.first_contact[i]
            movers.first_contact[i] = c


@inner_kernel
def island_of(mark, movers, c):
    """Mover that stands for the island of contact c."""
    a = movers.mover[mark[c, BODY1]]
    if a == len(movers.island) - 1:
        a = movers.mover[mark[c, BODY2]]
    return _root(movers.island, a)


@inner_kernel
def root_of(movers, i):
    """Mover that stands for the island of body i."""
    return _root(movers.island, movers.mover[i])


@inner_kernel
def _root(island, i):
    """The mover that stands for that of i; paths are halved on the way."""
    while island[i] != i:
        island[i] = island[island[i]]
        i = island[i]
    return i
