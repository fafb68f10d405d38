"""The least distance of bodies to what they may touch, however far that is.

Contacts only look as far as a step can close, and at points that bear. Here every pair of shapes
that the filter lets touch counts, by its distance or, where it overlaps, by the shortest way apart:

    core and core     the gap of their closest features less both roundings (docs/algorithm.md, 41)
    shape and plane   the height of its lowest point, curved shapes as they are curved
    core and ground   that of the nearest triangle, negative behind its front

Of curved shapes the cores count to all but planes: inscribed polyhedra of cylinders, cones and
ellipsoids, the ring of capsules of a torus. A core that reaches through triangles of a ground is as
deep as the deepest of them says, by the shortest way off it; one that is all behind them as deep as
its farthest point lies beyond the nearest face, edge or corner of theirs. Beside the border of a
ground nothing is behind it.
"""

from __future__ import annotations

import math

from impulse_core.algebra import (
    Vec3,
    conjugate,
    cross,
    dot,
    norm,
    quat_at,
    quat_of,
    rotate,
    rotate_back,
    rotation_matrix,
    transposed_times,
    vec3_at,
    vec3_of,
)
from impulse_core.collision.broad import may_touch
from impulse_core.collision.features import EDGE, FACE, face_normal, support
from impulse_core.collision.penetration import nearest_features
from impulse_core.collision.shapes import CONE, CYLINDER, ELLIPSOID, GROUND, PLANE, TORUS
from impulse_core.collision.vclip import INFINITE, first_features
from impulse_core.jit import inner_kernel, kernel

__all__ = ["least_distances"]

_SAME = 1e-9  # of a shape's size: triangles so equally near share an edge or a corner


@kernel
def least_distances(model, shapes, poses, watched, least):
    """Distance of each watched body of the scene to the nearest that it may touch, into ``least``.

    Args:
        model, shapes: Who may touch whom, and where they are in their bodies.
        poses: Where the rows of the model are (BodyState), shape (b,).
        watched: Numbers of bodies of the scene, shape (w,).
        least: [m], shape (w,); negative where they overlap, infinite where there is no other.
    """
    for w in range(len(watched)):
        least[w] = INFINITE
        for s in range(shapes.sought):
            if shapes.owner[s] != watched[w]:
                continue
            for other in range(shapes.sought):
                if may_touch(model, shapes, s, other):
                    least[w] = _nearer(shapes, s, other, poses, least[w])
        if least[w] == INFINITE:
            least[w] = math.inf


@inner_kernel
def _nearer(shapes, s1, s2, poses, least):
    """The distance of two shapes that are sought [m], or ``least`` if that is less."""
    first1, end1 = _pieces(shapes, s1, s2)
    first2, end2 = _pieces(shapes, s2, s1)
    for piece1 in range(first1, end1):
        for piece2 in range(first2, end2):
            least = min(least, _distance(shapes, piece1, piece2, poses, least))
    return least


@inner_kernel
def _pieces(shapes, s, other):
    """Stand-in of shape s: itself, or the ring of a torus that does not meet a plane."""
    if shapes.kind[s] == TORUS and shapes.kind[other] != PLANE:
        return shapes.ring_start[s], shapes.ring_start[s + 1]
    return s, s + 1


@inner_kernel
def _distance(shapes, s1, s2, poses, enough):
    """Distance of two shapes [m]; anything above ``enough`` where it is no less than that."""
    if shapes.kind[s2] == PLANE or (shapes.kind[s2] == GROUND and shapes.kind[s1] != PLANE):
        s1, s2 = s2, s1
    i1, i2 = shapes.body[s1], shapes.body[s2]
    C1, q1 = vec3_of(poses[i1].position), quat_of(poses[i1].orientation)
    C2, q2 = vec3_of(poses[i2].position), quat_of(poses[i2].orientation)
    rounding = shapes.radius[s1] + shapes.radius[s2]
    if shapes.kind[s1] == PLANE:
        if shapes.kind[s2] == PLANE or shapes.kind[s2] == GROUND:
            return INFINITE
        return _height(shapes, s1, s2, C1, q1, C2, q2) - rounding
    R = rotation_matrix(conjugate(q1) * q2)
    t = rotate_back(q1, C2 - C1)
    between = R @ vec3_at(shapes.center, s2) + t - vec3_at(shapes.center, s1)
    apart = norm(between) - shapes.reach[s1] - shapes.reach[s2]
    if apart >= enough or shapes.kind[s2] == GROUND:
        return INFINITE
    if shapes.kind[s1] == GROUND:
        return _ground_distance(shapes, s1, s2, R, t) - rounding
    gap, _, _ = _core_gap(shapes, s1, s2, R, t)
    return gap - rounding


