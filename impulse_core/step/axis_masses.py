"""Inverse masses along free axes with the machine behind them, at the start pose.

    w = b K⁻¹ bᵀ = (L⁻¹ b)ᵀ D⁻¹ (L⁻¹ b)

with b what a unit impulse along the axis gives to its two bodies, and K = L D Lᵀ the system over
bodies and joints (docs/algorithm.md, 14), in which nothing but rotors acts along other axes. L⁻¹ b
is not zero only on the paths from the two bodies to the roots of the elimination tree.

The bodies of a joint alone may be far lighter than what moves with them: the link between the two
hinges of an ankle moves with the foot about the one and with the leg about the other.
"""

from __future__ import annotations

import numpy as np

from impulse_core.algebra import (
    ZERO3,
    Vec3,
    apply_block,
    cross,
    dot,
    put_vec3,
    scatter_products,
    vec3_at,
    vec3_of,
)
from impulse_core.forces.axes import release_axes
from impulse_core.jit import inner_kernel, kernel
from impulse_core.joints.table import FIRST_ROTATION
from impulse_core.model import Model, State, Structure, Workspace
from impulse_core.solver.direct import prepare, set_compliances

__all__ = ["weigh"]

_HELD = 1e-2
"""Of the inverse mass of the two bodies, what is left at least where loops may hold an axis: it is
as good as none there, and vertical pieces have to give something all the same."""


def weigh(model: Model, structure: Structure, state: State, work: Workspace) -> None:
    """Find the inverse masses behind the axes of a model at the poses of a state, whose axes are
    left free, as at a start. What is in ``work`` is lost.
    """
    if len(model.axes):
        found = np.empty(len(model.axes))
        _find_masses(model, structure, state, work, found)
        model.axes["inverse_mass_behind"] = found


@kernel
def _find_masses(model, structure, state, work, found):
    """Inverse masses along all axes at the poses of a state [1/kg | 1/(kg m²)], shape (a,): at most
    those of the two bodies of a joint alone.
    """
    release_axes(model, state, work)
    set_compliances(model, structure, state, work)
    prepare(model, structure, state, work)
    for k in range(len(model.axes)):
        alone = model.axes[k].inverse_mass
        least = _HELD * alone if _may_be_held(model, structure, k) else 0.0
        w = _mass_behind(model, structure, k, work)
        found[k] = max(min(w, alone), least) if w > 0.0 else alone


@inner_kernel
def _may_be_held(model, structure, k):
    """Whether the joint of axis k is on a loop."""
    place = structure.joints[model.axes[k].joint]
    node = place.translation_node if place.translation_node >= 0 else place.rotation_node
    return node >= 0 and structure.pivot_floor[node, 0] > 0.0


@inner_kernel
def _mass_behind(model, structure, k, work):
    x, block = work.right_side, work.block
    nodes, start, rows = len(x), structure.column_start, structure.entry_row
    for node in range(nodes):
        put_vec3(x, node, ZERO3)
    _put_impulse(model, structure, k, x, work)
    w = 0.0
    for node in range(nodes):
        v = vec3_at(x, node)
        if v.x != 0.0 or v.y != 0.0 or v.z != 0.0:
            scatter_products(x, node, block, nodes, rows, start[node], start[node + 1])
            apply_block(x, node, block, node)
            w += dot(v, vec3_at(x, node))
    return w


@inner_kernel
def _put_impulse(model, structure, k, x, work):
    """Let the nodes of the bodies of axis k hold the unit impulse along it."""
    j, row = model.axes[k].joint, model.axes[k].row
    now = work.now.joints[j]
    turns = row >= FIRST_ROTATION
    rows = now.rotation_rows if turns else now.translation_rows
    n = _row_of(rows, row - FIRST_ROTATION if turns else row)
    for side in range(2):
        i = model.joints[j].body2 if side else model.joints[j].body1
        if i >= model.dynamic:
            continue
        p = n if side else -n
        place = structure.bodies[i]
        if turns:
            put_vec3(x, place.angular_node, p)
        else:
            arm = vec3_of(now.arm2 if side else now.arm1)
            put_vec3(x, place.linear_node, p)
            put_vec3(x, place.angular_node, cross(arm, p))


@inner_kernel
def _row_of(rows, row):
    """A row of the nine numbers of a matrix."""
    return Vec3(rows[3 * row], rows[3 * row + 1], rows[3 * row + 2])
