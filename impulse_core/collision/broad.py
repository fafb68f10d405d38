"""Which shapes can touch within a step: sweep and prune in the cells of grids (BFS05, phase 1).

Every shape has an axis-aligned box around where it can be within the step. Boxes are sorted into
the columns of a grid over x and y, one grid for each size of box, and swept along z in every
column; the order is kept from step to step, so that sorting finds it almost right. Along one axis
alone, every box would meet all those beside it: in a heap of n that grows as n^(5/3). Pairs that
the filter forbids are left out; what is remembered of the others (their closest features) stays in
the same row as long as they remain pairs.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from impulse_core.algebra import (
    Vec3,
    dot,
    norm,
    put_vec3,
    quat_at,
    quat_of,
    rotate,
    rotation_matrix,
    transposed_times,
    vec3_at,
    vec3_of,
)
from impulse_core.collision.contacts import CACHE_NUMBERS
from impulse_core.collision.shapes import (
    CONE,
    CYLINDER,
    ELLIPSOID,
    GROUND,
    PLANE,
    POLYHEDRON,
    TORUS,
    Shapes,
)
from impulse_core.jit import inner_kernel, kernel
from impulse_core.model import State
from impulse_core.types import Floats, Ints

__all__ = ["Sweep", "enlarge", "find_pairs", "may_touch", "new_sweep", "turning_of"]

# How the box of a shape is found.
_BY_EXTENT = 0  # box around the turned box Shapes.extent: exact for boxes
_BY_VERTICES = 1
_BY_EXTENT_AND_BALL = 2  # cores of many vertices
_ELLIPSOID = 3
_CYLINDER = 4
_CONE = 5
_BOUND_OF_KIND = {
    PLANE: _BY_EXTENT,  # has none
    GROUND: _BY_EXTENT,
    ELLIPSOID: _ELLIPSOID,
    CYLINDER: _CYLINDER,
    CONE: _CONE,
    TORUS: _CYLINDER,  # of no height, as wide as its ring of capsules
}

_FEW_VERTICES = 16  # that are cheaper to go through than a box around them is too large
_LEVELS = 40  # grids: cells of the middle one are as large as the middle box, of others 4^k times
_MIDDLE = _LEVELS // 2
_DIGIT = 2048  # of the radix sort
_PAIRS_AT_FIRST = 8  # per shape

# Distances are rounded; boxes and gaps are found this much larger, relatively.
_SLACK = 1e-12


class Sweep(NamedTuple):
    """Boxes, columns and pairs: n shapes that are sought, b that have a box, room for p pairs."""

    planes: Ints
    """Shapes of kind PLANE, which have no box."""
    bound: Ints
    """How the box of each shape is found, shape (b,)."""
    bits: int
    """Bits of a pair's key that hold its second shape."""
    cell_size: float
    """Size of the cells of grid _MIDDLE [m]."""

    low: Floats
    """Lower corner of each box [m], shape (b, 3), world frame."""
    high: Floats
    """Upper corner of each box [m], shape (b, 3), world frame."""
    turning: Floats
    """How far a point of each shape can move in the step by turning [m], shape (b,)."""
    order: Ints
    """Shapes that have a box, column after column, each ascending in z; kept from step to step."""
    box: Floats
    """Lower and upper corner of the boxes in that order [m], shape (n, 6): read one after the
    other."""
    cell: Ints
    """Column of each shape, shape (n,)."""
    slot: Ints
    """Hash table of columns, -1 where it is free; a power of two of them."""
    cell_level: Ints
    """Grid of each column, shape (n,)."""
    cell_x: Ints
    """Place of each column in its grid along x, shape (n,)."""
    cell_y: Ints
    """Place of each column in its grid along y, shape (n,)."""
    cell_first: Ints
    """Shapes of column c are order[cell_first[c] … cell_first[c+1]-1], shape (n+1,)."""
    scratch: Ints
    """Shape (n,)."""
    on_level: Ints
    """Number of columns on each grid."""

    overlaps: Ints
    """Number of boxes that overlap before the filter, shape (1,)."""
    pair_count: Ints
    """Number of pairs, shape (1,)."""
    pair_first: Ints
    """The smaller shape number of each pair, shape (p,); pairs ascend."""
    pair_second: Ints
    """The larger shape number of each pair, shape (p,)."""
    pair_reach: Floats
    """How far the two shapes can approach each other within the step [m], shape (p,)."""
    key: Ints
    """Keys of the pairs, before and after sorting, shape (2, p); first the second half holds the
    boxes that overlap."""
    old_key: Ints
    """Keys of the pairs, ascending: kept from step to step, shape (p,)."""
    cache: Ints
    """What the narrow phase remembers of each of them, -1 of new ones: kept from step to step,
    shape (p, CACHE_NUMBERS)."""
    old_count: Ints
    """Number of them, shape (1,)."""
    key_before: Ints
    """The keys of the call before, shape (p,)."""
    cache_before: Ints
    """What was remembered of them, shape (p, CACHE_NUMBERS)."""
    histogram: Ints
    """Shape (_DIGIT + 1,)."""


