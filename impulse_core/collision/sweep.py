"""Room for sweep and prune: boxes, columns and pairs of a scene (broad.py)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.collision.contacts import CACHE_NUMBERS
from impulse_core.collision.shapes import (
    CONE,
    CYLINDER,
    ELLIPSOID,
    GROUND,
    PLANE,
    POLYHEDRON,
    TORUS,
    Shapes,
)
from impulse_core.model import State
from impulse_core.types import Floats, Ints, by_address

__all__ = [
    "BOUND_CONE",
    "BOUND_CYLINDER",
    "BOUND_ELLIPSOID",
    "BY_EXTENT",
    "BY_EXTENT_AND_BALL",
    "BY_VERTICES",
    "DIGIT",
    "LEVELS",
    "MIDDLE",
    "SLACK",
    "Sweep",
    "enlarge",
    "new_sweep",
]

# How the box of a shape is found.
BY_EXTENT = 0  # box around the turned box Shapes.extent: exact for boxes
BY_VERTICES = 1
BY_EXTENT_AND_BALL = 2  # cores of many vertices
BOUND_ELLIPSOID = 3
BOUND_CYLINDER = 4
BOUND_CONE = 5
_BOUND_OF_KIND = {
    PLANE: BY_EXTENT,  # has none
    GROUND: BY_EXTENT,
    ELLIPSOID: BOUND_ELLIPSOID,
    CYLINDER: BOUND_CYLINDER,
    CONE: BOUND_CONE,
    TORUS: BOUND_CYLINDER,  # of no height, as wide as its ring of capsules
}
_FEW_VERTICES = 16  # that are cheaper to go through than a box around them is too large
LEVELS = 40  # grids: cells of the middle one are as large as the middle box, of others 4^k times
MIDDLE = LEVELS // 2
DIGIT = 2048  # of the radix sort
_PAIRS_AT_FIRST = 8  # per shape

# Distances are rounded; boxes and gaps are found this much larger, relatively.
SLACK = 1e-12


@by_address
class Sweep(NamedTuple):
    """Boxes, columns and pairs: n shapes that are sought, b that have a box, room for p pairs."""

    planes: Ints
    """Shapes of kind PLANE, which have no box."""
    bound: Ints
    """Way to find the box of each shape, shape (b,)."""
    bits: int
    """Bits of a pair's key that hold its second shape."""
    cell_size: float
    """Size of the cells of grid MIDDLE [m]."""

    low: Floats
    """Lower corner of each box [m], shape (b, 3), world frame."""
    high: Floats
    """Upper corner of each box [m], shape (b, 3), world frame."""
    turning: Floats
    """Largest motion of a point of each shape in the step by turning [m], shape (b,)."""
    way: Floats
    """How far the body of each shape goes in the step, as its box does [m], shape (b,)."""
    order: Ints
    """Shapes that have a box, column after column, each ascending in z; kept from step to step."""
    box: Floats
    """Lower and upper corner of the boxes in that order [m], shape (n, 6): read one after the
    other."""
    cell: Ints
    """Column of each shape, shape (n,)."""
    slot: Ints
    """Hash table of columns, -1 where it is free; a power of two of them."""
    cell_level: Ints
    """Grid of each column, shape (n,)."""
    cell_x: Ints
    """Place of each column in its grid along x, shape (n,)."""
    cell_y: Ints
    """Place of each column in its grid along y, shape (n,)."""
    cell_first: Ints
    """Shapes of column c are order[cell_first[c] … cell_first[c+1]-1], shape (n+1,)."""
    scratch: Ints
    """Shape (n,)."""
    on_level: Ints
    """Number of columns on each grid."""

    kept: Ints
    """1 for shapes whose box stays as it is, shape (b,)."""
    given: Ints
    """1 where only the pairs that are given are looked at, and boxes found of shapes in ``order``
    alone; ``box`` then bounds where each shape, in its row, has been and could be [0]. The number
    of those shapes [1]. Shape (2,)."""
    overlaps: Ints
    """Number of boxes that overlap before the filter, shape (1,)."""
    pair_count: Ints
    """Number of pairs, shape (1,)."""
    pair_first: Ints
    """The smaller shape number of each pair, shape (p,); pairs ascend."""
    pair_second: Ints
    """The larger shape number of each pair, shape (p,)."""
    key: Ints
    """Keys of the pairs, before and after sorting, shape (2, p); first the second half holds the
    boxes that overlap."""
    old_key: Ints
    """Keys of the pairs, ascending: kept from step to step, shape (p,)."""
    cache: Ints
    """Features that the narrow phase caches for each, -1 of new ones: kept from step to step,
    shape (p, CACHE_NUMBERS)."""
    cache_begun: Ints
    """What that was before the last call, by which it is found again, shape (p, CACHE_NUMBERS)."""
    old_count: Ints
    """Number of them, shape (1,)."""
    key_before: Ints
    """The keys of the call before, shape (p,)."""
    cache_before: Ints
    """Their cache, shape (p, CACHE_NUMBERS)."""
    histogram: Ints
    """Shape (DIGIT + 1,)."""


