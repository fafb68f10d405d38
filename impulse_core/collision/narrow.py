"""The narrow phase: contact points of one pair of shapes (docs/algorithm.md, section 10).

Pairs at rest on each other are most of all pairs, and they remember the face they touch by: their
points are found from that face alone. Otherwise V-Clip finds the closest features, or the climb
of ``overlap`` those with the least overlap. A face that they lie on gives a contact polygon, other
features one point, or two along edges that are nearly parallel.
"""

from __future__ import annotations

from impulse_core.algebra import (
    ZERO3,
    conjugate,
    cross,
    dot,
    norm,
    rotate_back,
    rotation_matrix,
    transposed_times,
    unit,
    vec3_at,
)
from impulse_core.collision.contacts import LINE_LINE, LINE_POINT, PLANE_POINT, POINT_POINT
from impulse_core.collision.features import (
    EDGE,
    FACE,
    VERTEX,
    closest_of_segments,
    coded,
    direction,
    face_normal,
    feature_vertex,
    support,
)
from impulse_core.collision.manifold import edge_crossing, face_contact, put_point, vertex_of
from impulse_core.collision.overlap import SHALLOW, least_overlap
from impulse_core.collision.planes import plane_contact
from impulse_core.collision.shapes import PLANE, TRIANGLE
from impulse_core.collision.triangles import may_push, neighboured
from impulse_core.collision.vclip import (
    INFINITE,
    OVERLAPPING,
    closest_features,
    first_features,
    transposed,
)
from impulse_core.jit import inner_kernel

__all__ = ["collide"]

# Column 2 of a pair's cache: what its features in columns 0 and 1 are.
_CLOSEST = 0  # the closest ones
_FACE_OF_FIRST = 1  # a face of the first shape that the second lies on, and its lowest vertex
_FACE_OF_SECOND = 2

_FLAT = 0.05  # sine of the angle to a face up to which a core lies on it
_STILL_FLAT = 0.06  # and of one that lay on it in the step before
_STRAIGHT = 1.0 - 0.5 * _FLAT * _FLAT
_NEAR = 1e-8  # distance, as part of the smaller shape, that gives no direction of its own
_SIDE_BY_SIDE = 0.05  # sine of the angle up to which edges touch along their length
_NO_CROSSING = 1e-3  # and below which they have no crossing point besides


@inner_kernel
def collide(shapes, s1, s2, C1, q1, C2, q2, reach, cache, k, found):
    """Contact points of shapes s1 < s2, put into ``found``; returns their number.

    Args:
        C1, q1, C2, q2: poses of the rows that carry the shapes.
        reach: points with a larger gap of the surfaces are left out [m].
        cache, k: memory of the pairs, shape (pairs, CACHE_NUMBERS), and the row of this one; -1
            where the pair is new.
    """
    if shapes.kind[s1] == PLANE:
        return plane_contact(shapes, s1, s2, C1, q1, C2, q2, 0, reach, cache, k, found)
    if shapes.kind[s2] == PLANE:
        return plane_contact(shapes, s2, s1, C2, q2, C1, q1, 1, reach, cache, k, found)
    rounding = shapes.radius[s1] + shapes.radius[s2]
    R = rotation_matrix(conjugate(q1) * q2)
    t = rotate_back(q1, C2 - C1)
    wanted = reach + rounding
    if shapes.kind[s2] == TRIANGLE:
        count = _triangle_contact(shapes, s1, s2, R, t, wanted, rounding, cache, k, found)
    else:
        count = _core_contact(shapes, s1, s2, R, t, wanted, rounding, cache, k, found)
    for i in range(count):
        found.gap[i] -= rounding
    return count


