"""V-Clip: the closest features of two convex cores, found from those of the step before.

A pair of features is the closest one if the nearest point of either lies in the other's Voronoi
region (docs/algorithm.md, section 10). Where it does not, the region's violated plane names the
feature to go on with; every such move brings the features closer, so the walk ends, after one look
at the planes if little has moved. What it ends with is proven by a plane between the cores; where
rounding kept it from ending, or the proof fails, all features are compared.

Source: B. Mirtich, "V-Clip: Fast and Robust Polyhedral Collision Detection", ACM Transactions on
Graphics 17(3), 1998. Two moves differ from the paper's: pairs of edges and of a vertex with an
edge are judged by their nearest points instead of by signs of derivatives, which is the same
for pairs that do not touch, and lets parallel edges pass without a case of their own.
"""

from __future__ import annotations

from impulse_core.algebra import ZERO3, Mat3, cross, dot, norm, transposed_times, vec3_at
from impulse_core.collision.features import (
    EDGE,
    FACE,
    VERTEX,
    closest_of_segments,
    coded,
    direction,
    face_normal,
    feature_vertex,
    side_normal,
    support,
)
from impulse_core.jit import inlined_kernel, inner_kernel, kernel

__all__ = [
    "LOST",
    "OVERLAPPING",
    "SEPARATE",
    "closest_features",
    "first_features",
    "gap_along",
    "transposed",
    "walk_to_closest",
]

SEPARATE = 0
OVERLAPPING = 1
_GOING_ON = 2
LOST = 3

INFINITE = 1e300
_MOST_MOVES = 200
_UNEVEN = 2.0  # times what both cores are uneven by: what a plane between them may leave open
_MOST_OF_A_CIRCLE = 32  # places of a walk in a circle that are tried for a proof
# Sine of the angle by which a nearest point may lie outside a Voronoi region that another feature
# would have to take over: the distance then is long by half its square, far below round-off.
_ANGLE = 1e-11
_TOUCHING = 1e-12  # distance, as part of the sizes of the shapes, that counts as none
_PROOF = 1e-11  # part of the distance that the plane between the cores may leave open
_ROUND_OFF = 1e-14  # of distances, as part of the sizes of the shapes
_EPSILON = 4e-16  # and of coordinates


@inner_kernel
def closest_features(cores, s1, s2, R, t, first, second, size):
    """The closest features of the cores of shapes s1 and s2.

    Args:
        R, t: pose of the frame of s2 in that of s1: x₁ = R x₂ + t.
        first, second: codes of the features to begin with.
        size: radii of balls around both cores, added up [m].

    Returns:
        SEPARATE or OVERLAPPING; codes of the features; the nearest points on both cores, the unit
        normal from the first to the second (frame of s1), and the distance [m].
        Of overlapping cores only the codes say something: where the walk ended.
    """
    state, first, second, A, B, n, distance = walk_to_closest(
        cores, s1, s2, R, t, first, second, size
    )
    if state == LOST:
        state = OVERLAPPING
        best = _TOUCHING * size
        for kinds in range(3):
            i, j = _compare_all(cores, s1, s2, R, t, kinds)
            if i < 0:
                continue
            P, Q, m, apart = nearest_points(cores, R, t, i, j)
            gap = gap_along(cores, R, t, i, j, m)
            if gap > best:  # of features equally near, those with the better plane
                best = gap
                state, first, second, A, B, n, distance = SEPARATE, i, j, P, Q, m, apart
    return state, first, second, A, B, n, distance


@inner_kernel
def walk_to_closest(cores, s1, s2, R, t, first, second, size):
    """The same by walks alone: LOST where none of the places that one comes to is proven.

    A walk between faces that are uneven may go in a circle, whose places are all nearest to what
    those are uneven by: one of them is proven mostly.
    """
    uneven = cores.uneven[s1] + cores.uneven[s2]
    A, B, n, distance = ZERO3, ZERO3, ZERO3, 0.0
    state, moves = LOST, _MOST_MOVES
    for _ in range(_MOST_OF_A_CIRCLE):
        state, first, second, A, B, n, distance = _walk(
            cores, s1, s2, R, t, first, second, size, moves
        )
        if state == OVERLAPPING:
            break
        ended = state == SEPARATE
        if not ended and _have_points(first, second):
            A, B, n, distance = nearest_points(cores, R, t, first, second)
            state = SEPARATE if distance > _TOUCHING * size else LOST
        if state == SEPARATE:
            proven, n = _proven(cores, R, t, first, second, n, distance, size, uneven)
            state = SEPARATE if proven else LOST
        if ended or state == SEPARATE:
            break
        moves = 1
    return state, first, second, A, B, n, distance


