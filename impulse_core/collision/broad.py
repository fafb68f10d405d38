"""Which shapes can touch within a step: sweep and prune in the cells of grids (BFS05, phase 1).

Every shape has an axis-aligned box around where it can be within the step. Boxes are sorted into
the columns of a grid over x and y, one grid for each size of box, and swept along z in every
column; the order is kept from step to step, so that sorting finds it almost right. Along one axis
alone, every box would meet all those beside it: in a heap of n that grows as n^(5/3). Pairs that
the filter forbids are left out; what is remembered of the others (their closest features) stays in
the same row as long as they remain pairs.
"""

from __future__ import annotations

from impulse_core.algebra import (
    Vec3,
    dot,
    norm,
    quat_at,
    quat_of,
    rotate,
    vec3_at,
    vec3_of,
)
from impulse_core.collision.boxes import (
    find_boxes,
    find_boxes_at,
    find_given_boxes,
    gravity_of,
    support,
)
from impulse_core.collision.columns import boxes_overlap, sort_into_columns, sweep_columns
from impulse_core.collision.shapes import (
    GROUND,
    PLANE,
    TORUS,
)
from impulse_core.collision.sweep import (
    DIGIT,
    SLACK,
)
from impulse_core.collision.triangles import cell_between
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = [
    "add_pair",
    "add_triangles",
    "approach_of",
    "find_pairs",
    "find_pairs_at",
    "may_touch",
    "sort_keys",
    "turning_of",
]

_FEW = 64  # keys, which are sorted by insertion: far fewer than the digits of a histogram


@inner_kernel
def may_touch(model, shapes, s1, s2):
    """Whether the filter lets two shapes touch."""
    if shapes.body[s1] >= model.dynamic and shapes.body[s2] >= model.dynamic:
        return False
    o1, o2 = shapes.owner[s1], shapes.owner[s2]
    if o1 == o2:
        return False
    if len(shapes.pair_key) > 0:
        key = min(o1, o2) * len(shapes.group) + max(o1, o2)
        low, high = 0, len(shapes.pair_key)
        while low < high:
            middle = (low + high) >> 1
            if shapes.pair_key[middle] < key:
                low = middle + 1
            else:
                high = middle
        if low < len(shapes.pair_key) and shapes.pair_key[low] == key:
            return shapes.pair_rule[low] != 0
    return shapes.group_rule[shapes.group[o1], shapes.group[o2]] != 0


@inner_kernel
def add_pair(sweep, s1, s2):
    """Note a pair; beyond the room there is, only count it."""
    k = sweep.pair_count[0]
    sweep.pair_count[0] = k + 1
    if k < len(sweep.pair_first):
        sweep.key[0, k] = (min(s1, s2) << sweep.bits) | max(s1, s2)


@inner_kernel
def add_triangles(shapes, sweep, ground, s):
    """Note the triangles of a ground in the box of shape s, each where the two first share a cell
    of the ground's grid; with those as near beside its way as at its end, since the nearest tells
    of what all others are (``ground_push``).
    """
    around = Vec3(1.0, 1.0, 1.0) * (shapes.radius[ground] + sweep.way[s])
    low, high = vec3_at(sweep.low, s) - around, vec3_at(sweep.high, s) + around
    x0, y0 = shapes.ground_origin[ground, 0], shapes.ground_origin[ground, 1]
    dx, dy = shapes.ground_origin[ground, 2], shapes.ground_origin[ground, 3]
    nx, ny = shapes.ground_cells[ground, 0], shapes.ground_cells[ground, 1]
    i0, i1 = cell_between(low.x, x0, dx, nx), cell_between(high.x, x0, dx, nx)
    k0, k1 = cell_between(low.y, y0, dy, ny), cell_between(high.y, y0, dy, ny)
    for k in range(k0, k1 + 1):
        for i in range(i0, i1 + 1):
            c = shapes.ground_cell_first[ground] + k * nx + i
            for at in range(shapes.cell_start[c], shapes.cell_start[c + 1]):
                t = shapes.cell_triangle[at]
                a = vec3_at(shapes.vertex, shapes.vertex_start[t])
                b = vec3_at(shapes.vertex, shapes.vertex_start[t] + 1)
                d = vec3_at(shapes.vertex, shapes.vertex_start[t] + 2)
                left, front = min(a.x, b.x, d.x), min(a.y, b.y, d.y)
                if left > high.x or max(a.x, b.x, d.x) < low.x:
                    continue
                if front > high.y or max(a.y, b.y, d.y) < low.y:
                    continue
                if min(a.z, b.z, d.z) > high.z or max(a.z, b.z, d.z) < low.z:
                    continue
                if max(cell_between(left, x0, dx, nx), i0) != i:
                    continue
                if max(cell_between(front, y0, dy, ny), k0) == k:
                    add_pair(sweep, t, s)


