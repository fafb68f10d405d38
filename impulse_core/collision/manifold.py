"""The contact polygon of a face and what touches it, reduced to a few points.

The feature of the other core that faces the reference face most directly, its incident face, edge
or vertex, is cut to the prism over the reference face. Corners of the polygon that remain within
reach are contact points. They are known by the features they come from: a vertex of either
core, or an edge of one crossing an edge of the other, whichever face was the reference.

Sources: I. E. Sutherland, G. W. Hodgman, "Reentrant Polygon Clipping", Comm. ACM 17(1), 1974;
BFS05 section 4, contact regions.
"""

from __future__ import annotations

from typing import NamedTuple

from impulse_core.algebra import (
    ZERO3,
    cross,
    dot,
    norm,
    set_vec3,
    transposed_times,
    unit,
    vec3_at,
)
from impulse_core.collision.contacts import EDGE_EDGE, MOST_CORNERS, MOST_POINTS, PLANE_POINT
from impulse_core.collision.features import (
    direction,
    face_normal,
    is_farthest,
    side_normal,
    support,
)
from impulse_core.collision.geometry import line_points
from impulse_core.collision.triangles import ALONG_NORMAL, ground_push
from impulse_core.jit import inlined_kernel, inner_kernel, kernel

__all__ = [
    "CROSSING",
    "FLUSH",
    "MANY",
    "FaceLimits",
    "edge_crossing",
    "face_contact",
    "put_point",
    "reduced",
    "vertex_of",
]

EDGES_CROSS = 2  # names of points by their last two bits: vertex of the first, of the second, this
MANY = 4  # points that a contact polygon is reduced to
CROSSING = 0.05  # sine above which edges that cross have a normal of their own

# Corners may lie this part of the smaller shape outside the reference face before they are cut:
# flush faces of equal boxes keep their corners however the round-off falls.
FLUSH = 1e-5
_LEVEL = 1e-6  # part of the smaller shape that the core may be lower beside the face than over it
_SURE = 1e-5  # part of the smaller shape to which the gap over a face must be the distance
_DEEPER = 1e-6  # part of the smaller shape by which a left-out point must be deeper to be taken
_TILTED = 2e-4  # part of the smaller shape by which faces must be off parallel to keep all points
_AS_LARGE = 0.9  # part of the best area at which the points of the step before are kept


class FaceLimits(NamedTuple):
    """What a face is asked for."""

    size: float
    """Radius of a ball around the smaller shape [m]."""
    wanted: float
    """Points with a higher gap of the cores are left out [m]."""
    deepest: float
    """The face is refused if the other core reaches further below it [m]."""
    triangle: int
    """The triangle of the ground among the cores, whose edges may be none of its; else -1."""
    slope: float
    """It is refused if the other core's lowest vertex lies outside the prism and the lowest point
    inside is not the nearest one, or the direction there is off the normal by more than this
    [rad]."""


@inner_kernel
def face_contact(cores, f, w, R, t, swapped, limits, memory, found):
    """Contact points between face f of a core a and another core b, put into ``found``.

    Args:
        w: vertex of b near the lowest over the face.
        R, t: pose of b's frame in a's.
        swapped: 1 if a is the second shape of the pair.
        limits: FaceLimits.
        memory: of the pair, of which number 3 tells the points of the step before.

    Returns:
        Number of points, or -1 where the face is refused; the lowest vertex of b; its gap [m].
    """
    n = face_normal(cores, f)
    m = transposed_times(R, n)
    offset = dot(n, t) - cores.face_plane[f, 3]
    w, lowest = support(cores, w, -m)
    lowest = offset - lowest
    if lowest > limits.wanted:
        return 0, w, lowest
    if lowest < limits.deepest:
        return -1, w, lowest
    buffer, corners, incident = _incident_polygon(cores, w, m, R, t, found)
    buffer, corners = _clipped(cores, f, buffer, corners, FLUSH * limits.size, swapped, found)
    if corners == 0:
        return -1, w, lowest
    polygon, source = found.polygon[buffer], found.polygon_source[buffer]
    at, least = _put_heights(cores, f, n, polygon, corners, lowest)
    if least - lowest > _LEVEL * limits.size:
        # The lowest vertex is not over the face: is the lowest point over it the nearest one?
        c = _axis_at(cores, source[at, 0], swapped, incident, R, n)
        if not _is_nearest(cores, f, w, R, t, n, c, least, limits):
            return -1, w, lowest
    crosses = _highest(polygon, corners) - least > _TILTED * limits.size
    kept = _within_reach(polygon, source, corners, limits.wanted)
    kept = reduced(polygon, source, kept, n, limits.size, memory)
    for i in range(kept):
        x = vec3_at(polygon, i)
        name, height = source[i, 0], polygon[i, 3]
        if not crosses or not _put_crossing(cores, i, x, n, R, t, swapped, name, limits, found):
            what = (PLANE_POINT, swapped, name)
            put_point(found, i, what, x - n * height, transposed_times(R, x - t), n, ZERO3, height)
    return kept, w, lowest


