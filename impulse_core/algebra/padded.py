"""3×3 blocks of the factors of large matrices, padded so that lanes of the processor multiply them.

A padded block is twelve numbers: three columns, and a number that counts for nothing after each. A
padded vector is such a column.
"""

from __future__ import annotations

from impulse_core.algebra.mat3 import NO_ROWS, Mat3, times_transposed
from impulse_core.algebra.vec3 import ZERO3, Vec3, put_vec3, vec3_at
from impulse_core.jit import inner_kernel, kernel, lanes

__all__ = [
    "add_product_transposed",
    "apply_block",
    "clear_padded",
    "copy_padded",
    "gather_products",
    "padded_at",
    "put_padded",
    "scatter_products",
    "set_product",
    "set_product_transposed",
    "subtract_product_transposed",
]


@kernel
def padded_at(blocks, i):
    """Block i of an array of shape (n, 12)."""
    return Mat3(
        blocks[i, 0], blocks[i, 4], blocks[i, 8],
        blocks[i, 1], blocks[i, 5], blocks[i, 9],
        blocks[i, 2], blocks[i, 6], blocks[i, 10],
    )  # fmt: skip


@kernel
def put_padded(blocks, i, a):
    """Store A as block i of an array of shape (n, 12)."""
    blocks[i, 0] = a.xx
    blocks[i, 1] = a.yx
    blocks[i, 2] = a.zx
    blocks[i, 4] = a.xy
    blocks[i, 5] = a.yy
    blocks[i, 6] = a.zy
    blocks[i, 8] = a.xz
    blocks[i, 9] = a.yz
    blocks[i, 10] = a.zz


@inner_kernel
def _clear_padded(blocks, i):
    put_padded(blocks, i, NO_ROWS)


@inner_kernel
def _copy_padded(to, i, blocks, j):
    put_padded(to, i, padded_at(blocks, j))


@inner_kernel
def _set_product(to, i, left, j, right, k):
    put_padded(to, i, padded_at(left, j) @ padded_at(right, k))


@inner_kernel
def _set_product_transposed(to, i, left, j, right, k):
    put_padded(to, i, times_transposed(padded_at(left, j), padded_at(right, k)))


@inner_kernel
def _add_product_transposed(to, i, left, j, right, k):
    product = times_transposed(padded_at(left, j), padded_at(right, k))
    put_padded(to, i, padded_at(to, i) + product)


@inner_kernel
def _subtract_product_transposed(to, i, left, j, right, k):
    product = times_transposed(padded_at(left, j), padded_at(right, k))
    put_padded(to, i, padded_at(to, i) - product)


@inner_kernel
def _apply_block(x, i, blocks, j):
    put_vec3(x, i, padded_at(blocks, j) @ vec3_at(x, i))


@inner_kernel
def _scatter_products(x, i, blocks, offset, rows, first, end):
    for e in range(first, end):
        row = rows[e]
        put_vec3(x, row, vec3_at(x, row) - padded_at(blocks, offset + e) @ vec3_at(x, i))


@inner_kernel
def _gather_products(x, i, blocks, offset, rows, first, end):
    a = b = c = ZERO3
    for e in range(first, end):
        A, v = padded_at(blocks, offset + e), vec3_at(x, rows[e])
        a = a + Vec3(A.xx * v.x, A.yx * v.y, A.zx * v.z)
        b = b + Vec3(A.xy * v.x, A.yy * v.y, A.zy * v.z)
        c = c + Vec3(A.xz * v.x, A.yz * v.y, A.zz * v.z)
    change = Vec3(a.x + a.y + a.z, b.x + b.y + b.z, c.x + c.y + c.z)
    put_vec3(x, i, vec3_at(x, i) - change)


# T, A and B are block i of an array, block j of a second and block k of a third; x is a vector.
if lanes.AT_HAND:
    clear_padded = lanes.clear_by_lanes
    copy_padded = lanes.copy_by_lanes
    apply_block = lanes.apply_by_lanes
    scatter_products = lanes.scatter_by_lanes
    gather_products = lanes.gather_by_lanes
    set_product = lanes.product_by_lanes(transposed=False)
    set_product_transposed = lanes.product_by_lanes(transposed=True)
    add_product_transposed = lanes.product_by_lanes(transposed=True, joined="fadd")
    subtract_product_transposed = lanes.product_by_lanes(transposed=True, joined="fsub")
else:
    clear_padded = _clear_padded  # T = 0
    copy_padded = _copy_padded  # T = A
    apply_block = _apply_block  # x_i = A x_i
    scatter_products = _scatter_products  # x_r = x_r - A_e x_i with r = rows[e], for each e
    gather_products = _gather_products  # x_i = x_i - Σ A_eᵀ x_r
    set_product = _set_product  # T = A B
    set_product_transposed = _set_product_transposed  # T = A Bᵀ
    add_product_transposed = _add_product_transposed  # T = T + A Bᵀ
    subtract_product_transposed = _subtract_product_transposed  # T = T - A Bᵀ
