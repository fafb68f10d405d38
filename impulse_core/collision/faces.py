"""Faces of closed surfaces by whole arrays: their sides, their planes, coplanar triangles as one.

The polygons of a surface are two arrays, as in ``PolygonMesh``: the vertex numbers of all polygons
one after the other, counter-clockwise seen from outside, shape (K,), and where each polygon begins
among them, shape (F + 1,).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from impulse_core.geometry.rotations import crossed_rows
from impulse_core.types import Floats, Ints

__all__ = ["face_planes", "following_corner", "merged_triangles", "paired_sides", "starts_of"]

# Corners of a face may leave its plane by this part of the extent: meshes are often written with
# six or seven digits, and a wall that they leave a hair uneven is still one wall.
_COPLANAR = 1e-6


def starts_of(counts: Ints) -> Ints:
    """Where each of so many things begins, and the end: shape (F + 1,) for counts (F,)."""
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def following_corner(starts: Ints) -> Ints:
    """Place of the next corner of the same polygon for each corner, shape (K,)."""
    following = np.arange(1, starts[-1] + 1)
    used = starts[1:] > starts[:-1]
    following[starts[1:][used] - 1] = starts[:-1][used]
    return following


def paired_sides(tails: Ints, heads: Ints) -> tuple[Ints, Ints] | None:
    """Numbers of the sides from the smaller to the larger vertex, and of the sides that run back
    along each of them; None unless each side has exactly one that runs back.

    Args:
        tails: Vertex where each side begins, shape (K,).
        heads: Vertex where it ends, shape (K,).
    """
    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    keys = 2 * (low * (high.max(initial=0) + 1) + high) + (tails > heads)
    order = keys.argsort()
    ascending = keys[order]
    # Sorted, a side and the one that runs back stand beside each other as 2 n and 2 n + 1.
    if not np.array_equal(ascending[0::2] ^ 1, ascending[1::2]):
        return None
    return order[0::2], order[1::2]


def face_planes(vertices: Floats, corners: Ints, starts: Ints) -> tuple[Floats, Floats]:
    """Unit normal (Newell) and mean offset [m] of each polygon, shape (F, 4), and the areas [m²],
    shape (F,). A polygon without an area has a plane of zeros.
    """
    counts = np.diff(starts)
    owner = np.repeat(np.arange(len(counts)), counts)
    points = vertices[corners]
    mean = _sums(points, owner, len(counts)) / np.maximum(counts, 1)[:, None]
    arms = points - mean[owner]
    products = crossed_rows(arms, arms[following_corner(starts)])
    vectors = 0.5 * _sums(products, owner, len(counts))
    areas = np.linalg.norm(vectors, axis=1)
    flat = areas == 0.0
    normals = vectors / np.where(flat, 1.0, areas)[:, None]
    offsets = np.where(flat, 0.0, np.einsum("fi,fi->f", normals, mean))
    return np.column_stack([normals, offsets]), areas


def _sums(rows: Floats, owner: Ints, count: int) -> Floats:
    """Sums of the rows (K, 3) that belong to each owner, in their order, shape (count, 3)."""
    sums = np.empty((count, 3))
    for axis in range(3):
        sums[:, axis] = np.bincount(owner, rows[:, axis], minlength=count)
    return sums


# ---------------------------------------------------------------------------------------
# Coplanar triangles
# ---------------------------------------------------------------------------------------


def merged_triangles(vertices: Floats, triangles: Ints) -> tuple[Ints, Ints] | None:
    """Polygons of coplanar triangles, grown from the largest triangles; None where the surface is
    not closed. They stand in the order of the first triangle of each.

    Args:
        vertices: [m], shape (V, 3).
        triangles: Vertex numbers, counter-clockwise seen from outside, shape (T, 3).
    """
    tails = triangles.reshape(-1)
    heads = triangles[:, (1, 2, 0)].reshape(-1)
    pairs = paired_sides(tails, heads)
    if pairs is None:
        return None
    beyond = np.empty(len(tails), dtype=np.int64)
    beyond[pairs[0]] = pairs[1] // 3
    beyond[pairs[1]] = pairs[0] // 3
    group = _grown(_facets(vertices, triangles, beyond.reshape(-1, 3)))
    alone = np.bincount(group, minlength=len(group))[group] == 1
    outer = np.flatnonzero((group[beyond] != np.repeat(group, 3)) & ~np.repeat(alone, 3))
    sides, lengths = _outlines(group[outer // 3], tails[outer], heads[outer])
    merged = np.zeros(len(triangles), dtype=bool)
    merged[group[outer[sides] // 3]] = True
    kept = np.flatnonzero(~merged[group])
    counts = np.concatenate([np.full(len(kept), 3), lengths])
    place = np.concatenate([np.repeat(group[kept], 3), group[outer[sides] // 3]])
    corners = np.concatenate([triangles[kept].reshape(-1), tails[outer[sides]]])
    corners = corners[place.argsort(kind="stable")]
    first = place[starts_of(counts)[:-1]]
    return _without_straight_corners(corners, counts[first.argsort(kind="stable")])


class _Facets(NamedTuple):
    """What decides whether triangles lie in one plane."""

    beyond: Ints
    """Triangle on the other side of each side, shape (T, 3)."""
    apex: Floats
    """The corner of that triangle that is not on the side [m], shape (T, 3, 3)."""
    normals: Floats
    """Outward, as long as twice the area [m²], shape (T, 3)."""
    planes: Floats
    """Unit normal n and offset d [m] of n·x = d, shape (T, 4); zeros without an area."""
    turn: Ints
    """Place of each triangle in the order from the largest to the smallest, shape (T,)."""
    sliver: NDArray[np.bool_]
    """Whether a triangle is too narrow for its normal to count, shape (T,)."""
    joins: NDArray[np.bool_]
    """Whether the triangle beyond each side lies in this one's plane and comes later in that order,
    shape (T, 3)."""
    tolerance: float
    """Height of a corner above a plane in which it still lies [m]."""


def _facets(vertices: Floats, triangles: Ints, beyond: Ints) -> _Facets:
    """See ``_Facets``, whose shapes these have."""
    extent = float((vertices.max(axis=0) - vertices.min(axis=0)).max())
    tolerance = _COPLANAR * extent
    points = vertices[triangles]
    first = points[:, 0]
    normals = crossed_rows(points[:, 1] - first, points[:, 2] - first)
    areas = np.linalg.norm(normals, axis=1)
    unit = normals / np.where(areas == 0.0, 1.0, areas)[:, None]
    offsets = np.einsum("ti,ti->t", unit, first)
    sliver = areas < tolerance * extent
    order = (-areas).argsort(kind="stable")
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = np.arange(len(order))
    heights = np.einsum("tnki,ti->tnk", points[beyond], unit) - offsets[:, None, None]
    joins = (np.abs(heights).max(axis=2) <= tolerance) & (areas > 0.0)[:, None]
    joins &= sliver[beyond] | (np.einsum("tni,ti->tn", normals[beyond], unit) > 0.0)
    joins &= turn[beyond] > turn[:, None]
    apex = triangles[beyond].sum(axis=2) - triangles - triangles[:, (1, 2, 0)]
    planes = np.column_stack([unit, offsets])
    return _Facets(beyond, vertices[apex], normals, planes, turn, sliver, joins, tolerance)


def _grown(facets: _Facets) -> Ints:
    """The first triangle of the polygon that each triangle belongs to, shape (T,).

    Largest first, each triangle that is in no polygon yet grows to one: across its sides to all
    triangles that lie in its plane and look the same way, or are slivers. One of which no
    neighbour lies in its plane stays alone; of a round hull those are nearly all.
    """
    group = np.arange(len(facets.turn))
    seeds = np.flatnonzero(facets.joins.any(axis=1))
    if not len(seeds):
        return group
    seeds = seeds[facets.turn[seeds].argsort()]
    # Flat lists: Python looks through nested ones for garbage, which takes longer than the rest.
    around, joins = facets.beyond.reshape(-1).tolist(), facets.joins.reshape(-1).tolist()
    apex, normals = facets.apex.reshape(-1).tolist(), facets.normals.reshape(-1).tolist()
    planes, turn = facets.planes.reshape(-1).tolist(), facets.turn.tolist()
    sliver, first, taken = facets.sliver.tolist(), group.tolist(), [False] * len(group)
    for seed in seeds.tolist():
        if taken[seed]:
            continue
        x, y, z, offset = planes[4 * seed : 4 * seed + 4]
        taken[seed] = True
        members = [seed]
        for member in members:  # which grow meanwhile
            for side in range(3 * member, 3 * member + 3):
                other = around[side]
                if taken[other] or turn[other] < turn[seed]:
                    continue
                if member == seed:
                    joined = joins[side]
                else:  # the ends of the side lie in the plane already
                    u, v, w = apex[3 * side : 3 * side + 3]
                    a, b, c = normals[3 * other : 3 * other + 3]
                    joined = abs(x * u + y * v + z * w - offset) <= facets.tolerance and (
                        sliver[other] or a * x + b * y + c * z > 0.0
                    )
                if joined:
                    taken[other] = True
                    members.append(other)
        lowest = min(members)
        for member in members:
            first[member] = lowest
    return np.array(first)


def _outlines(group: Ints, tails: Ints, heads: Ints) -> tuple[Ints, Ints]:
    """Sides of each group in the order in which they go round it, one group after the other, and
    how many sides each has; without groups that are gone round in several loops.

    Args:
        group: Group of each side, shape (K,).
        tails: Vertex where it begins.
        heads: Vertex where it ends.
    """
    count = int(tails.max(initial=0)) + 1
    keys = group * count + tails
    by_tail = keys.argsort()
    place = keys.searchsorted(group * count + heads, sorter=by_tail)
    after = by_tail[place].tolist()
    _, firsts, sizes = np.unique(group, return_index=True, return_counts=True)
    sides: list[int] = []
    lengths = []
    for first, size in zip(firsts.tolist(), sizes.tolist(), strict=True):
        side, start = after[first], len(sides)
        sides.append(first)
        while side != first and len(sides) - start < size:
            sides.append(side)
            side = after[side]
        if side == first and len(sides) - start == size:
            lengths.append(size)
        else:
            del sides[start:]
    return np.array(sides, dtype=np.int64), np.array(lengths, dtype=np.int64)


def _without_straight_corners(corners: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Polygons without the vertices at which fewer than three of them meet: those lie within an
    edge or a face.

    Args:
        corners: Vertex numbers of all polygons, shape (K,).
        counts: Corners of each polygon, shape (F,).
    """
    kept = np.bincount(corners)[corners] >= 3
    if not kept.all():
        owner = np.repeat(np.arange(len(counts)), counts)
        counts = np.bincount(owner[kept], minlength=len(counts))
        kept &= (counts >= 3)[owner]
        corners, counts = corners[kept], counts[counts >= 3]
    return corners, starts_of(counts)