@inner_kernel
def _put_crossing(cores, i, x, n, R, t, swapped, name, limits, found):
    """Write row i of the points found for one where edges of faces that are not parallel cross: as
    the bodies move it runs along both, and where their distance is taken turns with either.

    False where no edges press on each other: it is a vertex, they lie side by side, or their common
    normal does not lead out of both, from a point of one to a point of the other. Of the edges of
    a ground only ridges press, along its normals there.
    """
    if name & 3 != EDGES_CROSS:
        return False
    e, g = name >> 33, (name >> 2) & 2147483647
    if swapped:
        e, g = g, e
    a, b = unit(direction(cores, e)), unit(direction(cores, g))
    c = cross(a, R @ b)
    sine = norm(c)
    if sine <= CROSSING:
        return False
    sign = 1.0 if dot(c, n) > 0.0 else -1.0
    c = c * (sign / sine)
    if not (is_farthest(cores, e, c) and is_farthest(cores, g, -transposed_times(R, c))):
        return False
    P = vec3_at(cores.vertex, cores.edge_vertex[e, 0])
    Q = vec3_at(cores.vertex, cores.edge_vertex[g, 0])
    A, B = line_points(P, a, x, R @ b)
    on_second = dot(b, transposed_times(R, B - t) - Q)
    if not (_is_on(cores, e, dot(a, A - P)) and _is_on(cores, g, on_second)):
        return False
    if limits.triangle >= 0:
        u = c if swapped else -transposed_times(R, c)
        push = ground_push(cores, cores.edge_beyond, limits.triangle, u, dot(c, x - P))
        if push != ALONG_NORMAL:
            return False
    A = P + a * dot(a, x - P)
    X = transposed_times(R, x - t)
    put_point(found, i, (EDGE_EDGE, swapped, name), A, X, a, b * sign, dot(c, x - P))
    return True


@inner_kernel
def _is_on(cores, e, s):
    """Whether a point of the line of edge e, so far from its tail, belongs to the edge."""
    return s >= 0.0 and s * s <= dot(direction(cores, e), direction(cores, e))


@inner_kernel
def _highest(polygon, count):
    """The largest of the first heights in column 3."""
    most = polygon[0, 3]
    for i in range(1, count):
        most = max(most, polygon[i, 3])
    return most


@inlined_kernel
def _put_heights(cores, f, n, polygon, corners, lowest):
    """Put the heights of the corners over face f into column 3; the lowest corner and its height.

    ``lowest``: the height of the other core's lowest vertex [m].
    """
    least = lowest + 1e300
    at = 0
    for i in range(corners):
        height = dot(n, vec3_at(polygon, i)) - cores.face_plane[f, 3]
        polygon[i, 3] = height
        if height < least:
            least = height
            at = i
    return at, least


@inlined_kernel
def _is_nearest(cores, f, w, R, t, n, c, least, limits):
    """Whether a point at height ``least`` over face f, where a plane with the unit normal c touches
    both cores, is the nearest one, and c near enough to the face's normal n.
    """
    _, most = support(cores, cores.face_vertex[cores.face_corner_start[f]], c)
    _, below = support(cores, w, -transposed_times(R, c))
    along = dot(c, n)
    if along < 1.0 - 0.5 * limits.slope * limits.slope:
        return False
    return not (least * along - (dot(c, t) - below - most) > _SURE * limits.size)


