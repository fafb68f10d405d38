"""Contact points where vertices and edges are closest: one, or several along edges side by side."""

from __future__ import annotations

from impulse_core.algebra import ZERO3, cross, dot, norm, transposed_times, unit, vec3_at
from impulse_core.collision.contacts import (
    EDGE_EDGE,
    LINE_LINE,
    LINE_POINT,
    PLANE_POINT,
    POINT_POINT,
)
from impulse_core.collision.features import (
    EDGE,
    FACE,
    VERTEX,
    closest_of_segments,
    direction,
    edge_at,
    edges_at,
)
from impulse_core.collision.manifold import CROSSING, edge_crossing, put_point, vertex_of
from impulse_core.collision.penetration import NEAR
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["SIDE_BY_SIDE", "points_at_features", "side_by_side"]

SIDE_BY_SIDE = 0.05  # sine of the angle up to which edges touch along their length
_ACROSS = 0.9999  # cosine of the angle that it may be off the direction found
_NO_CROSSING = 1e-3  # and below which they have no crossing point besides


@inner_kernel
def points_at_features(cores, R, t, features, nearest, limits, found):
    """One point where two features are closest, or several along edges side by side.

    nearest: the points A and B, the normal n from one to the other, frame of the first, and the gap
    of the cores [m]; limits: the gap above which points are left out, the rounding of both shapes,
    and the radius of a ball around the smaller one [m].
    """
    (first, second), (A, B, n, gap), (wanted, rounding, size) = features, nearest, limits
    i, kind1 = first // 3, first % 3
    j, kind2 = second // 3, second % 3
    name = _name(cores, first, second)
    kind, swapped = PLANE_POINT, 0
    point1, point2 = A, transposed_times(R, B - t)
    axis1, axis2 = n, ZERO3
    if kind1 == EDGE and kind2 == EDGE:
        a, b = unit(direction(cores, i)), unit(direction(cores, j))
        c = cross(a, R @ b)
        along, sine = dot(c, n), norm(c)
        if sine > CROSSING and abs(along) > _ACROSS * sine:  # n is across both, turns with either
            sign = 1.0 if along > 0.0 else -1.0
            kind, axis1, axis2 = EDGE_EDGE, a, b * sign
            gap = dot(c, B - A) * (sign / sine)
    if rounding > 0.0 and gap >= NEAR * size and max(kind1, kind2) < FACE:
        count = side_by_side(cores, R, t, first, second, wanted, found)
        if count > 0:
            return count
        if kind1 == EDGE:
            point1, axis1 = _tail(cores, i), direction(cores, i)
            if kind2 == EDGE:
                kind = LINE_LINE
                point2, axis2 = _tail(cores, j), direction(cores, j)
            else:
                kind = LINE_POINT
        elif kind2 == EDGE:
            kind, swapped = LINE_POINT, 1
            point1, point2, axis1 = _tail(cores, j), point1, direction(cores, j)
        else:
            kind = POINT_POINT
    put_point(found, 0, (kind, swapped, name), point1, point2, axis1, axis2, gap)
    return 1


@inner_kernel
def _name(cores, first, second):
    """Name of the point where two features are closest: of a vertex if there is one.

    That of a core without edges comes first, so that a ball's only point keeps its name.
    """
    i, kind1 = first // 3, first % 3
    j, kind2 = second // 3, second % 3
    if kind1 == VERTEX and kind2 == VERTEX:
        is_ball = cores.vertex_edge_start[j] == cores.vertex_edge_start[j + 1]
        return vertex_of(j, True) if is_ball else vertex_of(i, False)
    if kind1 == VERTEX:
        return vertex_of(i, False)
    if kind2 == VERTEX:
        return vertex_of(j, True)
    return edge_crossing(i, j, False)


@inlined_kernel
def side_by_side(cores, R, t, first, second, wanted, found):
    """Points at the ends of the stretch along which two edges at these features lie side by side.

    Where the edges cross in between, their crossing point comes besides. Returns 0 where there are
    no such edges.
    """
    e, g, sine = _aligned_edges(cores, R, first, second)
    if e < 0:
        return 0
    a, b = direction(cores, e), R @ direction(cores, g)
    length, other_length = norm(a), norm(b)
    P = vec3_at(cores.vertex, cores.edge_vertex[e, 0])
    Q = R @ vec3_at(cores.vertex, cores.edge_vertex[g, 0]) + t
    a1 = a * (1.0 / length)
    at_tail = dot(a1, Q - P)
    at_head = at_tail + dot(a1, b)
    same_way = at_head >= at_tail
    low, high = min(at_tail, at_head), max(at_tail, at_head)
    if min(high, length) - max(low, 0.0) < 0.01 * min(length, other_length):
        return 0
    count = 0
    for end in range(2):
        of_first = low <= 0.0 if end == 0 else high >= length
        if of_first:
            v = cores.edge_vertex[e, end]
            tail, edge = _tail(cores, g), direction(cores, g)
            d = transposed_times(R, vec3_at(cores.vertex, v) - t) - tail
        else:
            v = cores.edge_vertex[g, end if same_way else 1 - end]
            tail, edge = P, a
            d = R @ vec3_at(cores.vertex, v) + t - P
        line = unit(edge)
        gap = norm(d - line * dot(line, d))
        if gap <= wanted:
            what = (LINE_POINT, 1 if of_first else 0, vertex_of(v, not of_first))
            put_point(found, count, what, tail, vec3_at(cores.vertex, v), edge, ZERO3, gap)
            count += 1
    if sine > _NO_CROSSING:
        s, u = closest_of_segments(P, a, Q, b)
        if 0.0 < s < 1.0 and 0.0 < u < 1.0:
            what = (LINE_LINE, 0, edge_crossing(e, g, False))
            gap = norm(Q + b * u - P - a * s)
            put_point(found, count, what, P, _tail(cores, g), a, direction(cores, g), gap)
            count += 1
    return count


@inlined_kernel
def _tail(cores, e):
    """Where an edge begins, in the frame of its core."""
    return vec3_at(cores.vertex, cores.edge_vertex[e, 0])


@inlined_kernel
def _aligned_edges(cores, R, first, second):
    """Two edges at these features that are nearly parallel (or -1), and the sine of their angle."""
    (start1, end1), (start2, end2) = edges_at(cores, first), edges_at(cores, second)
    least = SIDE_BY_SIDE
    found1, found2 = -1, -1
    for x in range(start1, end1):
        e = edge_at(cores, first, x)
        a = direction(cores, e)
        for y in range(start2, end2):
            g = edge_at(cores, second, y)
            b = R @ direction(cores, g)
            sine = norm(cross(a, b)) / (norm(a) * norm(b))
            if sine < least:
                least = sine
                found1, found2 = e, g
    return found1, found2, least