@inner_kernel
def _add_capsules(shapes, sweep, torus, other):
    """Note the capsules of a torus in the box of another shape, with what each of them meets."""
    for c in range(shapes.ring_start[torus], shapes.ring_start[torus + 1]):
        if not boxes_overlap(sweep, c, other):
            continue
        if shapes.kind[other] == TORUS:
            for d in range(shapes.ring_start[other], shapes.ring_start[other + 1]):
                if boxes_overlap(sweep, c, d):
                    add_pair(sweep, c, d)
        elif shapes.kind[other] == GROUND:
            add_triangles(shapes, sweep, other, c)
        else:
            add_pair(sweep, c, other)


@inner_kernel
def _filter_overlaps(model, shapes, sweep):
    """Note those of the boxes that overlap which may touch; of grounds and tori their parts."""
    for at in range(sweep.overlaps[0]):
        key = sweep.key[1, at]
        a, b = key >> sweep.bits, key & ((1 << sweep.bits) - 1)
        if not may_touch(model, shapes, a, b):
            continue
        if shapes.kind[a] == TORUS:
            _add_capsules(shapes, sweep, a, b)
        elif shapes.kind[b] == TORUS:
            _add_capsules(shapes, sweep, b, a)
        elif shapes.kind[a] == GROUND or shapes.kind[b] == GROUND:
            ground, other = (a, b) if shapes.kind[a] == GROUND else (b, a)
            add_triangles(shapes, sweep, ground, other)
        else:
            add_pair(sweep, a, b)


@inner_kernel
def _approach_of_plane(model, shapes, state, h, sweep, plane, s, n):
    """Largest approach of shape s to a plane with normal n within h [m]."""
    row1, row2 = shapes.body[plane], shapes.body[s]
    v = vec3_of(state.bodies[row2].velocity) - vec3_of(state.bodies[row1].velocity)
    dv = gravity_of(model) * h
    # Either body may be held by others, so that gravity moves the other one alone.
    after = max(0.0, -dot(n, dv)) if row2 < model.dynamic else 0.0
    after += max(0.0, dot(n, dv)) if row1 < model.dynamic else 0.0
    approach = h * (max(0.0, -dot(n, v)) + after) + sweep.turning[s]
    if sweep.turning[plane] > 0.0:
        q = quat_of(state.bodies[row2].orientation)
        center = vec3_of(state.bodies[row2].position) + rotate(q, vec3_at(shapes.center, s))
        arm = norm(center - vec3_of(state.bodies[row1].position)) + shapes.reach[s]
        approach += sweep.turning[plane] * (arm + norm(v) * h)
    return approach