@inlined_kernel
def _within_reach(polygon, source, corners, wanted):
    """Move the corners no higher than wanted to the front; returns how many these are."""
    kept = 0
    for i in range(corners):
        if polygon[i, 3] <= wanted:
            if kept < i:
                _move_corner(polygon, source, i, kept)
            kept += 1
    return kept


@inner_kernel
def _move_corner(polygon, source, i, to):
    """Let row ``to`` be what row i is: its place, height and name."""
    for c in range(4):
        polygon[to, c] = polygon[i, c]
    source[to, 0] = source[i, 0]


@inner_kernel
def _axis_at(cores, name, swapped, incident, R, n):
    """Unit normal, like n, of the plane that touches both cores where a corner of the polygon is.

    It contains both edges that cross there; at a corner of the reference face it is the incident
    face's.
    """
    if name & 3 == EDGES_CROSS:
        e, g = name >> 33, (name >> 2) & 2147483647
        if swapped:
            e, g = g, e
        c = cross(direction(cores, e), R @ direction(cores, g))
        size = norm(c)
        along = dot(c, n)
        if abs(along) > 0.5 * size:
            return c * ((1.0 if along > 0.0 else -1.0) / size)
    if incident >= 0:
        return -(R @ face_normal(cores, incident))
    return n


@inner_kernel
def put_point(found, i, what, point1, point2, axis1, axis2, gap):
    """Write row i of the points found; ``what``: its kind, whether it is swapped, its name."""
    row = found.point[i]
    row.kind, row.swapped, row.feature = what
    set_vec3(row.point1, point1)
    set_vec3(row.point2, point2)
    set_vec3(row.axis1, axis1)
    set_vec3(row.axis2, axis2)
    row.rim, row.gap = 0.0, gap
    row.round1, row.round2 = 0.0, 0.0


# ---------------------------------------------------------------------------------------
# Names of points
# ---------------------------------------------------------------------------------------


@kernel
def vertex_of(v, second):
    """Name of a point that is vertex v of the pair's first shape, or of the second one."""
    return 4 * v + (1 if second else 0)


@kernel
def edge_crossing(e, g, swapped):
    """Name of a point where edges meet: e of the pair's first shape and g; reversed if swapped."""
    if swapped:
        e, g = g, e
    return 4 * (e * 2147483648 + g) + EDGES_CROSS


# ---------------------------------------------------------------------------------------
# The polygon
# ---------------------------------------------------------------------------------------


@inlined_kernel
def _incident_polygon(cores, w, m, R, t, found):
    """Put what faces the normal m (frame of b) at vertex w of b into a buffer, in the frame of a.

    Each corner has its name and the edge of b that leads to the next one. A segment has its two
    corners, a point one. Returns the buffer, the number of corners and the face or -1.
    """
    polygon, source = found.polygon[0], found.polygon_source[0]
    face, edge = -1, -1
    best = 2.0
    for i in range(cores.vertex_edge_start[w], cores.vertex_edge_start[w + 1]):
        edge = cores.vertex_edge[i]
        for side in range(2):
            g = cores.edge_face[edge, side]
            if g >= 0:
                against = dot(m, face_normal(cores, g))
                if against < best:
                    best = against
                    face = g
    if face < 0:
        count = 1 if edge < 0 else 2
        for i in range(count):
            v = w if edge < 0 else cores.edge_vertex[edge, i]
            _put_corner(polygon, source, i, R @ vec3_at(cores.vertex, v) + t, v, edge)
        return 0, count, face
    start, end = cores.face_corner_start[face], cores.face_corner_start[face + 1]
    # Every stride-th corner: the clipped polygon must fit its buffer.
    stride = 1 + (end - start) // (MOST_CORNERS // 2)
    count = 0
    for i in range(start, end, stride):
        v = cores.face_vertex[i]
        X = R @ vec3_at(cores.vertex, v) + t
        _put_corner(polygon, source, count, X, v, cores.face_edge[i])
        count += 1
    return 0, count, face


