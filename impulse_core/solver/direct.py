"""Direct solver: block LDLᵀ of the saddle system over bodies and joints, O(n) for every tree.

    [ M   Gᵀ ] [ Δv ]   [ 0 ]
    [ G  -E  ] [ -λ ] = [ b ]     so that (G M⁻¹ Gᵀ + E) λ = b               (docs/algorithm.md, 14)

Pivots are 3×3 blocks: body momenta and joint rows, padded to three, in the static order of
ordering.py. The factorisation is right-looking: column k is scaled by its pivot's inverse and
updates the blocks of later columns; where they lie was computed once (Structure.target).
Joint rows on closed loops may repeat each other and are dropped one by one where they do
(pivots.py); what cannot be on a loop is inverted block by block.
Only λ is taken from the solution: bodies are always changed by Gᵀλ itself.
"""

from __future__ import annotations

from impulse_core.algebra import (
    ZERO3,
    Mat3,
    Vec3,
    apply_block,
    clear_padded,
    copy_padded,
    cross,
    gather_products,
    inverse_symmetric,
    mat3_of,
    padded_at,
    put_padded,
    put_vec3,
    quat_of,
    rotation_matrix,
    scatter_products,
    set_product,
    similarity,
    subtract_product_transposed,
    vec3_of,
)
from impulse_core.jit import deferred_kernel, inner_kernel, kernel
from impulse_core.joints.constraints import joint_directions
from impulse_core.joints.coupling import term_rows
from impulse_core.solver.loose import floor_of, recall_loose_rows
from impulse_core.solver.pivots import pivot_inverse


@kernel
def transposed(a):
    return Mat3(a.xx, a.yx, a.zx, a.xy, a.yy, a.zy, a.xz, a.yz, a.zz)


@kernel
def moment_rows(r, rows):
    """Rows r × n of the rows n: the angular part of translational constraint rows."""
    a = cross(r, Vec3(rows.xx, rows.xy, rows.xz))
    b = cross(r, Vec3(rows.yx, rows.yy, rows.yz))
    c = cross(r, Vec3(rows.zx, rows.zy, rows.zz))
    return Mat3(a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z)


@inner_kernel
def _put_coupling(structure, block, j, k, rows):
    """Store a block of G, or its transpose where the body comes after the joint."""
    where = structure.joints[j].block[k]
    if where >= 0:
        if structure.joints[j].transposed[k]:
            rows = transposed(rows)
        put_padded(block, where, rows)


@inner_kernel
def compliance_block(structure, work, j, row):
    """-E of the three rows of joint j from row on."""
    scale, e = work.regularisation[0], work.compliance
    x = e[j, row] + scale * structure.joints[j].row_scale[row]
    y = e[j, row + 1] + scale * structure.joints[j].row_scale[row + 1]
    z = e[j, row + 2] + scale * structure.joints[j].row_scale[row + 2]
    return Mat3(-x, 0.0, 0.0, 0.0, -y, 0.0, 0.0, 0.0, -z)


@inner_kernel
def add_term(structure, block, k, side, row):
    """Add the row of a coupling's term to its block, or as a column where that is transposed; two
    terms may share a body.
    """
    where = structure.coupling_block[k, side]
    if where >= 0:
        step = 1 if structure.coupling_transposed[k, side] else 4
        block[where, 0] += row.x
        block[where, step] += row.y
        block[where, 2 * step] += row.z


@inner_kernel
def _assemble(model, structure, state, work):
    """Write M, G and -E into work.block."""
    block = work.block
    for k in range(len(structure.fill_block)):
        clear_padded(block, structure.fill_block[k])
    for i in range(model.dynamic):
        m = model.bodies[i].mass
        put_padded(
            block, structure.bodies[i].linear_node, Mat3(m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m)
        )
        R = rotation_matrix(quat_of(state.bodies[i].orientation))
        put_padded(
            block, structure.bodies[i].angular_node, similarity(R, vec3_of(model.bodies[i].inertia))
        )
    for j in range(len(model.joints)):
        node = structure.joints[j].translation_node
        if node >= 0:
            put_padded(block, node, compliance_block(structure, work, j, 0))
            rows = mat3_of(work.now.joints[j].translation_rows)
            for side in range(2):
                r = vec3_of(work.now.joints[j].arm2 if side else work.now.joints[j].arm1)
                sign = 1.0 if side else -1.0
                _put_coupling(structure, block, j, 2 * side, sign * rows)
                _put_coupling(structure, block, j, 2 * side + 1, sign * moment_rows(r, rows))
        node = structure.joints[j].rotation_node
        if node >= 0:
            put_padded(block, node, compliance_block(structure, work, j, 3))
            rows = mat3_of(work.now.joints[j].rotation_rows)
            for side in range(2):
                sign = 1.0 if side else -1.0
                _put_coupling(structure, block, j, 4 + side, sign * rows)
    _add_couplings(model, model.coupled, structure, work)
    if structure.has_loops:
        recall_loose_rows(structure, state, work)


