"""The plan of an island's batches: groups of contacts, their levels, and which lane each is in."""

from __future__ import annotations

from impulse_core.contact.batches import LANES, LEAST_FILLED, MOST_POINTS, fill_island
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["plan_batches"]


@inner_kernel
def plan_batches(contacts, solver_bodies, batches, team, i):
    """Divide the contacts of the island of solver body i into batches, once in a half step; False
    where they are not worth it.
    """
    body = solver_bodies.mark[i]
    if body.batches == 0:
        groups = _find_groups(contacts, batches, body.head)
        levels = 0
        if groups > 0:
            levels = _find_levels(contacts, solver_bodies, batches, groups)
        body.first_batch = batches.used[0]
        body.batches = -1
        if groups > 0 and _place_groups(batches, groups, levels, batches.first[groups]):
            body.batches = batches.used[0] - body.first_batch
            fill_island(contacts, solver_bodies, batches, team, i)
    return body.batches > 0


@inner_kernel
def _find_groups(contacts, batches, head):
    """List the contacts of an island that move no jointed body, and where runs of one pair begin;
    0 if any contact resists turning.

    A group has one body 1. Points of a pair that were found at different poses may lie on faces of
    either body, so that it is not that of all of them.
    """
    mark, n, groups, size = contacts.mark, 0, 0, 0
    c = head
    while c >= 0:
        if contacts.row[c].resists > 0.0:
            return 0
        if mark[c].delassus_row >= 0:
            c = mark[c].next
            continue
        batches.listed[n] = c
        same = n > 0 and size < MOST_POINTS
        if same:
            before = mark[batches.listed[n - 1]]
            same = mark[c].pair == before.pair and mark[c].body1 == before.body1
        if not same:
            batches.first[groups] = n
            groups += 1
            size = 0
        size += 1
        n += 1
        c = mark[c].next
    batches.first[groups] = n
    return groups


@inner_kernel
def _find_levels(contacts, solver_bodies, batches, groups):
    """Level of each group: one above those before it that move one of its bodies. Returns how many
    there are.

    Groups are taken in an order that jumps through the island: one that follows a heap upwards
    carries a load through all its layers in a single sweep, and what accelerates sweeps then
    overshoots.
    """
    mark, bodies = contacts.mark, solver_bodies.row
    for g in range(groups):
        c = batches.listed[batches.first[g]]
        batches.reached[mark[c].body1] = 0
        batches.reached[mark[c].body2] = 0
    stride, levels, g = _stride(groups), 0, 0
    for _ in range(groups):
        c = batches.listed[batches.first[g]]
        b1, b2 = mark[c].body1, mark[c].body2
        level = 0
        if bodies[b1].inverse_mass > 0.0:
            level = batches.reached[b1]
        if bodies[b2].inverse_mass > 0.0:
            level = max(level, batches.reached[b2])
        batches.level[g] = level
        batches.reached[b1] = level + 1
        batches.reached[b2] = level + 1
        levels = max(levels, level + 1)
        g = (g + stride) % groups
    return levels


@inner_kernel
def _stride(count):
    """A number without a divisor in common with count, near its golden section."""
    stride = max(int(0.6180339887498949 * count), 1)
    while True:
        a, b = count, stride
        while b:
            a, b = b, a % b
        if a == 1:
            return stride
        stride += 1


@inner_kernel
def _place_groups(batches, groups, levels, contacts):
    """Give each group a lane: by level, then by number of points, each level in batches of its own.
    False where too many lanes stay empty.
    """
    count = batches.counted
    for j in range(MOST_POINTS * levels):
        count[j] = 0
    for g in range(groups):
        count[_kind(batches, g)] += 1
    points, lanes = 0, 0
    for level in range(levels):
        for j in range(MOST_POINTS * level, MOST_POINTS * (level + 1)):
            # a batch has the points of its first lane
            if count[j] > 0:
                begun = (LANES - lanes % LANES) % LANES
                opened = (max(count[j] - begun, 0) + LANES - 1) // LANES
                points += opened * (MOST_POINTS - j % MOST_POINTS)
            size = count[j]
            count[j] = lanes
            lanes += size
        lanes = (lanes + LANES - 1) // LANES * LANES
    if points * LANES > LEAST_FILLED * contacts:
        return False
    _open_batches(batches, groups, lanes)
    return True


@inlined_kernel
def _kind(batches, g):
    """Level of a group, and how many points it lacks to the most."""
    lacking = MOST_POINTS - (batches.first[g + 1] - batches.first[g])
    return MOST_POINTS * batches.level[g] + lacking


@inner_kernel
def _open_batches(batches, groups, lanes):
    """Write down which group is in which lane, and the contacts of each."""
    begin, first, point = batches.used[0], batches.first, batches.used[1]
    for k in range(lanes):
        batches.group[k] = -1
    for g in range(groups):
        j = _kind(batches, g)
        batches.group[batches.counted[j]] = g
        batches.counted[j] += 1
    _order_batches(batches, lanes // LANES)
    for k in range(lanes // LANES):
        batches.start[begin + k] = point
        at = LANES * batches.counted[k]
        g = batches.group[at]
        for q in range(first[g + 1] - first[g]):
            for lane in range(LANES):
                g = batches.group[at + lane]
                listed = g >= 0 and first[g] + q < first[g + 1]
                batches.contact[LANES * point + lane] = (
                    batches.listed[first[g] + q] if listed else -1
                )
            point += 1
    batches.used[0] = begin + lanes // LANES
    batches.used[1] = point
    batches.start[batches.used[0]] = point
    _find_ends_of_levels(batches, begin)


@inner_kernel
def _order_batches(batches, count):
    """Put the batches of each level in the order of their first groups, into ``counted``: threads
    that share a level in halves have bodies of their own then.
    """
    order, group, level = batches.counted, batches.group, batches.level
    for k in range(count):
        g, at = group[LANES * k], k
        while at > 0:
            before = group[LANES * order[at - 1]]
            if before < g or level[before] != level[g]:
                break
            order[at] = order[at - 1]
            at -= 1
        order[at] = k


@inner_kernel
def _find_ends_of_levels(batches, begin):
    """Where the levels of the batches from ``begin`` on end."""
    end = batches.used[0]
    for k in range(batches.used[0] - begin - 1, -1, -1):
        level = batches.level[batches.group[LANES * k]]
        if begin + k + 1 < batches.used[0]:
            after = batches.level[batches.group[LANES * (k + 1)]]
            end = end if level == after else begin + k + 1
        batches.level_end[begin + k] = end
