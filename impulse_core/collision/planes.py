"""What touches a plane: corners of cores, ellipsoids, and rims of cylinders and cones.

Rows have the plane as their first body. Heights over the plane are m·x + o for points x in the body
frame of the other shape, with the plane's normal m in that frame.
"""

from __future__ import annotations

import math

from impulse_core.algebra import (
    ZERO3,
    Vec3,
    cross,
    dot,
    norm,
    quat_at,
    rotate,
    rotate_back,
    vec3_at,
)
from impulse_core.collision.contacts import (
    MOST_CORNERS,
    PLANE_ELLIPSOID,
    PLANE_POINT,
    PLANE_RIM,
)
from impulse_core.collision.features import cores_of, face_normal, support
from impulse_core.collision.manifold import put_point, reduced, vertex_of
from impulse_core.collision.shapes import CONE, CYLINDER, ELLIPSOID
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["plane_contact"]

_FEW = 16  # vertices of a core up to which all of them are looked at
# Sine of the angle between a rim and the plane: below the first it has no lowest point of its own,
# below the second its other points can come down within a step.
_FLAT_RIM = 1e-3
_ALMOST_FLAT_RIM = 0.02


@inner_kernel
def plane_contact(shapes, plane, s, C1, q1, C2, q2, swapped, reach, cache, k, found):
    """Contact points between a plane and shape s, put into ``found``; returns their number.

    Args:
        C1, q1: pose of the row that carries the plane. C2, q2: of the one that carries s.
        swapped: 1 if the plane is the second shape of the pair.
        reach, cache, k: as for ``collide``.
    """
    n = rotate(quat_at(shapes.frame, plane), Vec3(0.0, 0.0, 1.0))
    world = rotate(q1, n)
    m = rotate_back(q2, world)
    between = C2 - C1
    offset = dot(world, between) - dot(n, vec3_at(shapes.center, plane))
    rounding = shapes.radius[plane] + shapes.radius[s]
    wanted = reach + rounding
    kind = shapes.kind[s]
    if kind == ELLIPSOID:
        count = _ellipsoid(shapes, s, m, offset, wanted, found)
    elif kind in (CYLINDER, CONE):
        count = _round(shapes, s, m, offset, wanted, found)
    else:
        count = _corners(shapes, s, m, offset, wanted, swapped == 0, cache, k, found)
    # Rows so far have the point of s, and its height as gap.
    for i in range(count):
        B = rotate_back(q1, between + rotate(q2, vec3_at(found.point2, i)))
        height = dot(world, between + rotate(q2, vec3_at(found.point2, i))) - dot(
            n, vec3_at(shapes.center, plane)
        )
        found.point1[i, 0] = B.x - n.x * height
        found.point1[i, 1] = B.y - n.y * height
        found.point1[i, 2] = B.z - n.z * height
        found.axis1[i, 0] = n.x
        found.axis1[i, 1] = n.y
        found.axis1[i, 2] = n.z
        found.swapped[i] = swapped
        found.gap[i] -= rounding
    return count


@inner_kernel
def _put(found, i, kind, name, point, axis, rim, height):
    put_point(found, i, kind, 0, name, ZERO3, point, ZERO3, axis, height)
    found.rim[i] = rim


# ---------------------------------------------------------------------------------------
# Corners
# ---------------------------------------------------------------------------------------


@inlined_kernel
def _corners(shapes, s, m, offset, wanted, second, cache, k, found):
    """Corners of core s within reach; of large cores those next to the lowest one."""
    start, end = shapes.vertex_start[s], shapes.vertex_start[s + 1]
    count = 0
    if end - start <= _FEW:
        for v in range(start, end):
            count = _add(shapes, v, m, offset, wanted, second, count, found)
    else:
        w = cache[k, 0] if cache[k, 0] >= 0 else start
        w, height = support(cores_of(shapes), w, -m)
        cache[k, 0] = w
        if offset - height > wanted:
            return 0
        count = _around(shapes, w, m, offset, wanted, second, found)
    polygon, source = found.polygon[0], found.polygon_source[0]
    count = reduced(polygon, source, count, m, shapes.reach[s], cache, k)
    for i in range(count):
        _put(
            found, i, PLANE_POINT, source[i, 0], vec3_at(polygon, i), ZERO3, 0.0, polygon[i, 3]
        )  # fmt: skip
    return count


