"""Features of cores: vertices, edges and faces as numbers, their places, supports, Voronoi planes.

A feature is coded as 3·number + type in one integer, so that a pair's closest features fit its
cache. A pose (R, t) leads from the frame of one core to that of the other: x₁ = R x₂ + t.
"""

from __future__ import annotations

from impulse_core.algebra import Vec3, cross, dot, vec3_at
from impulse_core.jit import inlined_kernel, inner_kernel, kernel

__all__ = [
    "EDGE",
    "FACE",
    "VERTEX",
    "closest_of_segments",
    "coded",
    "direction",
    "edge_at",
    "edges_at",
    "face_along",
    "face_normal",
    "feature_vertex",
    "is_farthest",
    "reaches_beyond",
    "side_normal",
    "support",
]

VERTEX = 0
EDGE = 1
FACE = 2

_LEVEL = 1e-7  # part of the smaller shape that one may reach beyond its farthest point
_PARALLEL = 1e-26  # sin² of the angle below which segments have no crossing point of their own


@kernel
def coded(number, kind):
    """One integer for a feature."""
    return 3 * number + kind


@inner_kernel
def direction(cores, e):
    """From tail to head of edge e [m]."""
    tail = vec3_at(cores.vertex, cores.edge_vertex[e, 0])
    return vec3_at(cores.vertex, cores.edge_vertex[e, 1]) - tail


@inner_kernel
def face_normal(cores, f):
    """Outward unit normal of face f."""
    return Vec3(cores.face_plane[f, 0], cores.face_plane[f, 1], cores.face_plane[f, 2])


@inner_kernel
def side_normal(cores, e, f):
    """In the plane of face f, across its edge e and out of it; as long as the edge."""
    m = cross(direction(cores, e), face_normal(cores, f))
    return m if cores.edge_face[e, 0] == f else -m


@inner_kernel
def feature_vertex(cores, code):
    """A vertex of a feature."""
    number, kind = code // 3, code % 3
    if kind == VERTEX:
        return number
    if kind == EDGE:
        return cores.edge_vertex[number, 0]
    return cores.face_vertex[cores.face_corner_start[number]]


@inlined_kernel
def edges_at(cores, feature):
    """Where the edges at a feature begin and end in the list that ``edge_at`` reads: those of a
    vertex, an edge itself, those around a face.
    """
    number, kind = feature // 3, feature % 3
    if kind == VERTEX:
        return cores.vertex_edge_start[number], cores.vertex_edge_start[number + 1]
    if kind == FACE:
        return cores.face_corner_start[number], cores.face_corner_start[number + 1]
    return number, number + 1


@inlined_kernel
def edge_at(cores, feature, i):
    """The edge in row i of the list that ``edges_at`` gives for a feature."""
    kind = feature % 3
    if kind == VERTEX:
        return cores.vertex_edge[i]
    return cores.face_edge[i] if kind == FACE else i


@inner_kernel
def face_along(cores, feature, n):
    """The face at a feature whose normal is closest to n, and the cosine of their angle."""
    if feature % 3 == FACE:
        return feature // 3, dot(face_normal(cores, feature // 3), n)
    best, found = -2.0, -1
    start, end = edges_at(cores, feature)
    for i in range(start, end):
        e = edge_at(cores, feature, i)
        for side in range(2):
            f = cores.edge_face[e, side]
            if f >= 0:
                along = dot(face_normal(cores, f), n)
                if along > best:
                    best, found = along, f
    return found, best


@inner_kernel
def support(cores, v, n):
    """Vertex farthest along n, and its n·x: uphill from vertex v, over edges.

    A vertex that no neighbour surpasses is the farthest of a convex polyhedron.
    """
    best = dot(vec3_at(cores.vertex, v), n)
    climbing = True
    while climbing:
        climbing = False
        for i in range(cores.vertex_edge_start[v], cores.vertex_edge_start[v + 1]):
            e = cores.vertex_edge[i]
            other = cores.edge_vertex[e, 0] + cores.edge_vertex[e, 1] - v
            height = dot(vec3_at(cores.vertex, other), n)
            if height > best:
                best = height
                v = other
                climbing = True
                break
    return v, best


@kernel
def closest_of_segments(P, a, Q, b):
    """Parameters in [0, 1] of the points of P + s a and Q + u b that are nearest to each other.

    A segment may be a point. Of parallel ones an end is among the points.
    Source: C. Ericson, Real-Time Collision Detection (2005), section 5.1.9; the crossing point from
    a × b, whose square is exact where aa bb - (ab)² has no digits left.
    """
    r = Q - P
    aa, bb, ab = dot(a, a), dot(b, b), dot(a, b)
    n = cross(a, b)
    across = dot(n, n)
    if across > _PARALLEL * aa * bb:
        s = min(max(dot(cross(r, b), n) / across, 0.0), 1.0)
        u = (ab * s - dot(b, r)) / bb
        if 0.0 <= u <= 1.0:
            return s, u
        u = 0.0 if u < 0.0 else 1.0
        return min(max((ab * u + dot(a, r)) / aa, 0.0), 1.0), u
    best, best_s, best_u = -1.0, 0.0, 0.0
    for end in range(4):
        if end < 2:
            s = float(end)
            u = min(max((ab * s - dot(b, r)) / bb, 0.0), 1.0) if bb > 0.0 else 0.0
        else:
            u = float(end - 2)
            s = min(max((ab * u + dot(a, r)) / aa, 0.0), 1.0) if aa > 0.0 else 0.0
        between = r + b * u - a * s
        distance = dot(between, between)
        if best < 0.0 or distance < best:
            best, best_s, best_u = distance, s, u
    return best_s, best_u


@inner_kernel
def is_farthest(cores, e, n):
    """True if edge e is the farthest of its core along n, which is across it."""
    for side in range(2):
        f = cores.edge_face[e, side]
        if f >= 0 and dot(n, side_normal(cores, e, f)) < 0.0:
            return False
    return True


@inner_kernel
def reaches_beyond(cores, v, n, most, size):
    """Whether the core of vertex v reaches farther along n than ``most`` [m], by more than
    round-off of a shape of this size.
    """
    _, farthest = support(cores, v, n)
    return farthest - most > _LEVEL * size
