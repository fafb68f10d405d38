"""Where each block of the joint matrix lives; K is the number of its 3×3 pivots, E that of its
off-diagonal blocks.
"""

from __future__ import annotations

from typing import NamedTuple

from impulse_core.types import Floats, Ints, Records, by_address, i8, record, six, six_i8

__all__ = ["BodyPlace", "JointPlace", "Structure"]


@record
class BodyPlace:
    """Where a body is in the joint matrix."""

    linear_node: i8
    """Node of its linear part."""
    angular_node: i8
    """Node of its angular part."""


@record
class JointPlace:
    """Where the rows of a joint are in the joint matrix, and of what size."""

    translation_node: i8
    """Node of the translational rows, -1 if it has none."""
    rotation_node: i8
    """Node of the rotational rows, -1 if it has none."""
    block: six_i8
    """Blocks of (T, lin 1), (T, ang 1), (T, lin 2), (T, ang 2), (R, ang 1), (R, ang 2); -1 where
    that side is the world or the rows do not exist."""
    transposed: six_i8
    """1 where the body comes after the joint, so that Gᵀ is stored."""
    padding: six
    """1 in the rows that only fill a node up to three, 0 in constraint rows."""
    row_scale: six
    """Size of the diagonal of A in each row [1/kg | 1/(kg m²)]."""


@by_address
class Structure(NamedTuple):
    """Where each block of the joint matrix lives, fixed once (solver/layout.py).

    A *node* is one 3×3 pivot: the linear or angular momentum of a body, or the translational or
    rotational rows of a joint (padded to three). Nodes are numbered in elimination order.
    Block k < K is the diagonal of node k, block K + e the off-diagonal entry e.
    """

    bodies: Records
    """Places of the dynamic bodies (BodyPlace), shape (n,)."""
    joints: Records
    """Places and sizes of the rows of joints (JointPlace), shape (m,)."""
    column_start: Ints
    """Entries of column k are column_start[k] … column_start[k+1]-1, shape (K+1,)."""
    entry_row: Ints
    """Row node of each entry, always later in the order than its column, shape (E,)."""
    target_start: Ints
    """First target of column k, shape (K,); entry pair (a, b ≤ a) adds a(a+1)/2 + b."""
    target: Ints
    """Block that each pair of a column's entries updates."""
    fill_block: Ints
    """Blocks that start as zero in every factorisation."""
    solve_node: Ints
    """Nodes a solve has to visit: all but those of bodies that carry no joint beneath them."""
    pivot_floor: Floats
    """Scalar pivots below this belong to rows that repeat others, shape (K, 3); 0 in nodes of
    bodies and of joints on no loop, where that cannot be."""
    most_growth: float
    """Of round-off: a row of a joint that is weaker than another by more has to wait for it; inf
    where rows come in their order."""
    coupling_block: Ints
    """Blocks of each term's coupling with the linear and angular parts of body 1 and of body 2; -1
    where that is the world, or the linear part of an angle, shape (t, 4)."""
    coupling_transposed: Ints
    """1 where such a block is that of a body that comes after the coupling, and is transposed,
    shape (t, 4)."""
    has_loops: int
    """1 if the joints close loops, else 0."""
