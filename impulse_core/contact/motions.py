"""The linear system of a Newton step over the motions that an articulated island has at its
contacts.

A track of thirty links touches its wheels and the ground at fifty points, but moves there in 36
ways. Its Delassus operator has no more dimensions, W = Yᵀ Y + G, with a row of Y for each motion
and the diagonal matrix G of what contacts give way (give.py). With Δp = g - K Δu at each contact,
in which what it gives way is known already, the motions s = Y Δp follow from

    (1 + Y K Yᵀ) s = Y g,      Δu = Yᵀ s + G Δp                    (docs/algorithm.md, section 11)

so that a step costs as the number of contacts does. What resists turning at a contact,
Δt = g - K Δω - E Δp, has columns of Y as well.

All numbers are in one array: scratch, the rows of Y, and those of K Yᵀ. A row has all x of the
contacts first, then all y, then all z, so that lanes of the processor see to four contacts at once.
"""

from __future__ import annotations

import math

from impulse_core.algebra import Vec3, mat3_of, set_vec3, vec3_of
from impulse_core.contact.dense import response
from impulse_core.contact.elimination import (
    dot_of_rows,
    dots_of_rows,
    eliminate,
    solve_eliminated,
    stride_of,
    subtract_row,
)
from impulse_core.contact.law import LEAST_PROXIMAL, softened
from impulse_core.contact.newton_rows import piece_of, put_changes, put_law, put_turning_law
from impulse_core.contact.newton_work import MOST_WORK
from impulse_core.jit import deferred_kernel, inlined_kernel, inner_kernel, lanes

__all__ = ["LEAST_GIVING", "find_motions", "motions_push", "motions_step"]

LEAST_GIVING = 1e-9  # proximal term, relative, where what contacts give way shares their load
_NONE = 1e-12  # of the diagonal of W, and
_LITTLE = 1e-2  # of what a contact gives way, that is no motion of its own
_LEFT, _LIMIT, _LOADS, _LAWS, _SCRATCH = 0, 1, 2, 3, 6  # rows in front, three of them planes of K


