"""Newton corrections: the derivative of the joint errors at t+h by the impulses at t.

The frozen matrix A(t) of the direct solver contracts the error by a factor of order h, and not at
all where a step crosses a singular pose: there the rows of G change sign between t and t+h. The
exact derivative is

    ∂d(t+h)/∂λ = h G(t+h) diag(1/m, K/h) G(t)ᵀ,   K = ∂θ(t+h)/∂L(t)         (docs/algorithm.md, 21)

and K̇ = J_w⁻¹ (1 + [L]× K), K(0) = 0, in world axes. One Heun step of that equation leaves a
relative error of order (hω)², which only slows the convergence, never moves its limit.

The saddle matrix has the pattern of the direct solver's, with rotational blocks h K⁻¹, rows
G(t+h) and columns G(t)ᵀ. It is not symmetric, so upper and lower blocks are both kept; the order
of elimination and the places of all blocks are the same, hence no fill for trees.
"""

from __future__ import annotations

from impulse_core.algebra import (
    IDENTITY3,
    Mat3,
    apply_block,
    clear_padded,
    copy_padded,
    cross_matrix,
    gather_products,
    inverse,
    mat3_of,
    padded_at,
    put_padded,
    quat_of,
    rotation_matrix,
    set_product,
    similarity,
    subtract_product_transposed,
    vec3_of,
)
from impulse_core.jit import deferred_kernel, inner_kernel, kernel
from impulse_core.joints.constraints import joint_directions
from impulse_core.joints.coupling import term_rows
from impulse_core.solver.direct import (
    add_term,
    compliance_block,
    gather,
    moment_rows,
    substitute_forward,
    transposed,
)
from impulse_core.solver.loose import floor_of
from impulse_core.solver.pivots import pivot_inverse


@kernel
def _turn_by_momentum(R0, R1, L, inverse_inertia, h):
    """K / h by one Heun step: ½ (J0⁻¹ + J1⁻¹ (1 + [L]× h J0⁻¹)), J0, J1 in world axes."""
    J0 = similarity(R0, inverse_inertia)
    J1 = similarity(R1, inverse_inertia)
    return 0.5 * (J0 + J1 @ (IDENTITY3 + cross_matrix(L) @ (J0 * h)))


@inner_kernel
def _put_pair(structure, work, j, k, row, column):
    """Store a block of G(t+h) and the matching one of G(t)ᵀ on their sides of the diagonal."""
    where = structure.joints[j].block[k]
    if where >= 0:
        if structure.joints[j].transposed[k]:
            put_padded(work.newton_lower, where, transposed(column))
            put_padded(work.newton_upper, where, transposed(row))
        else:
            put_padded(work.newton_lower, where, row)
            put_padded(work.newton_upper, where, column)


@inner_kernel
def _assemble(model, structure, state, h, work):
    for k in range(len(structure.fill_block)):
        clear_padded(work.newton_lower, structure.fill_block[k])
        clear_padded(work.newton_upper, structure.fill_block[k])
    for i in range(model.dynamic):
        m = model.bodies[i].mass
        diagonal = Mat3(m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m)
        put_padded(work.newton_lower, structure.bodies[i].linear_node, diagonal)
        turn = _turn_by_momentum(
            rotation_matrix(quat_of(state.bodies[i].orientation)),
            rotation_matrix(quat_of(work.next[i].orientation)),
            vec3_of(state.bodies[i].angular_momentum),
            vec3_of(model.bodies[i].inverse_inertia),
            h,
        )
        put_padded(work.newton_lower, structure.bodies[i].angular_node, inverse(turn))
    now, then = work.now, work.then
    for j in range(len(model.joints)):
        node = structure.joints[j].translation_node
        if node >= 0:
            put_padded(work.newton_lower, node, compliance_block(structure, work, j, 0))
            row = mat3_of(then.joints[j].translation_rows)
            column = mat3_of(now.joints[j].translation_rows)
            for side in range(2):
                sign = 1.0 if side else -1.0
                arm_then = vec3_of(then.joints[j].arm2 if side else then.joints[j].arm1)
                arm_now = vec3_of(now.joints[j].arm2 if side else now.joints[j].arm1)
                _put_pair(structure, work, j, 2 * side, sign * row, sign * column)
                moment_row = sign * moment_rows(arm_then, row)
                moment_column = sign * moment_rows(arm_now, column)
                _put_pair(structure, work, j, 2 * side + 1, moment_row, moment_column)
        node = structure.joints[j].rotation_node
        if node >= 0:
            put_padded(work.newton_lower, node, compliance_block(structure, work, j, 3))
            row = mat3_of(then.joints[j].rotation_rows)
            column = mat3_of(now.joints[j].rotation_rows)
            for side in range(2):
                sign = 1.0 if side else -1.0
                _put_pair(structure, work, j, 4 + side, sign * row, sign * column)
    _add_couplings(model, model.coupled, structure, work)


@inner_kernel
def _add_couplings(model, coupled, structure, work):
    if coupled is None:
        return
    for k in range(len(model.couplings.terms)):
        rows, columns = term_rows(model, k, work.then), term_rows(model, k, work.now)
        for side in range(4):
            row, column = rows[side], columns[side]
            if structure.coupling_transposed[k, side]:
                row, column = column, row
            add_term(structure, work.newton_lower, k, side, row)
            add_term(structure, work.newton_upper, k, side, column)


@inner_kernel
def _factorise(structure, lower, upper, work):
    """Block LDU in place: pivots become D⁻¹, lower blocks L; upper blocks stay D U, transposed."""
    nodes = len(structure.column_start) - 1
    for k in range(nodes):
        if structure.pivot_floor[k, 0] > 0.0:
            pivot, _ = pivot_inverse(
                padded_at(lower, k), floor_of(structure, k, work), structure.most_growth
            )
        else:
            pivot = inverse(padded_at(lower, k))
        put_padded(lower, k, pivot)
        start = structure.column_start[k]
        entries = structure.column_start[k + 1] - start
        for a in range(entries):
            row = nodes + start + a
            set_product(work.scaled, 0, lower, row, lower, k)
            copy_padded(lower, row, work.scaled, 0)
            for b in range(entries):
                column = nodes + start + b
                high, low = max(a, b), min(a, b)
                target = structure.target[structure.target_start[k] + high * (high + 1) // 2 + low]
                if b > a:  # (L U)ᵀ = Uᵀ Lᵀ
                    subtract_product_transposed(upper, target, upper, column, lower, row)
                else:
                    subtract_product_transposed(lower, target, lower, row, upper, column)


@deferred_kernel("none")
def prepare_newton(model, structure, state, h, work):
    """Directions at the predicted poses, Newton matrix and its factor."""
    joint_directions(model, work.next, work.then)
    _assemble(model, structure, state, h, work)
    _factorise(structure, work.newton_lower, work.newton_upper, work)


@inner_kernel
def solve_newton(structure, right_side, scale, work):
    """Solve (∂d/∂λ / h) λ = scale · right_side, shapes (m, 6), into work.impulse."""
    lower, upper, x = work.newton_lower, work.newton_upper, work.right_side
    nodes, start, rows = len(x), structure.column_start, structure.entry_row
    substitute_forward(structure, lower, right_side, scale, x)
    for visit in range(len(structure.solve_node) - 1, -1, -1):
        k = structure.solve_node[visit]
        gather_products(x, k, upper, nodes, rows, start[k], start[k + 1])
        apply_block(x, k, lower, k)
    gather(structure, x, work.impulse)
