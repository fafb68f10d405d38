"""Curved shapes at edges and corners of others: rims of cylinders and cones, tori, ellipsoids.

Polygons of the cores tell which edge it is, and to which side of it.
"""

from __future__ import annotations

from impulse_core.algebra import (
    ZERO3,
    cross,
    dot,
    norm,
    transposed_times,
    unit,
    vec3_at,
)
from impulse_core.collision.contacts import (
    EDGE_EDGE,
    LINE_LINE,
    LINE_POINT,
    PLANE_ELLIPSOID,
    PLANE_POINT,
)
from impulse_core.collision.curved import REFUSED, axis_of, is_curved, surface_of
from impulse_core.collision.edges import SIDE_BY_SIDE
from impulse_core.collision.features import (
    EDGE,
    FACE,
    VERTEX,
    coded,
    direction,
    edge_at,
    edges_at,
    feature_vertex,
    reaches_beyond,
)
from impulse_core.collision.manifold import edge_crossing, put_point, vertex_of
from impulse_core.collision.penetration import NEAR
from impulse_core.collision.rounds import WINDOW, Nearest, Round, nearest_on
from impulse_core.collision.shapes import CAPS, CONE, CYLINDER, ELLIPSOID, TRIANGLE
from impulse_core.collision.triangles import ALONG_NORMAL, ground_push
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["round_contact"]

_LEVEL = 1e-7  # cosine of the angle that a normal may be beyond that of a cap or a side


@inner_kernel
def round_contact(shapes, pair, R, t, features, nearest, limits, found):
    """Contact point of a round at an edge or corner of a shape that is not round there, or at the
    side of a cylinder; REFUSED where it touches with something else. Arguments as for
    ``points_at_features``.
    """
    for side in range(2):
        other = 1 - side
        if not _has_round(shapes, pair[side], features[side]):
            continue
        if is_curved(shapes, pair[other]) and shapes.axis_edge[pair[other]] < 0:
            continue
        count = _round_at(shapes, pair, R, t, features, nearest, limits, side == 0, found)
        if count >= 0:
            return count
    return REFUSED


@inner_kernel
def _round_at(shapes, pair, R, t, features, nearest, limits, of_first, found):
    """The same, the round being that of the first shape, or of the second."""
    (A, B, n, _), (wanted, rounding, size) = nearest, limits
    if of_first:
        body, feature, other = _round_of(shapes, pair, 0, A), features[1], pair[1]
        X, toward = B, n
    else:
        X, toward = transposed_times(R, A - t), -transposed_times(R, n)
        body = _round_of(shapes, pair, 1, transposed_times(R, B - t))
        feature, other = features[0], pair[0]
    axis, r = shapes.axis_edge[other], body.tube
    if axis >= 0:
        feature = coded(axis, EDGE)
    edge, at = _nearest_edge(shapes, body, feature, R, t, of_first, X, toward)
    if not at.inside or (not body.ellipsoid and norm(at.on_other - at.on_round) < NEAR * size):
        return REFUSED
    m = _to_other(R, -at.normal, of_first)
    P = _place_in_other(R, t, at.on_other, of_first)
    if axis >= 0:
        beyond = at.at_end
    else:
        beyond = reaches_beyond(shapes, feature_vertex(shapes, edge), m, dot(m, P), size)
    if beyond or not _is_out_of_rim(shapes, body, at):
        return REFUSED
    if at.distance - r > wanted:
        return 0
    if shapes.kind[other] == TRIANGLE:
        push = ground_push(shapes, shapes.edge_beyond, other, m, at.distance - rounding)
        if push != ALONG_NORMAL:
            return 0
    _put(shapes, body, edge, at, m, P, R, of_first, found)
    row = found.point[0]
    row.gap -= r
    row.round2 = r
    return 1


@inlined_kernel
def _is_out_of_rim(shapes, body, at):
    """Whether the normal at a rim lies between those of the cap and of the side: it leads out of
    both, away from the middle of the cap and from the other end of the side.
    """
    if not body.sharp:
        return True
    place, inward = vec3_at(shapes.center, body.shape), body.center - at.on_round
    across = body.center - place
    other = place - across - at.on_round  # the tip of a cone, or the middle of the other cap
    along = other - inward if shapes.kind[body.shape] == CYLINDER else other
    n = at.normal
    return dot(n, inward) <= _LEVEL * norm(inward) and dot(n, along) <= _LEVEL * norm(along)


@inlined_kernel
def _has_round(shapes, s, feature):
    """Whether shape s may be round near a feature of its core: of a cylinder near any but a cap, of
    a cone at its rim.
    """
    kind, number = shapes.kind[s], feature // 3
    if kind == CYLINDER:
        return feature % 3 != FACE or number >= shapes.face_start[s] + CAPS
    if kind == CONE:
        tip = shapes.vertex_start[s + 1] - 1
        if feature % 3 != EDGE:
            return feature % 3 == VERTEX and number != tip
        return shapes.edge_vertex[number, 0] != tip and shapes.edge_vertex[number, 1] != tip
    return kind == ELLIPSOID or shapes.torus[s] >= 0


