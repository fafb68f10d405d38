"""Contacts with planes: corners of cores, ellipsoids, rims of cylinders and cones, tori.

Rows have the plane as their first body. Heights over the plane are m·x + o for points x in the body
frame of the other shape, with the plane's normal m in that frame.
"""

from __future__ import annotations

import numpy as np

from impulse_core.algebra import (
    ZERO3,
    Vec3,
    conjugate,
    cross,
    dot,
    norm,
    quat_at,
    rotate,
    rotate_back,
    set_vec3,
    vec3_at,
    vec3_of,
)
from impulse_core.collision.contacts import (
    MOST_CORNERS,
    MOST_POINTS,
    PLANE_ELLIPSOID,
    PLANE_POINT,
    PLANE_RIM,
)
from impulse_core.collision.features import face_normal, support
from impulse_core.collision.manifold import reduced, vertex_of
from impulse_core.collision.shapes import CONE, CYLINDER, ELLIPSOID, TORUS
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel

__all__ = ["plane_contact", "round_points"]

_FEW = 16  # vertices of a core up to which all of them are looked at
# Sine of the angle between a rim and the plane: below the first it has no lowest point of its own,
# below the second its fixed points are looked at by themselves.
_FLAT_RIM = 1e-3
_ALMOST_FLAT_RIM = 0.02


@deferred_kernel("int64")
def plane_contact(shapes, plane, s, pose1, pose2, swapped, wanted, memory, found):
    """Contact points between a plane and shape s, put into ``found``; returns their number.

    Args:
        pose1: centre and orientation of the row that carries the plane. pose2: of the one of s.
        swapped: 1 if the plane is the second shape of the pair.
        wanted: points higher over the plane are left out [m].
        memory: as for ``collide``.
    """
    (C1, q1), (C2, q2) = pose1, pose2
    plane_center = vec3_at(shapes.center, plane)
    n = rotate(quat_at(shapes.frame, plane), Vec3(0.0, 0.0, 1.0))
    m = rotate_back(q2, rotate(q1, n))
    from_plane = rotate_back(q1, C2 - C1) - plane_center
    offset = dot(n, from_plane)
    if shapes.kind[s] in (ELLIPSOID, CYLINDER, CONE, TORUS):
        count = round_points(shapes, s, m, offset, wanted, found)
    else:
        count = _corners(shapes, s, m, offset, wanted, swapped == 0, memory, found)
    turn = conjugate(q1) * q2
    for i in range(count):
        point = found.point[i]
        B = from_plane + rotate(turn, vec3_of(point.point2))
        set_vec3(point.point1, B - n * dot(n, B) + plane_center)
        set_vec3(point.axis1, n)
        point.swapped = swapped
    return count


@inner_kernel
def _put(found, i, kind, name, point, axis, rim, height):
    """The part of row i that is of the shape on the plane."""
    row = found.point[i]
    row.kind, row.feature = kind, name
    set_vec3(row.point2, point)
    set_vec3(row.axis2, axis)
    row.rim, row.gap = rim, height
    row.round1, row.round2 = 0.0, 0.0


# ---------------------------------------------------------------------------------------
# Corners
# ---------------------------------------------------------------------------------------


@inlined_kernel
def _corners(shapes, s, m, offset, wanted, second, memory, found):
    """Corners of core s within reach; of large cores those next to the lowest one."""
    w, end = shapes.vertex_start[s], shapes.vertex_start[s + 1]
    count = np.int64(0)  # a literal 0 would have ``reduced`` compiled once more for it
    if end - w <= _FEW:
        for v in range(w, end):
            count = _add(shapes, v, m, offset, wanted, second, count, found)
    else:
        if memory[0] >= 0:
            w = memory[0]
        w, depth = support(shapes, w, -m)
        memory[0] = w
        if offset - depth <= wanted:
            count = _around(shapes, w, m, offset, wanted, second, found)
    polygon, source = found.polygon[0], found.polygon_source[0]
    count = reduced(polygon, source, count, m, shapes.reach[s], memory)
    for i in range(count):
        X, height = vec3_at(polygon, i), polygon[i, 3]
        _put(found, i, PLANE_POINT, source[i, 0], X, ZERO3, 0.0, height)
    return count


