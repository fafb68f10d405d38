"""Curved shapes at faces and edges of others: where they touch follows from the surfaces.

The cores of cylinders, cones and ellipsoids are inscribed polyhedra, the rings of tori polygons.
They tell what is near. On a face a curved shape touches as on a plane, wherever its lowest point
lies over the face: then nothing beside that can be nearer. The side of a cylinder is its axis with
a rounding of its radius, wherever the point of the axis that is nearest lies between its ends.
"""

from __future__ import annotations

from impulse_core.algebra import (
    Vec3,
    cross,
    dot,
    norm,
    quat_at,
    rotate,
    set_vec3,
    transposed_times,
    unit,
    vec3_at,
    vec3_of,
)
from impulse_core.collision.contacts import PLANE_ELLIPSOID, PLANE_RIM
from impulse_core.collision.edges import SIDE_BY_SIDE, points_at_features, side_by_side
from impulse_core.collision.features import (
    EDGE,
    VERTEX,
    closest_of_segments,
    coded,
    direction,
    edge_at,
    edges_at,
    face_normal,
    feature_vertex,
    reaches_beyond,
    side_normal,
)
from impulse_core.collision.geometry import lowest_of_ellipsoid, lowest_of_rim
from impulse_core.collision.manifold import FLUSH, FaceLimits, face_contact
from impulse_core.collision.penetration import NEAR
from impulse_core.collision.planes import round_points
from impulse_core.collision.ring import DEVIATION
from impulse_core.collision.shapes import CONE, CYLINDER, ELLIPSOID, TRIANGLE
from impulse_core.collision.triangles import ALONG_NORMAL, ground_push
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = [
    "REFUSED",
    "axis_of",
    "coarseness",
    "curved_on_face",
    "is_curved",
    "refuses_polygons",
    "side_contact",
    "surface_of",
    "touch_by_surface",
]

REFUSED = -1  # in place of a number of points: something else may be nearer
_LIES = 0.01  # sine of the angle to a face up to which the side of a cylinder lies on it
_BETWEEN = 1e-7  # part of the smaller shape: how far from both ends of an axis is between them
_OF_CYLINDER = 0.005  # of the radius: how far an inscribed prism is inside, at most
_OF_ELLIPSOID = 0.02  # of the longest half axis, the same


@inlined_kernel
def is_curved(shapes, s):
    """Whether the core of shape s only stands for a curved one."""
    return shapes.kind[s] in (ELLIPSOID, CYLINDER, CONE) or shapes.torus[s] >= 0


@inner_kernel
def touch_by_surface(shapes, s1, s2):
    """Whether a pair with a curved shape touches by its surface. What is a polyhedron somewhere
    would overlap on its way from there: two curved shapes, but a cylinder and another or a torus,
    and cones at the ridges of a ground.
    """
    curved1, curved2 = is_curved(shapes, s1), is_curved(shapes, s2)
    if curved1 and curved2:
        round1, round2 = shapes.axis_edge[s1] >= 0, shapes.axis_edge[s2] >= 0
        other = s2 if round1 else s1
        return (round1 and round2) or ((round1 or round2) and shapes.torus[other] >= 0)
    cone = shapes.kind[s1] == CONE
    return (curved1 or curved2) and not (cone and shapes.kind[s2] == TRIANGLE)


@inlined_kernel
def coarseness(shapes, s):
    """How far the surface of a shape may be outside its core and rounding [m]."""
    kind, half = shapes.kind[s], vec3_at(shapes.extent, s)
    if kind in (CYLINDER, CONE):
        return _OF_CYLINDER * half.x
    if kind == ELLIPSOID:
        return _OF_ELLIPSOID * max(half.x, half.y, half.z)
    return DEVIATION * shapes.radius[s] if shapes.torus[s] >= 0 else 0.0


@inner_kernel
def refuses_polygons(shapes, s, n):
    """Whether a face with the normal n, frame of shape s, touches s where its core is curved, and
    not at a cap that lies flat on it: a polygon of such a core tells nothing then.
    """
    kind = shapes.kind[s]
    if kind == ELLIPSOID:
        return True
    if kind != CYLINDER and shapes.torus[s] < 0:
        return False
    return norm(cross(axis_of(shapes, surface_of(shapes, s)), n)) > SIDE_BY_SIDE


@inlined_kernel
def surface_of(shapes, s):
    """The shape that says how s is curved: the torus of a capsule of its ring, else itself."""
    return shapes.torus[s] if shapes.torus[s] >= 0 else s