@inner_kernel
def first_features(cores, s1, s2, R, between):
    """Features to begin with: the vertices of both that are farthest towards the other.

    between: from the centre of s1 to that of s2, frame of s1.
    """
    v1, _ = support(cores, cores.vertex_start[s1], between)
    v2, _ = support(cores, cores.vertex_start[s2], -transposed_times(R, between))
    return coded(v1, VERTEX), coded(v2, VERTEX)


@kernel
def transposed(R):
    """Rᵀ"""
    return Mat3(R.xx, R.yx, R.zx, R.xy, R.yy, R.zy, R.xz, R.yz, R.zz)


@inner_kernel
def _have_points(first, second):
    """Whether the nearest points of two features are known to lie on them: of two vertices or two
    edges, not of a face that the other need not be above.
    """
    return first % 3 == second % 3 and first % 3 != FACE


@inlined_kernel
def _walk(cores, s1, s2, R, t, first, second, size, most):
    Rt = transposed(R)
    tt = -(Rt @ t)
    A, B, n, distance = ZERO3, ZERO3, ZERO3, 0.0
    seen1, seen2, look = -1, -1, 8
    for move in range(most):
        if move == look:  # it goes in a circle where it comes back to a place (Brent)
            seen1, seen2, look = first, second, 2 * look
        elif first == seen1 and second == seen2:
            break
        # The pair as i and j with the kind of i not below that of j, so that each pair of kinds is
        # written once; poses and results in the frame of i.
        swapped = first % 3 < second % 3
        if swapped:
            s, i, j, Q, x, Qt, xt = s2, second, first, Rt, tt, R, t
        else:
            s, i, j, Q, x, Qt, xt = s1, first, second, R, t, Rt, tt
        kind_i, kind_j = i % 3, j % 3
        if kind_i == VERTEX:
            state, i, j, A, B, n, distance = _vertex_vertex(cores, Q, x, Qt, xt, i, j, size)
        elif kind_i == EDGE:
            if kind_j == VERTEX:
                state, i, j, A, B, n, distance = _edge_vertex(cores, Q, x, Qt, xt, i, j, size)
            else:
                state, i, j, A, B, n, distance = _edge_edge(cores, Q, x, Qt, i, j, size)
        elif kind_j == VERTEX:
            state, i, j, A, B, n, distance = _face_vertex(cores, s, Q, x, Qt, i, j, size)
        elif kind_j == EDGE:
            state, i, j, distance = _face_edge(cores, s, Q, x, Qt, i, j, size)
        else:  # only where a search begins
            state = _GOING_ON
            j = coded(feature_vertex(cores, j), VERTEX)
        first, second = (j, i) if swapped else (i, j)
        if state != _GOING_ON:
            if swapped:
                A, B, n = R @ B + t, R @ A + t, -(R @ n)
            return state, first, second, A, B, n, distance
    return LOST, first, second, A, B, n, distance


@inner_kernel
def _finished(i, j, A, B, size):
    """The end of a walk that nearest points A and B decide."""
    between = B - A
    distance = norm(between)
    if distance <= _TOUCHING * size:
        return OVERLAPPING, i, j, A, B, ZERO3, distance
    return SEPARATE, i, j, A, B, between * (1.0 / distance), distance


@inner_kernel
def _edge_towards(cores, v, x, angle, floor):
    """Edge at vertex v that comes closest to the direction of x, if it leads nearer to x; or -1.

    Nearer: by more than an angle [rad] or a length [m] across the direction.
    """
    V = vec3_at(cores.vertex, v)
    to = x - V
    best = angle * norm(to) + floor
    found = -1
    for k in range(cores.vertex_edge_start[v], cores.vertex_edge_start[v + 1]):
        e = cores.vertex_edge[k]
        other = cores.edge_vertex[e, 0] + cores.edge_vertex[e, 1] - v
        d = vec3_at(cores.vertex, other) - V
        along = dot(to, d)
        if along > 0.0:
            along /= norm(d)
            if along > best:
                best = along
                found = e
    return found


