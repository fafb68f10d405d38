"""Columns of grids over x and y, one grid for each size of box, and the sweep along z in each."""

from __future__ import annotations

import math

from impulse_core.collision.sweep import LEVELS, MIDDLE
from impulse_core.jit import inner_kernel, kernel

__all__ = ["boxes_overlap", "sort_into_columns", "sweep_columns"]

_FEW = 48  # boxes, which one column holds: to compare all of them takes no longer than a grid


@kernel
def _size_of_cells(base, level):
    """Cell size of a grid: 4^(level - MIDDLE) of that of the middle one."""
    return math.ldexp(base, 2 * (level - MIDDLE))


@kernel
def _probe(x, y, level, mask):
    """Where the hash table begins to look for a column."""
    return ((x * 73856093) ^ (y * 19349663) ^ (level * 83492791)) & mask


@inner_kernel
def _slot_of(sweep, x, y, level):
    """Where the hash table has the column at a place of a grid, or would have it."""
    mask = len(sweep.slot) - 1
    k = _probe(x, y, level, mask)
    while True:
        c = sweep.slot[k]
        if c < 0:
            return k
        if sweep.cell_x[c] == x and sweep.cell_y[c] == y and sweep.cell_level[c] == level:
            return k
        k = (k + 1) & mask


@inner_kernel
def _column_at(sweep, x, y, level):
    """Number of the column at a place of a grid, -1 if nothing is there."""
    return sweep.slot[_slot_of(sweep, x, y, level)]


@inner_kernel
def _column_for(sweep, x, y, level, columns):
    """Number of the column at a place of a grid, the next free number if it is new."""
    k = _slot_of(sweep, x, y, level)
    if sweep.slot[k] < 0:
        sweep.slot[k] = columns
        sweep.cell_x[columns] = x
        sweep.cell_y[columns] = y
        sweep.cell_level[columns] = level
    return sweep.slot[k]


@inner_kernel
def sort_into_columns(sweep):
    """Fill cell_first and order; returns the number of columns.

    Each box belongs to the column of its lower corner in the finest grid whose cells are as large
    as it: it then reaches into the next column at most. A few boxes are one column.
    """
    if len(sweep.order) <= _FEW:
        sweep.cell_first[0], sweep.cell_first[1] = 0, len(sweep.order)
        for k in range(len(sweep.order)):
            sweep.scratch[k] = sweep.order[k]
        _sort_columns(sweep, 1)
        return 1
    for k in range(len(sweep.slot)):
        sweep.slot[k] = -1
    for k in range(LEVELS):
        sweep.on_level[k] = 0
    columns = 0
    level = MIDDLE
    size = sweep.cell_size
    for k in range(len(sweep.order)):
        s = sweep.order[k]
        width = max(sweep.high[s, 0] - sweep.low[s, 0], sweep.high[s, 1] - sweep.low[s, 1])
        while width > size and level < LEVELS - 1:
            level += 1
            size = _size_of_cells(sweep.cell_size, level)
        while width <= 0.25 * size and level > 0:
            level -= 1
            size = _size_of_cells(sweep.cell_size, level)
        x = math.floor(sweep.low[s, 0] / size)
        y = math.floor(sweep.low[s, 1] / size)
        c = _column_for(sweep, x, y, level, columns)
        if c == columns:
            columns += 1
            sweep.cell_first[c] = 0
            sweep.on_level[level] += 1
        sweep.cell[s] = c
        sweep.cell_first[c] += 1

    begin = 0
    for c in range(columns):
        begin, sweep.cell_first[c] = begin + sweep.cell_first[c], begin
    for k in range(len(sweep.order)):
        s = sweep.order[k]
        sweep.scratch[sweep.cell_first[sweep.cell[s]]] = s
        sweep.cell_first[sweep.cell[s]] += 1
    for c in range(columns, 0, -1):
        sweep.cell_first[c] = sweep.cell_first[c - 1]
    sweep.cell_first[0] = 0
    _sort_columns(sweep, columns)
    return columns