@inner_kernel
def find_motions(contacts, solver_bodies, delassus, work, n, items, free):
    """Find Y by Cholesky's method with pivots (Higham 1990): the number of its rows, or -1 where
    there is no room for them or they would be too much work. Each of so many ``free`` bodies has
    six or nearly so.
    """
    numbers, plane = work.motions, stride_of(items)
    stride = 3 * plane
    rooms = (len(numbers) // stride - _SCRATCH - lanes.LANES) // 2
    most = min(int(math.sqrt(MOST_WORK / stride)), rooms)
    if most < 6 * free:
        return -1
    for j in range(2 * stride):
        numbers[j] = 0.0
    for k in range(items):
        W = response(contacts, solver_bodies, delassus, work, n, k, k)
        diagonal = Vec3(W.xx, W.yy, W.zz)
        for axis in range(3):
            w, gives = diagonal[axis] - work.row[k].gives, work.row[k].gives
            numbers[_LEFT * stride + axis * plane + k] = w
            numbers[_LIMIT * stride + axis * plane + k] = max(_NONE * w, _LITTLE * gives)
    for motion in range(most + 1):
        pivot = _next_pivot(numbers, stride)
        if pivot < 0:
            return motion
        if motion < most:
            _put_column(contacts, solver_bodies, delassus, work, n, items, motion, pivot)
            _orthogonalise(numbers, stride, motion, pivot)
    return -1


@inlined_kernel
def _next_pivot(numbers, stride):
    """Of which column of W the most is left, as a multiple of its limit; -1 where it is less."""
    pivot, most = -1, 1.0
    for j in range(stride):
        left, limit = numbers[_LEFT * stride + j], numbers[_LIMIT * stride + j]
        if left > most * limit:
            pivot, most = j, left / limit
    return pivot


@inner_kernel
def _put_column(contacts, solver_bodies, delassus, work, n, items, motion, pivot):
    """Put a column of W - G in place of the row of a motion."""
    numbers, plane = work.motions, stride_of(items)
    to, k, axis = (_SCRATCH + motion) * 3 * plane, pivot % plane, pivot // plane
    for j in range(3 * plane):
        numbers[to + j] = 0.0
    for m in range(items):
        W = response(contacts, solver_bodies, delassus, work, n, k, m)  # W is symmetric
        if axis == 0:
            w = Vec3(W.xx, W.xy, W.xz)
        elif axis == 1:
            w = Vec3(W.yx, W.yy, W.yz)
        else:
            w = Vec3(W.zx, W.zy, W.zz)
        _put_vec3(numbers, to + m, plane, w)
    numbers[to + pivot] -= work.row[k].gives


@inlined_kernel
def _orthogonalise(numbers, stride, motion, pivot):
    """Make the column that stands in the row of a motion one of the factor Y, and take it from what
    is left.
    """
    row = (_SCRATCH + motion) * stride
    for other in range(_SCRATCH, _SCRATCH + motion):
        subtract_row(numbers, row, other * stride, numbers[other * stride + pivot], 0, stride)
    inverse_root = 1.0 / math.sqrt(numbers[_LEFT * stride + pivot])
    left, y = numbers[_LEFT * stride : (_LEFT + 1) * stride], numbers[row : row + stride]
    for j in range(len(left)):
        y[j] *= inverse_root
        left[j] -= y[j] * y[j]
    left[pivot] = 0.0


@deferred_kernel("boolean")
def motions_step(work, n, items, motions, proximal):
    """Put the Newton step of the impulses at n contacts, and of what resists turning in the rows
    that follow, with a proximal term, into their change; False if the system is singular.

    The term is no less than ``LEAST_PROXIMAL`` where contacts do not give way.
    """
    numbers, matrix = work.motions, work.matrix
    stride, width = 3 * stride_of(items), stride_of(motions)
    _linearise(work, n, items, proximal)
    for a in range(motions):
        _apply_laws(numbers, stride // 3, _SCRATCH + a, _SCRATCH + motions + a)
    _couple_turning(work, n, items, motions)
    for a in range(motions, width):
        end = (_SCRATCH + motions + a) * stride
        for j in range(stride):
            numbers[end + j] = 0.0
    first = (_SCRATCH + motions) * stride
    for a in range(motions):
        row, products = (_SCRATCH + a) * stride, _LEFT * stride
        for b in range(0, width, lanes.LANES):
            dots_of_rows(numbers, products, row, first + b * stride, stride, 0, stride)
            for m in range(lanes.LANES):
                matrix[a * width + b + m] = numbers[products + m]
        matrix[a * width + a] += 1.0
    if not eliminate(matrix, work.pivot, motions, width):
        return False
    _find_changes(work, n, items, motions)
    return True


@inner_kernel
def _linearise(work, n, items, proximal):
    """Linearise all laws at the present iterate, and put K into planes."""
    numbers, plane = work.motions, stride_of(items)
    to = 3 * plane * _LAWS
    for part in range(9):  # what fills the lanes may be no number
        for k in range(items, plane):
            numbers[to + part * plane + k] = 0.0
    for k in range(items):
        row = work.row[k]
        if k < n:
            loose = max(proximal, LEAST_GIVING if row.gives > 0.0 else LEAST_PROXIMAL)
            piece = softened(piece_of(row, loose, False), row.gives / row.inverse)
            K, _ = put_law(row, piece, piece.right, loose)
        else:
            K, _ = put_turning_law(work, k, max(proximal, LEAST_PROXIMAL))
        _put_vec3(numbers, to + k, plane, Vec3(K.xx, K.xy, K.xz))
        _put_vec3(numbers, to + 3 * plane + k, plane, Vec3(K.yx, K.yy, K.yz))
        _put_vec3(numbers, to + 6 * plane + k, plane, Vec3(K.zx, K.zy, K.zz))


@inlined_kernel
def _apply_laws(numbers, plane, row, to):
    """Put K y of one row into another."""
    x, y, z = _planes(numbers, plane, row)
    xx, xy, xz = _planes(numbers, plane, _LAWS)
    yx, yy, yz = _planes(numbers, plane, _LAWS + 1)
    zx, zy, zz = _planes(numbers, plane, _LAWS + 2)
    a, b, c = _planes(numbers, plane, to)
    for k in range(len(x)):
        a[k] = xx[k] * x[k] + xy[k] * y[k] + xz[k] * z[k]
        b[k] = yx[k] * x[k] + yy[k] * y[k] + yz[k] * z[k]
        c[k] = zx[k] * x[k] + zy[k] * y[k] + zz[k] * z[k]


@inlined_kernel
def _planes(numbers, plane, row):
    """The x, y and z of a row."""
    at = 3 * plane * row
    x, y = numbers[at : at + plane], numbers[at + plane : at + 2 * plane]
    return x, y, numbers[at + 2 * plane : at + 3 * plane]


@inner_kernel
def _couple_turning(work, n, items, motions):
    """Add to K y of what resists turning what the forces of their contacts do, -E K' y."""
    numbers, plane = work.motions, stride_of(items)
    for k in range(n, items):
        place = work.mark[k].place
        Q = mat3_of(work.row[k].coupling) @ mat3_of(work.row[place].stiffness) * -1.0
        for a in range(_SCRATCH, _SCRATCH + motions):
            to = 3 * plane * (a + motions) + k
            y = _vec3_at(numbers, 3 * plane * a + place, plane)
            _put_vec3(numbers, to, plane, _vec3_at(numbers, to, plane) + Q @ y)


@inner_kernel
def _find_changes(work, n, items, motions):
    """The change of the impulses, Δp = g - K Yᵀ s and Δt = g - K Yᵀ s - E Δp, with the system that
    was eliminated.
    """
    numbers, plane = work.motions, stride_of(items)
    loads, width = 3 * plane * _LOADS, stride_of(motions)
    for k in range(items):
        g = vec3_of(work.row[k].load)
        if k >= n:
            g = g - mat3_of(work.row[k].coupling) @ vec3_of(work.row[work.mark[k].place].load)
        _put_vec3(numbers, loads + k, plane, g)
    _find_motion(work, items, motions)
    solve_eliminated(work.matrix, work.pivot, work.right, motions, width)
    _find_pushes(work, items, motions)
    put_changes(work, n, items)


@inner_kernel
def motions_push(work, items, motions):
    """Put the change of the relative velocities by that of the impulses into their push."""
    numbers, plane = work.motions, stride_of(items)
    loads = 3 * plane * _LOADS
    for k in range(items):
        _put_vec3(numbers, loads + k, plane, vec3_of(work.row[k].change))
    _find_motion(work, items, motions)
    _find_pushes(work, items, motions)
    for k in range(items):
        row = work.row[k]
        set_vec3(row.push, vec3_of(row.push) + vec3_of(row.change) * row.gives)


@inlined_kernel
def _find_motion(work, items, motions):
    """s = Y p of the impulses that stand in the row of loads."""
    numbers, plane = work.motions, stride_of(items)
    stride = 3 * plane
    for axis in range(3):
        for k in range(items, plane):
            numbers[_LOADS * stride + axis * plane + k] = 0.0
    for a in range(motions):
        row = (_SCRATCH + a) * stride
        work.right[a] = dot_of_rows(numbers, row, _LOADS * stride, 0, stride)


@inlined_kernel
def _find_pushes(work, items, motions):
    """Δu = Yᵀ s"""
    numbers, plane = work.motions, stride_of(items)
    stride = 3 * plane
    to = _LOADS * stride
    for j in range(stride):
        numbers[to + j] = 0.0
    for a in range(motions):
        subtract_row(numbers, to, (_SCRATCH + a) * stride, -work.right[a], 0, stride)
    for k in range(items):
        set_vec3(work.row[k].push, _vec3_at(numbers, to + k, plane))


@inlined_kernel
def _vec3_at(numbers, k, plane):
    """Of the k-th number and those a plane and two further."""
    return Vec3(numbers[k], numbers[k + plane], numbers[k + 2 * plane])


@inlined_kernel
def _put_vec3(numbers, k, plane, a):
    """Put a into the same."""
    numbers[k], numbers[k + plane], numbers[k + 2 * plane] = a.x, a.y, a.z
