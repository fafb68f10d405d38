"""Inverse of a joint's 3×3 pivot block where joints may repeat each other.

The block is the Schur complement of a joint's rows after all pivots before it. A row that
repeats rows before it leaves a scalar pivot of the size of round-off, one that holds something of
its own leaves a pivot of the size of its diagonal entry of A. The block is therefore inverted by
scalar elimination, and a row whose pivot is below its floor is dropped: its 1/d is taken as zero.
For a consistent right-hand side that is an exact solution, in which the dropped row's multiplier is
zero and the rows before it carry all.

Writing P = L D U with unit triangular L and U, the inverse is U⁻¹ D⁺ L⁻¹.
"""

from __future__ import annotations

from impulse_core.algebra import Mat3
from impulse_core.jit import kernel


@kernel
def _reciprocal(pivot, floor):
    return 1.0 / pivot if abs(pivot) > floor else 0.0


@kernel
def pivot_inverse(P, floor):
    """U⁻¹ D⁺ L⁻¹ of a 3×3 block, and which of its rows were dropped, as bits.

    Args:
        P: The block, symmetric or not, with pivots of either sign.
        floor: Size below which each scalar pivot counts as zero, Vec3.
    """
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
