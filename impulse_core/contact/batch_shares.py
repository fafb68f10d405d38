"""Shares of an island's batches: for what each has to wait, and how threads go through them.

A batch may begin when all those of lower levels that move one of its bodies are done. Those of its
own share are, by their order; it is known how far other shares have to be. Threads then go through
all levels of an island without waiting for each other at the end of each.

Which batches a share has, and in which order, is the plan's (batch_plan.py).
"""

from __future__ import annotations

from impulse_core.contact.batches import LANES, level_of, shares_of
from impulse_core.jit import inlined_kernel, inner_kernel
from impulse_core.jit.atomics import load, store
from impulse_core.jit.team import SEAT, note_done, take, wait

__all__ = ["find_awaited", "visit_shares"]


@inner_kernel
def find_awaited(batches, begin, levels):
    """Find for which batches of other shares those of an island wait; needs their bodies and levels
    as they have just been planned.
    """
    bounds, shares = batches.bounds[begin], shares_of(batches, begin)
    end, mover = bounds[len(batches.lane)], batches.reached
    for k in range(begin, end):
        for d in range(len(batches.lane)):
            batches.awaits[k, d] = 0
    if shares == 1:
        return
    for at in range(2 * LANES * begin, 2 * LANES * end):
        if batches.body[at] < len(mover):
            mover[batches.body[at]] = -1
    place = batches.place[0]
    for d in range(shares):
        place[d] = bounds[d]
    for level in range(levels):
        for d in range(shares):
            first = k = place[d]
            while k < bounds[d + 1] and level_of(batches, begin, k) == level:
                _await_movers(batches, bounds, shares, k)
                k += 1
            place[d] = k
            _await_at_once(batches, shares, first, k)


@inner_kernel
def _await_movers(batches, bounds, shares, k):
    """Let batch k wait for those of other shares that move its bodies before."""
    mover = batches.reached
    for at in range(2 * LANES * k, 2 * LANES * (k + 1)):
        b = batches.body[at]
        if b < len(mover):
            before = mover[b]
            for d in range(shares if before >= 0 else 0):
                if bounds[d] <= before < bounds[d + 1] and not bounds[d] <= k < bounds[d + 1]:
                    batches.awaits[k, d] = max(batches.awaits[k, d], before + 1)
            mover[b] = k


@inner_kernel
def _await_at_once(batches, shares, first, last):
    """Let the first of some batches that waits for a share do so for all that follow: a thread
    looks but once at how far another one is.
    """
    for d in range(shares):
        most = 0
        for k in range(last - 1, first - 1, -1):
            most = max(most, batches.awaits[k, d])
            if batches.awaits[k, d] > 0:
                batches.awaits[k, d] = most


@inlined_kernel
def visit_shares(batches, team, thread, begin, visit, beta, first, last):
    """Go through the shares ``first`` to ``last`` of an island, those that a thread has taken:
    ``visit(batches, thread, beta, k, end)`` for each batch k of one that ends there.

    Where it would have to wait, and shares are left that nobody has taken, it takes these as well.
    """
    bounds, threads = batches.bounds[begin], team.threads
    if shares_of(batches, begin) == 1:
        for k in range(bounds[first], bounds[last]):
            visit(batches, thread, beta, k, bounds[last])
        return
    place, seen = batches.place[thread], batches.seen[thread]
    for d in range(threads):
        place[d] = bounds[d] if first <= d < last else bounds[d + 1]
        seen[d] = 0
    more, waited = 0, 0
    while True:
        left, goes_on = False, False
        for d in range(threads):
            k, end = place[d], bounds[d + 1]
            while k < end and _may_begin(batches, seen, threads, k):
                visit(batches, thread, beta, k, end)
                k, goes_on = k + 1, True
                store(batches.done, d * SEAT, k)
            place[d] = k
            left = left or k < end
        if not left:
            break
        if goes_on:
            waited = 0
            continue
        begun, end, _ = take(team, thread)
        for d in range(begun, end):
            place[d] = bounds[d]
            more += 1
        if begun == end:
            if not load(team.open, 0):
                break
            waited = wait(waited)
    if thread > 0:
        for _ in range(more):
            note_done(team)


@inlined_kernel
def _may_begin(batches, seen, threads, k):
    """Whether all is done that batch k waits for."""
    for d in range(threads):
        if batches.awaits[k, d] > seen[d]:
            seen[d] = load(batches.done, d * SEAT)
            if batches.awaits[k, d] > seen[d]:
                return False
    return True