@inner_kernel
def _vertex_vertex(cores, R, t, Rt, tt, i, j, size):
    v, w = i // 3, j // 3
    V = vec3_at(cores.vertex, v)
    W = R @ vec3_at(cores.vertex, w) + t
    e = _edge_towards(cores, v, W, 0.0, 0.0)
    if e >= 0:
        return _GOING_ON, coded(e, EDGE), coded(w, VERTEX), V, W, ZERO3, 0.0
    e = _edge_towards(cores, w, Rt @ V + tt, 0.0, 0.0)
    if e >= 0:
        return _GOING_ON, coded(v, VERTEX), coded(e, EDGE), V, W, ZERO3, 0.0
    return _finished(coded(v, VERTEX), coded(w, VERTEX), V, W, size)


@inner_kernel
def _edge_vertex(cores, R, t, Rt, tt, i, j, size):
    e, w = i // 3, j // 3
    tail, head = cores.edge_vertex[e, 0], cores.edge_vertex[e, 1]
    P, Q = vec3_at(cores.vertex, tail), vec3_at(cores.vertex, head)
    d = Q - P
    W = R @ vec3_at(cores.vertex, w) + t
    along = dot(W - P, d)
    if along < 0.0:
        return _GOING_ON, coded(tail, VERTEX), coded(w, VERTEX), P, W, ZERO3, 0.0
    if dot(W - Q, d) > 0.0:
        return _GOING_ON, coded(head, VERTEX), coded(w, VERTEX), P, W, ZERO3, 0.0
    for side in range(2):
        f = cores.edge_face[e, side]
        if f >= 0 and dot(W - P, side_normal(cores, e, f)) < 0.0:
            return _GOING_ON, coded(f, FACE), coded(w, VERTEX), P, W, ZERO3, 0.0
    A = P + d * (along / dot(d, d))
    edge = _edge_towards(cores, w, Rt @ A + tt, _ANGLE, _EPSILON * size)
    if edge >= 0:
        return _GOING_ON, coded(e, EDGE), coded(edge, EDGE), A, W, ZERO3, 0.0
    return _finished(coded(e, EDGE), coded(w, VERTEX), A, W, size)


@inner_kernel
def _edge_edge(cores, R, t, Rt, i, j, size):
    e, g = i // 3, j // 3
    P = vec3_at(cores.vertex, cores.edge_vertex[e, 0])
    a = direction(cores, e)
    Q = vec3_at(cores.vertex, cores.edge_vertex[g, 0])
    b = direction(cores, g)
    Q1, b1 = R @ Q + t, R @ b
    s, u = closest_of_segments(P, a, Q1, b1)
    A, B = P + a * s, Q1 + b1 * u
    first, second = coded(e, EDGE), coded(g, EDGE)
    at_end = False
    if s in (0.0, 1.0):
        first = coded(cores.edge_vertex[e, int(s)], VERTEX)
        at_end = True
    if u in (0.0, 1.0):
        second = coded(cores.edge_vertex[g, int(u)], VERTEX)
        at_end = True
    if at_end:
        return _GOING_ON, first, second, A, B, ZERO3, 0.0
    between = B - A
    distance = norm(between)
    if distance <= _TOUCHING * size:
        return OVERLAPPING, first, second, A, B, ZERO3, distance
    floor = -_ANGLE * distance - _EPSILON * size
    for side in range(2):
        f = cores.edge_face[e, side]
        if f >= 0:
            m = side_normal(cores, e, f)
            if dot(between, m) < floor * norm(m):
                return _GOING_ON, coded(f, FACE), second, A, B, ZERO3, 0.0
    other = Rt @ between
    for side in range(2):
        f = cores.edge_face[g, side]
        if f >= 0:
            m = side_normal(cores, g, f)
            if -dot(other, m) < floor * norm(m):
                return _GOING_ON, first, coded(f, FACE), A, B, ZERO3, 0.0
    n = between * (1.0 / distance)
    across = cross(a, b1)
    sine = norm(across)
    if sine > 1e-3 * norm(a) * norm(b1):  # more exact than the difference of close points
        n = across * ((1.0 if dot(across, between) > 0.0 else -1.0) / sine)
    return SEPARATE, first, second, A, B, n, distance