def new_sweep(shapes: Shapes, state: State, pairs: int | None = None) -> Sweep:
    """Room for a number of pairs, by default for as many as most scenes have."""
    n = shapes.sought
    kinds = shapes.kind[:n]
    boxed = np.flatnonzero(kinds != PLANE)
    diameters = 2.0 * shapes.reach[boxed]
    moving = diameters[kinds[boxed] != GROUND]
    height = state.bodies["position"][shapes.body[boxed], 2] + shapes.center[boxed, 2]
    slots = 1 << max(4, (2 * n).bit_length())
    pairs = max(64, _PAIRS_AT_FIRST * n) if pairs is None else pairs
    return Sweep(
        planes=np.flatnonzero(kinds == PLANE),
        bound=np.array([_bound_of(shapes, i) for i in range(shapes.boxed)], dtype=np.int64),
        bits=max(1, len(shapes.kind).bit_length()),
        cell_size=1.05 * float(np.median(moving)) if len(moving) else 1.0,
        low=np.zeros((shapes.boxed, 3)),
        high=np.zeros((shapes.boxed, 3)),
        turning=np.zeros(shapes.boxed),
        order=boxed[np.argsort(height, kind="stable")],
        box=np.zeros((n, 6)),
        cell=np.zeros(n, dtype=np.int64),
        slot=np.full(slots, -1, dtype=np.int64),
        cell_level=np.zeros(n, dtype=np.int64),
        cell_x=np.zeros(n, dtype=np.int64),
        cell_y=np.zeros(n, dtype=np.int64),
        cell_first=np.zeros(n + 1, dtype=np.int64),
        scratch=np.zeros(n, dtype=np.int64),
        on_level=np.zeros(_LEVELS, dtype=np.int64),
        overlaps=np.zeros(1, dtype=np.int64),
        pair_count=np.zeros(1, dtype=np.int64),
        pair_first=np.zeros(pairs, dtype=np.int64),
        pair_second=np.zeros(pairs, dtype=np.int64),
        pair_reach=np.zeros(pairs),
        key=np.zeros((2, pairs), dtype=np.int64),
        old_key=np.zeros(pairs, dtype=np.int64),
        cache=np.full((pairs, CACHE_NUMBERS), -1, dtype=np.int64),
        old_count=np.zeros(1, dtype=np.int64),
        key_before=np.zeros(pairs, dtype=np.int64),
        cache_before=np.zeros((pairs, CACHE_NUMBERS), dtype=np.int64),
        histogram=np.zeros(_DIGIT + 1, dtype=np.int64),
    )


