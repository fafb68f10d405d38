"""Edges of a polygon mesh: who uses them and in which direction, by sorting one key per edge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from impulse_core.geometry.mesh import PolygonMesh

__all__ = ["EdgeUses", "is_closed", "odd_edges", "sides_of"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class EdgeUses:
    """Edges that are not used exactly once in each direction.

    Attributes:
        ends: vertex numbers, lower first, shape (E, 2).
        uses: number of polygon sides that lie on the edge, shape (E,).
        surplus: uses from lower to higher number minus uses the other way, shape (E,).
        faces: the first two faces that use the edge (-1: there is no second), shape (E, 2).
    """

    ends: Ints
    uses: Ints
    surplus: Ints
    faces: Ints


def sides_of(mesh: PolygonMesh) -> tuple[Ints, Ints, Ints]:
    """Begin vertex, end vertex and face of every polygon side.

    Sides from a vertex to itself are left out, and so are all sides of a face that has fewer than
    three left: such a face has collapsed and bounds nothing.
    """
    counts = np.diff(mesh.offsets)
    face = np.repeat(np.arange(mesh.face_count), counts)
    begin = mesh.corners
    end = np.empty_like(begin)
    end[:-1] = begin[1:]
    filled = counts > 0
    end[mesh.offsets[1:][filled] - 1] = begin[mesh.offsets[:-1][filled]]
    proper = begin != end
    if not proper.all() or counts.min(initial=3) < 3:
        remaining = np.bincount(face[proper], minlength=mesh.face_count)
        proper &= remaining[face] >= 3
        begin, end, face = begin[proper], end[proper], face[proper]
    return begin, end, face


def is_closed(begin: Ints, end: Ints, vertex_count: int) -> bool:
    """True if every edge is used by exactly two sides, once in each direction."""
    keys = _keys(begin, end, vertex_count)
    keys.sort()
    even, odd = keys[0::2], keys[1::2]
    return len(even) == len(odd) and not np.any(even & 1) and bool(np.all(even + 1 == odd))


def odd_edges(begin: Ints, end: Ints, face: Ints, vertex_count: int) -> EdgeUses:
    """The edges for which ``is_closed`` fails, in order of their vertex numbers."""
    keys = _keys(begin, end, vertex_count)
    order = np.argsort(keys, kind="stable")
    keys, face = keys[order], face[order]
    edge, first, uses = np.unique(keys >> 1, return_index=True, return_counts=True)
    forward = np.add.reduceat(1 - 2 * (keys & 1), first) if len(first) else first
    odd = (uses != 2) | (forward != 0)
    edge, first, uses, forward = edge[odd], first[odd], uses[odd], forward[odd]
    second = np.where(uses > 1, face[np.minimum(first + 1, len(face) - 1)], -1)
    return EdgeUses(
        ends=np.stack([edge // vertex_count, edge % vertex_count], axis=1),
        uses=uses,
        surplus=forward,
        faces=np.stack([face[first], second], axis=1),
    )


def _keys(begin: Ints, end: Ints, vertex_count: int) -> Ints:
    """One integer per side: edge number times two, plus one where it runs from high to low."""
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    keys: Ints = (low * vertex_count + high) * 2 + (begin > end)
    return keys
