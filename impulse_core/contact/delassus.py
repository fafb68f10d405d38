"""Delassus operator of contacts on jointed bodies: velocities there by impulses there, with joints
and free axes.

The factors of the joint matrix are those of a saddle system over bodies and joints. It gives the
velocities of all bodies after an impulse (docs/algorithm.md, 14 and 51). An impulse on a foot
changes only what comes after the foot in the order of elimination, and of the solution only the
velocities of bodies with contacts are wanted: both are paths to the root of the elimination tree,
however large the machine is.
"""

from __future__ import annotations

from impulse_core.algebra import IDENTITY3, Mat3, cross_matrix, mat3_at, put_mat3, vec3_of
from impulse_core.jit import inlined_kernel, inner_kernel, kernel
from impulse_core.solver.direct import transposed

__all__ = ["delassus_block", "find_delassus", "put_block"]


@inner_kernel
def find_delassus(structure, contacts, solver_bodies, delassus, block):
    """Find the Delassus operator: its linear part, and where contacts resist turning the mixed and
    the angular one.

    block are the factors, shape (K+E, 9).
    """
    delassus.rolls[0] = 0
    for k in range(delassus.used[0]):
        if contacts.row[delassus.contact[k]].resists > 0.0:
            delassus.rolls[0] = 1
    count = _list_nodes(structure, contacts, solver_bodies, delassus)
    for column in range(2 * delassus.used[0]):
        k, turning = column // 2, column % 2
        if turning and not contacts.row[delassus.contact[k]].resists > 0.0:
            continue
        for visit in range(count):
            put_mat3(delassus.column, delassus.node[visit], IDENTITY3 * 0.0)
        first = _push_columns(
            structure, contacts, solver_bodies, delassus, delassus.contact[k], turning
        )
        _solve_columns(structure, delassus, block, count, first)
        for m in range(delassus.used[0]):
            W, S = _velocity_columns(
                structure, contacts, solver_bodies, delassus, delassus.contact[m]
            )
            if turning:
                put_block(delassus.angular, 3 * m, 3 * k, S)
            else:
                put_block(delassus.linear, 3 * m, 3 * k, W)
                if delassus.rolls[0]:
                    put_block(delassus.mixed, 3 * m, 3 * k, S)


@inner_kernel
def _jointed_body(contacts, solver_bodies, c, side):
    """Body 1 or 2 of contact c for side 0 or 1; -1 if no joint holds it."""
    i = contacts.mark[c].body2 if side else contacts.mark[c].body1
    return i if solver_bodies.mark[i].jointed else -1


@inner_kernel
def _list_nodes(structure, contacts, solver_bodies, delassus):
    """List the nodes of all bodies with contacts, and those between them and the roots, ascending;
    returns how many there are.
    """
    wanted = delassus.node_wanted
    for n in range(len(wanted)):
        wanted[n] = 0
    for k in range(delassus.used[0]):
        for side in range(2):
            i = _jointed_body(contacts, solver_bodies, delassus.contact[k], side)
            if i >= 0:
                _want_path(structure, wanted, structure.bodies[i].linear_node)
                _want_path(structure, wanted, structure.bodies[i].angular_node)
    count = 0
    for n in range(len(wanted)):
        if wanted[n]:
            delassus.node[count] = n
            count += 1
    return count


@inner_kernel
def _want_path(structure, wanted, n):
    """Mark a node and its ancestors: the first row of a column is the parent of its node."""
    while not wanted[n]:
        wanted[n] = 1
        e = structure.column_start[n]
        if e == structure.column_start[n + 1]:
            return
        n = structure.entry_row[e]


@inner_kernel
def _push_columns(structure, contacts, solver_bodies, delassus, c, turning):
    """Put unit impulses at contact c on the right-hand side, or unit torque impulses if it is to be
    turned, one a column; returns the first node that they act on.
    """
    first = len(delassus.node_wanted)
    for side in range(2):
        i = _jointed_body(contacts, solver_bodies, c, side)
        if i >= 0:
            r = cross_matrix(vec3_of(contacts.row[c].arm2 if side else contacts.row[c].arm1))
            sign = 1.0 if side else -1.0
            linear, angular = structure.bodies[i].linear_node, structure.bodies[i].angular_node
            if turning:
                r = IDENTITY3
            else:
                put_mat3(
                    delassus.column, linear, mat3_at(delassus.column, linear) + IDENTITY3 * sign
                )
            put_mat3(delassus.column, angular, mat3_at(delassus.column, angular) + r * sign)
            first = min(first, linear, angular)
    return first


@inlined_kernel
def _solve_columns(structure, delassus, block, count, first):
    """Solve the saddle system for three right-hand sides at the listed nodes, from the first on."""
    x = delassus.column
    nodes = len(delassus.node_wanted)
    for visit in range(count):
        n = delassus.node[visit]
        if n < first:
            continue
        y = mat3_at(x, n)
        for e in range(structure.column_start[n], structure.column_start[n + 1]):
            row = structure.entry_row[e]
            put_mat3(x, row, mat3_at(x, row) - mat3_at(block, nodes + e) @ y)
    for visit in range(count - 1, -1, -1):
        n = delassus.node[visit]
        y = mat3_at(block, n) @ mat3_at(x, n)
        for e in range(structure.column_start[n], structure.column_start[n + 1]):
            L = transposed(mat3_at(block, nodes + e))
            y = y - L @ mat3_at(x, structure.entry_row[e])
        put_mat3(x, n, y)


@inner_kernel
def _velocity_columns(structure, contacts, solver_bodies, delassus, c):
    """Part of the jointed bodies in the relative velocity and the relative angular velocity of
    contact c, for each column.
    """
    u = IDENTITY3 * 0.0
    turn = IDENTITY3 * 0.0
    for side in range(2):
        i = _jointed_body(contacts, solver_bodies, c, side)
        if i >= 0:
            r = cross_matrix(vec3_of(contacts.row[c].arm2 if side else contacts.row[c].arm1))
            v = mat3_at(delassus.column, structure.bodies[i].linear_node)
            w = mat3_at(delassus.column, structure.bodies[i].angular_node)
            sign = 1.0 if side else -1.0
            u = u + (v - r @ w) * sign
            turn = turn + w * sign
    return u, turn


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
