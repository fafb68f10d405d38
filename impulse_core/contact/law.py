"""The law of one contact: unilateral, with Coulomb's exact cone.

0 ≤ p_n - p_0  ⟂  u_n ≥ 0,     ‖p_t‖ ≤ μ p_n,     p_t = -μ p_n u_t/‖u_t‖ where u_t ≠ 0

with the minimum normal impulse p_0 that an impact gives back.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from impulse_core.algebra import IDENTITY3, ZERO3, Mat3, Vec3, dot, mat3_of, norm
from impulse_core.jit import inlined_kernel, inner_kernel

__all__ = [
    "JOINTED_TIMES",
    "LEAST_PROXIMAL",
    "contact_law",
    "effective_inverse_mass",
    "in_disc",
    "is_plain",
    "law_piece",
    "outer",
    "sides_of_piece",
    "softened",
    "solved_piece",
    "turning_piece",
    "within_arms",
]

LEAST_PROXIMAL = 1e-6  # of a Newton step, relative: redundant contacts share their load
JOINTED_TIMES = 3  # of the law at a visit on jointed bodies, where to tell all others costs more
_OFTEN = 3  # the same where normal and tangential impulse drive each other
_LOOSELY = 0.5  # of w_n, times μ: how strongly they may be coupled to settle from visit to visit


@inner_kernel
def contact_law(W, W_inverse, n, u, p, friction, min_impulse, times):
    """The impulse that satisfies the law where u is the relative velocity with the impulse p, and
    by how much it changes that velocity.

    Exact for one contact that sticks or lifts off. One that slides comes nearer to it so many
    times, since its direction depends on the impulse.
    """
    if friction > 0.0:
        stuck = p - W_inverse @ u
        p_n = dot(n, stuck)
        if p_n > min_impulse:
            across = stuck - n * p_n
            if dot(across, across) <= (friction * p_n) ** 2:
                return stuck, -u
    w_n = dot(n, W @ n)
    if friction == 0.0:
        new = n * max(min_impulse, dot(n, p) - dot(n, u) / w_n)
    else:
        new = _slide(W, w_n, n, u, p, friction, min_impulse, times)
    return new, W @ (new - p)


@inner_kernel
def _slide(W, w_n, n, u, p, friction, min_impulse, times):
    """The impulse on the border of the cone, by projection: p_t ← P(p_t - u_t/w_t)."""
    w_t = W.xx + W.yy + W.zz - w_n
    coupled = W @ n - n * w_n
    if friction * norm(coupled) > _LOOSELY * w_n:
        times = _OFTEN
    q = p
    last, share = ZERO3, 1.0
    for _ in range(times):
        v = u + W @ (q - p)
        q_n = max(min_impulse, dot(n, q) - dot(n, v) / w_n)
        across = q - n * dot(n, q)
        if q_n == 0.0:
            new = ZERO3
        else:
            v = v + (W @ n) * (q_n - dot(n, q))
            across = across - (v - n * dot(n, v)) * (1.0 / w_t)
            new = n * q_n + in_disc(across, friction * q_n)
        change = new - q
        if dot(change, last) < 0.0:  # to and fro: normal and tangential impulse drive each other
            share *= 0.5
        q = q + change * share
        last = change
    return q


@inner_kernel
def in_disc(a, radius):
    """a, shortened to the radius where it is longer."""
    square = dot(a, a)
    if square <= radius * radius:
        return a
    return a * (radius / math.sqrt(square))


@inner_kernel
def within_arms(n, t, rolling, torsion):
    """The torque t, its part across n shortened to the one radius, that along n to the other."""
    along = dot(n, t)
    across = in_disc(t - n * along, rolling)
    if torsion == 0.0:
        return across
    return across + n * min(max(along, -torsion), torsion)


@inner_kernel
def effective_inverse_mass(row, c):
    """Mean diagonal of the block W of contact c [1/kg]: 1/ρ of the projection P(p - ρu)."""
    W = mat3_of(row[c].block)
    return (W.xx + W.yy + W.zz) / 3.0


class Piece(NamedTuple):
    """The piece of the law on which z = p - u/w lies: A Δu + w B Δp = f [m/s], with

    A = a_n n nᵀ + a_d d dᵀ + a_t (1 - n nᵀ - d dᵀ)
    B = b_n n nᵀ + b_d d dᵀ + b_t (1 - n nᵀ - d dᵀ) - tilt d nᵀ

    for the normal n and the direction d of sliding, 0 where nothing slides.
    """

    normal: Vec3
    """n."""
    along: Vec3
    """d."""
    a_n: float
    a_d: float
    a_t: float
    b_n: float
    b_d: float
    b_t: float
    tilt: float
    """The coefficient of friction where it slides."""
    right: Vec3
    """f [m/s]."""


@inner_kernel
def law_piece(n, p, u, w, friction, min_impulse, proximal, held):
    """The Piece for the normal n, impulse p and velocity u; where ``held``, what bears sticks. The
    part ``proximal`` is added to B (docs/algorithm.md, section 11).
    """
    z = p - u * (1.0 / w)
    z_n = dot(n, z)
    p_n = max(dot(n, p), 0.0)
    bears = z_n > min_impulse
    loose = 1.0 + proximal
    a_n, b_n = (1.0, proximal) if bears else (0.0, loose)
    f = n * (-dot(n, u)) if bears else n * ((min_impulse - dot(n, p)) * w)
    across = z - n * z_n
    size = norm(across)
    radius = friction * p_n
    if (held and bears) or (size <= radius and p_n > 0.0):  # sticks
        f = f - (u - n * dot(n, u))
        return Piece(n, ZERO3, a_n, 1.0, 1.0, b_n, proximal, proximal, 0.0, f)
    if size == 0.0 or (p_n == 0.0 and not bears):
        f = f - (p - n * dot(n, p)) * w
        return Piece(n, ZERO3, a_n, 0.0, 0.0, b_n, loose, loose, 0.0, f)
    d = across * (1.0 / size)
    # p_t = μ p_n d, where d turns with z: δd = (1 - d dᵀ) δz_t / ‖z_t‖
    share = min(radius / size, 1.0)
    f = f - (p - n * dot(n, p) - d * radius) * w
    return Piece(n, d, a_n, 0.0, share, b_n, loose, loose - share, friction, f)


@inlined_kernel
def softened(piece, gives):
    """The Piece for the velocity without what a contact gives way, Δu = Δu' + w · gives · Δp."""
    a_n, a_d, a_t = piece.a_n, piece.a_d, piece.a_t
    b_n, b_d, b_t = piece.b_n + gives * a_n, piece.b_d + gives * a_d, piece.b_t + gives * a_t
    n, d = piece.normal, piece.along
    return Piece(n, d, a_n, a_d, a_t, b_n, b_d, b_t, piece.tilt, piece.right)


