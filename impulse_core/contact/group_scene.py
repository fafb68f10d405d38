"""A group of bodies as a scene of its own: what it begins with, and whether what it did is kept."""

from __future__ import annotations

import math

from impulse_core.algebra import (
    Vec3,
    dot,
    put_vec3,
    quat_at,
    quat_of,
    rotate,
    set_vec3,
    vec3_at,
    vec3_of,
)
from impulse_core.collision.broad import add_pair, add_triangles, may_touch, sort_keys
from impulse_core.collision.columns import boxes_overlap
from impulse_core.collision.memory import copy_memory_point
from impulse_core.collision.shapes import GROUND, PLANE, TORUS
from impulse_core.jit import inner_kernel
from impulse_core.joints.constraints import angular_velocities
from impulse_core.model.copies import copy_poses

__all__ = ["keep_group", "load_group"]


@inner_kernel
def load_group(model, contact, apart, state, work, root):
    """Let the small scene be a group at the start of the step; False if there is not room."""
    small, of, world = apart.model, apart.state, len(model.bodies) - 1
    for k in range(small.dynamic):
        small.bodies[k], of.bodies[k] = apart.nobody[0], state.bodies[world]
    for i in range(model.dynamic, world + 1):
        of.bodies[small.dynamic + i - model.dynamic] = state.bodies[i]
    i, k = apart.body[0, root], 0
    while i >= 0:
        apart.slot[i] = k
        _load_body(model, contact, apart, state, work, i, k)
        i, k = apart.body[1, i], k + 1
    for j in range(len(state.kinematic)):
        of.kinematic[j] = state.kinematic[j]
        still = contact.sleep.still[model.dynamic + j]
        apart.contact.sleep.still[small.dynamic + j] = still
    of.clock[0] = state.clock[0]
    apart.work.totals[0] = work.totals[0]
    copy_poses(of.bodies, apart.work.next)
    angular_velocities(small, of, apart.work)
    for i in range(model.dynamic, world + 1):
        w = vec3_at(work.angular_velocity, i)
        put_vec3(apart.work.angular_velocity, small.dynamic + i - model.dynamic, w)
    if not _load_shapes(model, contact, apart, root):
        return False
    return _load_pairs(model, contact, apart, root) and _load_points(contact, apart, root)


@inner_kernel
def _load_body(model, contact, apart, state, work, i, k):
    """Let body k of the small scene be body i, with the velocities at the start of the step."""
    apart.model.bodies[k] = model.bodies[i]
    apart.state.bodies[k] = state.bodies[i]
    set_vec3(apart.state.bodies[k].velocity, vec3_of(work.part[i].velocity))
    set_vec3(apart.state.bodies[k].angular_momentum, vec3_of(work.part[i].angular_momentum))
    apart.work.saved.bodies[k] = work.saved.bodies[i]
    own, of = apart.contact.solver_bodies.row[k], contact.solver_bodies.row[i]
    own.inverse_mass, own.inverse_mass_alone = of.inverse_mass, of.inverse_mass_alone


@inner_kernel
def _load_shapes(model, contact, apart, root):
    """Give the small scene the shapes of a group, and those that it has pairs with."""
    sweep, own, body = contact.sweep, apart.contact.sweep, contact.shapes.body
    own.given[1] = 0
    i = apart.body[0, root]
    while i >= 0:
        for at in range(apart.first_shape[i], apart.first_shape[i + 1]):
            apart.contact.shapes.body[apart.shape[at]] = apart.slot[i]
            if not _give_shape(own, apart.shape[at]):
                return False
        i = apart.body[1, i]
    k = apart.pair[root]
    while k >= 0:
        for s in (sweep.pair_first[k], sweep.pair_second[k]):
            if s < contact.shapes.boxed and body[s] >= model.dynamic and not _give_shape(own, s):
                return False
        k = apart.next_pair[k]
    return True


@inner_kernel
def _give_shape(sweep, s):
    """Give a small scene another shape; False if there is no room."""
    if sweep.given[1] == len(sweep.order):
        return False
    sweep.order[sweep.given[1]] = s
    sweep.given[1] += 1
    for x in range(3):
        sweep.box[s, x], sweep.box[s, x + 3] = math.inf, -math.inf
    return True


@inner_kernel
def _load_pairs(model, contact, apart, root):
    """Give the small scene the pairs of a group, and all triangles of grounds that it may meet."""
    of, own = contact.sweep, apart.contact.sweep
    own.pair_count[0] = 0
    k = apart.pair[root]
    while k >= 0:
        if of.pair_second[k] < contact.shapes.boxed:
            add_pair(own, of.pair_first[k], of.pair_second[k])
        k = apart.next_pair[k]
    _add_grounds(model, contact, apart)
    count = own.pair_count[0]
    if count > len(own.pair_first):
        return False
    half, k = sort_keys(own), apart.pair[root]
    for at in range(count):
        key = own.key[half, at]
        own.old_key[at] = key
        own.pair_first[at] = key >> own.bits
        own.pair_second[at] = key & ((1 << own.bits) - 1)
        while k >= 0 and of.old_key[k] < key:
            k = apart.next_pair[k]
        for n in range(of.cache.shape[1]):
            known = k >= 0 and of.old_key[k] == key
            own.cache[at, n] = of.cache_begun[k, n] if known else -1
    own.old_count[0] = count
    return True


