"""Delassus operator of contacts on jointed bodies: velocities there by impulses there, with joints
and free axes.

The factors LDLᵀ of the joint matrix are those of a saddle system over bodies and joints, which
gives the velocities of all bodies after an impulse (docs/algorithm.md, 14 and 51). For unit
impulses b on two bodies,

    velocity of one by an impulse on the other = (L⁻¹ b₁)ᵀ D⁻¹ (L⁻¹ b₂),

and L⁻¹ b is not zero only on the path from its body to the root of the elimination tree, however
large the machine is. So each body with contacts costs its path, and each pair what their paths
share. What impulses at contacts do follows from those on their bodies: on its centre and about it,
or, where a body has one contact alone and nothing resists turning, on that point.
"""

from __future__ import annotations

from typing import NamedTuple

from impulse_core.algebra import (
    IDENTITY3,
    NO_ROWS,
    Mat3,
    add_product_transposed,
    clear_padded,
    copy_padded,
    cross_matrix,
    padded_at,
    put_padded,
    put_vec3,
    set_product_transposed,
    subtract_product_transposed,
    transposed_times,
    vec3_at,
    vec3_of,
)
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel, kernel
from impulse_core.solver.direct import transposed

__all__ = ["delassus_block", "find_delassus", "push_articulated", "put_block", "turn_articulated"]


class _Response(NamedTuple):
    """Velocities of a body by unit impulses and torque impulses on another."""

    linear: Mat3
    """Velocity of the centre by an impulse there [1/kg], or of points."""
    linear_by_torque: Mat3
    """Velocity by a torque impulse [1/(kg m)]."""
    turning: Mat3
    """Angular velocity by an impulse [1/(kg m)]."""
    turning_by_torque: Mat3
    """Angular velocity by a torque impulse [1/(kg m²)]."""


@deferred_kernel("none")
def find_delassus(structure, contacts, solver_bodies, delassus, block):
    """Find the Delassus operator: its linear part, and where contacts resist turning the mixed and
    the angular one.

    block are the factors, shape (K+E, 12).
    """
    used = delassus.used[0]
    delassus.known[0] = 1
    delassus.rolls[0] = 0
    for k in range(used):
        if contacts.row[delassus.contact[k]].resists > 0.0:
            delassus.rolls[0] = 1
    for k in range(used):
        for m in range(used):
            put_block(delassus.linear, 3 * m, 3 * k, NO_ROWS)
            if delassus.rolls[0]:
                put_block(delassus.mixed, 3 * m, 3 * k, NO_ROWS)
                put_block(delassus.angular, 3 * m, 3 * k, NO_ROWS)
    bodies = _list_bodies(contacts, solver_bodies, delassus)
    for other in range(bodies):
        _push_body(structure, contacts, delassus, block, other)
        for one in range(other + 1):
            response = _response(delassus, one, other)
            _add_response(contacts, delassus, one, other, response)


@inner_kernel
def _list_bodies(contacts, solver_bodies, delassus):
    """List the jointed bodies of the contacts, and the contacts of each; returns how many."""
    count = 0
    for k in range(delassus.used[0]):
        for side in range(2):
            i = _body(contacts, delassus, k, side)
            delassus.next[k, side] = -1
            if not solver_bodies.mark[i].jointed:
                continue
            place = 0
            while place < count and delassus.body[place] != i:
                place += 1
            if place == count:
                delassus.body[place] = i
                delassus.head[place] = -1
                count += 1
            delassus.next[k, side] = delassus.head[place]
            delassus.head[place] = 2 * k + side
    return count


@inner_kernel
def _body(contacts, delassus, k, side):
    """Body 1 or 2 of the k-th contact for side 0 or 1."""
    mark = contacts.mark[delassus.contact[k]]
    return mark.body2 if side else mark.body1


@inner_kernel
def _arm(contacts, delassus, k, side):
    """From that body's centre to the contact, as a matrix r×."""
    row = contacts.row[delassus.contact[k]]
    return cross_matrix(vec3_of(row.arm2 if side else row.arm1))