def enlarge(sweep: Sweep, pairs: int) -> Sweep:
    """The same with room for that many pairs and some more; nothing is forgotten."""
    old = len(sweep.pair_first)
    new = max(pairs + pairs // 2, old)

    def grown(array: Ints) -> Ints:
        larger = np.zeros((new, *array.shape[1:]), dtype=array.dtype)
        larger[:old] = array
        return larger

    return sweep._replace(
        pair_first=grown(sweep.pair_first),
        pair_second=grown(sweep.pair_second),
        pair_reach=np.zeros(new),
        key=np.zeros((2, new), dtype=np.int64),
        old_key=grown(sweep.old_key),
        cache=grown(sweep.cache),
        key_before=grown(sweep.key_before),
        cache_before=grown(sweep.cache_before),
    )


def _bound_of(shapes: Shapes, i: int) -> int:
    kind = int(shapes.kind[i])
    if kind != POLYHEDRON:
        return _BOUND_OF_KIND[kind]
    vertices = shapes.vertex[shapes.vertex_start[i] : shapes.vertex_start[i + 1]]
    if len(vertices) == 8 and _are_corners(shapes, i, vertices):
        return _BY_EXTENT
    return _BY_VERTICES if len(vertices) <= _FEW_VERTICES else _BY_EXTENT_AND_BALL


def _are_corners(shapes: Shapes, i: int, vertices: Floats) -> bool:
    """Whether the vertices are those of the box ``extent``, whose box is then exact."""
    from impulse_core.geometry.rotations import conjugated, rotated

    local = rotated(conjugated(shapes.frame[i]), vertices - shapes.center[i])
    return bool(np.allclose(np.abs(local), shapes.extent[i], rtol=1e-9, atol=0.0))


# ---------------------------------------------------------------------------------------
# Boxes
# ---------------------------------------------------------------------------------------


@inner_kernel
def _gravity(model):
    """Gravitational acceleration as a vector."""
    g = model.gravity
    return Vec3(g[0], g[1], g[2])


@inner_kernel
def _fastest_turn(model, state, row, h):
    """Bound of the angular velocity of a body over h of free motion [rad/s].

    |dω/dt| ≤ k |ω|² with k = (J_max - J_min)/(2 J_min), as J⁻¹(Jω × ω) is that with J - c for J.
    """
    if row >= model.dynamic:
        if row < len(model.bodies) - 1:
            return norm(vec3_of(state.kinematic[row - model.dynamic].spin))
        return 0.0
    J, inverse = vec3_of(model.bodies[row].inertia), vec3_of(model.bodies[row].inverse_inertia)
    R = rotation_matrix(quat_of(state.bodies[row].orientation))
    L = transposed_times(R, vec3_of(state.bodies[row].angular_momentum))
    w = norm(Vec3(inverse.x * L.x, inverse.y * L.y, inverse.z * L.z))
    largest = max(J.x, J.y, J.z)
    smallest = min(J.x, J.y, J.z)
    most = max(inverse.x, inverse.y, inverse.z)
    growth = 0.5 * (largest - smallest) * most * w * h
    bound = norm(L) * most
    if growth < 1.0:
        return min(w / (1.0 - growth), max(bound, w))
    return max(bound, w)


@inner_kernel
def _half_widths(shapes, sweep, s, q):
    """Half the box around shape s about its centre, without rounding; q turns it to the world."""
    R = rotation_matrix(q * quat_at(shapes.frame, s))
    e = vec3_at(shapes.extent, s)
    if sweep.bound[s] == _ELLIPSOID:
        return Vec3(
            norm(Vec3(R.xx * e.x, R.xy * e.y, R.xz * e.z)),
            norm(Vec3(R.yx * e.x, R.yy * e.y, R.yz * e.z)),
            norm(Vec3(R.zx * e.x, R.zy * e.y, R.zz * e.z)),
        )
    if sweep.bound[s] == _CYLINDER:
        return Vec3(
            e.y * math.sqrt(max(0.0, 1.0 - R.xz * R.xz)) + e.z * abs(R.xz),
            e.y * math.sqrt(max(0.0, 1.0 - R.yz * R.yz)) + e.z * abs(R.yz),
            e.y * math.sqrt(max(0.0, 1.0 - R.zz * R.zz)) + e.z * abs(R.zz),
        )
    half = Vec3(
        abs(R.xx) * e.x + abs(R.xy) * e.y + abs(R.xz) * e.z,
        abs(R.yx) * e.x + abs(R.yy) * e.y + abs(R.yz) * e.z,
        abs(R.zx) * e.x + abs(R.zy) * e.y + abs(R.zz) * e.z,
    )
    if sweep.bound[s] == _BY_EXTENT_AND_BALL:
        ball = shapes.reach[s] - shapes.radius[s]
        return Vec3(min(half.x, ball), min(half.y, ball), min(half.z, ball))
    return half


@inner_kernel
def _bounds(shapes, sweep, s, q, place):
    """Lower and upper corner of the box around shape s of a body at a place, turned by q."""
    if sweep.bound[s] == _BY_VERTICES:
        first = rotate(q, vec3_at(shapes.vertex, shapes.vertex_start[s]))
        low, high = first, first
        for v in range(shapes.vertex_start[s] + 1, shapes.vertex_start[s + 1]):
            x = rotate(q, vec3_at(shapes.vertex, v))
            low = Vec3(min(low.x, x.x), min(low.y, x.y), min(low.z, x.z))
            high = Vec3(max(high.x, x.x), max(high.y, x.y), max(high.z, x.z))
        return low + place, high + place
    center = place + rotate(q, vec3_at(shapes.center, s))
    if sweep.bound[s] == _CONE:
        radius, half_height = shapes.extent[s, 0], shapes.extent[s, 2]
        axis = rotate(q * quat_at(shapes.frame, s), Vec3(0.0, 0.0, 1.0))
        up = half_height * axis
        disc = Vec3(
            radius * math.sqrt(max(0.0, 1.0 - axis.x * axis.x)),
            radius * math.sqrt(max(0.0, 1.0 - axis.y * axis.y)),
            radius * math.sqrt(max(0.0, 1.0 - axis.z * axis.z)),
        )
        low = Vec3(
            center.x + min(up.x, -up.x - disc.x),
            center.y + min(up.y, -up.y - disc.y),
            center.z + min(up.z, -up.z - disc.z),
        )
        high = Vec3(
            center.x + max(up.x, disc.x - up.x),
            center.y + max(up.y, disc.y - up.y),
            center.z + max(up.z, disc.z - up.z),
        )
        return low, high
    half = _half_widths(shapes, sweep, s, q)
    return center - half, center + half


@inner_kernel
def _find_boxes(model, shapes, state, h, margin, sweep):
    """Boxes of all shapes, swept by what gravity and velocity move them within h."""
    dv = _gravity(model) * h
    last = -1
    turn = 0.0
    for s in range(shapes.boxed):
        row = shapes.body[s]
        if row != last:
            turn = min(2.0, h * _fastest_turn(model, state, row, h))
            last = row
        if shapes.kind[s] == PLANE:
            sweep.turning[s] = turn  # times a distance that depends on the other shape
            continue
        arm = norm(vec3_at(shapes.center, s)) + shapes.reach[s]
        sweep.turning[s] = turn * arm
        q, place = quat_of(state.bodies[row].orientation), vec3_of(state.bodies[row].position)
        low, high = _bounds(shapes, sweep, s, q, place)
        v = vec3_of(state.bodies[row].velocity)
        after = v + dv if row < model.dynamic else v
        around = 0.5 * margin + shapes.radius[s] + sweep.turning[s]
        around += _SLACK * max(norm(low), norm(high))
        put_vec3(
            sweep.low,
            s,
            Vec3(
                low.x - around + h * min(0.0, v.x, after.x),
                low.y - around + h * min(0.0, v.y, after.y),
                low.z - around + h * min(0.0, v.z, after.z),
            ),
        )
        put_vec3(
            sweep.high,
            s,
            Vec3(
                high.x + around + h * max(0.0, v.x, after.x),
                high.y + around + h * max(0.0, v.y, after.y),
                high.z + around + h * max(0.0, v.z, after.z),
            ),
        )


# ---------------------------------------------------------------------------------------
# Columns
# ---------------------------------------------------------------------------------------


@kernel
def _size_of_cells(base, level):
    """Cell size of a grid: 4^(level - _MIDDLE) of that of the middle one."""
    return math.ldexp(base, 2 * (level - _MIDDLE))


@kernel
def _probe(x, y, level, mask):
    """Where the hash table begins to look for a column."""
    return ((x * 73856093) ^ (y * 19349663) ^ (level * 83492791)) & mask


@inner_kernel
def _column_at(sweep, x, y, level):
    """Number of the column at a place of a grid, -1 if nothing is there."""
    mask = len(sweep.slot) - 1
    k = _probe(x, y, level, mask)
    while True:
        c = sweep.slot[k]
        if c < 0:
            return -1
        if sweep.cell_x[c] == x and sweep.cell_y[c] == y and sweep.cell_level[c] == level:
            return c
        k = (k + 1) & mask


@inner_kernel
def _column_for(sweep, x, y, level, columns):
    """Number of the column at a place of a grid, the next free number if it is new."""
    mask = len(sweep.slot) - 1
    k = _probe(x, y, level, mask)
    while True:
        c = sweep.slot[k]
        if c < 0:
            sweep.slot[k] = columns
            sweep.cell_x[columns] = x
            sweep.cell_y[columns] = y
            sweep.cell_level[columns] = level
            return columns
        if sweep.cell_x[c] == x and sweep.cell_y[c] == y and sweep.cell_level[c] == level:
            return c
        k = (k + 1) & mask


@inner_kernel
def _sort_into_columns(sweep):
    """Fill cell_first and order; returns the number of columns.

    Each box belongs to the column of its lower corner in the finest grid whose cells are as large
    as it: it then reaches into the next column at most.
    """
    for k in range(len(sweep.slot)):
        sweep.slot[k] = -1
    for k in range(_LEVELS):
        sweep.on_level[k] = 0
    columns = 0
    level = _MIDDLE
    size = sweep.cell_size
    for k in range(len(sweep.order)):
        s = sweep.order[k]
        width = max(sweep.high[s, 0] - sweep.low[s, 0], sweep.high[s, 1] - sweep.low[s, 1])
        while width > size and level < _LEVELS - 1:
            level += 1
            size = _size_of_cells(sweep.cell_size, level)
        while width <= 0.25 * size and level > 0:
            level -= 1
            size = _size_of_cells(sweep.cell_size, level)
        x = math.floor(sweep.low[s, 0] / size)
        y = math.floor(sweep.low[s, 1] / size)
        c = _column_for(sweep, x, y, level, columns)
        if c == columns:
            columns += 1
            sweep.cell_first[c] = 0
            sweep.on_level[level] += 1
        sweep.cell[s] = c
        sweep.cell_first[c] += 1

    begin = 0
    for c in range(columns):
        begin, sweep.cell_first[c] = begin + sweep.cell_first[c], begin
    for k in range(len(sweep.order)):
        s = sweep.order[k]
        sweep.scratch[sweep.cell_first[sweep.cell[s]]] = s
        sweep.cell_first[sweep.cell[s]] += 1
    for c in range(columns, 0, -1):
        sweep.cell_first[c] = sweep.cell_first[c - 1]
    sweep.cell_first[0] = 0
    for c in range(columns):
        for k in range(sweep.cell_first[c], sweep.cell_first[c + 1]):
            s = sweep.scratch[k]
            at = k
            while at > sweep.cell_first[c] and (
                sweep.low[sweep.order[at - 1], 2] > sweep.low[s, 2]
            ):
                sweep.order[at] = sweep.order[at - 1]
                at -= 1
            sweep.order[at] = s
    for k in range(len(sweep.order)):
        s = sweep.order[k]
        for i in range(3):
            sweep.box[k, i] = sweep.low[s, i]
            sweep.box[k, i + 3] = sweep.high[s, i]
    return columns


# ---------------------------------------------------------------------------------------
# Pairs
# ---------------------------------------------------------------------------------------


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
def _add(sweep, s1, s2):
    """Note a pair; beyond the room there is, only count it."""
    k = sweep.pair_count[0]
    sweep.pair_count[0] = k + 1
    if k < len(sweep.pair_first):
        sweep.key[0, k] = (min(s1, s2) << sweep.bits) | max(s1, s2)


@inner_kernel
def _cell_between(x, origin, size, cells):
    """Cell of a ground's grid at a coordinate, the nearest if it is outside."""
    return min(max(math.floor((x - origin) / size), 0), cells - 1)


@inner_kernel
def _add_triangles(shapes, sweep, ground, s):
    """Note the triangles of a ground in the box of shape s, each where the two first share a cell
    of the ground's grid.
    """
    around = Vec3(1.0, 1.0, 1.0) * shapes.radius[ground]
    low, high = vec3_at(sweep.low, s) - around, vec3_at(sweep.high, s) + around
    x0, y0 = shapes.ground_origin[ground, 0], shapes.ground_origin[ground, 1]
    dx, dy = shapes.ground_origin[ground, 2], shapes.ground_origin[ground, 3]
    nx, ny = shapes.ground_cells[ground, 0], shapes.ground_cells[ground, 1]
    i0, i1 = _cell_between(low.x, x0, dx, nx), _cell_between(high.x, x0, dx, nx)
    k0, k1 = _cell_between(low.y, y0, dy, ny), _cell_between(high.y, y0, dy, ny)
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
                if max(_cell_between(left, x0, dx, nx), i0) != i:
                    continue
                if max(_cell_between(front, y0, dy, ny), k0) == k:
                    _add(sweep, t, s)


@inner_kernel
def _boxes_overlap(sweep, a, b):
    """Whether the boxes of two shapes overlap."""
    low, high = sweep.low, sweep.high
    if low[a, 0] > high[b, 0] or low[b, 0] > high[a, 0]:
        return False
    if low[a, 1] > high[b, 1] or low[b, 1] > high[a, 1]:
        return False
    return low[a, 2] <= high[b, 2] and low[b, 2] <= high[a, 2]


@inner_kernel
def _add_capsules(shapes, sweep, torus, other):
    """Note the capsules of a torus in the box of another shape, with what each of them meets."""
    for c in range(shapes.ring_start[torus], shapes.ring_start[torus + 1]):
        if not _boxes_overlap(sweep, c, other):
            continue
        if shapes.kind[other] == TORUS:
            for d in range(shapes.ring_start[other], shapes.ring_start[other + 1]):
                if _boxes_overlap(sweep, c, d):
                    _add(sweep, c, d)
        elif shapes.kind[other] == GROUND:
            _add_triangles(shapes, sweep, other, c)
        else:
            _add(sweep, c, other)


@inner_kernel
def _note(sweep, i, k):
    """Note the boxes at two places of ``order`` that share a height if they share the rest as well;
    beyond the room there is, only count them.
    """
    box = sweep.box
    if box[i, 0] > box[k, 3] or box[k, 0] > box[i, 3]:
        return
    if box[i, 1] > box[k, 4] or box[k, 1] > box[i, 4]:
        return
    at = sweep.overlaps[0]
    sweep.overlaps[0] = at + 1
    if at < len(sweep.pair_first):
        a, b = sweep.order[i], sweep.order[k]
        sweep.key[1, at] = (min(a, b) << sweep.bits) | max(a, b)


@inner_kernel
def _sweep_column(sweep, c):
    """Boxes of a column that overlap."""
    end = sweep.cell_first[c + 1]
    for i in range(sweep.cell_first[c], end):
        top = sweep.box[i, 5]
        for k in range(i + 1, end):
            if sweep.box[k, 2] > top:
                break
            _note(sweep, i, k)


@inner_kernel
def _sweep_two_columns(sweep, c1, c2):
    """Boxes of one column that overlap boxes of another."""
    i, end1 = sweep.cell_first[c1], sweep.cell_first[c1 + 1]
    k, end2 = sweep.cell_first[c2], sweep.cell_first[c2 + 1]
    while i < end1 and k < end2:
        first = sweep.box[i, 2] <= sweep.box[k, 2]
        lower = i if first else k
        top = sweep.box[lower, 5]
        begin, end = (k, end2) if first else (i, end1)
        for j in range(begin, end):
            if sweep.box[j, 2] > top:
                break
            _note(sweep, lower, j)
        if first:
            i += 1
        else:
            k += 1


@inner_kernel
def _sweep_columns(sweep, columns):
    """All boxes that overlap: in each column, with those beside it, with those of coarser grids.

    A box of a coarser grid begins in the cell that holds this column, one before, or one that boxes
    of this column reach, which end within the column after it.
    """
    for c in range(columns):
        _sweep_column(sweep, c)
        x, y, level = sweep.cell_x[c], sweep.cell_y[c], sweep.cell_level[c]
        for grid in range(level, _LEVELS):
            if sweep.on_level[grid] == 0:
                continue
            shift = min(62, 2 * (grid - level))
            ahead = 1 if grid == level else 2
            for i in range((x >> shift) - 1, ((x + ahead) >> shift) + 1):
                for k in range((y >> shift) - 1, ((y + ahead) >> shift) + 1):
                    if grid == level and (k < y or (k == y and i <= x)):
                        continue  # the other one finds this one
                    other = _column_at(sweep, i, k, grid)
                    if other >= 0:
                        _sweep_two_columns(sweep, c, other)


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
            _add_triangles(shapes, sweep, ground, other)
        else:
            _add(sweep, a, b)


@inner_kernel
def _support(shapes, sweep, s, q, n):
    """How far shape s reaches from its centre along -n, without rounding [m]; at most a bound."""
    if sweep.bound[s] == _BY_VERTICES:
        inner = transposed_times(rotation_matrix(q), n)
        center = dot(inner, vec3_at(shapes.center, s))
        most = -1e300
        for v in range(shapes.vertex_start[s], shapes.vertex_start[s + 1]):
            most = max(most, center - dot(inner, vec3_at(shapes.vertex, v)))
        return most
    inner = transposed_times(rotation_matrix(q * quat_at(shapes.frame, s)), n)
    e = vec3_at(shapes.extent, s)
    if sweep.bound[s] == _ELLIPSOID:
        return norm(Vec3(inner.x * e.x, inner.y * e.y, inner.z * e.z))
    if sweep.bound[s] == _CYLINDER:
        across = math.sqrt(inner.x * inner.x + inner.y * inner.y)
        return e.y * across + e.z * abs(inner.z)
    if sweep.bound[s] == _CONE:
        across = math.sqrt(inner.x * inner.x + inner.y * inner.y)
        return max(e.x * across + e.z * inner.z, -e.z * inner.z)
    box = abs(inner.x) * e.x + abs(inner.y) * e.y + abs(inner.z) * e.z
    return min(box, shapes.reach[s] - shapes.radius[s])


@inner_kernel
def _approach_of_plane(model, shapes, state, h, sweep, plane, s, n):
    """How far shape s can come towards a plane with normal n within h [m]."""
    row1, row2 = shapes.body[plane], shapes.body[s]
    v = vec3_of(state.bodies[row2].velocity) - vec3_of(state.bodies[row1].velocity)
    dv = _gravity(model) * h
    # Either body may be held by others, so that gravity moves the other one alone.
    after = max(0.0, -dot(n, dv)) if row2 < model.dynamic else 0.0
    after += max(0.0, dot(n, dv)) if row1 < model.dynamic else 0.0
    reach = h * (max(0.0, -dot(n, v)) + after) + sweep.turning[s]
    if sweep.turning[plane] > 0.0:
        q = quat_of(state.bodies[row2].orientation)
        center = vec3_of(state.bodies[row2].position) + rotate(q, vec3_at(shapes.center, s))
        arm = norm(center - vec3_of(state.bodies[row1].position)) + shapes.reach[s]
        reach += sweep.turning[plane] * (arm + norm(v) * h)
    return reach


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
            reach = _approach_of_plane(model, shapes, state, h, sweep, p, s, n)
            reach += margin + _SLACK * (norm(A) + norm(B))
            if height - shapes.reach[s] > reach:
                continue
            if height - _support(shapes, sweep, s, q, n) - shapes.radius[s] > reach:
                continue
            if may_touch(model, shapes, p, s):
                _add(sweep, p, s)


@inner_kernel
def _sort_keys(sweep):
    """Sort the keys of all pairs by their digits; returns the half of ``key`` that holds them."""
    n = sweep.pair_count[0]
    half = 0
    shift = 0
    while shift < 2 * sweep.bits:
        for digit in range(_DIGIT + 1):
            sweep.histogram[digit] = 0
        for k in range(n):
            sweep.histogram[((sweep.key[half, k] >> shift) & (_DIGIT - 1)) + 1] += 1
        for digit in range(_DIGIT):
            sweep.histogram[digit + 1] += sweep.histogram[digit]
        for k in range(n):
            digit = (sweep.key[half, k] >> shift) & (_DIGIT - 1)
            sweep.key[1 - half, sweep.histogram[digit]] = sweep.key[half, k]
            sweep.histogram[digit] += 1
        half = 1 - half
        shift += 11
    return half


@inner_kernel
def _keep_memory(sweep, half):
    """Give each pair what was remembered of it; both lists of pairs ascend."""
    n, old = sweep.pair_count[0], sweep.old_count[0]
    numbers = sweep.cache.shape[1]
    for k in range(old):
        sweep.key_before[k] = sweep.old_key[k]
        for i in range(numbers):
            sweep.cache_before[k, i] = sweep.cache[k, i]
    at = 0
    for k in range(n):
        key = sweep.key[half, k]
        while at < old and sweep.key_before[at] < key:
            at += 1
        known = at < old and sweep.key_before[at] == key
        sweep.old_key[k] = key
        for i in range(numbers):
            sweep.cache[k, i] = sweep.cache_before[at, i] if known else -1
    sweep.old_count[0] = n


@inner_kernel
def _approach(model, shapes, state, h, sweep, s1, s2):
    """How far two shapes with boxes, or a triangle and one, can approach within h [m]."""
    row1, row2 = shapes.body[s1], shapes.body[s2]
    v = vec3_of(state.bodies[row2].velocity) - vec3_of(state.bodies[row1].velocity)
    reach = norm(v) + norm(_gravity(model)) * h
    return h * reach + turning_of(shapes, sweep, s1) + turning_of(shapes, sweep, s2)


@inner_kernel
def turning_of(shapes, sweep, s):
    """How far a point of shape s can move in the step by turning [m]: triangles stand still."""
    return sweep.turning[s] if s < shapes.boxed else 0.0


@inner_kernel
def _fill_pairs(model, shapes, state, h, margin, sweep, half):
    """The pairs behind their keys, and how far the two can approach."""
    for k in range(sweep.pair_count[0]):
        key = sweep.key[half, k]
        s1, s2 = key >> sweep.bits, key & ((1 << sweep.bits) - 1)
        sweep.pair_first[k] = s1
        sweep.pair_second[k] = s2
        plane, other = s1, s2
        if shapes.kind[s1] != PLANE:
            plane, other = s2, s1
        if shapes.kind[plane] == PLANE:
            q = quat_of(state.bodies[shapes.body[plane]].orientation)
            n = rotate(q * quat_at(shapes.frame, plane), Vec3(0.0, 0.0, 1.0))
            reach = _approach_of_plane(model, shapes, state, h, sweep, plane, other, n)
        else:
            reach = _approach(model, shapes, state, h, sweep, s1, s2)
        sweep.pair_reach[k] = margin + reach


@inner_kernel
def find_pairs(model, shapes, state, h, margin, sweep):
    """Find the pairs of shapes that can come within a margin [m] of each other in a step of length
    h; returns their number, or minus it if there is not so much room: ``enlarge``, then call again.

    The pairs ascend, whatever was found before.
    """
    sweep.pair_count[0] = 0
    sweep.overlaps[0] = 0
    _find_boxes(model, shapes, state, h, margin, sweep)
    columns = _sort_into_columns(sweep)
    _sweep_columns(sweep, columns)
    if sweep.overlaps[0] > len(sweep.pair_first):
        return -sweep.overlaps[0]
    _filter_overlaps(model, shapes, sweep)
    _add_planes(model, shapes, state, h, margin, sweep)
    n = sweep.pair_count[0]
    if n > len(sweep.pair_first):
        sweep.pair_count[0] = 0
        return -n
    half = _sort_keys(sweep)
    _keep_memory(sweep, half)
    _fill_pairs(model, shapes, state, h, margin, sweep, half)
    return n
