"""Boxes around where shapes can be within a step."""

from __future__ import annotations

import math

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
from impulse_core.collision.ring import DEVIATION
from impulse_core.collision.shapes import (
    PLANE,
)
from impulse_core.collision.sweep import (
    BOUND_CONE,
    BOUND_CYLINDER,
    BOUND_ELLIPSOID,
    BY_EXTENT_AND_BALL,
    BY_VERTICES,
    SLACK,
)
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = [
    "find_boxes",
    "find_boxes_at",
    "find_given_boxes",
    "gravity_of",
    "half_widths",
    "support",
]


@inner_kernel
def gravity_of(model):
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
def half_widths(shapes, sweep, s, q):
    """Half the box around shape s about its centre, without rounding; q turns it to the world."""
    R = rotation_matrix(q * quat_at(shapes.frame, s))
    e = vec3_at(shapes.extent, s)
    if sweep.bound[s] == BOUND_ELLIPSOID:
        return Vec3(
            norm(Vec3(R.xx * e.x, R.xy * e.y, R.xz * e.z)),
            norm(Vec3(R.yx * e.x, R.yy * e.y, R.yz * e.z)),
            norm(Vec3(R.zx * e.x, R.zy * e.y, R.zz * e.z)),
        )
    if sweep.bound[s] == BOUND_CYLINDER:
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
    if sweep.bound[s] == BY_EXTENT_AND_BALL:
        ball = shapes.reach[s] - shapes.radius[s]
        return Vec3(min(half.x, ball), min(half.y, ball), min(half.z, ball))
    return half


@inner_kernel
def _bounds(shapes, sweep, s, q, place):
    """Lower and upper corner of the box around shape s of a body at a place, turned by q."""
    if sweep.bound[s] == BY_VERTICES:
        first = rotate(q, vec3_at(shapes.vertex, shapes.vertex_start[s]))
        low, high = first, first
        for v in range(shapes.vertex_start[s] + 1, shapes.vertex_start[s + 1]):
            x = rotate(q, vec3_at(shapes.vertex, v))
            low = Vec3(min(low.x, x.x), min(low.y, x.y), min(low.z, x.z))
            high = Vec3(max(high.x, x.x), max(high.y, x.y), max(high.z, x.z))
        return low + place, high + place
    center = place + rotate(q, vec3_at(shapes.center, s))
    if sweep.bound[s] == BOUND_CONE:
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
    half = half_widths(shapes, sweep, s, q)
    return center - half, center + half


@inner_kernel
def support(shapes, sweep, s, q, n):
    """Extent of shape s from its centre along -n, without rounding [m]; at most a bound."""
    if sweep.bound[s] == BY_VERTICES:
        inner = transposed_times(rotation_matrix(q), n)
        center = dot(inner, vec3_at(shapes.center, s))
        most = -1e300
        for v in range(shapes.vertex_start[s], shapes.vertex_start[s + 1]):
            most = max(most, center - dot(inner, vec3_at(shapes.vertex, v)))
        return most
    inner = transposed_times(rotation_matrix(q * quat_at(shapes.frame, s)), n)
    e = vec3_at(shapes.extent, s)
    if sweep.bound[s] == BOUND_ELLIPSOID:
        return norm(Vec3(inner.x * e.x, inner.y * e.y, inner.z * e.z))
    if sweep.bound[s] == BOUND_CYLINDER:
        across = math.sqrt(inner.x * inner.x + inner.y * inner.y)
        return e.y * across + e.z * abs(inner.z)
    if sweep.bound[s] == BOUND_CONE:
        across = math.sqrt(inner.x * inner.x + inner.y * inner.y)
        return max(e.x * across + e.z * inner.z, -e.z * inner.z)
    box = abs(inner.x) * e.x + abs(inner.y) * e.y + abs(inner.z) * e.z
    return min(box, shapes.reach[s] - shapes.radius[s])


@inner_kernel
def find_boxes(model, shapes, state, h, margin, sweep):
    """Boxes of all shapes, swept by what gravity and velocity move them within h."""
    last = -1
    turn = 0.0
    for s in range(shapes.boxed):
        if sweep.kept[s]:
            continue
        row = shapes.body[s]
        if row != last:
            turn = min(2.0, h * _fastest_turn(model, state, row, h))
            last = row
        _find_box(model, shapes, state, h, margin, turn, sweep, s)


@inner_kernel
def find_given_boxes(model, shapes, state, h, margin, sweep):
    """The same of the shapes that are given, and ``sweep.box`` around these as well."""
    for k in range(sweep.given[1]):
        s = sweep.order[k]
        turn = min(2.0, h * _fastest_turn(model, state, shapes.body[s], h))
        _find_box(model, shapes, state, h, margin, turn, sweep, s)
        for x in range(3):
            sweep.box[s, x] = min(sweep.box[s, x], sweep.low[s, x])
            sweep.box[s, x + 3] = max(sweep.box[s, x + 3], sweep.high[s, x])


@inlined_kernel
def _rounding(shapes, s):
    """Rounding of a shape [m], with what a capsule of a ring may be inside of its torus."""
    r = shapes.radius[s]
    return r + DEVIATION * r if shapes.torus[s] >= 0 else r


@inner_kernel
def _find_box(model, shapes, state, h, margin, turn, sweep, s):
    """The box of shape s, whose body may turn so far [rad]."""
    if shapes.kind[s] == PLANE:
        sweep.turning[s] = turn  # times a distance that depends on the other shape
        return
    row = shapes.body[s]
    arm = norm(vec3_at(shapes.center, s)) + shapes.reach[s]
    sweep.turning[s] = turn * arm
    q, place = quat_of(state.bodies[row].orientation), vec3_of(state.bodies[row].position)
    low, high = _bounds(shapes, sweep, s, q, place)
    v = vec3_of(state.bodies[row].velocity)
    after = v + gravity_of(model) * h if row < model.dynamic else v
    sweep.way[s] = h * max(norm(v), norm(after))
    around = 0.5 * margin + _rounding(shapes, s) + sweep.turning[s]
    around += SLACK * max(norm(low), norm(high))
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


@inner_kernel
def find_boxes_at(shapes, poses, sweep):
    """Boxes of all shapes at these poses."""
    for s in range(shapes.boxed):
        sweep.way[s] = 0.0
        if shapes.kind[s] == PLANE or sweep.kept[s]:
            continue
        pose = poses[shapes.body[s]]
        low, high = _bounds(shapes, sweep, s, quat_of(pose.orientation), vec3_of(pose.position))
        around = Vec3(1.0, 1.0, 1.0) * _rounding(shapes, s)
        put_vec3(sweep.low, s, low - around)
        put_vec3(sweep.high, s, high + around)
