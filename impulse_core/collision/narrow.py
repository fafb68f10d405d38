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
    dot,
    rotate_back,
    rotation_matrix,
    transposed_times,
    vec3_at,
)
from impulse_core.collision.contacts import PLANE_POINT
from impulse_core.collision.curved import (
    coarseness,
    curved_on_face,
    is_curved,
    refuses_polygons,
    side_contact,
    touch_by_surface,
)
from impulse_core.collision.edges import points_at_features
from impulse_core.collision.features import (
    FACE,
    VERTEX,
    coded,
    face_along,
    face_normal,
    feature_vertex,
    support,
)
from impulse_core.collision.manifold import FaceLimits, face_contact, put_point, vertex_of
from impulse_core.collision.penetration import SHALLOW, nearest_features
from impulse_core.collision.planes import plane_contact
from impulse_core.collision.round_edges import round_contact
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
_ROUGHLY_STRAIGHT = 0.98  # that of the core of a curved shape, whose sides are 0.2 rad wide
_HARDLY = 1e-9  # part of the smaller shape by which a place is not behind a plane but in it


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
    pair, sizes = (s1, s2), (shapes.reach[s1], shapes.reach[s2])
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
        count = _on_front(shapes, pair, R, t, first, limits, memory, found)
        if count > 0:
            count = keep_those_behind(shapes, s2, R, t, count, SHALLOW * size, found)
            if count == 0:
                count = -1
    elif mode != _CLOSEST:
        limits = FaceLimits(size, wanted, -SHALLOW * size, triangle, _STILL_FLAT)
        count = _on_face(shapes, pair, R, t, first, second, mode, limits, memory, found)
    if count >= 0:
        return count
    first, second, A, B, n, gap = nearest_features(
        shapes, s1, s2, R, t, between, first, second, sizes
    )
    memory[0], memory[1], memory[2] = first, second, _CLOSEST
    if gap > wanted + coarseness(shapes, s1) + coarseness(shapes, s2):
        return 0
    features, nearest, rest = (first, second), (A, B, n, gap), (wanted, rounding, size)
    if of_ground:
        count = _beside_front(shapes, pair, R, t, features, nearest, rest, memory, found)
        if count >= 0:
            return count
    limits = FaceLimits(size, wanted, -INFINITE, triangle, _FLAT)
    count = _on_straight_face(shapes, pair, R, t, first, second, n, limits, memory, found)
    if count < 0 and not of_ground:
        count = _curved_beside(shapes, pair, R, t, features, nearest, rest, found)
    if count >= 0:
        return count
    if gap > wanted:
        return 0
    return points_at_features(shapes, R, t, features, nearest, rest, found)


@inlined_kernel
def _curved_beside(shapes, pair, R, t, features, nearest, limits, found):
    """Points where a curved surface touches an edge, a corner or another one; -1 if none does."""
    if not touch_by_surface(shapes, pair[0], pair[1]):
        return -1
    count = side_contact(shapes, pair, R, t, features, limits, found)
    if count < 0:
        count = round_contact(shapes, pair, R, t, features, nearest, limits, found)
    return count


@inlined_kernel
def _beside_front(shapes, pair, R, t, features, nearest, rest, memory, found):
    """Points at an edge or a corner of a triangle of the ground; -1 where the normal of the closest
    features is one of the ground's.
    """
    (first, _), (_, _, n, gap), (wanted, _, size) = features, nearest, rest
    triangle = pair[1]
    count = _curved_beside(shapes, pair, R, t, features, nearest, rest, found)
    if count >= 0:
        return count
    push = ground_push(shapes, shapes.edge_beyond, triangle, -transposed_times(R, n), gap)
    if push == NOT_HERE:
        return 0
    if push != ALONG_FRONT:
        return -1
    limits = FaceLimits(size, wanted, -INFINITE, triangle, INFINITE)
    count, deep = _on_front(shapes, pair, R, t, first, limits, memory, found), SHALLOW
    if count < 0:  # beside the triangle even what is hardly behind it may be in the open
        count, deep = _in_valley(shapes, triangle, R, t, first, found), _HARDLY
    return keep_those_behind(shapes, triangle, R, t, count, deep * size, found)


@inlined_kernel
def _on_straight_face(cores, pair, R, t, first, second, n, limits, memory, found):
    """Contact polygon on a face at one of two features that the normal n nearly follows; -1 where
    there is none. The straighter face first; of equal ones that of the first shape.
    """
    face1, straight1 = face_along(cores, first, n)
    face2, straight2 = face_along(cores, second, -transposed_times(R, n))
    if limits.triangle >= 0:  # its front was refused already
        straight2 = -1.0
    by_surface = touch_by_surface(cores, pair[0], pair[1])
    straight = _ROUGHLY_STRAIGHT if by_surface else _STRAIGHT
    for attempt in range(2):
        of_first = (straight1 >= straight2 - 1e-6) == (attempt == 0)
        if (straight1 if of_first else straight2) < straight:
            continue
        if of_first:
            mode, i, j = _FACE_OF_FIRST, coded(face1, FACE), second
        else:
            mode, i, j = _FACE_OF_SECOND, first, coded(face2, FACE)
        count = _on_face(cores, pair, R, t, i, j, mode, limits, memory, found)
        if count >= 0:
            return count
    return -1


@inner_kernel
def _on_front(cores, pair, R, t, first, limits, memory, found):
    """Contact polygon on the front of a triangle of the ground; -1 where it is refused."""
    i = coded(feature_vertex(cores, first), VERTEX)
    j = coded(cores.face_start[pair[1]], FACE)
    return _on_face(cores, pair, R, t, i, j, _FACE_OF_SECOND, limits, memory, found)


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
def _on_face(cores, pair, R, t, first, second, mode, limits, memory, found):
    """Contact points on the face that ``mode`` names, of a curved surface or of a polygon; -1 where
    it is refused.
    """
    of_first = mode == _FACE_OF_FIRST
    if of_first:
        f, other, Q, x = first // 3, second, R, t
        owner, s = pair
    else:
        Q = transposed(R)
        f, other, x = second // 3, first, -(Q @ t)
        s, owner = pair
    n = face_normal(cores, f)
    by_surface = touch_by_surface(cores, pair[0], pair[1])
    if by_surface and refuses_polygons(cores, owner, n):
        return -1
    w, swapped, count = feature_vertex(cores, other), 0 if of_first else 1, -1
    if by_surface and is_curved(cores, s):
        count = curved_on_face(cores, f, s, Q, x, swapped, limits, memory, found)
        if count < 0 and refuses_polygons(cores, s, transposed_times(Q, n)):
            return -1
    if count < 0:
        count, w, _ = face_contact(cores, f, w, Q, x, swapped, limits, memory, found)
    if count >= 0:
        memory[0] = coded(f, FACE) if of_first else coded(w, VERTEX)
        memory[1] = coded(w, VERTEX) if of_first else coded(f, FACE)
        memory[2] = mode
    return count