@inner_kernel
def _add_planes(model, shapes, state, h, margin, sweep):
    """Pairs of planes with all other shapes."""
    for k in range(len(sweep.planes)):
        p = sweep.planes[k]
        q1 = quat_of(state.bodies[shapes.body[p]].orientation)
        n = rotate(q1 * quat_at(shapes.frame, p), Vec3(0.0, 0.0, 1.0))
        A = vec3_of(state.bodies[shapes.body[p]].position) + rotate(q1, vec3_at(shapes.center, p))
        for i in range(len(sweep.order)):
            s = sweep.order[i]
            if shapes.kind[s] == GROUND:
                continue
            row = shapes.body[s]
            q = quat_of(state.bodies[row].orientation)
            B = vec3_of(state.bodies[row].position) + rotate(q, vec3_at(shapes.center, s))
            height = dot(n, B - A)
            approach = _approach_of_plane(model, shapes, state, h, sweep, p, s, n)
            approach += margin + SLACK * (norm(A) + norm(B))
            if height - shapes.reach[s] > approach:
                continue
            if height - support(shapes, sweep, s, q, n) - shapes.radius[s] > approach:
                continue
            if may_touch(model, shapes, p, s):
                add_pair(sweep, p, s)


@inlined_kernel
def _sort_few(sweep, n):
    """Sort so few keys by insertion."""
    key = sweep.key
    for k in range(1, n):
        x, at = key[0, k], k
        while at > 0 and key[0, at - 1] > x:
            key[0, at] = key[0, at - 1]
            at -= 1
        key[0, at] = x


@inner_kernel
def sort_keys(sweep):
    """Sort the keys of all pairs by their digits; returns the half of ``key`` that holds them."""
    n = sweep.pair_count[0]
    if n <= _FEW:
        _sort_few(sweep, n)
        return 0
    half = 0
    shift = 0
    while shift < 2 * sweep.bits:
        for digit in range(DIGIT + 1):
            sweep.histogram[digit] = 0
        for k in range(n):
            sweep.histogram[((sweep.key[half, k] >> shift) & (DIGIT - 1)) + 1] += 1
        for digit in range(DIGIT):
            sweep.histogram[digit + 1] += sweep.histogram[digit]
        for k in range(n):
            digit = (sweep.key[half, k] >> shift) & (DIGIT - 1)
            sweep.key[1 - half, sweep.histogram[digit]] = sweep.key[half, k]
            sweep.histogram[digit] += 1
        half = 1 - half
        shift += 11
    return half


@inner_kernel
def _keep_memory(sweep, half):
    """The pairs behind their keys, each with what was remembered of it; both lists ascend, and are
    mostly the same, at least at the beginning.
    """
    n, old = sweep.pair_count[0], sweep.old_count[0]
    numbers = sweep.cache.shape[1]
    same = 0
    while same < min(n, old) and sweep.key[half, same] == sweep.old_key[same]:
        same += 1
    for k in range(same, old):
        sweep.key_before[k] = sweep.old_key[k]
        for i in range(numbers):
            sweep.cache_before[k, i] = sweep.cache[k, i]
    at = same
    for k in range(same, n):
        key = sweep.key[half, k]
        while at < old and sweep.key_before[at] < key:
            at += 1
        known = at < old and sweep.key_before[at] == key
        sweep.old_key[k] = key
        for i in range(numbers):
            sweep.cache[k, i] = sweep.cache_before[at, i] if known else -1
    for k in range(n):
        sweep.pair_first[k] = sweep.old_key[k] >> sweep.bits
        sweep.pair_second[k] = sweep.old_key[k] & ((1 << sweep.bits) - 1)
        for i in range(numbers):
            sweep.cache_begun[k, i] = sweep.cache[k, i]
    sweep.old_count[0] = n


@inner_kernel
def _approach(model, shapes, state, h, sweep, s1, s2):
    """Largest approach of two shapes with boxes, or of a triangle and one, within h [m]."""
    row1, row2 = shapes.body[s1], shapes.body[s2]
    v = vec3_of(state.bodies[row2].velocity) - vec3_of(state.bodies[row1].velocity)
    approach = norm(v) + norm(gravity_of(model)) * h
    return h * approach + turning_of(shapes, sweep, s1) + turning_of(shapes, sweep, s2)