@inner_kernel
def _add_grounds(model, contact, apart):
    """Add the pairs of the small scene's shapes with triangles, as far around their boxes as these
    reach: what bounces comes to others than it would have met.
    """
    shapes, of, own = contact.shapes, contact.sweep, apart.contact.sweep
    for k in range(own.given[1]):
        s = own.order[k]
        if shapes.body[s] >= model.dynamic or shapes.kind[s] == PLANE or shapes.kind[s] == TORUS:
            continue
        for x in range(3):
            own.low[s, x] = of.low[s, x] - (of.way[s] + of.turning[s])
            own.high[s, x] = of.high[s, x] + (of.way[s] + of.turning[s])
            apart.around[s, x], apart.around[s, x + 3] = own.low[s, x], own.high[s, x]
        own.way[s] = of.way[s]
        for at in range(len(apart.grounds)):
            if may_touch(model, shapes, s, apart.grounds[at]):
                add_triangles(shapes, own, apart.grounds[at], s)


@inner_kernel
def _load_points(contact, apart, root):
    """Give the small scene what is remembered of a group."""
    own, m = apart.contact.memory, apart.point[root]
    own.step[0], own.used[0] = contact.memory.step[0], 0
    while m >= 0:
        if own.used[0] == len(own.row):
            return False
        copy_memory_point(contact.memory, m, own, own.used[0], 1.0)
        own.used[0] += 1
        m = apart.next_point[m]
    return True


@inner_kernel
def keep_group(model, contact, apart, root):
    """Keep what a group did in a step; False if it may have met anything else there, or
    there is not room.
    """
    if _strays(model, contact, apart):
        return False
    small, pool = apart.contact, apart.contacts
    if pool.used[0] + small.contacts.used[0] > len(pool.row):
        return False
    i, k = apart.body[0, root], 0
    while i >= 0:
        apart.end[i] = apart.state.bodies[k]
        for at in range(apart.first_shape[i], apart.first_shape[i + 1]):
            contact.sweep.kept[apart.shape[at]] = 1
        i, k = apart.body[1, i], k + 1
    for c in range(small.contacts.used[0]):
        to = pool.used[0]
        pool.row[to], pool.mark[to] = small.contacts.row[c], small.contacts.mark[c]
        pool.mark[to].body1 = contact.shapes.body[pool.mark[to].shape1]
        pool.mark[to].body2 = contact.shapes.body[pool.mark[to].shape2]
        copy_memory_point(small.memory, c, apart.memory, to, 1.0 / small.memory.step[0])
        at = to
        while at > 0 and pool.mark[apart.order[at - 1]].pair > pool.mark[to].pair:
            apart.order[at] = apart.order[at - 1]
            at -= 1
        apart.order[at] = to
        pool.used[0] += 1
    k, at = apart.pair[root], 0
    while k >= 0:
        while small.sweep.old_key[at] < contact.sweep.old_key[k]:
            at += 1
        for n in range(small.sweep.cache.shape[1]):
            contact.sweep.cache[k, n] = small.sweep.cache[at, n]
        k = apart.next_pair[k]
    apart.taken[0] += apart.number[root]
    return True


@inner_kernel
def _strays(model, contact, apart):
    """Whether a shape of the small scene may have been, within the step, where another is that it
    has no pair with. The boxes of the whole scene are made to hold where its shapes were.
    """
    of, own = contact.sweep, apart.contact.sweep
    strays = False
    for k in range(own.given[1]):
        s = own.order[k]
        if contact.shapes.body[s] >= model.dynamic or contact.shapes.kind[s] == PLANE:
            continue
        within = True
        for x in range(3):
            within = within and own.box[s, x] >= of.low[s, x]
            within = within and own.box[s, x + 3] <= of.high[s, x]
            of.low[s, x] = min(of.low[s, x], own.box[s, x])
            of.high[s, x] = max(of.high[s, x], own.box[s, x + 3])
        strays = strays or (not within and _reaches_another(model, contact, apart, s))
    return strays


@inner_kernel
def _reaches_another(model, contact, apart, s):
    """Whether the box of shape s overlaps that of another that it may touch and has no pair with,
    or reaches below a plane.
    """
    shapes, sweep = contact.shapes, contact.sweep
    for other in range(shapes.sought):
        if shapes.kind[other] == PLANE or shapes.body[other] == shapes.body[s]:
            continue
        if boxes_overlap(sweep, s, other) and may_touch(model, shapes, s, other):
            if shapes.kind[other] == GROUND:
                if not _stays_around(apart, s):
                    return True
            elif not _is_given(apart.contact.sweep, s, other):
                return True
    middle = 0.5 * (vec3_at(sweep.low, s) + vec3_at(sweep.high, s))
    half = 0.5 * (vec3_at(sweep.high, s) - vec3_at(sweep.low, s))
    for k in range(len(sweep.planes)):
        p = sweep.planes[k]
        pose = apart.state.bodies[apart.contact.shapes.body[p]]
        q = quat_of(pose.orientation)
        n = rotate(q * quat_at(shapes.frame, p), Vec3(0.0, 0.0, 1.0))
        A = vec3_of(pose.position) + rotate(q, vec3_at(shapes.center, p))
        depth = half.x * abs(n.x) + half.y * abs(n.y) + half.z * abs(n.z)
        below = dot(n, middle - A) < depth and may_touch(model, shapes, p, s)
        if below and not _is_given(apart.contact.sweep, s, p):
            return True
    return False


@inner_kernel
def _stays_around(apart, s):
    """Whether shape s stays within the box in which it has pairs with all triangles."""
    box = apart.contact.sweep.box
    for x in range(3):
        if box[s, x] < apart.around[s, x] or box[s, x + 3] > apart.around[s, x + 3]:
            return False
    return True


@inner_kernel
def _is_given(sweep, s, other):
    """Whether two shapes are one of the pairs."""
    for k in range(sweep.pair_count[0]):
        if sweep.pair_first[k] == min(s, other) and sweep.pair_second[k] == max(s, other):
            return True
    return False