@inner_kernel
def _sort_columns(sweep, columns):
    """Sort the boxes of each column, which are in ``scratch``, by their lower ends into order."""
    for c in range(columns):
        for k in range(sweep.cell_first[c], sweep.cell_first[c + 1]):
            s = sweep.scratch[k]
            at = k
            while at > sweep.cell_first[c] and (
                sweep.low[sweep.order[at - 1], 2] > sweep.low[s, 2]
            ):
                sweep.order[at] = sweep.order[at - 1]
                at -= 1
            sweep.order[at] = s
    for k in range(len(sweep.order)):
        s = sweep.order[k]
        for i in range(3):
            sweep.box[k, i] = sweep.low[s, i]
            sweep.box[k, i + 3] = sweep.high[s, i]


@inner_kernel
def boxes_overlap(sweep, a, b):
    """Whether the boxes of two shapes overlap."""
    low, high = sweep.low, sweep.high
    if low[a, 0] > high[b, 0] or low[b, 0] > high[a, 0]:
        return False
    if low[a, 1] > high[b, 1] or low[b, 1] > high[a, 1]:
        return False
    return low[a, 2] <= high[b, 2] and low[b, 2] <= high[a, 2]


@inner_kernel
def _note(sweep, i, k):
    """Note the boxes at two places of ``order`` that share a height if they share the rest as well;
    beyond the room there is, only count them.
    """
    box = sweep.box
    if box[i, 0] > box[k, 3] or box[k, 0] > box[i, 3]:
        return
    if box[i, 1] > box[k, 4] or box[k, 1] > box[i, 4]:
        return
    at = sweep.overlaps[0]
    sweep.overlaps[0] = at + 1
    if at < len(sweep.pair_first):
        a, b = sweep.order[i], sweep.order[k]
        sweep.key[1, at] = (min(a, b) << sweep.bits) | max(a, b)


@inner_kernel
def _sweep_column(sweep, c):
    """Boxes of a column that overlap."""
    end = sweep.cell_first[c + 1]
    for i in range(sweep.cell_first[c], end):
        top = sweep.box[i, 5]
        for k in range(i + 1, end):
            if sweep.box[k, 2] > top:
                break
            _note(sweep, i, k)


@inner_kernel
def _sweep_two_columns(sweep, c1, c2):
    """Boxes of one column that overlap boxes of another."""
    i, end1 = sweep.cell_first[c1], sweep.cell_first[c1 + 1]
    k, end2 = sweep.cell_first[c2], sweep.cell_first[c2 + 1]
    while i < end1 and k < end2:
        first = sweep.box[i, 2] <= sweep.box[k, 2]
        lower = i if first else k
        top = sweep.box[lower, 5]
        begin, end = (k, end2) if first else (i, end1)
        for j in range(begin, end):
            if sweep.box[j, 2] > top:
                break
            _note(sweep, lower, j)
        if first:
            i += 1
        else:
            k += 1


@inner_kernel
def sweep_columns(sweep, columns):
    """All boxes that overlap: in each column, with those beside it, with those of coarser grids.

    A box of a coarser grid begins in the cell that holds this column, one before, or one that boxes
    of this column reach, which end within the column after it.
    """
    for c in range(columns):
        _sweep_column(sweep, c)
        if columns == 1:
            return
        x, y, level = sweep.cell_x[c], sweep.cell_y[c], sweep.cell_level[c]
        for grid in range(level, LEVELS):
            if sweep.on_level[grid] == 0:
                continue
            shift = min(62, 2 * (grid - level))
            ahead = 1 if grid == level else 2
            for i in range((x >> shift) - 1, ((x + ahead) >> shift) + 1):
                for k in range((y >> shift) - 1, ((y + ahead) >> shift) + 1):
                    if grid == level and (k < y or (k == y and i <= x)):
                        continue  # the other one finds this one
                    other = _column_at(sweep, i, k, grid)
                    if other >= 0:
                        _sweep_two_columns(sweep, c, other)
