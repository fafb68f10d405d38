"""When two shapes begin to touch, and when they part."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.algebra import dot, vec3_of
from impulse_core.collision.contacts import BORE
from impulse_core.jit import inner_kernel
from impulse_core.types import Floats, Ints, by_address

__all__ = [
    "LIFT_OFF",
    "TOUCH",
    "ContactEvents",
    "bears",
    "new_contact_events",
    "note_events",
    "sort_events",
]

TOUCH = 0
LIFT_OFF = 1

_ROOM = 4096  # events of one kernel call, at first


@by_address
class ContactEvents(NamedTuple):
    """Events since they were last read."""

    number: Ints
    """Their number; the arrays hold the first of them. Shape (1,)."""
    time: Floats
    """[s]"""
    what: Ints
    """TOUCH or LIFT_OFF."""
    pair: Ints
    """Key of the pair of shapes."""


def new_contact_events(room: int = _ROOM) -> ContactEvents:
    """Room for the events of one kernel call."""
    return ContactEvents(
        number=np.zeros(1, dtype=np.int64),
        time=np.zeros(room),
        what=np.zeros(room, dtype=np.int64),
        pair=np.zeros(room, dtype=np.int64),
    )


@inner_kernel
def bears(row, c):
    """Whether contact c bore an impulse in either half of the step."""
    n = vec3_of(row[c].normal)
    return dot(n, vec3_of(row[c].first)) > 0.0 or dot(n, vec3_of(row[c].impulse)) > 0.0


@inner_kernel
def note_events(contacts, memory, events, time):
    """Compare the pairs that touch at the end of a step, as has been noted, with those of the step
    before.
    """
    noted, mark = contacts.noted, contacts.mark
    o, c = 0, 0
    while o < memory.used[0] or c < contacts.used[0]:
        key = mark[c].pair if c < contacts.used[0] else memory.mark[o].pair
        if o < memory.used[0]:
            key = min(key, memory.mark[o].pair)
        touched, touches = False, False
        while o < memory.used[0] and memory.mark[o].pair == key:
            touched = touched or memory.mark[o].bore == 1
            o += 1
        while c < contacts.used[0] and mark[c].pair == key:
            touches = touches or noted[c, BORE] > 0.0
            c += 1
        if touched != touches:
            k = events.number[0]
            if k < len(events.time):
                events.time[k] = time
                events.what[k] = TOUCH if touches else LIFT_OFF
                events.pair[k] = key
            events.number[0] = k + 1


@inner_kernel
def sort_events(events, begin):
    """Sort the events from a number on by their times: groups that go through a step by themselves
    do so one after the other.
    """
    for k in range(begin + 1, min(events.number[0], len(events.time))):
        time, what, pair, at = events.time[k], events.what[k], events.pair[k], k
        while at > begin and events.time[at - 1] > time:
            events.time[at], events.what[at] = events.time[at - 1], events.what[at - 1]
            events.pair[at] = events.pair[at - 1]
            at -= 1
        events.time[at], events.what[at], events.pair[at] = time, what, pair