@inlined_kernel
def _is_point(delassus, place):
    """Whether a body has one contact alone, so that impulses there are all that is asked for."""
    at = delassus.head[place]
    return not delassus.rolls[0] and delassus.next[at // 2, at % 2] < 0


@inner_kernel
def _push_body(structure, contacts, delassus, block, place):
    """Keep L⁻¹ b along the path of a body to the root, for its six unit impulses b, or three at its
    only contact, and leave D⁻¹ L⁻¹ b at its nodes.
    """
    x, node = delassus.column, delassus.node
    first, end = _list_path(structure, delassus, place)
    i, at = delassus.body[place], delassus.head[place]
    linear, angular = structure.bodies[i].linear_node, structure.bodies[i].angular_node
    for p in range(first, end):
        clear_padded(x[0], node[p])
        clear_padded(x[1], node[p])
    put_padded(x[0], linear, IDENTITY3)
    if _is_point(delassus, place):
        put_padded(x[0], angular, transposed(_arm(contacts, delassus, at // 2, at % 2)))
        _reach(structure, block, delassus, 0, first, end)
    else:
        put_padded(x[1], angular, IDENTITY3)
        _reach(structure, block, delassus, 0, first, end)
        _reach(structure, block, delassus, 1, first, end)


@inner_kernel
def _reach(structure, block, delassus, part, first, end):
    """Keep L⁻¹ b of three impulses along a path, and leave D⁻¹ L⁻¹ b at its nodes, transposed."""
    x, kept = delassus.column[part], delassus.kept[part]
    nodes = len(structure.column_start) - 1
    for p in range(first, end):
        n = delassus.node[p]
        copy_padded(kept, p, x, n)
        for e in range(structure.column_start[n], structure.column_start[n + 1]):
            subtract_product_transposed(x, structure.entry_row[e], kept, p, block, nodes + e)
        set_product_transposed(x, n, kept, p, block, n)


@inner_kernel
def _list_path(structure, delassus, place):
    """List the nodes of a body and those between them and the roots, ascending, after those of the
    bodies before it: the first row of a column is the parent of its node. Returns where they are.
    """
    if place == 0:
        delassus.path_start[0] = 0
        for n in range(len(delassus.owner)):
            delassus.owner[n] = -1
    first = end = delassus.path_start[place]
    i = delassus.body[place]
    a, b = structure.bodies[i].linear_node, structure.bodies[i].angular_node
    last = len(structure.column_start)
    while min(a, b) < last:
        n = min(a, b)
        delassus.node[end] = n
        delassus.owner[n] = place
        end += 1
        e = structure.column_start[n]
        parent = last if e == structure.column_start[n + 1] else structure.entry_row[e]
        if a == n:
            a = parent
        if b == n:
            b = parent
    delassus.path_start[place + 1] = end
    return first, end


@inner_kernel
def _response(delassus, one, other):
    """Velocities of a listed body by impulses on another, whose nodes hold D⁻¹ L⁻¹ b; of points
    linear parts alone.
    """
    kept, x, found = delassus.kept, delassus.column, delassus.response
    turns, turned = not _is_point(delassus, one), not _is_point(delassus, other)
    for part in range(4):
        clear_padded(found, part)
    for p in range(delassus.path_start[one], delassus.path_start[one + 1]):
        n = delassus.node[p]
        if delassus.owner[n] == other or one == other:
            add_product_transposed(found, 0, kept[0], p, x[0], n)
            if turned:
                add_product_transposed(found, 1, kept[0], p, x[1], n)
            if turns:
                add_product_transposed(found, 2, kept[1], p, x[0], n)
                if turned:
                    add_product_transposed(found, 3, kept[1], p, x[1], n)
    return _Response(
        padded_at(found, 0), padded_at(found, 1), padded_at(found, 2), padded_at(found, 3)
    )


@inner_kernel
def _add_response(contacts, delassus, one, other, response):
    """Add what two bodies do to the blocks of their contacts."""
    at, by = delassus.head[one], delassus.head[other]
    if _is_point(delassus, one) and _is_point(delassus, other):
        sign = 1.0 if at % 2 == by % 2 else -1.0
        _add_block(delassus.linear, 3 * (at // 2), 3 * (by // 2), response.linear * sign)
        if one != other:
            W = transposed(response.linear) * sign
            _add_block(delassus.linear, 3 * (by // 2), 3 * (at // 2), W)
        return
    while at >= 0:
        m, side = at // 2, at % 2
        r = _arm(contacts, delassus, m, side)
        by = delassus.head[other]
        while by >= 0:
            k, other_side = by // 2, by % 2
            s = _arm(contacts, delassus, k, other_side)
            sign = 1.0 if side == other_side else -1.0
            turn = (response.turning + response.turning_by_torque @ s) * sign
            move = (response.linear + response.linear_by_torque @ s) * sign - r @ turn
            _add_block(delassus.linear, 3 * m, 3 * k, move)
            if one != other:
                _add_block(delassus.linear, 3 * k, 3 * m, transposed(move))
            if delassus.rolls[0]:
                spin = response.turning_by_torque * sign
                _add_block(delassus.mixed, 3 * m, 3 * k, turn)
                _add_block(delassus.angular, 3 * m, 3 * k, spin)
                if one != other:
                    back = transposed(response.linear_by_torque - r @ response.turning_by_torque)
                    _add_block(delassus.mixed, 3 * k, 3 * m, back * sign)
                    _add_block(delassus.angular, 3 * k, 3 * m, transposed(spin))
            by = delassus.next[k, other_side]
        at = delassus.next[m, side]


@inner_kernel
def _add_block(matrix, row, column, W):
    put_block(matrix, row, column, delassus_block(matrix, row, column) + W)


@kernel
def delassus_block(matrix, row, column):
    """The block of a dense matrix that begins at a row and column."""
    return Mat3(
        matrix[row, column], matrix[row, column + 1], matrix[row, column + 2],
        matrix[row + 1, column], matrix[row + 1, column + 1], matrix[row + 1, column + 2],
        matrix[row + 2, column], matrix[row + 2, column + 1], matrix[row + 2, column + 2],
    )  # fmt: skip


@inner_kernel
def put_block(matrix, row, column, W):
    """Make W the block of a dense matrix that begins at a row and column."""
    matrix[row, column], matrix[row, column + 1], matrix[row, column + 2] = W.xx, W.xy, W.xz
    row += 1
    matrix[row, column], matrix[row, column + 1], matrix[row, column + 2] = W.yx, W.yy, W.yz
    row += 1
    matrix[row, column], matrix[row, column + 1], matrix[row, column + 2] = W.zx, W.zy, W.zz


@inlined_kernel
def push_articulated(delassus, k, p):
    """Apply the impulse p at row k of the Delassus operator to all contacts on jointed bodies."""
    for m in range(delassus.used[0]):
        for axis in range(3):
            a = delassus.linear[3 * m + axis, 3 * k] * p.x
            a += delassus.linear[3 * m + axis, 3 * k + 1] * p.y
            a += delassus.linear[3 * m + axis, 3 * k + 2] * p.z
            delassus.velocity[m, axis] += a
    if delassus.rolls[0]:
        for m in range(delassus.used[0]):
            C = delassus_block(delassus.mixed, 3 * m, 3 * k)
            put_vec3(delassus.angular_velocity, m, vec3_at(delassus.angular_velocity, m) + C @ p)


@inlined_kernel
def turn_articulated(delassus, k, t):
    """Apply the torque impulse t at row k of the Delassus operator likewise."""
    for m in range(delassus.used[0]):
        C = delassus_block(delassus.mixed, 3 * k, 3 * m)
        put_vec3(delassus.velocity, m, vec3_at(delassus.velocity, m) + transposed_times(C, t))
        T = delassus_block(delassus.angular, 3 * m, 3 * k)
        put_vec3(delassus.angular_velocity, m, vec3_at(delassus.angular_velocity, m) + T @ t)