@inlined_kernel
def axis_of(shapes, s):
    """Unit vector along the axis of a cylinder, cone or torus, body frame."""
    return rotate(quat_at(shapes.frame, s), Vec3(0.0, 0.0, 1.0))


# ---------------------------------------------------------------------------------------
# Faces
# ---------------------------------------------------------------------------------------


@inner_kernel
def curved_on_face(shapes, f, s, R, t, swapped, limits, memory, found):
    """Contact points of the curved shape s on face f of another; REFUSED where the nearest points
    may lie beside it. Arguments as for ``face_contact``, the frame of s for that of b.
    """
    count = _lowest_on_face(shapes, f, s, R, t, swapped, limits, found)
    if count >= 0 or shapes.axis_edge[s] < 0:
        return count
    n = face_normal(shapes, f)
    if abs(dot(R @ axis_of(shapes, s), n)) > _LIES:
        return REFUSED
    r = shapes.extent[s, 0]
    of_axis = FaceLimits(
        limits.size, limits.wanted + r, limits.deepest + r, limits.triangle, limits.slope
    )
    w = shapes.edge_vertex[shapes.axis_edge[s], 0]
    count, _, _ = face_contact(shapes, f, w, R, t, swapped, of_axis, memory, found)
    for i in range(max(count, 0)):
        found.point[i].round2 = r
        found.point[i].gap -= r
    return count


@inner_kernel
def _lowest_on_face(shapes, f, s, R, t, swapped, limits, found):
    """The lowest points of s over the plane of face f, if they are over the face."""
    n = face_normal(shapes, f)
    m = transposed_times(R, n)
    place = surface_of(shapes, s)
    offset = dot(n, t) - shapes.face_plane[f, 3]
    count = round_points(shapes, place, m, offset, limits.wanted, found)
    kept, over = 0, 0
    for i in range(count):
        point = found.point[i]
        if point.gap < limits.deepest:
            return REFUSED
        lowest = _lowest_point(shapes, place, point, m)
        X = R @ lowest + t
        if not _is_over(shapes, f, X, FLUSH * limits.size):
            if limits.triangle < 0:
                return REFUSED
            continue
        over += 1
        if place != s and not _is_of_capsule(shapes, place, s, lowest):
            continue
        if kept < i:
            found.point[kept] = point
        row = found.point[kept]
        set_vec3(row.point1, X - n * row.gap)
        set_vec3(row.axis1, n)
        row.swapped = swapped
        kept += 1
    return REFUSED if count > 0 and over == 0 else kept


@inlined_kernel
def _lowest_point(shapes, s, point, m):
    """Where a found point of s is that runs along the surface, body frame; m: as the plane's
    normal.
    """
    P = vec3_of(point.point2)
    if point.kind == PLANE_RIM:
        return P + lowest_of_rim(vec3_of(point.axis2), m) * point.rim
    if point.kind == PLANE_ELLIPSOID:
        return P + lowest_of_ellipsoid(quat_at(shapes.frame, s), vec3_at(shapes.extent, s), m)
    return P


@inlined_kernel
def _is_over(shapes, f, X, flush):
    """Whether X is in the prism over face f, or no farther outside than flush [m]."""
    for k in range(shapes.face_corner_start[f], shapes.face_corner_start[f + 1]):
        e = shapes.face_edge[k]
        m = side_normal(shapes, e, f)
        out = dot(X - vec3_at(shapes.vertex, shapes.edge_vertex[e, 0]), m)
        if out > flush * norm(m):
            return False
    return True


@inlined_kernel
def _is_of_capsule(shapes, torus, s, X):
    """Whether X on the circle of a torus is nearest to its capsule s, body frame."""
    C, a = vec3_at(shapes.center, torus), axis_of(shapes, torus)
    e = shapes.edge_start[s]
    tail = vec3_at(shapes.vertex, shapes.edge_vertex[e, 0]) - C
    head = vec3_at(shapes.vertex, shapes.edge_vertex[e, 1]) - C
    way = 1.0 if dot(cross(tail, head), a) > 0.0 else -1.0
    p = X - C
    return way * dot(cross(tail, p), a) >= 0.0 and way * dot(cross(p, head), a) >= 0.0


# ---------------------------------------------------------------------------------------
# The side of a cylinder
# ---------------------------------------------------------------------------------------


