"""What turns too far in a stage, so that the impulses at its beginning say little of its end.

A distance joint's line is the one row that it has. Rows that slide along a body, as those of a
point on a line or plane with bodies that turn freely, keep their direction, but what they do to the
bodies changes: a bar that slides at its end is pushed at the arm r, and turns with the inertia
J + m r² while it lies along the line, with J alone while it stands across. So the angle is that
between the changes of all velocities by the impulses at both ends of the stage, weighed by the
masses:

    cos² = det(G M⁻¹ G'ᵀ)² / (det(G M⁻¹ Gᵀ) det(G' M⁻¹ G'ᵀ))                (docs/algorithm.md, 76)

with the rows G at t and G' at t+h, of angular velocities those in the bodies' frames, where M is
constant. Of one row it is the cosine, of two the product of both cosines, whichever way they face.
"""

from __future__ import annotations

from impulse_core.algebra import Vec3, cross, dot, quat_of, rotate_back, vec3_of
from impulse_core.jit import inner_kernel, kernel
from impulse_core.joints.constraints import joint_points, translation_rows
from impulse_core.joints.distance import SMALLEST_COSINE, line_turned_too_far
from impulse_core.joints.swing import swung_elsewhere
from impulse_core.joints.table import (
    DISTANCE,
    LENGTH,
    NO_PART,
    POINT_LINE,
    POINT_PLANE,
    SWING,
    SWING_AXIS,
)

__all__ = ["turned_beyond_a_stage"]


@inner_kernel
def turned_beyond_a_stage(model, state, work):
    """The first joint that turns too far between the state and the prediction; -1 if none."""
    for j in range(len(model.joints)):
        part = model.joints[j].translation_part
        if part == DISTANCE and _line_turned_too_far(model, j, state, work):
            return j
        slides = part in (POINT_LINE, POINT_PLANE) and model.joints[j].rotation_part == NO_PART
        if slides and _rows_turned_too_far(model, j, state, work):
            return j
    for k in range(len(model.axes)):
        j, stage = model.axes[k].joint, work.axes[k]
        taut = stage.vertical and stage.piece[0] in (model.axes[k].lower, model.axes[k].upper)
        if model.joints[j].translation_part == LENGTH and taut:
            turned = _line_turned_too_far(model, j, state, work)
            if turned:
                return j
        swings = model.joints[j].rotation_part == SWING and model.axes[k].row == SWING_AXIS
        if swings and taut and swung_elsewhere(model, j, state.bodies, work.next):
            return j
    return -1


@inner_kernel
def _line_turned_too_far(model, j, state, work):
    A, B = joint_points(model, j, state.bodies)
    A_next, B_next = joint_points(model, j, work.next)
    return line_turned_too_far(A, B, A_next, B_next)


@inner_kernel
def _rows_turned_too_far(model, j, state, work):
    """The same of rows that slide, of joints that are not broken."""
    if state.joints[j].broken:
        return False
    two = model.joints[j].translation_part == POINT_LINE
    now, then = state.bodies, work.next
    both = _determinant(model, j, two, now, then)
    if not both > 0.0:
        return True
    alone = _determinant(model, j, two, now, now) * _determinant(model, j, two, then, then)
    return not both * both >= SMALLEST_COSINE * SMALLEST_COSINE * alone


@inner_kernel
def _determinant(model, j, two, poses, others):
    """det(G M⁻¹ G'ᵀ) with the one or two rows G at these poses and G' at others."""
    first, second = _rows(model, j, poses)
    first_there, second_there = _rows(model, j, others)
    a = _product(model, j, poses, others, first, first_there)
    if not two:
        return a
    b = _product(model, j, poses, others, first, second_there)
    c = _product(model, j, poses, others, second, first_there)
    return a * _product(model, j, poses, others, second, second_there) - b * c


@inner_kernel
def _rows(model, j, poses):
    """Directions of the first two rows."""
    A, B = joint_points(model, j, poses)
    rows, _, _ = translation_rows(model, j, quat_of(poses[model.joints[j].body1].orientation), A, B)
    return Vec3(rows.xx, rows.xy, rows.xz), Vec3(rows.yx, rows.yy, rows.yz)


@inner_kernel
def _product(model, j, poses, others, n, n_there):
    """g M⁻¹ g'ᵀ of two rows in these directions."""
    i1, i2 = model.joints[j].body1, model.joints[j].body2
    total = dot(n, n_there) * (model.bodies[i1].inverse_mass + model.bodies[i2].inverse_mass)
    for side in range(2):
        i = i2 if side else i1
        a, b = _turn(model, j, i, poses, n), _turn(model, j, i, others, n_there)
        total += dot(a, _scaled(b, vec3_of(model.bodies[i].inverse_inertia)))
    return total


@inner_kernel
def _turn(model, j, i, poses, n):
    """r × n of body i in its own frame, r from its centre to where the impulse acts."""
    _, B = joint_points(model, j, poses)
    q = quat_of(poses[i].orientation)
    return rotate_back(q, cross(B - vec3_of(poses[i].position), n))


@kernel
def _scaled(v, by):
    return Vec3(v.x * by.x, v.y * by.y, v.z * by.z)
