"""Distance of two cores, or their penetration depth where they overlap.

The gap g(n) of two cores along a unit vector n is the least n·B of the second less the largest
n·A of the first. Of cores that do not touch the largest gap is their distance, which V-Clip
finds. Overlapping cores have g < 0 everywhere; where g is largest, -g is the penetration depth.
A climb finds it from any n: the second core is moved by δ n until there is a margin between them,
and the normal n' of the closest features then is better, for

    g(n') ≥ g(n) + δ (1 - n·n')                                              (docs/algorithm.md, 41)

It starts with the direction cached for the pair, so that cores at rest on each other, whose gap
is round-off of either sign, keep their normal; without memory with the best of all separating axes.
"""

from __future__ import annotations

from impulse_core.algebra import ZERO3, Vec3, cross, dot, norm, transposed_times, vec3_at
from impulse_core.collision.features import (
    EDGE,
    FACE,
    VERTEX,
    coded,
    direction,
    face_normal,
    is_farthest,
    side_normal,
    support,
)
from impulse_core.collision.vclip import (
    INFINITE,
    SEPARATE,
    closest_features,
    first_features,
    gap_along,
)
from impulse_core.jit import inner_kernel

__all__ = ["NEAR", "SHALLOW", "nearest_features"]

SHALLOW = 0.0002  # depth, as part of the smaller shape, down to which a cached direction holds
NEAR = 1e-8  # distance, as part of the smaller shape, that gives no direction of its own
_MARGIN = 0.01  # between the cores while they climb, as part of the smaller shape
_MOST_CLIMBS = 30
_CONVERGED = 1e-20  # square of the angle between two directions
_MOST_EDGE_PAIRS = 40_000  # above this the climb starts from faces only


@inner_kernel
def nearest_features(cores, s1, s2, R, t, between, first, second, sizes):
    """Closest features of two cores, or those of the penetration depth.

    Args:
        R, t: pose of the frame of s2 in that of s1.
        between: from the centre of s1 to that of s2 [m], frame of s1.
        first, second: the features cached for the pair.
        sizes: radii of balls around the two shapes [m].

    Returns:
        Codes of two features; the nearest points A and B on them and the unit normal n from the
        first to the second, frame of s1; the gap of the cores along n [m].
    """
    size1, size2 = sizes
    size = min(size1, size2)
    n, shift, gap = ZERO3, 0.0, 0.0
    A, B = ZERO3, ZERO3
    climbing = False
    for _ in range(_MOST_CLIMBS):
        state, near1, near2, near_A, near_B, m, distance = closest_features(
            cores, s1, s2, R, t + n * shift, first, second, size1 + size2
        )
        if not climbing:
            # Points too close to tell a direction leave it to the climb, too.
            vague = distance < NEAR * size and near1 % 3 != FACE and near2 % 3 != FACE
            if state == SEPARATE and not vague:
                return near1, near2, near_A, near_B, m, distance
            climbing = True
            known, n = _cached_axis(cores, R, first, second)
            gap = gap_along(cores, R, t, first, second, n) if known else -INFINITE
            if gap < -SHALLOW * size:
                n, gap = _best_axis(cores, s1, s2, R, t)
                first, second = first_features(cores, s1, s2, R, between + n * (10.0 * size))
            shift = _MARGIN * size - gap
            continue
        if state != SEPARATE:
            break
        first, second, A, B = near1, near2, near_A, near_B - n * shift
        away = m - n
        turned = dot(away, away)
        n = m
        gap = distance - shift * (1.0 - 0.5 * turned)
        if turned < _CONVERGED:
            break
        shift = _MARGIN * size - gap
    return first, second, A, B, n, gap


@inner_kernel
def _cached_axis(cores, R, first, second):
    """If two features name a direction, and which: a face's normal, or across two edges."""
    i, kind1 = first // 3, first % 3
    j, kind2 = second // 3, second % 3
    if kind1 == FACE:
        return True, face_normal(cores, i)
    if kind2 == FACE:
        return True, -(R @ face_normal(cores, j))
    if kind1 == EDGE and kind2 == EDGE:
        n = cross(direction(cores, i), R @ direction(cores, j))
        size = norm(n)
        out = 0.0
        for side in range(2):
            if cores.edge_face[i, side] >= 0:
                out += dot(n, face_normal(cores, cores.edge_face[i, side]))
            if cores.edge_face[j, side] >= 0:
                out -= dot(n, R @ face_normal(cores, cores.edge_face[j, side]))
        if size > 0.0 and out != 0.0:
            return True, n * ((1.0 if out > 0.0 else -1.0) / size)
    return False, Vec3(0.0, 0.0, 1.0)