@inner_kernel
def _face_vertex(cores, s, R, t, Rt, i, j, size):
    f, w = i // 3, j // 3
    W = R @ vec3_at(cores.vertex, w) + t
    beyond = side_beyond(cores, f, W)
    if beyond >= 0:
        return _GOING_ON, coded(beyond, EDGE), coded(w, VERTEX), ZERO3, W, ZERO3, 0.0
    # Heights over the face with its normal in the vertex's frame, the same at every look.
    n = face_normal(cores, f)
    m = Rt @ n
    h0 = dot(n, t) - cores.face_plane[f, 3]
    height = dot(m, vec3_at(cores.vertex, w)) + h0
    if height <= _TOUCHING * size:
        state, above = _below(cores, s, f, W, size)
        return state, coded(above, FACE), coded(w, VERTEX), W, W, ZERO3, 0.0
    lowest = height
    down = -1
    for k in range(cores.vertex_edge_start[w], cores.vertex_edge_start[w + 1]):
        e = cores.vertex_edge[k]
        other = cores.edge_vertex[e, 0] + cores.edge_vertex[e, 1] - w
        h = dot(m, vec3_at(cores.vertex, other)) + h0
        if h < lowest:
            lowest = h
            down = e
    if down >= 0:
        return _GOING_ON, coded(f, FACE), coded(down, EDGE), ZERO3, W, ZERO3, 0.0
    return SEPARATE, coded(f, FACE), coded(w, VERTEX), W - n * height, W, n, height


@inner_kernel
def _below(cores, s, f, W, size):
    """W is below face f of core s, in its prism: above another face, or within the core."""
    most = _TOUCHING * size
    above = -1
    for g in range(cores.face_start[s], cores.face_start[s + 1]):
        height = dot(face_normal(cores, g), W) - cores.face_plane[g, 3]
        if height > most:
            most = height
            above = g
    if above < 0:
        return OVERLAPPING, f
    return _GOING_ON, above


@inner_kernel
def _face_edge(cores, s, R, t, Rt, i, j, size):
    """Face and edge: the edge is clipped to the prism over the face, where its ends decide."""
    f, g = i // 3, j // 3
    tail, head = cores.edge_vertex[g, 0], cores.edge_vertex[g, 1]
    P = R @ vec3_at(cores.vertex, tail) + t
    d = R @ vec3_at(cores.vertex, head) + t - P
    low, high = 0.0, 1.0
    low_edge, high_edge = -1, -1
    for k in range(cores.face_corner_start[f], cores.face_corner_start[f + 1]):
        e = cores.face_edge[k]
        m = side_normal(cores, e, f)
        start = dot(P - vec3_at(cores.vertex, cores.edge_vertex[e, 0]), m)
        change = dot(d, m)
        if start <= 0.0 and start + change <= 0.0:
            continue
        if start > 0.0 and start + change > 0.0:
            low = 2.0
            break
        at = -start / change
        if start > 0.0 and at > low:
            low = at
            low_edge = e
        elif start <= 0.0 and at < high:
            high = at
            high_edge = e
    if low > high:
        side = _nearest_side(cores, f, P, d)
        return _GOING_ON, coded(side, EDGE), coded(g, EDGE), 0.0
    n = face_normal(cores, f)
    m = Rt @ n
    h0 = dot(n, t) - cores.face_plane[f, 3]
    h_tail = dot(m, vec3_at(cores.vertex, tail)) + h0
    h_head = dot(m, vec3_at(cores.vertex, head)) + h0
    h_low = h_tail if low_edge < 0 else h_tail + low * (h_head - h_tail)
    h_high = h_head if high_edge < 0 else h_tail + high * (h_head - h_tail)
    if (h_low > 0.0) != (h_high > 0.0):
        return OVERLAPPING, coded(f, FACE), coded(g, EDGE), 0.0
    if h_low <= 0.0:  # both below
        w = tail if h_tail > h_head else head
        state, above = _below(cores, s, f, R @ vec3_at(cores.vertex, w) + t, size)
        return state, coded(above, FACE), coded(w, VERTEX), 0.0
    # Down the edge: its slope decides, as a stretch may be too short for heights to differ.
    if h_head > h_tail or (h_head == h_tail and low_edge < 0):
        if low_edge >= 0:
            return _GOING_ON, coded(low_edge, EDGE), coded(g, EDGE), 0.0
        return _GOING_ON, coded(f, FACE), coded(tail, VERTEX), 0.0
    if high_edge >= 0:
        return _GOING_ON, coded(high_edge, EDGE), coded(g, EDGE), 0.0
    return _GOING_ON, coded(f, FACE), coded(head, VERTEX), 0.0


