"""The linear system of a Newton step over the contacts of an articulated island.

Feet push against each other through stiff joints, so that going from one to the next hardly
converges. The Delassus operator of jointed bodies is a dense matrix anyway.
"""

from __future__ import annotations

from impulse_core.algebra import (
    IDENTITY3,
    NO_ROWS,
    cross_matrix,
    mat3_of,
    set_mat3,
    set_vec3,
    vec3_of,
)
from impulse_core.contact.delassus import delassus_block, put_block
from impulse_core.contact.elimination import eliminate, solve_eliminated, stride_of
from impulse_core.contact.law import LEAST_PROXIMAL, sides_of_piece
from impulse_core.contact.newton_rows import piece_of, turning_piece_of
from impulse_core.jit import inlined_kernel, inner_kernel
from impulse_core.solver.direct import transposed

__all__ = ["dense_delassus", "dense_push", "dense_step", "response"]


@inner_kernel
def dense_delassus(contacts, solver_bodies, delassus, work, n, items):
    """Delassus operator of all contacts of an island, and after those n of what resists turning at
    them, into work.delassus.
    """
    for k in range(items):
        for m in range(k + 1):
            W = response(contacts, solver_bodies, delassus, work, n, k, m)
            put_block(work.delassus, 3 * k, 3 * m, W)
            if m < k:
                put_block(work.delassus, 3 * m, 3 * k, transposed(W))


@inlined_kernel
def response(contacts, solver_bodies, delassus, work, n, k, m):
    """The block of the Delassus operator for rows k and m of a list: what an impulse at the second
    does at the first.
    """
    c, e = work.mark[k].contact, work.mark[m].contact
    W = _articulated_block(contacts, delassus, c, e, k >= n, m >= n)
    if _is_free(contacts, solver_bodies, c, 0) or _is_free(contacts, solver_bodies, c, 1):
        W = W + _by_free_bodies(contacts, solver_bodies, c, e, k >= n, m >= n)
    return W


@inlined_kernel
def _is_free(contacts, solver_bodies, c, side):
    """Whether no joint holds a body of contact c that can move."""
    i = contacts.mark[c].body2 if side else contacts.mark[c].body1
    return solver_bodies.row[i].inverse_mass > 0.0


@inner_kernel
def _articulated_block(contacts, delassus, c, e, turning, turned):
    """Velocity at contact c by an impulse at contact e through jointed bodies, or the angular
    velocity there, by a torque impulse.
    """
    j, l = contacts.mark[c].delassus_row, contacts.mark[e].delassus_row
    if j < 0 or l < 0:
        return IDENTITY3 * 0.0
    if turning and turned:
        return delassus_block(delassus.angular, 3 * j, 3 * l)
    if turning:
        return delassus_block(delassus.mixed, 3 * j, 3 * l)
    if turned:
        return transposed(delassus_block(delassus.mixed, 3 * l, 3 * j))
    return delassus_block(delassus.linear, 3 * j, 3 * l)


@inner_kernel
def _by_free_bodies(contacts, solver_bodies, c, e, turning, turned):
    """The velocity at contact c by an impulse at contact e through bodies that no joint holds, or
    the angular velocity there, or by a torque impulse.
    """
    row, mark, W = contacts.row, contacts.mark, NO_ROWS
    for side in range(2):
        i = mark[c].body2 if side else mark[c].body1
        for other in range(2):
            also = mark[e].body2 if other else mark[e].body1
            if solver_bodies.row[i].inverse_mass == 0.0 or i != also:
                continue
            sign = 1.0 if side == other else -1.0
            A = mat3_of(solver_bodies.row[i].inverse_inertia) * sign
            if not turned:
                A = A @ cross_matrix(vec3_of(row[e].arm2 if other else row[e].arm1))
            if not turning:
                A = cross_matrix(vec3_of(row[c].arm2 if side else row[c].arm1)) @ A * -1.0
            if not (turning or turned):
                A = A + IDENTITY3 * (sign * solver_bodies.row[i].inverse_mass)
            W = W + A
    return W