@inner_kernel
def _core_gap(shapes, s1, s2, R, t):
    """Gap of two cores [m], the normal from the first to the second in the frame of s1, and the
    feature of the first that is nearest.
    """
    between = R @ vec3_at(shapes.center, s2) + t - vec3_at(shapes.center, s1)
    first, second = first_features(shapes, s1, s2, R, between)
    sizes = (shapes.reach[s1], shapes.reach[s2])
    first, _, _, _, n, gap = nearest_features(shapes, s1, s2, R, t, between, first, second, sizes)
    return gap, n, first


# ---------------------------------------------------------------------------------------
# Planes
# ---------------------------------------------------------------------------------------


@inner_kernel
def _height(shapes, plane, s, C1, q1, C2, q2):
    """Height of the lowest point of a core over a plane [m], its rounding left out."""
    n = rotate(quat_at(shapes.frame, plane), Vec3(0.0, 0.0, 1.0))
    m = rotate_back(q2, rotate(q1, n))
    offset = dot(n, rotate_back(q1, C2 - C1) - vec3_at(shapes.center, plane))
    return offset + _lowest(shapes, s, m)


@inner_kernel
def _lowest(shapes, s, m):
    """The least m·x of the points x of a shape without its rounding, body frame."""
    kind = shapes.kind[s]
    center, extent = vec3_at(shapes.center, s), vec3_at(shapes.extent, s)
    if kind == ELLIPSOID:
        along = rotate_back(quat_at(shapes.frame, s), m)
        return dot(m, center) - norm(
            Vec3(extent.x * along.x, extent.y * along.y, extent.z * along.z)
        )
    if kind in (CYLINDER, CONE, TORUS):
        a = rotate(quat_at(shapes.frame, s), Vec3(0.0, 0.0, 1.0))
        up, out = dot(m, a) * extent.z, norm(cross(a, m)) * extent.x
        top = up if kind == CONE else up - out
        return dot(m, center) + min(-up - out, top)
    _, far = support(shapes, shapes.vertex_start[s], -m)
    return -far


# ---------------------------------------------------------------------------------------
# Grounds
# ---------------------------------------------------------------------------------------


@inner_kernel
def _ground_distance(shapes, ground, s, R, t):
    """Distance of core s from the surface of a ground, negative behind it [m].

    R, t: pose of the frame of s in that of the ground.
    """
    first, end = shapes.ground_first[ground], len(shapes.kind)
    for other in range(shapes.sought):
        if shapes.ground_first[other] > first:
            end = min(end, shapes.ground_first[other])
    c = R @ vec3_at(shapes.center, s) + t
    size = shapes.reach[s] - shapes.radius[s]
    nearest = _enough(shapes, first, end, R @ vec3_at(shapes.vertex, shapes.vertex_start[s]) + t)
    same = _SAME * (size + nearest)
    found, straight, deepest = nearest, 0.0, 0.0
    for triangle in range(first, end):
        away = norm(vec3_at(shapes.center, triangle) - c)
        if away - size - shapes.reach[triangle] + shapes.radius[triangle] > nearest + same:
            continue
        gap, n, feature = _core_gap(shapes, triangle, s, R, t)
        if gap <= 0.0:
            nearest, deepest = 0.0, min(deepest, gap)
            continue
        along = dot(n, face_normal(shapes, shapes.face_start[triangle]))
        if gap < nearest - same or (gap <= nearest + same and abs(along) > abs(straight)):
            nearest, straight, found = min(gap, nearest), along, gap
            if along < 0.0 and not _at_border(shapes, triangle, feature):
                found = -_beyond(shapes, triangle, feature, n, s, R, t)
    return deepest if nearest == 0.0 else found


@inner_kernel
def _enough(shapes, first, end, P):
    """A distance within which there is a triangle: that of a corner from a point of the core."""
    least = INFINITE
    for triangle in range(first, end):
        corner = vec3_at(shapes.vertex, shapes.vertex_start[triangle])
        least = min(least, norm(corner - P))
    return least


@inner_kernel
def _at_border(shapes, triangle, feature):
    """Whether the ground ends at an edge that a feature of its triangle is, or is an end of."""
    number, kind = feature // 3, feature % 3
    if kind == FACE:
        return False
    for e in range(shapes.edge_start[triangle], shapes.edge_start[triangle + 1]):
        beyond = vec3_at(shapes.edge_beyond, e)
        ends = shapes.edge_vertex[e, 0] == number or shapes.edge_vertex[e, 1] == number
        if dot(beyond, beyond) == 0.0 and (e == number if kind == EDGE else ends):
            return True
    return False


@inner_kernel
def _beyond(shapes, triangle, feature, n, s, R, t):
    """How far the farthest point of core s lies beyond a feature of a triangle along n, the way
    from it to the core [m].
    """
    number, kind = feature // 3, feature % 3
    if kind == FACE:
        number = shapes.vertex_start[triangle]
    elif kind == EDGE:
        number = shapes.edge_vertex[number, 0]
    farthest = dot(n, t) - _lowest(shapes, s, transposed_times(R, -n))
    return farthest - dot(n, vec3_at(shapes.vertex, number))