@inner_kernel
def turning_of(shapes, sweep, s):
    """Largest motion of a point of shape s in the step by turning [m]: triangles stand still."""
    return sweep.turning[s] if s < shapes.boxed else 0.0


@inner_kernel
def approach_of(model, shapes, state, h, sweep, k):
    """How far the shapes of pair k can approach each other within h [m]."""
    s1, s2 = sweep.pair_first[k], sweep.pair_second[k]
    plane, other = s1, s2
    if shapes.kind[s1] != PLANE:
        plane, other = s2, s1
    if shapes.kind[plane] == PLANE:
        q = quat_of(state.bodies[shapes.body[plane]].orientation)
        n = rotate(q * quat_at(shapes.frame, plane), Vec3(0.0, 0.0, 1.0))
        return _approach_of_plane(model, shapes, state, h, sweep, plane, other, n)
    return _approach(model, shapes, state, h, sweep, s1, s2)


@inner_kernel
def find_pairs(model, shapes, state, h, margin, sweep):
    """Find the pairs of shapes that can come within a margin [m] of each other in a step of length
    h; returns their number, or minus it if there is not so much room: ``enlarge``, then call again.

    The pairs ascend, whatever was found before.
    """
    if sweep.given[0]:
        find_given_boxes(model, shapes, state, h, margin, sweep)
        return sweep.pair_count[0]
    sweep.pair_count[0] = 0
    sweep.overlaps[0] = 0
    find_boxes(model, shapes, state, h, margin, sweep)
    columns = sort_into_columns(sweep)
    sweep_columns(sweep, columns)
    if sweep.overlaps[0] > len(sweep.pair_first):
        return -sweep.overlaps[0]
    _filter_overlaps(model, shapes, sweep)
    _add_planes(model, shapes, state, h, margin, sweep)
    n = sweep.pair_count[0]
    if n > len(sweep.pair_first):
        sweep.pair_count[0] = 0
        return -n
    half = sort_keys(sweep)
    _keep_memory(sweep, half)
    return n


@inner_kernel
def find_pairs_at(model, shapes, poses, sweep):
    """Find the pairs of shapes whose boxes overlap at these poses, and leave those of the step and
    what is remembered of them as they are.

    Returns how many there are, or minus it where there is not so much room, and the half of
    ``key`` that holds their keys, ascending.
    """
    of_step = sweep.pair_count[0]
    sweep.pair_count[0] = 0
    sweep.overlaps[0] = 0
    find_boxes_at(shapes, poses, sweep)
    sweep_columns(sweep, sort_into_columns(sweep))
    n, half = sweep.overlaps[0], 0
    if n <= len(sweep.pair_first):
        _filter_overlaps(model, shapes, sweep)
        _add_planes_at(model, shapes, poses, sweep)
        n = sweep.pair_count[0]
        if n <= len(sweep.pair_first):
            half = sort_keys(sweep)
    sweep.pair_count[0] = of_step
    return n if n <= len(sweep.pair_first) else -n, half


@inner_kernel
def _add_planes_at(model, shapes, poses, sweep):
    """Pairs of planes with what reaches below them at these poses."""
    for k in range(len(sweep.planes)):
        p = sweep.planes[k]
        q1 = quat_of(poses[shapes.body[p]].orientation)
        n = rotate(q1 * quat_at(shapes.frame, p), Vec3(0.0, 0.0, 1.0))
        A = vec3_of(poses[shapes.body[p]].position) + rotate(q1, vec3_at(shapes.center, p))
        for i in range(len(sweep.order)):
            s = sweep.order[i]
            if shapes.kind[s] == GROUND:
                continue
            q = quat_of(poses[shapes.body[s]].orientation)
            B = vec3_of(poses[shapes.body[s]].position) + rotate(q, vec3_at(shapes.center, s))
            height = dot(n, B - A)
            if height > shapes.reach[s]:
                continue
            if height - support(shapes, sweep, s, q, n) > shapes.radius[s]:
                continue
            if may_touch(model, shapes, p, s):
                add_pair(sweep, p, s)