@inlined_kernel
def _around(shapes, w, m, offset, wanted, second, found):
    """Candidates of a large core: its neighbours of vertex w, and its face that lies flattest."""
    count = _add(shapes, w, m, offset, wanted, second, 0, found)
    flattest = -1
    best = 2.0
    for i in range(shapes.vertex_edge_start[w], shapes.vertex_edge_start[w + 1]):
        e = shapes.vertex_edge[i]
        other = shapes.edge_vertex[e, 0] + shapes.edge_vertex[e, 1] - w
        count = _add(shapes, other, m, offset, wanted, second, count, found)
        for side in range(2):
            f = shapes.edge_face[e, side]
            if f >= 0 and dot(face_normal(shapes, f), m) < best:
                best = dot(face_normal(shapes, f), m)
                flattest = f
    if flattest < 0:
        return count
    near = count
    for i in range(shapes.face_corner_start[flattest], shapes.face_corner_start[flattest + 1]):
        v = shapes.face_vertex[i]
        name = vertex_of(v, second)
        known = False
        for c in range(near):
            known = known or found.polygon_source[0, c, 0] == name
        if not known:
            count = _add(shapes, v, m, offset, wanted, second, count, found)
    return count


@inner_kernel
def _add(shapes, v, m, offset, wanted, second, count, found):
    X = vec3_at(shapes.vertex, v)
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


@inlined_kernel
def _ellipsoid(shapes, s, m, offset, wanted, found):
    """An ellipsoid's lowest point is √(Σ (dᵢ mᵢ)²) below its centre, with half axes dᵢ."""
    center = vec3_at(shapes.center, s)
    along = rotate_back(quat_at(shapes.frame, s), m)
    half = vec3_at(shapes.extent, s)
    depth = norm(Vec3(half.x * along.x, half.y * along.y, half.z * along.z))
    height = dot(m, center) + offset - depth
    if height > wanted:
        return 0
    _put(found, 0, PLANE_ELLIPSOID, 0, center, ZERO3, 0.0, height)
    return 1


@inlined_kernel
def _round(shapes, s, m, offset, wanted, found):
    """Rims of a cylinder, or the rim and the apex of a cone."""
    q = quat_at(shapes.frame, s)
    a = rotate(q, Vec3(0.0, 0.0, 1.0))
    center, half = vec3_at(shapes.center, s), a * shapes.extent[s, 2]
    count = _rim(shapes, s, 0, q, a, center - half, m, offset, wanted, 0, found)
    if shapes.kind[s] == CYLINDER:
        return _rim(shapes, s, 1, q, a, center + half, m, offset, wanted, count, found)
    height = dot(m, center + half) + offset
    if height <= wanted:
        _put(found, count, PLANE_POINT, 1, center + half, ZERO3, 0.0, height)
        count += 1
    return count


@inner_kernel
def _rim(shapes, s, number, q, a, middle, m, offset, wanted, count, found):
    """A rim's lowest point, and four points fixed in it where it lies almost flat."""
    r = shapes.extent[s, 0]
    height = dot(m, middle) + offset
    sine = norm(cross(a, m))
    if height - r * sine > wanted:
        return count
    if sine > _FLAT_RIM:
        _put(found, count, PLANE_RIM, 8 * number, middle, a, r, height - r * sine)
        count += 1
    if sine < _ALMOST_FLAT_RIM:
        for i in range(4):
            x, y = r * math.cos(0.5 * math.pi * i), r * math.sin(0.5 * math.pi * i)
            X = middle + rotate(q, Vec3(x, y, 0.0))
            above = dot(m, X) + offset
            if above <= wanted:
                _put(found, count, PLANE_POINT, 8 * number + 4 + i, X, ZERO3, 0.0, above)
                count += 1
    return count