@inner_kernel
def _best_axis(cores, s1, s2, R, t):
    """Direction of the largest gap among the normals of faces and the directions across edges."""
    best = Vec3(0.0, 0.0, 1.0)
    most = -INFINITE
    w = cores.vertex_start[s2]
    for f in range(cores.face_start[s1], cores.face_start[s1 + 1]):
        n = face_normal(cores, f)
        w, least = support(cores, w, -transposed_times(R, n))
        gap = dot(n, t) - least - cores.face_plane[f, 3]
        if gap > most:
            best, most = n, gap
    v = cores.vertex_start[s1]
    for f in range(cores.face_start[s2], cores.face_start[s2 + 1]):
        n = -(R @ face_normal(cores, f))
        v, farthest = support(cores, v, n)
        gap = dot(n, t) - cores.face_plane[f, 3] - farthest
        if gap > most:
            best, most = n, gap
    pairs = (cores.edge_start[s1 + 1] - cores.edge_start[s1]) * (
        cores.edge_start[s2 + 1] - cores.edge_start[s2]
    )
    if pairs <= _MOST_EDGE_PAIRS:
        n, gap = _best_across_edges(cores, s1, s2, R, t)
        if gap > most:
            best, most = n, gap
    if most == -INFINITE:  # two points, or parallel segments
        v, w = coded(v, VERTEX), coded(w, VERTEX)
        if cores.edge_start[s1 + 1] > cores.edge_start[s1]:
            best = _across(direction(cores, cores.edge_start[s1]))
        elif cores.edge_start[s2 + 1] > cores.edge_start[s2]:
            best = _across(R @ direction(cores, cores.edge_start[s2]))
        most = gap_along(cores, R, t, v, w, best)
    return best, most


@inner_kernel
def _across(a):
    """A unit vector across a."""
    x, y, z = abs(a.x), abs(a.y), abs(a.z)
    if x <= y and x <= z:
        n = Vec3(0.0, -a.z, a.y)
    elif y <= z:
        n = Vec3(a.z, 0.0, -a.x)
    else:
        n = Vec3(-a.y, a.x, 0.0)
    return n * (1.0 / norm(n))


@inner_kernel
def _best_across_edges(cores, s1, s2, R, t):
    """Direction of the largest gap among those across an edge of either core.

    Only edges that are the farthest of their core along it count: n lies on the outer side of
    both faces' planes across the edge.
    """
    best = Vec3(0.0, 0.0, 1.0)
    most = -INFINITE
    for g in range(cores.edge_start[s2], cores.edge_start[s2 + 1]):
        Q = R @ vec3_at(cores.vertex, cores.edge_vertex[g, 0]) + t
        b = R @ direction(cores, g)
        left, right = cores.edge_face[g, 0], cores.edge_face[g, 1]
        m_left = R @ side_normal(cores, g, left) if left >= 0 else b
        m_right = R @ side_normal(cores, g, right) if right >= 0 else b
        for e in range(cores.edge_start[s1], cores.edge_start[s1 + 1]):
            n = cross(direction(cores, e), b)
            # n·b = 0, so that an edge without faces passes
            left_out, right_out = dot(n, m_left), dot(n, m_right)
            if left < 0:
                left_out, right_out = 0.0, 0.0
            if left_out * right_out < 0.0:
                continue
            size = norm(n)
            if size <= 1e-9 * norm(b) * norm(direction(cores, e)):
                continue
            for sign in (1.0, -1.0):
                if sign * left_out > 0.0 or sign * right_out > 0.0:
                    continue
                m = n * (sign / size)
                if not is_farthest(cores, e, m):
                    continue
                gap = dot(m, Q - vec3_at(cores.vertex, cores.edge_vertex[e, 0]))
                if gap > most:
                    best, most = m, gap
    return best, most
