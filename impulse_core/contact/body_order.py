"""The order of the free bodies of an island in the linear system of a Newton step.

Blocks of it are filled where two bodies touch. In the order in which one reaches them from an end
of the island these lie near the diagonal (Cuthill and McKee 1969): the cost grows as the number of
bodies in a tower, however high.
"""

from __future__ import annotations

from impulse_core.contact.islands import island_of
from impulse_core.jit import deferred_kernel, inner_kernel

__all__ = ["order_bodies"]


@deferred_kernel("int64", "int64")
def order_bodies(contacts, solver_bodies, work, n):
    """Give the free bodies of an island places near those of the bodies they touch.

    Returns how many there are, and the largest difference of the places of two that touch. Towers
    and rows are often listed from one end to the other as they are.
    """
    count = _list_bodies(contacts, solver_bodies, work)
    bandwidth = _bandwidth(contacts, solver_bodies, work, n)
    if bandwidth <= 1:
        return count, bandwidth
    count = _reorder(contacts, solver_bodies, work, n)
    return count, _bandwidth(contacts, solver_bodies, work, n)


@inner_kernel
def _list_bodies(contacts, solver_bodies, work):
    """Give the free bodies of an island places in the order of their rows; how many there are."""
    solver_body = solver_bodies.mark
    body = solver_body[island_of(contacts.mark, solver_body, work.mark[0].contact)].first_body
    count = 0
    while body >= 0:
        if solver_bodies.row[body].inverse_mass > 0.0:
            solver_body[body].place = count
            work.order[count] = body
            count += 1
        body = solver_body[body].next_body
    return count


@inner_kernel
def _bandwidth(contacts, solver_bodies, work, n):
    """The largest difference of the places of two bodies that touch."""
    mark, solver_body, bandwidth = contacts.mark, solver_bodies.mark, 0
    for k in range(n):
        a = solver_body[mark[work.mark[k].contact].body1].place
        b = solver_body[mark[work.mark[k].contact].body2].place
        if a >= 0 and b >= 0:
            bandwidth = max(bandwidth, abs(a - b))
    return bandwidth


@inner_kernel
def _reorder(contacts, solver_bodies, work, n):
    """Give them places in the order in which one reaches them from an end; how many there are."""
    mark, solver_body, link = contacts.mark, solver_bodies.mark, work.mark
    for k in range(n):
        for side in range(2):
            c = link[k].contact
            i = mark[c].body2 if side else mark[c].body1
            if solver_bodies.row[i].inverse_mass > 0.0:
                solver_body[i].place = -1
                solver_body[i].link = -1
    start = -1
    for k in range(n - 1, -1, -1):
        for side in range(2):
            c = link[k].contact
            i = mark[c].body2 if side else mark[c].body1
            if solver_bodies.row[i].inverse_mass > 0.0:
                link[k].links[side] = solver_body[i].link
                solver_body[i].link = 2 * k + side
                start = i
    count = 0
    for _ in range(2):  # from anywhere, then from the farthest body
        for k in range(count):
            solver_body[work.order[k]].place = -1
        count = _spread(mark, solver_bodies, work, start)
        start = work.order[count - 1]
    return count


@inner_kernel
def _spread(mark, solver_bodies, work, start):
    """Places in the order in which contacts lead to bodies; returns how many were reached."""
    solver_body, link, order = solver_bodies.mark, work.mark, work.order
    order[0] = start
    solver_body[start].place = 0
    count = 1
    done = 0
    while done < count:
        e = solver_body[order[done]].link
        while e >= 0:
            k, side = e >> 1, e & 1
            c = link[k].contact
            i = mark[c].body1 if side else mark[c].body2
            if solver_bodies.row[i].inverse_mass > 0.0 and solver_body[i].place < 0:
                solver_body[i].place = count
                order[count] = i
                count += 1
            e = link[k].links[side]
        done += 1
    return count
