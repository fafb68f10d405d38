"""A second look for contact points, where the first half of a step leads.

Points are found at t, up to as far apart as free motion can close within the step. Impulses make
bodies go further than that, or elsewhere, and what turns, or moves across a ground of triangles,
touches with features that were not the closest. So bodies that the impulses led astray, or that do
so noticeably, are looked at again at the poses of t+h: what overlaps there at a point that no
contact of the step stands for becomes one, and the half is solved again. The lowest point of a
curved surface, which runs along it, is fixed where it is then.
"""

from __future__ import annotations

from impulse_core.algebra import ZERO3, Vec3, conjugate, norm, quat_of, set_vec3, vec3_at, vec3_of
from impulse_core.collision.boxes import gravity_of
from impulse_core.collision.broad import find_pairs_at, turning_of
from impulse_core.collision.contacts import PLANE_ELLIPSOID, PLANE_RIM
from impulse_core.collision.detect import keep_point, pair_key, remember
from impulse_core.collision.geometry import contact_geometry, fix_lowest, has_direction
from impulse_core.collision.narrow import collide
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel

__all__ = ["UNFIT", "look_again"]

UNFIT = -2  # what is missed cannot be added

_SAME = 0.1  # of the overlap that is allowed, within which gaps are the same


@deferred_kernel("int64")
def look_again(model, search, state, start, poses, still, h, allowed):
    """Add the points at which shapes overlap by more than is allowed [m] at the poses to which a
    step of length h leads, and for which no contact of the search stands.

    start: motion at the start of the step (Momenta). Pairs of which neither body moves, by still
    (b,), are left out. Returns how many were added, -1 if there was not room, or UNFIT if none that
    was missed could be.
    """
    shapes, sweep, contacts = search.shapes, search.sweep, search.contacts
    if not _find_astray(model, shapes, state, start, poses, h, allowed, sweep):
        return 0
    pairs, half = (
        _given_pairs(sweep) if sweep.given[0] else find_pairs_at(model, shapes, poses, sweep)
    )
    if pairs < 0:
        search.needed[2] = -pairs
        return -1
    used, room = contacts.used[0], len(contacts.row)
    added, unfit = 0, 0
    first, row, at = 0, 0, 0  # in the contacts, in the pairs of the step, in the memory
    for k in range(pairs):
        code = sweep.key[half, k]
        s1, s2 = code >> sweep.bits, code & ((1 << sweep.bits) - 1)
        if turning_of(shapes, sweep, s1) + turning_of(shapes, sweep, s2) == 0.0:
            continue
        if still[shapes.body[s1]] and still[shapes.body[s2]]:
            continue
        key = pair_key(s1, s2)
        while first < used and contacts.mark[first].pair < key:
            first += 1
        while row < sweep.pair_count[0] and sweep.old_key[row] < code:
            row += 1
        while at < search.memory.used[0] and search.memory.mark[at].pair < key:
            at += 1
        known = row if row < sweep.pair_count[0] and sweep.old_key[row] == code else -1
        added, unfit = _add_missed(
            search, state, poses, s1, s2, h, allowed, first, known, at, added, unfit
        )
    if used + 2 * added > room:
        search.needed[0] = used + 2 * added
        return -1
    _sort_in(contacts, added)
    return UNFIT if unfit > 0 and added == 0 else added


@inner_kernel
def _given_pairs(sweep):
    """How many pairs are given, and the half of ``key`` that holds their keys."""
    for k in range(sweep.pair_count[0]):
        sweep.key[0, k] = sweep.old_key[k]
    return sweep.pair_count[0], 0


@inner_kernel
def _find_astray(model, shapes, state, start, poses, h, allowed, sweep):
    """Whether bodies go further than detection assumed of them, turn by more than is allowed at
    their farthest points [m], or go as far near the triangles of a ground. sweep.turning is 1 for
    their shapes, 0 for others, sweep.way how far the bodies of all go [m].
    """
    fall = 0.5 * norm(gravity_of(model)) * h * h
    last, any_astray, turn, astray, moved = -1, False, 0.0, False, 0.0
    for k in range(sweep.given[1] if sweep.given[0] else shapes.boxed):
        s = sweep.order[k] if sweep.given[0] else k
        i = shapes.body[s]
        if i != last:
            before, after = state.bodies[i], poses[i]
            q = quat_of(after.orientation) * conjugate(quat_of(before.orientation))
            turn = 2.0 * norm(Vec3(q.x, q.y, q.z))
            way = vec3_of(after.position) - vec3_of(before.position)
            moved = norm(way)
            if i < model.dynamic:
                way = way - h * vec3_of(start[i].velocity)
            else:
                way = ZERO3
            astray = norm(way) > fall + allowed
            last = i
        arm = norm(vec3_at(shapes.center, s)) + shapes.reach[s]
        far = astray or turn * arm > allowed
        sweep.turning[s] = 1.0 if far else 0.0
        sweep.way[s] = moved
        any_astray = any_astray or far
    triangles = len(shapes.kind) - shapes.boxed
    for k in range(sweep.pair_count[0] if triangles > 0 else 0):
        s = sweep.pair_first[k]
        if sweep.pair_second[k] >= shapes.boxed and sweep.way[s] > allowed:
            sweep.turning[s] = 1.0
            any_astray = True
    return any_astray


