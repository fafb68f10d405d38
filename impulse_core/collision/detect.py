"""All contact points of a step, in three phases (BFS05, 4.3): boxes, closest features, polygons.

Points are found once, at the start of a step, up to as far apart as the step can close. A point
keeps its identity from step to step: the same features of the same two shapes are the same point,
which begins with the impulses of the step before.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from impulse_core.algebra import (
    ZERO3,
    Vec3,
    norm,
    normalized,
    quat_of,
    rotate,
    rotate_back,
    rotation_of,
    set_vec3,
    vec3_at,
    vec3_of,
)
from impulse_core.collision.broad import approach_of, find_pairs, turning_of
from impulse_core.collision.contacts import (
    BLOCK,
    PLANE_ELLIPSOID,
    PLANE_RIM,
    Contacts,
    Found,
    Staged,
)
from impulse_core.collision.geometry import contact_geometry, has_direction
from impulse_core.collision.memory import Memory, copy_impulses
from impulse_core.collision.narrow import collide
from impulse_core.collision.shapes import Shapes
from impulse_core.collision.sweep import Sweep
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel
from impulse_core.jit.atomics import fetch_add
from impulse_core.jit.team import Team, is_shared, share
from impulse_core.model.tasks import FIND_POINTS, KEEP_POINTS, PAIRS
from impulse_core.types import Ints

__all__ = [
    "Search",
    "detect",
    "find_points",
    "gives_nothing_back",
    "keep_point",
    "keep_points",
    "pair_key",
    "remember",
]

_TURNING = 50.0  # margins that points must move by turning for a second look
_SAME_POINT = 1e-9  # of the smaller shape, within which points of two capsules are one


class Search(NamedTuple):
    """What a search for contact points reads, and where it puts them."""

    shapes: Shapes
    sweep: Sweep
    found: Found
    staged: Staged
    memory: Memory
    contacts: Contacts
    team: Team
    needed: Ints
    """Where there was not room: for how many contacts [0] or pairs [2], shape (3,)."""


@deferred_kernel("boolean")
def detect(model, search, state, still, h, margin):
    """Fill the contacts of a search (Search) with all points of a step of length h that come nearer
    than a margin [m].

    Of shapes that turn noticeably other features may be the closest at the end of the step: they
    are looked at once more where free motion would take them. Pairs of bodies of which neither
    moves, by still (b,), are left out. False if there was not room.
    """
    sweep, team = search.sweep, search.team
    pairs = find_pairs(model, search.shapes, state, h, margin, sweep)
    if pairs < 0:
        search.needed[2] = -pairs
        return False
    shared = is_shared(team, pairs, PAIRS)
    if shared:
        search.staged.used[0] = 0
        team.number[0], team.number[1] = h, margin
        given = model, search, search.found, state, still, h, margin
        share(team, FIND_POINTS, 0, pairs, PAIRS, find_points, given)
    else:
        for k in range(pairs):
            search.staged.number[k] = -1
    used = _place_pairs(model, search, state, still, h, margin, pairs)
    if used > len(search.contacts.row):
        search.needed[0] = used
        return False
    search.contacts.used[0] = used
    if shared:
        team.number[0] = h
        share(team, KEEP_POINTS, 0, pairs, PAIRS, keep_points, (search, h))
    return True


@inner_kernel
def find_points(model, search, found, state, still, h, margin, begin, end):
    """Find the points of some pairs, each in ``found`` first, and stage them. Those of others
    depend on each other: where shapes turn, or capsules of a ring share their ends.
    """
    shapes, sweep, staged = search.shapes, search.sweep, search.staged
    at, room = 0, 0
    for k in range(begin, end):
        s1, s2 = sweep.pair_first[k], sweep.pair_second[k]
        staged.number[k] = 0
        if still[shapes.body[s1]] and still[shapes.body[s2]]:
            continue
        if _looks(shapes, sweep, s1, s2, margin) > 1 or _is_of_ring(shapes, s1, s2):
            staged.number[k] = -1
            continue
        pose1 = _pose_of(state.bodies, shapes.body[s1])
        pose2 = _pose_of(state.bodies, shapes.body[s2])
        near = margin + approach_of(model, shapes, state, h, sweep, k)
        count = collide(shapes, s1, s2, pose1, pose2, near, sweep.cache[k], found)
        if at + count > room:
            at = fetch_add(staged.used, 0, BLOCK)
            room = at + BLOCK
        staged.first[k], staged.number[k] = at, count
        if room <= len(staged.point):  # else there are more than contacts have room for
            for p in range(count):
                staged.point[at + p] = found.point[p]
        at += count


@inner_kernel
def _place_pairs(model, search, state, still, h, margin, pairs):
    """Say which contacts the staged points of each pair become; those of pairs that are not staged
    become contacts now. Returns how many contacts there are.
    """
    shapes, sweep, staged, memory = search.shapes, search.sweep, search.staged, search.memory
    used = 0
    run = 0  # first contact of the same two bodies, as far as their pairs follow each other
    at = 0  # in the memory, whose pairs ascend as those of the sweep do
    for k in range(pairs):
        staged.row[k] = used
        if k == 0 or not _same_owners(shapes, sweep, k):
            run = used
        if staged.number[k] >= 0:
            used += staged.number[k]
            continue
        s1, s2 = sweep.pair_first[k], sweep.pair_second[k]
        if still[shapes.body[s1]] and still[shapes.body[s2]]:
            continue
        at = _remembered_from(memory, at, pair_key(s1, s2))
        used = _add_pair(model, search, state, k, h, margin, run, at, used)
    return used


@inner_kernel
def _remembered_from(memory, at, key):
    """The first remembered point, from one on, of the pair of a key or one behind it."""
    while at < memory.used[0] and memory.mark[at].pair < key:
        at += 1
    return at


@inner_kernel
def _first_remembered(memory, key):
    """The same of all, by halving what is left."""
    low, high = 0, memory.used[0]
    while low < high:
        middle = (low + high) >> 1
        if memory.mark[middle].pair < key:
            low = middle + 1
        else:
            high = middle
    return low


@inner_kernel
def keep_points(search, h, begin, end):
    """Make contacts of the staged points of some pairs, in a step of length h."""
    shapes, sweep, staged, contacts = search.shapes, search.sweep, search.staged, search.contacts
    memory = search.memory
    scale = h / memory.step[0] if memory.step[0] > 0.0 else 0.0
    at = _first_remembered(memory, pair_key(sweep.pair_first[begin], sweep.pair_second[begin]))
    for k in range(begin, end):
        s1, s2 = sweep.pair_first[k], sweep.pair_second[k]
        at = _remembered_from(memory, at, pair_key(s1, s2))
        for p in range(staged.number[k]):
            c = staged.row[k] + p
            contacts.mark[c].pair = pair_key(s1, s2)
            keep_point(shapes, contacts, c, s1, s2, staged.point[staged.first[k] + p])
            remember(contacts, c, memory, at, scale)


@inner_kernel
def _looks(shapes, sweep, s1, s2, margin):
    """How often a pair is looked at: twice where the shapes turn noticeably."""
    turning = turning_of(shapes, sweep, s1) + turning_of(shapes, sweep, s2)
    return 2 if turning > _TURNING * margin and gives_nothing_back(shapes, s1, s2) else 1


@inlined_kernel
def _add_pair(model, search, state, k, h, margin, run, at, used):
    """Add the points of pair k to contacts of which ``used`` are in use; how many then are.

    run: the first contact of the same two bodies; at: where the pair is in the memory, if it is.
    Where there is not room points are counted only.
    """
    shapes, sweep, found, contacts = search.shapes, search.sweep, search.found, search.contacts
    s1, s2 = sweep.pair_first[k], sweep.pair_second[k]
    first = used
    of_ring = _is_of_ring(shapes, s1, s2)
    scale = h / search.memory.step[0] if search.memory.step[0] > 0.0 else 0.0
    deepest = -margin
    for look in range(_looks(shapes, sweep, s1, s2, margin)):
        later = h if look == 1 else 0.0
        pose1 = _free_pose(model, state, shapes.body[s1], later)
        pose2 = _free_pose(model, state, shapes.body[s2], later)
        near = margin
        if look == 0:
            near += approach_of(model, shapes, state, h, sweep, k)
        count = collide(shapes, s1, s2, pose1, pose2, near, sweep.cache[k], found)
        if used + count > len(contacts.row):
            used += count
            continue
        for p in range(count):
            point = found.point[p]
            if look == 1 and _is_listed(contacts, first, used, point.feature):
                continue
            contacts.mark[used].pair = pair_key(s1, s2)
            keep_point(shapes, contacts, used, s1, s2, point)
            if of_ring and _is_doubled(shapes, contacts, run, used):
                continue
            if not has_direction(contacts, used, state.bodies):
                continue  # edges that cross later, and are parallel now
            if look == 0:
                deepest = min(deepest, point.gap)
            elif _gap_now(contacts, used, state) < deepest:
                continue  # a plane found in a deep overlap that the bodies have passed already
            remember(contacts, used, search.memory, at, scale)
            used += 1
    return used


@inner_kernel
def pair_key(s1, s2):
    """What tells the pair of shapes s1 < s2."""
    return (s1 << 32) + s2


@inner_kernel
def gives_nothing_back(shapes, s1, s2):
    """Whether impacts of two shapes give nothing back: what they do is told from the velocities at
    the start of the step, of which points that come near by turning alone know little.
    """
    return shapes.restitution[shapes.material[s1], shapes.material[s2]] == 0.0


@inner_kernel
def _same_owners(shapes, sweep, k):
    """Whether pair k is of the same two bodies of the scene as the pair before it."""
    first, second = shapes.owner[sweep.pair_first[k]], shapes.owner[sweep.pair_second[k]]
    return (
        first == shapes.owner[sweep.pair_first[k - 1]]
        and second == shapes.owner[sweep.pair_second[k - 1]]
    )


@inner_kernel
def _is_of_ring(shapes, s1, s2):
    """Whether either shape is a capsule of a torus."""
    return shapes.sought <= s1 < shapes.boxed or shapes.sought <= s2 < shapes.boxed


@inner_kernel
def _is_doubled(shapes, contacts, run, c):
    """Whether contact c repeats one of the same bodies: capsules of a ring share their ends."""
    mark, row = contacts.mark, contacts.row
    near = _SAME_POINT * min(shapes.reach[mark[c].shape1], shapes.reach[mark[c].shape2])
    A, B = vec3_of(row[c].point1), vec3_of(row[c].point2)
    for other in range(run, c):
        if mark[other].kind != mark[c].kind or mark[other].body1 != mark[c].body1:
            continue
        if norm(vec3_of(row[other].point2) - B) > near:
            continue
        if norm(vec3_of(row[other].point1) - A) <= near:
            return True
    return False


@inner_kernel
def _pose_of(bodies, i):
    """Centre and orientation of body i."""
    return vec3_of(bodies[i].position), quat_of(bodies[i].orientation)


@inner_kernel
def _free_pose(model, state, i, h):
    """Centre and orientation of body i after free motion for a while h, to the second order."""
    C, q = _pose_of(state.bodies, i)
    if i < model.dynamic and h > 0.0:
        g = model.gravity
        C = C + vec3_of(state.bodies[i].velocity) * h + Vec3(g[0], g[1], g[2]) * (0.5 * h * h)
        L = rotate_back(q, vec3_of(state.bodies[i].angular_momentum))
        J = vec3_of(model.bodies[i].inverse_inertia)
        turn = rotate(q, Vec3(J.x * L.x, J.y * L.y, J.z * L.z)) * h
        q = normalized(rotation_of(turn) * q)
    return C, q


@inner_kernel
def _is_listed(contacts, first, used, feature):
    """Whether a point of that name is among the contacts of its pair already."""
    for c in range(first, min(used, len(contacts.row))):
        if contacts.mark[c].feature == feature:
            return True
    return False


@inner_kernel
def _gap_now(contacts, c, state):
    """Gap of contact c at the present poses [m]."""
    _, _, _, gap = contact_geometry(contacts, c, state.bodies)
    return gap


@inner_kernel
def keep_point(shapes, contacts, c, s1, s2, point):
    """Store a point (FoundPoint) of a pair of shapes as contact c."""
    mark, row = contacts.mark, contacts.row
    if point.swapped:
        s1, s2 = s2, s1
    mark[c].shape1, mark[c].shape2 = s1, s2
    mark[c].body1, mark[c].body2 = shapes.body[s1], shapes.body[s2]
    mark[c].kind, mark[c].feature, mark[c].delassus_row = point.kind, point.feature, -1
    set_vec3(row[c].point1, vec3_of(point.point1))
    set_vec3(row[c].point2, vec3_of(point.point2))
    set_vec3(row[c].axis1, vec3_of(point.axis1))
    set_vec3(row[c].axis2, vec3_of(point.axis2))
    if point.kind == PLANE_ELLIPSOID:
        set_vec3(row[c].axis2, vec3_at(shapes.extent, s2))
        for k in range(4):
            row[c].frame[k] = shapes.frame[s2, k]
    row[c].rim, row[c].gap = point.rim, point.gap
    row[c].least = -math.inf
    if point.kind in (PLANE_ELLIPSOID, PLANE_RIM):
        set_vec3(row[c].lowest, ZERO3)
    row[c].radius1 = shapes.radius[s1] + point.round1
    row[c].radius2 = shapes.radius[s2] + point.round2
    m1, m2 = shapes.material[s1], shapes.material[s2]
    row[c].static = shapes.static_friction[m1, m2]
    row[c].friction = shapes.kinetic_friction[m1, m2]
    row[c].restitution = shapes.restitution[m1, m2]
    row[c].rolling = shapes.rolling_friction[m1, m2]
    row[c].torsion = shapes.torsional_friction[m1, m2]
    row[c].resists = max(row[c].rolling, row[c].torsion)


@inner_kernel
def remember(contacts, c, memory, at, scale):
    """Begin with what the same point was left with in the last step, if there was such a point.

    A new point sticks if others of its pair did: features may change while nothing slides.
    """
    new = contacts.row[c]
    set_vec3(new.first, ZERO3)
    set_vec3(new.second, ZERO3)
    if new.resists > 0.0:
        set_vec3(new.roll_first, ZERO3)
        set_vec3(new.roll_second, ZERO3)
    contacts.mark[c].sticking, contacts.mark[c].steady = 0, 0
    m = at
    while m < memory.used[0] and memory.mark[m].pair == contacts.mark[c].pair:
        if memory.mark[m].sticking:
            contacts.mark[c].sticking = 1
        if memory.mark[m].feature == contacts.mark[c].feature:
            copy_impulses(memory.row[m], new, scale, new.resists > 0.0)
            contacts.mark[c].sticking = memory.mark[m].sticking
            contacts.mark[c].steady = memory.mark[m].steady
            return
        m += 1
