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
    coded,
    direction,
    face_normal,
    feature_vertex,
    support,
)
from impulse_core.collision.manifold import (
    CROSSING,
    FaceLimits,
    edge_crossing,
    face_contact,
    put_point,
    vertex_of,
)
from impulse_core.collision.penetration import NEAR, SHALLOW, nearest_features
from impulse_core.collision.planes import plane_contact
from impulse_core.collision.shapes import PLANE, TRIANGLE
from impulse_core.collision.solid import keep_those_behind
from impulse_core.collision.triangles import (
    ALONG_FRONT,
    NOT_HERE,
    ground_push,
    lies_in_valley,
    reaches_front,
)
from impulse_core.collision.vclip import (
    INFINITE,
    first_features,
    transposed,
)
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel

__all__ = ["collide"]

# Column 2 of a pair's cache: what its features in columns 0 and 1 are.
_CLOSEST = 0  # the closest ones
_FACE_OF_FIRST = 1  # a face of the first shape that the second lies on, and its lowest vertex
_FACE_OF_SECOND = 2

_FLAT = 0.05  # angle to a face up to which a core lies on it [rad]
_STILL_FLAT = 0.06  # and that of one that lay on it in the step before
_STRAIGHT = 1.0 - 0.5 * _FLAT * _FLAT
_HARDLY = 1e-9  # part of the smaller shape by which a place is not behind a plane but in it
_SIDE_BY_SIDE = 0.05  # sine of the angle up to which edges touch along their length
_ACROSS = 0.9999  # cosine of the angle that it may be off the direction found
_NO_CROSSING = 1e-3  # and below which they have no crossing point besides


@inlined_kernel
def collide(shapes, s1, s2, pose1, pose2, largest_gap, memory, found):
    """Contact points of shapes s1 < s2, put into ``found``; returns their number.

    Args:
        pose1, pose2: centre and orientation of the rows that carry the shapes.
        largest_gap: points with a larger gap of the surfaces are left out [m].
        memory: of the pair, shape (CACHE_NUMBERS,); -1 where it is new.
    """
    rounding = shapes.radius[s1] + shapes.radius[s2]
    wanted = largest_gap + rounding
    if shapes.kind[s1] == PLANE:
        count = plane_contact(shapes, s1, s2, pose1, pose2, 0, wanted, memory, found)
    elif shapes.kind[s2] == PLANE:
        count = plane_contact(shapes, s2, s1, pose2, pose1, 1, wanted, memory, found)
    else:
        (C1, q1), (C2, q2) = pose1, pose2
        R = rotation_matrix(conjugate(q1) * q2)
        t = rotate_back(q1, C2 - C1)
        count = _core_contact(shapes, s1, s2, R, t, wanted, rounding, memory, found)
    for i in range(count):
        found.point[i].gap -= rounding
    return count


@deferred_kernel("int64")
def _core_contact(shapes, s1, s2, R, t, wanted, rounding, memory, found):
    """Points of two cores: rows with the gaps of the cores.

    Faces are tried as plane of the contact in this order: the one that the pair remembers (of a
    triangle of the ground its front, however deep the other core is below it), then those that
    the normal of the closest features nearly follows.
    """
    sizes = (shapes.reach[s1], shapes.reach[s2])
    size = min(sizes[0], sizes[1])
    between = R @ vec3_at(shapes.center, s2) + t - vec3_at(shapes.center, s1)
    triangle = s2 if shapes.kind[s2] == TRIANGLE else -1
    of_ground = triangle >= 0
    first, second, mode = memory[0], memory[1], memory[2]
    if first < 0:
        first, second = first_features(shapes, s1, s2, R, between)
        mode = _CLOSEST
    count = -1
    if of_ground:
        if not reaches_front(shapes, s2, R, t, feature_vertex(shapes, first), rounding):
            return 0
        limits = FaceLimits(size, wanted, -INFINITE, triangle, _FLAT)
        count = _on_front(shapes, s2, R, t, first, limits, memory, found)
        if count > 0:
            count = keep_those_behind(shapes, s2, R, t, count, SHALLOW * size, found)
            if count == 0:
                count = -1
    elif mode != _CLOSEST:
        limits = FaceLimits(size, wanted, -SHALLOW * size, triangle, _STILL_FLAT)
        count = _on_face(shapes, R, t, first, second, mode, limits, memory, found)
    if count >= 0:
        return count
    first, second, A, B, n, gap = nearest_features(
        shapes, s1, s2, R, t, between, first, second, sizes
    )
    memory[0], memory[1], memory[2] = first, second, _CLOSEST
    if gap > wanted:
        return 0
    if of_ground:
        push = ground_push(shapes, shapes.edge_beyond, s2, -transposed_times(R, n), gap)
        if push == NOT_HERE:
            return 0
        if push == ALONG_FRONT:
            limits = FaceLimits(size, wanted, -INFINITE, triangle, INFINITE)
            count, deep = _on_front(shapes, s2, R, t, first, limits, memory, found), SHALLOW
            if count < 0:  # beside the triangle even what is hardly behind it may be in the open
                count, deep = _in_valley(shapes, s2, R, t, first, found), _HARDLY
            return keep_those_behind(shapes, s2, R, t, count, deep * size, found)
    limits = FaceLimits(size, wanted, -INFINITE, triangle, _FLAT)
    count = _on_straight_face(shapes, R, t, first, second, n, limits, memory, found)
    if count >= 0:
        return count
    return _at_features(shapes, R, t, first, second, A, B, n, gap, wanted, rounding, size, found)