@inlined_kernel
def _add_missed(search, state, poses, s1, s2, h, allowed, first, known, at, added, unfit):
    """Put the points of a pair that were missed at the end of the contacts, the last of them first:
    how many of all pairs then are there, and how many could not be added: edges that cross there
    are parallel at the start, or one body came through the plane of the other from behind, beside a
    face along which another point would have to part them. Where there is not room points are
    counted only.

    first: the first contact of the pair, if it has any; known: its row among the pairs of the step,
    -1 if it is not one; at: where it is in the memory, if it is.
    """
    shapes, found, contacts, memory = search.shapes, search.found, search.contacts, search.memory
    scale = h / memory.step[0] if memory.step[0] > 0.0 else 0.0
    key = pair_key(s1, s2)
    pose1, pose2 = _pose(poses, shapes.body[s1]), _pose(poses, shapes.body[s2])
    cache = found.cache
    if known >= 0:
        cache = search.sweep.cache[known]
    else:
        for i in range(len(cache)):
            cache[i] = -1
    deepest = _deepest(contacts, first, key)
    same = _SAME * allowed
    count = collide(shapes, s1, s2, pose1, pose2, min(-allowed, deepest - same), cache, found)
    for p in range(count):
        if _is_stood_for(contacts, poses, first, key, found, p, same):
            continue
        c = len(contacts.row) - 1 - added
        if c < contacts.used[0]:
            added += 1
            continue
        contacts.mark[c].pair = key
        keep_point(shapes, contacts, c, s1, s2, found.point[p])
        fix_lowest(contacts, c, poses)
        if not has_direction(contacts, c, state.bodies):
            unfit += 1
            continue
        _, _, _, gap = contact_geometry(contacts, c, state.bodies)
        if gap < found.point[p].gap - allowed:
            unfit += 1  # a plane that one of them comes through from behind
            continue
        remember(contacts, c, memory, at, scale)
        row = contacts.row[c]
        row.least = deepest
        closes = max(0.0, gap - found.point[p].gap)  # the rest is pushed apart, and returns nothing
        row.approach_velocity = closes / h
        row.rebound = min(1.0, closes / (deepest - found.point[p].gap))
        set_vec3(row.impulse, vec3_of(row.first))
        set_vec3(row.torque, vec3_of(row.roll_first))
        added += 1
    return added, unfit


@inner_kernel
def _pose(poses, i):
    """Centre and orientation of a body."""
    return vec3_of(poses[i].position), quat_of(poses[i].orientation)


@inner_kernel
def _deepest(contacts, first, key):
    """The least gap of a pair at the start of the step, none if it does not overlap [m]."""
    deepest = 0.0
    c = first
    while c < contacts.used[0] and contacts.mark[c].pair == key:
        deepest = min(deepest, contacts.row[c].gap)
        c += 1
    return deepest


@inner_kernel
def _is_stood_for(contacts, poses, first, key, found, p, same):
    """Whether a contact of the pair is point p: it has its name, or that of the point of a curved
    surface that an earlier look fixed, and at these poses its gap.
    """
    name = found.point[p].feature
    runs = found.point[p].kind in (PLANE_ELLIPSOID, PLANE_RIM)
    c = first
    while c < contacts.used[0] and contacts.mark[c].pair == key:
        if contacts.mark[c].feature == name or (runs and contacts.mark[c].feature == name + 1):
            _, _, _, gap = contact_geometry(contacts, c, poses)
            if gap <= found.point[p].gap + same:
                return True
        c += 1
    return False


@inner_kernel
def _sort_in(contacts, added):
    """Move the points at the end, of which the last pair comes first, to those of their pairs."""
    row, mark, room = contacts.row, contacts.mark, len(contacts.row)
    listed, left = contacts.used[0], added
    contacts.used[0] += added
    while left > 0:
        source, to = room - left, listed + left - 1
        if listed > 0 and mark[listed - 1].pair >= mark[source].pair:
            listed -= 1
            source = listed
        else:
            left -= 1
        mark[to] = mark[source]
        row[to] = row[source]