@inlined_kernel
def is_plain(piece):
    """Whether A and B of a piece are numbers times 1, as those of what sticks or is open are."""
    if piece.tilt != 0.0 or piece.a_n != piece.a_d or piece.a_d != piece.a_t:
        return False
    return piece.b_n == piece.b_d and piece.b_d == piece.b_t


@inner_kernel
def sides_of_piece(piece):
    """A and B of a piece."""
    A = _in_frame(piece, piece.a_n, piece.a_d, piece.a_t, 0.0)
    B = _in_frame(piece, piece.b_n, piece.b_d, piece.b_t, -piece.tilt)
    return A, B


@inner_kernel
def solved_piece(piece):
    """B⁻¹A and B⁻¹, by which Δp = (B⁻¹f - B⁻¹A Δu)/w."""
    n, d, t = 1.0 / piece.b_n, 1.0 / piece.b_d, 1.0 / piece.b_t
    tilt = piece.tilt * n * d
    K = _in_frame(piece, piece.a_n * n, piece.a_d * d, piece.a_t * t, piece.a_n * tilt)
    return K, _in_frame(piece, n, d, t, tilt)


@inlined_kernel
def _in_frame(piece, along_n, along_d, else_, d_by_n):
    """along_n n nᵀ + along_d d dᵀ + else (1 - n nᵀ - d dᵀ) + d_by_n d nᵀ"""
    n, d = piece.normal, piece.along
    x = n * (along_n - else_) + d * d_by_n
    y = d * (along_d - else_)
    return IDENTITY3 * else_ + outer(x, n) + outer(y, d)


@inner_kernel
def turning_piece(n, t, turn, w, rolling, torsion, p_n, proximal):
    """The same of rolling resistance and torsional friction with lever arms:
    A Δω + w (B Δt + C Δp) = f [rad/s].
    """
    A, B, C, f = _rolling_piece(n, t, turn, w, rolling, p_n, proximal)
    if torsion == 0.0:
        return A, B, C, f
    N, along, radius = outer(n, n), dot(n, t), torsion * p_n
    z = along - dot(n, turn) / w
    if abs(z) <= radius and p_n > 0.0:  # does not spin
        return A + N, B - N, C, f + n * (along * w - dot(n, turn))
    d = 1.0 if z > 0.0 else -1.0
    return A, B, C - N * (d * torsion), f + n * (d * radius * w)


@inner_kernel
def _rolling_piece(n, t, turn, w, arm, p_n, proximal):
    """The same of rolling resistance alone, which has no torque along n."""
    N = outer(n, n)
    held = N + IDENTITY3 * proximal
    across = t - turn * (1.0 / w)
    across = across - n * dot(n, across)
    size = norm(across)
    radius = arm * p_n
    none = IDENTITY3 * 0.0
    if size <= radius and p_n > 0.0:  # does not roll
        return IDENTITY3 - N, held, none, n * dot(n, turn) - turn - n * (dot(n, t) * w)
    if size == 0.0 or radius == 0.0:
        return none, held + IDENTITY3 - N, none, t * -w
    d = across * (1.0 / size)
    P = (IDENTITY3 - N - outer(d, d)) * (radius / size)
    return P, held + IDENTITY3 - N - P, outer(d, n) * -arm, (t - d * radius) * -w


@inner_kernel
def outer(a, b):
    """A bᵀ"""
    return Mat3(
        a.x * b.x, a.x * b.y, a.x * b.z,
        a.y * b.x, a.y * b.y, a.y * b.z,
        a.z * b.x, a.z * b.y, a.z * b.z,
    )  # fmt: skip