@inlined_kernel
def _on_straight_face(cores, R, t, first, second, n, limits, memory, found):
    """Contact polygon on a face at one of two features that the normal n nearly follows; -1 where
    there is none. The straighter face first; of equal ones that of the first shape.
    """
    face1, straight1 = _face_along(cores, first, n)
    face2, straight2 = _face_along(cores, second, -transposed_times(R, n))
    if limits.triangle >= 0:  # its front was refused already
        straight2 = -1.0
    for attempt in range(2):
        of_first = (straight1 >= straight2 - 1e-6) == (attempt == 0)
        if (straight1 if of_first else straight2) < _STRAIGHT:
            continue
        if of_first:
            mode, i, j = _FACE_OF_FIRST, coded(face1, FACE), second
        else:
            mode, i, j = _FACE_OF_SECOND, first, coded(face2, FACE)
        count = _on_face(cores, R, t, i, j, mode, limits, memory, found)
        if count >= 0:
            return count
    return -1


@inner_kernel
def _on_front(cores, triangle, R, t, first, limits, memory, found):
    """Contact polygon on the front of a triangle of the ground; -1 where it is refused."""
    i = coded(feature_vertex(cores, first), VERTEX)
    j = coded(cores.face_start[triangle], FACE)
    return _on_face(cores, R, t, i, j, _FACE_OF_SECOND, limits, memory, found)


@inner_kernel
def _in_valley(shapes, triangle, R, t, first, found):
    """The lowest vertex over the front of a triangle of the ground where it lies below a valley
    beside that: the number of points.
    """
    f = shapes.face_start[triangle]
    n = face_normal(shapes, f)
    w, _ = support(shapes, feature_vertex(shapes, first), -(R @ n))
    lowest = vec3_at(shapes.vertex, w)
    P = transposed_times(R, lowest - t)
    height = dot(n, P) - shapes.face_plane[f, 3]
    if height >= 0.0 or not lies_in_valley(shapes, shapes.edge_beyond, triangle, P):
        return 0
    what = (PLANE_POINT, 1, vertex_of(w, False))
    put_point(found, 0, what, P - n * height, lowest, n, ZERO3, height)
    return 1


@inner_kernel
def _on_face(cores, R, t, first, second, mode, limits, memory, found):
    """Contact polygon on the face that ``mode`` names; -1 where it is refused."""
    of_first = mode == _FACE_OF_FIRST
    if of_first:
        f, other, Q, x = first // 3, second, R, t
    else:
        Q = transposed(R)
        f, other, x = second // 3, first, -(Q @ t)
    w = feature_vertex(cores, other)
    swapped = 0 if of_first else 1
    count, w, _ = face_contact(cores, f, w, Q, x, swapped, limits, memory, found)
    if count >= 0:
        memory[0] = coded(f, FACE) if of_first else coded(w, VERTEX)
        memory[1] = coded(w, VERTEX) if of_first else coded(f, FACE)
        memory[2] = mode
    return count


@inner_kernel
def _face_along(cores, feature, n):
    """The face at a feature whose normal is closest to n, and the cosine of their angle."""
    number, kind = feature // 3, feature % 3
    if kind == FACE:
        return number, dot(face_normal(cores, number), n)
    best, found = -2.0, -1
    start, end = number, number + 1
    if kind == VERTEX:
        start, end = cores.vertex_edge_start[number], cores.vertex_edge_start[number + 1]
    for i in range(start, end):
        e = cores.vertex_edge[i] if kind == VERTEX else i
        for side in range(2):
            f = cores.edge_face[e, side]
            if f >= 0:
                along = dot(face_normal(cores, f), n)
                if along > best:
                    best, found = along, f
    return found, best


# ---------------------------------------------------------------------------------------
# Vertices and edges
# ---------------------------------------------------------------------------------------


@inner_kernel
def _at_features(cores, R, t, first, second, A, B, n, gap, wanted, rounding, size, found):
    """One point where two features are closest, or several along edges side by side."""
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
        count = _side_by_side(cores, R, t, first, second, wanted, found)
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
def _side_by_side(cores, R, t, first, second, wanted, found):
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
    i, kind1 = first // 3, first % 3
    j, kind2 = second // 3, second % 3
    start1, end1, start2, end2 = i, i + 1, j, j + 1
    if kind1 == VERTEX:
        start1, end1 = cores.vertex_edge_start[i], cores.vertex_edge_start[i + 1]
    if kind2 == VERTEX:
        start2, end2 = cores.vertex_edge_start[j], cores.vertex_edge_start[j + 1]
    least = _SIDE_BY_SIDE
    found1, found2 = -1, -1
    for x in range(start1, end1):
        e = cores.vertex_edge[x] if kind1 == VERTEX else x
        a = direction(cores, e)
        for y in range(start2, end2):
            g = cores.vertex_edge[y] if kind2 == VERTEX else y
            b = R @ direction(cores, g)
            sine = norm(cross(a, b)) / (norm(a) * norm(b))
            if sine < least:
                least = sine
                found1, found2 = e, g
    return found1, found2, least