@inner_kernel
def _put_corner(polygon, source, i, X, v, edge):
    polygon[i, 0] = X.x
    polygon[i, 1] = X.y
    polygon[i, 2] = X.z
    source[i, 0] = v
    source[i, 1] = edge


@inlined_kernel
def _clipped(cores, f, buffer, corners, flush, swapped, found):
    """Cut the polygon in a buffer to the prism over face f. Returns buffer and number of corners.

    Edges of the polygon are coded as e for an edge of the incident face and -1-e for a side of f.
    Corners get their names.
    """
    source = found.polygon_source[buffer]
    for i in range(corners):
        source[i, 0] = vertex_of(source[i, 0], swapped == 0)
    for s in range(cores.face_corner_start[f], cores.face_corner_start[f + 1]):
        e = cores.face_edge[s]
        P = vec3_at(cores.vertex, cores.edge_vertex[e, 0])
        m = side_normal(cores, e, f)
        edge_of_prism = flush * norm(m)
        polygon = found.polygon[buffer]
        outside = 0
        for i in range(corners):
            out = dot(vec3_at(polygon, i) - P, m) - edge_of_prism
            polygon[i, 3] = out
            if out > 0.0:
                outside += 1
        if outside == 0:
            continue
        if outside == corners:
            return buffer, 0
        corners = _cut(cores, e, buffer, corners, swapped, found)
        buffer = 1 - buffer
    return buffer, corners


@inlined_kernel
def _cut(cores, side, buffer, corners, swapped, found):
    """One side of the prism: from a buffer with signed distances in column 3 to the other one."""
    polygon, source = found.polygon[buffer], found.polygon_source[buffer]
    new_polygon, new_source = found.polygon[1 - buffer], found.polygon_source[1 - buffer]
    count = 0
    for i in range(corners):
        if corners == 2 and i == 1:
            j = -1  # a segment does not close
        else:
            j = i + 1 if i + 1 < corners else 0
        out = polygon[i, 3]
        X = vec3_at(polygon, i)
        if out <= 0.0 and count < MOST_CORNERS:
            _put_corner(new_polygon, new_source, count, X, source[i, 0], source[i, 1])
            count += 1
        if j < 0:
            continue
        next_out = polygon[j, 3]
        if (out <= 0.0) != (next_out <= 0.0) and count < MOST_CORNERS:
            Y = X + (vec3_at(polygon, j) - X) * (out / (out - next_out))
            edge = source[i, 1]
            if edge >= 0:
                name = edge_crossing(side, edge, swapped)
            else:
                name = vertex_of(_common_vertex(cores, side, -1 - edge), swapped == 1)
            leads_on = -1 - side if out <= 0.0 and corners > 2 else edge
            _put_corner(new_polygon, new_source, count, Y, name, leads_on)
            count += 1
    return count


@inner_kernel
def _common_vertex(cores, e, g):
    """Vertex where two sides of a face meet; of sides that do not, a vertex of the first."""
    tail, head = cores.edge_vertex[e, 0], cores.edge_vertex[e, 1]
    if tail == cores.edge_vertex[g, 0] or tail == cores.edge_vertex[g, 1]:
        return tail
    return head


# ---------------------------------------------------------------------------------------
# Few of many points
# ---------------------------------------------------------------------------------------