@inlined_kernel
def _around(cores, w, m, offset, wanted, second, found):
    """Candidates of a large core: its neighbours of vertex w, and its face that lies flattest."""
    count = _add(cores, w, m, offset, wanted, second, 0, found)
    flattest = -1
    best = 2.0
    for i in range(cores.vertex_edge_start[w], cores.vertex_edge_start[w + 1]):
        e = cores.vertex_edge[i]
        other = cores.edge_vertex[e, 0] + cores.edge_vertex[e, 1] - w
        count = _add(cores, other, m, offset, wanted, second, count, found)
        for side in range(2):
            f = cores.edge_face[e, side]
            if f >= 0:
                along = dot(face_normal(cores, f), m)
                if along < best:
                    best, flattest = along, f
    if flattest < 0:
        return count
    near = count
    for i in range(cores.face_corner_start[flattest], cores.face_corner_start[flattest + 1]):
        v = cores.face_vertex[i]
        name = vertex_of(v, second)
        known = False
        for c in range(near):
            known = known or found.polygon_source[0, c, 0] == name
        if not known:
            count = _add(cores, v, m, offset, wanted, second, count, found)
    return count


@inner_kernel
def _add(cores, v, m, offset, wanted, second, count, found):
    X = vec3_at(cores.vertex, v)
    height = dot(m, X) + offset
    if height > wanted or count == MOST_CORNERS:
        return count
    polygon = found.polygon
    polygon[0, count, 0] = X.x
    polygon[0, count, 1] = X.y
    polygon[0, count, 2] = X.z
    polygon[0, count, 3] = height
    found.polygon_source[0, count, 0] = vertex_of(v, second)
    return count + 1


# ---------------------------------------------------------------------------------------
# Curved shapes
# ---------------------------------------------------------------------------------------


@inner_kernel
def round_points(shapes, s, m, offset, wanted, found):
    """Where the curved shape s is no higher than wanted over a plane: the part of the points found
    that is of the shape.
    """
    kind, center, frame = shapes.kind[s], vec3_at(shapes.center, s), quat_at(shapes.frame, s)
    extent = vec3_at(shapes.extent, s)
    if kind == ELLIPSOID:
        return _ellipsoid(center, frame, extent, m, offset, wanted, found)
    return _round(center, frame, extent, kind, m, offset, wanted, found)


@inlined_kernel
def _ellipsoid(center, frame, half, m, offset, wanted, found):
    """An ellipsoid's lowest point is √(Σ (dᵢ mᵢ)²) below its centre, with half axes dᵢ."""
    along = rotate_back(frame, m)
    depth = norm(Vec3(half.x * along.x, half.y * along.y, half.z * along.z))
    height = dot(m, center) + offset - depth
    if height > wanted:
        return 0
    _put(found, 0, PLANE_ELLIPSOID, 0, center, ZERO3, 0.0, height)
    return 1


@inlined_kernel
def _round(center, frame, extent, kind, m, offset, wanted, found):
    """Rims of a cylinder, the rim and the apex of a cone, or the circle of a torus.

    A rim has its lowest point, and four points fixed in it where it lies almost flat or all of it
    can come down within the step: its lowest point then changes sides.
    """
    r = extent.x
    a = rotate(frame, Vec3(0.0, 0.0, 1.0))
    x, y = rotate(frame, Vec3(r, 0.0, 0.0)), rotate(frame, Vec3(0.0, r, 0.0))
    sine = norm(cross(a, m))
    count = 0
    for number in range(1 if kind == TORUS else 2):
        middle = center + a * (extent.z if number == 1 else -extent.z)
        height = dot(m, middle) + offset
        if number == 1 and kind == CONE:
            if height <= wanted:
                _put(found, count, PLANE_POINT, 8, middle, ZERO3, 0.0, height)
                count += 1
            continue
        lowest = height - r * sine
        if lowest > wanted:
            continue
        if sine > _FLAT_RIM:
            _put(found, count, PLANE_RIM, 8 * number, middle, a, r, lowest)
            count += 1
        if sine < _ALMOST_FLAT_RIM or height + r * sine <= wanted:
            for i in range(4):
                X = middle + (x if i % 2 == 0 else y) * (1.0 if i < 2 else -1.0)
                height = dot(m, X) + offset
                if height <= wanted and count < MOST_POINTS:
                    _put(found, count, PLANE_POINT, 8 * number + 4 + i, X, ZERO3, 0.0, height)
                    count += 1
    return count