@inner_kernel
def _nearest_side(cores, f, P, d):
    """Edge of face f that is nearest to the segment P + u d."""
    best = INFINITE
    found = cores.face_edge[cores.face_corner_start[f]]
    for k in range(cores.face_corner_start[f], cores.face_corner_start[f + 1]):
        e = cores.face_edge[k]
        Q = vec3_at(cores.vertex, cores.edge_vertex[e, 0])
        a = direction(cores, e)
        s, u = closest_of_segments(Q, a, P, d)
        between = P + d * u - Q - a * s
        distance = dot(between, between)
        if distance < best:
            best = distance
            found = e
    return found


@inner_kernel
def _proven(cores, R, t, first, second, n, distance, size, uneven):
    """Whether a plane leaves the distance between the cores, to round-off and what their faces are
    uneven by [m]; and the normal of that plane: n, or where faces are uneven that of a face at one
    of the features, since edges of two walls that lie along each other do not name it well. What is
    as near as that has no plane between.
    """
    # A normal is right to an angle, and between close points to round-off over their distance.
    floor = (_ROUND_OFF + 2.0 * _ANGLE) * size + _EPSILON * size * size / distance
    least = distance * (1.0 - _PROOF) - floor
    if gap_along(cores, R, t, first, second, n) >= least:
        return True, n
    least -= _UNEVEN * uneven
    if uneven > 0.0 and least > 0.0:
        for side in range(2):
            feature = second if side else first
            start, end = _edges_at(cores, feature)
            for k in range(2 * start, 2 * end):
                m = _normal_at(cores, feature, k)
                if side:
                    m = -(R @ m)
                if gap_along(cores, R, t, first, second, m) >= least:
                    return True, m
    return False, n


@inner_kernel
def _edges_at(cores, feature):
    """The edges of a feature, as places in ``vertex_edge`` of a vertex: begin and end."""
    number, kind = feature // 3, feature % 3
    if kind == VERTEX:
        return cores.vertex_edge_start[number], cores.vertex_edge_start[number + 1]
    return 0, 1