def new_sweep(shapes: Shapes, state: State, pairs: int | None = None) -> Sweep:
    """Room for a number of pairs, by default for as many as most scenes have."""
    n = shapes.sought
    kinds = shapes.kind[:n]
    boxed = np.flatnonzero(kinds != PLANE)
    diameters = 2.0 * shapes.reach[boxed]
    moving = diameters[kinds[boxed] != GROUND]
    height = state.bodies["position"][shapes.body[boxed], 2] + shapes.center[boxed, 2]
    slots = 1 << max(4, (2 * n).bit_length())
    pairs = max(64, _PAIRS_AT_FIRST * n) if pairs is None else pairs
    return Sweep(
        planes=np.flatnonzero(kinds == PLANE),
        bound=np.array([_bound_of(shapes, i) for i in range(shapes.boxed)], dtype=np.int64),
        bits=max(1, len(shapes.kind).bit_length()),
        cell_size=1.05 * float(np.median(moving)) if len(moving) else 1.0,
        low=np.zeros((shapes.boxed, 3)),
        high=np.zeros((shapes.boxed, 3)),
        turning=np.zeros(shapes.boxed),
        way=np.zeros(shapes.boxed),
        order=boxed[np.argsort(height, kind="stable")],
        box=np.zeros((n, 6)),
        cell=np.zeros(n, dtype=np.int64),
        slot=np.full(slots, -1, dtype=np.int64),
        cell_level=np.zeros(n, dtype=np.int64),
        cell_x=np.zeros(n, dtype=np.int64),
        cell_y=np.zeros(n, dtype=np.int64),
        cell_first=np.zeros(n + 1, dtype=np.int64),
        scratch=np.zeros(n, dtype=np.int64),
        on_level=np.zeros(LEVELS, dtype=np.int64),
        kept=np.zeros(shapes.boxed, dtype=np.int64),
        given=np.zeros(2, dtype=np.int64),
        overlaps=np.zeros(1, dtype=np.int64),
        pair_count=np.zeros(1, dtype=np.int64),
        pair_first=np.zeros(pairs, dtype=np.int64),
        pair_second=np.zeros(pairs, dtype=np.int64),
        key=np.zeros((2, pairs), dtype=np.int64),
        old_key=np.zeros(pairs, dtype=np.int64),
        cache=np.full((pairs, CACHE_NUMBERS), -1, dtype=np.int64),
        cache_begun=np.zeros((pairs, CACHE_NUMBERS), dtype=np.int64),
        old_count=np.zeros(1, dtype=np.int64),
        key_before=np.zeros(pairs, dtype=np.int64),
        cache_before=np.zeros((pairs, CACHE_NUMBERS), dtype=np.int64),
        histogram=np.zeros(DIGIT + 1, dtype=np.int64),
    )


def enlarge(sweep: Sweep, pairs: int) -> Sweep:
    """The same with room for that many pairs and some more; nothing is forgotten."""
    old = len(sweep.pair_first)
    new = max(pairs + pairs // 2, old)

    def grown(array: Ints) -> Ints:
        larger = np.zeros((new, *array.shape[1:]), dtype=array.dtype)
        larger[:old] = array
        return larger

    return sweep._replace(
        pair_first=grown(sweep.pair_first),
        pair_second=grown(sweep.pair_second),
        key=np.zeros((2, new), dtype=np.int64),
        old_key=grown(sweep.old_key),
        cache=grown(sweep.cache),
        key_before=grown(sweep.key_before),
        cache_before=grown(sweep.cache_before),
        cache_begun=grown(sweep.cache_begun),
    )


def _bound_of(shapes: Shapes, i: int) -> int:
    kind = int(shapes.kind[i])
    if kind != POLYHEDRON:
        return _BOUND_OF_KIND[kind]
    vertices = shapes.vertex[shapes.vertex_start[i] : shapes.vertex_start[i + 1]]
    if len(vertices) == 8 and _are_corners(shapes, i, vertices):
        return BY_EXTENT
    return BY_VERTICES if len(vertices) <= _FEW_VERTICES else BY_EXTENT_AND_BALL


def _are_corners(shapes: Shapes, i: int, vertices: Floats) -> bool:
    """Whether the vertices are those of the box ``extent``, whose box is then exact."""
    from impulse_core.geometry.rotations import conjugated, rotated

    local = rotated(conjugated(shapes.frame[i]), vertices - shapes.center[i])
    return bool(np.allclose(np.abs(local), shapes.extent[i], rtol=1e-9, atol=0.0))
