"""Triangles of a ground: which side of them is solid, and which directions they may push in.

A ground is one surface. Where something touches it on an edge or a corner, the normal must lie
between those of the faces there; any other direction belongs to a neighbouring triangle, which
reports the point itself, and following it would make bodies trip over edges in a smooth ground.
"""

from __future__ import annotations

import math

from impulse_core.algebra import cross, dot, norm, vec3_at
from impulse_core.collision.features import direction, face_normal, side_normal, support
from impulse_core.collision.vclip import INFINITE
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = [
    "ALONG_FRONT",
    "ALONG_NORMAL",
    "NOT_HERE",
    "cell_between",
    "ground_push",
    "lies_in_valley",
    "reaches_front",
]

NOT_HERE = 0  # from the strictest to the freest
ALONG_FRONT = 1
ALONG_NORMAL = 2

_LEVEL = 1e-7  # sine of the angle to a plane across the direction within which features lie in it
_BEYOND = 1e-7  # and by which a normal may pass that of a neighbour


@inner_kernel
def cell_between(x, origin, size, cells):
    """Cell of a ground's grid at a coordinate, the nearest if it is outside."""
    return min(max(math.floor((x - origin) / size), 0), cells - 1)


@inner_kernel
def reaches_front(cores, s, R, t, v, rounding):
    """True if a shape, of which v is a vertex, reaches the front side of triangle s anywhere.

    A shape all behind its face is below another part of the ground.
    R, t: pose of the triangle's frame in that of the shape; rounding: radii of both.
    """
    f = cores.face_start[s]
    out = R @ face_normal(cores, f)
    _, top = support(cores, v, out)
    return top - dot(out, t) - cores.face_plane[f, 3] + rounding >= 0.0


@inner_kernel
def ground_push(cores, edge_beyond, s, u, gap):
    """Verdict on a contact with triangle s at a vertex or an edge (docs/algorithm.md, 44).

    Args:
        edge_beyond: see ``Shapes``.
        u: unit vector out of the ground along which the closest features lie, frame of s.
        gap: of the cores [m].

    Returns:
        ALONG_NORMAL if u is a normal of the ground there, ALONG_FRONT if the front normal is to
        be taken in its place, NOT_HERE if another triangle reports the contact.
    """
    front = cores.face_start[s]
    level = -INFINITE
    for v in range(cores.vertex_start[s], cores.vertex_start[s + 1]):
        level = max(level, dot(u, vec3_at(cores.vertex, v)))
    level -= _LEVEL * norm(direction(cores, cores.edge_start[s]))
    farthest = 0
    for v in range(cores.vertex_start[s], cores.vertex_start[s + 1]):
        if dot(u, vec3_at(cores.vertex, v)) >= level:
            farthest += 1
    push = ALONG_NORMAL
    neighboured, between = False, False
    for e in range(cores.edge_start[s], cores.edge_start[s + 1]):
        beyond = vec3_at(edge_beyond, e)
        if beyond.x == 0.0 and beyond.y == 0.0 and beyond.z == 0.0:
            continue  # the ground ends here
        ends = 0
        for end in range(2):
            if dot(u, vec3_at(cores.vertex, cores.edge_vertex[e, end])) >= level:
                ends += 1
        neighboured = neighboured or ends > 0
        # The edge that is farthest, or both edges at the farthest corner.
        if ends == farthest:
            at_edge, within = _push_at_edge(cores, e, front, beyond, u, gap, farthest == 2)
            push = min(push, at_edge)
            between = between or within
    # Between normals of faces that meet at less than a right angle u may point back from either.
    if dot(u, face_normal(cores, front)) <= 0.0 and not between:  # out through the back
        return ALONG_FRONT if gap < 0.0 or neighboured else NOT_HERE
    return push


@inlined_kernel
def _push_at_edge(cores, e, front, beyond, u, gap, answering):
    """The same for edge e, beyond which there is a triangle with this normal, and whether u lies
    between the normals of both, which meet in a ridge.
    """
    m = side_normal(cores, e, front)
    size = norm(m)
    if dot(u, m) <= _BEYOND * size:
        return ALONG_NORMAL, False
    if dot(beyond, m) <= _BEYOND * size:  # level or a valley: only faces touch
        return ALONG_FRONT if gap < 0.0 else NOT_HERE, False
    # Out of the neighbour across the edge, which it has the other way round.
    d = direction(cores, e) if cores.edge_face[e, 0] == front else -direction(cores, e)
    if dot(u, cross(beyond, d)) < -_BEYOND * size:
        return NOT_HERE, False
    # One of the two triangles answers for an edge that is farthest with both its ends.
    first = d.x > 0.0 or (d.x == 0.0 and (d.y > 0.0 or (d.y == 0.0 and d.z > 0.0)))
    return ALONG_NORMAL if first or not answering else NOT_HERE, True


@inner_kernel
def lies_in_valley(cores, edge_beyond, s, P):
    """Whether a place P [m, frame of s] that is beside triangle s lies in the ground below a
    valley: behind the triangles beyond all edges that it is beside, which rise from s there. No
    face is straight above it.
    """
    front = cores.face_start[s]
    beside = False
    for e in range(cores.edge_start[s], cores.edge_start[s + 1]):
        m, to = side_normal(cores, e, front), P - vec3_at(cores.vertex, cores.edge_vertex[e, 0])
        if dot(m, to) <= 0.0:
            continue
        beyond = vec3_at(edge_beyond, e)
        if dot(beyond, m) >= -_BEYOND * norm(m) or dot(beyond, to) >= 0.0:
            return False
        beside = True
    return beside