@inner_kernel
def _core_contact(shapes, s1, s2, R, t, wanted, rounding, cache, k, found):
    """Points of two cores: rows with the gaps of the cores."""
    first, second = cache[k, 0], cache[k, 1]
    size = min(shapes.reach[s1], shapes.reach[s2])
    if first < 0:
        first, second = first_features(shapes, s1, s2, R, t)
    elif cache[k, 2] != _CLOSEST:
        count = _on_face(
            shapes, s1, s2, R, t, first, second, cache[k, 2], wanted,
            -SHALLOW * size, _STILL_FLAT, cache, k, found,
        )  # fmt: skip
        if count >= 0:
            return count
    first, second, A, B, n, gap = _nearest(shapes, s1, s2, R, t, first, second, size, cache, k)
    if gap > wanted:
        return 0
    face1, straight1 = _face_along(shapes, first, n)
    face2, straight2 = _face_along(shapes, second, -transposed_times(R, n))
    for attempt in range(2):
        # The straighter face first; of equal ones that of the first shape.
        of_first = (straight1 >= straight2 - 1e-6) == (attempt == 0)
        if (straight1 if of_first else straight2) < _STRAIGHT:
            continue
        if of_first:
            mode, i, j = _FACE_OF_FIRST, coded(face1, FACE), second
        else:
            mode, i, j = _FACE_OF_SECOND, first, coded(face2, FACE)
        count = _on_face(
            shapes, s1, s2, R, t, i, j, mode, wanted, -INFINITE, _FLAT, cache, k, found
        )
        if count >= 0:
            return count
    return _at_features(shapes, R, t, first, second, A, B, n, gap, wanted, rounding, size, found)


