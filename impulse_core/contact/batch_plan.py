"""The plan of an island's batches: groups of contacts, their levels, and which lane each is in."""

from __future__ import annotations

from impulse_core.contact.batch_shares import find_awaited
from impulse_core.contact.batches import LANES, LEAST_FILLED, MOST_POINTS, fill_island
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["plan_batches"]

_LEAST_SHARED = 64  # groups for each thread, or the first one does them all


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
        if groups > 0 and _place_groups(batches, groups, levels, team.threads):
            body.batches = batches.used[0] - body.first_batch
            fill_island(contacts, solver_bodies, batches, team, i)
            find_awaited(batches, body.first_batch, levels)
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
        batches.listed[n] = c
        jointed = mark[c].delassus_row >= 0
        same = n > 0 and size < MOST_POINTS and not jointed
        if same:
            before = mark[batches.listed[n - 1]]
            same = mark[c].pair == before.pair and mark[c].body1 == before.body1
        if not same and contacts.row[c].resists > 0.0:  # all of a pair do, or none
            return 0
        if jointed:
            c = mark[c].next
            continue
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
def _place_groups(batches, groups, levels, threads):
    """Give each group a lane: by the thread whose share it is, by level, then by number of points,
    each level of a share in batches of its own. False where too many lanes stay empty.

    Shares are runs of the list of contacts, so that most bodies are one thread's, and lie one after
    the other: processors ask for what follows in memory, and would take it from each other.
    """
    contacts, shares = batches.first[groups], 1
    room = LEAST_FILLED * contacts // LANES
    points, lanes = _place_kinds(batches, groups, levels, 1)
    if points > room:
        return False
    if threads > 1 and groups >= _LEAST_SHARED * threads and levels * threads <= contacts:
        shares = threads
        points, lanes = _place_kinds(batches, groups, levels, shares)
        if points > room:
            shares = 1
            points, lanes = _place_kinds(batches, groups, levels, shares)
    _open_batches(batches, groups, levels, shares, lanes)
    return True


@inner_kernel
def _place_kinds(batches, groups, levels, shares):
    """Find where the lanes of each kind of groups begin; how many points and lanes that makes."""
    count = batches.counted
    for j in range(MOST_POINTS * shares * levels):
        count[j] = 0
    for g in range(groups):
        count[_kind(batches, g, groups, levels, shares)] += 1
    points, lanes = 0, 0
    for run in range(shares * levels):
        for j in range(MOST_POINTS * run, MOST_POINTS * (run + 1)):
            # a batch has the points of its first lane
            if count[j] > 0:
                begun = (LANES - lanes % LANES) % LANES
                opened = (max(count[j] - begun, 0) + LANES - 1) // LANES
                points += opened * (MOST_POINTS - j % MOST_POINTS)
            size = count[j]
            count[j] = lanes
            lanes += size
        lanes = (lanes + LANES - 1) // LANES * LANES
    return points, lanes


@inlined_kernel
def _kind(batches, g, groups, levels, shares):
    """Share and level of a group, and how many points it lacks to the most."""
    lacking = MOST_POINTS - (batches.first[g + 1] - batches.first[g])
    run = levels * _share(batches, g, groups, shares) + batches.level[g]
    return MOST_POINTS * run + lacking


@inlined_kernel
def _share_of_batch(batches, begin, k, groups, shares):
    """Share of batch k of an island."""
    return _share(batches, batches.group[LANES * batches.counted[k - begin]], groups, shares)


@inlined_kernel
def _share(batches, g, groups, shares):
    """Share of a group: all shares have as many contacts."""
    return batches.first[g] * shares // batches.first[groups]


@inner_kernel
def _open_batches(batches, groups, levels, shares, lanes):
    """Write down which group is in which lane, and the contacts of each."""
    begin, first, point = batches.used[0], batches.first, batches.used[1]
    for k in range(lanes):
        batches.group[k] = -1
        batches.change[LANES * begin + k] = 0.0
    for g in range(groups):
        j = _kind(batches, g, groups, levels, shares)
        batches.group[batches.counted[j]] = g
        batches.counted[j] += 1
    _order_batches(batches, groups, shares, lanes // LANES)
    for k in range(lanes // LANES):
        batches.start[begin + k] = point
        at = LANES * batches.counted[k]
        for lane in range(LANES):
            g = batches.group[at + lane]
            slot = LANES * begin + g if g >= 0 else len(batches.change) - 1
            batches.slot[LANES * (begin + k) + lane] = slot
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
    _find_bounds(batches, groups, shares, begin)


@inner_kernel
def _order_batches(batches, groups, shares, count):
    """Put the batches of each level of a share in the order of their first groups, every other
    share in the opposite one, into ``counted``: threads are at both sides of a border together.
    """
    order, group = batches.counted, batches.group
    for k in range(count):
        g, at = group[LANES * k], k
        share = _share(batches, g, groups, shares)
        while at > 0:
            before = group[LANES * order[at - 1]]
            if _share(batches, before, groups, shares) != share:
                break
            right = before > g if share % 2 else before < g
            if right or batches.level[before] != batches.level[g]:
                break
            order[at] = order[at - 1]
            at -= 1
        order[at] = k


@inner_kernel
def _find_bounds(batches, groups, shares, begin):
    """Where the shares of an island that begins with a batch begin and end; those that have no
    batches are at the beginning of the next one.
    """
    bounds, k = batches.bounds[begin], batches.used[0]
    for d in range(len(bounds) - 1, -1, -1):
        while k > begin and _share_of_batch(batches, begin, k - 1, groups, shares) >= d:
            k -= 1
        bounds[d] = k
