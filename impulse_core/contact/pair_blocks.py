"""Blocks of the linear system of a Newton step: what two bodies that touch add to it.

The law of a contact at the arm r of a body is the impulse Δp = g - K Δu, Δu = v + w × r, and adds
the block B of momenta and angular momenta by v and w,

    B = Σ [1; [r]×] K [1, -[r]×] = [P, Q; R, S]

over all contacts of two bodies, at arms from the centre of the second. With d from the centre of
the first to that of the second, T = [1, -[d]×; 0, 1], the other three blocks of the two are
Tᵀ B T, -Tᵀ B and -B T. A contact that sticks has K = k·1, and

    B = Σ k [1, -[r]×; [r]×, (r·r) 1 - r rᵀ].
"""

from __future__ import annotations

from impulse_core.algebra import (
    IDENTITY3,
    NO_ROWS,
    ZERO3,
    Mat3,
    cross_matrix,
    vec3_of,
)
from impulse_core.contact.law import is_plain, outer
from impulse_core.contact.newton_rows import piece_of, put_law, put_turning_law
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = ["ANEW", "GOES_ON", "HELD", "add_inertia", "add_pair", "add_turning", "end_of_pair"]

GOES_ON, ANEW, HELD = 0, 1, 2  # how a Newton step begins: see banded_step


@inlined_kernel
def end_of_pair(work, k, n):
    """Where contacts of the same two bodies end in the list that begins with k."""
    a, b = work.mark[k].places[0], work.mark[k].places[1]
    end = k + 1
    while end < n and work.mark[end].places[0] == a and work.mark[end].places[1] == b:
        end += 1
    return end


@inlined_kernel
def add_inertia(matrix, half, a, m, J):
    """Add the inertia of the body whose rows begin with a."""
    _add_blocks(matrix, half, a, a, IDENTITY3 * m, NO_ROWS, NO_ROWS, J)


@inner_kernel
def add_pair(work, begin, end, half, proximal, begins):
    """Add the contacts of two bodies, their laws linear at the present impulses, to the system;
    ``begins``: see banded_step.
    """
    P, Q, R, S = NO_ROWS, NO_ROWS, NO_ROWS, NO_ROWS
    mass, moment, second = 0.0, ZERO3, NO_ROWS  # Σ k, Σ k r, Σ k r rᵀ of those that stick
    all_open = True
    for k in range(begin, end):
        K, plain = _linear_law(work.row[k], proximal, begins)
        r = vec3_of(work.row[k].arm)
        if not plain:
            A = _by_turning(K, r)
            P, Q, R, S = P + K, Q + A, R + _crossed(r, K), S + _crossed(r, A)
            all_open = False
        elif K.xx != 0.0:
            s = r * K.xx
            mass, moment, second = mass + K.xx, moment + s, second + outer(s, r)
            all_open = False
    if all_open:
        return
    moments = cross_matrix(moment)
    P, Q, R = P + IDENTITY3 * mass, Q - moments, R + moments
    S = S + IDENTITY3 * (second.xx + second.yy + second.zz) - second
    _add_to_both(work, begin, half, P, Q, R, S)


@inlined_kernel
def _add_to_both(work, k, half, P, Q, R, S):
    """Add the block of the second body of row k, or of its only free one, and those that follow."""
    a, b = work.mark[k].places[0], work.mark[k].places[1]
    if b < 0:
        _add_blocks(work.matrix, half, a, a, P, Q, R, S)
        return
    _add_blocks(work.matrix, half, b, b, P, Q, R, S)
    if a < 0:
        return
    d = vec3_of(work.row[k].apart)
    U, V = Q + _by_turning(P, d), S + _by_turning(R, d)
    _add_blocks(work.matrix, half, b, a, -P, -U, -R, -V)
    R, S, V = R + _crossed(d, P), S + _crossed(d, Q), V + _crossed(d, U)
    _add_blocks(work.matrix, half, a, b, -P, -Q, -R, -S)
    _add_blocks(work.matrix, half, a, a, P, U, R, V)


@inlined_kernel
def _linear_law(row, proximal, begins):
    """Linearise the law of a contact: K, and whether it is a number."""
    piece, w = piece_of(row, proximal, begins == HELD), row.inverse
    f = piece.right
    if begins != GOES_ON and is_plain(piece) and piece.a_n > 0.0:
        f = f - vec3_of(row.trial) * (proximal * w)
    return put_law(row, piece, f, proximal)


@inner_kernel
def add_turning(work, k, half, proximal):
    """Add what resists turning, row k, to the system: Δt = g - K Δω - E Δp, Δp of its contact."""
    K, Q = put_turning_law(work, k, proximal)
    K = K + _by_turning(Q, vec3_of(work.row[k].arm))
    _add_to_both(work, k, half, NO_ROWS, NO_ROWS, Q, K)


@inlined_kernel
def _by_turning(Q, r):
    """-Q [r]×, by which the velocity of a point at r follows from the angular one."""
    return Mat3(
        Q.xz * r.y - Q.xy * r.z, Q.xx * r.z - Q.xz * r.x, Q.xy * r.x - Q.xx * r.y,
        Q.yz * r.y - Q.yy * r.z, Q.yx * r.z - Q.yz * r.x, Q.yy * r.x - Q.yx * r.y,
        Q.zz * r.y - Q.zy * r.z, Q.zx * r.z - Q.zz * r.x, Q.zy * r.x - Q.zx * r.y,
    )  # fmt: skip


@inlined_kernel
def _crossed(r, Q):
    """[r]× Q"""
    return Mat3(
        r.y * Q.zx - r.z * Q.yx, r.y * Q.zy - r.z * Q.yy, r.y * Q.zz - r.z * Q.yz,
        r.z * Q.xx - r.x * Q.zx, r.z * Q.xy - r.x * Q.zy, r.z * Q.xz - r.x * Q.zz,
        r.x * Q.yx - r.y * Q.xx, r.x * Q.yy - r.y * Q.xy, r.x * Q.yz - r.y * Q.xz,
    )  # fmt: skip


@inlined_kernel
def _add_blocks(matrix, half, row, column, P, Q, R, S):
    """Add a block of six rows and columns."""
    width = 2 * half + 1
    _add_rows(matrix, width, row * width + column - row + half, P, Q)
    row += 3
    _add_rows(matrix, width, row * width + column - row + half, R, S)


@inlined_kernel
def _add_rows(matrix, width, k, A, B):
    """Add three rows of a block, A beside B, from the k-th number on."""
    matrix[k] += A.xx
    matrix[k + 1] += A.xy
    matrix[k + 2] += A.xz
    matrix[k + 3] += B.xx
    matrix[k + 4] += B.xy
    matrix[k + 5] += B.xz
    k += width - 1
    matrix[k] += A.yx
    matrix[k + 1] += A.yy
    matrix[k + 2] += A.yz
    matrix[k + 3] += B.yx
    matrix[k + 4] += B.yy
    matrix[k + 5] += B.yz
    k += width - 1
    matrix[k] += A.zx
    matrix[k + 1] += A.zy
    matrix[k + 2] += A.zz
    matrix[k + 3] += B.zx
    matrix[k + 4] += B.zy
    matrix[k + 5] += B.zz
