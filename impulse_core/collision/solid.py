"""Whether what lies behind the front of a triangle of a ground is that triangle's to push out.

A triangle knows of no thickness. A plank that leans over the wall of a bin reaches the front of the
wall's outer side, and its end, which hangs in the bin, is far behind that front and in the open
nevertheless: the shortest way from there to that front leads into the ground first. And what rests
on top of the wall is behind both of its sides, but nearer to the top.
"""

from __future__ import annotations

from impulse_core.algebra import cross, dot, norm, transposed_times, vec3_at, vec3_of
from impulse_core.collision.contacts import PLANE_ELLIPSOID, PLANE_RIM
from impulse_core.collision.features import face_normal
from impulse_core.collision.triangles import cell_between
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel

__all__ = ["keep_those_behind"]

_BESIDE = 0.5  # of the depth that is kept anyway: how far beside triangles they still count
_NEARER = 0.5  # of the depth behind a triangle, nearer than which another one answers for a point


@deferred_kernel("int64")
def keep_those_behind(shapes, triangle, R, t, count, depth, found):
    """Of the points found of a shape on the front of a triangle keep those that are no deeper than
    ``depth`` [m] behind it, or in the ground with nothing of its surface much nearer; returns how
    many these are.

    R, t: pose of the frame of the ground in that of the shape.
    """
    f, kept = shapes.face_start[triangle], 0
    n = face_normal(shapes, f)
    for i in range(count):
        P = _place_of(found.point[i], n, R, t)
        behind = shapes.face_plane[f, 3] - dot(n, P)
        if behind <= depth or not _is_elsewhere(shapes, triangle, P, behind, depth):
            if kept != i:
                found.point[kept] = found.point[i]
            kept += 1
    return kept


@inlined_kernel
def _place_of(point, n, R, t):
    """Where a point of a shape is, frame of the ground: a lowest one is over its foot there."""
    if point.kind in (PLANE_RIM, PLANE_ELLIPSOID):
        return vec3_of(point.point1) + n * point.gap
    return transposed_times(R, vec3_of(point.point2) - t)


@inner_kernel
def _is_elsewhere(shapes, triangle, P, behind, depth):
    """Whether the way from P to a triangle leads into the ground at another one, or another one is
    much nearer than P is behind that.
    """
    ground, near = _ground_of(shapes, triangle), _NEARER * behind
    Q = _closest(shapes, triangle, P)
    way = Q - P
    x0, y0 = shapes.ground_origin[ground, 0], shapes.ground_origin[ground, 1]
    dx, dy = shapes.ground_origin[ground, 2], shapes.ground_origin[ground, 3]
    nx, ny = shapes.ground_cells[ground, 0], shapes.ground_cells[ground, 1]
    i0 = cell_between(min(P.x - near, Q.x), x0, dx, nx)
    i1 = cell_between(max(P.x + near, Q.x), x0, dx, nx)
    k0 = cell_between(min(P.y - near, Q.y), y0, dy, ny)
    k1 = cell_between(max(P.y + near, Q.y), y0, dy, ny)
    for k in range(k0, k1 + 1):
        for i in range(i0, i1 + 1):
            c = shapes.ground_cell_first[ground] + k * nx + i
            for at in range(shapes.cell_start[c], shapes.cell_start[c + 1]):
                other = shapes.cell_triangle[at]
                if other != triangle and (
                    _leads_in(shapes, other, P, way, _BESIDE * depth)
                    or norm(_closest(shapes, other, P) - P) < near
                ):
                    return True
    return False


@inner_kernel
def _ground_of(shapes, triangle):
    """The GROUND that has a triangle: of those that begin before it the last."""
    found, first = -1, -1
    for ground in range(shapes.sought):
        if first < shapes.ground_first[ground] <= triangle:
            found, first = ground, shapes.ground_first[ground]
    return found


@inner_kernel
def _leads_in(shapes, triangle, P, way, same):
    """Whether a way from P crosses a triangle from its front to its back, or no farther beside it
    than places are the same [m].
    """
    f, v = shapes.face_start[triangle], shapes.vertex_start[triangle]
    n = face_normal(shapes, f)
    above, down = dot(n, P) - shapes.face_plane[f, 3], -dot(n, way)
    if above <= same or down + same < above:
        return False
    X = P + way * (above / down)
    for k in range(3):
        a, b = vec3_at(shapes.vertex, v + k), vec3_at(shapes.vertex, v + (k + 1) % 3)
        if dot(cross(b - a, X - a), n) < -same * norm(b - a):
            return False
    return True


@inner_kernel
def _closest(shapes, triangle, P):
    """The point of a triangle that is closest to P."""
    f, v = shapes.face_start[triangle], shapes.vertex_start[triangle]
    n = face_normal(shapes, f)
    beside, found, least = False, P, 1e300
    for k in range(3):
        a, b = vec3_at(shapes.vertex, v + k), vec3_at(shapes.vertex, v + (k + 1) % 3)
        edge, to = b - a, P - a
        beside = beside or dot(cross(edge, to), n) < 0.0
        on = a + edge * min(max(dot(to, edge) / dot(edge, edge), 0.0), 1.0)
        distance = norm(on - P)
        if distance < least:
            found, least = on, distance
    return found if beside else P - n * (dot(n, P) - shapes.face_plane[f, 3])