@inner_kernel
def reduced(polygon, source, count, n, size, memory):
    """Move the points to keep to the front of the list; returns how many these are.

    Points: position and gap in the columns of ``polygon``, name in column 0 of ``source``. Of more
    than MANY those are kept that span the largest area: the two ends of a diagonal and the farthest
    point on either side of it. The choice is remembered as number 3 of ``memory`` and kept while it
    spans nearly as much, so that it does not flicker between points that serve equally well.
    A point that is clearly deeper than the others takes the place of the one next to it.
    """
    if count <= MANY or (count <= MOST_POINTS and _is_tilted(polygon, count, size, memory[3])):
        memory[3] = -1
        return count
    i0, i1, i2, i3 = _spanning(polygon, count, n)
    j0, j1, j2, j3 = _remembered(source, count, memory[3])
    if j0 >= 0:
        area = _area(polygon, i0, i1, i2, i3)
        if _area(polygon, j0, j1, j2, j3) >= _AS_LARGE * area:
            i0, i1, i2, i3 = j0, j1, j2, j3
    memory[3] = _fingerprint(source[i0, 0], source[i1, 0], source[i2, 0], source[i3, 0])
    deepest = 0
    for i in range(count):
        if polygon[i, 3] < polygon[deepest, 3]:
            deepest = i
    level = min(polygon[i0, 3], polygon[i1, 3], polygon[i2, 3], polygon[i3, 3])
    if polygon[deepest, 3] < level - _DEEPER * size:
        X = vec3_at(polygon, deepest)
        d0, d1 = norm(vec3_at(polygon, i0) - X), norm(vec3_at(polygon, i1) - X)
        d2, d3 = norm(vec3_at(polygon, i2) - X), norm(vec3_at(polygon, i3) - X)
        least = min(d0, d1, d2, d3)
        if d0 == least:
            i0 = deepest
        elif d1 == least:
            i1 = deepest
        elif d2 == least:
            i2 = deepest
        else:
            i3 = deepest
    # To the front, in ascending order so that none is overwritten before it moved.
    kept = 0
    for i in range(count):
        if i in (i0, i1, i2, i3):
            _move_corner(polygon, source, i, kept)
            kept += 1
    return kept


@inner_kernel
def _is_tilted(polygon, count, size, fingerprint):
    """Whether the gaps differ so much that points outside those kept would soon be pressed in.

    It takes half of that where all points were kept before, so that they do not come and go.
    """
    lowest, highest = polygon[0, 3], polygon[0, 3]
    for i in range(1, count):
        lowest, highest = min(lowest, polygon[i, 3]), max(highest, polygon[i, 3])
    return highest - lowest > _TILTED * size * (0.5 if fingerprint < 0 else 1.0)


@inner_kernel
def _spanning(polygon, count, n):
    """Ends of a long diagonal, and the farthest points to its left and right across n."""
    mean = ZERO3
    for i in range(count):
        mean = mean + vec3_at(polygon, i)
    i0 = _farthest(polygon, count, mean * (1.0 / count))
    P = vec3_at(polygon, i0)
    i1 = _farthest(polygon, count, P)
    across = cross(n, vec3_at(polygon, i1) - P)
    i2, i3 = i0, i0
    most, least = 0.0, 0.0
    for i in range(count):
        out = dot(vec3_at(polygon, i) - P, across)
        if out > most:
            most = out
            i2 = i
        elif out < least:
            least = out
            i3 = i
    return i0, i1, i2, i3


@inner_kernel
def _farthest(polygon, count, X):
    most = -1.0
    found = 0
    for i in range(count):
        d = vec3_at(polygon, i) - X
        distance = dot(d, d)
        if distance > most:
            most = distance
            found = i
    return found


@inner_kernel
def _area(polygon, i0, i1, i2, i3):
    """Twice the area of the quadrilateral with the diagonal i0, i1."""
    P = vec3_at(polygon, i0)
    d = vec3_at(polygon, i1) - P
    return norm(cross(d, vec3_at(polygon, i2) - P)) + norm(cross(d, vec3_at(polygon, i3) - P))


@kernel
def _hashed(name):
    """15 bits of a name."""
    return ((name * 2654435761) >> 16) & 32767


@kernel
def _fingerprint(a, b, c, d):
    return (_hashed(a) << 45) | (_hashed(b) << 30) | (_hashed(c) << 15) | _hashed(d)


@inner_kernel
def _remembered(source, count, fingerprint):
    """Where the four points of a fingerprint are in the list; -1 first if one is missing."""
    if fingerprint < 0:
        return -1, -1, -1, -1
    i0, i1, i2, i3 = -1, -1, -1, -1
    for i in range(count):
        name = _hashed(source[i, 0])
        if name == (fingerprint >> 45) & 32767:
            i0 = i
        if name == (fingerprint >> 30) & 32767:
            i1 = i
        if name == (fingerprint >> 15) & 32767:
            i2 = i
        if name == fingerprint & 32767:
            i3 = i
    if i1 < 0 or i2 < 0 or i3 < 0:
        return -1, -1, -1, -1
    return i0, i1, i2, i3
