"""Threads that share the passes of a step.

A step is one thread's. Where a pass has many items that do not depend on each other, that thread
shares it, so many items at a time, and all of the team take some until none are left:

    share(team, WAYS, first, last, 64, ways_of_chunk, (contacts, ...))

    ways_of_chunk(contacts, ..., begin, end)       # items of which no other thread has any

The others are in ``serve`` meanwhile, which does the same. Each has a share of its own, so that an
item stays with one processor from pass to pass, and takes from those of others when it has done it:
a thread that the system holds up delays the others by what it has taken, no more.

An item never depends on which thread does it, a thread alone takes as many at a time, and what
items leave is put together in their order. So the bits are the same for any number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.jit.atomics import fetch_add, give_way, load, pause, store
from impulse_core.jit.decorators import inlined_kernel, inner_kernel
from impulse_core.types import Floats, Ints, by_address, new_zeros

__all__ = [
    "SEAT",
    "Team",
    "is_shared",
    "new_team",
    "note_done",
    "share",
    "take",
    "wait",
    "waits_for_task",
]

SEAT = 16  # numbers, two cache lines: processors fetch these together
_TICKET, _TASK, _FIRST, _LAST, _SIZE = range(5)  # of a seat
_ALONE, _NEXT, _END, _CHUNKS, _DONE, _OTHERS = range(6)  # of what the first thread knows
_PATIENCE = 1000  # waits in a loop, some 50 µs, before a thread lets others have the processor
_SHIFT = 32  # a ticket is the end of a share << 32 | its next chunk


@by_address
class Team(NamedTuple):
    """n threads."""

    threads: int
    seat: Ints
    """What the others read of a thread's share of the task: next chunk and end, which task it is,
    its first and last item, items in a chunk; shape (n × 16,)."""
    done: Ints
    """Chunks that others than the first have done, shape (16,)."""
    task: Ints
    """What the first thread knows of the task: whether it is for it alone, first and last item
    then; chunks, and how many of them it has done; chunks of others of all tasks. Shape (16,)."""
    open: Ints
    """1 while there may be tasks to come, shape (16,)."""
    number: Floats
    """What a task is to know beside, shape (16,)."""
    found: Ints
    """What any of its items has found, shape (16,): all that write it write the same."""


def new_team(threads: int) -> Team:
    """A team of so many, without a task."""
    return Team(
        threads=threads,
        seat=new_zeros(threads * SEAT, np.int64),
        done=new_zeros(SEAT, np.int64),
        task=new_zeros(SEAT, np.int64),
        open=new_zeros(SEAT, np.int64),
        number=new_zeros(SEAT),
        found=new_zeros(SEAT, np.int64),
    )


@inlined_kernel
def share(team, task, first, last, size, do, given):
    """Have the items ``first`` to ``last`` of a task done: ``do(*given, begin, end)`` by this
    thread, and by others what ``serve`` knows of the task, with what is in team.number.
    """
    _open(team, task, first, last, size)
    while True:
        begin, end, _ = take(team, 0)
        if begin == end:
            break
        do(*given, begin, end)
    _close(team)


@inner_kernel
def is_shared(team, count, size):
    """Whether a task of so many items is for others as well."""
    return team.threads > 1 and team.open[0] == 1 and count > (team.threads - 1) * size


@inner_kernel
def _open(team, task, first, last, size):
    """Let the items ``first`` to ``last`` of a task be done, so many at a time."""
    own = team.task
    own[_ALONE] = 1
    own[_NEXT], own[_END] = first, last
    team.seat[_SIZE] = size
    if not is_shared(team, last - first, size):
        return
    chunks = (last - first + size - 1) // size
    own[_ALONE], own[_CHUNKS], own[_DONE] = 0, chunks, 0
    for k in range(team.threads - 1, -1, -1):
        at = k * SEAT
        begin, end = k * chunks // team.threads, (k + 1) * chunks // team.threads
        team.seat[at + _TASK], team.seat[at + _SIZE] = task, size
        team.seat[at + _FIRST], team.seat[at + _LAST] = first, last
        store(team.seat, at + _TICKET, (end << _SHIFT) + begin)


@inner_kernel
def take(team, thread):
    """The next items for a thread of the task that is open, first and last, and which task it is;
    none left if these are the same.
    """
    own = team.task
    if thread == 0 and own[_ALONE] == 1:
        first = own[_NEXT]
        own[_NEXT] = min(first + team.seat[_SIZE], own[_END])
        return first, own[_NEXT], 0
    for k in range(team.threads):
        at = (thread + k) % team.threads * SEAT
        ticket = load(team.seat, at)
        if (ticket & 0xFFFFFFFF) < (ticket >> _SHIFT):
            ticket = fetch_add(team.seat, at, 1)
            chunk = ticket & 0xFFFFFFFF
            if chunk < (ticket >> _SHIFT):
                if thread == 0:
                    own[_DONE] += 1
                size = team.seat[at + _SIZE]
                first = team.seat[at + _FIRST] + chunk * size
                last = min(first + size, team.seat[at + _LAST])
                return first, last, team.seat[at + _TASK]
    return 0, 0, 0


@inner_kernel
def _close(team):
    """Wait until all items of the task are done, or a thread has failed, which closes the team."""
    own = team.task
    if own[_ALONE] == 0:
        own[_OTHERS] += own[_CHUNKS] - own[_DONE]
        waited = 0
        while load(team.done, 0) != own[_OTHERS] and load(team.open, 0):
            waited = wait(waited)


@inlined_kernel
def wait(waited):
    """Wait a little, after so many waits before; returns their number now. After many, any thread
    that wants this processor may have it: the one that is waited for may be among them.
    """
    if waited < _PATIENCE:
        pause()
    else:
        give_way()
    return waited + 1


@inner_kernel
def waits_for_task(team):
    """Wait until a task is open; False where there are to be no more of them."""
    waited = 0
    while load(team.open, 0):
        for k in range(team.threads):
            ticket = load(team.seat, k * SEAT)
            if (ticket & 0xFFFFFFFF) < (ticket >> _SHIFT):
                return True
        waited = wait(waited)
    return False


@inlined_kernel
def note_done(team):
    """Say that a chunk of the task is done, by a thread other than the first."""
    fetch_add(team.done, 0, 1)