@inner_kernel
def dense_step(work, n, items, again):
    """Put the Newton step of the impulses into their change; False if the system is singular.

    What stays open in it needs no rows, which in the first half of a step is most of it. ``again``:
    with the matrix of the step before, if the same contacts have rows.
    """
    width, same = _find_pieces(work, n, items)
    stride = stride_of(width)
    again = again and same
    for k in range(items):
        if work.mark[k].column >= 0:
            _put_right_side(work, k, items)
            if not again:
                _put_rows(work, k, n, items, stride)
    if not again:
        for row in range(width):
            for column in range(width, stride):
                work.matrix[row * stride + column] = 0.0
        if not eliminate(work.matrix, work.pivot, width, stride):
            return False
    solve_eliminated(work.matrix, work.pivot, work.right, width, stride)
    for k in range(items):
        if work.mark[k].column >= 0:
            for axis in range(3):
                work.row[k].change[axis] = work.right[3 * work.mark[k].column + axis]
    return True


@inner_kernel
def _find_pieces(work, n, items):
    """Find the piece of the law on which each contact of the list is, and what resists turning at
    it: A Δu + B Δp + C Δp' = f, with p' the impulse of the contact at which it does.

    What stays open depends on nothing else, and its change is found; all others are numbered.
    Returns how many rows they have, and whether they are the same as before.
    """
    count, same = 0, True
    for k in range(items):
        place, C = work.mark[k].place, NO_ROWS
        if k < n:
            piece, w = piece_of(work.row[k], LEAST_PROXIMAL, False), work.row[k].inverse
            opens = piece.a_n == 0.0 and piece.a_d == 0.0 and piece.a_t == 0.0
            change = piece.right * (1.0 / (w * piece.b_n))
            A, B = sides_of_piece(piece)
            f = piece.right
        else:  # with no force there is A = 0, B = 1
            w = work.row[k].inverse
            A, B, C, f = turning_piece_of(work.row[k], work.row[place], LEAST_PROXIMAL)
            opens = work.mark[place].column < 0
            change = f * (1.0 / w) - C @ vec3_of(work.row[place].change)
            change = change * (1.0 / (1.0 + LEAST_PROXIMAL))
        set_mat3(work.row[k].stiffness, A)
        set_mat3(work.row[k].softness, B * w)
        set_mat3(work.row[k].coupling, C * w)
        set_vec3(work.row[k].load, f)
        column = -1 if opens else count
        same = same and work.mark[k].column == column
        work.mark[k].column = column
        if opens:
            set_vec3(work.row[k].change, change)
        else:
            count += 1
    return 3 * count, same


@inner_kernel
def _put_right_side(work, k, items):
    """The right-hand side of the k-th of the list, with what open contacts do, which is known."""
    A, f = mat3_of(work.row[k].stiffness), vec3_of(work.row[k].load)
    for m in range(items):
        if work.mark[m].column < 0:
            M = delassus_block(work.delassus, 3 * k, 3 * m)
            f = f - A @ (M @ vec3_of(work.row[m].change))
    row = 3 * work.mark[k].column
    work.right[row], work.right[row + 1], work.right[row + 2] = f.x, f.y, f.z


@inner_kernel
def _put_rows(work, k, n, items, stride):
    """The rows of the k-th of the list, in which Δu = W Δp."""
    A, B = mat3_of(work.row[k].stiffness), mat3_of(work.row[k].softness)
    sticks = A == IDENTITY3
    row = 3 * work.mark[k].column
    for m in range(items):
        column = work.mark[m].column
        if column < 0:
            continue
        M = delassus_block(work.delassus, 3 * k, 3 * m)
        if not sticks:
            M = A @ M
        if m == k:
            M = M + B
        elif k >= n and m == work.mark[k].place:
            M = M + mat3_of(work.row[k].coupling)
        _put_block(work.matrix, stride, row, 3 * column, M)


@inlined_kernel
def _put_block(matrix, stride, row, column, A):
    k = row * stride + column
    matrix[k], matrix[k + 1], matrix[k + 2] = A.xx, A.xy, A.xz
    k += stride
    matrix[k], matrix[k + 1], matrix[k + 2] = A.yx, A.yy, A.yz
    k += stride
    matrix[k], matrix[k + 1], matrix[k + 2] = A.zx, A.zy, A.zz


@inner_kernel
def dense_push(work, n):
    """Put the change of the relative velocities by that of the impulses into their push."""
    push = work.right[: 3 * n]
    for i in range(len(push)):
        push[i] = 0.0
    for k in range(n):
        for axis in range(3):
            x, column = work.row[k].change[axis], work.delassus[3 * k + axis, : 3 * n]  # W = Wᵀ
            for i in range(len(push)):
                push[i] += column[i] * x
    for k in range(n):
        for axis in range(3):
            work.row[k].push[axis] = push[3 * k + axis]
