"""Islands: groups of movers that active contacts connect, whose impulses depend on each other."""

from __future__ import annotations

from impulse_core.jit import inner_kernel

__all__ = ["find_islands", "is_large", "island_of", "root_of"]

_LARGE = 800  # contacts of an island that is solved to a coarse accuracy


@inner_kernel
def find_islands(contacts, movers):
    """Join the movers of all active contacts, and chain the contacts of each island in order.

    What nothing moves connects nothing.
    """
    mark, mover = contacts.mark, movers.mark
    world = len(mover) - 1
    for i in range(world + 1):
        mover[i].island = i
        mover[i].head = -1
        mover[i].number = 0
        mover[i].machine = 0
        mover[i].unsolved = 0
    for c in range(contacts.used[0]):
        if not mark[c].active:
            continue
        a, b = mover[mark[c].body1].mover, mover[mark[c].body2].mover
        if world not in (a, b):
            a, b = _root(mover, a), _root(mover, b)
            mover[max(a, b)].island = min(a, b)
    for c in range(contacts.used[0] - 1, -1, -1):
        if mark[c].active:
            i = island_of(mark, mover, c)
            mark[c].next = mover[i].head
            mover[i].head = c
            mover[i].number += 1
            if mark[c].joined >= 0:
                mover[i].machine = 1


@inner_kernel
def is_large(mover, i):
    """Whether the island that mover i stands for is to be solved to the coarse accuracy."""
    return mover[i].number > _LARGE


@inner_kernel
def island_of(mark, mover, c):
    """Mover that stands for the island of contact c."""
    a = mover[mark[c].body1].mover
    if a == len(mover) - 1:
        a = mover[mark[c].body2].mover
    return _root(mover, a)


@inner_kernel
def root_of(movers, i):
    """Mover that stands for the island of body i."""
    return _root(movers.mark, movers.mark[i].mover)


@inner_kernel
def _root(mover, i):
    """The mover that stands for that of i; paths are halved on the way."""
    while mover[i].island != i:
        mover[i].island = mover[mover[i].island].island
        i = mover[i].island
    return i
