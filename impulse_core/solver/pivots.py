"""Inverse of a joint's 3×3 pivot block where joints may repeat each other.

The block is the Schur complement of a joint's rows after all pivots before it. A row that
repeats rows before it leaves a scalar pivot of the size of round-off, one that holds something of
its own leaves a pivot of the size of its diagonal entry of A. The block is therefore inverted by
scalar elimination, and a row whose pivot is below its floor is dropped: its 1/d is taken as zero.
For a consistent right-hand side that is an exact solution, in which the dropped row's multiplier is
zero and the rows before it carry all.

What repeats is a direction: two rows of a joint may repeat others by their sum alone. The one of
them that comes first then has the pivot θ² of what it holds besides, and divides the round-off of
the other's by that. So a row does not come first where another is much stronger
(docs/design/direct-solver.md).

Writing P = L D U with unit triangular L and U, the inverse is U⁻¹ D⁺ L⁻¹.
"""

from __future__ import annotations

from impulse_core.algebra import Mat3, Vec3
from impulse_core.jit import kernel


@kernel
def _reciprocal(pivot, floor):
    return 1.0 / pivot if abs(pivot) > floor else 0.0


@kernel
def pivot_inverse(P, floor, most_growth):
    """P⁺ = U⁻¹ D⁺ L⁻¹ of a 3×3 block, and which of its rows were dropped, as bits.

    Args:
        P: The block, symmetric or not, with pivots of either sign.
        floor: Size below which each scalar pivot counts as zero, Vec3.
        most_growth: Of round-off; a row that is weaker than another by more has to wait for it.
    """
    x, y, z = abs(P.xx), abs(P.yy), abs(P.zz)
    if _outweighs(y, floor.y, x, floor.x, most_growth) and not _outweighs(
        z, floor.z, y, floor.y, most_growth
    ):
        inverse, dropped = _ending_in_order(
            _swapped_xy(P), Vec3(floor.y, floor.x, floor.z), most_growth
        )
        return _swapped_xy(inverse), (dropped & 4) | (dropped & 1) << 1 | (dropped & 2) >> 1
    if _outweighs(z, floor.z, x, floor.x, most_growth):
        inverse, dropped = _ending_in_order(
            _swapped_xz(P), Vec3(floor.z, floor.y, floor.x), most_growth
        )
        return _swapped_xz(inverse), (dropped & 2) | (dropped & 1) << 2 | (dropped & 4) >> 2
    return _ending_in_order(P, floor, most_growth)


@kernel
def _outweighs(pivot, floor, other, others_floor, most_growth):
    """Whether a pivot is so much stronger than another that it has to come first."""
    return pivot * others_floor > most_growth * other * floor


@kernel
def _ending_in_order(P, floor, most_growth):
    """The same of a block whose first row comes first."""
    dx = _reciprocal(P.xx, floor.x)
    y, z = abs(P.yy - P.yx * dx * P.xy), abs(P.zz - P.zx * dx * P.xz)
    if _outweighs(z, floor.z, y, floor.y, most_growth):
        inverse, dropped = _in_order(_swapped_yz(P), Vec3(floor.x, floor.z, floor.y))
        return _swapped_yz(inverse), (dropped & 1) | (dropped & 2) << 1 | (dropped & 4) >> 1
    return _in_order(P, floor)


@kernel
def _in_order(P, floor):
    """The same with the rows as they stand."""
    dx = _reciprocal(P.xx, floor.x)
    lyx, lzx = P.yx * dx, P.zx * dx
    uxy, uxz = P.xy * dx, P.xz * dx
    dy = _reciprocal(P.yy - lyx * P.xy, floor.y)
    zy, yz = P.zy - lzx * P.xy, P.yz - lyx * P.xz
    lzy, uyz = zy * dy, yz * dy
    dz = _reciprocal(P.zz - lzx * P.xz - lzy * yz, floor.z)
    # third row of L⁻¹ and third column of U⁻¹
    mzx, vxz = lyx * lzy - lzx, uxy * uyz - uxz
    inverse = Mat3(
        dx + uxy * dy * lyx + vxz * dz * mzx, -uxy * dy - vxz * dz * lzy, vxz * dz,
        -dy * lyx - uyz * dz * mzx, dy + uyz * dz * lzy, -uyz * dz,
        dz * mzx, -dz * lzy, dz,
    )  # fmt: skip
    dropped = (dx == 0.0) + 2 * (dy == 0.0) + 4 * (dz == 0.0)
    return inverse, dropped


@kernel
def _swapped_xy(P):
    return Mat3(P.yy, P.yx, P.yz, P.xy, P.xx, P.xz, P.zy, P.zx, P.zz)


@kernel
def _swapped_xz(P):
    return Mat3(P.zz, P.zy, P.zx, P.yz, P.yy, P.yx, P.xz, P.xy, P.xx)


@kernel
def _swapped_yz(P):
    return Mat3(P.xx, P.xz, P.xy, P.zx, P.zz, P.zy, P.yx, P.yz, P.yy)
