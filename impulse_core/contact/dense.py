"""The linear system of a Newton step over the contacts of an articulated island.

Feet push against each other through stiff joints, so that going from one to the next hardly
converges. The Delassus operator of jointed bodies is a dense matrix anyway.
"""

from __future__ import annotations

from impulse_core.algebra import IDENTITY3, cross_matrix, dot, mat3_of, vec3_of
from impulse_core.contact.delassus import delassus_block, put_block
from impulse_core.contact.law import (
    LEAST_PROXIMAL,
    effective_inverse_mass,
    law_piece,
    sides_of_piece,
    turning_piece,
)
from impulse_core.jit import inlined_kernel, inner_kernel
from impulse_core.solver.direct import transposed

__all__ = ["dense_delassus", "dense_push", "dense_step"]


@inner_kernel
def dense_delassus(contacts, solver_bodies, delassus, work, n, items):
    """Delassus operator of all contacts of an island, and after those n of what resists turning at
    them, into work.delassus.
    """
    for k in range(items):
        for m in range(items):
            c, e = work.mark[k].contact, work.mark[m].contact
            W = _articulated_block(contacts, delassus, c, e, k >= n, m >= n)
            put_block(work.delassus, 3 * k, 3 * m, W)
            _add_free_bodies(contacts, solver_bodies, work, k, m, k >= n, m >= n)


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


@inlined_kernel
def _add_free_bodies(contacts, solver_bodies, work, k, m, turning, turned):
    """Add what the bodies that no joint holds do between two rows of the list."""
    row, mark = contacts.row, contacts.mark
    c, e = work.mark[k].contact, work.mark[m].contact
    for side in range(2):
        i = mark[c].body2 if side else mark[c].body1
        for other in range(2):
            also = mark[e].body2 if other else mark[e].body1
            if solver_bodies.row[i].inverse_mass == 0.0 or i != also:
                continue
            sign = 1.0 if side == other else -1.0
            A = mat3_of(solver_bodies.row[i].inverse_inertia) * sign
            w = 0.0 if turning or turned else sign * solver_bodies.row[i].inverse_mass
            if not turned:
                A = A @ cross_matrix(vec3_of(row[e].arm2 if other else row[e].arm1))
            if not turning:
                A = cross_matrix(vec3_of(row[c].arm2 if side else row[c].arm1)) @ A * -1.0
            _add_block(work.delassus, 3 * k, 3 * m, A, w)


@inlined_kernel
def _add_block(matrix, row, column, A, w):
    """Add A + w·1 to a block of a matrix."""
    matrix[row, column] += A.xx + w
    matrix[row, column + 1] += A.xy
    matrix[row, column + 2] += A.xz
    matrix[row + 1, column] += A.yx
    matrix[row + 1, column + 1] += A.yy + w
    matrix[row + 1, column + 2] += A.yz
    matrix[row + 2, column] += A.zx
    matrix[row + 2, column + 1] += A.zy
    matrix[row + 2, column + 2] += A.zz + w


@inner_kernel
def dense_step(contacts, work, n, items):
    """Put the Newton step of the impulses into their change; False if the system is singular."""
    width = 3 * items
    for k in range(n):
        c = work.mark[k].contact
        w = effective_inverse_mass(contacts.row, c)
        piece = law_piece(
            vec3_of(contacts.row[c].normal),
            vec3_of(work.row[k].trial),
            vec3_of(work.row[k].rate),
            w,
            contacts.row[c].friction,
            contacts.row[c].min_impulse,
            LEAST_PROXIMAL,
        )
        A, B = sides_of_piece(piece)
        f = piece.right
        for m in range(items):
            M = A @ delassus_block(work.delassus, 3 * k, 3 * m)
            if m == k:
                M = M + B * w
            _put_block(work.matrix, width, 3 * k, 3 * m, M)
        work.right[3 * k], work.right[3 * k + 1], work.right[3 * k + 2] = f.x, f.y, f.z
    for k in range(n, items):
        _put_turning(contacts, work, k, items)
    if not _eliminate(work.matrix, work.right, width):
        return False
    for k in range(items):
        for axis in range(3):
            work.row[k].change[axis] = work.right[3 * k + axis]
    return True


@inner_kernel
def _put_turning(contacts, work, k, items):
    """The rows of what resists turning, the k-th of the list."""
    c, place = work.mark[k].contact, work.mark[k].place
    n, w = vec3_of(contacts.row[c].normal), work.row[k].inverse
    A, B, C, f = turning_piece(
        n,
        vec3_of(work.row[k].trial),
        vec3_of(work.row[k].rate),
        w,
        contacts.row[c].rolling,
        contacts.row[c].torsion,
        max(dot(n, vec3_of(work.row[place].trial)), 0.0),
        LEAST_PROXIMAL,
    )
    for m in range(items):
        M = A @ delassus_block(work.delassus, 3 * k, 3 * m)
        if m == k:
            M = M + B * w
        elif m == place:
            M = M + C * w
        _put_block(work.matrix, 3 * items, 3 * k, 3 * m, M)
    work.right[3 * k], work.right[3 * k + 1], work.right[3 * k + 2] = f.x, f.y, f.z


@inlined_kernel
def _put_block(matrix, width, row, column, A):
    k = row * width + column
    matrix[k], matrix[k + 1], matrix[k + 2] = A.xx, A.xy, A.xz
    k += width
    matrix[k], matrix[k + 1], matrix[k + 2] = A.yx, A.yy, A.yz
    k += width
    matrix[k], matrix[k + 1], matrix[k + 2] = A.zx, A.zy, A.zz


@inner_kernel
def _eliminate(matrix, right, n):
    """Solve the system of n rows into its right-hand side; False if it is singular.

    Gaussian elimination with partial pivoting. Its loops run over parts of rows from their
    beginning on: an index that might be negative would keep LLVM from using vectors.
    """
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(matrix[i * n + k]) > abs(matrix[pivot * n + k]):
                pivot = i
        if not (abs(matrix[pivot * n + k]) > 0.0):
            return False
        row = matrix[k * n + k : (k + 1) * n]
        if pivot != k:
            other = matrix[pivot * n + k : (pivot + 1) * n]
            for j in range(len(row)):
                row[j], other[j] = other[j], row[j]
            right[k], right[pivot] = right[pivot], right[k]
        inverse = 1.0 / row[0]
        for i in range(k + 1, n):
            below = matrix[i * n + k : (i + 1) * n]
            factor = below[0] * inverse
            if factor != 0.0:
                for j in range(len(below)):
                    below[j] -= factor * row[j]
                right[i] -= factor * right[k]
    for k in range(n - 1, -1, -1):
        row, known = matrix[k * n + k : (k + 1) * n], right[k:n]
        x = known[0]
        for j in range(1, len(row)):
            x -= row[j] * known[j]
        right[k] = x / row[0]
    return True


@inner_kernel
def dense_push(work, n):
    """Put the change of the relative velocities by that of the impulses into their push."""
    for i in range(3 * n):
        total = 0.0
        for k in range(n):
            for axis in range(3):
                total += work.delassus[i, 3 * k + axis] * work.row[k].change[axis]
        work.row[i // 3].push[i % 3] = total