@inner_kernel
def _normal_at(cores, feature, k):
    """Normal of the face to the left or right of an edge of a feature, or of its face."""
    number, kind = feature // 3, feature % 3
    if kind == FACE:
        return face_normal(cores, number)
    e = cores.vertex_edge[k // 2] if kind == VERTEX else number
    f = cores.edge_face[e, k % 2]
    return face_normal(cores, f) if f >= 0 else ZERO3


@inner_kernel
def gap_along(cores, R, t, first, second, n):
    """g(n) [m]: what a plane across n leaves between the cores that have these features."""
    _, most = support(cores, feature_vertex(cores, first), n)
    _, least = support(cores, feature_vertex(cores, second), -transposed_times(R, n))
    return dot(n, t) - least - most


# ---------------------------------------------------------------------------------------
# All features, where the walk lost its way
# ---------------------------------------------------------------------------------------


@inner_kernel
def nearest_points(cores, R, t, first, second):
    """Nearest points of two vertices, two edges, or a vertex and a face it projects into.

    Returns:
        The points A and B, the unit vector from A to B (frame of the first), their distance.
    """
    i, kind1 = first // 3, first % 3
    j, kind2 = second // 3, second % 3
    A, B = ZERO3, ZERO3
    if kind1 == EDGE:
        P, a = vec3_at(cores.vertex, cores.edge_vertex[i, 0]), direction(cores, i)
        Q = R @ vec3_at(cores.vertex, cores.edge_vertex[j, 0]) + t
        b = R @ direction(cores, j)
        s, u = closest_of_segments(P, a, Q, b)
        A, B = P + a * s, Q + b * u
    elif kind1 == FACE:
        n = face_normal(cores, i)
        B = R @ vec3_at(cores.vertex, j) + t
        A = B - n * (dot(n, B) - cores.face_plane[i, 3])
    elif kind2 == FACE:
        A = vec3_at(cores.vertex, i)
        n = R @ face_normal(cores, j)
        B = A - n * (dot(n, A - t) - cores.face_plane[j, 3])
    else:
        A = vec3_at(cores.vertex, i)
        B = R @ vec3_at(cores.vertex, j) + t
    between = B - A
    distance = norm(between)
    return A, B, between * (1.0 / distance) if distance > 0.0 else ZERO3, distance


@inner_kernel
def _compare_all(cores, s1, s2, R, t, kinds):
    """The nearest edges (kinds = 0), face and vertex (1) or vertex and face (2); -1 for none."""
    if kinds == 0:
        _, first, second = _nearest_edges(cores, s1, s2, R, t)
        return first, second
    if kinds == 1:
        height, f, w = _lowest_over_faces(cores, s1, s2, R, t)
        return (coded(f, FACE), coded(w, VERTEX)) if height < INFINITE else (-1, -1)
    Rt = transposed(R)
    height, f, w = _lowest_over_faces(cores, s2, s1, Rt, -(Rt @ t))
    return (coded(w, VERTEX), coded(f, FACE)) if height < INFINITE else (-1, -1)


@inner_kernel
def _nearest_edges(cores, s1, s2, R, t):
    """Distance [m] and codes of the nearest edges, a core of one vertex counting as an edge."""
    best = INFINITE
    # What is left where nothing is a number.
    first, second = coded(cores.vertex_start[s1], VERTEX), coded(cores.vertex_start[s2], VERTEX)
    for e in range(cores.edge_start[s1], max(cores.edge_start[s1 + 1], cores.edge_start[s1] + 1)):
        one = e == cores.edge_start[s1 + 1]
        P = vec3_at(cores.vertex, cores.vertex_start[s1] if one else cores.edge_vertex[e, 0])
        a = ZERO3 if one else direction(cores, e)
        for g in range(
            cores.edge_start[s2], max(cores.edge_start[s2 + 1], cores.edge_start[s2] + 1)
        ):
            single = g == cores.edge_start[s2 + 1]
            w = cores.vertex_start[s2] if single else cores.edge_vertex[g, 0]
            Q = R @ vec3_at(cores.vertex, w) + t
            b = ZERO3 if single else R @ direction(cores, g)
            s, u = closest_of_segments(P, a, Q, b)
            distance = norm(Q + b * u - P - a * s)
            if distance < best:
                best = distance
                first = coded(cores.vertex_start[s1], VERTEX) if one else coded(e, EDGE)
                second = coded(w, VERTEX) if single else coded(g, EDGE)
    return best, first, second


@inner_kernel
def _lowest_over_faces(cores, s1, s2, R, t):
    """Least height [m] of a vertex of s2 in the prism over a face of s1; that face and vertex."""
    best = INFINITE
    face, vertex = -1, -1
    for w in range(cores.vertex_start[s2], cores.vertex_start[s2 + 1]):
        W = R @ vec3_at(cores.vertex, w) + t
        for f in range(cores.face_start[s1], cores.face_start[s1 + 1]):
            height = dot(face_normal(cores, f), W) - cores.face_plane[f, 3]
            if 0.0 < height < best and side_beyond(cores, f, W) < 0:
                best = height
                face, vertex = f, w
    return best, face, vertex


@inner_kernel
def side_beyond(cores, f, W):
    """Side of face f beyond which W is farthest, an edge; or -1 where W is in the prism over f."""
    worst = 0.0
    beyond = -1
    for k in range(cores.face_corner_start[f], cores.face_corner_start[f + 1]):
        e = cores.face_edge[k]
        out = dot(W - vec3_at(cores.vertex, cores.edge_vertex[e, 0]), side_normal(cores, e, f))
        if out > worst:
            worst = out
            beyond = e
    return beyond