@inlined_kernel
def _round_of(shapes, pair, side, X):
    """The ellipsoid, the circle of the torus, or the rim nearest to a place X of one of a pair."""
    s, other = pair[side], pair[1 - side]
    tube = shapes.extent[other, 0] if shapes.axis_edge[other] >= 0 else 0.0
    place = surface_of(shapes, s)
    a = axis_of(shapes, place)
    center, half = vec3_at(shapes.center, place), vec3_at(shapes.extent, place)
    sharp = shapes.kind[s] in (CYLINDER, CONE)
    if sharp:
        up = shapes.kind[s] == CYLINDER and dot(X - center, a) > 0.0
        center = center + a * (half.z if up else -half.z)
    return Round(s, shapes.kind[s] == ELLIPSOID, sharp, center, a, half.x, tube)


@inlined_kernel
def _to_other(R, n, of_first):
    """A direction of the frame of the round in that of the other shape."""
    return transposed_times(R, n) if of_first else R @ n


@inlined_kernel
def _place_in_other(R, t, P, of_first):
    return transposed_times(R, P - t) if of_first else R @ P + t


@inner_kernel
def _nearest_edge(shapes, body, feature, R, t, of_first, X, toward):
    """Of the edges at a feature that which is nearest to a round, or the corner of a core without
    edges, coded; and where it is nearest.

    X: the point of the feature that is nearest to the polygon; toward: the normal there, out of the
    round; both in its frame.
    """
    start, end = edges_at(shapes, feature)
    if start == end:
        P = _vertex_seen(shapes, feature // 3, R, t, of_first)
        return feature, nearest_on(shapes, body, P, ZERO3, X, toward)
    edge, best = feature, _nowhere()
    for i in range(start, end):
        e = edge_at(shapes, feature, i)
        P = _vertex_seen(shapes, shapes.edge_vertex[e, 0], R, t, of_first)
        Q = _vertex_seen(shapes, shapes.edge_vertex[e, 1], R, t, of_first)
        at = nearest_on(shapes, body, P, Q - P, X, toward)
        if at.inside and (not best.inside or at.distance < best.distance):
            edge, best = coded(e, EDGE), at
    return edge, best


@inlined_kernel
def _nowhere():
    return Nearest(ZERO3, ZERO3, ZERO3, 0.0, False, False)


@inlined_kernel
def _vertex_seen(shapes, v, R, t, of_first):
    """A vertex of the other shape in the frame of the round."""
    P = vec3_at(shapes.vertex, v)
    return R @ P + t if of_first else transposed_times(R, P - t)


# ---------------------------------------------------------------------------------------
# The contact point
# ---------------------------------------------------------------------------------------


@inner_kernel
def _put(shapes, body, edge, at, m, P, R, of_first, found):
    """Write the contact point: a plane on the other shape's edge that an ellipsoid touches, or the
    tangent of a circle and what that meets.

    m, P: the normal into the round and the place on the other shape, frame of the latter.
    """
    number, swapped = edge // 3, 0 if of_first else 1
    of_edge = edge % 3 == EDGE
    v = number if not of_edge else shapes.edge_vertex[number, 0]
    name = vertex_of(v, of_first)
    if of_edge:
        name = edge_crossing(shapes.edge_start[body.shape], number, swapped == 1)
    if body.ellipsoid:
        if of_edge:
            what = (PLANE_ELLIPSOID, 1 - swapped, name)
            put_point(found, 0, what, P, body.center, m, ZERO3, at.distance)
        else:  # a ball turns, and its normal does not
            what = (PLANE_POINT, swapped, name)
            put_point(found, 0, what, at.on_round, P, at.normal, ZERO3, at.distance)
        return
    tangent = unit(cross(body.axis, at.on_round - body.center))
    reach = WINDOW * body.radius
    line, tail = tangent * (2.0 * reach), at.on_round - tangent * reach
    meets = of_edge and not at.at_end
    b = _to_other(R, tangent, of_first)
    crosses = meets and norm(cross(b, unit(direction(shapes, number)))) > SIDE_BY_SIDE
    sharp = body.sharp and body.tube == 0.0
    if sharp and crosses:
        along = unit(direction(shapes, number))
        sign = 1.0 if dot(cross(b, along), m) < 0.0 else -1.0
        what = (EDGE_EDGE, swapped, name)
        put_point(found, 0, what, at.on_round, P, tangent, along * sign, at.distance)
    elif sharp and of_edge:
        what = (PLANE_POINT, swapped, name)
        put_point(found, 0, what, at.on_round, P, at.normal, ZERO3, at.distance)
    elif crosses:
        start, way = vec3_at(shapes.vertex, v), direction(shapes, number)
        put_point(found, 0, (LINE_LINE, swapped, name), tail, start, line, way, at.distance)
    else:
        put_point(found, 0, (LINE_POINT, swapped, name), tail, P, line, ZERO3, at.distance)