@inner_kernel
def side_contact(shapes, pair, R, t, features, limits, found):
    """Contact points along the side of a cylinder, or the sides of two, near these features of both
    cores; REFUSED where neither is one, or something else is nearer, as its ends are.

    Arguments as for ``points_at_features``.
    """
    (s1, s2), (wanted, rounding, size) = pair, limits
    e1, e2 = shapes.axis_edge[s1], shapes.axis_edge[s2]
    if e1 < 0 and e2 < 0:
        return REFUSED
    r1 = shapes.extent[s1, 0] if e1 >= 0 else 0.0
    r2 = shapes.extent[s2, 0] if e2 >= 0 else 0.0
    if e1 >= 0 and e2 >= 0:
        first, second = coded(e1, EDGE), coded(e2, EDGE)
    elif e1 >= 0:
        first = coded(e1, EDGE)
        second = _nearest_to_axis(shapes, e1, features[1], R, t, True)
    else:
        second = coded(e2, EDGE)
        first = _nearest_to_axis(shapes, e2, features[0], R, t, False)
    A, B = _nearest_points(shapes, first, second, R, t)
    between = B - A
    distance = norm(between)
    if distance < NEAR * size:
        return REFUSED
    n, along = between * (1.0 / distance), _are_parallel(shapes, first, second, R)
    if not _is_lowest(shapes, first, e1, n, A, along, size):
        return REFUSED
    m = -transposed_times(R, n)
    if not _is_lowest(shapes, second, e2, m, transposed_times(R, B - t), along, size):
        return REFUSED
    r = r1 + r2
    if distance - r > wanted:
        return 0
    if shapes.kind[s2] == TRIANGLE:
        push = ground_push(shapes, shapes.edge_beyond, s2, m, distance - r - rounding)
        if push != ALONG_NORMAL:
            return 0
    if along:
        count = side_by_side(shapes, R, t, first, second, wanted + r, found)
        if count == 0:
            return REFUSED
    else:
        nearest, of_axes = (A, B, n, distance), (wanted + r, rounding + r, size)
        count = points_at_features(shapes, R, t, (first, second), nearest, of_axes, found)
    for i in range(count):
        row = found.point[i]
        row.round1, row.round2 = (r2, r1) if row.swapped else (r1, r2)
        row.gap -= r
    return count


@inner_kernel
def _nearest_to_axis(shapes, axis, feature, R, t, of_first):
    """Which edge at a feature of the other shape, or the vertex of one without edges, is nearest to
    the axis of a cylinder: that of the first shape, or of the second.
    """
    best, nearest = -1.0, feature
    start, end = edges_at(shapes, feature)
    for i in range(start, end):
        e = edge_at(shapes, feature, i)
        first, second = coded(axis, EDGE), coded(e, EDGE)
        if not of_first:
            first, second = second, first
        A, B = _nearest_points(shapes, first, second, R, t)
        distance = norm(B - A)
        if best < 0.0 or distance < best:
            best, nearest = distance, coded(e, EDGE)
    return nearest


@inner_kernel
def _nearest_points(shapes, first, second, R, t):
    """Of two edges or vertices, frame of the first shape [m]."""
    P, a = _segment(shapes, first)
    Q, b = _segment(shapes, second)
    Q, b = R @ Q + t, R @ b
    s, u = closest_of_segments(P, a, Q, b)
    return P + a * s, Q + b * u


@inlined_kernel
def _segment(shapes, feature):
    """Where an edge begins and where it leads, or a vertex, body frame."""
    P = vec3_at(shapes.vertex, feature_vertex(shapes, feature))
    if feature % 3 == VERTEX:
        return P, P - P
    return P, direction(shapes, feature // 3)


@inner_kernel
def _are_parallel(shapes, first, second, R):
    """Whether two features are edges that touch along their length."""
    if first % 3 != EDGE or second % 3 != EDGE:
        return False
    a, b = direction(shapes, first // 3), R @ direction(shapes, second // 3)
    return norm(cross(a, b)) <= SIDE_BY_SIDE * norm(a) * norm(b)


@inner_kernel
def _is_lowest(shapes, feature, axis, n, X, along, size):
    """Whether no part of a shape is farther along n than its point X, or its side at X of a
    cylinder with an axis: between its ends, or ``along`` its length where n is nearly across it.
    """
    if axis >= 0:
        a = unit(direction(shapes, axis))
        way = dot(X - vec3_at(shapes.vertex, shapes.edge_vertex[axis, 0]), a)
        to_end = min(way, norm(direction(shapes, axis)) - way)
        return to_end > _BETWEEN * size or (along and abs(dot(a, n)) <= SIDE_BY_SIDE)
    return not reaches_beyond(shapes, feature_vertex(shapes, feature), n, dot(X, n), size)