@inner_kernel
def _triangle_contact(shapes, s1, s2, R, t, wanted, rounding, cache, k, found):
    """Points of a core and a triangle of the ground, s2, which is solid behind its front face.

    The front face is tried first, however deep the core is below it.
    """
    first, second = cache[k, 0], cache[k, 1]
    size = min(shapes.reach[s1], shapes.reach[s2])
    front = coded(shapes.face_start[s2], FACE)
    if first < 0:
        first, second = first_features(shapes, s1, s2, R, t)
    lowest = feature_vertex(shapes, first)
    out = R @ face_normal(shapes, front // 3)
    _, top = support(shapes, lowest, out)
    if top - dot(out, t) - shapes.face_plane[front // 3, 3] + shapes.radius[s1] < 0.0:
        return 0  # all of it behind the face: below another part of the ground
    count = _on_face(
        shapes, s1, s2, R, t, coded(lowest, VERTEX), front, _FACE_OF_SECOND, wanted,
        -INFINITE, _FLAT, cache, k, found,
    )  # fmt: skip
    if count >= 0:
        return count
    if second // 3 != front // 3 and second % 3 == FACE:
        second = front
    first, second, A, B, n, gap = _nearest(shapes, s1, s2, R, t, first, second, size, cache, k)
    if gap > wanted:
        return 0
    u = -transposed_times(R, n)
    if not may_push(shapes, s2, u):
        behind = dot(u, face_normal(shapes, front // 3)) <= 0.0
        if gap < 0.0 or (behind and neighboured(shapes, s2, u)):
            slope, i = INFINITE, coded(lowest, VERTEX)
            count = _on_face(
                shapes, s1, s2, R, t, i, front, _FACE_OF_SECOND, wanted,
                -INFINITE, slope, cache, k, found,
            )  # fmt: skip
            return max(count, 0)
        return 0
    face1, straight1 = _face_along(shapes, first, n)
    if straight1 >= _STRAIGHT:
        count = _on_face(
            shapes, s1, s2, R, t, coded(face1, FACE), second, _FACE_OF_FIRST, wanted,
            -INFINITE, _FLAT, cache, k, found,
        )  # fmt: skip
        if count >= 0:
            return count
    return _at_features(shapes, R, t, first, second, A, B, n, gap, wanted, rounding, size, found)


@inner_kernel
def _nearest(shapes, s1, s2, R, t, first, second, size, cache, k):
    """Closest features, or those of the least overlap, into the memory of the pair.

    Returns their codes, the points A and B, the normal (frame of s1) and the gap of the cores.
    """
    state, near1, near2, A, B, n, gap = closest_features(shapes, s1, s2, R, t, first, second)
    vague = gap < _NEAR * size and near1 % 3 != FACE and near2 % 3 != FACE
    if state == OVERLAPPING or vague:
        near1, near2, A, B, n, gap = least_overlap(shapes, s1, s2, R, t, first, second)
    cache[k, 0] = near1
    cache[k, 1] = near2
    cache[k, 2] = _CLOSEST
    return near1, near2, A, B, n, gap


@inner_kernel
def _on_face(
    shapes, s1, s2, R, t, first, second, mode, wanted, deepest, slope, cache, k, found
):  # fmt: skip
    """Contact polygon on the face that ``mode`` names; -1 where it is refused."""
    if mode == _FACE_OF_FIRST:
        w = second // 3 if second % 3 == VERTEX else feature_vertex(shapes, second)
        count, w, _ = face_contact(
            shapes, s1, s2, first // 3, w, R, t, 0, wanted, deepest, slope, cache, k, found
        )
        second = coded(w, VERTEX)
    else:
        w = first // 3 if first % 3 == VERTEX else feature_vertex(shapes, first)
        Rt = transposed(R)
        count, w, _ = face_contact(
            shapes, s2, s1, second // 3, w, Rt, -(Rt @ t), 1, wanted, deepest, slope, cache, k,
            found,
        )  # fmt: skip
        first = coded(w, VERTEX)
    if count >= 0:
        cache[k, 0] = first
        cache[k, 1] = second
        cache[k, 2] = mode
    return count


@inner_kernel
def _face_along(shapes, feature, n):
    """The face at a feature whose normal is closest to n, and the cosine of their angle."""
    number, kind = feature // 3, feature % 3
    if kind == FACE:
        return number, dot(face_normal(shapes, number), n)
    best, found = -2.0, -1
    start, end = number, number + 1
    if kind == VERTEX:
        start, end = shapes.vertex_edge_start[number], shapes.vertex_edge_start[number + 1]
    for i in range(start, end):
        e = shapes.vertex_edge[i] if kind == VERTEX else i
        for side in range(2):
            f = shapes.edge_face[e, side]
            if f >= 0:
                along = dot(face_normal(shapes, f), n)
                if along > best:
                    best, found = along, f
    return found, best


# ---------------------------------------------------------------------------------------
# Vertices and edges
# ---------------------------------------------------------------------------------------


@inner_kernel
def _at_features(shapes, R, t, first, second, A, B, n, gap, wanted, rounding, size, found):
    """One point where two features are closest, or several along edges side by side."""
    i, kind1 = first // 3, first % 3
    j, kind2 = second // 3, second % 3
    name = _name(shapes, first, second)
    if rounding == 0.0 or gap < _NEAR * size or FACE in (kind1, kind2):
        put_point(found, 0, PLANE_POINT, 0, name, A, transposed_times(R, B - t), n, ZERO3, gap)
        return 1
    count = _side_by_side(shapes, R, t, first, second, wanted, found)
    if count > 0:
        return count
    if kind1 == VERTEX and kind2 == VERTEX:
        a, b = vec3_at(shapes.vertex, i), vec3_at(shapes.vertex, j)
        put_point(found, 0, POINT_POINT, 0, name, a, b, n, ZERO3, gap)
    elif kind1 == EDGE and kind2 == VERTEX:
        d = unit(direction(shapes, i))
        put_point(found, 0, LINE_POINT, 0, name, A, vec3_at(shapes.vertex, j), d, ZERO3, gap)
    elif kind1 == VERTEX:
        d = unit(direction(shapes, j))
        b = transposed_times(R, B - t)
        put_point(found, 0, LINE_POINT, 1, name, b, vec3_at(shapes.vertex, i), d, ZERO3, gap)
    else:
        a, b = unit(direction(shapes, i)), unit(direction(shapes, j))
        put_point(found, 0, LINE_LINE, 0, name, A, transposed_times(R, B - t), a, b, gap)
    return 1


@inner_kernel
def _name(shapes, first, second):
    """Name of the point where two features are closest: of a vertex if there is one.

    That of a core without edges comes first, so that a ball's only point keeps its name.
    """
    i, kind1 = first // 3, first % 3
    j, kind2 = second // 3, second % 3
    if kind1 == VERTEX and kind2 == VERTEX:
        is_ball = shapes.vertex_edge_start[j] == shapes.vertex_edge_start[j + 1]
        return vertex_of(j, True) if is_ball else vertex_of(i, False)
    if kind1 == VERTEX:
        return vertex_of(i, False)
    if kind2 == VERTEX:
        return vertex_of(j, True)
    return edge_crossing(i, j, False)


@inner_kernel
def _side_by_side(shapes, R, t, first, second, wanted, found):
    """Points at the ends of the stretch along which two edges at these features lie side by side.

    Where the edges cross in between, their crossing point comes besides. Returns 0 where there are
    no such edges.
    """
    e, g, sine = _aligned_edges(shapes, R, first, second)
    if e < 0:
        return 0
    a, b = direction(shapes, e), R @ direction(shapes, g)
    length, other_length = norm(a), norm(b)
    P = vec3_at(shapes.vertex, shapes.edge_vertex[e, 0])
    Q = R @ vec3_at(shapes.vertex, shapes.edge_vertex[g, 0]) + t
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
            v = shapes.edge_vertex[e, end]
            d = transposed_times(R, vec3_at(shapes.vertex, v) - t) - vec3_at(
                shapes.vertex, shapes.edge_vertex[g, 0]
            )
            line = unit(direction(shapes, g))
            foot = vec3_at(shapes.vertex, shapes.edge_vertex[g, 0]) + line * dot(line, d)
        else:
            v = shapes.edge_vertex[g, end if same_way else 1 - end]
            d = R @ vec3_at(shapes.vertex, v) + t - P
            line = a1
            foot = P + line * dot(line, d)
        gap = norm(d - line * dot(line, d))
        if gap <= wanted:
            put_point(
                found, count, LINE_POINT, 1 if of_first else 0, vertex_of(v, not of_first),
                foot, vec3_at(shapes.vertex, v), line, ZERO3, gap,
            )  # fmt: skip
            count += 1
    if sine > _NO_CROSSING:
        s, u = closest_of_segments(P, a, Q, b)
        if 0.0 < s < 1.0 and 0.0 < u < 1.0:
            A, B = P + a * s, Q + b * u
            put_point(
                found, count, LINE_LINE, 0, edge_crossing(e, g, False),
                A, transposed_times(R, B - t), a1, unit(direction(shapes, g)), norm(B - A),
            )  # fmt: skip
            count += 1
    return count


@inner_kernel
def _aligned_edges(shapes, R, first, second):
    """Two edges at these features that are nearly parallel (or -1), and the sine of their angle."""
    i, kind1 = first // 3, first % 3
    j, kind2 = second // 3, second % 3
    start1, end1, start2, end2 = i, i + 1, j, j + 1
    if kind1 == VERTEX:
        start1, end1 = shapes.vertex_edge_start[i], shapes.vertex_edge_start[i + 1]
    if kind2 == VERTEX:
        start2, end2 = shapes.vertex_edge_start[j], shapes.vertex_edge_start[j + 1]
    least = _SIDE_BY_SIDE
    found1, found2 = -1, -1
    for x in range(start1, end1):
        e = shapes.vertex_edge[x] if kind1 == VERTEX else x
        a = direction(shapes, e)
        for y in range(start2, end2):
            g = shapes.vertex_edge[y] if kind2 == VERTEX else y
            b = R @ direction(shapes, g)
            sine = norm(cross(a, b)) / (norm(a) * norm(b))
            if sine < least:
                least = sine
                found1, found2 = e, g
    return found1, found2, least
