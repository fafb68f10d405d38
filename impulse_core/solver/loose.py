"""Rows that nearly repeat others and contradict them: let go, not held and lost in turns.

In a loop whose file has six digits, a hinge is tilted by 1e-6 rad: its rows are independent of
those of the others, but hold so weakly (a pivot of 1e-12) that closing them to the tolerance would
move bodies by a million times the gap, or cannot be done at all. Which rows hold is therefore
decided once. A row is let go where a stage has no solution with it, and its pivot is below the
floor; it stays so until its pivot is that of an ordinary row again, whatever it is in between. Its
error is what the others leave, it is reported, and it may not pass ``LARGEST_CONTRADICTION`` of the
scene (docs/design/direct-solver.md).
"""

from __future__ import annotations

from impulse_core.algebra import Vec3, norm
from impulse_core.jit import deferred_kernel, inner_kernel
from impulse_core.joints.constraints import held_part
from impulse_core.joints.table import COUPLING, NO_PART

__all__ = [
    "LARGEST_CONTRADICTION",
    "any_loose",
    "close_without",
    "error_of_loose_rows",
    "errors_of_held_rows",
    "floor_of",
    "let_go",
    "recall_loose_rows",
    "take_again",
]

LARGEST_CONTRADICTION = 1e-5  # of the scene's size: what a file with five digits may be wrong by
_ORDINARY = 1e5  # times the floor of a pivot, above which lie those of needed rows


@inner_kernel
def recall_loose_rows(structure, state, work):
    """Which rows of each node are loose, into work.loose as bits."""
    for j in range(len(structure.joints)):
        rows = state.joints[j].loose
        node = structure.joints[j].translation_node
        if node >= 0:
            work.loose[node] = rows & 7
        node = structure.joints[j].rotation_node
        if node >= 0:
            work.loose[node] = rows >> 3


@inner_kernel
def floor_of(structure, node, work):
    """Size below which the scalar pivots of a node count as zero, Vec3."""
    floor, loose = structure.pivot_floor, work.loose[node]
    return Vec3(
        floor[node, 0] * (_ORDINARY if loose & 1 else 1.0),
        floor[node, 1] * (_ORDINARY if loose & 2 else 1.0),
        floor[node, 2] * (_ORDINARY if loose & 4 else 1.0),
    )


@inner_kernel
def errors_of_held_rows(model, error, state):
    """The largest error [m] of joints' rows that are not loose, rotations weighed by body_length,
    and its joint; -1 if there is none. Couplings are not looked at.

    Args:
        error: Of all rows, shape (m, 6).
    """
    return _largest(model, error, state, False)


@inner_kernel
def error_of_loose_rows(model, error, state):
    """The largest error [m] of loose rows, and its joint; -1 if there is none."""
    return _largest(model, error, state, True)


@inner_kernel
def _largest(model, error, state, loose):
    worst, worst_joint = 0.0, -1
    for j in range(len(model.joints)):
        joint, left_out = model.joints[j], state.joints[j].loose
        if loose:
            left_out = ~left_out
        size = 0.0
        if joint.translation_part == COUPLING:
            continue
        if joint.translation_part != NO_PART:
            size = norm(held_part(Vec3(error[j, 0], error[j, 1], error[j, 2]), left_out))
        if joint.rotation_part != NO_PART:
            turn = held_part(Vec3(error[j, 3], error[j, 4], error[j, 5]), left_out >> 3)
            size = max(size, norm(turn) * joint.body_length)
        if size > worst or size != size:
            worst, worst_joint = (size if size == size else 1e300), j
    return worst, worst_joint


@deferred_kernel("boolean")
def let_go(model, structure, state, work):
    """Let go the rows of joints that the last factorisation dropped; whether any are new."""
    new = False
    for j in range(len(structure.joints)):
        if model.joints[j].translation_part == COUPLING:
            continue
        dropped = _dropped_constraints(structure, j, work)
        if dropped & ~state.joints[j].loose:
            state.joints[j].loose |= dropped
            new = True
    return new


@inner_kernel
def close_without(model, structure, state, tolerance, work):
    """Let go rows of a pose that is closed but for them; whether there is such a pose.

    Needs its factorisation and errors in work.
    """
    if not let_go(model, structure, state, work):
        return False
    held, _ = errors_of_held_rows(model, work.error, state)
    loose, _ = error_of_loose_rows(model, work.error, state)
    if held <= tolerance and loose <= LARGEST_CONTRADICTION * model.size:
        return True
    for j in range(len(model.joints)):
        state.joints[j].loose = 0
    return False


@inner_kernel
def any_loose(state):
    """Whether any rows are loose."""
    loose = 0
    for j in range(len(state.joints)):
        loose |= state.joints[j].loose
    return loose != 0


@inner_kernel
def take_again(structure, state, work):
    """Hold those loose rows again that the last factorisation did not drop."""
    for j in range(len(structure.joints)):
        if state.joints[j].loose:
            state.joints[j].loose &= _dropped_constraints(structure, j, work)


@inner_kernel
def _dropped_constraints(structure, j, work):
    """Rows of joint j that the last factorisation dropped, as bits; not those of free axes."""
    dropped = 0
    node = structure.joints[j].translation_node
    if node >= 0:
        dropped |= work.dropped[node]
    node = structure.joints[j].rotation_node
    if node >= 0:
        dropped |= work.dropped[node] << 3
    for row in range(6):
        if work.compliance[j, row] != 0.0:
            dropped &= ~(1 << row)
    return dropped
