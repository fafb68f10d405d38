"""Contacts of bodies that sleep or nap: kept beside those of a step, with their forces and places.

Both memories ascend by the pairs of shapes, so that detection walks along them.
"""

from __future__ import annotations

from impulse_core.algebra import set_vec3, vec3_of
from impulse_core.collision.memory import copy_memory_point
from impulse_core.jit import deferred_kernel, inner_kernel

__all__ = ["freeze", "thaw"]


@deferred_kernel("none")
def freeze(shapes_body, sleep, memory, contacts):
    """Move the memory of contacts of bodies that sleep to the frozen one, which has room for it.
    The memory is that of the contacts, one by one.
    """
    source, target = memory, sleep.frozen
    moving = _how_many(shapes_body, sleep, source, True)
    _move_rows(shapes_body, sleep, contacts, source, target, True, moving, 1.0 / memory.step[0])


@deferred_kernel("boolean")
def thaw(shapes_body, sleep, memory, contacts, needed):
    """Move the memory of contacts of bodies that woke back; False without room, of which needed[0]
    then tells.
    """
    source, target = sleep.frozen, memory
    moving = _how_many(shapes_body, sleep, source, False)
    if target.used[0] + moving > len(target.row):
        needed[0] = target.used[0] + moving
        return False
    _move_rows(shapes_body, sleep, contacts, source, target, False, moving, memory.step[0])
    return True


@inner_kernel
def _how_many(shapes_body, sleep, source, freezes):
    """How many rows of a memory are of bodies that sleep, or of those that do not."""
    moving = 0
    for m in range(source.used[0]):
        if _sleeps(shapes_body, sleep.asleep, source.mark[m].pair) == freezes:
            moving += 1
    return moving


@inner_kernel
def _move_rows(shapes_body, sleep, contacts, source, target, freezes, moving, scale):
    """Move so many rows of bodies that sleep to the frozen memory, or of those that do not from it,
    with the impulses multiplied by a scale.
    """
    if moving == 0:
        return
    total = target.used[0] + moving
    t, s = target.used[0] - 1, source.used[0] - 1
    for place in range(total - 1, -1, -1):  # from the end, so that nothing is overwritten
        while s >= 0 and _sleeps(shapes_body, sleep.asleep, source.mark[s].pair) != freezes:
            s -= 1
        if s >= 0 and (t < 0 or source.mark[s].pair > target.mark[t].pair):
            copy_memory_point(source, s, target, place, scale)
            if freezes:
                _keep_point(contacts, s, sleep.points[place])
            s -= 1
        else:
            copy_memory_point(target, t, target, place, 1.0)
            if freezes:
                sleep.points[place] = sleep.points[t]
            t -= 1
    target.used[0] = total
    kept = 0
    for m in range(source.used[0]):
        if _sleeps(shapes_body, sleep.asleep, source.mark[m].pair) != freezes:
            copy_memory_point(source, m, source, kept, 1.0)
            if not freezes:
                sleep.points[kept] = sleep.points[m]
            kept += 1
    source.used[0] = kept
    _count_bearing(sleep)


@inner_kernel
def _keep_point(contacts, c, point):
    """Keep where contact c is."""
    mark, row = contacts.mark[c], contacts.row[c]
    point.shape1, point.shape2, point.body1 = mark.shape1, mark.shape2, mark.body1
    set_vec3(point.arm1, vec3_of(row.arm1))
    set_vec3(point.normal, vec3_of(row.normal))


@inner_kernel
def _count_bearing(sleep):
    """Count the frozen contacts that bear a force."""
    bearing = 0
    for m in range(sleep.frozen.used[0]):
        bearing += sleep.frozen.mark[m].bore
    sleep.number[1] = bearing


@inner_kernel
def _sleeps(shapes_body, asleep, key):
    """Whether a body of a pair of shapes sleeps."""
    return asleep[shapes_body[key >> 32]] == 1 or asleep[shapes_body[key & 0xFFFFFFFF]] == 1
