"""The linear system of a Newton step over the contacts of an articulated island.

Feet push against each other through stiff joints, so that going from one to the next hardly
converges. The Delassus operator of jointed bodies is a dense matrix anyway.
"""

from __future__ import annotations

from impulse_core.algebra import IDENTITY3, cross_matrix, dot, mat3_of, set_vec3, vec3_of
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
    """Put the Newton step of the impulses into their change; False if the system is singular.

    What stays open in it needs no rows, which in the first half of a step is most of it.
    """
    width = 3 * _settle_open(contacts, work, n, items)
    for k in range(items):
        if work.mark[k].column >= 0:
            _put_rows(contacts, work, k, n, items, width)
    if not _eliminate(work.matrix, work.right, width):
        return False
    for k in range(items):
        if work.mark[k].column >= 0:
            for axis in range(3):
                work.row[k].change[axis] = work.right[3 * work.mark[k].column + axis]
    return True


@inner_kernel
def _settle_open(contacts, work, n, items):
    """Find the change of contacts that stay open, and of what would resist turning at them, which
    depends on nothing else; number all others, and return how many there are.
    """
    count = 0
    for k in range(items):
        place = work.mark[k].place
        if k < n:
            piece = _piece_of(contacts, work, k)
            w = effective_inverse_mass(contacts.row, work.mark[k].contact)
            opens = piece.a_n == 0.0 and piece.a_d == 0.0 and piece.a_t == 0.0
            change = piece.right * (1.0 / (w * piece.b_n))
        else:  # with no force there is A = 0, B = 1
            _, _, C, f = _turning_piece_of(contacts, work, k)
            opens = work.mark[place].column < 0
            change = f * (1.0 / work.row[k].inverse) - C @ vec3_of(work.row[place].change)
            change = change * (1.0 / (1.0 + LEAST_PROXIMAL))
        work.mark[k].column = -1 if opens else count
        if opens:
            set_vec3(work.row[k].change, change)
        else:
            count += 1
    return count


@inlined_kernel
def _piece_of(contacts, work, k):
    """The piece of the law on which contact k of the list is."""
    c = work.mark[k].contact
    return law_piece(
        vec3_of(contacts.row[c].normal),
        vec3_of(work.row[k].trial),
        vec3_of(work.row[k].rate),
        effective_inverse_mass(contacts.row, c),
        contacts.row[c].friction,
        contacts.row[c].min_impulse,
        LEAST_PROXIMAL,
    )


@inlined_kernel
def _turning_piece_of(contacts, work, k):
    """The same of what resists turning, the k-th of the list."""
    c, place = work.mark[k].contact, work.mark[k].place
    n = vec3_of(contacts.row[c].normal)
    return turning_piece(
        n,
        vec3_of(work.row[k].trial),
        vec3_of(work.row[k].rate),
        work.row[k].inverse,
        contacts.row[c].rolling,
        contacts.row[c].torsion,
        max(dot(n, vec3_of(work.row[place].trial)), 0.0),
        LEAST_PROXIMAL,
    )


@inner_kernel
def _put_rows(contacts, work, k, n, items, width):
    """The rows of contact k of the list, or of what resists turning: A Δu + w (B Δp + C Δp') = f,
    with p' the impulse of the contact at which it does.
    """
    if k < n:
        piece = _piece_of(contacts, work, k)
        A, B = sides_of_piece(piece)
        C, f = IDENTITY3 * 0.0, piece.right
        w = effective_inverse_mass(contacts.row, work.mark[k].contact)
    else:
        A, B, C, f = _turning_piece_of(contacts, work, k)
        w = work.row[k].inverse
    row = 3 * work.mark[k].column
    for m in range(items):
        M = A @ delassus_block(work.delassus, 3 * k, 3 * m)
        if m == k:
            M = M + B * w
        elif k >= n and m == work.mark[k].place:
            M = M + C * w
        column = work.mark[m].column
        if column >= 0:
            _put_block(work.matrix, width, row, 3 * column, M)
        else:
            f = f - M @ vec3_of(work.row[m].change)
    work.right[row], work.right[row + 1], work.right[row + 2] = f.x, f.y, f.z


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
