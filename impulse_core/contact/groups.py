"""Groups of bodies that can touch each other within a step, and those of them in which any meet."""

from __future__ import annotations

import math

from impulse_core.contact.apart import MOST_APART, body_of_key, dynamic_body
from impulse_core.jit import inner_kernel

__all__ = ["find_groups"]

_COST = 16.0  # bodies of which a part of a step takes as long as a group that is taken (measured)
_SAME = 1e-6  # of a step, within which impacts end the same part


@inner_kernel
def find_groups(model, contact, apart, state):
    """Find the groups in which bodies meet and that can be taken; False if there are none, or it
    would save no time.
    """
    _join_pairs(model, contact, apart)
    _list_groups(model, contact, apart)
    for k in range(len(model.loads)):
        if state.loads[k].active:
            for i in (model.loads[k].body, model.loads[k].reaction):
                if 0 <= i < model.dynamic:
                    apart.bars[apart.group[i]] = 1
    mark, found = contact.contacts.mark, 0
    for c in range(contact.contacts.used[0]):
        if mark[c].impacting:
            i = apart.group[dynamic_body(model, mark[c].body1, mark[c].body2)]
            if not apart.bars[i] and apart.number[i] <= MOST_APART:
                if not apart.meets[i]:
                    apart.meets[i], apart.moment[i] = 1, math.inf
                    found += 1
                apart.moment[i] = min(apart.moment[i], mark[c].meets)
    return found > 0 and _saves_time(model, contact, apart, found)


@inner_kernel
def _saves_time(model, contact, apart, found):
    """Whether to take so many groups is less work than to divide the step of all bodies that are
    awake at each of the moments at which any group first meets.
    """
    count, moments = 0, apart.moments
    for i in range(model.dynamic):
        if apart.group[i] == i and apart.meets[i]:
            moments[count] = apart.moment[i]
            count += 1
    gap = count >> 1
    while gap > 0:  # sorted as by Shell
        for k in range(gap, count):
            x, at = moments[k], k
            while at >= gap and moments[at - gap] > x:
                moments[at] = moments[at - gap]
                at -= gap
            moments[at] = x
        gap >>= 1
    parts = 1
    for k in range(1, count):
        if moments[k] - moments[k - 1] > _SAME:
            parts += 1
    awake = model.dynamic - contact.sleep.number[0]
    return _COST * found < parts * awake


@inner_kernel
def _join_pairs(model, contact, apart):
    """Join the bodies of pairs that can touch in the step."""
    shapes, sweep, group = contact.shapes, contact.sweep, apart.group
    for i in range(model.dynamic):
        group[i] = i
    for k in range(sweep.pair_count[0]):
        a, b = shapes.body[sweep.pair_first[k]], shapes.body[sweep.pair_second[k]]
        if a < model.dynamic and b < model.dynamic:
            a, b = _root(group, a), _root(group, b)
            group[max(a, b)] = min(a, b)


@inner_kernel
def _root(group, i):
    """The body that stands for the group of i; paths are halved on the way."""
    while group[i] != i:
        group[i] = group[group[i]]
        i = group[i]
    return i


@inner_kernel
def _list_groups(model, contact, apart):
    """List bodies, pairs and remembered points of each group, in their order."""
    group, sweep, body = apart.group, contact.sweep, contact.shapes.body
    for i in range(model.dynamic):
        apart.number[i], apart.bars[i], apart.meets[i] = 0, 0, 0
        apart.body[0, i], apart.pair[i], apart.point[i] = -1, -1, -1
    for i in range(model.dynamic - 1, -1, -1):
        root = group[i] = _root(group, i)
        apart.body[1, i] = apart.body[0, root]
        apart.body[0, root] = i
        apart.number[root] += 1
        if contact.solver_bodies.mark[i].jointed or contact.sleep.asleep[i]:
            apart.bars[root] = 1
    for k in range(sweep.pair_count[0] - 1, -1, -1):
        a, b = body[sweep.pair_first[k]], body[sweep.pair_second[k]]
        root = group[dynamic_body(model, a, b)]
        apart.next_pair[k] = apart.pair[root]
        apart.pair[root] = k
    mark = contact.memory.mark
    for m in range(contact.memory.used[0] - 1, -1, -1):
        root = group[body_of_key(model, body, mark[m].pair)]
        apart.next_point[m] = apart.point[root]
        apart.point[root] = m
