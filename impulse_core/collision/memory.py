"""What is remembered of contact points: their impulses at the end of a step, or a part of one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from impulse_core.algebra import set_vec3, vec3_of
from impulse_core.jit import inner_kernel
from impulse_core.types import Floats, Ints, Records, by_address, i8, new_records, record, vec3

__all__ = [
    "Memory",
    "MemoryMark",
    "MemoryRow",
    "copy_impulses",
    "copy_memory",
    "copy_memory_point",
    "new_memory",
]


@record
class MemoryMark:
    """Identity of a contact point, and its state at the end of the last step."""

    pair: i8
    """Key of the pair of shapes."""
    feature: i8
    """Name of the point among those of the pair."""
    sticking: i8
    """1 where its impulse was within its cone."""
    bore: i8
    """1 where it carried an impulse."""
    steady: i8
    """1 where its impulses are forces (contact/held.py, ``is_force``)."""


@record
class MemoryRow:
    """Impulses of a point at the end of the last step; fields as in ContactRow."""

    first: vec3
    """[N s]."""
    second: vec3
    """[N s]."""
    roll_first: vec3
    """[N m s]."""
    roll_second: vec3
    """[N m s]."""


@by_address
class Memory(NamedTuple):
    """Contact points and their impulses at the end of the last step, or part of one."""

    step: Floats
    """Its length [s], shape (1,)."""
    used: Ints
    """Rows in use, shape (1,)."""
    mark: Records
    """Of each point (MemoryMark), shape (c,)."""
    multiplier: Floats
    """Impulses of joints and axes in its second half [N s | N m s], shape (m, 6)."""
    row: Records
    """Of each point (MemoryRow), shape (c,)."""


def new_memory(rows: int, joints: int) -> Memory:
    """Memory for a number of contact points, in a scene with so many joints."""
    return Memory(
        step=np.zeros(1),
        used=np.zeros(1, dtype=np.int64),
        mark=new_records(MemoryMark, rows),
        multiplier=np.zeros((joints, 6)),
        row=new_records(MemoryRow, rows),
    )


@inner_kernel
def copy_impulses(source, target, factor, turns):  # type: ignore[no-untyped-def]
    """Copy the impulses of one contact's record to another, times a factor; torques only where it
    ``turns``, since others have none.
    """
    set_vec3(target.first, factor * vec3_of(source.first))
    set_vec3(target.second, factor * vec3_of(source.second))
    if turns:
        set_vec3(target.roll_first, factor * vec3_of(source.roll_first))
        set_vec3(target.roll_second, factor * vec3_of(source.roll_second))


@inner_kernel
def copy_memory_point(source, m, target, k, factor):  # type: ignore[no-untyped-def]
    """Copy point m of a memory to point k of another, its impulses times a factor."""
    mark, other = target.mark[k], source.mark[m]
    mark.pair, mark.feature = other.pair, other.feature
    mark.sticking, mark.bore, mark.steady = other.sticking, other.bore, other.steady
    copy_impulses(source.row[m], target.row[k], factor, True)


@inner_kernel
def copy_memory(source, target):  # type: ignore[no-untyped-def]
    """Let another memory hold the same."""
    target.step[0] = source.step[0]
    target.used[0] = source.used[0]
    for c in range(source.used[0]):
        copy_memory_point(source, c, target, c, 1.0)
    for j in range(len(source.multiplier)):
        for k in range(6):
            target.multiplier[j, k] = source.multiplier[j, k]