@inner_kernel
def _add_couplings(model, coupled, structure, work):
    if coupled is None:
        return
    for k in range(len(model.couplings.terms)):
        rows = term_rows(model, k, work.now)
        for side in range(4):
            add_term(structure, work.block, k, side, rows[side])


@inner_kernel
def _factorise(structure, work):
    """Block LDLᵀ in place: pivots become D⁻¹, off-diagonal blocks become L."""
    block, scaled = work.block, work.scaled
    nodes = len(structure.column_start) - 1
    for k in range(nodes):
        if structure.pivot_floor[k, 0] > 0.0:
            floor = floor_of(structure, k, work)
            pivot, work.dropped[k] = pivot_inverse(
                padded_at(block, k), floor, structure.most_growth
            )
        else:
            pivot = inverse_symmetric(padded_at(block, k))
        put_padded(block, k, pivot)
        start = structure.column_start[k]
        # descending, because row a still needs the unscaled entries b <= a
        for a in range(structure.column_start[k + 1] - start - 1, -1, -1):
            row = nodes + start + a
            set_product(scaled, 0, block, row, block, k)
            first = structure.target_start[k] + a * (a + 1) // 2
            for b in range(a + 1):
                target = structure.target[first + b]
                subtract_product_transposed(block, target, scaled, 0, block, nodes + start + b)
            copy_padded(block, row, scaled, 0)


@inner_kernel
def set_compliances(model, structure, state, work):
    """E of all joint rows: of free axes as the state has it, 1 in padding and what is broken."""
    for j in range(len(model.joints)):
        for row in range(6):
            padding = structure.joints[j].padding[row]
            work.compliance[j, row] = 1.0 if state.joints[j].broken else padding
    for k in range(len(model.axes)):
        work.compliance[model.axes[k].joint, model.axes[k].row] = state.axes[k].compliance


@deferred_kernel("none")
def prepare(model, structure, state, work):
    """Directions, matrix and factor at the present poses."""
    joint_directions(model, state.bodies, work.now)
    factorise(model, structure, state, work)


@inner_kernel
def factorise(model, structure, state, work):
    """Matrix and factor with the directions and compliances in work."""
    _assemble(model, structure, state, work)
    _factorise(structure, work)
    work.factored[0] = 1


@inner_kernel
def factorise_if_stale(model, structure, state, work):
    """The same, unless nothing has changed since the last time."""
    if not work.factored[0]:
        factorise(model, structure, state, work)


@inner_kernel
def substitute_forward(structure, lower, right_side, scale, x):
    """x (K, 4) with L x = scale · right_side (m, 6) at the joint nodes and zero at the bodies."""
    for node in range(len(x)):
        put_vec3(x, node, ZERO3)
    for j in range(len(structure.joints)):
        _put_rows(x, structure.joints[j].translation_node, right_side, j, 0, scale)
        _put_rows(x, structure.joints[j].rotation_node, right_side, j, 3, scale)
    nodes = len(x)
    start, rows = structure.column_start, structure.entry_row
    for visit in range(len(structure.solve_node)):
        k = structure.solve_node[visit]
        scatter_products(x, k, lower, nodes, rows, start[k], start[k + 1])


@inner_kernel
def gather(structure, x, impulse):
    """Read λ (m, 6) from the joint nodes of the solution x (K, 4), which holds -λ."""
    for j in range(len(structure.joints)):
        _read_rows(x, structure.joints[j].translation_node, impulse, j, 0)
        _read_rows(x, structure.joints[j].rotation_node, impulse, j, 3)


@inner_kernel
def _put_rows(x, node, right_side, j, row, scale):
    """Let a node of x, if there is one, hold scale times three rows of joint j."""
    if node >= 0:
        x[node, 0] = scale * right_side[j, row]
        x[node, 1] = scale * right_side[j, row + 1]
        x[node, 2] = scale * right_side[j, row + 2]


@inner_kernel
def _read_rows(x, node, impulse, j, row):
    """Read three rows of joint j from a node of x, if there is one."""
    if node >= 0:
        impulse[j, row] = -x[node, 0]
        impulse[j, row + 1] = -x[node, 1]
        impulse[j, row + 2] = -x[node, 2]


@inner_kernel
def solve(structure, right_side, scale, work):
    """Solve A λ = scale · right_side, shapes (m, 6), into work.impulse."""
    block = work.block
    x = work.right_side
    nodes, start, rows = len(x), structure.column_start, structure.entry_row
    substitute_forward(structure, block, right_side, scale, x)
    for visit in range(len(structure.solve_node) - 1, -1, -1):
        k = structure.solve_node[visit]
        apply_block(x, k, block, k)
        gather_products(x, k, block, nodes, rows, start[k], start[k + 1])
    gather(structure, x, work.impulse)
